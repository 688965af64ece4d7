import { readFilter } from '../../../../shared/kit/filter/readFilter';
import type { Item } from '../../../../shared/kit/operation/item';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import type { RecordList } from '../../../../shared/model/answers/records';
import { readColumnQuery } from './columns';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { readSort } from '../../../../shared/kit/filter/sortForm';

export type RecordPageReader = (page: number, limit: number) => Promise<RecordList>;

/**
 * Sort rule that keeps records at their positions. A list is read in this order if its records move under its own
 * rules.
 */
export const CREATION_ORDER: SortRules = [{ sort: 'created_at', by: 'asc' }];

type SortRules = ReturnType<typeof readSort>;

/** Creates a page reader that sorts records by the given rules. */
export type CreatePageReader = (sort: SortRules) => RecordPageReader;

/**
 * Reads the item's filter and columns, and returns a function for the pages of the records that match. A list without a filter and with at most one sort rule uses GET; any other list uses POST. Each request
 * contains `page` and `limit`, because the service may treat a POST without them as a new record (spec: Records).
 */
export async function preparePageReader(item: Item): Promise<CreatePageReader> {
  const path = { dataTableId: item.read(tableLocator) };
  const table = await item.getTable(path.dataTableId);
  const filters = await readFilter(item, table);
  const query = await readColumnQuery(item);
  return (sort) => {
    const [first] = sort;
    if (!filters && sort.length <= 1) {
      const order = first && { order: first.sort, order_by: first.by };
      return async (page, limit) =>
        (await item.client.call(recordEndpoints.list, { path, query: { ...query, ...order, page, limit } }))
          .body;
    }
    const rules = sort.length > 0 && { sort_by: sort };
    return async (page, limit) => {
      const body = { ...query, ...rules, ...(filters && { filters }), page, limit };
      return (await item.client.call(recordEndpoints.listFiltered, { path, body })).body;
    };
  };
}
