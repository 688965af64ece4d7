import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isTool } from '../../../../shared/kit/agent/isTool';
import { limitColumns } from '../../../../shared/kit/agent/toolAnswer';
import type { Item } from '../../../../shared/kit/operation/item';
import {
  toOutputs,
  type Output,
  type Result,
  type RunMode,
} from '../../../../shared/kit/operation/operation';
import { createSimplifyParameter } from '../../../../shared/kit/operation/simplify';
import { createOptions, defineParameter } from '../../../../shared/kit/operation/parameter';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { getKind, type Field } from '../../../../shared/model/fields';
import { hasEqualNames, withDisplayNames } from '../../../../shared/model/records/displayNames';
import { getShownValue, listFieldKeys } from '../../../../shared/model/records/recordValues';
import type { Table } from '../../../../shared/model/records/table';
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

/** Off by default, because the user defines the columns and a simplified record cannot be written back. */
export const simplifyRecords = createSimplifyParameter(
  false,
  'Whether to return connections by the names of their records, and Name, Address, Calendar and File fields as one line of text, without empty values. Such a record cannot be written back.',
);

/** Creates the options of an operation that reads records. `more` are the options of this operation alone. */
export const createReadOptions = (...more: INodeProperties[]): INodeProperties =>
  createOptions(...columnOptions, groupOption, ...more);

/** Groups the parts of each composite field into one object under the field's key. */
function groupComposites(record: IDataObject, table: Table, getKey: (field: Field) => string): IDataObject {
  const grouped = new Map<string, unknown>();
  const partKeys = new Set<string>();
  for (const field of table.fields.filter((candidate) => getKind(candidate).parts)) {
    const [key, ref] = [getKey(field), { table, field }];
    const keys = Object.hasOwn(record, key) ? [] : listFieldKeys(record, ref, key);
    if (keys.length > 0) grouped.set(key, getShownValue(record, ref, key));
    for (const partKey of keys) partKeys.add(partKey);
  }
  const rest = Object.entries(record).filter(([key]) => !partKeys.has(key));
  return Object.fromEntries([...rest, ...grouped]) as IDataObject;
}

/**
 * Replaces connections by their display values and composites by one line of text, and leaves out empty values.
 * `fieldKeys` contains the keys of the table's fields.
 */
function simplifyRecord(record: IDataObject, fieldKeys: Set<string>): IDataObject {
  const isDisplayKey = (key: string) =>
    key.endsWith('_val') && Object.hasOwn(record, key.slice(0, -4)) && !fieldKeys.has(key);
  const pairs = Object.entries(record).flatMap(([key, value]): Array<[string, unknown]> => {
    if (isDisplayKey(key)) return [];
    const display = isDisplayKey(`${key}_val`) ? record[`${key}_val`] : undefined;
    const shown = Array.isArray(display)
      ? display.map((entry) => (entry as { val?: unknown }).val ?? entry)
      : value;
    const isParts = typeof shown === 'object' && shown !== null && !Array.isArray(shown);
    const line = isParts
      ? Object.values(shown)
          .filter((part) => part !== '' && part !== null)
          .join(' ')
      : shown;
    return line === '' || line === null || (Array.isArray(line) && line.length === 0) ? [] : [[key, line]];
  });
  return Object.fromEntries(pairs) as IDataObject;
}

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
