import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isTool } from '../../../../shared/kit/agent/isTool';
import { limitColumns } from '../../../../shared/kit/agent/toolAnswer';
import type { Item } from '../../../../shared/kit/operation/item';
import {
  type Output,
  type Result,
  type RunMode,
  toOutputs,
} from '../../../../shared/kit/operation/operation';
import { createOptions, defineParameter } from '../../../../shared/kit/operation/parameter';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { simplifyRecords } from '../../../../shared/kit/records/simplifyRecords';
import { hasEqualNames, withDisplayNames } from '../../../../shared/model/records/displayNames';
import { groupComposites, simplifyRecord } from '../../../../shared/model/records/simplifyRecord';
import { columnOptions, columnsOption, createKeyReader, displayNamesOption } from './columns';
import { attachFiles } from './downloadFiles';

const groupOption = defineParameter({
  displayName: 'Group Composite Fields',
  name: 'group',
  type: 'boolean',
  default: true,
  description:
    'Whether Name, Address and Calendar fields come as one object each, in whatever form the service sends them',
});

/** Creates the options of an operation that reads records. `more` are the options of this operation alone. */
export const createReadOptions = (...more: INodeProperties[]): INodeProperties =>
  createOptions(...columnOptions, groupOption, ...more);

async function formatRecords(item: Item, records: unknown[]): Promise<Output[]> {
  const simplify = item.read(simplifyRecords);
  const groups = item.readOption(groupOption) || simplify;
  const isNamed = item.readOption(displayNamesOption) === true;
  if (!groups && !isNamed) return toOutputs(records);
  const table = await item.getTable(item.read(tableLocator));
  const renamesHere = isNamed && hasEqualNames(table);
  const getKey = createKeyReader(item, table);
  const fieldKeys = new Set(table.fields.map(getKey));
  return toOutputs(
    records.map((record) => {
      const grouped = groups
        ? groupComposites(record as IDataObject, table, getKey)
        : (record as IDataObject);
      const shaped = simplify ? simplifyRecord(grouped, fieldKeys) : grouped;
      return renamesHere ? withDisplayNames(shaped, table) : shaped;
    }),
  );
}

/** Returns records in the format that the options specify, with the files of the chosen columns. */
export async function shapeRecords(item: Item, records: unknown[], mode: RunMode): Promise<Result[]> {
  const outputs = await formatRecords(item, records);
  const isLimited = isTool(item.context) && (item.readOption(columnsOption) ?? []).length === 0;
  return attachFiles(item, records, isLimited ? limitColumns(outputs) : outputs, mode);
}
