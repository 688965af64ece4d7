import { asObject, isObject } from '../input/values';
import { findList, unwrapItem } from '../responses/schemas';

/** An entry of a task, automation, import or export queue. */
export type JobEntry = Record<string, unknown>;

/** `unknown` means that the status is none of the words below: the run may still be running. */
type JobState = 'running' | 'finished' | 'failed' | 'stopped' | 'unknown';

/** The spec names only `start`, `Processing` and `Complete` (States and transitions). The others are usual words. */
const STATE_PATTERNS: Array<[JobState, RegExp]> = [
  ['failed', /^(fail|error|reject|crash|expire|timed? ?out)|with errors$/],
  ['stopped', /^(terminated?|cancel(l?ed)?|stop(ped)?|abort(ed)?|kill(ed)?)\b/],
  ['finished', /^(complete|processed|finish|done|succe|end)/],
  ['running', /^(start|processing)$/],
];

/** Reads the state of an entry. An import whose rows all have errors has failed, even if its status is another one. */
export function readJobState({ status, error_rows, total_rows }: JobEntry): JobState {
  const word = String(status ?? '')
    .trim()
    .toLowerCase()
    .replace(/[_-]+/g, ' ');
  const state = STATE_PATTERNS.find(([, pattern]) => pattern.test(word))?.[0] ?? 'unknown';
  const isRefused = Number(error_rows) > 0 && Number(error_rows) >= Number(total_rows);
  return state === 'finished' && isRefused ? 'failed' : state;
}

const ID_KEY = /^(id|\w*queue_?id)$/i;

const hasId = (entry: JobEntry, id: string) =>
  Object.entries(entry).some(([key, value]) => ID_KEY.test(key) && String(value) === id);

/**
 * Finds the entry of run `id` in an answer: the answer itself, its list, or the object in its envelope. An object inside an
 * entry is none, because IDs of tables, templates and runs coincide (evidence 7).
 * Open point: `envelopes`.
 */
export const findJobEntry = (body: unknown, id: string): JobEntry | undefined =>
  [body, ...(findList(body) ?? []), unwrapItem(body)].filter(isObject).find((entry) => hasId(entry, id));

/** Keys of a queue ID, the most specific first. */
const QUEUE_ID_KEYS = [/queue_?id$/i, /^id$/i];

/**
 * Finds the queue ID in the answer to a start: `task_queue_id` (spec: Tasks), `import_queue_id` (evidence 23), or a similar
 * key, in the answer or in its envelope. Undefined if there is none.
 * Open point: `runResponses`.
 */
export function findQueueId(body: unknown): string | undefined {
  const values = [body, unwrapItem(body)]
    .map(asObject)
    .flatMap((answer) =>
      QUEUE_ID_KEYS.flatMap((pattern) =>
        Object.entries(answer).flatMap(([key, value]) => (pattern.test(key) ? [value] : [])),
      ),
    );
  const id = values.find((value) => typeof value === 'string' || typeof value === 'number');
  return id === undefined || id === '' ? undefined : String(id);
}
