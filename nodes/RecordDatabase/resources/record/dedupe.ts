import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../../../shared/kit/item';
import type { Entries, Field } from '../../../shared/model/fields';
import { InputError } from '../../../shared/model/inputError';
import { recordListSchema, type ServiceRecord } from '../../../shared/model/responses';
import type { Table } from '../../../shared/model/table';
import { ApiFailure } from '../../../shared/transport/errors';
import { endpoints } from './endpoints';
import { isSame, operatorFor } from './matchKey';

export const dedupeOption: INodeProperties = {
  displayName: 'Dedupe Field Name or ID',
  name: 'dedupeField',
  type: 'options',
  default: '',
  typeOptions: { loadOptionsMethod: 'getUniqueFields', loadOptionsDependsOn: ['dataTableId.value'] },
  description:
    'Unique field whose value is created exactly once: when an answer is lost, or the workflow runs again, the existing record is returned instead of a second one. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** Creates tried for one item before its outcome is reported as unknown. */
const ATTEMPTS = 5;

interface Key {
  field: Field;
  value: string | number;
}

/** @throws InputError unless the field is unique at the service and the item gives it a value */
function keyOf(table: Table, name: string, entries: Entries): Key {
  if (name === '') {
    throw new InputError(
      'Dedupe Field: no field is chosen',
      'Choose one, or remove the option. An expression here may have found nothing.',
    );
  }
  const field = table.field(name, 'Dedupe Field');
  if (!field.unique) {
    throw new InputError(
      `Dedupe Field: "${field.name}" is not unique`,
      'Turn on "unique" for the field in the service, or choose a field that is: only then can the service refuse a second record.',
    );
  }
  const value = entries.find(([key]) => key === field.slug)?.[1];
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) {
    throw new InputError(
      `Dedupe Field: "${field.name}" has no value`,
      'Give the column a value that tells records apart.',
    );
  }
  return { field, value };
}

/** `unclear`: the look itself failed, so the record may be there or not. */
type Found = ServiceRecord | 'nothing' | 'unclear';

async function look(item: Item, { field, value }: Key): Promise<Found> {
  const condition = { field_id: field.slug, operator: operatorFor(field), val: value };
  const filters = { condition: 'AND', items: [condition], child: [] };
  const call = {
    path: { dataTableId: item.id('dataTableId') },
    body: { filters, page: 1, limit: 1 },
  };
  const answer = await item.client.call(endpoints.listFiltered, call).catch(() => undefined);
  const list = recordListSchema.safeParse(answer?.body);
  const [record] = list.data?.items ?? [];
  if (!record) return list.success ? 'nothing' : 'unclear';
  // A service that drops the condition gives any record: it must be the one that was asked for.
  return isSame(record[field.slug], value, field) ? record : 'unclear';
}

/** Whether the service refused a record because another has its value in one of these fields (spec: Errors). */
export const isTaken = (error: unknown, slugs: string[]): boolean =>
  error instanceof ApiFailure &&
  error.status === 422 &&
  slugs.some((slug) => /unique/i.test(String(error.fieldErrors[slug] ?? '')));

/**
 * Runs `create` so that the Dedupe Field's value exists exactly once afterwards. After an unclear failure,
 * or when the value is refused as a duplicate, it looks for the record before it does anything again, and
 * looks again where the look itself failed. The field is unique at the service, so an attempt that is still
 * under way cannot lead to a second one.
 * @throws what became of the first attempt to create, when no later one made it clear
 */
export async function createOnce(
  item: Item,
  table: Table,
  entries: Entries,
  create: () => Promise<unknown>,
): Promise<unknown> {
  if (!('dedupeField' in item.options)) return create();
  const key = keyOf(table, String(item.options.dedupeField ?? '').trim(), entries);
  let unclear: Error | undefined;
  let found: Found = 'nothing';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (found === 'nothing') {
      const result = await create().catch((error: unknown) => error);
      if (!(result instanceof Error)) return result;
      // The record may exist: the answer was lost, or it was there before.
      const isUnclear = result instanceof ApiFailure && result.outcomeUnknown;
      if (!isUnclear && !isTaken(result, [key.field.slug])) throw result;
      unclear ??= result;
    }
    found = await look(item, key);
    if (typeof found === 'object') return { item: found };
  }
  throw unclear as Error;
}
