import { asObject } from '../input/values';
import { type ListPage, type PagingOptions, fetchFirstPage } from './pages';
import { readList } from './readList';
import { readVerifiedList } from './readVerifiedList';

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
