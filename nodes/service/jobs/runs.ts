/** Runs of tasks, automations, imports and exports. */
import { sleepUnlessAborted } from '../concurrency/wait';
import { automationEndpoints, exportEndpoints, importEndpoints, taskEndpoints } from '../endpoints/catalogue';
import type { Endpoint } from '../endpoints/endpoint';
import { ApiError, ignoreNotFound } from '../errors/apiError';
import type { Client } from '../http/client';
import { asThrown } from '../input/inputError';
import { formatDuration } from '../input/messageText';
import { asObject, isObject } from '../input/values';
import { findList, unwrapItem } from '../responses/schemas';

interface RunRequest {
  kind: RunKindName;
  id: string;
  /** The file of an import (a `FormBody`), or the filter and fields of an export. */
  body?: object;
}

interface WaitSettings {
  limitSeconds: number;
  throwsOnFailure: boolean;
  /** Whether a run that does not end within `limitSeconds` is an error. */
  throwsOnTimeout: boolean;
}

export interface RunResult {
  id: string;
  /** The run as the service showed it last, with `_completion` (see `runToEnd`). */
  entry: RunEntry;
}

/**
 * Starts a run, and waits until it has ended.
 * @example
 * const file = { fileName: 'items.csv', mimeType: 'text/csv', data: Buffer.from('sku,price\nA1,5\n') };
 * const upload = { kind: 'import', id: 'Imp4Kx', body: new FormBody([['file', file]]) } as const;
 * const wait = { limitSeconds: 600, throwsOnFailure: true, throwsOnTimeout: true };
 * const { id, entry } = await runToEnd(client, upload, wait); // entry: { _completion: 'finished', total_rows: 20, … }
 * @param onStart called when the service has started the run: another `runToEnd` would then start a second run
 * @returns `entry._completion`: 'finished', 'failed' or 'stopped'; 'running' after the time limit; 'notShown' for a run
 * that the service does not show any more
 * @throws ApiError if the run does not start; for a failed run with `throwsOnFailure`; for an unfinished run with
 * `throwsOnTimeout`. `details` contains the queue ID, if the service returned one
 */
export async function runToEnd(
  client: Client,
  target: RunRequest,
  wait: WaitSettings,
  onStart?: () => void,
): Promise<RunResult> {
  const { kind } = target;
  const response = asObject(await startRun(client, target));
  onStart?.();
  const id = findQueueId(response);
  if (id !== undefined) return { id, entry: await waitForRunEnd(client, kind, wait, id, response) };
  throw new ApiError({
    message: `The ${kind} was started, but the service did not return its queue ID`,
    description: `Look at the runs with the operation "Get Runs". Do not start the ${kind} a second time.`,
  });
}

/**
 * Starts a run without waiting for its end.
 * @example
 * await startRun(client, { kind: 'task', id: 'Ts3pLm' }); // { task_queue_id: 'Q8', … }
 * @throws ApiError. If the run may have been started, the error names the operation that shows the run
 */
export async function startRun(client: Client, { kind, id, body }: RunRequest): Promise<unknown> {
  const { start } = RUN_KINDS[kind];
  try {
    return (await client.call(start, { path: createIdPath(start, id), body })).body;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isOutcomeUnknown) throw asThrown(error);
    const { description } = error;
    throw error.copyWith({
      description: `${description} The operation "Get Runs" shows whether the ${kind} was started.`,
    });
  }
}

/**
 * Reads one run from the endpoint of single runs or, if that endpoint returns no run, from the list of ended runs. The
 * spec does not say how long either shows an ended run. See silences.md: `runResponses`.
 * @example
 * await readRun(client, 'task', 'Q8'); // { task_queue_id: 'Q8', status: 'Complete', … }
 * @returns the run; or all runs that the endpoint of single runs returned, if none of these has the ID
 * @throws ApiError if the service has no such run
 */
export async function readRun(client: Client, kind: 'task' | 'automation', id: string): Promise<unknown> {
  const { getOne, listEnded } = RUN_KINDS[kind];
  const body = await fetchIfFound(client, getOne, id);
  const entry = findRunEntry(body, id);
  if (entry) return entry;
  const shown = findList(body, `${kind}s`) ?? (body === undefined ? [] : [unwrapItem(body)]);
  if (shown.length > 0) return shown;
  const listed = listEnded && (await findRunInList(client, listEnded, id));
  if (listed) return listed;
  throw new ApiError({
    message: `The service has no run with the ID ${id}`,
    description: `Pick it from the list, or give the "${kind}_queue_id" that Run returned, which differs from the ID of the ${kind}. The service may have deleted an old run.`,
  });
}

type RunEntry = Record<string, unknown>;

/** `unknown`: none of `RUN_STATE_PATTERNS` matches the status, so the run may still be running. */
type RunState = 'running' | 'finished' | 'failed' | 'stopped' | 'unknown';

/** The spec names only `start`, `Processing` and `Complete` (States and transitions). The rest are common words. */
const RUN_STATE_PATTERNS: Array<[RunState, RegExp]> = [
  ['failed', /^(fail|error|reject|crash|expire|timed? ?out)|with errors$/],
  ['stopped', /^(terminated?|cancel(l?ed)?|stop(ped)?|abort(ed)?|kill(ed)?)\b/],
  [
    'finished',
    /^(completed?|processed|finish(ed)?|done|success(ful)?|succeed(ed)?|end(ed)?)( successfully)?$/,
  ],
  ['running', /^(start|processing)$/],
];

/** An import in which all rows have errors has failed, even if its status says that it is finished. */
export function readRunState({ status, error_rows, total_rows }: RunEntry): RunState {
  const word = String(status ?? '')
    .trim()
    .toLowerCase()
    .replace(/[_-]+/g, ' ');
  const state = RUN_STATE_PATTERNS.find(([, pattern]) => pattern.test(word))?.[0] ?? 'unknown';
  const isRefused = Number(error_rows) > 0 && Number(error_rows) >= Number(total_rows);
  return state === 'finished' && isRefused ? 'failed' : state;
}

const RUN_ID_KEY_PATTERN = /^(id|\w*queue_?id)$/i;

const hasRunId = (entry: RunEntry, id: string) =>
  Object.entries(entry).some(([key, value]) => RUN_ID_KEY_PATTERN.test(key) && String(value) === id);

/**
 * Finds the run in an answer: the answer itself, an entry of its list, or the object in its envelope. Does
 * not search deeper, because a table and a run may have the same ID (evidence 7). See silences.md: `envelopes`.
 */
export const findRunEntry = (body: unknown, id: string): RunEntry | undefined =>
  [body, ...(findList(body) ?? []), unwrapItem(body)].filter(isObject).find((entry) => hasRunId(entry, id));

const QUEUE_ID_KEY_PATTERNS = [/queue_?id$/i, /^id$/i];

/**
 * Reads `task_queue_id` (spec: Tasks), `import_queue_id` (evidence 23), or a similar key. See silences.md:
 * `runResponses`.
 */
export function findQueueId(body: unknown): string | undefined {
  const values = [body, unwrapItem(body)]
    .map(asObject)
    .flatMap((answer) =>
      QUEUE_ID_KEY_PATTERNS.flatMap((pattern) =>
        Object.entries(answer).flatMap(([key, value]) => (pattern.test(key) ? [value] : [])),
      ),
    );
  const id = values.find((value) => typeof value === 'string' || typeof value === 'number');
  return id === undefined || id === '' ? undefined : String(id);
}

interface RunKind {
  start: Endpoint;
  getOne: Endpoint;
  /** Lists the runs that have ended (spec: Tasks, "completed executions"). */
  listEnded?: Endpoint;
}

const RUN_KINDS: Record<'task' | 'automation' | 'import' | 'export', RunKind> = {
  task: {
    start: taskEndpoints.run,
    getOne: taskEndpoints.getExecution,
    listEnded: taskEndpoints.getHistory,
  },
  automation: {
    start: automationEndpoints.run,
    getOne: automationEndpoints.getExecution,
    listEnded: automationEndpoints.getHistory,
  },
  import: { start: importEndpoints.trigger, getOne: importEndpoints.getStatus },
  export: { start: exportEndpoints.trigger, getOne: exportEndpoints.getQueueEntry },
};

type RunKindName = keyof typeof RUN_KINDS;

/** Gives the ID to the only path parameter of the endpoint beside the App ID. */
const createIdPath = ({ path }: Endpoint, id: string) => ({
  [/\{(?!appId)(\w+)\}/.exec(path)![1]!]: id,
});

/** @returns the body; undefined if the service answers 404. @throws ApiError for another failure */
const fetchIfFound = (client: Client, endpoint: Endpoint, id?: string): Promise<unknown> =>
  client
    .call(endpoint, { path: id === undefined ? {} : createIdPath(endpoint, id) })
    .then(({ body }) => body, ignoreNotFound);

const findRunInList = async (client: Client, list: Endpoint, id: string) =>
  findRunEntry(await fetchIfFound(client, list), id);

/** Adds the state of an ended run as `_completion`. @returns undefined if the service does not show the run */
async function fetchRunEntry(
  client: Client,
  { getOne, listEnded }: RunKind,
  id: string,
): Promise<RunEntry | undefined> {
  const entry = findRunEntry(await fetchIfFound(client, getOne, id), id);
  const state = entry && readRunState(entry);
  if (entry && state !== 'unknown') return state === 'running' ? entry : { _completion: state, ...entry };
  const listed = listEnded && (await findRunInList(client, listEnded, id));
  if (!listed) return entry;
  const shown = readRunState(listed);
  // The list contains only ended runs, so a run in it whose status is `running` or `unknown` has finished.
  return { _completion: shown === 'running' || shown === 'unknown' ? 'finished' : shown, ...listed };
}

function createUnfinishedError(kind: RunKindName, id: string, message: string, remedy = ''): ApiError {
  const description =
    `Its queue ID is ${id}: get its state later with the operation "Get Runs". It was started, so do not start it a second time. ${remedy}`.trim();
  return new ApiError({ message, description, details: createIdPath(RUN_KINDS[kind].getOne, id) });
}

function createFailedRunError(kind: RunKindName, id: string, entry: RunEntry): ApiError {
  const rows = Number(entry.error_rows) > 0 ? `, and errors in ${Number(entry.error_rows)} rows` : '';
  return new ApiError({
    message: `The ${kind} ended with the status "${String(entry.status ?? entry._completion)}"${rows}`,
    description: `Check the reason with the operation "Get Runs" (queue ID ${id}) or in the service, then run it again. To return the entry instead of an error, change "If the Run Fails".`,
    details: createIdPath(RUN_KINDS[kind].getOne, id),
  });
}

/** The pause between two readings of a run grows from `FIRST_READ_PAUSE_MS` to `LONGEST_READ_PAUSE_MS`. */
const FIRST_READ_PAUSE_MS = 500;
const LONGEST_READ_PAUSE_MS = 15_000;
const READ_PAUSE_GROWTH = 1.5;

/**
 * While the service moves a run from the active to the ended runs, the run may be in neither list. If it is in
 * neither for longer than this time, the result is 'notShown'.
 */
const MAX_UNLISTED_MS = 30_000;

/** @param response the answer to the call that started the run */
async function waitForRunEnd(
  client: Client,
  kind: RunKindName,
  { limitSeconds, throwsOnFailure, throwsOnTimeout }: WaitSettings,
  id: string,
  response: RunEntry,
): Promise<RunEntry> {
  const { clock, signal } = client;
  const end = clock.now() + limitSeconds * 1000;
  let lastEntry = response;
  let seenAt = clock.now();
  for (let wait = FIRST_READ_PAUSE_MS; ; wait = Math.min(LONGEST_READ_PAUSE_MS, wait * READ_PAUSE_GROWTH)) {
    await sleepUnlessAborted(Math.min(wait, Math.max(0, end - clock.now())), client);
    if (signal?.aborted) {
      throw createUnfinishedError(kind, id, `The execution was cancelled while the ${kind} was running`);
    }
    const entry = await fetchRunEntry(client, RUN_KINDS[kind], id).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const { status } = error;
      const isTemporary = status === undefined || status < 400 || status >= 500;
      // A temporary failure does not end the wait: the service may be restarting.
      if (isTemporary && clock.now() < end) return lastEntry;
      const message = `The ${kind} was started, but waiting for it failed: ${error.message}`;
      throw createUnfinishedError(kind, id, message, error.description);
    });
    if (entry) [lastEntry, seenAt] = [entry, clock.now()];
    const { _completion } = lastEntry;
    const hasFailed = _completion === 'failed' || _completion === 'stopped';
    if (hasFailed && throwsOnFailure) throw createFailedRunError(kind, id, lastEntry);
    if (_completion) return lastEntry;
    if (clock.now() - seenAt >= Math.min(MAX_UNLISTED_MS, limitSeconds * 1000) && !entry)
      return { _completion: 'notShown', ...lastEntry };
    if (clock.now() < end) continue;
    if (!throwsOnTimeout) return { _completion: 'running', ...lastEntry };
    const message = `The ${kind} did not end within ${formatDuration(limitSeconds)}`;
    const remedy = 'To wait longer, raise "Maximum Wait (Seconds)" in the options.';
    throw createUnfinishedError(kind, id, message, remedy);
  }
}
