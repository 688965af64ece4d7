/** Reads the tables of the application and their fields, and caches them. */
import {
  asThrown,
  type Client,
  formatForError,
  InputError,
  joinFirstTexts,
  memory,
  tableEndpoints,
} from '../../service';
import type { Field } from '../fields/field';
import { SYSTEM_FIELD_KINDS, toField } from '../fields/kinds';
import { NameIndex, toLooseNameKey } from '../fields/names';
import { listFieldKeys, type RecordValues } from '../fields/recordValues';
import { createUnknownFieldError, Table, UnknownFieldError } from '../fields/table';

/** The time that a table stays in the cache. A caller may require a newer table (`TableAgeLimit`). */
const TABLE_CACHE_TTL_MS = 3_600_000;

interface TableAgeLimit {
  /** Whether the table must have been requested after the client was created. */
  isFresh?: boolean;
  /** Maximum age of the table in milliseconds, 30,000 by default. Triggers accept older tables to save requests. */
  maxAgeMs?: number;
}

/** The time of the oldest request whose table is accepted, in milliseconds of `performance.now()`. */
const getMinRequestedAt = (client: Client, { isFresh = false, maxAgeMs = 30_000 }: TableAgeLimit): number =>
  Math.max(performance.now() - maxAgeMs, isFresh ? client.startedAt : 0);

/** Each user has a cache, because users may see different fields. */
const tables = memory.cache<Table, 'user'>('tables', {
  per: 'user',
  holds: 'the fields of a table',
  ttlMs: TABLE_CACHE_TTL_MS,
});

async function fetchTable(client: Client, tableId: string): Promise<Table> {
  const { body } = await client.call(tableEndpoints.listFullFields, {
    path: { dataTableId: tableId },
    lane: 'urgent',
  });
  const fields = body.items.map(toField);
  return new Table(tableId, fields);
}

/**
 * Returns a table with its fields, cached for 30 seconds.
 * @param age operations that change many records, filter or sort set `isFresh`, because a field may have been renamed
 * @example
 * const table = await getTable(client, 'T1x9Kq');
 * table.requireField('Credit Limit', 'Filter').slug; // 'credit_limit'
 * @throws ApiError for a failed request, with status 404 for an unknown table
 */
export const getTable = (client: Client, tableId: string, age: TableAgeLimit = {}): Promise<Table> =>
  tables.get(client, [tableId], () => fetchTable(client, tableId), getMinRequestedAt(client, age));

/**
 * If a field is unknown and the cached fields were out of date, calls `run` once more. This is safe, because `run`
 * looks up all fields before it sends a change.
 * @throws the error of `run`; ApiError if the fields cannot be read
 * @example
 * const records = await retryWithFreshFields(client, () => readByForm(client, form));
 */
export const retryWithFreshFields = <T>(client: Client, run: () => Promise<T>): Promise<T> =>
  run().catch(async (error: unknown) => {
    if (!(error instanceof UnknownFieldError)) throw asThrown(error);
    const { table } = error;
    if ((await getTable(client, table.id, { isFresh: true })) === table) throw error;
    return run();
  });

/** Each table is stored under two keys: its ID, and its ID with the slugs of the fields that a record lacked. */
const getRereadTables = memory.attach<Client, Map<string, Promise<Table>>>(
  'tablesReadAgain',
  { to: 'client', holds: 'the tables whose fields a run read again, because a record lacked one' },
  () => new Map(),
);

/** Returns the table if `rereadTableIfFieldMissing` has read it again in this run, or else undefined. */
export const findTableReadAgain = (client: Client, tableId: string): Promise<Table> | undefined =>
  getRereadTables(client).get(tableId);

/**
 * Reads the table again if a record lacks one of `fields`, which someone may have renamed or deleted. A run does this
 * once for the same fields, because the user may have no permission to see them. @throws ApiError as `getTable` does
 */
export async function rereadTableIfFieldMissing(
  client: Client,
  table: Table,
  fields: Field[],
  records: RecordValues[],
): Promise<Table> {
  const missing = fields.filter((field) =>
    records.some((record) => listFieldKeys(record, { table, field }).length === 0),
  );
  if (missing.length === 0) return table;
  const readAgain = getRereadTables(client);
  const keys = [JSON.stringify([table.id, missing.map(({ slug }) => slug)]), table.id];
  const fresh = readAgain.get(keys[0]!) ?? getTable(client, table.id, { maxAgeMs: 0 });
  for (const key of keys) readAgain.set(key, fresh);
  return fresh.catch((error: unknown) => {
    for (const key of keys) readAgain.delete(key);
    throw asThrown(error);
  });
}

/** If one of these properties changes, a value that was encoded before has another meaning. */
const createEncodingKey = ({ slug, kind, isReadOnly, connection }: Field): string =>
  [slug, kind, isReadOnly, connection?.many, connection?.tableId].join();

/** Finds a field that is gone, or whose values have another form now, such as a text that became a connection. */
export const findOutdatedField = ({ fields }: Table, used: Field[]): Field | undefined =>
  used.find((field) => !fields.some((one) => createEncodingKey(one) === createEncodingKey(field)));

/**
 * Checks that the fields still exist, because the service ignores a condition on a deleted field, and missing values
 * would be compared as blank ones.
 * @throws InputError for a field that no longer exists, ApiError as `getTable` does
 */
export async function ensureComparedFieldsExist(
  client: Client,
  table: Table,
  fields: Field[],
  records: RecordValues[],
): Promise<void> {
  const compared = fields.filter(({ slug }) => !SYSTEM_FIELD_KINDS.has(slug));
  const fresh = await rereadTableIfFieldMissing(client, table, compared, records);
  const gone = findOutdatedField(fresh, compared);
  if (gone) throw createUnknownFieldError(fresh, gone.slug, 'Fields');
}

export interface TableSummary {
  id: string;
  name: string;
}

const tableLists = memory.cache<TableSummary[], 'user'>('tableLists', {
  per: 'user',
  holds: 'the tables of the application',
  ttlMs: TABLE_CACHE_TTL_MS,
});

/**
 * Lists the tables of the application, cached for 30 seconds.
 * @example
 * await listTables(client, { isFresh: true }); // [{ id: 'T1x9Kq', name: 'Customers' }, …]
 * @throws ApiError for a failed request
 */
export const listTables = (client: Client, age: TableAgeLimit = {}): Promise<TableSummary[]> =>
  tableLists.get(client, [], () => fetchTables(client), getMinRequestedAt(client, age));

async function fetchTables(client: Client): Promise<TableSummary[]> {
  const { body } = await client.call(tableEndpoints.list, { lane: 'urgent' });
  return body.items.map(({ id, name }) => ({ id, name: name || id }));
}

const MAX_TABLES_IN_ERROR = 40;

/** @throws InputError if no table has the ID or name `text`, or if several tables have the name */
export function findTable(text: string, tables: TableSummary[]): TableSummary {
  const byId = tables.filter(({ id }) => id === text);
  const found =
    byId.length > 0 ? byId : new NameIndex(tables, ({ name }) => [name], toLooseNameKey).lookUp(text);
  const [table, ...others] = found;
  if (table && others.length === 0) return table;
  if (table) {
    throw new InputError(
      `${formatForError(text)} is the name of several tables: ${joinFirstTexts(found.map(({ name, id }) => `${formatForError(name)} (${id})`))}`,
      'Nothing was sent. Give the ID of one of them.',
    );
  }
  const names = tables.map(({ name }) => name);
  throw new InputError(
    `The application has no table ${formatForError(text)}`,
    `Nothing was sent. The tables are: ${joinFirstTexts(names, ', ', MAX_TABLES_IN_ERROR)}.`,
  );
}
