import type { INodeProperties } from 'n8n-workflow';
import { withLookupEndpoints } from '../../shared/kit/connections/lookupEndpoints';
import { filterForm } from '../../shared/kit/filter/filterForm';
import { hasFilter, readFilter } from '../../shared/kit/filter/readFilter';
import { readSort, readSortRules, sortForm } from '../../shared/kit/filter/sortForm';
import type { Item } from '../../shared/kit/operation/item';
import { type Operation, toOutputs } from '../../shared/kit/operation/operation';
import { createOptions } from '../../shared/kit/operation/parameter';
import {
  describeTotal,
  includeTotalOption,
  readPageableWindow,
  returnAllOrLimit,
  startPageOption,
} from '../../shared/kit/operation/returnAll';
import { hideUntilPicked } from '../../shared/kit/pickers/hideUntilPicked';
import { createEmptyResult, ifNothingFoundOption } from '../../shared/kit/records/ifNothingFound';
import { simplifyRecords } from '../../shared/kit/records/simplifyRecords';
import { componentEndpoints, pageEndpoints } from '../../shared/model/endpoints/pages';
import type { FilterGroup } from '../../shared/model/filter';
import { InputError } from '../../shared/model/input/inputError';
import { asObject } from '../../shared/model/input/isObject';
import { recordOutput } from '../../shared/model/outputs/records';
import { groupComposites, simplifyRecord } from '../../shared/model/records/simplifyRecord';
import type { ListResponse } from '../../shared/model/responses/schemas';
import { ApiError } from '../../shared/transport/errors/apiError';
import type { ListPage } from '../../shared/transport/paging/pagingOptions';
import { readRows } from '../../shared/transport/paging/readRows';
import { readComponentPath, readComponentTable } from './readComponentTable';

const { listRecords: listComponentRecords, listFilteredRecords: filterComponentRecords } = componentEndpoints;

interface RecordSelection {
  filters?: FilterGroup;
  sort_by?: Array<{ sort: string; by: 'asc' | 'desc' }>;
}

/** Reads the item's filter and sort rules, and checks them against the component's table. */
async function readSelection(item: Item): Promise<RecordSelection> {
  const rules = readSortRules(item);
  const isFiltered = hasFilter(item);
  if (rules.length === 0 && !isFiltered) return {};
  const table = await readComponentTable(item);
  if (!table) {
    throw new InputError(
      'The service does not return the table of this component',
      'Without the table, the fields of a filter or a sort rule cannot be checked, and the service ignores unknown fields. Remove the filter and the sort rules, and filter the output with a Filter node.',
    );
  }
  const filters = await readFilter(item, table);
  return { ...(filters && { filters }), ...(rules.length > 0 && { sort_by: readSort(item, table) }) };
}

/** Uses POST for a filter without sort rules, GET otherwise: the spec defines `sort_by` for GET only. */
const fetchComponentPage = (item: Item, { filters, sort_by }: RecordSelection, page: number, limit: number) =>
  filters && !sort_by
    ? item.client.call(filterComponentRecords, {
        path: readComponentPath(item),
        body: { filters, page, limit },
      })
    : item.client.call(listComponentRecords, {
        path: readComponentPath(item),
        query: {
          ...(filters && { filters }),
          ...(sort_by && { sort_by }),
          page,
          limit,
        },
      });

/**
 * @param before number of records on all earlier pages
 * @throws ApiError if the response holds null although `total` is larger than `before`
 */
function checkRecordPage({ items, total, isNull }: ListResponse, before: number): ListPage<unknown> {
  if (!isNull || before >= (total ?? 0)) return { items, total };
  throw new ApiError({
    message: `The service returned no records after the first ${before} of ${total}`,
    description: 'Run it again. If it happens again, report it to the service.',
  });
}

/** Simplifies the records if Simplify is on. Without the component's table, parts of a field stay columns. */
async function simplifyFound(item: Item, found: unknown[]): Promise<unknown[]> {
  if (!item.read(simplifyRecords)) return found;
  const table = await readComponentTable(item);
  const slugs = new Set(table?.fields.map(({ slug }) => slug));
  return found.map(asObject).map((record) => {
    const grouped = table ? groupComposites(record, table, ({ slug }) => slug) : record;
    return simplifyRecord(grouped, slugs);
  });
}

export const createGetRecordsOperation = (which: INodeProperties[]): Operation => ({
  name: 'getRecords',
  displayName: 'Get Records',
  action: 'Get records of component',
  description:
    "Get the records that a component shows. A filter is applied in addition to the component's own filter.",
  output: recordOutput,
  endpoints: withLookupEndpoints(listComponentRecords, filterComponentRecords, pageEndpoints.listComponents),
  parameters: [
    ...which,
    ...returnAllOrLimit,
    ...hideUntilPicked('componentId', [...filterForm, sortForm]),
    simplifyRecords,
    createOptions(ifNothingFoundOption, includeTotalOption, startPageOption),
  ],
  async run(item) {
    const wanted = await readSelection(item);
    const window = readPageableWindow(item);
    let total: number | undefined;
    const found = await readRows({
      fetchPage: async (page, size) => {
        const { body } = await fetchComponentPage(item, wanted, page, size);
        total ??= body.total;
        return checkRecordPage(body, (page - 1) * size);
      },
      ...window,
      concurrency: 4,
    });
    if (found.length === 0) return createEmptyResult(item);
    const totals = describeTotal(item, window, total);
    return toOutputs(await simplifyFound(item, found)).map(({ json }) => ({ json: { ...json, ...totals } }));
  },
});
