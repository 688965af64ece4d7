import type { Page } from './pagePlan';
import { around, type Slice } from './slices';

/** A slice as it was read. */
export interface Part<T> extends Page<T> {
  slice: Slice;
}

/** How often a seam is read before it counts as open. */
const ATTEMPTS = 8;

/**
 * The seams between a list's parts. One is closed when its two sides have a record in common: records keep
 * their order, so whatever was there all the time lies in one of the two, whenever each of them was read.
 * Where they have none, the middle between them is read until it has.
 */
export class Seams<T> {
  /** What was read between part n and the one after it. */
  private readonly middles: Part<T>[][] = [];
  private readonly closing = new Map<number, Promise<boolean>>();

  constructor(
    private readonly read: (wanted: Slice) => Promise<Part<T>>,
    private readonly idsOf: (part: Part<T>) => string[],
  ) {}

  /** Closes the seam behind part `index`, once. */
  close(index: number, left: Part<T>, right: Part<T>): Promise<boolean> {
    const closing = this.closing.get(index) ?? this.bridge(left, right, (this.middles[index] = []));
    this.closing.set(index, closing);
    return closing;
  }

  behind(index: number): Part<T>[] {
    return this.middles[index] ?? [];
  }

  /** Whether one was open at first: the list moved. */
  get wereOpen(): boolean {
    return this.middles.some((one) => one.length > 0);
  }

  async areClosed(): Promise<boolean> {
    return (await Promise.all(this.closing.values())).every(Boolean);
  }

  private async bridge(left: Part<T>, right: Part<T>, middles: Part<T>[]): Promise<boolean> {
    if (this.meets(left, right)) return true;
    let offset = left.slice.end;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const middle = await this.read(around(offset, left.slice.size));
      middles.push(middle);
      const [toLeft, toRight] = [this.meets(left, middle), this.meets(middle, right)];
      if (toLeft && toRight) return true;
      const step = middle.slice.size / 3;
      offset += toLeft ? step : toRight || attempt % 2 === 1 ? -step : 2 * step;
    }
    return false;
  }

  /** Whether nothing can lie between the two: they share a record, or the first one reached the end. */
  private meets(left: Part<T>, right: Part<T>): boolean {
    if (left.items.length < left.slice.size) return true;
    const ids = new Set(this.idsOf(left));
    return this.idsOf(right).some((id) => ids.has(id));
  }
}
