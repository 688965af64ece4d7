import { formatForError, InputError } from '../../model/input/inputError';
import { asObject, isObject } from '../../model/input/isObject';
import { parseNames } from '../../model/input/parseList';
import type { Item } from '../operation/item';
import { defineParameter, type ParameterDefinition } from '../operation/parameter';

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
