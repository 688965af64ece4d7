import type { FilterTree } from '../../model/filter';
import { hasConnectionNames } from '../../model/records/connectionNames';
import type { Table } from '../../model/records/table';
import { createUserFingerprint } from '../../transport/auth/credential';
import type { Client } from '../../transport/client';
import { RequestCache } from '../../transport/concurrency/requestCache';
import { resolveFilterTree } from './resolveFilter';

/** Milliseconds for which the IDs of connected records are kept. A record may get another name. */
const CACHE_TTL_MS = 60_000;

/** Filters with IDs in place of names, by key, user, app, table and filter. Outlives an execution. */
const resolvedFilters = new RequestCache<FilterTree>({ ttlMs: CACHE_TTL_MS });

/**
 * Replaces the names of connected records in the filter of a trigger by their IDs, because a delivery has IDs only.
 * The IDs are kept for a minute, because deliveries can be many.
 * @throws InputError for a name that no record has, and for one that several records have
 */
export async function resolveStoredFilter(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
): Promise<FilterTree | undefined> {
  if (!filter || !hasConnectionNames(filter, table)) return filter;
  const key = JSON.stringify([createUserFingerprint(client.credential), table.id, filter]);
  return resolvedFilters.get(key, () => resolveFilterTree(client, filter, table, 'trust'));
}
