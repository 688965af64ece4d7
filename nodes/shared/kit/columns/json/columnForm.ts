import { defineParameter, type ParameterDefinition } from '../../operation/parameter';
import { createFieldList } from '../../pickers/fieldList';
import { hideUntilPicked } from '../../pickers/hideUntilPicked';
import { createColumnMapper } from '../columnMapper';
import { columnsJson } from './columnsJson';

/** How the values are given: by column in a form, or as one JSON object. */
export const columnsMode = defineParameter({
  displayName: 'Columns As',
  name: 'columnsMode',
  type: 'options',
  default: 'form',
  description: 'How to give the values: column by column, or as one JSON object',
  options: [
    { name: 'Form', value: 'form', description: 'Map each column, or map the input automatically' },
    { name: 'JSON', value: 'json', description: 'One JSON object, for example from an AI model' },
  ],
});

/** The columns that identify the record, for values in JSON. The mapper has its own list. */
export const matchColumns = createFieldList(
  'matchColumns',
  'Columns to Match On Names or IDs',
  'The columns that identify the record to update, best a unique one such as Email.',
);

const showFor = <P extends ParameterDefinition>(mode: 'form' | 'json', parameter: P): P => ({
  ...parameter,
  displayOptions: {
    ...parameter.displayOptions,
    show: { ...parameter.displayOptions?.show, columnsMode: [mode] },
  },
});

/**
 * The parameters for the values of a record: the mapper, or one JSON object.
 * @param parent the picker without which they are hidden
 */
export const createColumnForm = (
  purpose: 'create' | 'update' | 'upsert',
  parent = 'dataTableId',
): ParameterDefinition[] => [
  ...hideUntilPicked(parent, [columnsMode]),
  showFor('form', createColumnMapper(purpose, parent)),
  showFor('json', columnsJson),
  ...(purpose === 'upsert' ? [showFor('json', matchColumns)] : []),
];
