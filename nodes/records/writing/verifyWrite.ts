/** Checks the responses to writes. If a value was not stored, throws an error or shows a hint. */
import { difference, intersection } from 'lodash';
import {
  ApiError,
  type Client,
  type CreatedRecord,
  formatForError,
  InputError,
  isObject,
  listIdsInResponse,
  memory,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isSimilarText } from '../fields/plainKinds';
import { type RecordValues, areEqual, getFieldOrPartValue, getFieldValue } from '../fields/recordValues';
import { type FieldRef, type Table, toRefField } from '../fields/table';
import {
  findOutdatedField,
  findTableReadAgain,
  getTable,
  rereadTableIfFieldMissing,
} from '../reading/tables';
import { buildWrittenRecord } from '../reading/writtenRecord';
import { omitConnectionLists } from './changeConnections';
import { listChangedEntries } from './currentValues';
import { listEntryFields } from './payload';

/**
 * The service ignores unknown columns. It may also ignore the ID of a connected record that does not exist.
 * @throws ApiError if the created record lacks a connected record, or a column that the table no longer has
 */
export async function verifyCreatedRecord(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  body: CreatedRecord,
): Promise<ServiceRecord> {
  const { id, item: shown } = body;
  const record = buildWrittenRecord({ table, id, entries, shown });
  if (!shown) {
    checkFieldsLater(client, table, entries);
    return record;
  }
  await ensureSentFieldsExist(
    { client, table, recordId: id, entries },
    shown,
    'The record was created with the other values. Choose the field again, and update this record: Create would make another one.',
  );
  addUnconfirmedValuesHint(client, compareStoredValues(table, entries, shown));
  ensureConnectionsStored(client, table, entries, { record });
  return record;
}

/** Includes the type, because it may have changed. */
const formatFieldWithType = ({ slug, type }: Field): string => `the field "${slug}" (${type})`;

interface SentUpdate {
  client: Client;
  table: Table;
  recordId: string;
  entries: PayloadEntries;
  /** Whether the update added or removed connections. The lists of connections in `entries` are then not compared. */
  changesLists: boolean;
  /** The record before the update, if it was read. */
  before?: ServiceRecord;
  body: Record<string, unknown>;
}

/** @throws ApiError if the response contains the ID of another record */
export function ensureSameRecord(recordId: string, body: Record<string, unknown>): void {
  const other = listIdsInResponse(body).find((id) => id !== recordId);
  if (other === undefined) return;
  throw new ApiError({
    message: `Record ${recordId}: the service's answer shows another record, ${other}`,
    description:
      'Compare both records in the service before you run the item again: it is not clear which one was changed.',
    details: { recordId, answeredId: other },
  });
}

/** `fresh` is the table as it was read again. @throws InputError for a field that `fresh` no longer has */
export function ensureTableHasFields(table: Table, fresh: Table, entries: PayloadEntries): void {
  const gone = findOutdatedField(fresh, listEntryFields(table, entries));
  if (!gone) return;
  throw new InputError(
    `Fields: the table no longer has ${formatFieldWithType(gone)}`,
    'Nothing was sent. It was changed or deleted in the last seconds: choose the field again.',
  );
}

/** Checks only if this run has read the table again. @throws InputError for a field that was renamed or deleted */
export async function ensureFieldsToSendExist(
  client: Client,
  table: Table,
  entries: PayloadEntries,
): Promise<void> {
  const fresh = await findTableReadAgain(client, table.id);
  if (fresh) ensureTableHasFields(table, fresh, entries);
}

/** The service ignores unknown columns. @throws ApiError for a sent column that was renamed or deleted */
async function ensureSentFieldsExist(
  { client, table, recordId, entries }: Pick<SentUpdate, 'client' | 'table' | 'recordId' | 'entries'>,
  shown: object,
  remedy: string,
): Promise<void> {
  const fields = listEntryFields(table, entries);
  // The write has succeeded, so the check is left out if the table cannot be read.
  const fresh = await rereadTableIfFieldMissing(client, table, fields, [{ ...shown }]).catch(() => table);
  const gone = findOutdatedField(fresh, fields);
  if (!gone) return;
  throw new ApiError({
    message: `Record ${recordId}: the table no longer has ${formatFieldWithType(gone)}`,
    description: `It was changed or deleted while the workflow ran, so its value was not stored. ${remedy}`,
    details: { recordId },
  });
}

/** The writes of one user to one table, if the responses show no record. */
interface UnconfirmedWrites {
  client: Client;
  tableId: string;
  fields: Set<Field>;
  count: number;
}

const getUnconfirmedWrites = memory.attach<object, Map<string, UnconfirmedWrites>>(
  'unseenWrites',
  { to: 'execution', holds: 'the fields of writes whose answers show no record, until its end' },
  () => new Map(),
);

/** `ensureWrittenFieldsExist` checks the fields later. `count` is the number of written records. */
export function checkFieldsLater(client: Client, table: Table, entries: PayloadEntries, count = 1): void {
  const unconfirmed = getUnconfirmedWrites(client.execution);
  const key = JSON.stringify([client.credential.fingerprints.user, table.id]);
  const writes = unconfirmed.get(key) ?? { client, tableId: table.id, fields: new Set(), count: 0 };
  for (const field of listEntryFields(table, entries)) writes.fields.add(field);
  unconfirmed.set(key, { ...writes, count: writes.count + count });
}

/**
 * The service ignores a field that was renamed or deleted, so its values may not be stored. A single write needs no
 * check, because the fields were read at most 30 seconds before.
 * @param execution the execution of the client (`Client`)
 * @throws ApiError that names a field that no longer exists
 */
export async function ensureWrittenFieldsExist(execution: object): Promise<void> {
  const unconfirmed = getUnconfirmedWrites(execution);
  for (const [key, { client, tableId, fields, count }] of unconfirmed) {
    // The entry is removed first, so that only the node that wrote the records throws the error.
    unconfirmed.delete(key);
    const read = () => getTable(client, tableId, { maxAgeMs: 0 }).catch(() => undefined);
    const fresh = count > 1 ? await read() : undefined;
    const gone = fresh && findOutdatedField(fresh, [...fields]);
    if (gone) {
      throw new ApiError({
        message: `The table no longer has ${formatFieldWithType(gone)}`,
        description: `It was changed or deleted while ${count} records were written, and the answers of the service do not show which of them have its value. Choose the field again. Updates can be run again; created records get the value by Update, because Create would make others.`,
      });
    }
  }
}

/**
 * `lost`: sent IDs that the record lacks. `kept`: earlier IDs that it should no longer have. Both are empty if the
 * record shows texts in place of IDs. Texts are recognized by their length, which differs from that of the known IDs.
 */
function compareConnectedIds(record: RecordValues, before: RecordValues, sent: unknown, ref: FieldRef) {
  const read = (value: unknown) => getKind(ref.field).normalize(value, ref.field) as string[] | undefined;
  const shown = read(getFieldValue(record, ref));
  const earlier = read(getFieldValue(before, ref)) ?? [];
  const wanted = read(sent) ?? [];
  const lengths = new Set([...wanted, ...earlier].map(({ length }) => length));
  if (!shown?.every(({ length }) => lengths.has(length))) return { lost: [], kept: [] };
  const removed = difference(earlier, wanted);
  return { lost: difference(wanted, shown), kept: intersection(removed, shown) };
}

const formatIdList = (ids: string[]): string => ids.map((id) => formatForError(id)).join(', ');

/** The service may ignore an unknown ID. With a user login, it may hide connections, so they are not checked. */
function ensureConnectionsStored(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  { record, before }: { record: ServiceRecord; before?: ServiceRecord },
): void {
  if (client.credential.hasUserLogin) return;
  for (const [key, value] of entries) {
    const { field } = table.requireWritableRef(key, 'Fields');
    const isHidden = getFieldValue(record, { table, field }) === undefined;
    if (!getKind(field).hasDisplayValues || isHidden) continue;
    const { lost, kept } = compareConnectedIds(record, before ?? {}, value, { table, field });
    if (lost.length === 0 && kept.length === 0) continue;
    throw new ApiError({
      message:
        lost.length > 0
          ? `"${field.name}" does not hold ${formatIdList(lost)}: the service did not store it`
          : `"${field.name}" still holds ${formatIdList(kept)}: the service did not remove it`,
      description: `Record ${record.id} was ${before ? 'updated' : 'created'} with the other values. ${
        lost.length > 0
          ? 'No record may have this ID, or no user. If it is a name, choose Names Only under "Connected Records".'
          : 'Another workflow or a rule of the table may have added the connection again. Check the record in the service, and run it again.'
      }`,
      details: { recordId: record.id },
    });
  }
}

const formatFieldNames = (refs: FieldRef[]): string =>
  [...new Set(refs.map(({ field }) => `"${field.name}"`))].join(', ');

/** `reworded`: texts that differ in blanks, case or accents. `hidden`: values that the record does not show. */
function compareStoredValues(table: Table, entries: PayloadEntries, shown: object) {
  type ValueComparison = Record<'same' | 'reworded' | 'other' | 'hidden', FieldRef[]>;
  const compared: ValueComparison = { same: [], reworded: [], other: [], hidden: [] };
  for (const [key, value] of entries) {
    const ref = table.requireWritableRef(key, 'Fields');
    const { holdsFiles, isMasked } = getKind(ref.field);
    if (holdsFiles || isMasked) continue;
    const stored = getFieldOrPartValue({ ...shown }, ref);
    const isSame = areEqual(stored, value, toRefField(ref));
    const isReworded = typeof stored === 'string' && isSimilarText(stored, String(value));
    const isHidden = stored === undefined;
    compared[isSame ? 'same' : isReworded ? 'reworded' : isHidden ? 'hidden' : 'other'].push(ref);
  }
  return compared;
}

/** Leaves out connections that have another value than was sent, because `ensureConnectionsStored` checks them. */
function addUnconfirmedValuesHint(
  { notices }: Client,
  { other, hidden }: Pick<ReturnType<typeof compareStoredValues>, 'other' | 'hidden'>,
): void {
  const changed = [...other.filter(({ field }) => !getKind(field).hasDisplayValues), ...hidden];
  if (changed.length === 0) return;
  notices.addHint(
    `The service's answer does not show the value that was sent in ${formatFieldNames(changed)}. A rule or a formula may have changed it, or the service hides it.`,
  );
}

/**
 * A value that differs from the sent one leads only to a hint, because rules and formulas may change it.
 * @throws ApiError if the response shows another record, or the old value of every changed field
 * @throws ApiError if the record lacks a sent connected record, or a sent field that the table no longer has
 */
export async function verifyUpdatedRecord(update: SentUpdate): Promise<void> {
  const { client, table, recordId, entries, changesLists, before, body } = update;
  ensureSameRecord(recordId, body);
  const shown = isObject(body.item) ? { ...body.item } : undefined;
  if (!shown) return checkFieldsLater(client, table, entries);
  await ensureSentFieldsExist(
    update,
    shown,
    'The other values of the item may have been written. Choose the field again, and run the item again.',
  );
  const record = { ...shown, id: recordId };
  ensureConnectionsStored(client, table, entries, { record, before: before ?? { id: recordId } });
  const values = changesLists ? omitConnectionLists(table, entries) : entries;
  // Connections are compared even if the service hides some of them from the user.
  const different = before ? listChangedEntries(table, before, values, true) : values;
  const { same, reworded, other, hidden } = compareStoredValues(table, different, shown);
  const isOld = (ref: FieldRef) =>
    before !== undefined &&
    areEqual(getFieldOrPartValue({ ...shown }, ref), getFieldOrPartValue(before, ref), toRefField(ref));
  if (same.length === 0 && other.length > 0 && other.every(isOld)) {
    throw new ApiError({
      message: `Record ${recordId} was not changed: the service's answer shows the old value of ${formatFieldNames(other)}`,
      description:
        'A rule of the table may have set it back, or the service did not carry out the update. Check the record in the service, and run the item again.',
      details: { recordId },
    });
  }
  if (reworded.length > 0) {
    client.notices.addHint(
      `The service stores ${formatFieldNames(reworded)} in another form, such as lower case. Send this form: until then, each run updates the record again.`,
    );
  }
  addUnconfirmedValuesHint(client, { other, hidden });
}
