import { ApiError } from '../../client/errors/apiError';
import type { Field, PayloadEntries } from '../../client/fields/field';
import { getKind } from '../../client/fields/kinds';
import { type RecordValues, getShownValue } from '../../client/fields/recordValues';
import type { Table } from '../../client/fields/table';
import { InputError, formatForError } from '../../client/input/inputError';
import type { ServiceRecord } from '../../client/responses/schemas';
import { ensureConnectionsStored, runInRecordTurn } from '../../client/update/writeRecord';
import type { Item } from '../operation/item';
import type { Output } from '../operation/operation';
import { connectionChangeOption } from './columnForm';

/** The IDs that an update adds to one connection or removes from it. */
interface ListChange {
  field: Field;
  ids: string[];
}

interface ChangedRecord {
  recordId: string;
  mode: 'add' | 'remove';
  /** The payload that was sent, with complete lists. */
  entries: PayloadEntries;
  changes: ListChange[];
  /** The record in the response, as far as the response shows it. */
  response: RecordValues;
}

/** Returns the record as the response shows it. Reads the record if the response lacks a list: not every response has it. */
async function findStoredRecord(
  item: Item,
  table: Table,
  { recordId, changes, response }: ChangedRecord,
): Promise<RecordValues | undefined> {
  const isShown = changes.every(({ field }) => getShownValue(response, { table, field }) !== undefined);
  return isShown ? response : item.client.records.read(table.id, recordId).catch(() => undefined);
}

/** Returns the IDs that the record still contains. */
function findKeptIds(record: RecordValues, table: Table, { field, ids }: ListChange): string[] {
  const shown = getKind(field).read(getShownValue(record, { table, field }), field);
  return Array.isArray(shown) ? ids.filter((id) => shown.map(String).includes(id)) : [];
}

/**
 * Compares the lists of the written record with what was added or removed.
 * @throws ApiError that names the record, the connection and the IDs that the service did not add or remove
 */
async function ensureListsChanged(item: Item, table: Table, change: ChangedRecord): Promise<void> {
  const { recordId, mode, entries, changes } = change;
  const record = await findStoredRecord(item, table, change);
  if (!record) {
    const names = changes.map(({ field }) => `"${field.name}"`).join(', ');
    item.client.notices.addHint(
      `Record ${recordId}: whether ${names} changed was not checked, because the record could not be read.`,
    );
    return;
  }
  ensureConnectionsStored(item.client, table, entries, { item: record }, { action: 'updated', recordId });
  if (mode === 'add') return;
  for (const one of changes) {
    const kept = findKeptIds(record, table, one);
    if (kept.length === 0) continue;
    throw new ApiError({
      message: `"${one.field.name}" still holds ${kept.map(formatForError).join(', ')}: the service did not remove it`,
      description: `The other values of record ${recordId} were updated. Another workflow or a rule of the table may have added the connection again. Check the record in the service, and run it again.`,
      details: { recordId },
    });
  }
}

const getListField = (table: Table, key: string): Field | undefined => {
  const { field } = table.resolvePayloadField(key, 'Columns');
  return field.connection?.many ? field : undefined;
};

/** @throws InputError when the list cannot be read: writing it back would lose connections */
function readConnectedIds(record: ServiceRecord, table: Table, field: Field): string[] {
  const shown = getShownValue(record, { table, field });
  const ids = shown === undefined ? undefined : getKind(field).read(shown, field);
  if (Array.isArray(ids)) return ids.map(String);
  throw new InputError(
    `"${field.name}": the service does not show the connected records`,
    'Nothing was sent. Choose Replace under "Change of Connections", and give the whole list.',
  );
}

/** The payload with complete lists, and what they add or remove. */
interface ConnectionChange {
  entries: PayloadEntries;
  changes: ListChange[];
}

/** Replaces the IDs to add or remove by the complete new list. Omits a list that does not change. */
function changeLists(
  record: ServiceRecord,
  table: Table,
  entries: PayloadEntries,
  mode: 'add' | 'remove',
): ConnectionChange {
  const changes: ListChange[] = [];
  const changed = entries.flatMap(([key, value]): PayloadEntries => {
    const field = getListField(table, key);
    if (!field) return [[key, value]];
    const before = readConnectedIds(record, table, field);
    const given = (Array.isArray(value) ? value : []).map(String);
    const ids = given.filter((id) => before.includes(id) === (mode === 'remove'));
    changes.push({ field, ids });
    if (ids.length === 0) return [];
    return [[key, mode === 'add' ? [...before, ...ids] : before.filter((id) => !ids.includes(id))]];
  });
  return { entries: changed, changes };
}

function ensureListsVisible(item: Item, table: Table, entries: PayloadEntries): void {
  if (!item.client.credential.userLogin) return;
  const field = entries.map(([key]) => getListField(table, key)).find(Boolean);
  throw new InputError(
    `"${field?.name}" may connect to records that this user cannot see`,
    'Nothing was sent: the service takes whole lists only, so those connections would be lost. Choose Replace under "Change of Connections", or use a credential without a user.',
  );
}

/** Whether the item adds or removes connections of a list, so that its update needs the current record. */
export const addsOrRemovesConnections = (item: Item, table: Table, entries: PayloadEntries): boolean =>
  (item.readOption(connectionChangeOption) ?? 'replace') !== 'replace' &&
  entries.some(([key]) => getListField(table, key));

/** Returns the payload for a record that does not exist yet: it has no connections to remove. */
export const toNewRecordEntries = (item: Item, table: Table, entries: PayloadEntries): PayloadEntries =>
  item.readOption(connectionChangeOption) === 'remove'
    ? entries.filter(([key]) => !getListField(table, key))
    : entries;

/** What is written to a record. */
export interface RecordChange {
  entries: PayloadEntries;
  /** Computes the entries from the record, for lists of connections. */
  adapt?: (record: ServiceRecord) => PayloadEntries;
}

/**
 * Writes a record, and adds or removes connections as the option specifies. The service takes whole lists, so they are
 * computed from the record as it is read right before each request. Writes to the same record wait for each other. The
 * output lists what changed under `_connectionsAdded` or `_connectionsRemoved`, by slug.
 * @param write sends the change
 */
export function writeWithConnections(
  item: Item,
  table: Table,
  recordId: string,
  entries: PayloadEntries,
  write: (change: RecordChange) => Promise<Output[]>,
): Promise<Output[]> {
  const mode = item.readOption(connectionChangeOption) ?? 'replace';
  return runInRecordTurn(item.client, table, recordId, async () => {
    if (mode === 'replace' || !addsOrRemovesConnections(item, table, entries)) return write({ entries });
    ensureListsVisible(item, table, entries);
    let first: ConnectionChange | undefined;
    const adapt = (record: ServiceRecord) => {
      const change = changeLists(record, table, entries, mode);
      // An attempt whose answer was lost may have changed the lists, so the first read shows what the item changes.
      first ??= change;
      return change.entries;
    };
    const outputs = await write({ entries, adapt });
    const { entries: sent, changes } = first ?? { entries: [], changes: [] };
    const made = changes.filter(({ ids }) => ids.length > 0);
    const response = outputs[0]?.json ?? {};
    if (made.length > 0) {
      await ensureListsChanged(item, table, { recordId, mode, entries: sent, changes: made, response });
    }
    const key = mode === 'add' ? '_connectionsAdded' : '_connectionsRemoved';
    const report = Object.fromEntries(changes.map(({ field, ids }) => [field.slug, ids]));
    return outputs.map(({ json, ...output }) => ({ ...output, json: { ...json, [key]: report } }));
  });
}
