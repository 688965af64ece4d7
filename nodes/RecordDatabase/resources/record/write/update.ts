import { createColumnForm } from '../../../../shared/kit/columns/json/columnForm';
import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { toRequestBody } from '../../../../shared/kit/columns/requestBody';
import { sendSafeUpdate } from '../../../../shared/kit/columns/safeUpdate';
import { updateOptions } from '../../../../shared/kit/columns/writeOptions';
import { writeWithConnections } from '../../../../shared/kit/connections/changeConnections';
import { ensureConnectionsStored } from '../../../../shared/kit/connections/ensureStored';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import {
  explainUncertainWrite,
  REPEAT_IS_SAFE,
} from '../../../../shared/kit/operation/explainUncertainWrite';
import type { Item } from '../../../../shared/kit/operation/item';
import type { Operation } from '../../../../shared/kit/operation/operation';
import { createOptions } from '../../../../shared/kit/operation/parameter';
import { recordLocator } from '../../../../shared/kit/pickers/recordPicker';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { PayloadEntries } from '../../../../shared/model/fields';
import { InputError } from '../../../../shared/model/input/inputError';
import { updatedOutput } from '../../../../shared/model/outputs/records';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { createFormulaHeaders, formulaOptions } from './formulas';
import { toRecordOutputs } from './recordOutputs';

/**
 * Updates one record. Columns that `entries` does not name keep their values.
 * @param before the record before the update, if it was read already
 * @returns the body of the response
 */
export async function updateRecord(
  item: Item,
  table: Table,
  id: string,
  entries: PayloadEntries,
  before?: ServiceRecord,
): Promise<unknown> {
  const send = async (all: PayloadEntries) => {
    const path = { dataTableId: table.id, recordId: id };
    const call = { path, body: toRequestBody(all, 'update'), headers: createFormulaHeaders(item) };
    return item.client.call(recordEndpoints.update, call).catch((error: unknown) => {
      throw explainUncertainWrite(error, REPEAT_IS_SAFE);
    });
  };
  const safeUpdate = { item, endpoint: recordEndpoints.update, table, recordId: id, entries, send, before };
  const { body } = await sendSafeUpdate(safeUpdate);
  ensureConnectionsStored(item, table, entries, body, { action: 'updated', recordId: id });
  return body;
}

export const update: Operation = {
  name: 'update',
  displayName: 'Update',
  action: 'Update record',
  description: 'Change values of a record; columns that are not given stay as they are',
  output: updatedOutput,
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
    return writeWithConnections(item, table, id, entries, async (all, before) =>
      toRecordOutputs(await updateRecord(item, table, id, all, before), { id }),
    );
  },
};
