/** The service's maximum (spec: Limits). */
export const MAX_PAGE = 200;

export interface Page<T> {
  items: T[];
  /** Records after filtering, where the service says so. */
  total?: number;
}

export interface PagePlan<T> {
  fetch(page: number, size: number): Promise<Page<T>>;
  /** At most this many items; Infinity for all. */
  limit: number;
  /** Pages asked for at once, after the first. */
  parallel: number;
  /** What makes an item the same item when pages shift under the reader. */
  idOf(item: T): string;
}

/** Page numbers `from` to `to`, each read as soon as one of `parallel` hands is free; results in order. */
async function readMany<T>(
  { fetch, parallel }: PagePlan<T>,
  from: number,
  to: number,
  size: number,
): Promise<Page<T>[]> {
  const pages: Page<T>[] = new Array(Math.max(0, to - from + 1));
  let next = from;
  const hand = async () => {
    while (next <= to) {
      const page = next++;
      pages[page - from] = await fetch(page, size);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, pages.length) }, hand));
  return pages;
}

/**
 * Reads page 1, then the rest in parallel, in order and without repeats. Where the service does not say how
 * many there are, or the data grew meanwhile, it goes on page by page until one brings nothing new.
 */
export async function readPages<T>(plan: PagePlan<T>): Promise<T[]> {
  const { fetch, limit, idOf } = plan;
  if (limit <= 0) return [];
  const size = Math.min(MAX_PAGE, limit);
  const found = new Map<string, T>();
  const keep = ({ items }: Page<T>): boolean => {
    const before = found.size;
    for (const item of items) if (!found.has(idOf(item))) found.set(idOf(item), item);
    return found.size > before;
  };

  const first = await fetch(1, size);
  let fresh = keep(first);
  let expected = first.total;
  let page = 2;
  if (first.total !== undefined) {
    const last = Math.ceil(Math.min(limit, first.total) / size);
    const rest = await readMany(plan, 2, last, size);
    rest.forEach(keep);
    expected = rest.at(-1)?.total ?? first.total;
    page = last + 1;
  }
  while (fresh && found.size < Math.min(limit, expected ?? Infinity)) {
    const next = await fetch(page++, size);
    fresh = keep(next);
  }
  const all = [...found.values()];
  return limit < all.length ? all.slice(0, limit) : all;
}
