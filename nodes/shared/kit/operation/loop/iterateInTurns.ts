import { sleepUnlessAborted } from '../../../transport/concurrency/sleep';
import { AbortedError } from '../../../transport/errors/clientErrors';
import type { Item, Items } from '../item';

/** Number of items between two pauses. */
const ITEMS_PER_TURN = 500;

/**
 * Iterates over the items, and pauses at intervals so that n8n can work meanwhile: renew the lock of its job, or cancel
 * the run. For work that does not wait for a response. @throws AbortedError after the run was cancelled
 */
export async function* iterateInTurns(items: Items): AsyncGenerator<Item> {
  for (const item of items) {
    if (item.index % ITEMS_PER_TURN === 0) await sleepUnlessAborted(0, item.cancelSignal);
    if (item.cancelSignal?.aborted) throw new AbortedError();
    yield item;
  }
}
