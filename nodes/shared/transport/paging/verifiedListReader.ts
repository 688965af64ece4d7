import { hasOrderConflict } from './hasOrderConflict';
import { ListReader } from './listReader';
import { OverlapVerifier } from './overlapVerifier';
import { findNextOverlappingRange } from './pageRange';
import type { LoadedRange, PagingOptions } from './pagingOptions';

/**
 * Reads a list once, in ranges that overlap. If neighbouring ranges share a record and records keep their
 * order, no record between them was skipped. `hasReordered` is true if records changed their order.
 */
export class VerifiedListReader<T> extends ListReader<T> {
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
