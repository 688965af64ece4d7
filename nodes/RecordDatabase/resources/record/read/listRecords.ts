import { readSort } from '../../../../shared/kit/filter/sortForm';
import type { Item } from '../../../../shared/kit/operation/item';
import { defineParameter } from '../../../../shared/kit/operation/parameter';
import type { ListWindow } from '../../../../shared/kit/operation/returnAll';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { CREATION_ORDER } from '../../../../shared/kit/records/fetchRecordPage';
import type { RecordList } from '../../../../shared/model/responses/records';
import { readList } from '../../../../shared/transport/paging/readList';
import { readVerifiedList } from '../../../../shared/transport/paging/readVerifiedList';
import type { CreatePageReader, RecordPageReader } from './recordPageReader';

const CHANGED_HINT =
  'Records changed while they were read, so the list was read again. No record that was there all the time is missing.';
const MAY_MISS_HINT =
  'Records changed while they were read, so some may be missing. Turn off "Fast Paging" to read all of them.';

export const fastPagingOption = defineParameter({
  displayName: 'Fast Paging',
  name: 'fastPaging',
  type: 'boolean',
  default: true,
  description:
    'Whether to read each page once. This saves 10 % of the requests of a long list, but a record may be missing when records are added, removed or moved meanwhile.',
});

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
  const isFast = item.readOption(fastPagingOption) === true;
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
