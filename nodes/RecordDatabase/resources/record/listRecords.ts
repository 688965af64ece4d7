import type { FilterGroup } from '../../../client/filter/tree';
import type { Client } from '../../../client/http/client';
import { MAX_PAGE_SIZE } from '../../../client/paging/pages';
import { readList } from '../../../client/paging/readList';
import { readVerifiedList } from '../../../client/paging/readVerifiedList';
import { CREATION_ORDER, type SortRules, fetchRecordPage } from '../../../client/records/fetchRecordPage';
import type { RecordList, ServiceRecord } from '../../../client/responses/records';
import { getQueriedTable, readFilter } from '../../../n8n/filter/readFilter';
import { readSort, readSortRules } from '../../../n8n/filter/sortForm';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { ListWindow } from '../../../n8n/operation/returnAll';
import { readColumnQuery } from './columns';

type RecordPageReader = (page: number, limit: number) => Promise<RecordList>;

/** Creates a page reader that sorts records by the given rules. */
export type CreatePageReader = (sort: SortRules) => RecordPageReader;

/** Reads the item's filter and columns, and returns a function for the pages of the records that match. */
export async function preparePageReader(item: Item): Promise<CreatePageReader> {
  const isSorted = readSortRules(item).length > 0;
  const table = await getQueriedTable(item, item.read(tableLocator), isSorted);
  const filters = await readFilter(item, table);
  const selection = await readColumnQuery(item);
  return (sort) => (page, limit) =>
    fetchRecordPage(item.client, { tableId: table.id, filters, sort, selection }, page, limit);
}

const CHANGED_HINT =
  'Records changed while they were read, so the list was read again. No record that was there all the time is missing.';
const MAY_MISS_HINT =
  'Records changed while they were read, so some may be missing. Turn off "Fast Paging" in the credential to read all of them.';

/** Reads the pages of the window. `total` is the number of all matching records, if the service returns it. */
export async function listRecords(
  item: Item,
  createReader: CreatePageReader,
  window: ListWindow,
): Promise<{ records: RecordList['items']; total?: number }> {
  let total: number | undefined;
  const toFetch = (read: RecordPageReader) => async (page: number, size: number) => {
    const list = await read(page, size);
    total ??= list.total_items;
    return { items: list.items, total: list.total_items };
  };
  const table = await item.getTable(item.read(tableLocator));
  const isFast = item.client.credential.fastPaging;
  const records = await (isFast ? readList : readVerifiedList)({
    fetchPage: toFetch(createReader(readSort(item, table))),
    fetchPinnedPage: toFetch(createReader(CREATION_ORDER)),
    ...window,
    concurrency: item.client.concurrency,
    getId: ({ id }) => id,
    onChange: () => item.client.notices.addHint(isFast ? MAY_MISS_HINT : CHANGED_HINT),
    onProgress: (count, expected) =>
      item.client.notices.reportProgress(
        () => `${count} of ${expected ?? 'an unknown number of'} records read`,
      ),
  });
  return { records, total };
}

interface RecordQuery {
  tableId: string;
  /** Filter in the service's primary form. All records are read without it. */
  filters?: FilterGroup;
  /** Maximum number of records. */
  limit?: number;
  /** First page (200 records), if the caller has already read it. */
  firstPage?: RecordList;
  /** Called with each page before the next one is requested. It may throw to end the reading. */
  onPage?(list: RecordList): void;
}

/**
 * Reads all records that match a filter, and verifies that no record was skipped (`readVerifiedList.ts`). It needs one
 * request for each 180 records.
 * @example
 * const records = await readAllRecords(client, { tableId: 'T1x9Kq', limit: 500 });
 * @throws ApiError for a failed request; UnstableListError if the records change their order during each reading
 */
export function readAllRecords(client: Client, query: RecordQuery): Promise<ServiceRecord[]> {
  const { tableId, filters } = query;
  let { firstPage } = query;
  const createFetch = (sort?: SortRules) => async (page: number, size: number) => {
    const known = page === 1 && size === MAX_PAGE_SIZE && !sort ? firstPage : undefined;
    // The given page is used once. If the list changes, all pages are requested again.
    firstPage = undefined;
    const list = known ?? (await fetchRecordPage(client, { tableId, filters, sort }, page, size));
    query.onPage?.(list);
    return { items: list.items, total: list.total_items };
  };
  return readVerifiedList({
    fetchPage: createFetch(),
    fetchPinnedPage: createFetch(CREATION_ORDER),
    limit: query.limit ?? Infinity,
    concurrency: client.concurrency,
    getId: ({ id }) => id,
    onProgress: (count, expected) =>
      client.notices.reportProgress(() => `${count} of ${expected ?? 'an unknown number of'} records read`),
  });
}
