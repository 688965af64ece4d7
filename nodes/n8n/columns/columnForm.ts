/** The form for the values of a record: the column mapper, its options, and one JSON object for a tool. */
import { every, isEmpty, isPlainObject } from 'lodash';
import { asObject, formatForError, InputError, isObject, parseJson, parseNames } from '../../service';
import { createFromAiDefault } from '../agent/toolForm';
import { defineFieldList, createPickedCondition, hideUntilPicked } from '../lists/tablePickers';
import type { Item } from '../operation/item';
import { type ParameterDefinition, defineParameter, showWhen, TABLE_PICKERS } from '../parameters/parameter';

/** @param parent the picker that must have a value before the inputs are shown */
export function createColumnForm(purpose: FormPurpose, parent = 'dataTableId'): ParameterDefinition[] {
  const isLookUp = purpose === 'lookUp';
  const form = [createColumnMapper(purpose, parent), ...(isLookUp ? [] : [unknownInputsParameter])];
  const json = isLookUp ? matchColumnsJsonParameter : columnsJsonParameter;
  const toolDefault = createFromAiDefault('fields', json.description);
  return [
    ...hideUntilPicked(parent, [{ ...columnsModeParameter, default: 'json', forTools: 'only' }]),
    showInToolMode('form', createColumnMapper(purpose, parent, true)),
    ...form.map((parameter): ParameterDefinition => ({ ...parameter, forTools: 'never' })),
    showInToolMode('json', { ...json, default: toolDefault }),
    ...(matchesByFields(purpose) ? [showInToolMode('json', matchColumnsParameter)] : []),
  ];
}

const connectedRecordsOption = defineParameter({
  displayName: 'Connected Records',
  name: 'connectedRecords',
  type: 'options',
  default: 'detect',
  description: 'How the values of connections name the records that they connect to',
  options: [
    {
      name: 'Look Up',
      value: 'detect',
      description: 'A text with the form of an ID is an ID; any other text is looked up as a name',
    },
    {
      name: 'Look Up, Create Missing',
      value: 'detectOrCreate',
      description: 'The same, and a record is created for a name that no record has',
    },
    { name: 'IDs Only', value: 'ids', description: 'Every text is an ID; no name is looked up' },
    { name: 'Names Only', value: 'names', description: 'Every text is the name of a record' },
  ],
});

/** `notation`: IDs or names in connections. `createsMissing`: whether an unknown name creates a record. */
export function readConnectionNotation(item: Item) {
  const choice = item.readOptionOrDefault(connectedRecordsOption);
  const createsMissing = choice === 'detectOrCreate';
  return { notation: createsMissing ? 'detect' : choice, createsMissing } as const;
}

const connectionChangeOption = defineParameter({
  displayName: 'Change of Connections',
  name: 'connectionChange',
  type: 'options',
  default: 'replace',
  description:
    'What an update does with connections to several records. A connection to one record takes the given record; to empty it, use "Fields to Clear".',
  options: [
    { name: 'Add', value: 'add', description: 'Connect to the given records too, and keep the others' },
    { name: 'Remove', value: 'remove', description: 'Disconnect the given records, and keep the others' },
    { name: 'Replace', value: 'replace', description: 'Connect to the given records only' },
  ],
});

export const readConnectionChange = (item: Item) => item.readOptionOrDefault(connectionChangeOption);

export const clearColumnsOption = defineFieldList(
  'clear',
  'Fields to Clear Names or IDs',
  'Fields to empty. Fields left blank in the form are not sent.',
);

/** Shown for Map Automatically only, because the other modes send only mapped keys. */
export const unknownInputsParameter = defineParameter({
  displayName: 'Unknown Inputs',
  name: 'unknownInputs',
  type: 'options',
  default: 'fail',
  // n8n 1 loads a node only if a path into another parameter begins with a slash.
  displayOptions: { show: { '/columns.mappingMode': ['autoMapInputData'] } },
  description: 'What Map Automatically does with a key of the input that is not a field of the table',
  options: [
    { name: 'Ignore', value: 'ignore' },
    { name: 'Return an Error', value: 'fail' },
  ],
});

export const applyDefaultsOption = defineParameter({
  displayName: 'Apply Field Defaults',
  name: 'applyDefaults',
  type: 'boolean',
  default: true,
  description:
    'Whether a new record gets the default of each field for which no value is given. The service does not do this by itself. {{ null }} leaves a field empty.',
});

export const valueOptions = [connectedRecordsOption];

export const updatingOptions = [...valueOptions, connectionChangeOption];

const matchingFieldsLabels = {
  title: 'Fields to Match On',
  description:
    'The fields that identify the record to update. Only a unique field prevents doubled records when something else writes at the same time.',
  hint: 'Choose a unique field, such as Email',
};

/** What the values are for. `lookUp`: they identify a record, and are not written. */
type FormPurpose = 'create' | 'update' | 'upsert' | 'sync' | 'lookUp';

export const matchesByFields = (operation: string): boolean => operation === 'upsert' || operation === 'sync';

const LOOK_UP_TEXTS = {
  displayName: 'Fields to Match On',
  description: 'The value by which the record is found, preferably of a unique field such as Email',
};

const columnsParameter = defineParameter({
  displayName: 'Fields',
  name: 'columns',
  type: 'resourceMapper',
  noDataExpression: true,
  required: true,
  default: { mappingMode: 'defineBelow', value: null },
  description: 'The values to write, by field',
});

interface ColumnFormValues {
  /** The source of the values: rows of the form, the input item (Map Automatically), or a JSON object. */
  as: 'rows' | 'item' | 'object';
  /** Values by key. The keys and values are not checked. */
  values: ColumnValues;
  /** Names or keys of the columns to match on. */
  matchColumns: string[];
}

/**
 * Reads the values of the form. In a tool, an empty text is no value, and null clears a field.
 * @throws InputError for JSON that is no object, and for a mapping that the editor would not store
 */
export function readColumnForm(item: Item): ColumnFormValues {
  const given = item.read(columnsModeParameter) === 'json' ? readColumnsJson(item) : readColumnMapping(item);
  return item.isTool ? { ...given, values: omitEmptyTexts(given.values) } : given;
}

const readColumnsJson = (item: Item): ColumnFormValues => ({
  as: 'object',
  values: parseColumnsJson(item.read(columnsJsonParameter)),
  matchColumns: item.read(matchColumnsParameter),
});

const MAPPING_MODES = ['defineBelow', 'autoMapInputData'];

const createMappingError = (given: unknown) =>
  new InputError(
    `Fields cannot be ${formatForError(given)}`,
    'Nothing was sent. Map the fields in the editor, or choose Map Automatically for the keys of the input. The editor stores {"mappingMode": "defineBelow", "value": {"company": "Mill"}}.',
  );

/** @throws InputError for a mapping that the editor would not store: its values would be ignored */
function readColumnMapping(item: Item): ColumnFormValues {
  const given = item.read(columnsParameter);
  const { mappingMode = 'defineBelow', value, matchingColumns } = asObject(given);
  const isAutomatic = mappingMode === 'autoMapInputData';
  const hasValues = isAutomatic || value === null || isObject(value);
  if (!MAPPING_MODES.includes(String(mappingMode)) || !hasValues) throw createMappingError(given);
  return {
    as: isAutomatic ? 'item' : 'rows',
    values: isAutomatic ? item.inputValues : asObject(value),
    matchColumns: parseNames(matchingColumns),
  };
}

/**
 * Creates the column mapper. Its blank columns are not sent. n8n's own mode `update` is not used, because it
 * requires columns to match on, but an update identifies the record by its ID.
 */
export const createColumnMapper = (
  purpose: FormPurpose,
  parent = 'dataTableId',
  isForTools = false,
): ParameterDefinition => ({
  ...columnsParameter,
  ...(purpose === 'lookUp' && LOOK_UP_TEXTS),
  // In Sync, the keys of the input items are usually names of fields, so the default is Map Automatically.
  ...(purpose === 'sync' && { default: { mappingMode: 'autoMapInputData', value: null } }),
  // Hidden without a table, because n8n would show an error in place of columns.
  displayOptions: createPickedCondition(parent),
  typeOptions: {
    loadOptionsDependsOn: TABLE_PICKERS,
    resourceMapper: {
      resourceMapperMethod: 'getColumns',
      mode: matchesByFields(purpose) ? 'upsert' : 'add',
      fieldWords: { singular: 'field', plural: 'fields' },
      ...(matchesByFields(purpose) && { matchingFieldsLabels }),
      ...(purpose === 'lookUp' && { valuesLabel: LOOK_UP_TEXTS.displayName }),
      multiKeyMatch: true,
      // The input of a look-up has more values than those to match on. A tool has no input.
      supportAutoMap: purpose !== 'lookUp' && !isForTools,
    },
  },
});

const COLUMNS_EXAMPLE =
  '{"Company": "Mill Works", "Status": "Active", "Tags": ["VIP"], "Customer Since": "2025-03-31"}';

const columnsJsonParameter = defineParameter({
  displayName: 'Fields (JSON)',
  name: 'columnsJson',
  type: 'json',
  default: '{}',
  description: `JSON object with the values by field. A field is given by its name or slug, a choice by its label. Dates have the form 2025-03-31, null clears a field, and an empty text is no value. Example: ${COLUMNS_EXAMPLE}.`,
});

const matchColumnsJsonParameter = {
  ...columnsJsonParameter,
  displayName: 'Fields to Match On (JSON)',
  description:
    'JSON object with the values that identify the record, by field: its name or slug. Example: {"Email": "ada@example.com"}.',
};

type ColumnValues = Record<string, unknown>;

/** Does not check the keys. @throws InputError for any value but a JSON object or its text */
export function parseColumnsJson(input: unknown): ColumnValues {
  const value = typeof input === 'string' ? parseJson(input) : input;
  if (isObject(value)) return value;
  throw new InputError(
    `Fields (JSON) cannot be ${formatForError(input)}`,
    `Nothing was sent. Give one JSON object with the fields of one record. A valid value: ${COLUMNS_EXAMPLE}.`,
  );
}

/** Whether a value is an empty text, or a list or an object of empty texts alone. */
const isEmptyText = (value: unknown): boolean =>
  value === '' ||
  ((Array.isArray(value) || isPlainObject(value)) && !isEmpty(value) && every(value as object, isEmptyText));

/** Leaves out empty texts, which models give for values that they do not have. */
const omitEmptyTexts = (values: ColumnValues): ColumnValues =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => !isEmptyText(value))
      .map(([key, value]) => [key, isPlainObject(value) ? omitEmptyTexts(value as ColumnValues) : value]),
  );

/** Only a tool offers the choice: a model can give all values as one JSON object. */
const columnsModeParameter = defineParameter({
  displayName: 'Fields As',
  name: 'columnsMode',
  type: 'options',
  default: 'form',
  description: 'How to give the values: field by field, or as one JSON object',
  options: [
    { name: 'Form', value: 'form', description: 'Field by field' },
    { name: 'JSON', value: 'json', description: 'One JSON object, for example from an AI model' },
  ],
});

const matchColumnsParameter = defineFieldList(
  'matchColumns',
  'Fields to Match On Names or IDs',
  'The fields that identify the record to update, preferably a unique one such as Email: only that prevents doubled records when something else writes at the same time.',
);

const showInToolMode = <P extends ParameterDefinition>(mode: 'form' | 'json', parameter: P): P =>
  showWhen({ ...parameter, forTools: 'only' }, { columnsMode: [mode] });
