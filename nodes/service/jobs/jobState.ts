/**
 * The state of a run, in responses whose forms differ. `readJobState` reads the state of an entry. `findJobEntry` finds
 * the entry of a run, and `findQueueId` its ID. `poll` checks at growing intervals.
 */
import { type Waiting, sleepUnlessAborted } from '../concurrency/wait';
import { isObject } from '../input/values';
import { findList } from '../responses/schemas';

/** An entry of a task, automation, import or export queue. */
export type JobEntry = Record<string, unknown>;

/**
 * The state of a run. `unknown` means that the status is not in the lists below; the run may still be
 * running.
 */
export type JobState = 'running' | 'finished' | 'failed' | 'stopped' | 'unknown';

/**
 * Statuses by state. The spec names only `start`, `Processing` and `Complete` (States and transitions), so
 * the patterns cover other common words, as a stem (`terminate`, like `start`) and as a participle.
 */
const STATE_PATTERNS: Array<[JobState, RegExp]> = [
  [
    'failed',
    /^(fail(ed|ure)?|error(ed|s)?|fault(ed)?|crash(ed)?|reject(ed)?|timed? ?out|expired?|complete(d)? with errors)$/,
  ],
  [
    'stopped',
    /^(terminat(e|ed|ing|ion)|cancel(l?ed|lation)?|stop(ped)?|abort(ed)?|kill(ed)?|interrupt(ed)?|halt(ed)?)$/,
  ],
  [
    'finished',
    /^(complet(e|ed|ion)|finish(ed)?|done|success(ful(ly)?)?|succeed(ed)?|end(ed)?|pass(ed)?|processed|ready|(im|ex)ported|execute(d)?|generated)$/,
  ],
  ['running', /^(start(ed)?|process|queued?|active|in progress|new|\w+ing)$/],
];

/**
 * Patterns for statuses with a reason, such as "Failed: disk full". A zero count such as "Errors: 0" does not
 * match.
 */
const UNSUCCESSFUL_PATTERNS: Array<[JobState, RegExp]> = [
  [
    'failed',
    /^(partial(ly)? )?(fail(ed|ure)?|error(ed|s)?|unsuccess\w*|rejected|timed? ?out)\b(?! free|[:=( ]*0\b)/,
  ],
  ['failed', /^complete(d)? with [1-9]\d* (errors?|failures?)/],
  ['stopped', /^(cancell?ed|terminated|aborted|stopped|killed)\b/],
];

const isFilled = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;

const isTotalReached = (part: unknown, total: unknown) => Number(total) > 0 && Number(part) >= Number(total);

/**
 * Decides by the file, the end date or the counts whether an entry with an unknown status has ended (spec:
 * queue entries).
 */
const isLikelyEnded = (entry: JobEntry): boolean =>
  [entry.download_url, entry.end_date, entry.end_at].some(isFilled) ||
  isTotalReached(entry.processed_rows, entry.total_rows) ||
  isTotalReached(entry.total_record_proceed, entry.total_records) ||
  (Number(entry.complete) === 100 && !('download_url' in entry));

const parseEndState = (words: string): JobState =>
  UNSUCCESSFUL_PATTERNS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'finished';

/**
 * Reads the state of an entry. An import whose rows all have errors has failed, even if its status is another one.
 * @param hasEnded whether an entry with an unknown status has ended
 */
export function readJobState(entry: JobEntry, hasEnded = isLikelyEnded(entry)): JobState {
  const word = String(entry.status ?? '')
    .trim()
    .toLowerCase()
    .replace(/[_-]+/g, ' ');
  const matched = STATE_PATTERNS.find(([, pattern]) => pattern.test(word));
  const state = matched?.[0] ?? (hasEnded ? parseEndState(word) : 'unknown');
  return state === 'finished' && isTotalReached(entry.error_rows, entry.total_rows) ? 'failed' : state;
}

export const isFinalState = (state: JobState): boolean =>
  state === 'finished' || state === 'failed' || state === 'stopped';

const ID_KEY = /^(id|\w*queue_?id)$/i;

const hasMatchingId = (entry: JobEntry, id: string) =>
  Object.entries(entry).some(([key, value]) => ID_KEY.test(key) && String(value) === id);

/**
 * Whether an object is a run. An object with `status` alone, such as a response with `status: 'success'`, is not: a run
 * also has an ID or its progress.
 */
const isJobEntry = (value: JobEntry) =>
  'status' in value &&
  Object.keys(value).some((key) => ID_KEY.test(key) || /start|end_|total|proce|complete/i.test(key));

/** Lists the runs in a response. Empty for a response without a list. */
export const findJobEntries = (body: unknown): JobEntry[] => (findList(body) ?? []).filter(isObject);

/**
 * Finds the entry of run `id` in a list, under any key, or in the response itself, because the spec does not
 * define every envelope. With `isSingle`, the request was for one run, so the only entry is returned even if
 * its ID differs.
 * Open point: `envelopes`.
 */
export function findJobEntry(body: unknown, id: string, { isSingle = false } = {}): JobEntry | undefined {
  if (!isObject(body) && !Array.isArray(body)) return undefined;
  const list = findList(body)?.filter(isObject);
  const nestedEntries = Object.values(body).filter(isObject);
  const ownEntry = isObject(body) ? [body] : [];
  const matching = [...(list ?? []), ...nestedEntries, ...ownEntry].find((entry) => hasMatchingId(entry, id));
  if (matching || !isSingle) return matching;
  const candidates = list ?? [...nestedEntries, ...ownEntry].filter(isJobEntry);
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** Keys of a queue ID, the most specific first. */
const QUEUE_ID_PATTERNS = [
  /queue_?id$/i,
  /queue\w*\.id$/i,
  /(^|\.)id$/i,
  /(^|\.)queue$/i,
  /(execution|job|run|import|export)_?id$/i,
];

/**
 * Finds the queue ID in the response to a run: `task_queue_id` (spec: Tasks), or a similar key in responses
 * that the spec does not define. Undefined if there is none.
 * Open point: `runResponses`.
 */
export function findQueueId(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const unwrapSingle = (value: unknown): unknown =>
    Array.isArray(value) && value.length === 1 ? value[0] : value;
  const nestedValues = Object.entries(body).flatMap(([parentKey, value]) => {
    const nested = unwrapSingle(value);
    return isObject(nested)
      ? Object.entries(nested).map(([key, nestedValue]) => [`${parentKey}.${key}`, nestedValue] as const)
      : [];
  });
  const values = [...Object.entries(body), ...nestedValues].filter(([, candidate]) =>
    /^(string|number)$/.test(typeof candidate),
  );
  const [first] = QUEUE_ID_PATTERNS.flatMap((pattern) => values.filter(([key]) => pattern.test(key)));
  return first && isFilled(first[1]) ? String(first[1]) : undefined;
}

/** Times are in milliseconds. */
interface PollOptions<T> {
  /** Checks once. Undefined means "not yet". */
  check(): Promise<T | undefined>;
  waiting: Waiting;
  timeoutMs: number;
}

type PollResult<T> = { kind: 'seen'; value: T } | { kind: 'timeout' } | { kind: 'cancelled' };

const INITIAL_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 15_000;
const INTERVAL_GROWTH = 1.5;

/**
 * Calls `check` at growing intervals until it returns a value, `timeoutMs` has passed, or the signal is
 * aborted.
 */
export async function poll<T>({ check, waiting, timeoutMs }: PollOptions<T>): Promise<PollResult<T>> {
  const { clock } = waiting;
  const end = clock.now() + timeoutMs;
  for (let wait = INITIAL_INTERVAL_MS; ; wait = Math.min(MAX_INTERVAL_MS, wait * INTERVAL_GROWTH)) {
    const left = end - clock.now();
    await sleepUnlessAborted(Math.min(wait, Math.max(0, left)), waiting);
    if (waiting.signal?.aborted) return { kind: 'cancelled' };
    const value = await check();
    if (value !== undefined) return { kind: 'seen', value };
    if (clock.now() >= end) return { kind: 'timeout' };
  }
}
