import { recordEndpoints } from '../endpoints/catalogue';
import type { FilterGroup } from '../filter/tree';
import type { ApiResponse, Client } from '../http/client';
import type { RecordList } from '../responses/records';

export type SortRules = Array<{ sort: string; by: 'asc' | 'desc' }>;

/** The sort rule by which records keep their positions while a list is read. */
export const CREATION_ORDER: SortRules = [{ sort: 'created_at', by: 'asc' }];

/** The records of a list. Without `filters`, these are all records of the table. */
interface RecordPageQuery {
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
  client: Client,
  { tableId, filters, sort = [], selection }: RecordPageQuery,
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

/** Reads one page of records; see `requestRecordPage`. */
export const fetchRecordPage = async (...query: Parameters<typeof requestRecordPage>): Promise<RecordList> =>
  (await requestRecordPage(...query)).body;
