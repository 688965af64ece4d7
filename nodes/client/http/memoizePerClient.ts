import { RequestCache } from '../concurrency/requestCache';
import type { Client } from './client';

/**
 * Wraps a look-up so that it runs once for each client and `key`. A client exists for one execution, or for one
 * load of a dropdown. A failure is not cached: the next call sends the request again.
 */
export function memoizePerClient<T>(request: (client: Client, key: string) => Promise<T>) {
  const caches = new WeakMap<Client, RequestCache<T>>();
  return (client: Client, key = ''): Promise<T> => {
    const cache = caches.get(client) ?? new RequestCache<T>();
    caches.set(client, cache);
    return cache.get(key, () => request(client, key));
  };
}
