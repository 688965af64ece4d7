import type { Page, PagePlan } from './pagePlan';
import { Seams, type Part } from './seams';
import { following, slice, slicesUpTo, type Slice } from './slices';

/** From so many slices on, one more request for a look whether the list moved is cheap. */
const WORTH_A_LOOK = 20;

/**
 * Reads a list once, from its first record on, in slices side by side.
 *
 * With `overlaps`, neighbours share some records, and that proves that nothing was skipped (`seams.ts`).
 */
export class Reading<T> {
  private readonly parts: Part<T>[] = [];
  private readonly seams = new Seams<T>(
    async (wanted) => this.note(await this.read(wanted)),
    (part) => this.idsOf(part),
  );
  private readonly placed = new Map<number, Promise<void>>();
  private readonly known = new Set<string>();
  /** Records in all parts, repeats too. */
  private count = 0;
  /** The first part that lay behind the end, and the last that did not. */
  private firstBeyond = Infinity;
  private lastWithin = 0;
  private endMoved = false;

  constructor(
    private readonly plan: PagePlan<T>,
    private readonly overlaps: boolean,
  ) {}

  /** Everything found, in order and without repeats. */
  get items(): T[] {
    const found = new Map<string, T>();
    this.parts.forEach((part, index) => {
      for (const { items } of [part, ...this.seams.behind(index)]) {
        for (const item of items) {
          const id = this.plan.idOf(item);
          if (!found.has(id)) found.set(id, item);
        }
      }
    });
    return [...found.values()];
  }

  /** Whether nothing can have been skipped. Only known of overlapping parts. */
  isComplete(): Promise<boolean> {
    return this.seams.areClosed();
  }

  /** Whether the list was seen to move: it lost records, one came twice, or the end shifted. */
  get hasMoved(): boolean {
    if (this.overlaps) return this.seams.wereOpen;
    const totals = this.parts.filter(Boolean).map(({ total }) => total ?? 0);
    const shrank = totals.some((total, index) => total < (totals[index - 1] ?? 0));
    return shrank || this.endMoved || this.hasRepeats;
  }

  async run(first: Page<T>, size: number): Promise<this> {
    const whole = this.checked(first, slice(1, size));
    this.take(0, whole);
    const { limit, parallel } = this.plan;
    const expected = Math.min(limit, whole.total ?? 0);
    const slices = slicesUpTo(expected, size, size, this.overlaps);
    const tasks = slices.map((one, index) => async () => {
      // Behind an empty page there may be more, where the service hides some after counting: the end tells.
      if (this.isOver(index + 1)) await this.once(slices.length, slices.at(-1)!);
      if (!this.isOver(index + 1)) await this.once(index + 1, one);
    });
    if (!this.overlaps && slices.length >= WORTH_A_LOOK) {
      tasks.unshift(tasks.pop()!);
      tasks.push(() => this.lookAtEnd(slices.at(-1)!));
    }
    const hand = async () => {
      for (let task = tasks.shift(); task; task = tasks.shift()) await task();
    };
    await Promise.all(Array.from({ length: Math.min(parallel, tasks.length) }, hand));
    return this.isOver() ? this : this.readOn(size);
  }

  /** Where the service promises more than it has: no look behind what lay behind the end already. */
  private isOver(index = Infinity): boolean {
    // After a repeat all is read again, with overlaps.
    if (!this.overlaps && this.hasRepeats) return true;
    return this.firstBeyond < index && this.lastWithin < this.firstBeyond;
  }

  private get hasRepeats(): boolean {
    return this.known.size < this.count;
  }

  /** The last slice is read first, and again last: where it begins with the same record, none was lost before it. */
  private async lookAtEnd(last: Slice): Promise<void> {
    if (this.isOver()) return;
    const [before, now] = [this.parts.at(-1)!, await this.read(last)];
    this.endMoved = this.idsOf(before)[0] !== this.idsOf(now)[0];
  }

  /** Where the service does not say how many there are, or there are more by now: until one part brings nothing new. */
  private async readOn(size: number): Promise<this> {
    for (;;) {
      const last = this.parts.at(-1)!;
      const isEnd = last.total === undefined ? last.items.length === 0 : last.slice.end >= last.total;
      if (isEnd || this.known.size >= this.plan.limit) return this;
      const known = this.known.size;
      await this.place(this.parts.length, following(last.slice.end, size, this.overlaps));
      if (this.known.size > known) continue;
      this.count -= this.parts.pop()!.items.length;
      return this;
    }
  }

  private once(index: number, wanted: Slice): Promise<void> {
    const placed = this.placed.get(index) ?? this.place(index, wanted);
    this.placed.set(index, placed);
    return placed;
  }

  private async place(index: number, wanted: Slice): Promise<void> {
    this.take(index, await this.read(wanted));
    if (!this.overlaps) return;
    // At once: the longer ago its two sides were read, the further they may have moved apart.
    await Promise.all([this.close(index - 1), this.close(index)]);
  }

  private take(index: number, part: Part<T>): void {
    const { items, slice: of } = part;
    const before = this.known.size;
    this.note(part);
    this.parts[index] = part;
    this.count += items.length;
    // Past its end a service shows nothing, or its last page again.
    if (items.length < of.size && this.known.size === before)
      this.firstBeyond = Math.min(this.firstBeyond, index);
    else this.lastWithin = Math.max(this.lastWithin, index);
  }

  private note(part: Part<T>): Part<T> {
    for (const id of this.idsOf(part)) this.known.add(id);
    return part;
  }

  private async close(index: number): Promise<void> {
    const [left, right] = [this.parts[index], this.parts[index + 1]];
    if (left && right) await this.seams.close(index, left, right);
  }

  private async read(wanted: Slice): Promise<Part<T>> {
    const part = this.checked(await this.plan.fetch(wanted.page, wanted.size), wanted);
    this.plan.onProgress?.(this.count, part.total);
    return part;
  }

  /** A total that is smaller than what its own page shows was not meant: it must not end the reading. */
  private checked({ items, total }: Page<T>, of: Slice): Part<T> {
    const isWrong = items.length > 0 && total !== undefined && total < of.start + items.length;
    return { items, total: isWrong ? undefined : total, slice: of };
  }

  private idsOf({ items }: Part<T>): string[] {
    return items.map((item) => this.plan.idOf(item));
  }
}
