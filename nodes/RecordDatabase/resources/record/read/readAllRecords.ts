import {
  CREATION_ORDER,
  fetchRecordPage,
  type SortRules,
} from '../../../../shared/kit/records/fetchRecordPage';
import type { FilterGroup } from '../../../../shared/model/filter';
import type { RecordList, ServiceRecord } from '../../../../shared/model/responses/records';
import type { Client } from '../../../../shared/transport/client';
import { MAX_PAGE_SIZE } from '../../../../shared/transport/paging/pagingOptions';
import { readVerifiedList } from '../../../../shared/transport/paging/readVerifiedList';

export interface RecordQuery {
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
