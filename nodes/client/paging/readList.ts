import {
  type FindNextRange,
  type FirstPage,
  type ListPage,
  type LoadedRange,
  type PageRange,
  type PagingOptions,
  fetchFirstPage,
  findNextPage,
  planRanges,
  truncate,
} from './pages';

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
