import type { INodeProperties } from 'n8n-workflow';
import { withFiles } from '../../../shared/kit/binaryInput';
import { mappedValues } from '../../../shared/kit/columnMapper';
import type { Item } from '../../../shared/kit/item';
import { defaultEntries, type Entries } from '../../../shared/model/fields';
import { namesIn } from '../../../shared/model/list';
import { encodeValues } from '../../../shared/model/record';
import type { Table } from '../../../shared/model/table';

/** Options of the operations that write values. */
export const clearColumns: INodeProperties = {
  displayName: 'Columns to Clear Names or IDs',
  name: 'clear',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['dataTableId.value'] },
  description:
    'Columns to empty. Columns left blank in the form are not sent at all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** The item's values by payload key, as the mapper and "Columns to Clear" give them; files by name. */
export function mappedOf(item: Item, table: Table): Record<string, unknown> {
  const cleared = namesIn(item.options.clear).map((slug) => [slug, null]);
  return { ...mappedValues(item, table), ...Object.fromEntries(cleared) };
}

/** The same with the files read. */
export const valuesOf = (item: Item, table: Table): Promise<Record<string, unknown>> =>
  withFiles(item, table, mappedOf(item, table));

/** Values encoded for the payload. @throws InputError for an unknown column or a value that does not fit */
export const entriesOf = (item: Item, table: Table, values: Record<string, unknown>): Entries =>
  encodeValues(values, table, { timeZone: item.timeZone });

/** Configured defaults of the fields that got no value: the service does not apply them (spec: Record). */
export function withDefaults(values: Record<string, unknown>, table: Table): Record<string, unknown> {
  const given = new Set(Object.keys(values).map((key) => table.payloadSlot(key, 'Columns').field.slug));
  const defaults = table.writable
    .filter((field) => !given.has(field.slug) && defaultEntries(field).length > 0)
    .map(({ slug, defaultValue }) => [slug, defaultValue]);
  return { ...Object.fromEntries(defaults), ...values };
}
