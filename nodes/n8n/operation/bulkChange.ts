/** The parameters of operations that change many records at once. */
import { defineParameter } from '../parameters/parameter';

/** @param description what is not done when more records than this match */
export const createMaximumRecordsParameter = (description: string) =>
  defineParameter({
    displayName: 'Maximum Records',
    name: 'maximum',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 100,
    description,
  });

/** For operations that delete, or that have no condition of their own: on by default. */
export const dryRunParameter = defineParameter({
  displayName: 'Dry Run',
  name: 'dryRun',
  type: 'boolean',
  default: true,
  description: 'Whether to only return what would be done, and change nothing',
  hint: 'While this is on, nothing is changed or deleted',
});

/** @param description what is returned instead of making the changes */
export const createDryRunOption = (description: string) =>
  defineParameter({ displayName: 'Dry Run', name: 'dryRun', type: 'boolean', default: true, description });
