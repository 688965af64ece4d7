import { defineParameter } from '../operation/parameter';

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
