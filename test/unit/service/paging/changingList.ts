import type { RecordList, ServiceRecord } from '../../../../nodes/service';

/** A seeded generator (mulberry32), so that a failing run can be repeated. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const START: ServiceRecord[] = Array.from({ length: 20_000 }, (_, index) => ({ id: `r${index}` }));

/** A list that another client changes whenever a page is read. */
export class ChangingList {
  readonly rows: ServiceRecord[];
  readonly calls: Array<[page: number, size: number]> = [];
  private readonly deleted = new Set<string>();
  private next = START.length;

  constructor(
    private readonly size: number,
    private readonly change: (list: ChangingList) => void = () => undefined,
  ) {
    this.rows = START.slice(0, size);
  }

  insert(at: number): void {
    this.rows.splice(at, 0, { id: `r${this.next++}` });
  }

  delete(at: number): void {
    for (const { id } of this.rows.splice(at, 1)) this.deleted.add(id);
  }

  move(from: number, to: number): void {
    this.rows.splice(to, 0, ...this.rows.splice(from, 1));
  }

  /** The records that existed from the first read to the last and were not found. */
  findMissing(found: Array<{ id: string }>): string[] {
    const ids = new Set(found.map(({ id }) => id));
    return START.slice(0, this.size).flatMap(({ id }) => (this.deleted.has(id) || ids.has(id) ? [] : id));
  }

  fetch = async (page: number, size: number): Promise<RecordList> => {
    this.calls.push([page, size]);
    // Responds to parallel reads one after the other, with changes in between.
    await Promise.resolve();
    const items = this.rows.slice((page - 1) * size, page * size);
    const total_items = this.rows.length;
    this.change(this);
    return { items, total_items };
  };
}

/** Changes a list once, after its nth page was read. */
export const changeAfter = (nth: number, change: (list: ChangingList) => void) => {
  let pages = 0;
  return (list: ChangingList) => void (++pages === nth && change(list));
};
