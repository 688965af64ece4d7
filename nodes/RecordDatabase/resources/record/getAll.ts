import type { IDataObject } from 'n8n-workflow';
import { filterForm } from '../../../shared/kit/filterForm';
import { filterOf } from '../../../shared/kit/filterInput';
import type { Item } from '../../../shared/kit/item';
import { outputs, type Operation } from '../../../shared/kit/operation';
import { tableLocator } from '../../../shared/kit/pickers';
import { limitOf, returnAllOrLimit } from '../../../shared/kit/returnAll';
import { recordListSchema, type ServiceRecord } from '../../../shared/model/responses';
import { ApiFailure } from '../../../shared/transport/errors';
import { readPages, type Page } from '../../../shared/transport/pages';
import { columnOptions, columnQuery } from './columns';
import { endpoints } from './endpoints';
import { sortForm, sortOf } from './sort';

const PARALLEL_PAGES = 6;

/**
 * Reads one page. GET serves plain lists; a filter or several sort rules need the POST form. `page` and
 * `limit` always go along: a POST without them could be taken for a record (spec: Records).
 */
async function pageReader(item: Item): Promise<(page: number, size: number) => Promise<Page<ServiceRecord>>> {
  const path = { dataTableId: item.id('dataTableId') };
  const table = await item.table(path.dataTableId);
  const filters = filterOf(item, table);
  const sort = sortOf(item, table);
  const query = await columnQuery(item);
  const [first] = sort;
  const read = (page: number, limit: number) =>
    filters || sort.length > 1
      ? item.client.call(endpoints.listFiltered, {
          path,
          body: {
            ...query,
            page,
            limit,
            ...(sort.length > 0 && { sort_by: sort }),
            ...(filters && { filters }),
          } as IDataObject,
        })
      : item.client.call(endpoints.list, {
          path,
          query: { ...query, page, limit, ...(first && { order: first.sort, order_by: first.by }) },
        });
  return async (page, limit) => {
    const parsed = recordListSchema.safeParse((await read(page, limit)).body);
    if (!parsed.success) throw notAList;
    return { items: parsed.data.items, total: parsed.data.total_items };
  };
}

const notAList = new ApiFailure({
  message: 'The service did not answer with a list of records',
  description: 'Check the table, and the Base URL in the Record Database API credential.',
});

export const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many records',
  description: 'Get many records, filtered and sorted',
  endpoints: [endpoints.list, endpoints.listFiltered],
  parameters: [
    tableLocator,
    ...returnAllOrLimit,
    ...filterForm,
    sortForm,
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: columnOptions,
    },
  ],
  async run(item) {
    const fetch = await pageReader(item);
    return outputs(
      await readPages({ fetch, limit: limitOf(item), parallel: PARALLEL_PAGES, idOf: ({ id }) => id }),
    );
  },
};
