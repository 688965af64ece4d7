/**
 * What a poll reads: records by a date, a snapshot of a table, or a log. `readChanges` reads one of them. Its result
 * compares what was read with the state.
 */
import { type FilterTree, hashValue, type Table } from '../records';
import { type Client, InputError, type logEndpoints, memory } from '../service';
import { type DatedContext, type DatedRead, compareDated, findReadStart } from './byDate';
import { type SnapshotEvent, compareSnapshot, hashFields, listMissingIds } from './bySnapshot';
import { type DailyShare, countPollsPerDay } from './dailyShare';
import { findNewestEntryDate, readLogEntries } from './logEntries';
import { type Change, MAX_CHANGES, type PollState } from './pollState';
import {
  CREATED_AT,
  findDateField,
  findNewestDate,
  getDateEvent,
  readByDate,
  readNewest,
} from './recordsByDate';
import { RecordSource } from './recordSource';
import { ServiceClock, addSeconds, ensureNoFutureDates } from './serviceClock';
import { checkMissingRecords, readSnapshot } from './tableSnapshot';

/**
 * Reads what may have changed since the state was stored.
 * @example
 * const reading = await readChanges(client, { detection: 'log', log: 'emails', … }, { state, isFirst: false, now });
 * reading.compare(state).changes; // [{ event: 'ENTRY', key: 'q1W…1', values: { subject: 'Hello', … } }]
 * @throws InputError for settings that do not fit the table, the login, the limits or the Service Time Zone; ApiError for
 *   a failed request
 */
export function readChanges(client: Client, watch: Watch, input: ReadInput): Promise<PollRead> {
  if (watch.detection === 'log') return readWatchedLog(client, watch, input);
  return watch.detection === 'date'
    ? readRecordsByDate(client, watch, input)
    : readTableSnapshot(client, watch, input);
}

/** A log; see `logEndpoints`. */
type LogName = keyof typeof logEndpoints;

interface CommonWatch {
  returnExisting: boolean;
  /** Seconds before the last date that are read again, because dates may arrive late. */
  overlap: number;
  /** Maximum percentage of the requests a day that the polls may use. */
  maximumShare: number;
  /** Rows of the parameter Poll Times. */
  pollTimes: unknown[];
}

interface TableWatch extends CommonWatch {
  tableId: string;
  filter?: FilterTree;
  /** IANA name of the workflow's time zone. */
  timeZone: string;
}

/** The records of a table by a date field: by `created_at` created records, else created and updated ones. */
export interface DateWatch extends TableWatch {
  detection: 'date';
  /** Slug or field ID. */
  dateField: string;
}

/** Created, updated and deleted records of a table of up to 5,000 records. */
export interface SnapshotWatch extends TableWatch {
  detection: 'snapshot';
  events: SnapshotEvent[];
  /** Fields to compare, by slug or field ID; empty for all. */
  changedFields: string[];
}

/** The entries of a log. */
export interface LogWatch extends CommonWatch {
  detection: 'log';
  log: LogName;
}

type Watch = DateWatch | SnapshotWatch | LogWatch;

/** What a poll compares, and what it returns. */
interface PollComparison {
  changes: Change[];
  state: PollState;
  /** What was read and not returned, because a poll returns at most 5,000 changes. */
  rest?: PollRead;
}

/** What was read from the service. */
export interface PollRead {
  /** Milliseconds of n8n's clock. */
  readAt: number;
  /** Undefined for a log. */
  table?: Table;
  /** Compares it with the state for which it was read. Needs no service. */
  compare(state: PollState): PollComparison;
}

interface ReadInput {
  state: PollState;
  /** Whether no state is stored yet. The first poll stores what exists. It returns it only with Return Existing. */
  isFirst: boolean;
  /** Milliseconds of n8n's clock. */
  now: number;
}

const SCOPE_HASH_LENGTH = 16;

/**
 * Identifies the watched data by a hash of the application and of the settings that define it. If it changes, the stored
 * state is ignored, and the next poll is a first poll. By date, the filter is no part of it: the position stays valid. A
 * snapshot includes the user, by the email address, because another user may see other records. A given token does not
 * show its user.
 */
export function hashScope(
  { credential: { baseUrl, appId, hasUserLogin, email } }: Pick<Client, 'credential'>,
  watch: Watch,
): string {
  const watched =
    watch.detection === 'log'
      ? [watch.log]
      : watch.detection === 'date'
        ? [watch.tableId, watch.dateField]
        : [watch.tableId, watch.filter, watch.changedFields, ...(hasUserLogin ? [email] : [])];
  return hashValue([baseUrl, appId, watch.detection, watched], SCOPE_HASH_LENGTH);
}

const createShare = ({ pollTimes, maximumShare }: CommonWatch): DailyShare => ({
  pollsPerDay: countPollsPerDay(pollTimes),
  maximumShare,
});

/** Milliseconds until the newest record of a table is compared with the Service Time Zone again. */
const ZONE_CHECK_MS = 3_600_000;

const zoneChecks = memory.cache<void, 'user'>('zoneChecks', {
  per: 'user',
  holds: 'that the newest record of a table fits the Service Time Zone',
  ttlMs: ZONE_CHECK_MS,
});

/**
 * Reads the newest record for `ensureNoFutureDates`. A poll by another field reads no dates in the future, so a wrong time
 * zone would stay unnoticed.
 */
function checkTimeZone(source: RecordSource, clock: ServiceClock, now: number): Promise<void> {
  return zoneChecks.get(source.client, [source.table.id, clock.timeZone], async () => {
    const created = await readNewest(source, source.table.field(CREATED_AT, CREATED_AT), 1);
    ensureNoFutureDates(
      created.map((record) => record[CREATED_AT]),
      clock,
      now,
    );
  });
}

const startAt = (state: PollState, newest: string, overlap: number): PollState => ({
  ...state,
  position: { ...state.position, floor: addSeconds(newest, -overlap) },
});

/**
 * Creates what a poll has read by date. `newest` is where a first poll starts; it applies to the first comparison only.
 */
function createDatedRead(
  dated: DatedRead,
  context: DatedContext,
  { table, newest }: { table: Table | undefined; newest: string | undefined },
): PollRead {
  return {
    readAt: dated.readAt,
    table,
    compare(state) {
      const from = newest === undefined ? state : startAt(state, newest, context.overlap);
      const { rest, ...compared } = compareDated(from, dated, context);
      return {
        ...compared,
        rest: rest && createDatedRead(rest, context, { table, newest: undefined }),
      };
    },
  };
}

async function readRecordsByDate(
  client: Client,
  watch: DateWatch,
  { state, isFirst, now }: ReadInput,
): Promise<PollRead> {
  const { overlap } = watch;
  const clock = new ServiceClock(client.serviceTimeZone);
  const source = await RecordSource.create(client, watch);
  const { table } = source;
  const field = findDateField(table, watch.dateField);
  const isCreation = field.slug === CREATED_AT;
  const storesWithoutReturning = isFirst && !watch.returnExisting;

  if (!isCreation) await checkTimeZone(source, clock, now);
  const present = clock.findLatest(now);
  const newest = storesWithoutReturning ? await findNewestDate(source, field, present) : undefined;
  const after = findReadStart(newest === undefined ? state : startAt(state, newest, overlap), clock, now);
  // A record dated in the future would move the floor, and earlier dates would never be read. It is found when its date
  // has come. A creation date in the future is an error of the time zone.
  const range = { after, upTo: isCreation ? undefined : present };
  const stopAfter = storesWithoutReturning ? Infinity : MAX_CHANGES;
  const share = createShare(watch);
  const { records, continueFrom } = await readByDate(source, { field, ...range, stopAfter, share });
  if (isCreation)
    ensureNoFutureDates(
      records.map(({ date }) => date),
      clock,
      now,
    );

  const slugs = table.fields.map(({ slug }) => slug);
  const entries = records
    .filter(({ values }) => source.matches(values))
    .map(({ id, date, values }) => ({
      key: id,
      date,
      values,
      // By the creation date, changes of other values do not count.
      digest: isCreation ? '' : hashFields(values, slugs, table.fields),
    }));
  const dated = { entries, readAt: now, continueFrom, ...range };
  const context = { clock, storesWithoutReturning, event: getDateEvent(field), overlap };
  return createDatedRead(dated, context, { table, newest });
}

async function readWatchedLog(
  client: Client,
  watch: LogWatch,
  { state, isFirst, now }: ReadInput,
): Promise<PollRead> {
  const { log, overlap } = watch;
  const clock = new ServiceClock(client.serviceTimeZone);
  const storesWithoutReturning = isFirst && !watch.returnExisting;
  const source = { client, log, share: createShare(watch) };
  const newest = storesWithoutReturning ? await findNewestEntryDate(source) : undefined;
  const after = findReadStart(newest === undefined ? state : startAt(state, newest, overlap), clock, now);
  const entries = await readLogEntries(source, after);
  ensureNoFutureDates(
    entries.map(({ date }) => date),
    clock,
    now,
  );
  const context = { clock, storesWithoutReturning, event: 'ENTRY' as const, overlap };
  return createDatedRead({ entries, after, readAt: now }, context, { table: undefined, newest });
}

/** @throws InputError for a choice of changes that the login of the credential never finds */
function ensureEventsArePossible(events: SnapshotEvent[], { credential: { hasUserLogin } }: Client): void {
  if (hasUserLogin && events.includes('DELETE') && !events.includes('NOT_VISIBLE')) {
    throw new InputError(
      'Changes: "Record Deleted" cannot be found with a user login',
      'The service does not say whether a record that the user can no longer read is deleted or hidden. Choose "Record No Longer Visible" as well, or a credential without User Login.',
    );
  }
  if (!hasUserLogin && events.every((event) => event === 'NOT_VISIBLE')) {
    throw new InputError(
      'Changes: "Record No Longer Visible" needs a user login',
      'The keys alone see all records. Choose "Record Deleted", or choose a User Login in the credential.',
    );
  }
}

async function readTableSnapshot(
  client: Client,
  watch: SnapshotWatch,
  { state, isFirst, now }: ReadInput,
): Promise<PollRead> {
  const { events, changedFields } = watch;
  ensureEventsArePossible(events, client);
  const source = await RecordSource.create(client, watch);
  const { table } = source;
  const watched = changedFields.map((name) => table.field(name, 'Watched Fields'));
  const slugs = (watched.length > 0 ? watched : table.fields).map(({ slug }) => slug);

  const found = await readSnapshot(source, createShare(watch));
  ensureNoFutureDates(
    found.map((record) => record[CREATED_AT]),
    new ServiceClock(client.serviceTimeZone),
    now,
  );
  const records = found.map((values) => ({
    id: values.id,
    values,
    hashes: hashFields(values, slugs, table.fields),
  }));
  const absent = await checkMissingRecords(source, listMissingIds(state, records), records.length > 0);
  const storesWithoutReturning = isFirst && !watch.returnExisting;
  return {
    readAt: now,
    table,
    compare: (before) =>
      compareSnapshot(
        before,
        { records, slugs, absent, ...(watched.length > 0 && { watched: table.fields }) },
        { storesWithoutReturning, events },
      ),
  };
}
