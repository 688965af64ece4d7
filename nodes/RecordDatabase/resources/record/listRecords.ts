import { readList } from '../../../client/paging/readList';
import { readVerifiedList } from '../../../client/paging/readVerifiedList';
import { CREATION_ORDER, type SortRules } from '../../../client/records/readRecords';
import type { RecordList } from '../../../client/responses/records';
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
    item.client.records.readPage({ tableId: table.id, filters, sort, selection }, page, limit);
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
