import type {
  FieldType,
  IDataObject,
  ILoadOptionsFunctions,
  INodeProperties,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { codecOf, type Column, type Field, type FieldKind } from '../model/fields';
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

const mapperColumn = (field: Field, { key, label, type, options }: Column): ResourceMapperField => ({
  id: key,
  displayName: field.kind === 'text' ? label : `${label} (${field.type})`,
  // A list of choices has no input of its own in n8n's mapper: an array, or text with commas.
  type: type as FieldType,
  ...(options && { options }),
  required: false,
  display: true,
  defaultMatch: field.unique,
  canBeUsedToMatch: MATCHABLE.has(field.kind),
  ...(field.defaultValue !== '' && { defaultValue: field.defaultValue }),
});

/** The writable columns of the picked table with typed inputs, composite fields part by part. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const tableId = await pickedTable(this);
  if (!tableId) return { fields: [], emptyFieldsNotice: 'Pick a table first' };
  const { writable } = await lookUp(this, (client) => tableFields(client, tableId));
  return {
    fields: writable.flatMap((field) =>
      codecOf(field)
        .columns(field)
        .map((one) => mapperColumn(field, one)),
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

/** Keys that a read record has but a payload may not carry. */
const READ_ONLY = new Set(['id', 'created_at']);

/**
 * Values of the mapper, by payload key. Mapped by hand: what the form holds, where null means "left empty"
 * and is not sent. Mapped automatically: the input's keys, less those that only reading brings.
 */
export function mappedValues(item: Item, known: (key: string) => boolean): IDataObject {
  const { mappingMode } = item.value<{ mappingMode?: string }>('columns', {});
  if (mappingMode === 'autoMapInputData') {
    const isOurs = (key: string) => !READ_ONLY.has(key) && !(key.endsWith('_val') && known(key.slice(0, -4)));
    return Object.fromEntries(Object.entries(item.input.json).filter(([key]) => isOurs(key)));
  }
  const values = item.value<IDataObject | null>('columns.value', {}) ?? {};
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
