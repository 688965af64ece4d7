import { difference } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { formatEndpoint } from '../../model/endpoints/endpoint';
import { asThrown } from '../../model/input/asThrown';
import { findJobEntries, findQueueId } from '../../model/responses/jobState';
import { createApiKeyFingerprint } from '../../transport/auth/credential';
import { findWithPauses } from '../../transport/concurrency/findWithPauses';
import { KeyedQueue } from '../../transport/concurrency/keyedQueue';
import { ApiError, mapExplanation } from '../../transport/errors/apiError';
import { poll } from '../../transport/poll';
import type { Item } from '../operation/item';
import type { JobPlan } from './jobPlan';

/** A run that the service has started. */
export interface StartedJob {
  /** Queue ID of the run. */
  id: string;
  response: IDataObject;
}

/** Starts jobs of one definition one after the other, because each start compares the queue before and after it. */
const jobStartQueue = new KeyedQueue();

/** Milliseconds for which the queue is read until the new run appears in it. */
const MAX_QUEUE_DELAY_MS = 10_000;

async function fetchQueueIds(item: Item, { queue }: JobPlan): Promise<string[]> {
  const { body } = await item.client.call(queue.endpoint, { path: queue.path });
  return findJobEntries(body)
    .filter((entry) => queue.isOwn?.(entry) ?? true)
    .flatMap((entry) => findQueueId(entry) ?? []);
}

/** Returns the queue IDs that were not in the queue before the start; undefined if there are none. */
async function findAddedIds(item: Item, plan: JobPlan, before: string[]): Promise<string[] | undefined> {
  const added = difference(await fetchQueueIds(item, plan), before);
  return added.length > 0 ? added : undefined;
}

const createUnidentifiedError = ({ noun, queue }: JobPlan, reason: string): ApiError =>
  new ApiError({
    message: `The ${noun} was started, but the service did not return its queue ID`,
    description: `${reason} Get the runs with the operation "${queue.operation}". Do not start the ${noun} a second time.`,
  });

/** Finds the queue ID that was not in the queue before the start. @throws ApiError if there is none or several */
async function findNewQueueId(item: Item, plan: JobPlan, before: string[] | undefined): Promise<string> {
  if (!before) throw createUnidentifiedError(plan, 'The queue could not be read.');
  const result = await poll({
    check: () => findAddedIds(item, plan, before),
    signal: item.context.getExecutionCancelSignal?.(),
    timeoutMs: MAX_QUEUE_DELAY_MS,
  }).catch(() => undefined);
  const added = result?.kind === 'seen' ? result.value : [];
  const [id] = added;
  if (id === undefined) throw createUnidentifiedError(plan, 'The queue shows no new run.');
  if (added.length === 1) return id;
  throw createUnidentifiedError(
    plan,
    `${added.length} runs were started at the same time: ${added.join(', ')}.`,
  );
}

/** Whether the service answered a start with success, and the answer does not show that something was started. */
const isBareAnswer = (error: unknown): boolean =>
  error instanceof ApiError && error.isOutcomeUnknown && (error.status ?? 0) < 300 && error.isFromService;

/** Calls `start`. An error after which the run may have been started says where to look. @throws ApiError */
export const startRun = <T>({ noun, queue }: JobPlan, start: () => Promise<T>): Promise<T> =>
  start().catch((error: unknown) => {
    const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
    throw isUnknown
      ? mapExplanation(error, ({ description }) => ({
          description: `${description} The operation "${queue.operation}" shows whether the ${noun} was started.`,
        }))
      : error;
  });

/**
 * Adds the new runs of the queue to the error of a start whose answer was lost. Another client may have started one at
 * the same moment, so the error does not end as a success.
 */
async function explainLostStart(
  item: Item,
  plan: JobPlan,
  before: string[] | undefined,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ApiError) || !error.isOutcomeUnknown || !before) return error;
  const find = () => findAddedIds(item, plan, before).catch(() => undefined);
  const [id, ...others] = (await findWithPauses(find, item.cancelSignal)) ?? [];
  if (id === undefined) return error;
  const { description } = error.explanation;
  const { noun, idName } = plan;
  return others.length === 0
    ? error.withExplanation(
        {
          description: `${description} The queue shows one new ${noun} since just before the start, which is this one unless another client started it. Its queue ID is ${id}.`,
        },
        { ...error.details, [idName]: id },
      )
    : error.withExplanation({
        description: `${description} The queue shows ${others.length + 1} new runs since just before the start: ${[id, ...others].join(', ')}.`,
      });
}

/**
 * Starts a run with `start` and returns its queue ID. The spec does not show every response, so if the response
 * has no queue ID, it is found by comparing the queue before and after the start.
 * @throws ApiError when the start fails, or when the run was started and its queue ID cannot be found
 */
export function startJob(item: Item, plan: JobPlan, start: () => Promise<unknown>): Promise<StartedJob> {
  const { endpoint, path } = plan.queue;
  const key = [
    createApiKeyFingerprint(item.client.credential),
    formatEndpoint(endpoint),
    JSON.stringify(path),
  ];
  return jobStartQueue.run(key.join('\n'), async () => {
    const before = await fetchQueueIds(item, plan).catch(() => undefined);
    const response = await startRun(plan, start).catch((error: unknown) => error);
    if (response instanceof Error) {
      const isBare = isBareAnswer(response);
      item.hasStarted ||= isBare;
      // The queue shows whether the run was started.
      const find = () => findNewQueueId(item, plan, before).catch(() => undefined);
      const id = isBare ? await find() : undefined;
      if (id !== undefined) return { id, response: {} };
      throw asThrown(await explainLostStart(item, plan, before, response));
    }
    item.hasStarted = true;
    const body = response as IDataObject;
    return { id: findQueueId(body) ?? (await findNewQueueId(item, plan, before)), response: body };
  });
}
