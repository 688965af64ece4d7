import { range } from 'lodash';
import { mapSteps } from '../concurrency/runSteps';
import { ApiError } from '../errors/apiError';
import { InputError } from '../input/inputError';
import type { RecordList, ServiceRecord } from '../responses/schemas';

/** Maximum number of records on a page (spec: Limits). */
export const MAX_PAGE_SIZE = 200;

/**
 * Reads a list in pages of 200 records, several at once. The list has changed if its pages show different totals, or do
 * not contain as many records as the total says: it is then read once more. If one record is deleted and another is
 * created during a reading, a record may be missing without notice.
 * @returns the records in order, each once
 * @throws InputError, before anything is sent, if `startPage` is above 1 and `choosePageSize` finds no size for `limit`
 * @throws ApiError if the list also changed during the second reading, unless `onChange` is given
 */
export async function readWholeList(query: ListQuery): Promise<ServiceRecord[]> {
  const { limit, startPage = 1, onChange } = query;
  if (limit <= 0) return [];
  const size = startPage > 1 ? choosePageSize(limit) : Math.min(MAX_PAGE_SIZE, limit);
  const first = await readListOnce(query, size);
  const { items, wantedCount, hasChanged } = first.hasChanged ? await readListOnce(query, size) : first;
  if (!hasChanged) return items;
  if (!onChange) {
    throw new ApiError({
      message: `The list changed while it was read: it has ${wantedCount} records, and ${items.length} were found`,
      description:
        'It was read twice. The records were not used, because some may be missing. Run it again, or filter for fewer records: up to 200 are read in one request.',
    });
  }
  onChange();
  return items;
}

interface ListQuery {
  fetchPage(page: number, size: number): Promise<RecordList>;
  /** Maximum number of records; Infinity for all. */
  limit: number;
  /** The number of the first page, 1 by default. A page has `limit` records. Above 1, `limit` must be finite. */
  startPage?: number;
  /** How many pages are requested at once, after the first page. */
  concurrency: number;
  /** Called in place of an error if the list also changed during the second reading, so that records may be missing. */
  onChange?(): void;
  /** Called after each page but the first, with the number of records that were read, and the total. */
  onProgress?(count: number, total: number): void;
}

/**
 * Chooses a page size that divides the limit, so that the start page begins where a page of the service begins.
 * Pages of less than 100 records would need too many requests. @throws InputError if there is no such size
 */
function choosePageSize(limit: number): number {
  const smallest = Math.min(limit, MAX_PAGE_SIZE / 2);
  for (let size = Math.min(limit, MAX_PAGE_SIZE); size >= smallest; size--)
    if (limit % size === 0) return size;
  throw new InputError(
    `Limit cannot be ${limit} with Start Page`,
    `Choose at most ${MAX_PAGE_SIZE}, or a multiple of 100: the service returns pages of equal size.`,
  );
}

async function readListOnce(query: ListQuery, requested: number) {
  const { fetchPage, limit, startPage = 1, concurrency, onProgress } = query;
  const start = startPage > 1 ? (startPage - 1) * limit : 0;
  const { first, size } = await fetchFirstPage(fetchPage, start, requested);
  const { total_items: total } = first;
  const wantedCount = Math.max(0, Math.min(limit, total - start));
  const firstPage = start / size + 1;
  const lastPage = Math.max(firstPage, Math.ceil((start + wantedCount) / size));
  let count = first.items.length;
  const others = await mapSteps(range(firstPage + 1, lastPage + 1), concurrency, async (page) => {
    const loaded = await fetchPage(page, size);
    count += loaded.items.length;
    onProgress?.(count, total);
    return loaded;
  });
  const byId = new Map<string, ServiceRecord>();
  for (const page of [first, ...others]) for (const record of page.items) byId.set(record.id, record);
  const items = [...byId.values()].slice(0, limit);
  const hasChanged = items.length !== wantedCount || others.some((page) => page.total_items !== total);
  return { items, wantedCount, hasChanged };
}

/**
 * Some services return smaller pages than requested, and count pages in that smaller size (evidence 16). The page that
 * begins at offset `start` is then requested again, by its number among the smaller pages.
 * @throws ApiError if no smaller page begins at `start`
 */
async function fetchFirstPage(
  fetchPage: ListQuery['fetchPage'],
  start: number,
  requested: number,
): Promise<{ first: RecordList; size: number }> {
  const first = await fetchPage(start / requested + 1, requested);
  const { items, total_items: total, total_pages: totalPages = 0 } = first;
  // The list ends before `start`. A service with smaller pages may return records from before `start`: leave them out.
  if (start > 0 && total <= start) return { first: { ...first, items: [] }, size: requested };
  const { length: size } = items;
  const isFull = size === Math.min(requested, total - start) && totalPages <= Math.ceil(total / requested);
  if (size === 0 || isFull) return { first, size: requested };
  if (start === 0) return { first, size };
  if (start % size === 0) return { first: await fetchPage(start / size + 1, size), size };
  throw new ApiError({
    message: `The service returns ${size} records a page, so the page that begins after ${start} records cannot be read`,
    description: `Choose a limit that is a multiple of ${size}.`,
  });
}
