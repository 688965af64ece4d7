import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { requiredFilterForm } from '../../../../shared/kit/filter/filterForm';
import { readSymbolicFilter } from '../../../../shared/kit/filter/readFilter';
import { sortForm } from '../../../../shared/kit/filter/sortForm';
import type { Operation } from '../../../../shared/kit/operation/operation';
import { returnAllOrLimit } from '../../../../shared/kit/operation/returnAll';
import { hideUntilPicked } from '../../../../shared/kit/pickers/hideUntilPicked';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { simplifyRecords } from '../../../../shared/kit/records/simplifyRecords';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { recordOutput } from '../../../../shared/model/outputs/records';
import { readColumnQuery } from './columns';
import { listReadOptions, readRecords } from './getAll';

/**
 * Searches with the service's symbolic filter form (spec: Filters). Get Many uses the primary form, which has more
 * operators and nested groups.
 */
export const search: Operation = {
  name: 'search',
  displayName: 'Search',
  action: 'Search records',
  description:
    'Find records by simple conditions, in the second filter notation of the service. Get Many has more operators, and groups.',
  output: recordOutput,
  endpoints: withLookupEndpoints(recordEndpoints.search),
  parameters: [
    tableLocator,
    ...returnAllOrLimit,
    ...hideUntilPicked('dataTableId', requiredFilterForm),
    sortForm,
    simplifyRecords,
    listReadOptions,
  ],
  async run(item, mode) {
    const path = { dataTableId: item.read(tableLocator) };
    const table = await item.getFreshTable(path.dataTableId);
    const items = await readSymbolicFilter(item, table, {
      operation: 'Search',
      alternative: 'Get Many has all operators, groups and OR.',
    });
    const query = { ...(await readColumnQuery(item)), filters: { condition: 'AND', items } };
    return readRecords(item, mode, (sort) => async (page, limit) => {
      const rules = sort.length > 0 && { sort_by: sort };
      const body = { ...query, ...rules, page, limit };
      return (await item.client.call(recordEndpoints.search, { path, body })).body;
    });
  },
};
