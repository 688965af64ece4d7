import type { RecordValues } from '../client/fields/recordValues';
import { parseJsonObject } from '../client/input/values';

/**
 * What happened. `UPSERT`: a date does not show whether a record was created or updated. `NOT_VISIBLE`: a user can no
 * longer read the record; it is deleted or hidden. `ENTRY`: a log entry was added.
 */
export type ChangeEvent = 'INSERT' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'LEFT_FILTER' | 'NOT_VISIBLE' | 'ENTRY';

export interface Change {
  event: ChangeEvent;
  /** ID of the record, or hash of the log entry. */
  key: string;
  /** Values of the record or entry; only the ID of a record that can no longer be read. */
  values: RecordValues;
  /** Slugs of the changed fields; null if the earlier values are unknown. Set only for snapshots. */
  changedFields?: string[] | null;
  /** Number of the poll that returns the change, or that returned it first. */
  sequence: number;
}

/** Maximum number of changes that one poll returns. The next poll returns the others. */
export const MAX_CHANGES = 5_000;

/** Maximum length of the stored records, entries or snapshot, in ASCII characters. */
export const MAX_STORED_LENGTH = 200_000;

/** That a poll has returned a version of a record or entry. */
interface Mark {
  /** Number of the poll; see `PollState.sequence`. */
  sequence: number;
  /** The change was returned a second time after a restart, and is not returned again. */
  isRepeated?: true;
}

/** A version of a record or log entry that earlier polls have found. */
export interface KnownVersion {
  date: string;
  /** Undefined if the version was never returned, or if its execution is assumed to be over. */
  mark?: Mark;
}

/** The position up to which a table was read by date, or a log. Dates are text in the service's format and zone. */
export interface Position {
  /** Earlier polls have found all versions with a date up to this one; '' at the start. */
  floor: string;
  /** The newest known date; '' if there is none. */
  watermark: string;
  /** When `watermark` was found, in milliseconds of n8n's clock. */
  advancedAt: number;
  /** Set while a backlog is returned in parts. */
  backlog?: {
    /** The date from which the next poll continues. */
    resume: string;
    /** When the first part was returned, in milliseconds of n8n's clock. */
    startedAt: number;
    /** Versions of the date `resume` up to this hash were returned. Set if the state has no room for their hashes. */
    returnedUpTo?: string;
  };
}

/** A record of the last snapshot. */
export interface SnapshotRecord {
  /**
   * Hashes of the values (`bySnapshot.ts`); '' for a record that is gone and stays only so that this change can be
   * returned again.
   */
  value: string;
  mark?: Mark & { event: ChangeEvent };
}

/** What the trigger stores between polls. */
export interface PollState {
  /** Hash of the application and the settings that define the watched data. A state with another scope is ignored. */
  scope: string;
  /**
   * IDs of the n8n processes that polled last, the last one at the end, and when each took over, in milliseconds. After
   * a restart, n8n has another ID.
   */
  processes: Array<[id: string, takenOverAt: number]>;
  /** Number of polls that returned changes. */
  sequence: number;
  /** When these polls returned their changes, in milliseconds. Those within 10 minutes before the last one are kept. */
  returnedAt: Map<number, number>;
  /** Polls whose changes must be returned again, unless they were already. */
  repeats: number[];
  /** By date and logs: the versions in the overlap, by hash. */
  known: Map<string, KnownVersion>;
  position: Position;
  /** By snapshot: the records, by ID. */
  records: Map<string, SnapshotRecord>;
  /** By snapshot: slugs of the compared fields, in the order of their hashes. */
  slugs: string[];
  /** By snapshot: ID of the missing record that was checked last, if there were more than one poll checks. */
  checkedId?: string;
}

export const createPollState = (scope: string, process: string, now: number): PollState => ({
  scope,
  processes: [[process, now]],
  sequence: 0,
  returnedAt: new Map(),
  repeats: [],
  known: new Map(),
  position: { floor: '', watermark: '', advancedAt: 0 },
  records: new Map(),
  slugs: [],
});

/** Milliseconds after which the execution of a change is assumed to be over. */
const EXECUTION_MS = 10 * 60_000;

/** Milliseconds after which a change is not returned again. */
const REPEAT_MS = 24 * 3_600_000;

/** Adds a poll that returns changes at `now`, and removes those whose executions are assumed to be over. */
export const recordReturn = (
  returnedAt: Map<number, number>,
  sequences: Iterable<number>,
  now: number,
): Map<number, number> => {
  const recent = [...returnedAt].filter(([, at]) => now - at < EXECUTION_MS);
  return new Map([
    ...recent,
    ...[...new Set(sequences)].map((sequence): [number, number] => [sequence, now]),
  ]);
};

/** Number of processes that are stored. */
const MAX_PROCESSES = 5;

/** Number of poll intervals within which each of several processes that poll in turns takes over again. */
const TURN_INTERVALS = 10;

interface Adoption {
  process: string;
  /** Whether the last changes are returned again after a restart. */
  repeats: boolean;
  now: number;
  /** Milliseconds between two polls. */
  interval: number;
}

/**
 * Adopts a state that another n8n process wrote. After a restart, the changes that were returned last are returned again,
 * because their executions may have ended with that process: those of the last 10 minutes before its last execution,
 * within a day. Two processes that poll in turns repeat nothing: this one has taken over a short time ago already.
 */
export function adoptState(state: PollState, { process, repeats, now, interval }: Adoption): PollState {
  if (state.processes.at(-1)?.[0] === process) return state;
  const takenOverAt = state.processes.find(([id]) => id === process)?.[1];
  const takesTurns = takenOverAt !== undefined && now - takenOverAt <= TURN_INTERVALS * interval;
  const recent = [...state.returnedAt].filter(([, at]) => now - at < REPEAT_MS);
  const others = state.processes.filter(([id]) => id !== process);
  return {
    ...state,
    processes: [...others, [process, now] as [string, number]].slice(-MAX_PROCESSES),
    repeats: repeats && !takesTurns ? recent.map(([sequence]) => sequence) : [],
  };
}

/** Whether a change must be returned again. */
export const isRepeatDue = (mark: Mark | undefined, { repeats }: PollState): mark is Mark =>
  mark !== undefined && !mark.isRepeated && repeats.includes(mark.sequence);

/** Whether a mark may be needed after a restart. */
export const isMarkNeeded = (mark: Mark | undefined, returnedAt: Map<number, number>): mark is Mark =>
  mark !== undefined && returnedAt.has(mark.sequence);

/** Creates the mark of a change that is returned, as a repeat or for the first time. */
export const createMark = (repeat: Mark | undefined, sequence: number): Mark =>
  repeat ? { sequence: repeat.sequence, isRepeated: true } : { sequence };

const EVENT_LETTERS: Record<ChangeEvent, string> = {
  INSERT: 'I',
  UPDATE: 'U',
  UPSERT: 'C',
  DELETE: 'D',
  LEFT_FILTER: 'L',
  NOT_VISIBLE: 'V',
  ENTRY: 'E',
};

const EVENTS = new Map(
  Object.entries(EVENT_LETTERS).map(([event, letter]) => [letter, event as ChangeEvent]),
);

const REPEATED = '!';

const formatMark = (mark: Mark | undefined): string =>
  mark ? mark.sequence.toString(36) + (mark.isRepeated ? REPEATED : '') : '';

function parseMark(text: string): Mark | undefined {
  if (text === '') return undefined;
  return { sequence: parseInt(text, 36), ...(text.endsWith(REPEATED) && { isRepeated: true }) };
}

/** Characters of the hash of a version, 6 bits each. Another version has the same hash once in 10^10 polls. */
export const VERSION_HASH_LENGTH = 8;

/** Formats versions as one line for each date and mark: date without signs, mark, and the hashes without separators. */
export function formatKnown(known: Map<string, KnownVersion>): string {
  const lines = new Map<string, string>();
  for (const [hash, { date, mark }] of known) {
    const head = `${date.replace(/\D/g, '')} ${formatMark(mark)} `;
    lines.set(head, (lines.get(head) ?? '') + hash);
  }
  return [...lines].map(([head, hashes]) => head + hashes).join('\n');
}

function parseKnown(text: string): Map<string, KnownVersion> {
  const known = new Map<string, KnownVersion>();
  for (const line of text === '' ? [] : text.split('\n')) {
    const [digits = '', markText = '', hashes = ''] = line.split(' ');
    const date = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');
    const mark = parseMark(markText);
    for (let start = 0; start < hashes.length; start += VERSION_HASH_LENGTH)
      known.set(hashes.slice(start, start + VERSION_HASH_LENGTH), { date, ...(mark && { mark }) });
  }
  return known;
}

/** Formats the records of a snapshot as one line each: ID, hashes and mark. */
export const formatRecords = (records: Map<string, SnapshotRecord>): string =>
  [...records]
    .map(([id, { value, mark }]) =>
      [encodeURIComponent(id), value, ...(mark ? [EVENT_LETTERS[mark.event] + formatMark(mark)] : [])].join(
        ' ',
      ),
    )
    .join('\n');

function parseRecords(text: string): Map<string, SnapshotRecord> {
  const lines = text === '' ? [] : text.split('\n');
  return new Map(
    lines.map((line): [string, SnapshotRecord] => {
      const [id = '', value = '', markText = ''] = line.split(' ');
      const event = EVENTS.get(markText.charAt(0));
      const mark = parseMark(markText.slice(1));
      return [decodeURIComponent(id), { value, ...(event && mark && { mark: { event, ...mark } }) }];
    }),
  );
}

type StoredState = Omit<PollState, 'returnedAt' | 'known' | 'records'> & {
  returnedAt: Array<[number, number]>;
  known: string;
  records: string;
};

/** Formats the state as one text, because n8n observes and copies every entry of an object. */
export const formatPollState = ({ returnedAt, known, records, ...rest }: PollState): string =>
  JSON.stringify({
    ...rest,
    returnedAt: [...returnedAt],
    known: formatKnown(known),
    records: formatRecords(records),
  } satisfies StoredState);

const isStoredState = (value: object | undefined): value is StoredState =>
  value !== undefined && 'scope' in value && 'known' in value && 'records' in value;

/** Parses the stored text. Undefined if there is none, or if its scope differs from `scope`. */
export function parsePollState(text: unknown, scope: string): PollState | undefined {
  const stored = typeof text === 'string' ? parseJsonObject(text) : undefined;
  if (!isStoredState(stored) || stored.scope !== scope) return undefined;
  return {
    ...stored,
    returnedAt: new Map(stored.returnedAt),
    known: parseKnown(stored.known),
    records: parseRecords(stored.records),
  };
}
