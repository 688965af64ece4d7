import { sortBy } from 'lodash';
import type { RecordValues } from '../../shared/model/records/recordValues';
import {
  getPendingMark,
  isMarkNeeded,
  type PollState,
  type Position,
  pruneReturned,
  type Tracked,
} from '../pollState';
import { formatTrackedLines, MAX_TRACKED_LENGTH } from '../pollStateText';
import type { Change, ChangeEvent, DetectionContext } from './change';
import { addSeconds, decodeDate, encodeDate, findLatestLocalTime } from './dateText';

/** A record or log entry with its date. */
export interface DatedEntry {
  /** ID of a record, or hash of a log entry. */
  key: string;
  /** In the service's format. */
  date: string;
  /** Hash of the values; '' if a change of the values alone does not count. */
  digest: string;
  values: RecordValues;
}

/** The entries that were read. */
export interface SinceReading {
  entries: DatedEntry[];
  /** The date up to which entries were read, if later ones are left for the next poll. */
  resume?: string;
}

export interface SinceContext extends DetectionContext {
  event: ChangeEvent;
  /** Seconds. */
  overlap: number;
}

/**
 * Returns the date after which the next poll reads; '' for all dates. It is before the floor only if earlier changes
 * must be returned again.
 */
export function findReadFloor({ tracked, position: { floor, resume } }: PollState): string {
  const repeated = [...tracked.values()]
    .filter(getPendingMark)
    .map(({ value }) => addSeconds(decodeDate(value), -1));
  const start = resume === undefined ? floor : addSeconds(resume, -1);
  return repeated.reduce((first, date) => (date < first ? date : first), start);
}

/** Whether the next poll must return changes again. */
export const hasPendingMarks = ({ tracked }: PollState): boolean =>
  [...tracked.values()].some((one) => getPendingMark(one) !== undefined);

/**
 * Advances the position. The floor stays `overlap` seconds behind the watermark, because a record may become visible
 * later than its date. If the watermark has not changed for `overlap` seconds, the floor moves up to it.
 */
function advance({ position }: PollState, reading: SinceReading, { now, overlap }: SinceContext): Position {
  const latest = findLatestLocalTime(now);
  // Dates in the future are ignored: the watermark would pass earlier dates, which would never be read.
  const dates = reading.entries.map(({ date }) => date).filter((date) => date <= latest);
  const watermark = [...dates, reading.resume ?? ''].reduce(
    (newest, date) => (date > newest ? date : newest),
    position.watermark,
  );
  const advancedAt = watermark > position.watermark ? now : position.advancedAt;
  const isQuiet = reading.resume === undefined && now - advancedAt >= overlap * 1000;
  const reached = isQuiet ? watermark : addSeconds(watermark, -overlap);
  const floor = reached > position.floor ? reached : position.floor;
  return { floor, watermark, advancedAt, ...(reading.resume !== undefined && { resume: reading.resume }) };
}

/** Removes entries that the next poll does not need: those up to the floor whose execution is assumed to have ended. */
function pruneTracked(state: PollState): PollState {
  const { returnedAt, position } = state;
  const isComplete = position.resume === undefined;
  const kept = [...state.tracked].flatMap(([key, { value, mark }]): Array<[string, Tracked]> => {
    // A pending entry that is missing in a complete reading no longer exists, so it cannot be returned again.
    const isNeeded = isMarkNeeded(mark, returnedAt) && !(mark.isPending && isComplete);
    if (!isNeeded && decodeDate(value) <= position.floor) return [];
    return [[key, { value, ...(isNeeded && { mark }) }]];
  });
  return { ...state, tracked: new Map(kept) };
}

/** Removes the entries with the earliest dates until the text fits, and moves the floor to the last removed date. */
function limitDatedEntries(state: PollState, maxLength: number): PollState {
  if (formatTrackedLines(state.tracked).length <= maxLength) return state;
  const newestFirst = sortBy([...state.tracked], ([, { value }]) => value).reverse();
  let length = 0;
  const surplus = newestFirst.find((entry) => {
    length += formatTrackedLines(new Map([entry])).length + 1;
    return length > maxLength;
  });
  const floor = surplus ? decodeDate(surplus[1].value) : state.position.floor;
  const kept = newestFirst.filter(([, { value }]) => decodeDate(value) > floor);
  return { ...state, tracked: new Map(kept), position: { ...state.position, floor } };
}

/**
 * Compares the entries that were read with the state. This function is pure. An entry is new if its date is above the
 * floor and it is not known with this date and hash. Returns the changes in the order of their dates, and the state
 * for the next poll.
 */
export function detectNewEntries(
  state: PollState,
  reading: SinceReading,
  context: SinceContext,
  maxLength = MAX_TRACKED_LENGTH,
): { changes: Change[]; state: PollState } {
  const { event, now, remembersOnly } = context;
  const next = state.sequence + 1;
  const tracked = new Map(state.tracked);
  const changes: Change[] = [];
  for (const { key, date, digest, values } of sortBy(reading.entries, 'date')) {
    const known = state.tracked.get(key);
    const value = encodeDate(date) + digest;
    const repeat = getPendingMark(known);
    if (!repeat && (date <= state.position.floor || known?.value === value)) continue;
    const sequence = repeat && known?.value === value ? repeat.sequence : next;
    tracked.set(key, { value, ...(!remembersOnly && { mark: { event, sequence } }) });
    if (!remembersOnly) changes.push({ event, key, values, sequence });
  }

  const returnedAt = pruneReturned(state.returnedAt, now);
  for (const { sequence } of changes) returnedAt.set(sequence, now);
  const position = advance(state, reading, context);
  const sequence = changes.some((change) => change.sequence === next) ? next : state.sequence;
  const moved = { ...state, tracked, returnedAt, position, sequence };
  return { changes, state: limitDatedEntries(pruneTracked(moved), maxLength) };
}
