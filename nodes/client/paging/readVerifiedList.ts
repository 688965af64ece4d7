import { UnstableListError } from '../errors/apiError';
import { asObject } from '../input/values';
import {
  type FirstPage,
  type ListPage,
  ListReader,
  type LoadedRange,
  type PageRange,
  type PagingOptions,
  fetchFirstPage,
  findCenteredRange,
  findNextOverlappingRange,
  readList,
  truncate,
} from './readList';

/**
 * Checks whether the sequences contradict each other: a record is before another one in one sequence and
 * after it, directly or through other records, in another sequence. A moved record causes that; insertions
 * and deletions do not. Uses Kahn's algorithm in linear time.
 */
export function hasOrderConflict(sequences: string[][]): boolean {
  const followers = new Map<string, string[]>();
  const predecessorCounts = new Map<string, number>();
  for (const sequence of sequences) {
    const ids = [...new Set(sequence)];
    ids.forEach((id, index) => {
      const previous = followers.get(ids[index - 1] ?? '');
      if (index > 0 && previous) previous.push(id);
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
export class OverlapVerifier<T> {
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

  async isVerified(): Promise<boolean> {
    return (await Promise.all(this.verifications.values())).every(Boolean);
  }

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
      if (toLeft && toRight) return true;
      const step = middle.range.size / 3;
      const goesBack = !toLeft && (toRight || attempt % 2 === 1);
      if (goesBack) offset -= step;
      else offset += toLeft ? step : 2 * step;
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
    if (left.items.length < left.range.size || right.range.start >= left.range.end) return false;
    const [first] = right.ids;
    return first !== undefined && first !== left.ids[right.range.start - left.range.start];
  }
}

/**
 * Reads a list once, in ranges that overlap. If neighbouring ranges share a record and records keep their
 * order, no record between them was skipped. `hasReordered` is true if records changed their order.
 */
class VerifiedListReader<T> extends ListReader<T> {
  private readonly verifier = new OverlapVerifier<T>(async (range) =>
    this.recordIds(await this.fetchRange(range)),
  );

  constructor(options: PagingOptions<T>) {
    super(options, findNextOverlappingRange);
  }

  override get hasChanged(): boolean {
    return this.hasShrunk || this.verifier.hasFoundShifts;
  }

  /** Whether a record changed its position relative to others. Another record may then have been skipped. */
  get hasReordered(): boolean {
    return this.hasChanged && hasOrderConflict(this.listLoadedRanges().map(({ ids }) => ids));
  }

  /** Whether all neighbouring ranges were connected. */
  isConnected(): Promise<boolean> {
    return this.verifier.isVerified();
  }

  protected override listLoadedRanges(): LoadedRange<T>[] {
    return this.ranges.flatMap((loaded, index) => [loaded, ...this.verifier.getGapRanges(index)]);
  }

  /**
   * Compares neighbouring ranges as soon as both are read. The longer it waited, the more could the list have changed,
   * and the more reads would close a gap.
   */
  protected override async handleLoaded(index: number): Promise<void> {
    await Promise.all([this.verifyOverlap(index - 1), this.verifyOverlap(index)]);
  }

  private async verifyOverlap(index: number): Promise<void> {
    const [left, right] = [this.ranges[index], this.ranges[index + 1]];
    if (left && right) await this.verifier.verify(index, left, right);
  }
}

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

interface IdentifiedRow<T> {
  id: string;
  row: T;
}

const readRowId = (row: unknown): string | undefined => {
  const { id } = asObject(row);
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined;
};

/**
 * Adds an ID to each row of a page: its own ID, or its JSON text and a number that counts equal rows of the
 * page. Equal rows on two pages count as one row, because one row may have moved to the other page.
 */
function identifyRows<T>(rows: T[]): IdentifiedRow<T>[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const rowId = readRowId(row);
    if (rowId !== undefined) return { id: rowId, row };
    const text = JSON.stringify(row);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return { id: `${text}#${count}`, row };
  });
}

/**
 * Reads a list whose rows have no ID in the spec. The reading is verified only if the rows have IDs, because
 * the number of an equal row depends on where its page begins.
 */
export async function readRows<T>(
  options: Omit<PagingOptions<T>, 'getId' | 'fetchPinnedPage'>,
): Promise<T[]> {
  if (options.limit <= 0) return [];
  let firstPage: Promise<ListPage<T>> | undefined = fetchFirstPage(options as PagingOptions<T>).then(
    ({ first }) => first,
  );
  const hasIds = (await firstPage).items.every((row) => readRowId(row) !== undefined);
  const fetchPage = async (page: number, size: number): Promise<ListPage<IdentifiedRow<T>>> => {
    const fetched = firstPage ?? options.fetchPage(page, size);
    firstPage = undefined;
    const { items, total } = await fetched;
    return { items: identifyRows(items), total };
  };
  const read = hasIds ? readVerifiedList : readList;
  const found = await read({ ...options, fetchPage, getId: ({ id }: IdentifiedRow<T>) => id });
  return found.map(({ row }) => row);
}
