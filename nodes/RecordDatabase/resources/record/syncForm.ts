import { applyDefaultsOption, writeOptions } from '../../../n8n/columns/writeOptions';
import { filterForm } from '../../../n8n/filter/filterForm';
import { hideUntilPicked } from '../../../n8n/lists/tablePickers';
import { createDryRunOption } from '../../../n8n/operation/returnAll';
import { type ParameterDefinition, createOptions, defineParameter } from '../../../n8n/parameters/parameter';
import { formulaOption } from './formulas';
import { linkOption } from './link';

export const outputParameter = defineParameter({
  displayName: 'Output',
  name: 'output',
  type: 'options',
  default: 'changes',
  options: [
    {
      name: 'One Item per Change',
      value: 'changes',
      description: 'Each record that was created, updated or deleted; deleted ones with their old values',
    },
    { name: 'Summary', value: 'summary', description: 'One item with the number of changes of each kind' },
  ],
});

export const deleteMissing = defineParameter({
  displayName: 'Delete Missing Records',
  name: 'deleteMissing',
  type: 'boolean',
  default: false,
  description:
    'Whether to delete records that no input item names. The input must have all items: the node refuses to delete in a loop, in a second run and with "Execute Once".',
});

export const maximumDeletions = defineParameter({
  displayName: 'Maximum Deletions',
  name: 'maximumDeletions',
  type: 'string',
  default: '',
  placeholder: 'e.g. 50 or 20%',
  description:
    'Nothing is changed when more records than this would be deleted: a number, or a share of the records that match the filter. Leave empty for the larger of 10 records and 20%.',
});

export const maximumChangesOption = defineParameter({
  displayName: 'Maximum Changes',
  name: 'maximumChanges',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 1000,
  description: 'Nothing is changed when more records than this would be created, updated and deleted',
});

export const dryRunOption = createDryRunOption('Whether to only return the changes that would be made');

/** Shows a parameter only when records may be deleted. */
const showForDeletion = (parameter: ParameterDefinition): ParameterDefinition => ({
  ...parameter,
  displayOptions: {
    ...parameter.displayOptions,
    show: { ...parameter.displayOptions?.show, deleteMissing: [true] },
  },
});

/** The filter limits what may be deleted. Keys are looked up in the whole table. */
const deletionFilter = filterForm.map((parameter) =>
  showForDeletion(
    parameter.name === 'filterMode'
      ? { ...parameter, displayName: 'Filter', description: 'Which records may be deleted' }
      : parameter,
  ),
);

/** The options of single records. A list of connections is always replaced, as Sync makes records equal to items. */
export const itemOptions: ParameterDefinition[] = [
  applyDefaultsOption,
  ...writeOptions,
  formulaOption,
  linkOption,
];

/** The parameters below the columns. */
export const syncParameters: ParameterDefinition[] = [
  ...hideUntilPicked('dataTableId', [deleteMissing]),
  ...deletionFilter,
  showForDeletion(maximumDeletions),
  outputParameter,
  createOptions(...itemOptions, dryRunOption, maximumChangesOption),
];
