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
  /** The poll that returns the change. For a change that is returned again, the poll that returned it first. */
  pollNumber: number;
}

/** Maximum number of changes that one poll returns. The polls after it return the others. */
export const MAX_CHANGES = 5_000;

/** Maximum number of characters, all ASCII, of the stored versions or records (`formatKnown`, `formatRecords`). */
export const MAX_STORED_LENGTH = 200_000;

/** Stored with a version of a record or log entry that a poll has returned. */
interface Mark {
  /** The poll that returned the version first. */
  pollNumber: number;
  /** Set if the version was returned again after a restart. It is not returned a third time. */
  isRepeated?: true;
}

/** A version of a record or log entry that earlier polls have found. */
export interface KnownVersion {
  date: string;
  /** Undefined if no poll returned the version, or if the execution that it started is assumed to be over. */
  mark?: Mark;
}

/** How far a table (by date) or a log was read. Dates are text in the service's format and time zone. */
export interface Position {
  /** Earlier polls have found all versions with a date up to this one; '' at the start. */
  floor: string;
  /** The newest known date; '' if there is none. */
  watermark: string;
  /** When `watermark` was found, in milliseconds of n8n's clock. */
  advancedAt: number;
  /** Set while there are more changes than one poll returns, so that several polls return them. */
  backlog?: {
    /** The date from which the next poll continues. */
    continueFrom: string;
    /** When the first of these polls returned its changes, in milliseconds of n8n's clock. */
    startedAt: number;
    /**
     * Versions of the date `continueFrom` are returned in the order of their hashes. Those up to this hash were returned.
     * Set only if the hashes of all that were returned are too long for the state.
     */
    returnedUpTo?: string;
  };
}

/** A record of the last snapshot. */
export interface SnapshotRecord {
  /**
   * Hashes of the values (`bySnapshot.ts`). '' for a record that is gone: it is stored until its deletion cannot be
   * returned again any more.
   */
  value: string;
  mark?: Mark & { event: ChangeEvent };
}

/** What the trigger stores between polls. */
export interface PollState {
  /** Hash of the application and the settings that define the watched data. A state with another scope is ignored. */
  scope: string;
  /**
   * The n8n processes that polled last, at most 5, the last one at the end. `takenOverAt` is the time of its first poll
   * after a poll of another process, in milliseconds. A restart gives n8n's process a new ID.
   */
  processes: Array<[id: string, takenOverAt: number]>;
  /** Number of polls that have returned changes. It is also the number of the last of them. */
  pollCount: number;
  /**
   * By poll number, when the poll returned its changes, in milliseconds. Polls whose executions are assumed to be over
   * are removed. n8n saves the state only when a poll returns changes, so after a restart of n8n this lists the polls of
   * the 10 minutes before that poll.
   */
  returnedAt: Map<number, number>;
  /** Numbers of the polls whose changes are returned again, once each. */
  pollsToRepeat: number[];
  /** By date and logs: the versions in the overlap, by hash. */
  known: Map<string, KnownVersion>;
  position: Position;
  /** By snapshot: the records, by ID. */
  records: Map<string, SnapshotRecord>;
  /** By snapshot: slugs of the compared fields, in the order of their hashes. */
  slugs: string[];
  /**
   * By snapshot: ID of the missing record that the last poll has read last, to find out whether it is deleted. One poll
   * reads some of them only, and the next poll continues after it.
   */
  checkedId?: string;
  /**
   * By snapshot: IDs of missing records that the service answered with an empty `item`, and not with a 404. A record is
   * deleted if two polls in a row find it so.
   */
  emptyIds?: string[];
}

export const createPollState = (scope: string, process: string, now: number): PollState => ({
  scope,
  processes: [[process, now]],
  pollCount: 0,
  returnedAt: new Map(),
  pollsToRepeat: [],
  known: new Map(),
  position: { floor: '', watermark: '', advancedAt: 0 },
  records: new Map(),
  slugs: [],
});

/** An execution is assumed to be over this many milliseconds after the poll that started it. */
const EXECUTION_MS = 10 * 60_000;

/** Maximum age of a change that is returned again after a restart, in milliseconds. */
const REPEAT_MS = 24 * 3_600_000;

/**
 * Updates `PollState.returnedAt` at the end of a poll: sets the time of `pollNumbers` to `now`, and removes the polls
 * whose executions are assumed to be over. `pollNumbers` are those of the returned changes; there may be several, because
 * a change that is returned again has the number of its first poll.
 */
export const updateReturnedAt = (
  returnedAt: Map<number, number>,
  pollNumbers: Iterable<number>,
  now: number,
): Map<number, number> => {
  const recent = [...returnedAt].filter(([, at]) => now - at < EXECUTION_MS);
  return new Map([
    ...recent,
    ...[...new Set(pollNumbers)].map((pollNumber): [number, number] => [pollNumber, now]),
  ]);
};

/** Maximum length of `PollState.processes`. */
const MAX_PROCESSES = 5;

/** Two processes of n8n poll in turns if the one that takes over has done so before within this many poll intervals. */
const TURN_INTERVALS = 10;

interface Adoption {
  /** ID of the process that polls now. */
  process: string;
  /** The option Repeat After a Restart. */
  repeatAfterRestart: boolean;
  now: number;
  /** Milliseconds between two polls. */
  interval: number;
}

/**
 * Prepares the stored state for this process. If another process polled last, n8n was restarted, and may have stopped
 * the executions of the last changes. Those changes are marked to be returned again, unless they are older than a day.
 * Nothing is repeated if this process has polled before the other one a short time ago: then both run.
 */
export function adoptState(
  state: PollState,
  { process, repeatAfterRestart, now, interval }: Adoption,
): PollState {
  if (state.processes.at(-1)?.[0] === process) return state;
  const takenOverAt = state.processes.find(([id]) => id === process)?.[1];
  const takesTurns = takenOverAt !== undefined && now - takenOverAt <= TURN_INTERVALS * interval;
  const recent = [...state.returnedAt].filter(([, at]) => now - at < REPEAT_MS);
  const others = state.processes.filter(([id]) => id !== process);
  return {
    ...state,
    processes: [...others, [process, now] as [string, number]].slice(-MAX_PROCESSES),
    pollsToRepeat: repeatAfterRestart && !takesTurns ? recent.map(([pollNumber]) => pollNumber) : [],
  };
}

/** Whether the version with this mark must be returned again. */
export const isRepeatDue = (mark: Mark | undefined, { pollsToRepeat }: PollState): mark is Mark =>
  mark !== undefined && !mark.isRepeated && pollsToRepeat.includes(mark.pollNumber);

/** Whether the version with this mark would have to be returned again if n8n restarted now. */
export const isMarkNeeded = (mark: Mark | undefined, returnedAt: Map<number, number>): mark is Mark =>
  mark !== undefined && returnedAt.has(mark.pollNumber);

/**
 * Creates the mark of a version that this poll returns.
 * @param repeated the stored mark if the version is returned again
 */
export const createMark = (repeated: Mark | undefined, thisPoll: number): Mark =>
  repeated ? { pollNumber: repeated.pollNumber, isRepeated: true } : { pollNumber: thisPoll };

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
  mark ? mark.pollNumber.toString(36) + (mark.isRepeated ? REPEATED : '') : '';

function parseMark(text: string): Mark | undefined {
  if (text === '') return undefined;
  return { pollNumber: parseInt(text, 36), ...(text.endsWith(REPEATED) && { isRepeated: true }) };
}

/** Characters of the hash of a version, 6 bits each. Two versions in one poll have the same hash once in 10^10 polls. */
export const VERSION_HASH_LENGTH = 8;

/** Formats versions as one line for each date and mark: `20260601100000 14 `, and the hashes without separators. */
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
  for (const line of text.split('\n')) {
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
  value !== undefined && 'scope' in value && 'pollCount' in value && 'known' in value && 'records' in value;

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
