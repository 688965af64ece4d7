/** Polling by date. All records or log entries up to `floor`, a date in the state, have been found. */
import { groupBy, max, sortBy } from 'lodash';
import { hashFieldValues, hashValue, type Table } from '../records';
import { asObject, type Client, readLog, type ServiceRecord } from '../service';
import type { LogPollParameters, RecordPollParameters } from './form';
import {
  type Change,
  type ChangeEvent,
  type PollResult,
  MAX_STATE_BYTES,
  type PollInput,
  ENTRY_HASH_LENGTH,
} from './pollState';
import { DAY_MS, RecordSource, ServiceClock, addSeconds, readCreatedAt } from './recordSource';

export async function findRecordChangesByDate(
  client: Client,
  parameters: RecordPollParameters,
  poll: PollInput,
): Promise<PollResult> {
  const source = await RecordSource.create(client, parameters, poll.now);
  const { table, clock, isByCreationDate } = source;
  const found = await findChangesByDate(poll, parameters.overlap, {
    clock,
    event: getChangeEvent(source),
    findNewest: () => source.findNewestDate(),
    read: async (after, stopAfter) =>
      (await source.readRecordsAfter(after, stopAfter)).map((record) => ({
        key: record.id,
        date: source.readDate(record),
        values: record,
        // With the creation date as date field, a record is reported only once, even if its values change.
        valuesHash: isByCreationDate ? '' : hashRecordValues(record, table),
      })),
  });
  return { ...found, table };
}

/** A new creation date means a new record. Any other date field may be set by a create or an update. */
export const getChangeEvent = ({ isByCreationDate }: RecordSource): ChangeEvent =>
  isByCreationDate ? 'INSERT' : 'UPSERT';

export function findNewLogEntries(client: Client, { log, overlap }: LogPollParameters, poll: PollInput) {
  const clock = new ServiceClock(client.serviceTimeZone);
  return findChangesByDate(poll, overlap, {
    clock,
    event: 'ENTRY',
    findNewest: async () => {
      const { entries } = await readLog(client, { log, limit: Infinity, newestOnly: true });
      return max(entries.map(readCreatedAt)) ?? '';
    },
    read: async (after) => {
      const { entries } = await readLog(client, { log, limit: Infinity, since: addSeconds(after, 1) });
      clock.ensureNoFutureDates(entries, poll.now);
      return createDatedLogEntries(entries);
    },
  });
}

export interface DatedEntry {
  /** ID of a record, or hash of a log entry. */
  key: string;
  /** In the service's format; '' if the record or entry has no date. */
  date: string;
  /** Hash of the values: if it differs, the record is reported again. '' if changed values do not count. */
  valuesHash: string;
  values: Record<string, unknown>;
}

interface DatedEntrySource {
  clock: ServiceClock;
  event: ChangeEvent;
  /** Finds the newest date; '' if there is none. */
  findNewest(): Promise<string>;
  /** Reads the entries after a date. May stop after `stopAfter` entries, but never between entries of the same date. */
  read(after: string, stopAfter: number): Promise<DatedEntry[]>;
}

/** One poll returns about this many changes. Later polls return the others. */
const MAX_CHANGES_PER_POLL = 5_000;

/**
 * Returns the changes after the stored date `floor`. A first poll that only stores what exists sets `floor` to
 * `overlap` seconds before the newest date.
 */
async function findChangesByDate(
  { state: before, returnsNothing, now }: PollInput,
  overlap: number,
  { clock, event, findNewest, read }: DatedEntrySource,
): Promise<PollResult> {
  const floor = returnsNothing ? addSeconds(await findNewest(), -overlap) : before.floor;
  const after = clock.findReadStartDate(floor, now);
  const entries = await read(after, returnsNothing ? Infinity : MAX_CHANGES_PER_POLL + before.known.size);
  const later = entries.filter(({ date }) => date > after);
  return compareEntriesWithState({ state: { ...before, floor }, now }, later, overlap, { event, clock });
}

/**
 * The new `floor` is `overlap` seconds before the newest date, because a record may appear later than its date says.
 * After `overlap` seconds without a newer date, `floor` is the newest date.
 */
export function compareEntriesWithState(
  { state, now }: Pick<PollInput, 'state' | 'now'>,
  entries: DatedEntry[],
  overlap: number,
  { event, clock }: Pick<DatedEntrySource, 'event' | 'clock'>,
): PollResult {
  const known = new Map(state.known);
  const changes: Change[] = [];
  for (const { key, date, valuesHash, values } of sortBy(entries, 'date')) {
    const hash = hashValue([key, date, valuesHash], ENTRY_HASH_LENGTH);
    if (known.has(hash)) continue;
    known.set(hash, date);
    changes.push({ event, key, values });
  }
  const watermark = max([...entries.map(({ date }) => date), state.watermark])!;
  const advancedAt = watermark > state.watermark ? now : state.advancedAt;
  const isQuiet = now - advancedAt >= overlap * 1000;
  const reached = isQuiet ? watermark : addSeconds(watermark, -overlap);
  const floor = max([reached, state.floor])!;
  // If the service's clock is set back in the next day, entries before `floor` are read again: their hashes are kept.
  const start = clock.findReadStartDate(floor, now + DAY_MS);
  const kept = new Map([...known].filter(([, date]) => date > start));
  const removed = findLastDateToRemove(kept);
  return {
    changes,
    state: {
      ...state,
      floor: max([removed, floor])!,
      watermark,
      advancedAt,
      known: new Map([...kept].filter(([, date]) => date > removed)),
    },
  };
}

/** Finds the date up to which hashes are removed from a full state (about 20,000 hashes); '' if all hashes fit. */
function findLastDateToRemove(known: Map<string, string>): string {
  const byDate = groupBy([...known.values()]);
  let left = MAX_STATE_BYTES;
  const dates = Object.keys(byDate).sort().reverse();
  // In JSON, a date with its brackets has 26 bytes, and each hash has three more bytes for its quotes and comma.
  return dates.find((date) => (left -= 26 + byDate[date]!.length * (ENTRY_HASH_LENGTH + 3)) < 0) ?? '';
}

const VALUES_HASH_LENGTH = 12;

/** Leaves out empty fields, so that a new field does not change the hash. */
const hashRecordValues = (record: ServiceRecord, { fields }: Table): string => {
  const slugs = fields.map(({ slug }) => slug);
  const hashes = hashFieldValues(record, slugs, fields, { length: VALUES_HASH_LENGTH, omitsEmpty: true });
  return hashValue([...hashes].sort(), VALUES_HASH_LENGTH);
};

/** These keys are not hashed: the service changes their values after it has added the entry (spec: Logs). */
const CHANGEABLE_LOG_KEYS = new Set(['status', 'last_active_at', 'start_at', 'end_at', 'expire_at']);

/** Log entries have no ID (spec: Logs), so `key` is a hash of the entry, with its number among equal entries. */
function createDatedLogEntries(entries: unknown[]): DatedEntry[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const values = asObject(entry);
    const kept = Object.entries(values).filter(([key]) => !CHANGEABLE_LOG_KEYS.has(key));
    const hash = hashValue(kept, VALUES_HASH_LENGTH);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return { key: `${hash}${count}`, date: readCreatedAt(entry), valuesHash: '', values };
  });
}
