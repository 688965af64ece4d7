import { recordEndpoints } from '../endpoints/catalogue';
import { ApiError } from '../errors/apiError';
import type { FilterGroup, FilterItem } from '../filter/tree';
import type { ApiResponse, HttpClient } from '../http/client';
import { MAX_PAGE_SIZE } from '../paging/pageRanges';
import { readWholeList } from '../paging/readWholeList';
import type { RecordList, ServiceRecord } from '../responses/schemas';

export type SortRules = Array<{ sort: string; by: 'asc' | 'desc' }>;

/** The sort rule by which records keep their positions while a list is read. */
export const CREATION_ORDER: SortRules = [{ sort: 'created_at', by: 'asc' }];

/** The records of a list. Without `filters`, these are all records of the table. */
interface PageQuery {
  tableId: string;
  /** In the service's primary form. */
  filters?: FilterGroup;
  sort?: SortRules;
  /** Further keys of the request. */
  selection?: { columns?: string; display_names?: true };
}

/**
 * Requests one page of records. A list without a filter and with at most one sort rule uses GET; any other list uses
 * POST. Each request contains `page` and `limit`, because the service may treat a POST without them as a new record
 * (spec: Records).
 */
export function requestRecordPage(
  client: HttpClient,
  { tableId, filters, sort = [], selection }: PageQuery,
  page: number,
  limit: number,
): Promise<ApiResponse<RecordList>> {
  const path = { dataTableId: tableId };
  const [first] = sort;
  if (!filters && sort.length <= 1) {
    const order = first && { order: first.sort, order_by: first.by };
    return client.call(recordEndpoints.list, { path, query: { ...selection, ...order, page, limit } });
  }
  const rules = first && { sort_by: sort };
  const body = { ...selection, ...rules, ...(filters && { filters: { ...filters } }), page, limit };
  return client.call(recordEndpoints.listFiltered, { path, body });
}

/** Lists the conditions on `created_at` that every record of a list meets. */
const listCreationConditions = ({ condition, items, child }: FilterGroup): FilterItem[] =>
  condition === 'AND'
    ? [
        ...items.filter(({ field_id: id }) => id === 'created_at'),
        ...child.flatMap((group) => listCreationConditions(group)),
      ]
    : [];

/** Whether a date lies on the wrong side of the date of a condition. A day is compared with the day of the record. */
function isOutside(date: string, { operator, val }: FilterItem): boolean {
  const bound = String(val ?? '');
  if (!/^\d{4}-\d\d-\d\d/.test(bound)) return false;
  const shown = date.slice(0, bound.length);
  if (operator === 'is before' || operator === 'is on or before') return shown > bound;
  return (operator === 'is after' || operator === 'is on or after') && shown < bound;
}

/**
 * Compares the records with the conditions on `created_at`. The service drops a condition on a field that it does not
 * know without an error, and no list of fields names `created_at` (spec: Filters, "Unknown field rule"; Record): a
 * service that does not know it there would return all records, and the next step would change them.
 * Open point: `systemColumns`.
 * @throws ApiError if a record was created outside of the dates
 */
function ensureCreationDates({ items }: RecordList, filters?: FilterGroup): void {
  const conditions = filters ? listCreationConditions(filters) : [];
  for (const condition of conditions) {
    const stray = items.find(
      ({ created_at: date }) => typeof date === 'string' && isOutside(date, condition),
    );
    if (!stray) continue;
    throw new ApiError({
      message: `Filter: the service did not apply "created_at ${condition.operator} ${String(condition.val)}"`,
      description: `It returned record ${stray.id}, created at ${String(stray.created_at)}. Remove the condition, and choose the records by "created_at" in the next step of the workflow.`,
    });
  }
}

/**
 * Reads one page of records: at most 200. Pages are numbered from 1 on.
 * @example
 * await client.records.readPage({ tableId: 'T1x9Kq' }, 1, 50); // { items: [{ id: '…', … }], total_items: 120, … }
 * @throws ApiError for a failed request, or if the service ignored a condition on `created_at`
 */
export async function fetchRecordPage(...query: Parameters<typeof requestRecordPage>): Promise<RecordList> {
  const { body } = await requestRecordPage(...query);
  ensureCreationDates(body, query[1].filters);
  return body;
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
 * Reads all records that match a filter, and verifies that no record was skipped (`readWholeList.ts`). It needs one
 * request for each 180 records.
 * @example
 * const records = await client.records.readAll({ tableId: 'T1x9Kq', limit: 500 });
 * @throws ApiError for a failed request; UnstableListError if the records change their order during each reading
 */
export function readAllRecords(client: HttpClient, query: RecordQuery): Promise<ServiceRecord[]> {
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
  return readWholeList({
    fetchPage: createFetch(),
    fetchPinnedPage: createFetch(CREATION_ORDER),
    limit: query.limit ?? Infinity,
    concurrency: client.concurrency,
    getId: ({ id }) => id,
    onProgress: (count, expected) =>
      client.notices.reportProgress(() => `${count} of ${expected ?? 'an unknown number of'} records read`),
  });
}
