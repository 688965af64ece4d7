import { RequestCache } from '../concurrency/requestCache';
import { tableEndpoints } from '../endpoints/catalogue';
import { ApiError } from '../errors/apiError';
import { toField } from '../fields/kinds';
import { Table } from '../fields/table';
import type { Client } from '../http/client';
import { createUserFingerprint } from '../http/credential';
import { asThrown } from '../input/inputError';
import { fullFieldSchema } from '../responses/schemas';

/**
 * Milliseconds for which the fields of a table are cached. A field that is not found makes the cache reload
 * earlier.
 */
const CACHE_TTL_MS = 30_000;

/**
 * The fields of tables by base URL, key, user, app and table. The user is part of the key because each user
 * may see other fields. Outlives an execution.
 */
const tableCache = new RequestCache<Table>({ ttlMs: CACHE_TTL_MS });

/**
 * When the fields of a table were requested, for tables that are no longer cached too. Outlives an execution.
 */
const requestTimes = new WeakMap<Table, number>();

/** Identifies a table for one key and user, because each user may see other fields. */
export const createTableKey = ({ credential }: Client, tableId: string) =>
  `${createUserFingerprint(credential)}\n${tableId}`;

async function fetchTable(client: Client, tableId: string): Promise<Table> {
  const requestedAt = performance.now();
  const { body } = await client.call(tableEndpoints.listFullFields, {
    path: { dataTableId: tableId },
    lane: 'urgent',
  });
  const fields = body.items.map((entry) => toField(fullFieldSchema.parse(entry)));
  const table = new Table(tableId, fields);
  requestTimes.set(table, requestedAt);
  return table;
}

/** Returns the fields of a table from the cache or the service. Parallel callers share one request. */
export async function getTable(client: Client, tableId: string): Promise<Table> {
  let isOwnRequest = false;
  const request = () => {
    isOwnRequest = true;
    return fetchTable(client, tableId);
  };
  try {
    return await tableCache.get(createTableKey(client, tableId), request);
  } catch (error) {
    // The execution that sent the shared request was cancelled; this one was not.
    const isCancelledElsewhere = error instanceof ApiError && error.code === 'cancelled' && !isOwnRequest;
    if (!isCancelledElsewhere) throw asThrown(error);
  }
  return getTable(client, tableId);
}

/**
 * Removes a table from the cache if its fields were requested before this execution started. Call it when a
 * field was not found in `table`.
 * @returns whether a new request can return other fields
 */
export function invalidateStaleTable(client: Client, table: Table): boolean {
  const isStale = (at: number | undefined) => at !== undefined && at < client.startedAt;
  const key = createTableKey(client, table.id);
  if (isStale(tableCache.getRequestTime(key))) tableCache.delete(key);
  return isStale(requestTimes.get(table));
}

/** Returns a table whose fields were read since this execution started. */
export async function getFreshTable(client: Client, tableId: string): Promise<Table> {
  const table = await getTable(client, tableId);
  return invalidateStaleTable(client, table) ? getTable(client, tableId) : table;
}

export interface TableSummary {
  id: string;
  name: string;
}

/** The tables of an application by base URL, key, user and app. Outlives an execution. */
const tableLists = new RequestCache<TableSummary[]>({ ttlMs: CACHE_TTL_MS });

/** Returns the tables of the application from the cache or the service. */
export async function getCachedTables(client: Client, { isFresh = false } = {}): Promise<TableSummary[]> {
  const key = createTableKey(client, '');
  const requestedAt = tableLists.getRequestTime(key);
  if (isFresh && requestedAt !== undefined && requestedAt < client.startedAt) tableLists.delete(key);
  return tableLists.get(key, () => fetchTables(client));
}

/** All tables of the application (spec: Tables). */
export async function fetchTables(client: Client): Promise<TableSummary[]> {
  const { body } = await client.call(tableEndpoints.list, { lane: 'urgent' });
  return body.items.map(({ id, name }) => ({ id, name: name || id }));
}
