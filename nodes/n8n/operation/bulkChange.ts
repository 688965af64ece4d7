/** The parameters of operations that change many records at once. */
import { defineParameter } from '../parameters/parameter';

export const maximumRecordsParameter = defineParameter({
  displayName: 'Maximum Records',
  name: 'maximum',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 100,
  description: 'How many records may be changed or deleted at most',
  hint: 'Nothing is done when more records match',
});

export const dryRunOption = defineParameter({
  displayName: 'Dry Run',
  name: 'dryRun',
  type: 'boolean',
  default: true,
  description: 'Whether to only return what would be done, and change nothing',
});

/** Dry Run for Delete Many and Undo, on by default. The option Dry Run is off until the user adds it. */
export const dryRunParameter = { ...dryRunOption, hint: 'While this is on, nothing is changed or deleted' };
