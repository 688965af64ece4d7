/** The operation Update, and functions with which other operations update a record. */
import type { IDataObject } from 'n8n-workflow';
import {
  clearColumnsOption,
  createColumnForm,
  readConnectionChange,
  updatingOptions,
} from '../../../n8n/columns/columnForm';
import { ItemValues } from '../../../n8n/columns/itemValues';
import { explainRefusedValues } from '../../../n8n/columns/refusedValues';
import { listRecordIds, recordLocator } from '../../../n8n/lists/recordPicker';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation } from '../../../n8n/operation/operation';
import { addUnconfirmedUpdate, outputForm } from '../../../n8n/operation/recordOutput';
import { createOptions } from '../../../n8n/parameters/parameter';
import { type Table, updateRecord } from '../../../records';
import { createFormulaHeaders, formulaOption, runsFormulas } from './formulas';

type ItemUpdate = Pick<
  Parameters<typeof updateRecord>[1],
  'entries' | 'before' | 'connectionChange' | 'listNextIds'
>;

/** Fields that the item does not name keep their values. */
export async function updateItemRecord(
  item: Item,
  table: Table,
  recordId: string,
  change: ItemUpdate,
): ReturnType<typeof updateRecord> {
  return item.updateInOrder({ ...change, table, recordId }, (entries) =>
    updateRecord(item.client, {
      ...change,
      entries,
      timeZone: item.timeZone,
      table,
      recordId,
      writesUnchanged: runsFormulas(item),
      headers: createFormulaHeaders(item),
      onUnclear: (result) => addUnconfirmedUpdate(item, table, result),
    }),
  );
}

export async function updateRecordFromValues(
  values: ItemValues,
  id: string,
  change: Omit<ItemUpdate, 'connectionChange'>,
): Promise<IDataObject> {
  const { item, table } = values;
  const connectionChange = readConnectionChange(item);
  const result = await updateItemRecord(item, table, id, { ...change, connectionChange });
  return values.formatWrite(result);
}

const readItemValues = async (item: Item): Promise<ItemValues> =>
  new ItemValues(item, await item.getTable(item.read(tableLocator)), {
    needsValue: 'update',
    allowsRefused: true,
  });

export const update: Operation = {
  name: 'update',
  displayName: 'Update',
  action: 'Update record',
  description: 'Change values of a record; fields that are not given stay as they are',
  writes: true,
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', [recordLocator]),
    ...createColumnForm('update'),
    ...outputForm,
    createOptions(clearColumnsOption, ...updatingOptions, formulaOption),
  ],
  // Writes to one record run in the order of the items.
  serialKey: (item) => `${item.read(tableLocator)}/${item.read(recordLocator)}`,
  explain: (item, error) =>
    explainRefusedValues(item, error, () => 'Give another value, or change the record that has it.'),
  async check(item) {
    const values = await readItemValues(item);
    await values.checkUpdate(item.read(recordLocator), () => listRecordIds(item, tableLocator));
  },
  async run(item) {
    const values = await readItemValues(item);
    const id = item.read(recordLocator);
    const entries = await values.encodeEntries();
    const listNextIds = () => listRecordIds(item, tableLocator);
    return [{ json: await updateRecordFromValues(values, id, { entries, listNextIds }) }];
  },
};
