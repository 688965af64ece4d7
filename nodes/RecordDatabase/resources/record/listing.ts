import type { IDataObject } from 'n8n-workflow';
import { filterOf } from '../../../shared/kit/filterInput';
import type { Item } from '../../../shared/kit/item';
import { recordListSchema, type RecordList } from '../../../shared/model/responses';
import { ApiFailure } from '../../../shared/transport/errors';
import { columnQuery } from './columns';
import { endpoints } from './endpoints';
import { sortOf } from '../../../shared/kit/sortForm';

/** @throws ApiFailure when the answer holds no list */
export function listIn(body: unknown): RecordList {
  const parsed = recordListSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ApiFailure({
    message: 'The service did not answer with a list of records',
    description: 'Check the table, and the Base URL in the Record Database API credential.',
  });
}

export type ReadPage = (page: number, limit: number) => Promise<RecordList>;

/**
 * Reads pages of what the item's filter and sort rules ask for. GET serves plain lists; a filter or several
 * sort rules need the POST form. `page` and `limit` always go along: a POST without them could be taken for
 * a record (spec: Records).
 */
export async function pageReader(item: Item): Promise<ReadPage> {
  const path = { dataTableId: item.id('dataTableId') };
  const table = await item.table(path.dataTableId);
  const filters = filterOf(item, table);
  const sort = sortOf(item, table);
  const query = await columnQuery(item);
  const [first] = sort;
  if (!filters && sort.length <= 1) {
    const order = first && { order: first.sort, order_by: first.by };
    return async (page, limit) =>
      listIn(
        (await item.client.call(endpoints.list, { path, query: { ...query, ...order, page, limit } })).body,
      );
  }
  const rules = sort.length > 0 && { sort_by: sort };
  return async (page, limit) => {
    const body = { ...query, ...rules, ...(filters && { filters }), page, limit } as unknown as IDataObject;
    return listIn((await item.client.call(endpoints.listFiltered, { path, body })).body);
  };
}
