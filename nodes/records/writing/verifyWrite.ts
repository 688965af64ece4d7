/**
 * The checks of a record after a write. `verifyCreated` compares the answer to a create with what was sent.
 * `verifyUpdated` compares the answer to an update.
 */
import { partition } from 'lodash';
import {
  ApiError,
  asObject,
  type Client,
  type CreatedRecord,
  isObject,
  listAnsweredIds,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isSameText } from '../fields/plainKinds';
import { type RecordValues, equals, getRawValue, getShownValue, listFieldKeys } from '../fields/recordValues';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { getTable } from '../reading/tables';
import { describeWritten } from '../reading/writtenRecord';
import { listChangedEntries } from './currentValues';
import { ensurePartsStored } from './ensurePartsStored';

/**
 * Compares a created record with the values that were sent, if the answer shows it: the service ignores columns that it
 * does not know, and may ignore the ID of a record that does not exist.
 * @param body the body of the response to the create
 * @returns the record as far as it is known: see `describeWritten`
 * @example
 * const body = await createRecord(client, { table, entries });
 * await verifyCreated(client, table, entries, body); // { id: 'b6WQk9NrBZ', name: 'Lamp' }
 * @throws ApiError if the created record lacks a column that the table no longer has, a connected record, or the first value
 *   of a kind with parts
 */
export async function verifyCreated(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  body: CreatedRecord,
): Promise<ServiceRecord> {
  const { id, item: shown } = body;
  await ensurePartsStored(client, table, entries, { action: 'created', recordId: id, shown });
  const record = describeWritten({ table, id, entries, shown });
  if (!shown) return record;
  await ensureColumnsExist(
    { client, table, recordId: id, entries },
    shown,
    'The record was created with the other values. Choose the field again, and update this record: Create would make another one.',
  );
  ensureConnectionsStored(client, table, entries, body, { action: 'created' });
  return record;
}

interface AnsweredUpdate {
  client: Client;
  table: Table;
  recordId: string;
  /** The values of the item. */
  entries: PayloadEntries;
  /** The record before the update, if it was read. */
  before?: ServiceRecord;
  body: Record<string, unknown>;
}

/**
 * Checks that the answer to an update is about the record that was updated. An answer without an ID is.
 * @throws ApiError naming both records
 */
export function ensureSameRecord(recordId: string, body: Record<string, unknown>): void {
  const other = listAnsweredIds(body).find((id) => id !== recordId);
  if (other === undefined) return;
  throw new ApiError({
    message: `Record ${recordId}: the service's answer shows another record, ${other}`,
    description:
      'Compare both records in the service before you run the item again: it is not clear which one was changed.',
    details: { recordId, answeredId: other },
  });
}

/** Finds a column of the values that `fresh`, a newer reading of the table, does not have. @returns its slug */
export const findGoneColumn = (table: Table, fresh: Table, entries: PayloadEntries): string | undefined =>
  entries
    .map(([key]) => table.resolvePayloadField(key, 'Fields').field.slug)
    .find((slug) => !fresh.fields.some((field) => field.slug === slug));

/**
 * Checks that the columns that the answer lacks still exist: the service ignores names that it does not know.
 * @throws ApiError for a column that was renamed or deleted after its table was read
 */
async function ensureColumnsExist(
  { client, table, recordId, entries }: Pick<AnsweredUpdate, 'client' | 'table' | 'recordId' | 'entries'>,
  shown: object,
  remedy: string,
): Promise<void> {
  const record: RecordValues = { ...shown };
  const missing = entries.filter(([key]) => {
    const { field } = table.resolvePayloadField(key, 'Fields');
    return listFieldKeys(record, { table, field }).length === 0;
  });
  const fresh = missing.length > 0 ? await getTable(client, table.id, { isFresh: true }) : table;
  const gone = findGoneColumn(table, fresh, missing);
  if (!gone) return;
  throw new ApiError({
    message: `Record ${recordId}: the table no longer has the field "${gone}"`,
    description: `It was renamed or deleted while the workflow ran, so its value was not stored. ${remedy}`,
    details: { recordId },
  });
}

/**
 * Finds the IDs that were sent and that the record does not have. Finds none if the record shows texts in place of IDs,
 * which cannot be compared: an ID is a text of the same length as one of those that were sent.
 */
function findLostIds(record: Record<string, unknown>, sent: unknown, ref: FieldRef): string[] {
  const read = (value: unknown) => getKind(ref.field).read(value, ref.field) as string[] | undefined;
  const shown = read(getShownValue(record, ref));
  const wanted = read(sent) ?? [];
  const lengths = new Set(wanted.map(({ length }) => length));
  if (!shown?.every(({ length }) => lengths.has(length))) return [];
  return wanted.filter((id) => !shown.includes(id));
}

/**
 * Compares the connections that were sent with those of the response. The service may ignore an ID that it does not
 * know. A user may not see all connections, so with a user login nothing is compared.
 * @param action what happened to the record
 * @throws ApiError that names the record, the connection and the IDs that were not stored
 */
export function ensureConnectionsStored(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  response: unknown,
  { action, recordId }: { action: 'created' | 'updated'; recordId?: string },
): void {
  const { item: record } = asObject(response);
  if (!isObject(record) || client.credential.hasUserLogin) return;
  const id = recordId ?? String(record.id);
  for (const [key, value] of entries) {
    const { field } = table.resolvePayloadField(key, 'Fields');
    const lost = field.connection ? findLostIds(record, value, { table, field }) : [];
    if (lost.length === 0) continue;
    throw new ApiError({
      message: `"${field.name}" does not hold ${lost.map((one) => `"${one}"`).join(', ')}: the service did not store it`,
      description: `Record ${id} was ${action} with the other values. The connected table may have no record with this ID. If it is a name, choose Names Only under "Connected Records".`,
      details: { recordId: id },
    });
  }
}

const joinNames = (refs: FieldRef[]): string =>
  [...new Set(refs.map(({ field }) => `"${field.name}"`))].join(', ');

/**
 * Compares the record in the answer with the values that were sent. Rules and formulas may change a value, so a
 * different one is a hint only.
 * @throws ApiError if the answer shows another record, the old value of every changed column, lacks a column that the
 *   table no longer has, or a connected record
 */
export async function verifyUpdated(update: AnsweredUpdate): Promise<void> {
  const { client, table, recordId, entries, before, body } = update;
  ensureSameRecord(recordId, body);
  const { item: shown } = body;
  await ensurePartsStored(client, table, entries, { action: 'updated', recordId, before, shown });
  if (!isObject(shown)) return;
  await ensureColumnsExist(
    update,
    shown,
    'The other values of the item may have been written. Choose the field again, and run the item again.',
  );
  const isEqual = (record: object, ref: FieldRef, value: unknown) =>
    equals(getRawValue({ ...record }, ref), value, getValueField(ref));
  // What the record showed before is compared, also for a user who sees it in part.
  const different = (before ? listChangedEntries(table, before, entries, true) : entries)
    .map(([key, value]) => ({ ref: table.resolvePayloadField(key, 'Fields'), value }))
    .filter(({ ref }) => !getKind(ref.field).holdsFiles && !getKind(ref.field).isMasked)
    .map(({ ref, value }) => ({ ref, value, isStored: isEqual(shown, ref, value) }));
  // A service may store a text without its outer blanks: the old value is the new one then.
  const [reworded, others] = partition(
    different,
    ({ ref, value, isStored }) => !isStored && isSameText(getRawValue({ ...shown }, ref), value),
  );
  const unequal = others.filter(({ isStored }) => !isStored);
  const isOld = ({ ref }: { ref: FieldRef }) =>
    before !== undefined && isEqual(shown, ref, getRawValue(before, ref));
  const refs = unequal.map(({ ref }) => ref);
  if (unequal.length > 0 && unequal.length === others.length && unequal.every(isOld)) {
    throw new ApiError({
      message: `Record ${recordId} was not changed: the service's answer shows the old value of ${joinNames(refs)}`,
      description:
        'A rule of the table may have set it back, or the service did not carry out the update. Check the record in the service, and run the item again.',
      details: { recordId },
    });
  }
  if (reworded.length > 0) {
    client.notices.addHint(
      `The service stores ${joinNames(reworded.map(({ ref }) => ref))} in another form, such as lower case. Send this form: until then, each run updates the record again.`,
    );
  }
  // A connection that was not stored is an error of its own (`ensureConnectionsStored`).
  const changed = refs.filter(({ field }) => !field.connection);
  if (changed.length > 0) {
    client.notices.addHint(
      `The service's answer shows another value than the one that was sent in ${joinNames(changed)}. A rule or a formula of the table may have changed it.`,
    );
  }
  ensureConnectionsStored(client, table, entries, body, { action: 'updated', recordId });
}
