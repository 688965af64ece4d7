/**
 * The tables of the application and their fields, which are cached for 30 seconds. `getTable` returns one table.
 * `listTables` lists all tables.
 */
import { type Client, memory, tableEndpoints } from '../../service';
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
 * @param options `isFresh`: read since the client was made. Operations that change many records, filter or sort use it: another
 *   execution may have read the table before a field was renamed
 * @example
 * const table = await getTable(client, 'T1x9Kq');
 * table.field('Credit Limit', 'Filter').slug; // 'credit_limit'
 * @throws ApiError for a failed request, 404 for an unknown table
 */
export async function getTable(client: Client, tableId: string, { isFresh = false } = {}): Promise<Table> {
  if (isFresh) tables.deleteOlder(client, [tableId], client.startedAt);
  return tables.get(client, [tableId], () => fetchTable(client, tableId));
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
 * await listTables(client, { isFresh: true }); // [{ id: 'T1x9Kq', name: 'Customers' }, …]
 * @throws ApiError for a failed request
 */
export async function listTables(client: Client, { isFresh = false } = {}): Promise<TableSummary[]> {
  if (isFresh) tableLists.deleteOlder(client, [], client.startedAt);
  return tableLists.get(client, [], () => fetchTables(client));
}

/** Spec: Tables. */
async function fetchTables(client: Client): Promise<TableSummary[]> {
  const { body } = await client.call(tableEndpoints.list, { lane: 'urgent' });
  return body.items.map(({ id, name }) => ({ id, name: name || id }));
}
