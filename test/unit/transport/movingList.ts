import type { Page } from '../../../nodes/shared/transport/pagePlan';

/** A small seeded generator (mulberry32), so that a failing run can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Row {
  id: string;
}

const START: Row[] = Array.from({ length: 20_000 }, (_, index) => ({ id: `r${index}` }));

/** A list that somebody else inserts into and deletes from whenever a page is read. */
export class MovingList {
  readonly rows: Row[];
  readonly calls: Array<[page: number, size: number]> = [];
  private readonly deleted = new Set<string>();
  private next = START.length;

  constructor(
    private readonly size: number,
    private readonly change: (list: MovingList) => void = () => undefined,
    private readonly withTotal = true,
  ) {
    this.rows = START.slice(0, size);
  }

  /** What was there from the first read to the last. */
  get lasting(): string[] {
    return START.slice(0, this.size)
      .map(({ id }) => id)
      .filter((id) => !this.deleted.has(id));
  }

  insert(at: number): void {
    this.rows.splice(at, 0, { id: `r${this.next++}` });
  }

  delete(at: number): void {
    const [gone] = this.rows.splice(at, 1);
    if (gone) this.deleted.add(gone.id);
  }

  fetch = async (page: number, size: number): Promise<Page<Row>> => {
    this.calls.push([page, size]);
    // Side by side reads are answered one after the other, with changes between them.
    await Promise.resolve();
    const items = this.rows.slice((page - 1) * size, page * size);
    const total = this.rows.length;
    this.change(this);
    return this.withTotal ? { items, total } : { items };
  };
}
