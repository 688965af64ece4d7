import { getQueriedTable, readFilter } from '../../../../shared/kit/filter/readFilter';
import { readSortRules } from '../../../../shared/kit/filter/sortForm';
import type { Item } from '../../../../shared/kit/operation/item';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { fetchRecordPage, type SortRules } from '../../../../shared/kit/records/fetchRecordPage';
import type { RecordList } from '../../../../shared/model/responses/records';
import { readColumnQuery } from './columns';

export type RecordPageReader = (page: number, limit: number) => Promise<RecordList>;

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
