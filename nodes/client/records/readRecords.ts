import { recordEndpoints } from '../endpoints/catalogue';
import { ApiError } from '../errors/apiError';
import type { SymbolicItem } from '../filter/symbolic';
import type { FilterGroup } from '../filter/tree';
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

/** A condition on `created_at`, in words or symbols. */
interface CreationCondition {
  operator: string;
  value: unknown;
}

/** Lists the conditions on `created_at` that every record of a list meets. */
const listCreationConditions = ({ condition, items, child }: FilterGroup): CreationCondition[] =>
  condition === 'AND'
    ? [
        ...items
          .filter(({ field_id: id }) => id === 'created_at')
          .map(({ operator, val }) => ({ operator, value: val })),
        ...child.flatMap((group) => listCreationConditions(group)),
      ]
    : [];

const UPPER_BOUNDS = new Set(['is before', 'is on or before', '<', '<=']);
const LOWER_BOUNDS = new Set(['is after', 'is on or after', '>', '>=']);

/** Whether a date lies on the wrong side of the date of a condition. A day is compared with the day of the record. */
function isOutside(date: string, { operator, value }: CreationCondition): boolean {
  const bound = String(value ?? '');
  if (!/^\d{4}-\d\d-\d\d/.test(bound)) return false;
  const shown = date.slice(0, bound.length);
  return UPPER_BOUNDS.has(operator) ? shown > bound : LOWER_BOUNDS.has(operator) && shown < bound;
}

/**
 * Compares the records with the conditions on `created_at`. The service drops a condition on a field that it does not
 * know without an error, and no list of fields names `created_at` (spec: Filters, "Unknown field rule"; Record): a
 * service that does not know it there would return all records, and the next step would change them.
 * Open point: `systemColumns`.
 * @throws ApiError if a record was created outside of the dates
 */
function ensureCreationDates({ items }: RecordList, conditions: CreationCondition[]): void {
  for (const condition of conditions) {
    const stray = items.find(
      ({ created_at: date }) => typeof date === 'string' && isOutside(date, condition),
    );
    if (!stray) continue;
    throw new ApiError({
      message: `Filter: the service did not apply "created_at ${condition.operator} ${String(condition.value)}"`,
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
  const { filters } = query[1];
  ensureCreationDates(body, filters ? listCreationConditions(filters) : []);
  return body;
}

interface SearchQuery {
  tableId: string;
  /** Conditions in the service's symbolic form, all of which a record meets. */
  items: SymbolicItem[];
  /** Up to two sort rules. */
  sort?: SortRules;
  /** Columns to return; all by default. */
  selection?: PageQuery['selection'];
}

/**
 * Reads one page of the records that meet conditions of the symbolic form (spec: Filters): at most 200.
 * @example
 * const items = [{ field_id: 'price', condition: '>', value: 5 }];
 * await client.records.searchPage({ tableId: 'T1x9Kq', items }, 1, 50); // { items: [{ id: '…', … }], … }
 * @throws ApiError for a failed request, or if the service ignored a condition on `created_at`
 */
export async function searchRecordPage(
  client: HttpClient,
  { tableId, items, sort = [], selection }: SearchQuery,
  page: number,
  limit: number,
): Promise<RecordList> {
  const rules = sort.length > 0 && { sort_by: sort };
  const { body } = await client.call(recordEndpoints.search, {
    path: { dataTableId: tableId },
    body: { ...selection, filters: { condition: 'AND', items }, ...rules, page, limit },
  });
  ensureCreationDates(body, listSymbolicCreation(items));
  return body;
}

const listSymbolicCreation = (items: SymbolicItem[]): CreationCondition[] =>
  items
    .filter(({ field_id: id }) => id === 'created_at')
    .map(({ condition, value }) => ({ operator: condition, value }));

/**
 * Whether conditions name `created_at`. A service that drops such a condition shows it only by the records of a search:
 * read them before anything is changed by the same conditions. Open point: `systemColumns`.
 */
export const namesCreationDate = (items: SymbolicItem[]): boolean => listSymbolicCreation(items).length > 0;

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
