import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listComponents } from '../../shared/kit/componentTable';
import { filterForm } from '../../shared/kit/filterForm';
import { filterOf } from '../../shared/kit/filterInput';
import type { Item } from '../../shared/kit/item';
import { outputs, type Operation } from '../../shared/kit/operation';
import { limitOf, returnAllOrLimit } from '../../shared/kit/returnAll';
import { sortForm, sortOf, sortRules } from '../../shared/kit/sortForm';
import { objectIn } from '../../shared/model/answer';
import { v11 } from '../../shared/model/endpoint';
import type { FilterGroup } from '../../shared/model/filter';
import { InputError } from '../../shared/model/inputError';
import { countIn, listIn } from '../../shared/model/responses';
import { ApiFailure } from '../../shared/transport/errors';
import type { Page } from '../../shared/transport/pagePlan';
import { readRows } from '../../shared/transport/rows';
import { fullFieldsInfo } from '../../shared/transport/schema';
import { pathOf, tableOf } from './table';

const records = '/pages/{pageId}/components/{componentId}/records';
const listRecords = v11(`GET ${records}`);
const listFiltered = v11(`POST ${records}`, 'read');

interface Wanted {
  filters?: FilterGroup;
  sort_by?: Array<{ sort: string; by: 'asc' | 'desc' }>;
}

/** The item's filter and sort rules, checked against the component's table. */
async function wantedBy(item: Item): Promise<Wanted> {
  const rules = sortRules(item);
  const isFiltered = item.value<string>('filterMode', 'none') !== 'none';
  if (rules.length === 0 && !isFiltered) return {};
  const table = await tableOf(item);
  if (!table) {
    throw new InputError(
      'The service does not say which table this component shows',
      'So fields in a filter or sort rule cannot be checked, and an unknown one would be dropped in silence. Remove them, and filter the output instead.',
    );
  }
  const filters = filterOf(item, table);
  return { ...(filters && { filters }), ...(rules.length > 0 && { sort_by: sortOf(item, table) }) };
}

/** GET serves plain and sorted lists, POST filtered ones; only GET documents `sort_by`, so both go there. */
const ask = (item: Item, { filters, sort_by }: Wanted, page: number, limit: number) =>
  filters && !sort_by
    ? item.client.call(listFiltered, {
        path: pathOf(item),
        body: { filters, page, limit } as unknown as IDataObject,
      })
    : item.client.call(listRecords, {
        path: pathOf(item),
        query: {
          ...(filters && { filters }),
          ...(sort_by && { sort_by }),
          page,
          limit,
        } as unknown as IDataObject,
      });

/** @param before records on the pages before it */
function pageIn(body: unknown, before: number): Page<IDataObject> {
  const items = listIn(body, 'records') ?? listIn(body, 'items');
  const { records: given, total: count, total_items: more } = objectIn(body);
  const total = countIn(count ?? more);
  // No records where there are said to be more: the end would be taken for reached.
  if (!items || (given === null && items.length === 0 && before < (total ?? 0))) {
    throw new ApiFailure({
      message: 'The service did not answer with a list of records',
      description: 'Check the page and the component: a chart, for example, may have none.',
    });
  }
  return { items: items as IDataObject[], total };
}

export const getRecords = (which: INodeProperties[]): Operation => ({
  name: 'getRecords',
  displayName: 'Get Records',
  action: 'Get the records of a component',
  description: "Get the records that a component shows. A filter counts on top of the component's own.",
  endpoints: [listRecords, listFiltered, listComponents, fullFieldsInfo],
  parameters: [...which, ...returnAllOrLimit, ...filterForm, sortForm],
  async run(item) {
    const wanted = await wantedBy(item);
    const found = await readRows({
      fetch: async (page, size) => pageIn((await ask(item, wanted, page, size)).body, (page - 1) * size),
      limit: limitOf(item),
      parallel: 4,
    });
    return outputs(found);
  },
});
