import type { Item } from '../../shared/kit/item';
import { objectIn } from '../../shared/model/answer';
import type { Endpoint } from '../../shared/model/endpoint';
import { countIn, listIn } from '../../shared/model/responses';
import { ApiFailure } from '../../shared/transport/errors';

export interface LogPage {
  /** Entries (spec: Logs), and whatever else the service puts among them. */
  items: unknown[];
  /** Where the service says so (spec: Logs). */
  totalPages?: number;
  totalItems?: number;
}

export interface LogPlan {
  fetch(page: number): Promise<LogPage>;
  limit: number;
  /** In the form of `created_at`; entries before it are left out. */
  since?: string;
}

/** @throws ApiFailure when the answer holds no list */
export async function fetchLogPage({ client }: Item, endpoint: Endpoint, page: number): Promise<LogPage> {
  const { body } = await client.call(endpoint, { query: { page } });
  const found = listIn(body, 'items');
  const { items, total_pages: pages, total_items: total } = objectIn(body);
  const totalPages = countIn(pages);
  // No entries on a page that there is said to be: the end would be taken for reached.
  const isMissing = items === null && page <= (totalPages ?? 0) && countIn(total) !== 0;
  if (found && !isMissing) return { items: found, totalPages, totalItems: countIn(total) };
  throw new ApiFailure({
    message: 'The service did not answer with a log',
    description: 'Check the Base URL in the Record Database API credential.',
  });
}

const timeOf = (entry: unknown): string => String(objectIn(entry).created_at ?? '');

/** The spec does not promise an order, so stopping early needs the page itself to be newest first. */
const isNewestFirst = (items: unknown[]): boolean =>
  items.every((entry, index) => index === 0 || timeOf(items[index - 1]) >= timeOf(entry));

/**
 * Entries that a page repeats, because as many new ones were logged since the first page was read and moved
 * everything down. Entries have no id and two may be alike, so no more are left out than were added.
 */
function withoutRepeats(items: unknown[], seen: Set<string>, added: number): unknown[] {
  let left = added;
  return items.filter((entry) => {
    const isRepeat = left > 0 && seen.has(JSON.stringify(entry));
    if (isRepeat) left--;
    return !isRepeat;
  });
}

/**
 * Reads a log page by page: the pages hold 50 and cannot be made larger (spec: Limits). Ends with the limit,
 * with the last page, or once a page that is newest first reaches further back than `since`.
 */
export async function readLog({ fetch, limit, since }: LogPlan): Promise<unknown[]> {
  const found: unknown[] = [];
  const seen = new Set<string>();
  let total: number | undefined;
  for (let page = 1; found.length < limit; page++) {
    const { items, totalPages, totalItems } = await fetch(page);
    // Without a number of pages, an empty one or one that was there before is the end.
    const isRepeated = totalPages === undefined && items.every((entry) => seen.has(JSON.stringify(entry)));
    if (items.length === 0 || isRepeated) break;
    const added = Math.max(0, (totalItems ?? 0) - (total ?? totalItems ?? 0));
    const fresh = withoutRepeats(items, seen, added);
    total = Math.max(total ?? 0, totalItems ?? 0);
    for (const entry of items) seen.add(JSON.stringify(entry));
    found.push(...(since === undefined ? fresh : fresh.filter((entry) => timeOf(entry) >= since)));
    const isPast = since !== undefined && isNewestFirst(items) && timeOf(items.at(-1)) < since;
    if (isPast || (totalPages !== undefined && page >= totalPages)) break;
  }
  return found.slice(0, limit);
}
