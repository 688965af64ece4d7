import { findCenteredRange, type PageRange } from './pageRange';
import type { LoadedRange } from './pagingOptions';

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
