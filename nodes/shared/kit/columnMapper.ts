import { isNull, omit, omitBy, pickBy } from 'lodash';
import type {
  FieldType,
  IDataObject,
  ILoadOptionsFunctions,
  INodeProperties,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { codecOf, type Column, type Field, type FieldKind } from '../model/fields';
import type { Table } from '../model/table';
import type { Item } from './item';
import { lookUp, pickedTable } from './pickers';
import { tableFields } from '../transport/schema';

/** Kinds whose value can be looked up exactly; unique fields are proposed first. */
const MATCHABLE = new Set<FieldKind>([
  'text',
  'email',
  'number',
  'checkbox',
  'date',
  'time',
  'dateTime',
  'name',
  'address',
  'choice',
  'connection',
]);

/** Kinds whose input looks like text though the value is something else: their type is shown. */
const SHOWS_TYPE = new Set<FieldKind>(['choices', 'connection', 'user']);

const mapperColumn = (
  field: Field,
  { key, label, type, options }: Column,
  proposesMatch: boolean,
): ResourceMapperField => ({
  id: key,
  displayName: SHOWS_TYPE.has(field.kind) ? `${label} (${field.type})` : label,
  // A list of choices has no input of its own in n8n's mapper: an array, or text with commas.
  type: type as FieldType,
  ...(options && { options }),
  required: false,
  display: true,
  // n8n lifts these to the top: wanted only where the form asks for columns to match on.
  defaultMatch: proposesMatch && field.unique,
  canBeUsedToMatch: MATCHABLE.has(field.kind),
  ...(field.defaultValue !== '' && { defaultValue: field.defaultValue }),
});

/** The writable columns of the picked table with typed inputs, composite fields part by part. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const tableId = await pickedTable(this);
  if (!tableId) return { fields: [], emptyFieldsNotice: 'Pick a table first' };
  const isUpsert = this.getCurrentNodeParameter('operation') === 'upsert';
  const { writable } = await lookUp(this, (client) => tableFields(client, tableId));
  return {
    fields: writable.flatMap((field) =>
      codecOf(field)
        .columns(field)
        .map((one) => mapperColumn(field, one, isUpsert)),
    ),
  };
}

/** n8n's column mapper over `getColumns`; `mode: 'add'` for create, `'upsert'` with columns to match on. */
export const columnMapper = (mode: 'add' | 'update' | 'upsert', addAllFields: boolean): INodeProperties => ({
  displayName: 'Columns',
  name: 'columns',
  type: 'resourceMapper',
  noDataExpression: true,
  required: true,
  default: { mappingMode: 'defineBelow', value: null },
  typeOptions: {
    loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
    resourceMapper: {
      resourceMapperMethod: 'getColumns',
      mode,
      fieldWords: { singular: 'column', plural: 'columns' },
      addAllFields,
      multiKeyMatch: true,
      supportAutoMap: true,
      allowEmptyValues: true,
    },
  },
});

/** Keys that our own output has beside the fields. */
const NOT_FIELDS = new Set(['id', 'equationLog', '_action', '_total']);

/** What reading a File field brings: where the file is. Sent back it would be no file. */
const isFileAddress = (value: unknown): boolean =>
  [value].flat().every((one) => one === '' || one === null || /^(https?:|\/)/.test(String(one)));

/** Whether a key of a record that was read can be written: neither a display value nor worked out. */
function isWritten(key: string, value: unknown, table: Table): boolean {
  if (NOT_FIELDS.has(key)) return false;
  const bare = key.endsWith('_val') ? key.slice(0, -4) : undefined;
  const named = (slug: string) => table.fields.find((field) => field.slug === slug);
  if (bare !== undefined && named(bare)) return false;
  const field = named(key);
  return !field?.computed && !(field?.kind === 'file' && isFileAddress(value));
}

/**
 * Values of the mapper, by payload key. Mapped by hand: what the form holds, where null means "left empty"
 * and is not sent. Mapped automatically: the input's keys, less those that only reading brings, so that a
 * record that was read can be written back.
 */
export function mappedValues(item: Item, table?: Table): IDataObject {
  const { mappingMode } = item.value<{ mappingMode?: string }>('columns', {});
  if (mappingMode === 'autoMapInputData') {
    const { json } = item.input;
    return table ? pickBy(json, (value, key) => isWritten(key, value, table)) : omit(json, [...NOT_FIELDS]);
  }
  return omitBy(item.value<IDataObject | null>('columns.value', {}) ?? {}, isNull);
}
