import { logEndpoints } from '../endpoints/catalogue';
import type { Client } from '../http/client';
import { InputError } from '../input/inputError';
import { asObject } from '../input/values';

/** What to read of a log. */
interface LogQuery {
  log: keyof typeof logEndpoints;
  /** Maximum number of entries. With a `startPage` above 1, it must be a multiple of 50. */
  limit: number;
  /** Number of the page to read, from 1 on. A page has `limit` entries. By default, reading starts at the first entry. */
  startPage?: number;
  /** In the format of `created_at`. Older entries are not returned. */
  since?: string;
  /** Whether only the newest entry is needed. If the pages are sorted newest first, the first one contains it. */
  newestOnly?: boolean;
}

/**
 * Reads a log page by page. A page holds 50 entries; this cannot be changed (spec: Limits). Stops at `limit`, at the end of
 * the log, or after a page that is sorted newest first and ends with an entry older than `since`. The spec defines no order.
 * Open point: `logOrder`.
 * @example
 * await readLog(client, { log: 'logins', limit: 100, since: '2025-03-31 08:00:00' }); // { entries: […], total: 230 }
 * @returns the entries (spec: Logs), whose types are not checked, and the number of entries of the whole log
 * @throws InputError with a `startPage` whose first entry is in the middle of a page of the service; ApiError if a response
 *   holds no list, or no number of pages
 */
export async function readLog(
  client: Client,
  { log, limit, startPage, since = '', newestOnly = false }: LogQuery,
): Promise<{ entries: unknown[]; total: number }> {
  const pages = findPages(limit, startPage);
  const found: unknown[] = [];
  const seen = new Set<string>();
  let total = 0;
  let first: unknown[] | undefined;
  for (let page = pages.first; page <= pages.last && found.length < limit; page++) {
    const { body } = await client.call(logEndpoints[log], { query: { page } });
    const { items, total_pages: totalPages, total_items: totalItems } = body;
    const isSorted = isNewestFirst(items);
    const fresh = first ? dropRepeats(items, seen, totalItems - total) : items;
    first ??= items;
    total = Math.max(total, totalItems);
    for (const entry of items) seen.add(JSON.stringify(entry));
    found.push(...fresh.filter((entry) => readCreatedAt(entry) >= since));

    const oldest = readCreatedAt(items.at(-1));
    const isEnough = isSorted && (newestOnly || oldest < since);
    // A page of equal dates shows no order, so the order is certain only after an entry that is older than the first one read.
    if ((isEnough && oldest < readCreatedAt(first[0])) || page >= totalPages) break;
  }
  return { entries: found.slice(0, limit), total };
}

/** Number of entries on a page of a log (spec: Limits). A request cannot change it. */
const LOG_PAGE_SIZE = 50;

/**
 * Finds the service's pages that contain the entries of a window (Limit and Start Page). Without Start Page, reading
 * starts at the first page and ends at the limit.
 * @throws InputError when the first entry of the window is not the first entry of a page
 */
function findPages(limit: number, startPage?: number): { first: number; last: number } {
  if (startPage === undefined) return { first: 1, last: Infinity };
  if (startPage > 1 && limit % LOG_PAGE_SIZE !== 0) {
    throw new InputError(
      `Limit cannot be ${limit} with Start Page`,
      `Choose a multiple of ${LOG_PAGE_SIZE}: the service returns ${LOG_PAGE_SIZE} entries a page.`,
    );
  }
  const count = Math.ceil(limit / LOG_PAGE_SIZE);
  return { first: (startPage - 1) * count + 1, last: startPage * count };
}

/** Reads `created_at` of an entry, or ''. All eight logs have it (spec: Logs). */
const readCreatedAt = (entry: unknown): string => String(asObject(entry).created_at ?? '');

/**
 * Whether a page is sorted newest first. The spec defines no order, so reading stops early only after such a page.
 * Open point: `logOrder`.
 */
const isNewestFirst = (items: unknown[]): boolean =>
  items.every((entry, index) => index === 0 || readCreatedAt(items[index - 1]) >= readCreatedAt(entry));

/**
 * Removes entries that an earlier page already returned, because new entries moved them to this page. Entries have no ID,
 * and different entries can be equal, so at most `added` entries are removed. The log grew by this number since the first
 * page.
 */
function dropRepeats(items: unknown[], seen: Set<string>, added: number): unknown[] {
  let left = added;
  return items.filter((entry) => {
    const isRepeat = left > 0 && seen.has(JSON.stringify(entry));
    if (isRepeat) left--;
    return !isRepeat;
  });
}
