import { logEndpoints } from '../endpoints/catalogue';
import type { Client } from '../http/client';
import { InputError } from '../input/inputError';
import { asObject } from '../input/values';

interface LogQuery {
  log: keyof typeof logEndpoints;
  /** Maximum number of entries. With a `startPage` above 1, a multiple of 50. */
  limit: number;
  /** The number of the only page to read, of `limit` entries. By default, the log is read until `limit` are found. */
  startPage?: number;
  /** The earliest date of entries that are returned, in the format of `created_at`. */
  since?: string;
  /** Whether only the newest entry is needed. In a log that is sorted newest first, this is the first entry. */
  newestOnly?: boolean;
}

/**
 * Reads a log in pages of 50 entries (spec: Limits). Stops at `limit`, at the end of the log, or after a page that is
 * sorted newest first and reaches entries before `since`. The spec defines no order. See silences.md: `logOrder`.
 * @example
 * await readLog(client, { log: 'logins', limit: 100, since: '2025-03-31 08:00:00' }); // { entries: […], total: 230 }
 * @returns the entries (spec: Logs), whose types are not checked, and the number of entries of the whole log
 * @throws InputError for a `startPage` that begins in the middle of a page of the service
 * @throws ApiError for a response without a list or a number of pages
 */
export async function readLog(
  client: Client,
  { log, limit, startPage, since = '', newestOnly = false }: LogQuery,
): Promise<{ entries: unknown[]; total: number }> {
  const range = computePageRange(limit, startPage);
  const found: unknown[] = [];
  const seen = new Set<string>();
  let total = 0;
  let firstItems: unknown[] | undefined;
  for (let page = range.first; page <= range.last && found.length < limit; page++) {
    const { body } = await client.call(logEndpoints[log], { query: { page } });
    const { items, total_pages: totalPages, total_items: totalItems } = body;
    const isSorted = isNewestFirst(items);
    const fresh = firstItems ? dropRepeatedEntries(items, seen, totalItems - total) : items;
    firstItems ??= items;
    total = Math.max(total, totalItems);
    for (const entry of items) seen.add(JSON.stringify(entry));
    found.push(...fresh.filter((entry) => readCreatedAt(entry) >= since));

    const oldest = readCreatedAt(items.at(-1));
    const isEnough = isSorted && (newestOnly || oldest < since);
    // Equal dates do not show the order of the log, so the reading ends only after an entry older than the first one.
    if ((isEnough && oldest < readCreatedAt(firstItems[0])) || page >= totalPages) break;
  }
  return { entries: found.slice(0, limit), total };
}

/** Entries on a page of a log (spec: Limits). A request cannot change this number. */
const LOG_PAGE_SIZE = 50;

/** @throws InputError if Start Page would begin in the middle of a page of the service */
function computePageRange(limit: number, startPage?: number): { first: number; last: number } {
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

/** All eight logs have `created_at` (spec: Logs). @returns '' for an entry without this key */
const readCreatedAt = (entry: unknown): string => String(asObject(entry).created_at ?? '');

const isNewestFirst = (items: unknown[]): boolean =>
  items.every((entry, index) => index === 0 || readCreatedAt(items[index - 1]) >= readCreatedAt(entry));

/**
 * Removes entries that moved to a later page because the log grew by `added` entries. Removes at most `added`
 * entries: entries have no ID, so two different entries may look equal.
 */
function dropRepeatedEntries(items: unknown[], seen: Set<string>, added: number): unknown[] {
  let left = added;
  return items.filter((entry) => {
    const isRepeat = left > 0 && seen.has(JSON.stringify(entry));
    if (isRepeat) left--;
    return !isRepeat;
  });
}
