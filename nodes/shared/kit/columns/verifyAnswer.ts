import { equals, getKind, type PayloadEntries } from '../../model/fields';
import { asObject, isObject } from '../../model/input/isObject';
import { getRawValue, listFieldKeys } from '../../model/records/recordValues';
import { type FieldRef, getValueField, type Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import { ApiError } from '../../transport/errors/apiError';
import type { Item } from '../operation/item';
import { listChangedEntries } from './isUnchanged';

interface AnsweredUpdate {
  item: Item;
  table: Table;
  recordId: string;
  /** The values of the item. */
  entries: PayloadEntries;
  /** The record before the update, if it was read. */
  before?: ServiceRecord;
  body: Record<string, unknown>;
}

/** @throws ApiError if the answer is about another record */
function ensureSameRecord({ recordId, body }: AnsweredUpdate): void {
  const { id = body.id } = isObject(body.item) ? body.item : {};
  if (id === undefined || id === null || String(id) === recordId) return;
  throw new ApiError({
    message: `Record ${recordId}: the service's answer shows another record, ${String(id)}`,
    description:
      'Compare both records in the service before you run the item again: it is not clear which one was changed.',
    details: { recordId },
  });
}

/** Keys of every record that are no fields (spec: Record). */
const RECORD_KEYS = new Set(['id', 'created_at']);

/** Whether a record lacks a writable field of the table, or has a key that belongs to none of its fields. */
export function hasOtherFields(table: Table, record: ServiceRecord): boolean {
  const known = new Set(table.fields.flatMap((field) => listFieldKeys(record, { table, field })));
  return (
    table.writableFields.some((field) => listFieldKeys(record, { table, field }).length === 0) ||
    Object.keys(record).some((key) => !known.has(key) && !RECORD_KEYS.has(key))
  );
}

/** Returns the slug of the first value whose column a newer reading of the table lacks. */
export const findGoneColumn = (table: Table, fresh: Table, entries: PayloadEntries): string | undefined =>
  entries
    .map(([key]) => table.resolvePayloadField(key, 'Columns').field.slug)
    .find((slug) => !fresh.fields.some((field) => field.slug === slug));

/**
 * Checks that the columns that the answer lacks still exist: the service ignores names that it does not know.
 * @throws ApiError for a column that was renamed or deleted after its table was read
 */
async function ensureColumnsExist(
  { item, table, recordId, entries }: Pick<AnsweredUpdate, 'item' | 'table' | 'recordId' | 'entries'>,
  shown: object,
  remedy: string,
): Promise<void> {
  const missing = entries.filter(([key]) => {
    const { field } = table.resolvePayloadField(key, 'Columns');
    return listFieldKeys({ ...shown }, { table, field }).length === 0;
  });
  const fresh = missing.length > 0 ? await item.getFreshTable(table.id) : table;
  const gone = findGoneColumn(table, fresh, missing);
  if (!gone) return;
  throw new ApiError({
    message: `Record ${recordId}: the table no longer has the column "${gone}"`,
    description: `It was renamed or deleted while the workflow ran, so its value was not stored. ${remedy}`,
    details: { recordId },
  });
}

/** @throws ApiError if the created record lacks a column that the table no longer has */
export async function verifyCreated(
  item: Item,
  table: Table,
  entries: PayloadEntries,
  body: unknown,
): Promise<void> {
  const { item: shown } = asObject(body);
  if (!isObject(shown) || shown.id === undefined) return;
  await ensureColumnsExist(
    { item, table, recordId: String(shown.id), entries },
    shown,
    'The record was created with the other values. Choose the column again, and update this record: a repeated item creates another one.',
  );
}

const joinNames = (refs: FieldRef[]): string =>
  [...new Set(refs.map(({ field }) => `"${field.name}"`))].join(', ');

/**
 * Compares the record in the answer with the values that were sent. Rules and formulas may change a value, so a
 * different one is a hint only.
 * @throws ApiError if the answer shows another record, the old value of every changed column, or lacks a column that the
 *   table no longer has
 */
export async function verifyAnswer(update: AnsweredUpdate): Promise<void> {
  ensureSameRecord(update);
  const { item, table, recordId, entries, before, body } = update;
  const { item: shown } = body;
  if (!isObject(shown)) return;
  await ensureColumnsExist(
    update,
    shown,
    'The other values of the item may have been written. Choose the column again, and run the item again.',
  );
  const seesAll = !item.client.credential.userLogin;
  const isEqual = (record: object, ref: FieldRef, value: unknown) =>
    equals(getRawValue({ ...record }, ref), value, getValueField(ref));
  const different = (before ? listChangedEntries(table, before, entries, seesAll) : entries)
    .map(([key, value]) => ({ ref: table.resolvePayloadField(key, 'Columns'), value }))
    .filter(({ ref }) => !getKind(ref.field).holdsFiles)
    .map(({ ref, value }) => ({ ref, value, isStored: isEqual(shown, ref, value) }));
  const refused = different.filter(({ isStored }) => !isStored);
  const isOld = ({ ref }: { ref: FieldRef }) =>
    before !== undefined && isEqual(shown, ref, getRawValue(before, ref));
  const refs = refused.map(({ ref }) => ref);
  if (refused.length > 0 && refused.length === different.length && refused.every(isOld)) {
    throw new ApiError({
      message: `Record ${recordId} was not changed: the service's answer shows the old value of ${joinNames(refs)}`,
      description:
        'A rule of the table may have set it back, or the service did not carry out the update. Check the record in the service, and run the item again.',
      details: { recordId },
    });
  }
  // A connection that was not stored is an error of its own (`ensureConnectionsStored`).
  const changed = refs.filter(({ field }) => !field.connection);
  if (changed.length === 0) return;
  item.client.notices.addHint(
    `The service's answer shows another value than the one that was sent in ${joinNames(changed)}. A rule or a formula of the table may have changed it.`,
  );
}
