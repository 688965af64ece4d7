import { ApiError } from '../errors/apiError';

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

/**
 * Number of records that neighbouring ranges of a verified list share. Two records need 10 % more pages, ten
 * would need 15 %.
 */
const MIN_OVERLAP = 2;

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
 * Finds the range that ends furthest after `end` and overlaps the ranges before it by up to `MIN_OVERLAP` records.
 * With small pages, no such range may extend past `end`: after 12 records, the overlapping pages of 4 and of 3
 * records both end at 12. In that case the next page without an overlap is used.
 */
export const findNextOverlappingRange: FindNextRange = (end, maxSize) => {
  const overlap = Math.min(MIN_OVERLAP, Math.floor(maxSize / 4));
  const best = listPageSizes(maxSize)
    .map((size) => findNextPage(end - overlap, size))
    .reduce((furthest, range) => (range.end > furthest.end ? range : furthest));
  return best.end > end ? best : findNextPage(end, maxSize);
};

/** Finds the range whose middle is closest to `offset`. */
export const findCenteredRange = (offset: number, maxSize: number): PageRange =>
  listPageSizes(maxSize)
    .map((size) => createPageRange(Math.max(1, Math.round(offset / size - 0.5) + 1), size))
    .reduce((best, range) => (measureDistance(range, offset) < measureDistance(best, offset) ? range : best));

const measureDistance = ({ start, end }: PageRange, offset: number) => Math.abs((start + end) / 2 - offset);

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

/** Reads a list once, several ranges at a time. */
export class ListReader<T> {
  protected readonly ranges: LoadedRange<T>[] = [];
  private readonly loads = new Map<number, Promise<void>>();
  private readonly seenIds = new Set<string>();
  /** Number of records in all ranges, repeats included. */
  private itemCount = 0;
  /** Index of the first range behind the end of the list. */
  private firstBeyondEnd = Infinity;
  private lastWithinEnd = 0;

  constructor(
    protected readonly options: PagingOptions<T>,
    private readonly findNextRange: FindNextRange = findNextPage,
  ) {}

  /** All records, in order and without repeats. */
  get items(): T[] {
    const seen = new Set<string>();
    const isNew = (item: T) => seen.size < seen.add(this.options.getId(item)).size;
    return this.listLoadedRanges().flatMap(({ items }) => items.filter(isNew));
  }

  /** Whether a change of the list was noticed: it became shorter, or a record appeared twice. */
  get hasChanged(): boolean {
    return this.hasShrunk || this.seenIds.size < this.itemCount;
  }

  protected get hasShrunk(): boolean {
    const totals = this.ranges.filter(Boolean).map(({ total }) => total ?? 0);
    return totals.some((total, index) => total < (totals[index - 1] ?? 0));
  }

  async read({ first, range }: FirstPage<T>): Promise<void> {
    const { start, end, size } = range;
    const firstRange = this.toLoadedRange(first, range);
    this.addRange(0, firstRange);
    const { limit, concurrency } = this.options;
    const expected = Math.min(start + limit, firstRange.total ?? 0);
    const ranges = planRanges(expected, end, size, this.findNextRange);
    const lastRange = ranges.at(-1);
    const tasks = ranges.map((range, index) => async () => {
      // A service may hide records after it counted them, so the list can continue behind an empty page.
      if (lastRange && this.isPastEnd(index + 1)) await this.loadOnce(ranges.length, lastRange);
      if (!this.isPastEnd(index + 1)) await this.loadOnce(index + 1, range);
    });
    const runTasks = async () => {
      for (let task = tasks.shift(); task; task = tasks.shift()) await task();
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, runTasks));
    if (!this.isPastEnd()) await this.readRemaining(size);
  }

  protected listLoadedRanges(): LoadedRange<T>[] {
    return this.ranges.filter(Boolean);
  }

  /** Called after the range at `index` was read. */
  protected handleLoaded?(index: number): Promise<void>;

  protected async fetchRange(range: PageRange): Promise<LoadedRange<T>> {
    const loaded = this.toLoadedRange(await this.options.fetchPage(range.page, range.size), range);
    this.options.onProgress?.(this.itemCount, loaded.total);
    return loaded;
  }

  protected recordIds(loaded: LoadedRange<T>): LoadedRange<T> {
    for (const id of loaded.ids) this.seenIds.add(id);
    return loaded;
  }

  /**
   * Whether a range before `index` is behind the end of the list. The service then counts more records than
   * it returns.
   */
  private isPastEnd(index = Infinity): boolean {
    return this.firstBeyondEnd < index && this.lastWithinEnd < this.firstBeyondEnd;
  }

  /**
   * Reads further ranges until one has no new records. Needed if the service gives no total, or the list has
   * grown.
   */
  private async readRemaining(size: number): Promise<void> {
    for (;;) {
      const last = this.ranges.at(-1);
      if (!last) return;
      const isEnd = last.total === undefined ? last.items.length === 0 : last.range.end >= last.total;
      if (isEnd || this.seenIds.size >= this.options.limit) return;
      const previousCount = this.seenIds.size;
      await this.loadRange(this.ranges.length, this.findNextRange(last.range.end, size));
      if (this.seenIds.size > previousCount) continue;
      this.itemCount -= this.ranges.pop()?.items.length ?? 0;
      return;
    }
  }

  private loadOnce(index: number, range: PageRange): Promise<void> {
    const load = this.loads.get(index) ?? this.loadRange(index, range);
    this.loads.set(index, load);
    return load;
  }

  private async loadRange(index: number, range: PageRange): Promise<void> {
    this.addRange(index, await this.fetchRange(range));
    await this.handleLoaded?.(index);
  }

  private addRange(index: number, loaded: LoadedRange<T>): void {
    const { items, range } = loaded;
    const previousCount = this.seenIds.size;
    this.recordIds(loaded);
    this.ranges[index] = loaded;
    this.itemCount += items.length;
    // Behind the end of the list, a service returns no records or repeats its last page.
    if (items.length < range.size && this.seenIds.size === previousCount)
      this.firstBeyondEnd = Math.min(this.firstBeyondEnd, index);
    else this.lastWithinEnd = Math.max(this.lastWithinEnd, index);
  }

  /** Ignores a total that is smaller than the number of records read: it would end the reading too early. */
  private toLoadedRange({ items, total }: ListPage<T>, range: PageRange): LoadedRange<T> {
    const isWrong = items.length > 0 && total !== undefined && total < range.start + items.length;
    return { items, ids: items.map(this.options.getId), total: isWrong ? undefined : total, range };
  }
}

/**
 * Reads page 1 and then the other pages in parallel, each once. Returns records in order and without repeats.
 * A record may be missing if others were added or removed meanwhile. `onChange` is called if a change was
 * noticed; not every change can be noticed.
 */
export async function readList<T>(options: PagingOptions<T>): Promise<T[]> {
  const { limit, onChange } = options;
  if (limit <= 0) return [];
  const reader = new ListReader(options);
  await reader.read(await fetchFirstPage(options));
  if (reader.hasChanged) onChange?.();
  return truncate(reader.items, limit);
}
