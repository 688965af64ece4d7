import { isEqual } from 'lodash';
import type { FilterTree } from '../../model/filter';
import { asThrown } from '../../model/input/asThrown';
import { formatForError, InputError } from '../../model/input/inputError';
import { hasConnectionNames, listConnectionTexts } from '../../model/records/connectionNames';
import type { Table } from '../../model/records/table';
import { createUserFingerprint } from '../../transport/auth/credential';
import type { Client } from '../../transport/client';
import { RequestCache } from '../../transport/concurrency/requestCache';
import { ApiError } from '../../transport/errors/apiError';
import { resolveFilterTree } from './resolveFilter';

/** Milliseconds for which the IDs of connected records are kept. A record may get another name. */
const CACHE_TTL_MS = 60_000;

/** Milliseconds for which a filter counts as checked. A name with the form of an ID is rare. */
const CHECK_TTL_MS = 3_600_000;

/** Filters with IDs in place of names, by key, user, app, table and filter. Outlives an execution. */
const resolvedFilters = new RequestCache<FilterTree>({ ttlMs: CACHE_TTL_MS });

/** Filters whose IDs are no names, by the same key. Outlives an execution. */
const checkedFilters = new RequestCache<true>({ ttlMs: CHECK_TTL_MS });

const createKey = ({ credential }: Client, filter: FilterTree, table: Table): string =>
  JSON.stringify([createUserFingerprint(credential), table.id, filter]);

/**
 * Replaces the names of connected records in the filter of a trigger by their IDs, because a delivery has IDs only.
 * The IDs are kept for a minute, because deliveries can be many. A text with the form of an ID is an ID.
 * @throws InputError for a name that no record has, and for one that several records have
 */
export async function resolveStoredFilter(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
): Promise<FilterTree | undefined> {
  if (!filter || !hasConnectionNames(filter, table)) return filter;
  const resolve = () => resolveFilterTree(client, filter, table, 'trust');
  return resolvedFilters.get(createKey(client, filter, table), resolve);
}

async function checkIds(client: Client, filter: FilterTree, table: Table, texts: string[]): Promise<true> {
  const found = await resolveFilterTree(client, filter, table);
  if (isEqual(found, await resolveFilterTree(client, filter, table, 'trust'))) return true;
  throw new InputError(
    `Filter: ${texts.map(formatForError).join(', ')} has the form of an ID, but is the name of a connected record`,
    'Choose Name or ID under Value As of the condition, or write {"name": …} or {"id": …} in a JSON filter. The trigger was not started.',
  );
}

/**
 * Checks that no text with the form of an ID is the name of a record. `resolveStoredFilter` takes it for an ID without a
 * look-up, so the filter would never match. @throws InputError
 */
export async function ensureIdsAreNoNames(
  client: Client,
  filter: FilterTree | undefined,
  table: Table,
): Promise<void> {
  const texts = filter ? listConnectionTexts(filter, table) : [];
  if (!filter || texts.length === 0) return;
  const check = () => checkIds(client, filter, table, texts);
  await checkedFilters.get(createKey(client, filter, table), check).catch((error: unknown) => {
    // A key that may not read records cannot look names up. Its filter has IDs only, or it fails when it is resolved.
    if (!(error instanceof ApiError && error.status === 403)) throw asThrown(error);
  });
}
