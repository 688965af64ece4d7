import type { RecordList, ServiceRecord } from '../../../../shared/model/answers/records';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { FilterGroup } from '../../../../shared/model/filter';
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

/** Sort order in which records keep their positions, in the formats of GET and POST (spec: Records). */
const CREATION_ORDER = {
  query: { order: 'created_at', order_by: 'asc' },
  body: { sort_by: [{ sort: 'created_at', by: 'asc' }] },
};

/** Reads one page of records. A list without a filter uses GET; any other list uses POST (spec: Records). */
export async function fetchRecordPage(
  client: Client,
  { tableId, filters }: RecordQuery,
  page: number,
  limit: number,
  order?: typeof CREATION_ORDER,
): Promise<RecordList> {
  const path = { dataTableId: tableId };
  const { body } = filters
    ? await client.call(recordEndpoints.listFiltered, {
        path,
        body: { ...order?.body, filters, page, limit },
      })
    : await client.call(recordEndpoints.list, { path, query: { ...order?.query, page, limit } });
  return body;
}

/** Reads all records that match a filter, and verifies that no record was skipped. */
export function readAllRecords(client: Client, query: RecordQuery): Promise<ServiceRecord[]> {
  let { firstPage } = query;
  const createFetch = (order?: typeof CREATION_ORDER) => async (page: number, size: number) => {
    const known = page === 1 && size === MAX_PAGE_SIZE && !order ? firstPage : undefined;
    // The given page is used once. If the list changes, all pages are requested again.
    firstPage = undefined;
    const list = known ?? (await fetchRecordPage(client, query, page, size, order));
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
