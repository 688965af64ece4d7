/**
 * Runs of tasks, automations, imports and exports. `runToEnd` starts a run and waits until it has ended, `startRun` does not
 * wait. `readRun` and `stopRun` take the queue ID of a run.
 */
import { difference } from 'lodash';
import { findWithPauses } from '../concurrency/wait';
import { automationEndpoints, exportEndpoints, importEndpoints, taskEndpoints } from '../endpoints/catalogue';
import { type Endpoint, formatEndpoint } from '../endpoints/endpoint';
import { ApiError, isNotFoundByService } from '../errors/apiError';
import type { CallOptions, Client } from '../http/client';
import { asThrown } from '../input/inputError';
import { formatSeconds } from '../input/messageText';
import { asObject } from '../input/values';
import { memory } from '../memory/memory';
import { findList, unwrapItem } from '../responses/schemas';
import {
  type JobEntry,
  type JobState,
  findJobEntries,
  findJobEntry,
  findQueueId,
  isFinalState,
  poll,
  readJobState,
} from './jobState';

/** What to run: a task, an automation, an import template or an export template. */
interface RunTarget {
  kind: keyof typeof RUN_KINDS;
  /** ID of the task, the automation or the template. */
  id: string;
  /** The file of an import (a `FormBody`), or the filter and the fields of an export. */
  body?: object;
}

/** How to wait for a run. */
interface WaitSettings {
  limitSeconds: number;
  /** Whether a run that fails or is stopped is an error. */
  failsAsError: boolean;
  /** Whether a run that has not ended in time is an error. */
  timesOutAsError: boolean;
}

/** A run that has ended, or that was waited for in vain. */
export interface EndedRun {
  /** Queue ID of the run. */
  id: string;
  /** The last entry of the run, and `_completion` (`runToEnd`). */
  entry: JobEntry;
}

/**
 * Starts a run and waits until it has ended. Its state is read after 0.5 s, then at growing intervals of up to 15 s.
 * @example
 * const file = { fileName: 'items.csv', mimeType: 'text/csv', data: Buffer.from('sku,price\nA1,5\n') };
 * const upload = { kind: 'import', id: 'Imp4Kx', body: new FormBody([['file', file]]) } as const;
 * const wait = { limitSeconds: 600, failsAsError: true, timesOutAsError: true };
 * const { id, entry } = await runToEnd(client, upload, wait); // entry: { _completion: 'finished', total_rows: 20, … }
 * @param onStart called as soon as something was started that a second call would start again
 * @returns `entry._completion` is 'finished', 'failed' or 'stopped'; 'running' after a timeout if the settings return the
 * entry; 'notShown' if the service stopped returning the run without a final status
 * @throws ApiError when the start fails; with the queue ID when the run was started
 */
export async function runToEnd(
  client: Client,
  target: RunTarget,
  wait: WaitSettings,
  onStart?: () => void,
): Promise<EndedRun> {
  const run = await startAndFind(client, target, onStart);
  return { id: run.id, entry: await waitForEnd(client, RUN_KINDS[target.kind], wait, run) };
}

/**
 * Starts a run without a wait and without a search for its queue ID.
 * @example
 * await startRun(client, { kind: 'task', id: 'Ts3pLm' }); // { task_queue_id: 'Q8', … }
 * @returns the body of the response
 * @throws ApiError; if the run may have been started, it names the operation that lists the runs
 */
export async function startRun(client: Client, { kind, id, body }: RunTarget): Promise<unknown> {
  const { noun, start, definitionName }: RunKind = RUN_KINDS[kind];
  try {
    return (await client.call(start, { path: { [definitionName]: id }, body })).body;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isOutcomeUnknown) throw asThrown(error);
    const { description } = error;
    throw error.explain({
      description: `${description} The operation "Get Runs" shows whether the ${noun} was started.`,
    });
  }
}

/**
 * Reads one run of a task or an automation. The list of ended runs is read only if the service itself answers 404 for the run
 * (a proxy's 404 is an error), or if the answer holds no run: the spec does not say how long an ended run remains available.
 * Open point: `runResponses`.
 * @example
 * await readRun(client, 'task', 'Q8'); // { task_queue_id: 'Q8', status: 'Complete', … }
 * @returns the entry of the run; an answer of an unknown form as it is
 * @throws ApiError if the service has no such run
 */
export async function readRun(client: Client, kind: 'task' | 'automation', id: string): Promise<unknown> {
  const { one, idName, ended } = RUN_KINDS[kind];
  const body = await fetchUnlessGone(client, one, { path: { [idName]: id } }, isNotFoundByService);
  const entry = findJobEntry(body, id, { isSingle: true });
  if (entry) return entry;
  const shown = findList(body, `${kind}s`) ?? (body === undefined ? [] : [unwrapItem(body)]);
  if (shown.length > 0) return shown;
  const listed = await findListedJob(client, ended, id);
  if (listed) return listed;
  throw new ApiError({
    message: `The service has no run with the ID ${id}`,
    description: `Pick it from the list, or give the "${kind}_queue_id" that Run returned, which differs from the ID of the ${kind}. The service may have deleted an old run.`,
  });
}

/**
 * Stops one run of a task or an automation.
 * @example
 * await stopRun(client, 'task', 'Q8');
 * @returns the body of the response
 * @throws ApiError
 */
export async function stopRun(client: Client, kind: 'task' | 'automation', id: string): Promise<unknown> {
  const { stop, idName } = RUN_KINDS[kind];
  return (await client.call(stop, { path: { [idName]: id } })).body;
}

/** The endpoints of the runs of one kind, and their path parameters. */
interface RunKind {
  /** Name of the run in error messages. */
  noun: string;
  start: Endpoint;
  /** Name of the path parameter that holds the ID of the task, the automation or the template. */
  definitionName: string;
  /** Reads one run by its queue ID. */
  one: Endpoint;
  /** Further endpoints that read one run, called in order if `one` does not return it. */
  others?: Endpoint[];
  /** Name of the path parameter that holds the queue ID. */
  idName: string;
  /** Lists the runs that have not ended (spec: Tasks, "active executions"). */
  active?: Endpoint;
  /** Lists the runs that have ended (spec: Tasks, "completed executions"). */
  ended?: Endpoint;
  /** Lists the runs of one task or automation, or those of all templates. */
  queue: Endpoint;
  /** Whether the queue is that of all templates. */
  isQueueShared?: boolean;
  /** False for an entry of a shared queue that belongs to another template. */
  isOwn?(entry: JobEntry, definitionId: string): boolean;
}

/** Spec: Automations, "same pattern as tasks". */
const createTaskKind = <Noun extends 'task' | 'automation'>(
  noun: Noun,
  endpoints: Record<
    'run' | 'getExecution' | 'getExecutions' | 'getActive' | 'getHistory' | 'terminateExecution',
    Endpoint
  >,
) => ({
  noun,
  start: endpoints.run,
  definitionName: `${noun}Id`,
  one: endpoints.getExecution,
  idName: `${noun}QueueId`,
  active: endpoints.getActive,
  ended: endpoints.getHistory,
  stop: endpoints.terminateExecution,
  queue: endpoints.getExecutions,
});

const RUN_KINDS = {
  task: createTaskKind('task', taskEndpoints),
  automation: createTaskKind('automation', automationEndpoints),
  import: {
    noun: 'import',
    start: importEndpoints.trigger,
    definitionName: 'importId',
    one: importEndpoints.getStatus,
    others: [importEndpoints.getQueueEntry],
    idName: 'queueId',
    queue: importEndpoints.listQueue,
    isQueueShared: true,
  },
  export: {
    noun: 'export',
    start: exportEndpoints.trigger,
    definitionName: 'templateId',
    one: exportEndpoints.getQueueEntry,
    idName: 'queueId',
    queue: exportEndpoints.listQueue,
    isQueueShared: true,
    isOwn: ({ exportTemplate }, templateId) =>
      String(asObject(exportTemplate).id ?? templateId) === templateId,
  },
} satisfies Record<string, RunKind>;

/** The queue that shows the runs of a target. */
interface RunQueue {
  endpoint: Endpoint;
  path?: Record<string, string>;
  isOwn(entry: JobEntry): boolean;
}

function getQueue({ kind, id }: RunTarget): RunQueue {
  const { queue, isQueueShared, isOwn, definitionName }: RunKind = RUN_KINDS[kind];
  return {
    endpoint: queue,
    path: isQueueShared ? undefined : { [definitionName]: id },
    isOwn: (entry) => isOwn?.(entry, id) ?? true,
  };
}

/**
 * Starts a run and returns its queue ID. The spec does not show every response, so if the response
 * has no queue ID, it is found by comparing the queue before and after the start.
 * Open point: `runResponses`.
 * @throws ApiError when the start fails, or when the run was started and its queue ID cannot be found
 */
function startAndFind(
  client: Client,
  target: RunTarget,
  onStart: () => void = () => undefined,
): Promise<StartedRun> {
  const queue = getQueue(target);
  const kind = RUN_KINDS[target.kind];
  return jobStartQueue.run(client, [formatEndpoint(queue.endpoint), queue.path], async () => {
    const before = await fetchQueueIds(client, queue).catch(() => undefined);
    const response = await startRun(client, target).catch((error: unknown) => error);
    if (response instanceof Error) {
      const isBare = isBareAnswer(response);
      if (isBare) onStart();
      // The queue shows whether the run was started.
      const find = () => findNewQueueId(client, kind, queue, before).catch(() => undefined);
      const id = isBare ? await find() : undefined;
      if (id !== undefined) return { id, response: {} };
      throw asThrown(await explainLostStart(client, kind, queue, before, response));
    }
    onStart();
    const body = response as JobEntry;
    return { id: findQueueId(body) ?? (await findNewQueueId(client, kind, queue, before)), response: body };
  });
}

const isNotFound = ({ status }: ApiError): boolean => status === 404;

/**
 * Reads one run. Undefined if the service answers that it does not exist (`isGone`, by default status 404).
 * @throws ApiError for any other failure
 */
async function fetchUnlessGone(
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

/** Finds a run in a list of runs. The endpoint of a single run may answer 404 after the run has ended. */
const findListedJob = async (client: Client, list: Endpoint, id: string): Promise<JobEntry | undefined> =>
  findJobEntry(await fetchUnlessGone(client, list), id);

/** A run that the service has started. */
interface StartedRun {
  /** Queue ID of the run. */
  id: string;
  response: JobEntry;
}

/** Starts jobs of one definition one after the other, because each start compares the queue before and after it. */
const jobStartQueue = memory.queue('jobStartQueue', { per: 'key', holds: 'starts of one definition' });

/** Milliseconds for which the queue is read until the new run appears in it. */
const MAX_QUEUE_DELAY_MS = 10_000;

async function fetchQueueIds(client: Client, { endpoint, path, isOwn }: RunQueue): Promise<string[]> {
  const { body } = await client.call(endpoint, { path });
  return findJobEntries(body)
    .filter(isOwn)
    .flatMap((entry) => findQueueId(entry) ?? []);
}

/** Lists the queue IDs that were not in the queue before the start. Undefined if there are none. */
async function findAddedIds(
  client: Client,
  queue: RunQueue,
  before: string[],
): Promise<string[] | undefined> {
  const added = difference(await fetchQueueIds(client, queue), before);
  return added.length > 0 ? added : undefined;
}

const createUnidentifiedError = ({ noun }: RunKind, reason: string): ApiError =>
  new ApiError({
    message: `The ${noun} was started, but the service did not return its queue ID`,
    description: `${reason} Look at the runs with the operation "Get Runs". Do not start the ${noun} a second time.`,
  });

/** Finds the queue ID that was not in the queue before the start. @throws ApiError if there is none or several */
async function findNewQueueId(
  client: Client,
  kind: RunKind,
  queue: RunQueue,
  before: string[] | undefined,
): Promise<string> {
  if (!before) throw createUnidentifiedError(kind, 'The queue could not be read.');
  const result = await poll({
    check: () => findAddedIds(client, queue, before),
    waiting: client,
    timeoutMs: MAX_QUEUE_DELAY_MS,
  }).catch(() => undefined);
  const added = result?.kind === 'seen' ? result.value : [];
  const [id] = added;
  if (id === undefined) throw createUnidentifiedError(kind, 'The queue shows no new run.');
  if (added.length === 1) return id;
  throw createUnidentifiedError(
    kind,
    `${added.length} runs were started at the same time: ${added.join(', ')}.`,
  );
}

/** Whether the service answered a start with success, and the answer does not show that something was started. */
const isBareAnswer = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && Number(error.status) < 300;

/**
 * Adds the new runs of the queue to the error of a start whose answer was lost. Another client may have started one at
 * the same moment, so the error does not end as a success.
 */
async function explainLostStart(
  client: Client,
  { noun, idName }: RunKind,
  queue: RunQueue,
  before: string[] | undefined,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ApiError) || !error.isOutcomeUnknown || !before) return error;
  const find = () => findAddedIds(client, queue, before).catch(() => undefined);
  const [id, ...others] = (await findWithPauses(find, client)) ?? [];
  if (id === undefined) return error;
  const { description } = error;
  return others.length === 0
    ? error.explain({
        description: `${description} The queue shows one new ${noun} since just before the start, which is this one unless another client started it. Its queue ID is ${id}.`,
        details: { ...error.details, [idName]: id },
      })
    : error.explain({
        description: `${description} The queue shows ${others.length + 1} new runs since just before the start: ${[id, ...others].join(', ')}.`,
      });
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
  { one, others = [], idName }: RunKind,
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
    private readonly kind: RunKind,
    private readonly run: StartedRun,
    private readonly limitMs: number,
  ) {
    this.lastEntry = run.response;
    this.seenAt = client.clock.now();
  }

  /** Reads the state once. @returns undefined while the run may still be running */
  async check(): Promise<JobObservation | undefined> {
    const { client, kind } = this;
    const entry = await fetchJobEntry(client, kind, this.run.id);
    if (entry) {
      this.lastEntry = entry;
      const state = readJobState(entry);
      if (isFinalState(state)) return { entry, state };
      if (state === 'running' || (await this.isActive())) {
        this.seenAt = client.clock.now();
        return undefined;
      }
    }
    const ended = kind.ended && (await findListedJob(client, kind.ended, this.run.id));
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
    const { active } = this.kind;
    return !active || (await findListedJob(this.client, active, this.run.id)) !== undefined;
  }
}

function createUnfinishedError(kind: RunKind, id: string, message: string, more = ''): ApiError {
  const description =
    `Its queue ID is ${id}: get its state later with the operation "Get Runs". It was started, so do not start it a second time. ${more}`.trim();
  return new ApiError({ message, description, details: { [kind.idName]: id } });
}

/** Wraps an error of reading the state. The run itself was started and may succeed. */
function toWaitError(kind: RunKind, id: string, error: unknown): Error {
  if (!(error instanceof ApiError)) return error as Error;
  const { message, description } = error;
  return createUnfinishedError(
    kind,
    id,
    `The ${kind.noun} was started, but waiting for it failed: ${message}`,
    description,
  );
}

function createFailedRunError(kind: RunKind, id: string, { entry, state }: JobObservation): ApiError {
  const rows = Number(entry.error_rows) > 0 ? `, and errors in ${Number(entry.error_rows)} rows` : '';
  return new ApiError({
    message: `The ${kind.noun} ended with the status "${String(entry.status ?? state)}"${rows}`,
    description: `Check the reason with the operation "Get Runs" (queue ID ${id}) or in the service, then run it again. To return the entry instead of an error, change "If the Run Fails".`,
    details: { [kind.idName]: id },
  });
}

/** Waits until a run has ended (`runToEnd`). */
async function waitForEnd(
  client: Client,
  kind: RunKind,
  { limitSeconds, failsAsError, timesOutAsError }: WaitSettings,
  run: StartedRun,
): Promise<JobEntry> {
  const { id } = run;
  const watcher = new JobWatcher(client, kind, run, limitSeconds * 1000);
  const result = await poll({
    check: () => watcher.check(),
    waiting: client,
    timeoutMs: limitSeconds * 1000,
  }).catch((error: unknown) => {
    throw toWaitError(kind, id, error);
  });
  if (result.kind === 'cancelled') {
    throw createUnfinishedError(kind, id, `The execution was cancelled while the ${kind.noun} was running`);
  }
  if (result.kind === 'timeout') {
    if (!timesOutAsError) return { _completion: 'running', ...(watcher.lastEntry as JobEntry) };
    const message = `The ${kind.noun} did not end within ${formatSeconds(limitSeconds)}`;
    const remedy = 'To wait longer, raise "Maximum Wait (Seconds)" in the options.';
    throw createUnfinishedError(kind, id, message, remedy);
  }
  const { entry, state } = result.value;
  if (failsAsError && (state === 'failed' || state === 'stopped')) {
    throw createFailedRunError(kind, id, result.value);
  }
  return { _completion: state, ...(entry as JobEntry) };
}
