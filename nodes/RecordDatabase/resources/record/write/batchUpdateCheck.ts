import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { Item } from '../../../../shared/kit/operation/item';
import { type Operation, toOutputs } from '../../../../shared/kit/operation/operation';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { SymbolicItem } from '../../../../shared/model/filter/symbolic';
import { batchOutput } from '../../../../shared/model/outputs/records';
import { Table } from '../../../../shared/model/records/table';
import { readSymbolicFilter, symbolicForm } from './symbolicForm';
/** @throws InputError when there are no conditions, because the update would change every record of the table */
export const requireConditions = (item: Item, table: Table): Promise<SymbolicItem[]> =>
  readSymbolicFilter(item, table, {
    effect: 'changed',
    remedy: 'To change all records, use one that all meet, such as "Created At" is not blank.',
  });

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
  parameters: [tableLocator, ...symbolicForm],
  async run(item) {
    const table = await item.getFreshTable(item.read(tableLocator));
    return toOutputs(await fetchBatchCheck(item, table, await requireConditions(item, table)));
  },
};
