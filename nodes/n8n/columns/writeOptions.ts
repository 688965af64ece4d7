import type { Item } from '../operation/item';
import { defineParameter } from '../parameters/parameter';

/** How the values of connections name records, and whether a record is created for a name that no record has. */
const CONNECTED_RECORDS = {
  detect: { notation: 'detect', createsMissing: false },
  detectOrCreate: { notation: 'detect', createsMissing: true },
  ids: { notation: 'ids', createsMissing: false },
  names: { notation: 'names', createsMissing: false },
  namesOrCreate: { notation: 'names', createsMissing: true },
} as const;

/** Option of every operation that writes connections. */
const connectedRecordsOption = defineParameter({
  displayName: 'Connected Records',
  name: 'connectedRecords',
  type: 'options',
  default: 'detect',
  description: 'How the values of connections name the records that they connect to',
  options: [
    {
      name: 'Detect',
      value: 'detect',
      description: 'A text with the form of an ID is an ID; any other text is looked up as a name',
    },
    {
      name: 'Detect, Create Missing',
      value: 'detectOrCreate',
      description: 'The same, and a record is created for a name that no record has',
    },
    { name: 'IDs', value: 'ids', description: 'Every text is an ID; nothing is looked up' },
    { name: 'Names', value: 'names', description: 'Every text is the name of a record' },
    {
      name: 'Names, Create Missing',
      value: 'namesOrCreate',
      description: 'The same, and a record is created for a name that no record has',
    },
  ],
});

/** Reads how the values of connections name records. */
export const readConnectionNotation = (item: Item) =>
  CONNECTED_RECORDS[item.readOption(connectedRecordsOption) ?? 'detect'];

/**
 * Option of updates: whether the given connections replace the current ones, are added to them or are removed from
 * them.
 */
export const connectionChangeOption = defineParameter({
  displayName: 'Change of Connections',
  name: 'connectionChange',
  type: 'options',
  default: 'replace',
  description: 'What an update does with connections to several records',
  options: [
    { name: 'Add', value: 'add', description: 'Connect to the given records too, and keep the others' },
    { name: 'Remove', value: 'remove', description: 'Disconnect the given records, and keep the others' },
    { name: 'Replace', value: 'replace', description: 'Connect to the given records only' },
  ],
});

export const clearColumnsOption = defineParameter({
  displayName: 'Columns to Clear Names or IDs',
  name: 'clear',
  type: 'multiOptions',
  default: [],
  typeOptions: {
    loadOptionsMethod: 'getFields',
    loadOptionsDependsOn: ['dataTableId.value', 'componentId.value'],
  },
  description:
    'Columns to empty. Columns left blank in the form are not sent. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

/** Shown with Map Automatically only: the other modes send the columns that they name. */
export const unknownInputs = defineParameter({
  displayName: 'Unknown Inputs',
  name: 'unknownInputs',
  type: 'options',
  default: 'fail',
  // n8n 1 loads a node only if a path into another parameter begins at the root.
  displayOptions: { show: { '/columns.mappingMode': ['autoMapInputData'] } },
  description: 'What Map Automatically does with a key of the input that is not a column of the table',
  options: [
    { name: 'Ignore', value: 'ignore' },
    { name: 'Return an Error', value: 'fail' },
  ],
});

/** Option of the operations that create; they read it with `readRecordEntries`. */
export const applyDefaultsOption = defineParameter({
  displayName: 'Apply Field Defaults',
  name: 'applyDefaults',
  type: 'boolean',
  default: true,
  description:
    'Whether columns without a value get the default that is configured on the field when a record is created. The service does not do this by itself.',
});

/** Options of every operation that reads the values of the form. */
export const writeOptions = [connectedRecordsOption];

/** Options of the operations that update a record. */
export const updateOptions = [...writeOptions, connectionChangeOption];
