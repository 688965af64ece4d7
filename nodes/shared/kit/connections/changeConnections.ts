import type { IDataObject } from 'n8n-workflow';
import { type Field, getKind, type PayloadEntries } from '../../model/fields';
import { InputError } from '../../model/input/inputError';
import { getShownValue } from '../../model/records/recordValues';
import type { Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import { KeyedQueue } from '../../transport/concurrency/keyedQueue';
import { readRecord } from '../columns/readRecord';
import type { Item } from '../operation/item';
import type { Output } from '../operation/operation';
import { connectionChangeOption } from './connectionOptions';
import { ensureListsChanged, type ListChange } from './ensureChanged';

/** Updates of one record that add or remove connections run one after the other, across all executions. */
const recordTurns = new KeyedQueue();

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
export const changesLists = (item: Item, table: Table, entries: PayloadEntries): boolean =>
  (item.readOption(connectionChangeOption) ?? 'replace') !== 'replace' &&
  entries.some(([key]) => getListField(table, key));

/** Returns the payload for a record that does not exist yet: it has no connections to remove. */
export const toNewRecordEntries = (item: Item, table: Table, entries: PayloadEntries): PayloadEntries =>
  item.readOption(connectionChangeOption) === 'remove'
    ? entries.filter(([key]) => !getListField(table, key))
    : entries;

/**
 * Writes a record, and adds or removes connections as the option specifies. The service takes whole lists, so the
 * record is read first. Items that change the same record wait for each other. The output lists what changed under
 * `_connectionsAdded` or `_connectionsRemoved`, by slug.
 * @param write sends the entries; `before` is the record as it was read
 */
export async function writeWithConnections(
  item: Item,
  table: Table,
  recordId: string,
  entries: PayloadEntries,
  write: (entries: PayloadEntries, before?: ServiceRecord) => Promise<Output[]>,
): Promise<Output[]> {
  const mode = item.readOption(connectionChangeOption) ?? 'replace';
  if (mode === 'replace' || !changesLists(item, table, entries)) return write(entries);
  ensureListsVisible(item, table, entries);
  const { baseUrl, appId } = item.client.credential;
  return recordTurns.run(JSON.stringify([baseUrl, appId, table.id, recordId]), async () => {
    const before = await readRecord(item, table.id, recordId);
    const change = changeLists(before, table, entries, mode);
    const key = mode === 'add' ? '_connectionsAdded' : '_connectionsRemoved';
    const report = Object.fromEntries(change.changes.map(({ field, ids }) => [field.slug, ids]));
    const addReport = ({ json, ...output }: Output) => ({ ...output, json: { ...json, [key]: report } });
    if (change.entries.length === 0) return [addReport({ json: before as IDataObject })];
    const outputs = await write(change.entries, before);
    const response = outputs[0]?.json ?? {};
    const changes = change.changes.filter(({ ids }) => ids.length > 0);
    await ensureListsChanged(item, table, { recordId, mode, entries: change.entries, changes, response });
    return outputs.map(addReport);
  });
}
