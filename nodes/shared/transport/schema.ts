import { v1 } from '../model/endpoint';
import { fieldFrom } from '../model/fields';
import { fullFieldListSchema, tableListSchema } from '../model/responses';
import { Table } from '../model/table';
import type { Client } from './client';
import { ApiFailure, CANCELLED } from './errors';
import { budgetKey } from './keys';

export const fullFieldsInfo = v1('GET /data-tables/{dataTableId}/full-fields-info');
export const listTables = v1('GET /data-tables');

/** A changed schema is noticed after this long at the latest, or at once when a field is not found. */
const FRESH_MS = 30_000;

interface Entry {
  at: number;
  /** Whose call it is: it ends with that execution's cancellation or timeout. */
  client: Client;
  table: Promise<Table>;
}

/** Fields by (base URL, key, user, app, table): what a key may see is not shown to another. */
const cache = new Map<string, Entry>();

/** When the fields of a table were asked for, also after they left the cache. */
const readAt = new WeakMap<Table, number>();

const cacheKey = ({ keys }: Client, tableId: string) =>
  [budgetKey(keys), keys.appId, keys.userLogin ? keys.email : '', tableId].join('\n');

async function fetchTable(client: Client, tableId: string): Promise<Table> {
  const askedAt = performance.now();
  const { body } = await client.call(fullFieldsInfo, { path: { dataTableId: tableId } });
  const parsed = fullFieldListSchema.safeParse(body);
  if (!parsed.success) {
    throw new ApiFailure({
      message: 'The fields of the table could not be read',
      description: `The service's answer to full-fields-info has another shape: ${parsed.error.issues[0]?.message ?? ''}.`,
    });
  }
  const table = new Table(tableId, parsed.data.fields.map(fieldFrom));
  readAt.set(table, askedAt);
  return table;
}

/** Somebody else's cancellation is not ours; every other failure would be. */
const unlessCancelled = (client: Client, tableId: string) => (error: Error) => {
  if (error.message === CANCELLED.message) return tableFields(client, tableId);
  throw error;
};

/** The fields of a table, cached for a short time; callers at the same time share one request. */
export function tableFields(client: Client, tableId: string): Promise<Table> {
  const key = cacheKey(client, tableId);
  const known = cache.get(key);
  if (known && performance.now() - known.at < FRESH_MS) {
    return known.client === client ? known.table : known.table.catch(unlessCancelled(client, tableId));
  }
  for (const [old, { at }] of cache) if (performance.now() - at >= FRESH_MS) cache.delete(old);
  const table = fetchTable(client, tableId);
  const entry = { at: performance.now(), client, table };
  cache.set(key, entry);
  // A failure is not kept: the next caller asks again.
  table.catch(() => cache.get(key) === entry && cache.delete(key));
  return table;
}

/**
 * For when a field was not found in `table`: makes the next look-up ask the service anew.
 * @returns whether that can bring other fields, because these were read before this execution began
 */
export function forgetOldFields(client: Client, table: Table): boolean {
  const isOld = (at: number | undefined) => at !== undefined && at < client.startedAt;
  const key = cacheKey(client, table.id);
  if (isOld(cache.get(key)?.at)) cache.delete(key);
  return isOld(readAt.get(table));
}

export interface TableName {
  id: string;
  name: string;
}

/** All tables of the application (spec: Tables). */
export async function tableNames(client: Client): Promise<TableName[]> {
  const { body } = await client.call(listTables);
  const parsed = tableListSchema.safeParse(body);
  return parsed.success ? parsed.data.data_tables.map(({ id, name }) => ({ id, name })) : [];
}
