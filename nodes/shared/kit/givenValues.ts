import type { INodeProperties } from 'n8n-workflow';
import { withFiles } from './binaryInput';
import { mappedValues } from './columnMapper';
import type { Item } from './item';
import type { Entries } from '../model/fields';
import { namesIn } from '../model/list';
import { encodeValues } from '../model/record';
import type { Table } from '../model/table';

/** An option of the operations that change records. */
export const clearColumns: INodeProperties = {
  displayName: 'Columns to Clear Names or IDs',
  name: 'clear',
  type: 'multiOptions',
  default: [],
  typeOptions: {
    loadOptionsMethod: 'getFields',
    loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
  },
  description:
    'Columns to empty. Columns left blank in the form are not sent at all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** The item's values by payload key, as the mapper and "Columns to Clear" give them; files by name. */
export function mappedOf(item: Item, table?: Table): Record<string, unknown> {
  const cleared = namesIn(item.options.clear).map((slug) => [slug, null]);
  return { ...mappedValues(item, table), ...Object.fromEntries(cleared) };
}

/** The same with the files read. */
export const valuesOf = (item: Item, table: Table): Promise<Record<string, unknown>> =>
  withFiles(item, table, mappedOf(item, table));

/** Values encoded for the payload. @throws InputError for an unknown column or a value that does not fit */
export const entriesOf = (item: Item, table: Table, values: Record<string, unknown>): Entries =>
  encodeValues(values, table, { timeZone: item.timeZone });
