import { createColumnForm } from '../../../../shared/kit/columns/json/columnForm';
import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { toRequestBody } from '../../../../shared/kit/columns/requestBody';
import { type DatedRecord, sendUpdate, type UpdateResult } from '../../../../shared/kit/columns/sendUpdate';
import { updateOptions } from '../../../../shared/kit/columns/writeOptions';
import {
  type RecordChange,
  writeWithConnections,
} from '../../../../shared/kit/connections/changeConnections';
import { ensureConnectionsStored } from '../../../../shared/kit/connections/ensureStored';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import type { Item } from '../../../../shared/kit/operation/item';
import type { Operation } from '../../../../shared/kit/operation/operation';
import { createOptions } from '../../../../shared/kit/operation/parameter';
import { recordLocator } from '../../../../shared/kit/pickers/recordPicker';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { InputError } from '../../../../shared/model/input/inputError';
import { changedOutput } from '../../../../shared/model/outputs/records';
import type { Table } from '../../../../shared/model/records/table';
import { createFormulaHeaders, formulaOptions, runsFormulas } from './formulas';
import { toRecordOutputs, withAction } from './recordOutputs';

/** What an update writes, as `writeWithConnections` gives it, and what is known about the record. */
interface UpdateDetails extends RecordChange {
  before?: DatedRecord;
  writesUnchanged?: boolean;
}

/** Updates one record. Columns that the item does not name keep their values. */
export async function updateRecord(
  item: Item,
  table: Table,
  id: string,
  { entries, adapt, before, writesUnchanged = false }: UpdateDetails,
): Promise<UpdateResult> {
  const result = await sendUpdate({
    item,
    table,
    recordId: id,
    entries,
    adapt,
    before,
    writesUnchanged: writesUnchanged || runsFormulas(item),
    endpoint: recordEndpoints.update,
    call: { path: { dataTableId: table.id, recordId: id }, headers: createFormulaHeaders(item) },
    createBody: (all) => toRequestBody(all, 'update'),
  });
  if (!adapt) ensureConnectionsStored(item, table, entries, result.body, { action: 'updated', recordId: id });
  return result;
}

export const update: Operation = {
  name: 'update',
  displayName: 'Update',
  action: 'Update record',
  description: 'Change values of a record; columns that are not given stay as they are',
  output: changedOutput,
  endpoints: withLookupEndpoints(recordEndpoints.update, recordEndpoints.get, recordEndpoints.create),
  parameters: [
    tableLocator,
    recordLocator,
    ...createColumnForm('update'),
    createOptions(...updateOptions, ...formulaOptions),
  ],
  // Writes to one record run in the order of the items.
  serialKey: (item) => `${item.read(tableLocator)}/${item.read(recordLocator)}`,
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    const id = item.read(recordLocator);
    const entries = await readRecordEntries(item, table);
    if (entries.length === 0) {
      throw new InputError(
        'Nothing to update: no column has a value',
        'Add at least one column under "Columns".',
      );
    }
    return writeWithConnections(item, table, id, entries, async (change) => {
      const { action, body } = await updateRecord(item, table, id, change);
      return withAction(toRecordOutputs(body, { id }), action);
    });
  },
};
