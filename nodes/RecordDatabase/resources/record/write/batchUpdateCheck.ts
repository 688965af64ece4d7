import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { requiredFilterForm } from '../../../../shared/kit/filter/filterForm';
import { readSymbolicFilter } from '../../../../shared/kit/filter/readFilter';
import { Item } from '../../../../shared/kit/operation/item';
import { type Operation, toOutputs } from '../../../../shared/kit/operation/operation';
import { hideUntilPicked } from '../../../../shared/kit/pickers/hideUntilPicked';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { SymbolicItem } from '../../../../shared/model/filter/symbolic';
import { batchOutput } from '../../../../shared/model/outputs/records';
import { Table } from '../../../../shared/model/records/table';

/** Returns how many records the conditions match (spec: batch-update-check). */
export async function fetchBatchCheck(item: Item, table: Table, items: SymbolicItem[]) {
  const { body } = await item.client.call(recordEndpoints.batchUpdateCheck, {
    path: { dataTableId: table.id },
    body: { filters: { items } },
  });
  return body;
}

export const batchUpdateCheck: Operation = {
  name: 'batchUpdateCheck',
  displayName: 'Check Batch Update',
  action: 'Check batch update',
  description: 'Count the records that a batch update would change, and change nothing',
  output: batchOutput,
  endpoints: withLookupEndpoints(recordEndpoints.batchUpdateCheck),
  parameters: [tableLocator, ...hideUntilPicked('dataTableId', requiredFilterForm)],
  async run(item) {
    const table = await item.getFreshTable(item.read(tableLocator));
    const items = await readSymbolicFilter(item, table, {
      operation: 'Check Batch Update',
      alternative: 'Count has all operators, groups and OR.',
    });
    return toOutputs(await fetchBatchCheck(item, table, items));
  },
};
