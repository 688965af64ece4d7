import { sortBy } from 'lodash';
import type {
  FieldType,
  ILoadOptionsFunctions,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import type { Field } from '../../client/fields/field';
import type { MapperColumn } from '../../client/fields/kind';
import { getKind } from '../../client/fields/kinds';
import { listFieldLabels } from '../../client/fields/labels';
import { encodeDefault } from '../../client/fields/values';
import { runLookup } from './runLookup';
import { findPickedTable } from './tablePickers';

/** Returns the label of a choice, as the user sees it, or its value if the field does not list the choice. */
const findOptionLabel = ({ options }: Field, choice: unknown): string =>
  options.find(({ value }) => value === choice)?.label ?? String(choice);

/**
 * Converts the configured default to the type of the column's input. n8n does not run a node whose default has
 * another type.
 */
function toInputDefault(field: Field, { key, type }: MapperColumn): ResourceMapperField['defaultValue'] {
  const value = encodeDefault(field).find(([payloadKey]) => payloadKey === key)?.[1];
  if (type === 'boolean') return value === undefined ? undefined : value === 1;
  if (Array.isArray(value)) return value.map((one) => findOptionLabel(field, one)).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Whether an operation has columns to match on. */
const matchesRecords = (operation: string) => operation === 'upsert' || operation === 'sync';

/**
 * Returns the value that n8n enters in a new input. A create gets the configured default. Other operations get none,
 * because the value would overwrite the current one.
 */
function createPrefill(
  field: Field,
  column: MapperColumn,
  operation: string,
): Pick<ResourceMapperField, 'defaultValue'> {
  const defaultValue = operation === 'create' ? toInputDefault(field, column) : undefined;
  return defaultValue === undefined ? {} : { defaultValue };
}

const YES_OR_NO = [
  { name: 'Yes', value: 'true' },
  { name: 'No', value: 'false' },
];

/**
 * Returns the input of a column. A switch shows two states, and an untouched one looks like a value. Where a blank column
 * is not sent, which is so in all operations but Create, a Decision Box is therefore a choice that can be blank.
 */
function toInput(
  { type, options }: MapperColumn,
  operation: string,
): Pick<ResourceMapperField, 'type' | 'options'> {
  if (type === 'boolean' && operation !== 'create') return { type: 'options', options: YES_OR_NO };
  return options ? { type: type as FieldType, options } : { type: type as FieldType };
}

const toMapperField = (field: Field, column: MapperColumn, operation: string): ResourceMapperField => ({
  id: column.key,
  displayName: column.label,
  ...toInput(column, operation),
  required: false,
  display: true,
  // n8n moves columns with `defaultMatch` to the top.
  defaultMatch: matchesRecords(operation) && field.unique,
  canBeUsedToMatch: getKind(field).isMatchable,
  ...createPrefill(field, column, operation),
});

/** n8n drops these keys when it copies a mapping. The mapper hides them, because their values would be lost. */
const DROPPED_BY_N8N = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the writable columns of the selected table with typed inputs. A composite field has a column for each part. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const tableId = await findPickedTable(this);
  if (!tableId) return { fields: [] };
  const operation = String(this.getCurrentNodeParameter('operation'));
  const { writableFields } = await runLookup(this, (client) => client.tables.get(tableId));
  // The parts of a Name and an Address would push the other columns off the screen.
  const writable = sortBy(writableFields, (field) => getKind(field).parts !== undefined);
  const labels = listFieldLabels(writable);
  return {
    fields: writable.flatMap((field, index) =>
      getKind(field)
        .createColumns({ ...field, name: labels[index] ?? field.name })
        .filter(({ key }) => !DROPPED_BY_N8N.has(key))
        .map((column) => toMapperField(field, column, operation)),
    ),
  };
}
