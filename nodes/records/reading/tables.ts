/**
 * The tables of the application and their fields, which are cached. `getTable` returns one table. `listTables` lists
 * all tables, of which `findTable` finds one.
 */
import {
  asThrown,
  type Client,
  formatForError,
  InputError,
  joinFirst,
  memory,
  tableEndpoints,
} from '../../service';
import type { Field } from '../fields/field';
import { toField } from '../fields/kinds';
import { NameIndex, toFieldKey } from '../fields/names';
import { listFieldKeys, type RecordValues } from '../fields/recordValues';
import { createUnknownFieldError, Table } from '../fields/table';

/** Maximum number of milliseconds for which tables are cached. Callers often need newer tables: see `Freshness`. */
const CACHE_TTL_MS = 3_600_000;

/** The maximum age of cached tables. */
interface Freshness {
  /** Whether the table must have been requested since the client was made. */
  isFresh?: boolean;
  /** In milliseconds; 30 seconds by default. Triggers use older tables, so that a poll without changes needs one request. */
  maxAgeMs?: number;
}

/**
 * Returns the time after which a cached table must have been requested, in milliseconds of `performance.now()`, as in
 * `RequestCache`.
 */
const getEarliestTime = (client: Client, { isFresh = false, maxAgeMs = 30_000 }: Freshness): number =>
  Math.max(performance.now() - maxAgeMs, isFresh ? client.startedAt : 0);

/** Cached for each user, because users may see different fields. */
const tables = memory.cache<Table, 'user'>('tables', {
  per: 'user',
  holds: 'the fields of a table',
  ttlMs: CACHE_TTL_MS,
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
 * Returns a table with its fields, which are cached for 30 seconds. Parallel callers share one request.
 * @param age `isFresh`: requested since the client was made. Operations that change many records, filter or sort set it,
 *   because another execution may have read the table before a field was renamed
 * @example
 * const table = await getTable(client, 'T1x9Kq');
 * table.requireField('Credit Limit', 'Filter').slug; // 'credit_limit'
 * @throws ApiError for a failed request, 404 for an unknown table
 */
export const getTable = (client: Client, tableId: string, age: Freshness = {}): Promise<Table> =>
  tables.get(client, [tableId], () => fetchTable(client, tableId), getEarliestTime(client, age));

/** Reads the fields of a table now, and replaces the cached fields. @throws ApiError as `getTable` does */
export function readTableAgain(client: Client, tableId: string): Promise<Table> {
  tables.delete(client, [tableId]);
  return getTable(client, tableId);
}

/** The tables that a run read again, each by its ID (the last reading), and by its ID with the missing fields. */
const getReadAgain = memory.attach<Client, Map<string, Promise<Table>>>(
  'tablesReadAgain',
  { to: 'client', holds: 'the tables whose fields a run read again, because a record lacked one' },
  () => new Map(),
);

/**
 * Returns the table if this run read its fields again because a record lacked a field (`readFieldsIfMissing`). Undefined
 * otherwise. @throws ApiError as `getTable` does
 */
export const findTableReadAgain = (client: Client, tableId: string): Promise<Table> | undefined =>
  getReadAgain(client).get(tableId);

/**
 * Reads the fields of the table again if a record lacks one of `fields`: the field may have been renamed or deleted during
 * the run. The table is read once for each set of missing fields, because the user may not see these fields in any record.
 * @returns `table` if no record lacks a field; otherwise the table as it was read again
 * @throws ApiError as `getTable` does
 */
export async function readFieldsIfMissing(
  client: Client,
  table: Table,
  fields: Field[],
  records: RecordValues[],
): Promise<Table> {
  const missing = fields.filter((field) =>
    records.some((record) => listFieldKeys(record, { table, field }).length === 0),
  );
  if (missing.length === 0) return table;
  const readAgain = getReadAgain(client);
  const keys = [JSON.stringify([table.id, missing.map(({ slug }) => slug)]), table.id];
  const fresh = readAgain.get(keys[0]!) ?? readTableAgain(client, table.id);
  for (const key of keys) readAgain.set(key, fresh);
  return fresh.catch((error: unknown) => {
    for (const key of keys) readAgain.delete(key);
    throw asThrown(error);
  });
}

/** Returns a text that changes if values that were encoded for the field mean something else now. */
const describeUse = ({ slug, kind, computed, connection }: Field): string =>
  [slug, kind, computed, connection?.many, connection?.tableId].join();

/** Finds a field that a table no longer has, or that now has values of another form: a text became a connection. */
export const findGoneField = ({ fields }: Table, used: Field[]): Field | undefined =>
  used.find((field) => !fields.some((one) => describeUse(one) === describeUse(field)));

/** Keys of the records of every table (spec: Record; evidence 3). A response may lack one although no field was deleted. */
export const RECORD_KEYS = new Set(['id', 'created_at', 'auto_increment']);

/**
 * Checks that the table still has the fields by which records are compared, if a record lacks one. The service drops a
 * condition on a field that it does not know, and a missing value would count as a blank one.
 * @throws InputError for a field that was renamed or deleted after the fields were read; ApiError as `getTable` does
 */
export async function ensureRecordsShowFields(
  client: Client,
  table: Table,
  fields: Field[],
  records: RecordValues[],
): Promise<void> {
  const compared = fields.filter(({ slug }) => !RECORD_KEYS.has(slug));
  const fresh = await readFieldsIfMissing(client, table, compared, records);
  const gone = findGoneField(fresh, compared);
  const slugs = fresh.fields.map(({ slug }) => slug);
  if (gone) throw createUnknownFieldError(fresh, gone.slug, 'Fields', slugs);
}

/** A table as the list of tables shows it, without its fields. */
export interface TableSummary {
  id: string;
  name: string;
}

const tableLists = memory.cache<TableSummary[], 'user'>('tableLists', {
  per: 'user',
  holds: 'the tables of the application',
  ttlMs: CACHE_TTL_MS,
});

/**
 * Lists the tables of the application, which are cached for 30 seconds.
 * @example
 * await listTables(client, { isFresh: true }); // [{ id: 'T1x9Kq', name: 'Customers' }, …]
 * @throws ApiError for a failed request
 */
export const listTables = (client: Client, age: Freshness = {}): Promise<TableSummary[]> =>
  tableLists.get(client, [], () => fetchTables(client), getEarliestTime(client, age));

async function fetchTables(client: Client): Promise<TableSummary[]> {
  const { body } = await client.call(tableEndpoints.list, { lane: 'urgent' });
  return body.items.map(({ id, name }) => ({ id, name: name || id }));
}

const MAX_LISTED_TABLES = 40;

/** Finds a table by its ID or name. @throws InputError that lists the tables, or those with this name */
export function findTable(text: string, tables: TableSummary[]): TableSummary {
  const byId = tables.filter(({ id }) => id === text);
  const found = byId.length > 0 ? byId : new NameIndex(tables, ({ name }) => [name], toFieldKey).find(text);
  const [table, ...others] = found;
  if (table && others.length === 0) return table;
  if (table) {
    throw new InputError(
      `${formatForError(text)} is the name of several tables: ${joinFirst(found.map(({ name, id }) => `${formatForError(name)} (${id})`))}`,
      'Nothing was sent. Give the ID of one of them.',
    );
  }
  const names = tables.map(({ name }) => name);
  throw new InputError(
    `The application has no table ${formatForError(text)}`,
    `Nothing was sent. The tables are: ${joinFirst(names, ', ', MAX_LISTED_TABLES)}.`,
  );
}
