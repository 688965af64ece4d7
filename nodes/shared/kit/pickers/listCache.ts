import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { createUserFingerprint } from '../../transport/auth/credential';
import type { Client } from '../../transport/client';
import { RequestCache } from '../../transport/concurrency/requestCache';
import { runLookup } from './runLookup';

/** Milliseconds for which a search uses the cached list instead of a new request. */
const CACHE_TTL_MS = 60_000;

/** Lists by base URL, key, user, app and list name, because each user may see different entries. */
const dropdownLists = new RequestCache<unknown>({ ttlMs: CACHE_TTL_MS });

/**
 * Reads a list for a dropdown. Opening the dropdown always sends a request. A search (`isSearch`) uses the cached
 * list, because n8n searches again after each typed letter.
 */
export const lookUpList = <T>(
  context: ILoadOptionsFunctions,
  name: string,
  isSearch: boolean,
  fetch: (client: Client) => Promise<T>,
): Promise<T> =>
  runLookup(context, (client) => {
    const key = `${createUserFingerprint(client.credential)}\n${name}`;
    if (!isSearch) dropdownLists.delete(key);
    return dropdownLists.get(key, () => fetch(client)) as Promise<T>;
  });
