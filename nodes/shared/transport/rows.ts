import { objectIn } from '../model/answer';
import type { Page, PagePlan } from './pagePlan';
import { readPages } from './pages';

interface Identified<T> {
  id: string;
  row: T;
}

const ownId = (row: unknown): string | undefined => {
  const { id } = objectIn(row);
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined;
};

/**
 * Rows of one page with what makes each the same row on another: its id, or else its text and which of the
 * alike it is on its page. That keeps rows apart that are alike on one page. Alike on two pages, they cannot be
 * told from a row that moved from one to the other, and count as one.
 */
function identified<T>(rows: T[]): Identified<T>[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const own = ownId(row);
    if (own !== undefined) return { id: own, row };
    const text = JSON.stringify(row);
    const nth = (counts.get(text) ?? 0) + 1;
    counts.set(text, nth);
    return { id: `${text}#${nth}`, row };
  });
}

/** Reads a list page by page whose rows are not promised an id by the spec. */
export async function readRows<T>(plan: Omit<PagePlan<T>, 'idOf'>): Promise<T[]> {
  const fetch = async (page: number, size: number): Promise<Page<Identified<T>>> => {
    const { items, total } = await plan.fetch(page, size);
    return { items: identified(items), total };
  };
  const found = await readPages({ ...plan, fetch, idOf: ({ id }) => id });
  return found.map(({ row }) => row);
}
