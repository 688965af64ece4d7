/**
 * Runs of tasks, automations, imports and exports. `startJob` starts a run and finds its queue ID. `waitForCompletion`
 * waits until it has ended.
 */
import { difference } from 'lodash';
import { findWithPauses } from '../concurrency/wait';
import { exportEndpoints, importEndpoints } from '../endpoints/catalogue';
import { type Endpoint, formatEndpoint } from '../endpoints/endpoint';
import { ApiError, mapExplanation } from '../errors/apiError';
import type { CallOptions, Client } from '../http/client';
import type { FormBody } from '../http/formBody';
import { asThrown } from '../input/inputError';
import { formatSeconds } from '../input/messageText';
import { asObject } from '../input/values';
import { memory } from '../memory/memory';
import {
  type JobEntry,
  type JobPlan,
  type JobState,
  findJobEntries,
  findJobEntry,
  findQueueId,
  isFinalState,
  poll,
  readJobState,
} from './jobState';

/**
 * Starts a run with `start` and returns its queue ID. The spec does not show every response, so if the response
 * has no queue ID, it is found by comparing the queue before and after the start.
 * Open point: `runResponses`.
 * @example
 * const job = await startJob(client, plan, async () => (await client.call(taskEndpoints.run, { path })).body);
 * job.id; // 'Q8'
 * @param onStart called as soon as something was started that a second call would start again
 * @throws ApiError when the start fails, or when the run was started and its queue ID cannot be found
 */
export function startJob(
  client: Client,
  plan: JobPlan,
  start: () => Promise<unknown>,
  onStart: () => void = () => undefined,
): Promise<StartedJob> {
  const { endpoint, path } = plan.queue;
  return jobStartQueue.run(client, [formatEndpoint(endpoint), path], async () => {
    const before = await fetchQueueIds(client, plan).catch(() => undefined);
    const response = await startRun(plan, start).catch((error: unknown) => error);
    if (response instanceof Error) {
      const isBare = isBareAnswer(response);
      if (isBare) onStart();
      // The queue shows whether the run was started.
      const find = () => findNewQueueId(client, plan, before).catch(() => undefined);
      const id = isBare ? await find() : undefined;
      if (id !== undefined) return { id, response: {} };
      throw asThrown(await explainLostStart(client, plan, before, response));
    }
    onStart();
    const body = response as JobEntry;
    return { id: findQueueId(body) ?? (await findNewQueueId(client, plan, before)), response: body };
  });
}

const isNotFound = ({ status }: ApiError): boolean => status === 404;

/**
 * Reads one run. Undefined if the service answers that it does not exist (`isGone`, by default status 404).
 * @example
 * await fetchUnlessGone(client, importEndpoints.getStatus, { path: { queueId: 'Q8' } }); // { status: 'Completed', … }
 * @throws ApiError for any other failure
 */
export async function fetchUnlessGone(
  client: Client,
  endpoint: Endpoint,
  call: CallOptions = {},
  isGone = isNotFound,
): Promise<unknown> {
  const found = await client.call(endpoint, call).catch((error: unknown) => error);
  if (found instanceof ApiError && isGone(found)) return undefined;
  if (found instanceof Error) throw found;
  return (found as { body: unknown }).body;
}

/**
 * Finds a run in a list of runs. The endpoint of a single run may answer 404 after the run has ended.
 * @example
 * await findListedJob(client, taskEndpoints.getHistory, 'Q8'); // { task_queue_id: 'Q8', … }
 * @throws ApiError for a failed request
 */
export const findListedJob = async (
  client: Client,
  list: Endpoint,
  id: string,
): Promise<JobEntry | undefined> => findJobEntry(await fetchUnlessGone(client, list), id);

/** A run that the service has started. */
interface StartedJob {
  /** Queue ID of the run. */
  id: string;
  response: JobEntry;
}

/** Starts jobs of one definition one after the other, because each start compares the queue before and after it. */
const jobStartQueue = memory.queue('jobStartQueue', { per: 'key', holds: 'starts of one definition' });

/** Milliseconds for which the queue is read until the new run appears in it. */
const MAX_QUEUE_DELAY_MS = 10_000;

async function fetchQueueIds(client: Client, { queue }: JobPlan): Promise<string[]> {
  const { body } = await client.call(queue.endpoint, { path: queue.path });
  return findJobEntries(body)
    .filter((entry) => queue.isOwn?.(entry) ?? true)
    .flatMap((entry) => findQueueId(entry) ?? []);
}

/** Lists the queue IDs that were not in the queue before the start. Undefined if there are none. */
async function findAddedIds(client: Client, plan: JobPlan, before: string[]): Promise<string[] | undefined> {
  const added = difference(await fetchQueueIds(client, plan), before);
  return added.length > 0 ? added : undefined;
}

const createUnidentifiedError = ({ noun }: JobPlan, reason: string): ApiError =>
  new ApiError({
    message: `The ${noun} was started, but the service did not return its queue ID`,
    description: `${reason} Look at the runs with the operation "Get Runs". Do not start the ${noun} a second time.`,
  });

/** Finds the queue ID that was not in the queue before the start. @throws ApiError if there is none or several */
async function findNewQueueId(client: Client, plan: JobPlan, before: string[] | undefined): Promise<string> {
  if (!before) throw createUnidentifiedError(plan, 'The queue could not be read.');
  const result = await poll({
    check: () => findAddedIds(client, plan, before),
    waiting: client,
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
  error instanceof ApiError && error.isFromService && Number(error.status) < 300;

/** Calls `start`. @throws ApiError; if the run may have been started, it names the operation that lists the runs */
export const startRun = <T>({ noun }: JobPlan, start: () => Promise<T>): Promise<T> =>
  start().catch((error: unknown) => {
    const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
    throw isUnknown
      ? mapExplanation(error, ({ description }) => ({
          description: `${description} The operation "Get Runs" shows whether the ${noun} was started.`,
        }))
      : error;
  });

/**
 * Adds the new runs of the queue to the error of a start whose answer was lost. Another client may have started one at
 * the same moment, so the error does not end as a success.
 */
async function explainLostStart(
  client: Client,
  plan: JobPlan,
  before: string[] | undefined,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ApiError) || !error.isOutcomeUnknown || !before) return error;
  const find = () => findAddedIds(client, plan, before).catch(() => undefined);
  const [id, ...others] = (await findWithPauses(find, client)) ?? [];
  if (id === undefined) return error;
  const { description } = error;
  const { noun, idName } = plan;
  return others.length === 0
    ? error.explain({
        description: `${description} The queue shows one new ${noun} since just before the start, which is this one unless another client started it. Its queue ID is ${id}.`,
        details: { ...error.details, [idName]: id },
      })
    : error.explain({
        description: `${description} The queue shows ${others.length + 1} new runs since just before the start: ${[id, ...others].join(', ')}.`,
      });
}

/** How to wait for a run. */
export interface WaitSettings {
  limitSeconds: number;
  /** Whether a run that fails or is stopped is an error. */
  failsAsError: boolean;
  /** Whether a run that has not ended in time is an error. */
  timesOutAsError: boolean;
}

interface JobObservation {
  entry: JobEntry;
  state: JobState | 'notShown';
}

/**
 * Milliseconds after which a run that no endpoint returns counts as gone. A run may be missing while the service
 * moves it from the list of active runs to the list of ended runs.
 */
const MAX_UNSEEN_MS = 30_000;

async function fetchJobEntry(
  client: Client,
  { one, others = [], idName }: JobPlan,
  id: string,
): Promise<JobEntry | undefined> {
  for (const endpoint of [one, ...others]) {
    const entry = findJobEntry(await fetchUnlessGone(client, endpoint, { path: { [idName]: id } }), id, {
      isSingle: true,
    });
    if (entry) return entry;
  }
  return undefined;
}

/** Reads the state of one run, and keeps the last entry that the service returned. */
class JobWatcher {
  lastEntry: JobEntry;
  /** When the run was last shown as active, in milliseconds of the client's clock. */
  private seenAt: number;

  constructor(
    private readonly client: Client,
    private readonly plan: JobPlan,
    private readonly job: StartedJob,
    private readonly limitMs: number,
  ) {
    this.lastEntry = job.response;
    this.seenAt = client.clock.now();
  }

  /** Reads the state once. @returns undefined while the run may still be running */
  async check(): Promise<JobObservation | undefined> {
    const { client, plan } = this;
    const entry = await fetchJobEntry(client, plan, this.job.id);
    if (entry) {
      this.lastEntry = entry;
      const state = readJobState(entry);
      if (isFinalState(state)) return { entry, state };
      if (state === 'running' || (await this.isActive())) {
        this.seenAt = client.clock.now();
        return undefined;
      }
    }
    const ended = plan.ended && (await findListedJob(client, plan.ended, this.job.id));
    // The list holds completed runs only, so every status in it is final.
    if (ended) {
      const state = readJobState(ended, true);
      return { entry: ended, state: isFinalState(state) ? state : 'finished' };
    }
    const isGone = client.clock.now() - this.seenAt >= Math.min(MAX_UNSEEN_MS, this.limitMs);
    return isGone ? { entry: this.lastEntry, state: 'notShown' } : undefined;
  }

  /** Whether a run with an unknown status may be running: it is listed as active, or no list of active runs exists. */
  private async isActive(): Promise<boolean> {
    const { active } = this.plan;
    return !active || (await findListedJob(this.client, active, this.job.id)) !== undefined;
  }
}

function createUnfinishedError(plan: JobPlan, id: string, message: string, more = ''): ApiError {
  const description =
    `Its queue ID is ${id}: get its state later with the operation "Get Runs". It was started, so do not start it a second time. ${more}`.trim();
  return new ApiError({ message, description, details: { [plan.idName]: id } });
}

/** Wraps an error of reading the state. The run itself was started and may succeed. */
function toWaitError(plan: JobPlan, id: string, error: unknown): Error {
  if (!(error instanceof ApiError)) return error as Error;
  const { message, description } = error;
  return createUnfinishedError(
    plan,
    id,
    `The ${plan.noun} was started, but waiting for it failed: ${message}`,
    description,
  );
}

function createFailedRunError(plan: JobPlan, id: string, { entry, state }: JobObservation): ApiError {
  const rows = Number(entry.error_rows) > 0 ? `, and errors in ${Number(entry.error_rows)} rows` : '';
  return new ApiError({
    message: `The ${plan.noun} ended with the status "${String(entry.status ?? state)}"${rows}`,
    description: `Check the reason with the operation "Get Runs" (queue ID ${id}) or in the service, then run it again. To return the entry instead of an error, change "If the Run Fails".`,
    details: { [plan.idName]: id },
  });
}

/**
 * Waits until a run has ended. Its state is read after 0.5 s, then at growing intervals of up to 15 s.
 * @example
 * const settings = { limitSeconds: 600, failsAsError: true, timesOutAsError: true };
 * await waitForCompletion(client, importPlan, settings, job); // { _completion: 'finished', total_rows: 20, … }
 * @returns the final entry with `_completion`: 'finished', 'failed' or 'stopped'; 'running' after a timeout if the
 * settings return the entry; 'notShown' if the service stopped returning the run without a final status
 * @throws ApiError with the queue ID
 */
export async function waitForCompletion(
  client: Client,
  plan: JobPlan,
  { limitSeconds, failsAsError, timesOutAsError }: WaitSettings,
  job: StartedJob,
): Promise<JobEntry> {
  const { id } = job;
  const watcher = new JobWatcher(client, plan, job, limitSeconds * 1000);
  const result = await poll({
    check: () => watcher.check(),
    waiting: client,
    timeoutMs: limitSeconds * 1000,
  }).catch((error: unknown) => {
    throw toWaitError(plan, id, error);
  });
  if (result.kind === 'cancelled') {
    throw createUnfinishedError(plan, id, `The execution was cancelled while the ${plan.noun} was running`);
  }
  if (result.kind === 'timeout') {
    if (!timesOutAsError) return { _completion: 'running', ...(watcher.lastEntry as JobEntry) };
    const message = `The ${plan.noun} did not end within ${formatSeconds(limitSeconds)}`;
    const remedy = 'To wait longer, raise "Maximum Wait (Seconds)" in the options.';
    throw createUnfinishedError(plan, id, message, remedy);
  }
  const { entry, state } = result.value;
  if (failsAsError && (state === 'failed' || state === 'stopped')) {
    throw createFailedRunError(plan, id, result.value);
  }
  return { _completion: state, ...(entry as JobEntry) };
}

/** The endpoints of the runs of an export template. */
export const createExportPlan = (templateId: string): JobPlan => ({
  noun: 'export',
  one: exportEndpoints.getQueueEntry,
  idName: 'queueId',
  queue: {
    endpoint: exportEndpoints.listQueue,
    isOwn: ({ exportTemplate }) => String(asObject(exportTemplate).id ?? templateId) === templateId,
  },
});

/** The endpoints of an import run. */
export const importPlan: JobPlan = {
  noun: 'import',
  one: importEndpoints.getStatus,
  others: [importEndpoints.getQueueEntry],
  idName: 'queueId',
  queue: { endpoint: importEndpoints.listQueue },
};

/**
 * Uploads a file of records to an import template, and returns the queue ID of the import.
 * @param form has the file, whose field the service calls `file` by default
 * @param onStart see `startJob`
 * @example
 * const file = { fileName: 'items.csv', mimeType: 'text/csv', data: Buffer.from('sku,price\nA1,5\n') };
 * const form = new FormBody([['file', file]]);
 * const job = await startImport(client, 'Imp4Kx', form); // { id: 'Q8', response: { … } }
 * @throws ApiError when the upload fails, or when the import was started and its queue ID cannot be found
 */
export const startImport = (
  client: Client,
  importId: string,
  form: FormBody,
  onStart?: () => void,
): Promise<StartedJob> => startJob(client, importPlan, () => sendImport(client, importId, form), onStart);

const sendImport = async (client: Client, importId: string, form: FormBody): Promise<unknown> =>
  (await client.call(importEndpoints.trigger, { path: { importId }, body: form })).body;

/**
 * Uploads a file to an import template without looking for its queue ID, and returns the body of the response.
 * @example
 * await triggerImport(client, 'Imp4Kx', form);
 * @throws ApiError when the upload fails; after an unclear failure it names where the import would be listed
 */
export const triggerImport = (client: Client, importId: string, form: FormBody): Promise<unknown> =>
  startRun(importPlan, () => sendImport(client, importId, form));
