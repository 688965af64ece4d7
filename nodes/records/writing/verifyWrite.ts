/** Checks the responses to creates and updates, so that no value is lost without an error or a hint. */
import { difference, intersection } from 'lodash';
import {
  ApiError,
  type Client,
  type CreatedRecord,
  formatForError,
  InputError,
  isObject,
  listAnsweredIds,
  memory,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isSimilarText } from '../fields/plainKinds';
import { type RecordValues, equals, getRawValue, getShownValue } from '../fields/recordValues';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { findGoneField, findTableReadAgain, readFieldsIfMissing, readTableAgain } from '../reading/tables';
import { describeWritten } from '../reading/writtenRecord';
import { omitLists } from './changeConnections';
import { listChangedEntries } from './currentValues';
import { listFields } from './payload';

/**
 * Compares a created record with the values that were sent, if the response contains it: the service ignores columns that it
 * does not know, and may ignore the ID of a record that does not exist.
 * @param body the body of the response to the create
 * @returns the record as far as it is known: see `describeWritten`
 * @throws ApiError if the created record lacks a connected record, or a column that the table no longer has
 */
export async function verifyCreated(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  body: CreatedRecord,
): Promise<ServiceRecord> {
  const { id, item: shown } = body;
  const record = describeWritten({ table, id, entries, shown });
  if (!shown) {
    noteUnseenWrites(client, table, entries);
    return record;
  }
  await ensureColumnsExist(
    { client, table, recordId: id, entries },
    shown,
    'The record was created with the other values. Choose the field again, and update this record: Create would make another one.',
  );
  addOtherValuesHint(client, compareValues(table, entries, shown).other);
  ensureConnectionsStored(client, table, entries, { record });
  return record;
}

/** Describes a field for an error, with its type: the type may have changed. */
const describeField = ({ slug, type }: Field): string => `the field "${slug}" (${type})`;

/** An update that was sent, with the body of the response. */
interface SentUpdate {
  client: Client;
  table: Table;
  recordId: string;
  entries: PayloadEntries;
  /** Whether connections were added or removed: then `entries` have whole lists, which are not compared. */
  changesLists: boolean;
  /** The record before the update, if it was read. */
  before?: ServiceRecord;
  body: Record<string, unknown>;
}

/**
 * Checks that a response contains the record that was written. A response without an ID passes the check.
 * @throws ApiError that names both records
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

/** @throws InputError for a field of the values that `fresh`, the table as it was read again, no longer has */
export function ensureFieldsKept(table: Table, fresh: Table, entries: PayloadEntries): void {
  const gone = findGoneField(fresh, listFields(table, entries));
  if (!gone) return;
  throw new InputError(
    `Fields: the table no longer has ${describeField(gone)}`,
    'Nothing was sent. It was changed or deleted in the last seconds: choose the field again.',
  );
}

/**
 * Checks that the table still has the fields of the entries, if this run read the fields again because a record lacked one.
 * @throws InputError for a field that was renamed or deleted
 */
export async function ensureFieldsExist(
  client: Client,
  table: Table,
  entries: PayloadEntries,
): Promise<void> {
  const fresh = await findTableReadAgain(client, table.id);
  if (fresh) ensureFieldsKept(table, fresh, entries);
}

/**
 * Checks that the columns that the response lacks still exist: the service ignores names of unknown columns.
 * @throws ApiError for a column that was renamed or deleted after its table was read
 */
async function ensureColumnsExist(
  { client, table, recordId, entries }: Pick<SentUpdate, 'client' | 'table' | 'recordId' | 'entries'>,
  shown: object,
  remedy: string,
): Promise<void> {
  const fields = listFields(table, entries);
  // The write has succeeded, so an error in the reading of the fields is ignored.
  const fresh = await readFieldsIfMissing(client, table, fields, [{ ...shown }]).catch(() => table);
  const gone = findGoneField(fresh, fields);
  if (!gone) return;
  throw new ApiError({
    message: `Record ${recordId}: the table no longer has ${describeField(gone)}`,
    description: `It was changed or deleted while the workflow ran, so its value was not stored. ${remedy}`,
    details: { recordId },
  });
}

/** The writes of one user to one table whose responses contain no record. */
interface UnseenWrites {
  client: Client;
  tableId: string;
  fields: Set<Field>;
  count: number;
}

const getUnseen = memory.attach<object, Map<string, UnseenWrites>>(
  'unseenWrites',
  { to: 'execution', holds: 'the fields of writes whose answers show no record, until its end' },
  () => new Map(),
);

/**
 * Stores the fields of a write whose response contains no record, for `ensureWrittenFieldsExist`. @param count the number of
 * records
 */
export function noteUnseenWrites(client: Client, table: Table, entries: PayloadEntries, count = 1): void {
  const unseen = getUnseen(client.execution);
  const key = JSON.stringify([client.credential.fingerprints.user, table.id]);
  const writes = unseen.get(key) ?? { client, tableId: table.id, fields: new Set(), count: 0 };
  for (const field of listFields(table, entries)) writes.fields.add(field);
  unseen.set(key, { ...writes, count: writes.count + count });
}

/**
 * Reads the fields once more after a run of several writes whose responses contain no record: the service ignores a field
 * that was renamed or deleted meanwhile. After a single write, the fields are not read again, because they were read at most
 * 30 seconds before the write.
 * @param execution the execution of the client: see `Client`
 * @throws ApiError that names a field that is gone
 */
export async function ensureWrittenFieldsExist(execution: object): Promise<void> {
  const unseen = getUnseen(execution);
  for (const [key, { client, tableId, fields, count }] of unseen) {
    // The entry is removed, so that only the node that wrote the records throws the error, and no later node.
    unseen.delete(key);
    const fresh = count > 1 ? await readTableAgain(client, tableId).catch(() => undefined) : undefined;
    const gone = fresh && findGoneField(fresh, [...fields]);
    if (gone) {
      throw new ApiError({
        message: `The table no longer has ${describeField(gone)}`,
        description: `It was changed or deleted while ${count} records were written, and the answers of the service do not show which of them have its value. Choose the field again. Updates can be run again; created records get the value by Update, because Create would make others.`,
      });
    }
  }
}

/**
 * Compares the IDs of a connection that were sent with those of the record: `lost` are IDs that the record does not have, and
 * `kept` are earlier IDs that it still has and should not have. Both are empty if the record has texts in place of IDs. A
 * text counts as an ID if it is as long as a sent or an earlier ID.
 */
function compareIds(record: RecordValues, before: RecordValues, sent: unknown, ref: FieldRef) {
  const read = (value: unknown) => getKind(ref.field).read(value, ref.field) as string[] | undefined;
  const shown = read(getShownValue(record, ref));
  const earlier = read(getShownValue(before, ref)) ?? [];
  const wanted = read(sent) ?? [];
  const lengths = new Set([...wanted, ...earlier].map(({ length }) => length));
  if (!shown?.every(({ length }) => lengths.has(length))) return { lost: [], kept: [] };
  const removed = difference(earlier, wanted);
  return { lost: difference(wanted, shown), kept: intersection(removed, shown) };
}

const listIds = (ids: string[]): string => ids.map((id) => formatForError(id)).join(', ');

/**
 * Compares the connections that were sent with the connections of a record. The service may ignore an ID that it does not
 * know. With a user login, nothing is compared, because connections may be hidden from the user.
 * @param written the record after the write, and before it if it existed
 * @throws ApiError that names the record, the connection and the IDs that were not stored, or not removed
 */
function ensureConnectionsStored(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  { record, before }: { record: ServiceRecord; before?: ServiceRecord },
): void {
  if (client.credential.hasUserLogin) return;
  for (const [key, value] of entries) {
    const { field } = table.resolvePayloadField(key, 'Fields');
    if (!getKind(field).hasDisplayValues) continue;
    const { lost, kept } = compareIds(record, before ?? {}, value, { table, field });
    if (lost.length === 0 && kept.length === 0) continue;
    throw new ApiError({
      message:
        lost.length > 0
          ? `"${field.name}" does not hold ${listIds(lost)}: the service did not store it`
          : `"${field.name}" still holds ${listIds(kept)}: the service did not remove it`,
      description: `Record ${record.id} was ${before ? 'updated' : 'created'} with the other values. ${
        lost.length > 0
          ? 'No record may have this ID, or no user. If it is a name, choose Names Only under "Connected Records".'
          : 'Another workflow or a rule of the table may have added the connection again. Check the record in the service, and run it again.'
      }`,
      details: { recordId: record.id },
    });
  }
}

const joinNames = (refs: FieldRef[]): string =>
  [...new Set(refs.map(({ field }) => `"${field.name}"`))].join(', ');

/**
 * Compares the values that were sent with the values of a record. `reworded`: texts that were stored without outer blanks, or
 * in another case. Files and masked values are not compared.
 */
function compareValues(table: Table, entries: PayloadEntries, shown: object) {
  const compared = { same: [] as FieldRef[], reworded: [] as FieldRef[], other: [] as FieldRef[] };
  for (const [key, value] of entries) {
    const ref = table.resolvePayloadField(key, 'Fields');
    const { holdsFiles, isMasked } = getKind(ref.field);
    if (holdsFiles || isMasked) continue;
    const stored = getRawValue({ ...shown }, ref);
    const isSame = equals(stored, value, getValueField(ref));
    const isReworded = typeof stored === 'string' && isSimilarText(stored, String(value));
    compared[isSame ? 'same' : isReworded ? 'reworded' : 'other'].push(ref);
  }
  return compared;
}

/**
 * Shows a hint with the fields whose values in the response differ from the values that were sent. A connection that was not
 * stored is a separate error (`ensureConnectionsStored`).
 */
function addOtherValuesHint({ notices }: Client, refs: FieldRef[]): void {
  const changed = refs.filter(({ field }) => !getKind(field).hasDisplayValues);
  if (changed.length === 0) return;
  notices.addHint(
    `The service's answer shows another value than the one that was sent in ${joinNames(changed)}. A rule or a formula of the table may have changed it.`,
  );
}

/**
 * Compares the record in the response with the values that were sent. Rules and formulas may change a value, so a different
 * value leads to a hint only.
 * @throws ApiError if the response contains another record, if it contains the old value of every changed field, if it lacks
 *   a connected record that was sent, and if it lacks a sent field that was removed from the table
 */
export async function verifyUpdated(update: SentUpdate): Promise<void> {
  const { client, table, recordId, entries, changesLists, before, body } = update;
  ensureSameRecord(recordId, body);
  const shown = isObject(body.item) ? { ...body.item } : undefined;
  if (!shown) return noteUnseenWrites(client, table, entries);
  await ensureColumnsExist(
    update,
    shown,
    'The other values of the item may have been written. Choose the field again, and run the item again.',
  );
  const record = { ...shown, id: recordId };
  ensureConnectionsStored(client, table, entries, { record, before: before ?? { id: recordId } });
  // The values that the record showed before are compared, even if the user may not see all of them.
  const values = changesLists ? omitLists(table, entries) : entries;
  const different = before ? listChangedEntries(table, before, values, true) : values;
  const { same, reworded, other } = compareValues(table, different, shown);
  const isOld = (ref: FieldRef) =>
    before !== undefined &&
    equals(getRawValue({ ...shown }, ref), getRawValue(before, ref), getValueField(ref));
  if (same.length === 0 && other.length > 0 && other.every(isOld)) {
    throw new ApiError({
      message: `Record ${recordId} was not changed: the service's answer shows the old value of ${joinNames(other)}`,
      description:
        'A rule of the table may have set it back, or the service did not carry out the update. Check the record in the service, and run the item again.',
      details: { recordId },
    });
  }
  if (reworded.length > 0) {
    client.notices.addHint(
      `The service stores ${joinNames(reworded)} in another form, such as lower case. Send this form: until then, each run updates the record again.`,
    );
  }
  addOtherValuesHint(client, other);
}
