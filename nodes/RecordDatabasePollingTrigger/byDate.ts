/**
 * The comparison by date: records or log entries that were read, with the state of the last poll. `compareDated` is
 * pure: it sends no request. `findReadStart` finds the date after which a poll reads.
 */
import { countBy, pick, sortBy } from 'lodash';
import { hashValue, type RecordValues } from '../records';
import {
  type Change,
  type ChangeEvent,
  MAX_CHANGES,
  MAX_STORED_LENGTH,
  type PollState,
  type Position,
  VERSION_HASH_LENGTH,
  formatKnown,
} from './pollState';
import { DAY_MS, type ServiceClock, addSeconds } from './serviceClock';

/**
 * Compares the entries that were read with the state. This function is pure. A version (record or entry, date and
 * values) is new if it is not known. Returns the changes in the order of their dates, the state for the next poll, and
 * what was read and not returned.
 */
export function compareDated(state: PollState, reading: DatedRead, context: DatedContext): DatedComparison {
  const { event, storesWithoutReturning, maxChanges = MAX_CHANGES, maxLength = MAX_STORED_LENGTH } = context;
  const { after, upTo, readAt } = reading;
  const known = new Map(state.known);
  const changes: Change[] = [];
  // Those of the date from which the next poll continues were not all read.
  const counted = reading.entries.filter(
    ({ date }) =>
      date > after &&
      (upTo === undefined || date <= upTo) &&
      (reading.continueFrom === undefined || date < reading.continueFrom),
  );
  // A date with more versions than one poll returns is returned in the order of the hashes; see `returnedUpTo`.
  const counts = countBy(counted, 'date');
  const versions = sortBy(
    counted.map((entry) => ({ ...entry, hash: hashVersion(entry) })),
    ['date', ({ date, hash }) => ((counts[date] ?? 0) > maxChanges ? hash : '')],
  );
  let end = versions.length;
  for (const [index, { key, date, hash, values }] of versions.entries()) {
    if (state.known.has(hash) || isReturned(state.position, date, hash)) continue;
    if (storesWithoutReturning) {
      known.set(hash, date);
      continue;
    }
    if (changes.length === maxChanges) {
      end = index;
      break;
    }
    known.set(hash, date);
    changes.push({ event, key, values });
  }

  const cut = versions[end]?.date;
  const continueFrom = cut ?? reading.continueFrom;
  const newest = findMaximum(versions.slice(0, end).map(({ date }) => date));
  const moved: PollState = {
    ...state,
    known,
    position: advance(state, { newest, readAt, continueFrom }, context),
    pollCount: state.pollCount + (changes.length > 0 ? 1 : 0),
  };
  const pruned = pruneKnown(moved, context, readAt);
  const rest = cut === undefined ? undefined : { ...reading, entries: versions.slice(end) };
  const last = versions[end - 1];
  const isOrdered = last !== undefined && last.date === cut && (counts[last.date] ?? 0) > maxChanges;
  return {
    changes,
    state: limitKnown(pruned, maxLength, isOrdered ? last.hash : undefined),
    rest,
  };
}

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
export interface DatedRead {
  entries: DatedEntry[];
  /** When the reading began, in milliseconds of n8n's clock. */
  readAt: number;
  /** Entries with a date up to this one do not count; '' if all do. */
  after: string;
  /** Entries with a later date are in the future and do not count yet; undefined if all count. */
  upTo?: string;
  /** The date from which the next poll continues, if later entries were not read. */
  continueFrom?: string;
}

export interface DatedContext {
  clock: ServiceClock;
  /** Whether entries are stored in the state without being returned, as in the first poll. */
  storesWithoutReturning: boolean;
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
  rest?: DatedRead;
}

/** Finds the date after which the next poll reads; '' for all dates. */
export function findReadStart(state: PollState, clock: ServiceClock, now: number): string {
  const { floor, backlog } = state.position;
  return backlog ? addSeconds(backlog.continueFrom, -1) : clock.findReadStart(floor, now);
}

const findMaximum = (dates: string[]): string => dates.reduce((max, date) => (date > max ? date : max), '');

/**
 * Advances the position. The floor stays `overlap` seconds behind the newest date, because a record may become visible
 * later than its date. If the newest date has not changed for `overlap` seconds, the floor moves up to it.
 */
function advance(
  { position }: PollState,
  found: { newest: string; continueFrom: string | undefined; readAt: number },
  { clock, overlap }: DatedContext,
): Position {
  const { backlog } = position;
  const { readAt } = found;
  const watermark = findMaximum([found.newest, position.watermark]);
  const advancedAt = watermark > position.watermark ? readAt : position.advancedAt;
  const isQuiet = found.continueFrom === undefined && readAt - advancedAt >= overlap * 1000;
  const reached = isQuiet ? watermark : addSeconds(watermark, -overlap);
  // What appears while several polls return their changes may have a date that they have passed.
  const passed = backlog && addSeconds(clock.format(backlog.startedAt), -overlap);
  const floor = findMaximum([passed !== undefined && passed < reached ? passed : reached, position.floor]);
  if (found.continueFrom !== undefined) {
    const continued = backlog?.continueFrom === found.continueFrom ? pick(backlog, 'returnedUpTo') : {};
    const startedAt = backlog?.startedAt ?? readAt;
    return {
      floor,
      watermark,
      advancedAt,
      backlog: { continueFrom: found.continueFrom, startedAt, ...continued },
    };
  }
  // The state had no room for the last date of the backlog, so the next poll must not read it again.
  const end = backlog?.returnedUpTo === undefined ? '' : backlog.continueFrom;
  return { floor: findMaximum([floor, end]), watermark, advancedAt };
}

/** Removes versions that no later poll reads. One up to the floor is read if the clock is set back within a day. */
function pruneKnown(state: PollState, { clock }: DatedContext, readAt: number): PollState {
  const { floor, backlog } = state.position;
  const afterBacklog = clock.findReadStart(floor, readAt + DAY_MS);
  const next = backlog ? addSeconds(backlog.continueFrom, -1) : afterBacklog;
  const start = next < afterBacklog ? next : afterBacklog;
  return { ...state, known: new Map([...state.known].filter(([, date]) => date > start)) };
}

/**
 * Removes the versions with the earliest dates until the text fits, about 20,000, and moves the floor to the last
 * removed date. If one date of a backlog alone is too much, only the last hash that was returned is stored.
 */
function limitKnown(state: PollState, maxLength: number, lastHash: string | undefined): PollState {
  if (formatKnown(state.known).length <= maxLength) return state;
  const { position } = state;
  const byDate = new Map<string, Array<[string, string]>>();
  for (const entry of state.known) {
    const [, date] = entry;
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
  if (!position.backlog || removed < position.backlog.continueFrom) {
    const floor = findMaximum([removed, position.floor]);
    return { ...state, known, position: { ...position, floor } };
  }
  // Without it, all versions of this date come again.
  const returnedUpTo = lastHash ?? '';
  return { ...state, known, position: { ...position, backlog: { ...position.backlog, returnedUpTo } } };
}

const hashVersion = ({ key, date, digest }: DatedEntry): string =>
  hashValue([key, date, digest], VERSION_HASH_LENGTH);

/** Whether a version belongs to the part of a date that earlier polls have returned. */
const isReturned = ({ backlog }: Position, date: string, hash: string): boolean =>
  backlog?.returnedUpTo !== undefined && date === backlog.continueFrom && hash <= backlog.returnedUpTo;
