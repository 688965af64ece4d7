import { UnstableListError } from '../errors/clientErrors';
import { fetchFirstPage, type FirstPage, type PagingOptions, truncate } from './pagingOptions';
import { VerifiedListReader } from './verifiedListReader';

/** Maximum number of times the list is read. */
const MAX_READINGS = 5;

/**
 * Reads a list without missing a record that existed all the time. Returns records in order and without
 * repeats. It reads 10 % more pages than `readList`, unless one page is enough. If the list changed, it is
 * read again and both results are joined, because a record that moved may be missing in one of them. A list
 * whose records change their order is read by `fetchPinnedPage` from then on; its records are returned at the
 * positions that they had before.
 * @throws UnstableListError if the order of the records changed each time
 */
export async function readVerifiedList<T>(options: PagingOptions<T>): Promise<T[]> {
  const { limit, getId, onChange } = options;
  if (limit <= 0) return [];
  const firstPage = await fetchFirstPage(options);
  let fetchPage = options.fetchPage;
  let ordered: VerifiedListReader<T> | undefined;
  let previous: T[] | undefined;
  for (let attempt = 1; attempt <= MAX_READINGS; attempt++) {
    const reader = await readOnce({ ...options, fetchPage }, firstPage, attempt > 1);
    const isProven = (await reader.isConnected()) && !reader.hasReordered;
    const isSettled = isProven && (!reader.hasChanged || previous !== undefined);
    const isPinned = fetchPage !== options.fetchPage;
    if (!isPinned) ordered = reader;
    if (isSettled) {
      if (attempt > 1) onChange?.();
      const items = reader.hasChanged && previous ? joinLists(reader.items, previous, getId) : reader.items;
      return truncate(isPinned && ordered ? orderLike(items, ordered.items, getId) : items, limit);
    }
    if (isProven) previous = reader.items;
    // A limited list cannot be read in the pinned order, because that order begins with other records.
    else if (limit === Infinity) fetchPage = options.fetchPinnedPage ?? fetchPage;
  }
  throw new UnstableListError();
}

async function readOnce<T>(
  options: PagingOptions<T>,
  { first, range }: FirstPage<T>,
  isRepeated: boolean,
): Promise<VerifiedListReader<T>> {
  const reader = new VerifiedListReader(options);
  await reader.read({
    first: isRepeated ? await options.fetchPage(range.page, range.size) : first,
    range,
  });
  return reader;
}

/** Returns `items`, followed by the entries of `others` that are not in `items`. */
function joinLists<T>(items: T[], others: T[], getId: (item: T) => string): T[] {
  const ids = new Set(items.map(getId));
  return [...items, ...others.filter((other) => !ids.has(getId(other)))];
}

/** Returns `items` in the order of `ordered`, followed by those that it does not contain. */
function orderLike<T>(items: T[], ordered: T[], getId: (item: T) => string): T[] {
  const itemsById = new Map(items.map((item) => [getId(item), item]));
  const known = ordered.flatMap((item) => itemsById.get(getId(item)) ?? []);
  return joinLists(known, items, getId);
}
