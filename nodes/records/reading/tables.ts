/**
 * The tables of the application and their fields, which are cached for 30 seconds. `getTable` returns one table.
 * `getCachedTables` lists all tables.
 */
import { type Client, fullFieldSchema, memory, tableEndpoints } from '../../service';
import { toField } from '../fields/kinds';
import { Table } from '../fields/table';

/**
 * Milliseconds for which the fields of a table are cached. A field that is not found makes the cache reload
 * earlier.
 */
const CACHE_TTL_MS = 30_000;

/** Each user may see other fields. */
const tables = memory.cache<Table, 'user'>('tables', {
  per: 'user',
  holds: 'the fields of a table',
  ttlMs: CACHE_TTL_MS,
});

/** Known for tables that are no longer cached too. */
const getRequestTime = memory.attached<Table, { requestedAt?: number }>(
  'requestTimes',
  { to: 'table', holds: 'when the fields of a table were requested' },
  () => ({}),
);

async function fetchTable(client: Client, tableId: string): Promise<Table> {
  const requestedAt = performance.now();
  const { body } = await client.call(tableEndpoints.listFullFields, {
    path: { dataTableId: tableId },
    lane: 'urgent',
  });
  const fields = body.items.map((entry) => toField(fullFieldSchema.parse(entry)));
  const table = new Table(tableId, fields);
  getRequestTime(table).requestedAt = requestedAt;
  return table;
}

/**
 * Returns a table with its fields, which are cached for 30 seconds. Parallel callers share one request.
 * @example
 * const table = await getTable(client, 'T1x9Kq');
 * table.field('Credit Limit', 'Filter').slug; // 'credit_limit'
 * @throws ApiError for a failed request, 404 for an unknown table
 */
export const getTable = (client: Client, tableId: string): Promise<Table> =>
  tables.get(client, [tableId], () => fetchTable(client, tableId));

/**
 * Removes a table from the cache if its fields were requested before this execution started. Call it when a
 * field was not found in `table`.
 * @returns whether a new request can return other fields
 */
export function invalidateStaleTable(client: Client, table: Table): boolean {
  const isStale = (at: number | undefined) => at !== undefined && at < client.startedAt;
  if (isStale(tables.getRequestTime(client, [table.id]))) tables.delete(client, [table.id]);
  return isStale(getRequestTime(table).requestedAt);
}

/**
 * Returns a table whose fields were read since the client was made. Operations that change many records use it: another
 * execution may have read the table before a column was renamed.
 * @example
 * const table = await getFreshTable(client, 'T1x9Kq');
 * @throws ApiError as `tables.get` does
 */
export async function getFreshTable(client: Client, tableId: string): Promise<Table> {
  const table = await getTable(client, tableId);
  return invalidateStaleTable(client, table) ? getTable(client, tableId) : table;
}

/**
 * Reads the fields of a table now. They replace the cached ones.
 * @throws ApiError as `tables.get` does
 */
export function readTableAgain(client: Client, tableId: string): Promise<Table> {
  tables.delete(client, [tableId]);
  return getTable(client, tableId);
}

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
 * @param options `isFresh`: read since the client was made
 * @example
 * await getCachedTables(client, { isFresh: true }); // [{ id: 'T1x9Kq', name: 'Customers' }, …]
 * @throws ApiError for a failed request
 */
export async function getCachedTables(client: Client, { isFresh = false } = {}): Promise<TableSummary[]> {
  const requestedAt = tableLists.getRequestTime(client, []);
  if (isFresh && requestedAt !== undefined && requestedAt < client.startedAt) tableLists.delete(client, []);
  return tableLists.get(client, [], () => fetchTables(client));
}

/** All tables of the application (spec: Tables). */
export async function fetchTables(client: Client): Promise<TableSummary[]> {
  const { body } = await client.call(tableEndpoints.list, { lane: 'urgent' });
  return body.items.map(({ id, name }) => ({ id, name: name || id }));
}
