import type { Client } from '../transport/client';

/**
 * A look-up that is made once for all who want it, by `key`, for as long as the client lives: one execution, one
 * load of a dropdown. A failure is not kept: the next item asks again.
 */
export function askedOnce<T>(ask: (client: Client, key: string) => Promise<T>) {
  const known = new WeakMap<Client, Map<string, Promise<T>>>();
  return (client: Client, key = ''): Promise<T> => {
    const ofClient = known.get(client) ?? new Map<string, Promise<T>>();
    known.set(client, ofClient);
    const asked = ofClient.get(key) ?? ask(client, key);
    ofClient.set(key, asked);
    asked.catch(() => ofClient.delete(key));
    return asked;
  };
}
