/**
 * The connected records that an item names. `resolveConnections` finds them, and creates missing ones when the item is written.
 */
import { chunk, uniq } from 'lodash';
import { sleep } from 'n8n-workflow';
import {
  type ConnectionUse,
  createOnce,
  createRecord,
  encodeValue,
  fetchTableName,
  type Field,
  type NameLookup,
  resolveConnection,
  type ResolvedConnection,
  type Table,
} from '../../records';
import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  formatForError,
  memory,
  toNameKey,
} from '../../service';
import type { Item } from '../operation/item';
import { readConnectionNotation } from './columnForm';
import { type FormValues, readFormValues } from './formValues';

const creations = memory.queue('creations', { per: 'app', holds: 'creates of one missing connected record' });

async function sendCreate(item: Item, { target }: NameLookup, name: string): Promise<CreatedRecord> {
  const entries = encodeValue(name, target.nameField, { timeZone: item.timeZone });
  return createRecord(item.client, { table: target.table, entries });
}

/** Names the connection and the record in the error of a create. */
async function explainFailedCreate(
  item: Item,
  field: Field,
  lookup: NameLookup,
  name: string,
  error: unknown,
) {
  if (!(error instanceof ApiError)) return error;
  const table = await fetchTableName(item.client, lookup.target.table.id);
  return error.explain({
    message: `"${field.name}": the missing record ${formatForError(name)} was not created in ${table} (${error.message})`,
    description: `The record of this item was not written. ${error.description}`,
  });
}

/**
 * Creates the record of a name in the connected table, and returns its ID. Items that need the same name at the same
 * time share one record: each looks the name up again before it creates.
 * @throws ApiError when the create fails; the record of the item is not written then
 */
async function createMissingRecord(item: Item, field: Field, lookup: NameLookup, name: string) {
  return creations.run(item.client, [lookup.target.table.id, toNameKey(name)], async () => {
    const [known] = (await lookup.find([name])).get(name) ?? [];
    const [existing] = known === undefined ? await lookup.findAnew(name) : [known];
    if (existing !== undefined) return existing;
    const find = async () => {
      const [id] = await lookup.findAnew(name);
      return id === undefined ? undefined : { id };
    };
    const created = createOnce(item.client, { send: () => sendCreate(item, lookup, name), find });
    const { body } = await created.catch(async (error: unknown) => {
      throw asThrown(await explainFailedCreate(item, field, lookup, name, error));
    });
    const { id } = body;
    await lookup.remember(name, id);
    item.noteEffect(`Created the record ${formatForError(name)} (${id}) for "${field.name}".`);
    return id;
  });
}

const getGroupValues = memory.attached<Client, Map<string, Promise<unknown[]>>>(
  'groupValues',
  {
    to: 'client',
    holds: 'the values of a connection in a group of items, whose names are requested together',
  },
  () => new Map(),
);

const findConnection = (table: Table, key: string): Field | undefined => {
  const ref = table.find(key);
  return ref && !ref.part && ref.field.connection ? ref.field : undefined;
};

/**
 * Reads the values of one field of another item. Returns none if the item has an error, because the run of that item
 * reports it.
 */
function readFieldValues(item: Item, table: Table, field: Field): unknown[] {
  try {
    const entries = Object.entries(readFormValues(item, table));
    return entries.filter(([key]) => findConnection(table, key) === field).map(([, value]) => value);
  } catch {
    return [];
  }
}

/** Number of items whose values are read before n8n can work on something else. */
const ITEMS_PER_TURN = 50;

/**
 * Returns the values of a field in the item's group, to the first item that needs them. The other items wait, so that
 * their names are requested together.
 */
async function collectGroupValues(item: Item, table: Table, field: Field): Promise<unknown[]> {
  const key = JSON.stringify([table.id, field.slug, item.group]);
  const groups = getGroupValues(item.client);
  const started = groups.get(key);
  if (started) {
    await started;
    return [];
  }
  const values = readGroupValues(item, table, field);
  groups.set(key, values);
  const collected = await values;
  groups.set(key, Promise.resolve([]));
  return collected;
}

async function readGroupValues(item: Item, table: Table, field: Field): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const peers of chunk(await item.openGroup(), ITEMS_PER_TURN)) {
    values.push(...peers.flatMap((peer) => readFieldValues(peer, table, field)));
    await sleep(0);
  }
  return values;
}

/** A value whose connected records may have to be created first. Nothing is written until `complete` is called. */
export interface Prepared<T> {
  /** The value, with a name in place of each missing connected record. It can be checked. */
  preview: T;
  /** Whether connected records are missing, so that the preview cannot be sent. */
  hasMissing: boolean;
  /** Creates the missing connected records and returns the value. @throws ApiError when a create fails */
  complete: () => Promise<T>;
}

/** Creates the missing records of a connection one after the other: two of them may have the same name. */
async function completeConnection(item: Item, { field, records }: ResolvedConnection): Promise<string[]> {
  const ids: string[] = [];
  for (const record of records) {
    if ('id' in record) ids.push(record.id);
    else ids.push(await createMissingRecord(item, field, record.lookup, record.missing));
  }
  return uniq(ids);
}

/**
 * Finds the records that the item's connections name.
 * @param options `allowsMissing`: whether a name that no record has is no error, also without Create Missing
 * @throws InputError for a name or ID that no record has, for a name that several records have, and for a text that is not
 *   that of the ID beside it
 */
export async function resolveConnections(
  item: Item,
  table: Table,
  values: FormValues,
  use: ConnectionUse,
  { allowsMissing = false } = {},
): Promise<Prepared<FormValues>> {
  const { notation, createsMissing } = readConnectionNotation(item);
  const settings = { use, notation, allowsMissing: allowsMissing || createsMissing };
  const connections = Object.entries(values).flatMap(([key, value]) => {
    const field = findConnection(table, key);
    if (!field || value === undefined) return [];
    const collectOthers = () => collectGroupValues(item, table, field);
    const connection = resolveConnection(item.client, field, value, settings, collectOthers);
    return [connection.then((resolved): [string, ResolvedConnection] => [key, resolved])];
  });
  const resolved = await Promise.all(connections);
  const listTexts = ({ records }: ResolvedConnection) =>
    uniq(records.map((record) => ('id' in record ? record.id : record.missing)));
  return {
    preview: Object.fromEntries(resolved.map(([key, connection]) => [key, listTexts(connection)])),
    hasMissing: resolved.some(([, { records }]) => records.some((record) => 'missing' in record)),
    async complete() {
      const entries: Array<[string, string[]]> = [];
      for (const [key, connection] of resolved)
        entries.push([key, await completeConnection(item, connection)]);
      return Object.fromEntries(entries);
    },
  };
}
