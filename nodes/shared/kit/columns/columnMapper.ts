import type {
  FieldType,
  ILoadOptionsFunctions,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { encodeDefault, getKind, listFieldLabels, type MapperColumn, type Field } from '../../model/fields';
import { InputError, formatForError } from '../../model/input/inputError';
import { asObject, isObject } from '../../model/input/isObject';
import { parseNames } from '../../model/input/parseList';
import type { Item } from '../operation/item';
import { defineParameter, type ParameterDefinition } from '../operation/parameter';
import { runLookup } from '../pickers/runLookup';
import { findPickedTable } from '../pickers/tablePickers';
import { getTable } from '../../transport/schema';

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
 * Returns the value that n8n enters in a new input. A create gets the configured default. An update gets no
 * value, because the value would overwrite the current one. An upsert or a sync shows all columns at once and gets
 * null, because otherwise n8n sends untouched checkboxes as unchecked.
 */
function createPrefill(
  field: Field,
  column: MapperColumn,
  operation: string,
): Pick<ResourceMapperField, 'defaultValue'> {
  if (matchesRecords(operation)) return { defaultValue: null };
  const defaultValue = operation === 'create' ? toInputDefault(field, column) : undefined;
  return defaultValue === undefined ? {} : { defaultValue };
}

const toMapperField = (field: Field, column: MapperColumn, operation: string): ResourceMapperField => ({
  id: column.key,
  displayName: column.label,
  type: column.type as FieldType,
  ...(column.options && { options: column.options }),
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
  const { writableFields: writable } = await runLookup(this, (client) => getTable(client, tableId));
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

const matchingFieldsLabels = {
  title: 'Columns to Match On',
  description: 'The columns that identify the record to update',
  hint: 'Best a unique column, such as Email',
};

const columnsParameter = defineParameter({
  displayName: 'Columns',
  name: 'columns',
  type: 'resourceMapper',
  noDataExpression: true,
  required: true,
  default: { mappingMode: 'defineBelow', value: null },
  description: 'The values to write, by column',
});

/** A mapping as the editor stores it. */
export interface ColumnMapping {
  isAutomatic: boolean;
  /** The mapped values by payload key. */
  values: Record<string, unknown>;
  /** The payload keys of the columns to match on. */
  matchColumns: string[];
}

/** The two modes that the editor stores. */
const MAPPING_MODES = ['defineBelow', 'autoMapInputData'];

const createMappingError = (given: unknown) =>
  new InputError(
    `Columns cannot be ${formatForError(given)}`,
    'Nothing was sent. Map the columns in the editor, or give one JSON object under Columns As. The editor stores {"mappingMode": "defineBelow", "value": {"company": "Mill"}}.',
  );

/** @throws InputError for a mapping in a form that the editor does not store: its values would be ignored */
export function readColumnMapping(item: Item): ColumnMapping {
  const given = item.read(columnsParameter);
  const { mappingMode = 'defineBelow', value, matchingColumns } = asObject(given);
  const isAutomatic = mappingMode === 'autoMapInputData';
  const hasValues = isAutomatic || value === null || isObject(value);
  if (!MAPPING_MODES.includes(String(mappingMode)) || !hasValues) throw createMappingError(given);
  return { isAutomatic, values: asObject(value), matchColumns: parseNames(matchingColumns) };
}

/**
 * Creates n8n's column mapper for the columns of `getColumns`. It is hidden until the picker `parent` has a value.
 * For an update, the mapper shows only the columns that the user adds. For other operations, it shows all columns.
 * An update identifies the record by its ID, so n8n's own mode `update` is not used: it requires columns to match on
 * and shows no inputs without them.
 */
export const createColumnMapper = (
  purpose: 'create' | 'update' | 'upsert',
  parent = 'dataTableId',
): ParameterDefinition => ({
  ...columnsParameter,
  // Without a table, n8n shows an error instead of columns.
  displayOptions: { hide: { [parent]: [''] } },
  typeOptions: {
    loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
    resourceMapper: {
      resourceMapperMethod: 'getColumns',
      mode: purpose === 'upsert' ? 'upsert' : 'add',
      fieldWords: { singular: 'column', plural: 'columns' },
      ...(purpose === 'upsert' && { matchingFieldsLabels }),
      addAllFields: purpose !== 'update',
      multiKeyMatch: true,
      supportAutoMap: true,
    },
  },
});
