import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../../../shared/kit/operation';
import { tableLocator } from '../../../shared/kit/pickers';
import { returnAllOrLimit } from '../../../shared/kit/returnAll';
import { columnQuery } from './columns';
import { endpoints } from './endpoints';
import { listReadOptions, readAll } from './getAll';
import { listIn } from './listing';
import { sortForm, sortOf } from '../../../shared/kit/sortForm';
import { symbolicForm, symbolicOf } from './symbolicForm';

/** The service's second way to filter, by symbols; Get Many knows more operators and nested groups. */
export const search: Operation = {
  name: 'search',
  displayName: 'Search',
  action: 'Search records',
  description: 'Find records by simple comparisons (=, >, contains, …)',
  endpoints: [endpoints.search],
  parameters: [tableLocator, ...returnAllOrLimit, ...symbolicForm, sortForm, listReadOptions],
  async run(item) {
    const path = { dataTableId: item.id('dataTableId') };
    const table = await item.table(path.dataTableId);
    const items = symbolicOf(item, table);
    const sort = sortOf(item, table);
    const asked = {
      ...(await columnQuery(item)),
      ...(items.length > 0 && { filters: { condition: 'AND', items } }),
      ...(sort.length > 0 && { sort_by: sort }),
    };
    return readAll(item, async (page, limit) => {
      const body = { ...asked, page, limit } as unknown as IDataObject;
      return listIn((await item.client.call(endpoints.search, { path, body })).body);
    });
  },
};
