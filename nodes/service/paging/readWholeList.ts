/**
 * Reads a list that the service returns in pages. `readWholeList` reads pages that overlap, and reads again if the list
 * changed, so that no record is missing. With `isFast`, it reads each page once.
 */
import { sumBy } from 'lodash';
import { mapMany } from '../concurrency/runMany';
import { ApiError, type ApiErrorCode, UnstableListError } from '../errors/apiError';
import { InputError } from '../input/inputError';
import {
  MAX_PAGE_SIZE,
  type PageRange,
  createPageRange,
  findCenteredRange,
  findNextOverlappingRange,
  findNextPage,
  findPageSize,
  planRanges,
} from './pageRanges';

/**
 * Reads a list that the service returns in pages, or a part of it: every page once (`isFast`), or until no record that
 * existed all the time can be missing. Returns records in order and without repeats.
 * @throws InputError, before anything is sent, for a limit that cannot be divided into pages with `startPage`; UnstableListError
 * if the order of the records changed during each reading
 */
export async function readWholeList<T>(query: ListQuery<T>): Promise<T[]> {
  if (query.limit <= 0) return [];
  ensurePageable(query);
  return query.isFast ? readFast(query) : readComplete(query);
}

/**
 * With a start page, all pages have the size of a divisor of the limit (spec: Limits). A small one would need many requests.
 * @throws InputError for a limit above 200 that is not a multiple of a page size from 100 to 200
 */
function ensurePageable<T>({ limit, startPage = 1 }: ListQuery<T>): void {
  if (startPage === 1 || limit <= MAX_PAGE_SIZE || findPageSize(limit) >= MAX_PAGE_SIZE / 2) return;
  throw new InputError(
    `Limit cannot be ${limit} with Start Page`,
    `Choose at most ${MAX_PAGE_SIZE}, or a multiple of 100: the service returns pages of equal size.`,
  );
}

export interface ListPage<T> {
  items: T[];
  /** Number of records on all pages, after filtering. */
  total: number;
  /** Number of pages, if the service shows it: more than the size requested needs, if its pages are smaller. */
  totalPages?: number;
}

/** A list to read, and how. */
interface ListQuery<T> {
  fetchPage(page: number, size: number): Promise<ListPage<T>>;
  /**
   * Reads a page of the same records in an order that never changes, such as by creation date. It is used if records
   * change their order while the list is read.
   */
  fetchPinnedPage?(page: number, size: number): Promise<ListPage<T>>;
  /** The ID of an item, which is the same on every page. */
  getId(item: T): string;
  /** Maximum number of items; Infinity for all. */
  limit: number;
  /** Page to begin with, 1 by default. A page has `limit` items here, which must then be finite. */
  startPage?: number;
  /** Pages requested at once, after the first one. */
  concurrency: number;
  /**
   * Whether each page is read once, so that records may be missing if others are added or removed meanwhile. Undefined where no
   * setting says it: the errors name none then.
   */
  isFast?: boolean;
  /** Called when the list changed while it was read. With `isFast`, not every change can be noticed. */
  onChange?(): void;
  /** Called after each page with the number of items read, and the number expected. */
  onProgress?(count: number, expected: number): void;
}

/** A range with its records and their IDs. */
interface LoadedRange<T> extends ListPage<T> {
  ids: string[];
  range: PageRange;
}

interface FirstPage<T> {
  first: ListPage<T>;
  /**
   * The range of `first`. All further pages have its size. A service may return fewer records than requested; its
   * page numbers then count pages of that size.
   */
  range: PageRange;
}

/**
 * Reads the first page of the list, or the page at which `startPage` begins. If the service returns fewer records
 * than requested, its page numbers count pages of that smaller size, and the page is read again if its number
 * changes.
 * @throws ApiError when no page of that size begins where `startPage` does
 */
async function fetchFirstPage<T>(query: ListQuery<T>): Promise<FirstPage<T>> {
  const { fetchPage, limit, startPage = 1 } = query;
  const start = startPage > 1 ? (startPage - 1) * limit : 0;
  const requested = start > 0 ? findPageSize(limit) : Math.min(MAX_PAGE_SIZE, limit);
  const range = createPageRange(start / requested + 1, requested);
  const fetch = () => fetchPage(range.page, requested);
  const first = start === 0 ? await fetchConsistent(fetch, requested) : await fetch();
  const left = Math.max(0, first.total - start);
  // The list ends before this page. A service with smaller pages returns an earlier one under this number.
  if (left === 0) return { first: { items: [], total: first.total }, range };
  const { length: size } = first.items;
  const pageCount = Math.ceil(first.total / requested);
  const isCapped = size > 0 && (size !== Math.min(requested, left) || (first.totalPages ?? 0) > pageCount);
  if (!isCapped) return { first, range };
  if (start === 0) return { first, range: createPageRange(1, size) };
  return fetchCappedPage(query, start, size);
}

/** The error of a list of which the service returns another number of records than it says. */
const createWrongTotalError = (count: number, total: number, code?: ApiErrorCode): ApiError =>
  new ApiError({
    code,
    message: `The service says that a list has ${total} records, and returned ${count}`,
    description:
      'The records were not used, because some may be missing. Run it again. If it happens again, report it to whoever runs the service.',
  });

/**
 * Reads the first page of a list. A page that says something else than it holds is read once more, because a record may be
 * added or deleted between the count and the page.
 * @throws ApiError for none of the records that are counted, and for a full page of more records than are counted
 */
async function fetchConsistent<T>(
  fetch: () => Promise<ListPage<T>>,
  requested: number,
): Promise<ListPage<T>> {
  const isWrong = ({ items, total }: ListPage<T>) =>
    (items.length === 0 && total > 0) || (items.length > total && items.length >= requested);
  const found = await fetch();
  const page = isWrong(found) ? await fetch() : found;
  const { items, total } = page;
  if (isWrong(page)) throw createWrongTotalError(items.length, total);
  return items.length > total ? { ...page, total: items.length } : page;
}

/** Reads the page of `size` records that begins at offset `start`. @throws ApiError if no page begins there */
async function fetchCappedPage<T>(
  { fetchPage }: Pick<ListQuery<T>, 'fetchPage'>,
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

/**
 * Checks whether the sequences contradict each other: a record is before another one in one sequence and
 * after it, directly or through other records, in another sequence. A moved record causes that; insertions
 * and deletions do not. Uses Kahn's algorithm in linear time.
 */
function hasOrderConflict(sequences: string[][]): boolean {
  const followers = new Map<string | undefined, string[]>();
  const predecessorCounts = new Map<string, number>();
  for (const sequence of sequences) {
    const ids = [...new Set(sequence)];
    ids.forEach((id, index) => {
      followers.get(ids[index - 1])?.push(id);
      if (!followers.has(id)) followers.set(id, []);
      predecessorCounts.set(id, (predecessorCounts.get(id) ?? 0) + (index > 0 ? 1 : 0));
    });
  }
  const free = [...predecessorCounts].filter(([, count]) => count === 0).map(([id]) => id);
  let sortedCount = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    sortedCount++;
    for (const follower of followers.get(id) ?? []) {
      const left = (predecessorCounts.get(follower) ?? 0) - 1;
      predecessorCounts.set(follower, left);
      if (left === 0) free.push(follower);
    }
  }
  return sortedCount < predecessorCounts.size;
}

/** Maximum number of reads to close one gap. */
const MAX_GAP_READS = 8;

/**
 * Checks that no record was skipped between neighbouring ranges. Two ranges are connected if they share a
 * record: records keep their order, so a record that existed all the time is in one of the two, whenever each
 * was read. If two ranges share no record, the verifier reads ranges between them until both are connected.
 */
class OverlapVerifier<T> {
  /** Ranges that were read between range `index` and the next one. */
  private readonly gapRanges: LoadedRange<T>[][] = [];
  private readonly verifications = new Map<number, Promise<boolean>>();
  /** Whether the first record of a range differs from the record that its neighbour has at that offset. */
  hasFoundShifts = false;

  constructor(private readonly fetchRange: (range: PageRange) => Promise<LoadedRange<T>>) {}

  /** Verifies range `index` and the next one. Each pair is verified once. */
  verify(index: number, left: LoadedRange<T>, right: LoadedRange<T>): Promise<boolean> {
    const existing = this.verifications.get(index);
    if (existing) return existing;
    if (this.isShifted(left, right)) this.hasFoundShifts = true;
    const verification = this.closeGap(left, right, (this.gapRanges[index] = []));
    this.verifications.set(index, verification);
    return verification;
  }

  getGapRanges(index: number): LoadedRange<T>[] {
    return this.gapRanges[index] ?? [];
  }

  /** Whether all verified pairs are connected. */
  async hasNoGaps(): Promise<boolean> {
    return (await Promise.all(this.verifications.values())).every(Boolean);
  }

  /**
   * Reads ranges between two that are not connected, until one is connected to both. Each is a third of its size farther
   * towards the side to which the one before was not connected. One that is connected to neither side shows that so many
   * records were added or deleted that the list has to be read again.
   */
  private async closeGap(
    left: LoadedRange<T>,
    right: LoadedRange<T>,
    gapRanges: LoadedRange<T>[],
  ): Promise<boolean> {
    if (this.isContiguous(left, right)) return true;
    let offset = left.range.end;
    for (let attempt = 1; attempt <= MAX_GAP_READS; attempt++) {
      const middle = await this.fetchRange(findCenteredRange(offset, left.range.size));
      gapRanges.push(middle);
      const [toLeft, toRight] = [this.isContiguous(left, middle), this.isContiguous(middle, right)];
      if (toLeft === toRight) return toLeft;
      const step = middle.range.size / 3;
      offset += toLeft ? step : -step;
    }
    return false;
  }

  /**
   * Whether no record can be between the ranges: they share a record, or the first one reached the end of the
   * list.
   */
  private isContiguous(left: LoadedRange<T>, right: LoadedRange<T>): boolean {
    if (left.items.length < left.range.size) return true;
    return right.ids.some((id) => left.ids.includes(id));
  }

  private isShifted(left: LoadedRange<T>, right: LoadedRange<T>): boolean {
    const [first] = right.ids;
    const expected = left.ids[right.range.start - left.range.start];
    return first !== undefined && expected !== undefined && first !== expected;
  }
}

/** The error of a list whose first page is returned in place of a later one. */
export const createRepeatedPageError = (page: number): ApiError =>
  new ApiError({
    message: `The service returned the first page again instead of page ${page}`,
    description:
      'The records of the other pages cannot be read. A cache between n8n and the service may ignore the number of the page. Filter for fewer records, or ask whoever runs the service.',
  });

/** Whether a page after the first one holds the same records, though others must follow the first. */
const isFirstPageAgain = <T>(first: LoadedRange<T>, { ids, range, total }: LoadedRange<T>): boolean =>
  // If the list grew by a page, page 2 rightly holds what page 1 held before. The totals then differ.
  total === first.total &&
  ids.length > 1 &&
  ids.length === range.size &&
  ids.every((id, index) => id === first.ids[index]);

/**
 * Reads a list once, several ranges at a time. With `overlaps`, the ranges overlap: if neighbouring ranges share a
 * record and records keep their order, no record between them was skipped.
 */
class ListReader<T> {
  private readonly ranges: LoadedRange<T>[] = [];
  private readonly verifier?: OverlapVerifier<T>;
  /** What `items` has found, until a further range is read. */
  private found?: T[];
  /** Number of records that were read. A record in two ranges counts twice. */
  private itemCount = 0;

  constructor(
    private readonly query: ListQuery<T>,
    overlaps: boolean,
  ) {
    if (overlaps) this.verifier = new OverlapVerifier((range) => this.fetchRange(range));
  }

  /** All records, in order and without repeats. */
  get items(): T[] {
    this.found ??= uniqueItems(this.listLoadedRanges());
    return this.found;
  }

  /** The smallest number of records that the pages say the list has. */
  get total(): number {
    return Math.min(...this.ranges.map(({ total }) => total));
  }

  /**
   * Whether a change of the list was noticed: it became shorter, or a record appeared twice. Ranges that overlap repeat
   * records without a change.
   */
  get hasChanged(): boolean {
    const totals = this.ranges.map(({ total }) => total);
    const hasShrunk = totals.some((total, index) => total < (totals[index - 1] ?? 0));
    const count = sumBy(this.ranges, ({ ids }) => ids.length);
    return hasShrunk || (this.verifier?.hasFoundShifts ?? this.items.length < count);
  }

  /**
   * Whether no record was skipped: all neighbouring ranges were connected, and no record changed its position relative
   * to others. False for a reading that is not verified.
   */
  async isComplete(): Promise<boolean> {
    if ((await this.verifier?.hasNoGaps()) !== true) return false;
    return !this.hasChanged || !hasOrderConflict(this.listLoadedRanges().map(({ ids }) => ids));
  }

  async read({ first, range }: FirstPage<T>): Promise<void> {
    const { start, end, size } = range;
    const firstRange = this.toLoadedRange(first, range);
    this.addRange(0, firstRange);
    const { limit, concurrency } = this.query;
    const ranges = planRanges(Math.min(start + limit, firstRange.total), end, size, this.findNextRange);
    await mapMany([...ranges.entries()], concurrency, ([index, range]) => this.loadRange(index + 1, range));
    await this.readAdded(size);
  }

  private get findNextRange() {
    return this.verifier ? findNextOverlappingRange : findNextPage;
  }

  private listLoadedRanges(): LoadedRange<T>[] {
    const gapRanges = (index: number) => this.verifier?.getGapRanges(index) ?? [];
    return this.ranges.flatMap((loaded, index) => [loaded, ...gapRanges(index)]);
  }

  private async fetchRange(range: PageRange): Promise<LoadedRange<T>> {
    const loaded = this.toLoadedRange(await this.query.fetchPage(range.page, range.size), range);
    this.found = undefined;
    this.query.onProgress?.(this.itemCount, loaded.total);
    return loaded;
  }

  /** Reads the ranges behind those that were planned, if the list has grown, until one has no new records. */
  private async readAdded(size: number): Promise<void> {
    for (;;) {
      const last = this.ranges.at(-1);
      if (!last || last.range.end >= last.total || this.items.length >= this.query.limit) return;
      const { length } = this.items;
      await this.loadRange(this.ranges.length, this.findNextRange(last.range.end, size));
      if (this.items.length > length) continue;
      this.ranges.pop();
      return;
    }
  }

  private async loadRange(index: number, range: PageRange): Promise<void> {
    this.addRange(index, await this.fetchRange(range));
    // The comparison does not wait: the more the list changes meanwhile, the more reads a gap needs.
    await Promise.all([this.verifyOverlap(index - 1), this.verifyOverlap(index)]);
  }

  /** Compares range `index` with the next one, as soon as both are read. */
  private async verifyOverlap(index: number): Promise<void> {
    const [left, right] = [this.ranges[index], this.ranges[index + 1]];
    if (left && right) await this.verifier?.verify(index, left, right);
  }

  private addRange(index: number, loaded: LoadedRange<T>): void {
    const [first] = this.ranges;
    if (first && isFirstPageAgain(first, loaded)) throw createRepeatedPageError(loaded.range.page);
    this.ranges[index] = loaded;
    this.itemCount += loaded.items.length;
  }

  private toLoadedRange(page: ListPage<T>, range: PageRange): LoadedRange<T> {
    return { ...page, ids: page.items.map(this.query.getId), range };
  }
}

/** Joins ranges to a list in which each ID is once. A loop, because `flatMap` takes twice as long for 50,000 records. */
function uniqueItems<T>(ranges: LoadedRange<T>[]): T[] {
  const seen = new Set<string>();
  const found: T[] = [];
  for (const { items, ids } of ranges) {
    items.forEach((item, index) => {
      if (seen.size < seen.add(ids[index] ?? '').size) found.push(item);
    });
  }
  return found;
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

/** Maximum number of times the list is read. */
const MAX_READINGS = 5;

/**
 * Reads each page once. Returns records in order and without repeats. A record may be missing if others were added or
 * removed meanwhile.
 */
async function readFast<T>(query: ListQuery<T>): Promise<T[]> {
  const reader = new ListReader(query, false);
  await reader.read(await fetchFirstPage(query));
  if (reader.hasChanged) query.onChange?.();
  return reader.items.slice(0, query.limit);
}

/**
 * Reads a list without missing a record that existed all the time. It reads 10 % more pages than `readFast`, unless one
 * page is enough. If the list changed, it is read again and both results are joined, because a record that moved may be
 * missing in one of them. A list whose records change their order is read by `fetchPinnedPage` from then on; its records
 * are returned at the positions that they had before.
 * @throws ApiError for a list that has fewer records than the service says, in two readings
 */
async function readComplete<T>(query: ListQuery<T>): Promise<T[]> {
  const { limit, getId, onChange, startPage = 1, isFast } = query;
  const code = isFast === undefined ? undefined : 'unstableList';
  const { first, range } = await fetchFirstPage(query);
  let { fetchPage } = query;
  let ordered: T[] = [];
  let previous: T[] | undefined;
  let isShort = false;
  for (let attempt = 1; attempt <= MAX_READINGS; attempt++) {
    const reader = new ListReader({ ...query, fetchPage }, true);
    await reader.read({ first: attempt > 1 ? await fetchPage(range.page, range.size) : first, range });
    const isComplete = await reader.isComplete();
    const isSettled = isComplete && (!reader.hasChanged || previous !== undefined);
    const isPinned = fetchPage !== query.fetchPage;
    if (!isPinned) ordered = reader.items;
    if (isSettled) {
      const items = reader.hasChanged && previous ? joinLists(reader.items, previous, getId) : reader.items;
      const wanted = startPage > 1 ? 0 : Math.min(limit, reader.total);
      if (items.length < wanted) {
        // A record may have been added before the end was counted, and after its page was read.
        if (isShort) throw createWrongTotalError(items.length, reader.total, code);
        isShort = true;
        continue;
      }
      if (attempt > 1) onChange?.();
      return (isPinned ? orderLike(items, ordered, getId) : items).slice(0, limit);
    }
    if (isComplete) previous = reader.items;
    // A limited list cannot be read in the pinned order, because that order begins with other records.
    else if (limit === Infinity) fetchPage = query.fetchPinnedPage ?? fetchPage;
  }
  throw new UnstableListError(code);
}
