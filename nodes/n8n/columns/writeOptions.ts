import { defineParameter } from '../parameters/parameter';

/** Option of every operation that writes connections. */
export const connectedRecordsOption = defineParameter({
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
    { name: 'IDs', value: 'ids', description: 'Every text is an ID; nothing is looked up' },
    { name: 'Names', value: 'names', description: 'Every text is the name of a record' },
  ],
});

/** Option of every operation that writes connections. */
export const createMissingOption = defineParameter({
  displayName: 'Create Connected Records',
  name: 'createConnected',
  type: 'boolean',
  default: false,
  description:
    'Whether to create a record in the connected table for a name that no record has. Otherwise such a name is an error.',
});

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
    'Columns to empty. Columns left blank in the form are not sent at all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

export const nothingFoundOption = defineParameter({
  displayName: 'If an Expression Finds Nothing',
  name: 'ifUndefined',
  type: 'options',
  default: 'leave',
  description:
    'What to do with a column whose expression gives undefined. An expression that gives null always clears the column.',
  options: [
    { name: 'Clear the Column', value: 'clear' },
    { name: 'Leave the Column as It Is', value: 'leave', description: 'Do not send it, and show a hint' },
    { name: 'Return an Error', value: 'fail' },
  ],
});

export const ignoredInputsOption = defineParameter({
  displayName: 'Inputs to Ignore',
  name: 'ignoredInputs',
  type: 'string',
  default: '',
  placeholder: 'e.g. index, source',
  description: 'Keys of the input, separated by commas, that Map Automatically does not send',
  listsNames: true,
});

export const unknownInputsOption = defineParameter({
  displayName: 'Unknown Inputs',
  name: 'unknownInputs',
  type: 'options',
  default: 'fail',
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
export const writeOptions = [
  nothingFoundOption,
  ignoredInputsOption,
  unknownInputsOption,
  connectedRecordsOption,
  createMissingOption,
];

/** Options of the operations that update a record. */
export const updateOptions = [...writeOptions, clearColumnsOption, connectionChangeOption];
