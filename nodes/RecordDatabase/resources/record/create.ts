import { findWithPauses } from '../../../client/concurrency/wait';
import { ApiError, mapExplanation } from '../../../client/errors/apiError';
import type { Field, PayloadEntries } from '../../../client/fields/field';
import { getKind } from '../../../client/fields/kinds';
import type { Table } from '../../../client/fields/table';
import type { FilterGroup } from '../../../client/filter/tree';
import { InputError } from '../../../client/input/inputError';
import { isDuplicateError, isSameValue } from '../../../client/records/upsert';
import type { CreatedRecord, ServiceRecord } from '../../../client/responses/schemas';
import { ensureConnectionsStored } from '../../../client/update/writeRecord';
import { applyDefaultsOption, createColumnForm, writeOptions } from '../../../n8n/columns/columnForm';
import {
  checkRecordValues,
  explainRefusedValues,
  readRecordEntries,
} from '../../../n8n/columns/recordEntries';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation } from '../../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../../n8n/parameters/parameter';
import { createFormulaHeaders, createFormulaOption, returnsEquationLog } from './formulas';
import { linkOption, readLink } from './link';
import { toRecordOutputs, withAction } from './recordOutputs';

const dedupeOption = defineParameter({
  displayName: 'Dedupe Field Name or ID',
  name: 'dedupeField',
  type: 'options',
  default: '',
  typeOptions: { loadOptionsMethod: 'getUniqueFields', loadOptionsDependsOn: ['dataTableId.value'] },
  description:
    'Unique field whose value is created exactly once: when an answer is lost, or the workflow runs again, the existing record is returned instead of a second one. "_action" in the output is "created" or "found". Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

/** Maximum number of attempts to create one item's record before its outcome is reported as unknown. */
const MAX_CREATE_ATTEMPTS = 5;

interface DedupeKey {
  field: Field;
  value: string | number;
}

/** @throws InputError unless the field is unique in the service and the item has a value for it */
function readDedupeKey(table: Table, name: string, entries: PayloadEntries): DedupeKey {
  if (name === '') {
    throw new InputError(
      'Dedupe Field: no field is chosen',
      'Choose one, or remove the option. An expression may have returned nothing.',
    );
  }
  const field = table.field(name, 'Dedupe Field');
  if (!field.unique) {
    throw new InputError(
      `Dedupe Field: "${field.name}" is not unique`,
      'Choose a unique field, or make this one unique in the service. Otherwise the service would accept a second record.',
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

/** The record, 'nothing' when it does not exist, or 'unclear' when the look-up gives no definite result. */
type DedupeResult = ServiceRecord | 'nothing' | 'unclear';

async function findDuplicate(item: Item, { field, value }: DedupeKey): Promise<DedupeResult> {
  const condition = { field_id: field.slug, ...getKind(field).createMatch(value) };
  const filters: FilterGroup = { condition: 'AND', items: [condition], child: [] };
  const tableId = item.read(tableLocator);
  const list = await item.client.records.readPage({ tableId, filters }, 1, 1).catch(() => undefined);
  const [record] = list?.items ?? [];
  if (!record) return list ? 'nothing' : 'unclear';
  // A service that ignores the condition returns any record, so the value is compared here.
  return isSameValue(record[field.slug], value, field) ? record : 'unclear';
}

/** Whether a response has status 422 but no messages by field. The reason may be a duplicate value. */
const isBrokenRefusal = (error: Error): boolean =>
  error instanceof ApiError && error.status === 422 && Object.keys(error.fieldErrors).length === 0;

const createInvisibleError = (error: ApiError, { field, value }: DedupeKey) =>
  error.explain({
    message: `Dedupe Field: another record has ${JSON.stringify(value)} in "${field.name}", and it cannot be found`,
    description: `Nothing was created. The record may be hidden from this user. ${error.description}`,
  });

/** The response body with the record. */
interface CreateOutcome {
  body: unknown;
  /** `found` if the record existed before. Undefined without a Dedupe Field. */
  action?: 'created' | 'found';
}

/** Adds to an unknown outcome what makes a create repeatable. */
const addDedupeHint = (error: unknown): unknown =>
  error instanceof ApiError && error.isOutcomeUnknown
    ? mapExplanation(error, ({ description }) => ({
        description: `${description} With a unique field under "Dedupe Field Name or ID" in the options, the item can be repeated: the record is then found.`,
      }))
    : error;

/**
 * Calls `create` so that exactly one record has the value of the Dedupe Field. When the outcome is unknown, or
 * the service refuses the value as a duplicate, it looks for the record before it calls `create` again. A look-up
 * that fails is repeated. The field is unique in the service, so an attempt that is still running cannot create a
 * second record.
 * @throws the failure of the first attempt, when no later attempt gives a definite result
 */
async function createOnce(
  item: Item,
  table: Table,
  entries: PayloadEntries,
  create: () => Promise<unknown>,
): Promise<CreateOutcome> {
  const name = item.readOption(dedupeOption);
  if (name === undefined) {
    return { body: await create().catch((error: unknown) => Promise.reject(addDedupeHint(error) as Error)) };
  }
  const key = readDedupeKey(table, name, entries);
  const find = async () => {
    const found = await findDuplicate(item, key);
    return found === 'unclear' ? undefined : found;
  };
  let firstFailure: Error | undefined;
  // Whether an earlier attempt of this item may have created the record.
  let mayBeOwn = false;
  for (let attempt = 1; attempt <= MAX_CREATE_ATTEMPTS; attempt++) {
    const result = await create().catch((error: unknown) => error);
    if (!(result instanceof Error)) return { body: result, action: 'created' };
    // The record may exist: the response was lost, or the record existed before.
    const isUnknown = result instanceof ApiError && result.isOutcomeUnknown;
    const isDuplicate = isDuplicateError(result, [key.field.slug]);
    if (!isUnknown && !isDuplicate && !isBrokenRefusal(result)) throw result;
    mayBeOwn ||= isUnknown;
    const found = await findWithPauses(find, item.client);
    if (typeof found === 'object') return { body: { item: found }, action: mayBeOwn ? 'created' : 'found' };
    if (isBrokenRefusal(result)) throw result;
    firstFailure ??= result;
    if (found === undefined) break;
    if (isDuplicate && attempt > 1 && !mayBeOwn) throw createInvisibleError(result as ApiError, key);
  }
  throw firstFailure instanceof ApiError
    ? firstFailure.explain({ isRepeatable: true })
    : (firstFailure as Error);
}

/** Creates the item's record and returns the body of the response. */
export async function createItemRecord(item: Item, entries: PayloadEntries): Promise<CreatedRecord> {
  const body = await item.client.records.create({
    tableId: item.read(tableLocator),
    entries,
    link: await readLink(item),
    showsEquations: returnsEquationLog(item),
    headers: createFormulaHeaders(item),
  });
  item.hasStarted = true;
  return body;
}

export const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create record',
  description: 'Create a record',
  makes: {
    noun: 'records',
    remedy:
      'Choose a unique field under "Dedupe Field Name or ID" in the options: a record that exists is then returned.',
    isSafe: (item) => item.readOption(dedupeOption) !== undefined,
  },
  writes: true,
  parameters: [
    tableLocator,
    ...createColumnForm('create'),
    createOptions(applyDefaultsOption, ...writeOptions, dedupeOption, createFormulaOption, linkOption),
  ],
  explain: (item, error) =>
    explainRefusedValues(
      item,
      error,
      'To change the record that has it, use Create or Update. To get it instead of an error, choose the field under "Dedupe Field" in the options.',
    ),
  done: ['record', 'created'],
  async check(item) {
    checkRecordValues(item, await item.getTable(item.read(tableLocator)));
  },
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    // A wrong link is an error before connected records are created.
    await readLink(item);
    const entries = await readRecordEntries(item, table, {
      withDefaults: item.readOption(applyDefaultsOption),
    });
    if (entries.length === 0) {
      throw new InputError(
        'Nothing to create: no column has a value',
        'Nothing was sent. Give at least one column a value. An expression may have returned nothing.',
      );
    }
    const { body, action } = await createOnce(item, table, entries, () => createItemRecord(item, entries));
    if (action !== 'found') {
      await item.client.records.verifyCreated(table, entries, body);
      ensureConnectionsStored(item.client, table, entries, body, { action: 'created' });
    }
    const outputs = toRecordOutputs(body);
    return action ? withAction(outputs, action) : outputs;
  },
};
