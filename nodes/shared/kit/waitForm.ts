import type { INodeProperties } from 'n8n-workflow';
import type { Item } from './item';

/** "Wait for Completion", and the options that go with it. */
export const waitParameter: INodeProperties = {
  displayName: 'Wait for Completion',
  name: 'wait',
  type: 'boolean',
  default: false,
  description: 'Whether to go on only once the run has ended, and to return its final entry',
};

const DEFAULT_SECONDS = 600;

/** By its path from the root: an option is shown beside others that hold without waiting too. */
const displayOptions: INodeProperties['displayOptions'] = { show: { '/wait': [true] } };

export const waitOptions: INodeProperties[] = [
  {
    displayName: 'If the Run Fails',
    name: 'ifFails',
    type: 'options',
    default: 'return',
    displayOptions,
    description:
      'What to do when a run that was waited for ends as failed or terminated. An import with errors in all of its rows counts as failed.',
    options: [
      { name: 'Return an Error', value: 'error' },
      { name: 'Return Its Final Entry', value: 'return' },
    ],
  },
  {
    displayName: 'Maximum Wait (Seconds)',
    name: 'maximumWait',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: DEFAULT_SECONDS,
    displayOptions,
    description:
      'How long to wait for completion. The run goes on in the service after that; only the waiting ends.',
  },
];

/** How to wait for a run. */
export interface Wait {
  limitSeconds: number;
  /** Whether a run that fails or is stopped is an error of the item. */
  failsAsError: boolean;
}

/**
 * What the form says about waiting; undefined for not at all. Read before the run is started: a mistake
 * here must not be told of one that is under way.
 * @throws InputError
 */
export function waitOf(item: Item): Wait | undefined {
  if (!item.flag('wait')) return undefined;
  const failsAsError = item.choice('ifFails', ['return', 'error'], 'If the Run Fails') === 'error';
  const given = Number(item.options.maximumWait);
  return { limitSeconds: given > 0 ? given : DEFAULT_SECONDS, failsAsError };
}
