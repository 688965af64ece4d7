import { ApiError } from '../errors/apiError';
import { createPageRange, type PageRange } from './pageRange';

export interface ListPage<T> {
  items: T[];
  /** Number of records after filtering, if the service gives it. */
  total?: number;
}

export interface PagingOptions<T> {
  fetchPage(page: number, size: number): Promise<ListPage<T>>;
  /**
   * Reads a page of the same records in an order that never changes, such as by creation date. It is used if records
   * change their order while the list is read.
   */
  fetchPinnedPage?(page: number, size: number): Promise<ListPage<T>>;
  /** Maximum number of items; Infinity for all. */
  limit: number;
  /** Page to begin with, 1 by default. A page has `limit` items here, which must then be finite. */
  startPage?: number;
  /** Pages requested at once, after the first one. */
  concurrency: number;
  /** Returns the ID of an item, which is the same on every page. */
  getId(item: T): string;
  /** Called when the list changed while it was read. */
  onChange?(): void;
  /** Called after each page with the number of items read, and the number expected. */
  onProgress?(count: number, expected?: number): void;
}

/** A range with its records and their IDs. */
export interface LoadedRange<T> extends ListPage<T> {
  ids: string[];
  range: PageRange;
}

/** The service's maximum (spec: Limits). */
export const MAX_PAGE_SIZE = 200;

export interface FirstPage<T> {
  first: ListPage<T>;
  /**
   * The range of `first`. All further pages have its size. A service may return fewer records than requested; its
   * page numbers then count pages of that size.
   */
  range: PageRange;
}

/** Largest number of records a page that divides `count`, up to the service's maximum. */
export function findPageSize(count: number): number {
  let size = Math.min(MAX_PAGE_SIZE, count);
  while (count % size !== 0) size--;
  return size;
}

/**
 * Reads the first page of the list, or the page at which `startPage` begins. If the service returns fewer records
 * than requested, its page numbers count pages of that smaller size, and the page is read again if its number
 * changes.
 * @throws ApiError when no page of that size begins where `startPage` does
 */
export async function fetchFirstPage<T>(options: PagingOptions<T>): Promise<FirstPage<T>> {
  const { fetchPage, limit, startPage = 1 } = options;
  const start = startPage > 1 ? (startPage - 1) * limit : 0;
  const requested = start > 0 ? findPageSize(limit) : Math.min(MAX_PAGE_SIZE, limit);
  const range = createPageRange(start / requested + 1, requested);
  const first = await fetchPage(range.page, requested);
  if (start > 0 && first.total !== undefined && first.total <= start)
    return { first: { items: [], total: first.total }, range };
  const { length: size } = first.items;
  const isCapped = size > 0 && size < Math.min(requested, (first.total ?? 0) - start);
  if (!isCapped) return { first, range };
  if (start === 0) return { first, range: createPageRange(1, size) };
  return fetchCappedPage(options, start, size);
}

/** Reads the page of `size` records that begins at offset `start`. */
async function fetchCappedPage<T>(
  { fetchPage }: PagingOptions<T>,
  start: number,
  size: number,
): Promise<FirstPage<T>> {
  if (start % size !== 0) {
    throw new ApiError({
      message: `The service returns ${size} records a page, so the page that begins after ${start} records cannot be read`,
      description: `Choose a limit that is a multiple of ${size}.`,
    });
  }
  const range = createPageRange(start / size + 1, size);
  return { first: await fetchPage(range.page, size), range };
}

export const truncate = <T>(items: T[], limit: number): T[] =>
  items.length > limit ? items.slice(0, limit) : items;
