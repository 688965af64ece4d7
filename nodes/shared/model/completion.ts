import { listIn } from './responses';

/** A run in the service as an answer shows it: a task queue entry, an import or export queue entry. */
export type Entry = Record<string, unknown>;

/** Where a run stands. `unknown` is a status that we have no word for: it may still go on. */
export type RunState = 'running' | 'finished' | 'failed' | 'stopped' | 'unknown';

/**
 * The spec shows `start`, `Processing` and `Complete` alone (States and transitions), so every usual word
 * for an end is understood, in any case and spelling.
 */
const WORDS: Array<[RunState, RegExp]> = [
  ['failed', /^(fail(ed|ure)?|error(ed|s)?|faulted|rejected|timed ?out|timeout|complete(d)? with errors)$/],
  ['stopped', /^(terminat(ed|ing)|cancell?ed|stop(ped)?|abort(ed)?|killed|interrupted)$/],
  [
    'finished',
    /^(complet(e|ed)|finish(ed)?|done|success(ful(ly)?)?|succeeded|end(ed)?|processed|ready|(im|ex)ported|executed|generated)$/,
  ],
  ['running', /^(start(ed)?|process|queued?|active|in progress|new|\w+ing)$/],
];

/** What it begins with may have a reason behind it: "Failed: disk full", "Cancelled by user"; not "Errors: 0". */
const TROUBLE: Array<[RunState, RegExp]> = [
  [
    'failed',
    /^(partial(ly)? )?(fail(ed|ure)?|error(ed|s)?|unsuccess\w*|rejected|timed? ?out)\b(?! free|[:=( ]*0\b)/,
  ],
  ['failed', /^complete(d)? with [1-9]\d* (errors?|failures?)/],
  ['stopped', /^(cancell?ed|terminated|aborted|stopped|killed)\b/],
];

const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const filled = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;

const isAll = (part: unknown, total: unknown) => Number(total) > 0 && Number(part) >= Number(total);

/** A file, an end date or the counts of an entry (spec: queue entries): they speak where its word is unknown. */
const looksDone = (entry: Entry): boolean =>
  [entry.download_url, entry.end_date, entry.end_at].some(filled) ||
  isAll(entry.processed_rows, entry.total_rows) ||
  isAll(entry.total_record_proceed, entry.total_records) ||
  (Number(entry.complete) === 100 && !('download_url' in entry));

const endOf = (words: string): RunState =>
  TROUBLE.find(([, pattern]) => pattern.test(words))?.[0] ?? 'finished';

/**
 * What an entry says of itself. An import that ended with errors in all of its rows has failed, whatever its word.
 * @param hasEnded what a status without a known word is taken for: an end, or still to be waited for
 */
export function stateOf(entry: Entry, hasEnded = looksDone(entry)): RunState {
  const word = String(entry.status ?? '')
    .trim()
    .toLowerCase()
    .replace(/[_-]+/g, ' ');
  const known = WORDS.find(([, pattern]) => pattern.test(word));
  const state = known?.[0] ?? (hasEnded ? endOf(word) : 'unknown');
  return state === 'finished' && isAll(entry.error_rows, entry.total_rows) ? 'failed' : state;
}

export const isEnd = (state: RunState): boolean =>
  state === 'finished' || state === 'failed' || state === 'stopped';

const ID_KEY = /^(id|\w*queue_?id)$/i;

const hasId = (entry: Entry, id: string) =>
  Object.entries(entry).some(([key, value]) => ID_KEY.test(key) && String(value) === id);

/** An envelope may say `status: 'success'` of the answer itself; a run also says how far it is. */
const isRun = (value: Entry) =>
  'status' in value &&
  Object.keys(value).some((key) => ID_KEY.test(key) || /start|end_|total|proce|complete/i.test(key));

/**
 * The entry of run `id` in an answer whose envelope may not be shown: in a list, under any key, or the
 * answer itself. In the answer to a question for one run, the only entry there is will do.
 */
export function entryIn(body: unknown, id: string, askedForOne: boolean): Entry | undefined {
  if (!isObject(body) && !Array.isArray(body)) return undefined;
  const list = listIn(body)?.filter(isObject);
  const inner = Object.values(body).filter(isObject);
  const whole = isObject(body) ? [body] : [];
  const own = [...(list ?? []), ...inner, ...whole].find((entry) => hasId(entry, id));
  if (own || !askedForOne) return own;
  const only = list ?? [...inner, ...whole].filter(isRun);
  return only.length === 1 ? only[0] : undefined;
}

/** A queue ID by its key alone, one under a key that speaks of a queue, then what may be one. */
const QUEUE_ID = [
  /queue_?id$/i,
  /queue\w*\.id$/i,
  /(^|\.)id$/i,
  /(^|\.)queue$/i,
  /(execution|job|run|import|export)_?id$/i,
];

/**
 * The queue id in the answer to a run: `task_queue_id` (spec: Tasks), or whatever of that kind is in the
 * answers that the spec does not show. Undefined where nothing looks like one.
 */
export function queueIdIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const only = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);
  const inner = Object.entries(body).flatMap(([above, value]) => {
    const level = only(value);
    return isObject(level)
      ? Object.entries(level).map(([key, one]) => [`${above}.${key}`, one] as const)
      : [];
  });
  const values = [...Object.entries(body), ...inner].filter(([, one]) =>
    /^(string|number)$/.test(typeof one),
  );
  const [first] = QUEUE_ID.flatMap((name) => values.filter(([key]) => name.test(key)));
  return first && filled(first[1]) ? String(first[1]) : undefined;
}
