import {
  connectedRecordsOption,
  connectionChangeOption,
  createMissingOption,
} from '../connections/connectionOptions';
import { defineParameter } from '../operation/parameter';

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
