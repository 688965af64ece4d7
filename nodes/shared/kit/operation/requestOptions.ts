import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { createOptions, type ParameterDefinition } from './parameter';
import { DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_MS, type ClientOptions } from '../../transport/clientOptions';

const DEFAULT_TIMEOUT_SECONDS = DEFAULT_TIMEOUT_MS / 1000;

/** The longest delay of a timer, in milliseconds. A timer with a longer delay expires at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Options for sending requests. Every operation of every node has them. */
const requestOptions: INodeProperties[] = [
  {
    displayName: 'Parallel Requests',
    name: 'parallel',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 50 },
    default: DEFAULT_CONCURRENCY,
    description:
      'How many requests may run at once. Items are returned in the order of the input, and the request limit of the API key is kept whatever the number.',
  },
  {
    displayName: 'Request Timeout',
    name: 'timeout',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: DEFAULT_TIMEOUT_SECONDS,
    description: 'How many seconds to wait for one answer of the service',
  },
];

const compareLabels = (a: INodeProperties, b: INodeProperties) => a.displayName.localeCompare(b.displayName);

/** Adds the request options to an operation's own options. */
export function withRequestOptions(parameters: ParameterDefinition[]): ParameterDefinition[] {
  const own = parameters.find(({ name }) => name === 'options');
  const ownOptions = (own?.options ?? []) as INodeProperties[];
  const options = createOptions(...[...ownOptions, ...requestOptions].sort(compareLabels));
  return [...parameters.filter((parameter) => parameter !== own), options];
}

/**
 * Returns a number of at least 1, rounded down. Returns undefined for any other value, for example when an
 * expression returns nothing; the default then applies.
 */
const parsePositiveInteger = (value: unknown): number | undefined => {
  const number = Math.floor(Number(value));
  return number >= 1 ? number : undefined;
};

/** Returns the option Request Timeout in milliseconds, or undefined when it was not added. */
export function parseTimeout(options: unknown): number | undefined {
  const seconds = Number((options as { timeout?: unknown } | undefined)?.timeout);
  return seconds > 0 ? Math.min(seconds * 1000, MAX_TIMER_MS) : undefined;
}

export function readRequestOptions(context: IExecuteFunctions): ClientOptions {
  const options = context.getNodeParameter('options', 0, {}) as { parallel?: unknown };
  return { concurrency: parsePositiveInteger(options.parallel), timeout: parseTimeout(options) };
}
