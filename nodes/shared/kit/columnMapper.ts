import { isNil, omit, omitBy, pickBy } from 'lodash';
import type {
  FieldType,
  IDataObject,
  ILoadOptionsFunctions,
  INodeProperties,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { codecOf, defaultEntries, type Column, type Field, type FieldKind } from '../model/fields';
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

/** The configured default as the input of the form takes it: n8n refuses to run with any other. */
function defaultIn(field: Field): ResourceMapperField['defaultValue'] {
  const value = defaultEntries(field)[0]?.[1];
  if (field.kind === 'checkbox') return value === undefined ? undefined : value === 1;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/**
 * What n8n fills in unasked. For a create the configured default; else nothing, or it would overwrite what the
 * record has. Where all columns are shown at once, null keeps n8n from sending untouched checkboxes as unchecked.
 */
function filledIn(field: Field, operation: string): Pick<ResourceMapperField, 'defaultValue'> {
  const defaultValue = operation === 'create' ? defaultIn(field) : operation === 'upsert' ? null : undefined;
  return defaultValue === undefined ? {} : { defaultValue };
}

const mapperColumn = (
  field: Field,
  { key, label, type, options }: Column,
  operation: string,
): ResourceMapperField => ({
  id: key,
  displayName: SHOWS_TYPE.has(field.kind) ? `${label} (${field.type})` : label,
  type: type as FieldType,
  ...(options && { options }),
  required: false,
  display: true,
  // n8n lifts these to the top: wanted only where the form asks for columns to match on.
  defaultMatch: operation === 'upsert' && field.unique,
  canBeUsedToMatch: MATCHABLE.has(field.kind),
  ...filledIn(field, operation),
});

/** The writable columns of the picked table with typed inputs, composite fields part by part. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const tableId = await pickedTable(this);
  if (!tableId) return { fields: [], emptyFieldsNotice: 'Pick a table first' };
  const operation = String(this.getCurrentNodeParameter('operation'));
  const { writable } = await lookUp(this, (client) => tableFields(client, tableId));
  return {
    fields: writable.flatMap((field) =>
      codecOf(field)
        .columns(field)
        .map((one) => mapperColumn(field, one, operation)),
    ),
  };
}

/**
 * n8n's column mapper over `getColumns`. An update shows the columns that were added, the others all of them.
 * n8n's own mode `update` is not used: it asks for columns to match on and shows no input without them, and
 * here the record is known by its ID.
 */
export const columnMapper = (purpose: 'create' | 'update' | 'upsert'): INodeProperties => ({
  displayName: 'Columns',
  name: 'columns',
  type: 'resourceMapper',
  noDataExpression: true,
  required: true,
  default: { mappingMode: 'defineBelow', value: null },
  description: 'The values to write, by column',
  typeOptions: {
    loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
    resourceMapper: {
      resourceMapperMethod: 'getColumns',
      mode: purpose === 'upsert' ? 'upsert' : 'add',
      fieldWords: { singular: 'column', plural: 'columns' },
      addAllFields: purpose !== 'update',
      multiKeyMatch: true,
      supportAutoMap: true,
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
  const named = (slug: string) => table.fields.find((field) => field.slug === slug);
  const field = named(key);
  if (!field && key.endsWith('_val') && named(key.slice(0, -'_val'.length))) return false;
  return !field?.computed && !(field?.kind === 'file' && isFileAddress(value));
}

/**
 * Values of the mapper, by payload key. Mapped by hand: what the form holds, where null means "left empty"
 * and is not sent. It is read whole: of `columns.value` n8n would convert each value to the column's type
 * first, which makes 0 of '', moves dates by a zone of its own, and refuses labels and lists.
 * Mapped automatically: the input's keys, less those that only reading brings, so that a
 * record that was read can be written back.
 */
export function mappedValues(item: Item, table?: Table): IDataObject {
  const { mappingMode, value } = item.value<{ mappingMode?: string; value?: IDataObject | null }>(
    'columns',
    {},
  );
  if (mappingMode === 'autoMapInputData') {
    const { json } = item.input;
    return table ? pickBy(json, (value, key) => isWritten(key, value, table)) : omit(json, [...NOT_FIELDS]);
  }
  return omitBy(value ?? {}, isNil);
}
