import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { DEFAULT_PARALLEL, DEFAULT_TIMEOUT, type ClientOptions } from '../transport/client';

const DEFAULT_SECONDS = DEFAULT_TIMEOUT / 1000;

/** Timers hold no more; a longer one would ring at once. */
const LONGEST_MS = 2_147_483_647;

/** How requests are made: the same for every operation of every node. */
export const requestOptions: INodeProperties = {
  displayName: 'Request Options',
  name: 'requests',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [
    {
      displayName: 'Parallel Requests',
      name: 'parallel',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: 50 },
      default: DEFAULT_PARALLEL,
      description:
        'How many requests may be under way at once. Items come out in the order in which they came in, and the request limit of the API key is kept whatever the number.',
    },
    {
      displayName: 'Request Timeout',
      name: 'timeout',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: DEFAULT_SECONDS,
      description: 'How many seconds to wait for one answer of the service',
    },
  ],
};

/** A whole number of at least 1; anything else, as from an expression that found nothing, is the default. */
const atLeastOne = (value: unknown): number | undefined => {
  const number = Math.floor(Number(value));
  return number >= 1 ? number : undefined;
};

export function requestOptionsOf(context: IExecuteFunctions): ClientOptions {
  const { parallel, timeout } = context.getNodeParameter('requests', 0, {}) as Record<string, unknown>;
  const seconds = Number(timeout) > 0 ? Number(timeout) : undefined;
  return { parallel: atLeastOne(parallel), timeout: seconds && Math.min(seconds * 1000, LONGEST_MS) };
}
