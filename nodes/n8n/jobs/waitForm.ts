import type { Item } from '../operation/item';
import { defineParameter } from '../parameters/parameter';

export const waitParameter = defineParameter({
  displayName: 'Wait for Completion',
  name: 'wait',
  type: 'boolean',
  default: true,
  description: 'Whether to wait until the run has ended, and to return its end state',
});

/** The condition names the parameter from the root, because these options are inside the Options collection. */
const displayOptions = { show: { '/wait': [true] } };

const ifFailsOption = defineParameter({
  displayName: 'If the Run Fails',
  name: 'ifFails',
  type: 'options',
  default: 'error',
  displayOptions,
  description: 'What to do when the run ends as failed or terminated',
  options: [
    { name: 'Return an Error', value: 'error' },
    { name: 'Return the Run', value: 'return' },
  ],
});

const ifTimeRunsOutOption = defineParameter({
  displayName: 'If Time Runs Out',
  name: 'ifTimeRunsOut',
  type: 'options',
  default: 'return',
  displayOptions,
  description: 'What to do when the run has not ended after Maximum Wait. The run continues in the service.',
  options: [
    { name: 'Return an Error', value: 'error', description: 'The default if this option is not added' },
    { name: 'Return the Run', value: 'return', description: 'With "running" as "_completion"' },
  ],
});

export const maximumWaitOption = defineParameter({
  displayName: 'Maximum Wait (Seconds)',
  name: 'maximumWait',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 600,
  displayOptions,
  description: 'How long to wait for the end of the run. The run continues in the service after that.',
});

/**
 * Options of every operation that has `waitParameter`.
 * @param ifFails what the option for a failed run says, where more than the state of the run makes it a failure
 */
export const createWaitOptions = (ifFails: string = ifFailsOption.description) => [
  { ...ifFailsOption, description: ifFails },
  ifTimeRunsOutOption,
  maximumWaitOption,
];

/**
 * Reads the wait settings; undefined if "Wait for Completion" is off. Call this before starting the run, so that
 * an invalid setting fails before anything is started.
 * @throws InputError
 */
export function readWaitSettings(item: Item) {
  if (!item.read(waitParameter)) return undefined;
  return {
    limitSeconds: item.readOptionOrDefault(maximumWaitOption),
    failsAsError: item.readOption(ifFailsOption) !== 'return',
    timesOutAsError: item.readOption(ifTimeRunsOutOption) !== 'return',
  };
}
