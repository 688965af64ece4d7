import { countBy, pick, sortBy } from 'lodash';
import type { RecordValues } from '../client/fields/recordValues';
import { hashText, toCanonicalJson } from '../client/records/hashing';
import {
  type Change,
  type ChangeEvent,
  type KnownVersion,
  MAX_CHANGES,
  MAX_STORED_LENGTH,
  type PollState,
  type Position,
  VERSION_HASH_LENGTH,
  createMark,
  formatKnown,
  isMarkNeeded,
  isRepeatDue,
  recordReturn,
} from './pollState';
import { type ServiceClock, addSeconds } from './serviceClock';

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
export interface DatedReading {
  entries: DatedEntry[];
  /** When the reading began, in milliseconds of n8n's clock. */
  readAt: number;
  /** Entries with a date up to this one do not count; '' if all do. */
  after: string;
  /** Entries with a later date are in the future and do not count yet; undefined if all count. */
  upTo?: string;
  /** The date from which the next poll continues, if later entries were not read. */
  resume?: string;
}

export interface DatedContext {
  clock: ServiceClock;
  /** When the changes are returned, in milliseconds of n8n's clock. A long reading may have begun much earlier. */
  now: number;
  /** Whether entries are stored in the state without being returned, as in the first poll. */
  remembersOnly: boolean;
  event: ChangeEvent;
  /** Seconds. */
  overlap: number;
  maxChanges?: number;
  maxLength?: number;
}

/** A comparison's result. `rest` is what was read and not returned, because a poll returns at most 5,000 changes. */
interface DatedComparison {
  changes: Change[];
  state: PollState;
  rest?: DatedReading;
}

/**
 * Returns the date after which the next poll reads; '' for all dates. It is before the floor only if changes must be
 * returned again, or if the service's clock was set back.
 */
export function findReadStart(state: PollState, clock: ServiceClock, now: number): string {
  const { floor, backlog } = state.position;
  const start = backlog ? addSeconds(backlog.resume, -1) : clock.findReadStart(floor, now);
  return [...state.known.values()]
    .filter(({ mark }) => isRepeatDue(mark, state))
    .map(({ date }) => addSeconds(date, -1))
    .reduce((first, date) => (date < first ? date : first), start);
}

const findMaximum = (dates: string[]): string => dates.reduce((max, date) => (date > max ? date : max), '');

/**
 * Advances the position. The floor stays `overlap` seconds behind the newest date, because a record may become visible
 * later than its date. If the newest date has not changed for `overlap` seconds, the floor moves up to it.
 */
function advance(
  { position }: PollState,
  found: { newest: string; resume?: string; readAt: number },
  { clock, overlap }: DatedContext,
): Position {
  const { backlog } = position;
  const { readAt } = found;
  const watermark = findMaximum([found.newest, found.resume ?? '', position.watermark]);
  const advancedAt = watermark > position.watermark ? readAt : position.advancedAt;
  const isQuiet = found.resume === undefined && readAt - advancedAt >= overlap * 1000;
  const reached = isQuiet ? watermark : addSeconds(watermark, -overlap);
  const floor = reached > position.floor ? reached : position.floor;
  if (found.resume !== undefined) {
    const continued = backlog?.resume === found.resume ? pick(backlog, 'returnedUpTo') : {};
    const since = backlog?.since ?? readAt;
    return { floor, watermark, advancedAt, backlog: { resume: found.resume, since, ...continued } };
  }
  // The state had no room for the last date of the backlog, so the next poll must not read it again.
  if (backlog?.returnedUpTo !== undefined)
    return { floor: findMaximum([floor, backlog.resume]), watermark, advancedAt };
  // While the backlog was returned, the clock was set back: lower dates than those that were read may be new.
  const start = backlog && clock.isSetBack(backlog.since, readAt) ? clock.format(backlog.since) : floor;
  return { floor: start < floor ? start : floor, watermark, advancedAt };
}

/** Removes versions that no later poll needs. */
function pruneKnown(state: PollState, { after, resume }: DatedReading, { clock }: DatedContext): PollState {
  // A version up to the floor is read again only if the clock is set back within a day.
  const readStart = clock.findReadStart(state.position.floor);
  const known = [...state.known].flatMap(([hash, { date, mark }]): Array<[string, KnownVersion]> => {
    const isDue = isRepeatDue(mark, state);
    // It was to be returned again and was not found: the record has another version now, or no longer exists.
    if (isDue && date > after && (resume === undefined || date < resume)) return [];
    const isNeeded = isDue || isMarkNeeded(mark, state.returnedAt);
    if (!isNeeded && date <= readStart) return [];
    return [[hash, { date, ...(isNeeded && { mark }) }]];
  });
  const kept = { ...state, known: new Map(known) };
  const due = new Set(known.flatMap(([, { mark }]) => (isRepeatDue(mark, state) ? [mark.sequence] : [])));
  return { ...kept, repeats: state.repeats.filter((sequence) => due.has(sequence)) };
}

/**
 * Removes the versions with the earliest dates until the text fits, about 20,000, and moves the floor to the last
 * removed date. If one date of a backlog alone is too much, only the last hash that was returned is stored.
 */
function limitKnown(state: PollState, maxLength: number, lastHash: string | undefined): PollState {
  if (formatKnown(state.known).length <= maxLength) return state;
  const { position } = state;
  const byDate = new Map<string, Array<[string, KnownVersion]>>();
  for (const entry of state.known) {
    const { date } = entry[1];
    const entries = byDate.get(date);
    if (entries) entries.push(entry);
    else byDate.set(date, [entry]);
  }
  let length = 0;
  let removed = '';
  const kept = sortBy([...byDate], ([date]) => date)
    .reverse()
    .flatMap(([date, entries]) => {
      length += formatKnown(new Map(entries)).length + 1;
      if (length > maxLength && removed === '') removed = date;
      return removed === '' ? entries : [];
    });
  const known = new Map(kept);
  if (!position.backlog || removed < position.backlog.resume) {
    const floor = findMaximum([removed, position.floor]);
    return { ...state, known, position: { ...position, floor } };
  }
  // Without it, all versions of this date come again.
  const returnedUpTo = lastHash ?? '';
  return { ...state, known, position: { ...position, backlog: { ...position.backlog, returnedUpTo } } };
}

const hashVersion = ({ key, date, digest }: DatedEntry): string =>
  hashText(toCanonicalJson([key, date, digest]), VERSION_HASH_LENGTH);

/** Whether a version belongs to the part of a date that earlier polls have returned. */
const isReturned = ({ backlog }: Position, date: string, hash: string): boolean =>
  backlog?.returnedUpTo !== undefined && date === backlog.resume && hash <= backlog.returnedUpTo;

/**
 * Compares the entries that were read with the state. This function is pure. A version (record or entry, date and
 * values) is new if it is not known. Returns the changes in the order of their dates, the state for the next poll, and
 * what was read and not returned.
 */
export function compareDated(
  state: PollState,
  reading: DatedReading,
  context: DatedContext,
): DatedComparison {
  const { event, now, remembersOnly, maxChanges = MAX_CHANGES, maxLength = MAX_STORED_LENGTH } = context;
  const { after, upTo, readAt } = reading;
  const next = state.sequence + 1;
  const known = new Map(state.known);
  const changes: Change[] = [];
  // Those of the date from which the next poll continues were not all read.
  const counted = reading.entries.filter(
    ({ date }) =>
      date > after &&
      (upTo === undefined || date <= upTo) &&
      (reading.resume === undefined || date < reading.resume),
  );
  // A date with more versions than one poll returns is returned in the order of the hashes; see `returnedUpTo`.
  const counts = countBy(counted, 'date');
  const versions = sortBy(
    counted.map((entry) => ({ ...entry, hash: hashVersion(entry) })),
    ['date', ({ date, hash }) => ((counts[date] ?? 0) > maxChanges ? hash : '')],
  );
  let end = versions.length;
  for (const [index, { key, date, hash, values }] of versions.entries()) {
    const mark = state.known.get(hash)?.mark;
    const repeat = isRepeatDue(mark, state) ? mark : undefined;
    if (!repeat && (state.known.has(hash) || isReturned(state.position, date, hash))) continue;
    if (remembersOnly) {
      known.set(hash, { date });
      continue;
    }
    if (changes.length === maxChanges) {
      end = index;
      break;
    }
    const returned = createMark(repeat, next);
    known.set(hash, { date, mark: returned });
    changes.push({ event, key, values, sequence: returned.sequence });
  }

  const cut = versions[end]?.date;
  const resume = cut ?? reading.resume;
  const newest = findMaximum(versions.slice(0, end).map(({ date }) => date));
  const returnedAt = recordReturn(
    state.returnedAt,
    changes.map(({ sequence }) => sequence),
    now,
  );
  const moved: PollState = {
    ...state,
    known,
    returnedAt,
    position: advance(state, { newest, readAt, ...(resume !== undefined && { resume }) }, context),
    sequence: changes.some(({ sequence }) => sequence === next) ? next : state.sequence,
  };
  const pruned = pruneKnown(moved, { ...reading, ...(resume !== undefined && { resume }) }, context);
  const rest = cut === undefined ? undefined : { ...reading, entries: versions.slice(end) };
  const last = versions[end - 1];
  const isOrdered = last !== undefined && last.date === cut && (counts[last.date] ?? 0) > maxChanges;
  return {
    changes,
    state: limitKnown(pruned, maxLength, isOrdered ? last.hash : undefined),
    ...(rest && { rest }),
  };
}
