import type { Page, PagePlan } from './pages';
import { around, following, slice, slicesUpTo, type Slice } from './slices';

/** A slice as it was read. */
interface Part<T> extends Page<T> {
  slice: Slice;
  /** Ids of the items. */
  ids: Set<string>;
}

/** How often a seam between two parts is read before it counts as open. */
const SEAM_ATTEMPTS = 8;

/** From so many slices on, one more request for a look whether the list moved is cheap. */
const WORTH_A_LOOK = 20;

/**
 * Reads a list once, from its first record on, in slices side by side.
 *
 * With `overlaps`, neighbours share some records, and that proves that nothing was skipped: records keep
 * their order, so whatever was there all the time lies in one of two parts that have a record in common,
 * whenever each of them was read. Where two have none, the middle between them is read until it has.
 */
export class Reading<T> {
  private readonly parts: Part<T>[] = [];
  /** What was read between part n and the one after it. */
  private readonly middles: Part<T>[][] = [];
  private readonly closing = new Map<number, Promise<boolean>>();
  private endMoved = false;

  constructor(
    private readonly plan: PagePlan<T>,
    private readonly overlaps: boolean,
  ) {}

  /** Everything found, in order and without repeats. */
  get items(): T[] {
    const found = new Map<string, T>();
    this.parts
      .flatMap((part, index) => [part, ...(this.middles[index] ?? [])])
      .forEach(({ items }) => {
        for (const item of items) if (!found.has(this.plan.idOf(item))) found.set(this.plan.idOf(item), item);
      });
    return [...found.values()];
  }

  /** Whether nothing can have been skipped. Only known of overlapping parts. */
  async isComplete(): Promise<boolean> {
    return (await Promise.all(this.closing.values())).every(Boolean);
  }

  /** Whether the list was seen to move: it lost records, one came twice, or the end shifted. */
  get hasMoved(): boolean {
    if (this.overlaps) return this.middles.some((one) => one.length > 0);
    const totals = this.parts.map(({ total }) => total ?? 0);
    const shrank = totals.some((total, index) => total < Math.max(0, ...totals.slice(0, index)));
    return shrank || this.endMoved || this.count > new Set(this.parts.flatMap(({ ids }) => [...ids])).size;
  }

  async run(first: Page<T>, size: number): Promise<this> {
    this.parts.push(this.part(slice(1, size), first));
    const { limit, parallel } = this.plan;
    const expected = Math.min(limit, first.total ?? 0);
    const slices = slicesUpTo(expected, size, size, this.overlaps);
    const looks = !this.overlaps && slices.length >= WORTH_A_LOOK;
    const order = slices.map((_, index) => index);
    if (looks) order.unshift(order.pop()!);
    const hand = async () => {
      for (let index = order.shift(); index !== undefined; index = order.shift()) {
        await this.place(index + 1, slices[index]!);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, slices.length) }, hand));
    if (looks) await this.lookAtEnd(slices.at(-1)!);
    return this.readOn(size);
  }

  /** The last slice was read before the others; where it still begins with the same record, none was lost before it. */
  private async lookAtEnd(last: Slice): Promise<void> {
    const [before, now] = [this.parts.at(-1)!, await this.read(last)];
    const firstId = ({ items }: Part<T>) => items.slice(0, 1).map((item) => this.plan.idOf(item))[0];
    this.endMoved = firstId(before) !== firstId(now);
  }

  /** Where the service does not say how many there are, or there are more by now: until one part brings nothing new. */
  private async readOn(size: number): Promise<this> {
    for (;;) {
      const last = this.parts.at(-1)!;
      const isEnd = last.total === undefined ? last.items.length === 0 : last.slice.end >= last.total;
      if (isEnd || this.items.length >= this.plan.limit) return this;
      const known = this.items.length;
      await this.place(this.parts.length, following(last.slice.end, size, this.overlaps));
      if (this.items.length > known) continue;
      this.parts.pop();
      return this;
    }
  }

  private async place(index: number, wanted: Slice): Promise<void> {
    this.parts[index] = await this.read(wanted);
    if (!this.overlaps) return;
    // At once: the longer ago its two sides were read, the further they may have moved apart.
    await Promise.all([this.close(index - 1), this.close(index)]);
  }

  private close(index: number): Promise<boolean> | undefined {
    const [left, right] = [this.parts[index], this.parts[index + 1]];
    if (!left || !right || this.closing.has(index)) return this.closing.get(index);
    const closed = this.bridge(left, right, (this.middles[index] = []));
    this.closing.set(index, closed);
    return closed;
  }

  private async bridge(left: Part<T>, right: Part<T>, middles: Part<T>[]): Promise<boolean> {
    if (meets(left, right)) return true;
    let offset = left.slice.end;
    for (let attempt = 1; attempt <= SEAM_ATTEMPTS; attempt++) {
      const middle = await this.read(around(offset, left.slice.size));
      middles.push(middle);
      const [toLeft, toRight] = [meets(left, middle), meets(middle, right)];
      if (toLeft && toRight) return true;
      const step = middle.slice.size / 3;
      offset += toLeft ? step : toRight || attempt % 2 === 1 ? -step : 2 * step;
    }
    return false;
  }

  private async read(wanted: Slice): Promise<Part<T>> {
    const part = this.part(wanted, await this.plan.fetch(wanted.page, wanted.size));
    this.plan.onProgress?.(this.count, part.total);
    return part;
  }

  private part(wanted: Slice, page: Page<T>): Part<T> {
    return { ...page, slice: wanted, ids: new Set(page.items.map((item) => this.plan.idOf(item))) };
  }

  private get count(): number {
    return this.parts.reduce((sum, { items }) => sum + items.length, 0);
  }
}

/** A part that was not full reached the end of the list. */
const isShort = <T>({ items, slice: { size } }: Part<T>) => items.length < size;

/** Whether nothing can lie between the two: they share a record, or the first one reached the end. */
const meets = <T>(left: Part<T>, right: Part<T>) =>
  isShort(left) || right.items.length === 0 ? isShort(left) : [...right.ids].some((id) => left.ids.has(id));
