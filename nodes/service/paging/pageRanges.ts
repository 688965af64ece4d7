/** The pages of a list: `findPageSize` and the ranges of records that requests read (spec: Limits). */
import { maxBy, minBy } from 'lodash';

/** The service's maximum number of records a page (spec: Limits). */
export const MAX_PAGE_SIZE = 200;

/** A part of a list that one request can read: page `page` with `size` records. */
export interface PageRange {
  page: number;
  size: number;
  /** Offset of the first record. */
  start: number;
  /** Offset after the last record. */
  end: number;
}

/** Finds the range to read after the first `end` records; no range holds more than `maxSize`. */
type FindNextRange = (end: number, maxSize: number) => PageRange;

/** Records that neighbouring ranges of a verified list share. Two need 10 % more pages, ten would need 15 %. */
const OVERLAP = 2;

export const createPageRange = (page: number, size: number): PageRange => ({
  page,
  size,
  start: (page - 1) * size,
  end: page * size,
});

/** Page sizes from `max` down to half of it. Smaller pages would need too many requests. */
const listPageSizes = (max: number): number[] =>
  Array.from({ length: Math.ceil(max / 2) }, (_, index) => max - index);

/** Finds the page of `maxSize` records that contains the record at offset `end`. */
export const findNextPage: FindNextRange = (end, maxSize) =>
  createPageRange(Math.floor(end / maxSize) + 1, maxSize);

/**
 * Finds the range that ends furthest after `end` and shares the last `OVERLAP` records before it. With pages of fewer than
 * 5 records, no such range extends past `end`: after 12 records, the pages of 4 and of 3 records both end at 12. The
 * next page without an overlap is used then.
 */
export const findNextOverlappingRange: FindNextRange = (end, maxSize) => {
  const ranges = listPageSizes(maxSize).map((size) => findNextPage(end - OVERLAP, size));
  const best = maxBy(ranges, 'end') as PageRange;
  return best.end > end ? best : findNextPage(end, maxSize);
};

/** Finds the range whose middle is closest to `offset`. */
export function findCenteredRange(offset: number, maxSize: number): PageRange {
  const ranges = listPageSizes(maxSize).map((size) =>
    createPageRange(Math.max(1, Math.round(offset / size - 0.5) + 1), size),
  );
  return minBy(ranges, ({ start, end }) => Math.abs((start + end) / 2 - offset)) as PageRange;
}

/** Lists all ranges from offset `end` to offset `upTo`. */
export function planRanges(
  upTo: number,
  end: number,
  maxSize: number,
  findNextRange: FindNextRange,
): PageRange[] {
  const ranges: PageRange[] = [];
  let offset = end;
  while (offset < upTo) {
    const range = findNextRange(offset, maxSize);
    ranges.push(range);
    offset = range.end;
  }
  return ranges;
}

/** Largest number of records a page that divides `count`, up to the service's maximum. */
export function findPageSize(count: number): number {
  let size = Math.min(MAX_PAGE_SIZE, count);
  while (count % size !== 0) size--;
  return size;
}
