/** The parameters of operations that wait for a run. */
import { type RunResult, runToEnd, startRun } from '../../service';
import type { Item } from '../operation/item';
import { type Output, toOutputs } from '../operation/operation';
import { defineParameter } from '../parameters/parameter';

export const waitParameter = defineParameter({
  displayName: 'Wait for Completion',
  name: 'wait',
  type: 'boolean',
  default: true,
  description: 'Whether to wait until the run has ended, and to return its end state',
});

/** Shows an option only while `wait` is on. The slash means the root of the form, outside the collection. */
const shownWhileWaiting = { show: { '/wait': [true] } };

const ifFailsOption = defineParameter({
  displayName: 'If the Run Fails',
  name: 'ifFails',
  type: 'options',
  default: 'error',
  displayOptions: shownWhileWaiting,
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
  displayOptions: shownWhileWaiting,
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
  displayOptions: shownWhileWaiting,
  description: 'How long to wait for the end of the run. The run continues in the service after that.',
});

/** Creates the options that belong to `waitParameter`. @param ifFails the description of "If the Run Fails" */
export const createWaitOptions = (ifFails: string = ifFailsOption.description) => [
  { ...ifFailsOption, description: ifFails },
  ifTimeRunsOutOption,
  maximumWaitOption,
];

/** Waits for the run only if Wait for Completion is on. @param finish converts the ended run to items */
export async function startRunAndWait(
  item: Item,
  target: Parameters<typeof startRun>[1],
  finish = async ({ entry }: RunResult) => Promise.resolve(toOutputs(entry)),
): Promise<Output[]> {
  if (!item.read(waitParameter)) return toOutputs(await startRun(item.client, target));
  const wait = {
    limitSeconds: item.readOptionOrDefault(maximumWaitOption),
    throwsOnFailure: item.readOption(ifFailsOption) !== 'return',
    throwsOnTimeout: item.readOption(ifTimeRunsOutOption) !== 'return',
  };
  return finish(await runToEnd(item.client, target, wait, item.markAsStarted));
}
