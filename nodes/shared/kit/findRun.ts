import { entryIn, type Entry } from '../model/completion';
import type { Endpoint } from '../model/endpoint';
import type { Call } from '../transport/client';
import { ApiFailure } from '../transport/errors';
import type { Item } from './item';

const isNotFound = ({ status }: ApiFailure): boolean => status === 404;

/** What the service answers about a run; undefined where it does not know the run, or no longer (`isGone`). */
export async function askFor(
  item: Item,
  endpoint: Endpoint,
  call: Call = {},
  isGone = isNotFound,
): Promise<unknown> {
  const found = await item.client.call(endpoint, call).catch((error: unknown) => error);
  if (found instanceof ApiFailure && isGone(found)) return undefined;
  if (found instanceof Error) throw found;
  return (found as { body: unknown }).body;
}

/** A run in the list of those that have ended: once it has, its own address may show it no more. */
export const endedRun = async (item: Item, history: Endpoint, id: string): Promise<Entry | undefined> =>
  entryIn(await askFor(item, history), id, false);
