/**
 * Records and log entries by their dates. `findDatedRecords` and `findLogEntries` read what is newer than the state, and
 * `compareDated` compares it with the versions that are known.
 */
import { groupBy, sortBy } from 'lodash';
import {
  DATE_TIME_FORMAT,
  type Field,
  type FilterGroup,
  getKind,
  hashFieldValues,
  hashValue,
  readFormatText,
  type Table,
} from '../records';
import { asObject, type Client, InputError, MAX_PAGE_SIZE, readLog, type ServiceRecord } from '../service';
import {
  type Change,
  type ChangeEvent,
  MAX_STORED_LENGTH,
  type PollState,
  VERSION_HASH_LENGTH,
  createPollState,
} from './pollState';
import { CREATED_AT, MAX_RECORDS, RecordSource, readDate } from './recordSource';
import { DAY_MS, ServiceClock, addSeconds, ensureNoFutureDates } from './serviceClock';
import type { DateWatch, Found, LogWatch, ReadInput } from './watch';

/** About the number of changes that one poll returns. The polls after it return the others. */
const MAX_CHANGES = 5_000;

/** @throws InputError if the table has no such field, or if its type is not Date-Time */
export function findDateField(table: Table, name: string): Field {
  const field = table.field(name, 'Date Field');
  if (isDateTimeField(field)) return field;
  throw new InputError(
    `Date Field: "${field.name}" is of the type ${field.type}`,
    'Choose a field of the type Date-Time, or Trigger On: Record Created, Updated or Deleted.',
  );
}

/** Whether the values of a field have a day and a time. */
export const isDateTimeField = (field: Field): boolean => getKind(field).findDay !== undefined;

/** The event of a record found by date: a date does not show whether a record is new, unless it is the creation date. */
export const getDateEvent = ({ slug }: Field): ChangeEvent => (slug === CREATED_AT ? 'INSERT' : 'UPSERT');

/** Finds the records whose date is newer than at the last poll. */
export async function findDatedRecords(client: Client, watch: DateWatch, input: ReadInput): Promise<Found> {
  const source = await RecordSource.create(client, watch);
  const { table } = source;
  const field = findDateField(table, watch.dateField);
  const isCreation = field.slug === CREATED_AT;
  const clock = new ServiceClock(client.serviceTimeZone);
  const latest = clock.findLatest(input.now);
  const toEntry = (record: ServiceRecord): DatedEntry => ({
    key: record.id,
    date: readDate(record, field),
    values: record,
    // By the creation date, changes of other values are ignored.
    digest: isCreation ? '' : hashVersion(record, table),
  });
  const found = await findDated(client, watch, input, {
    event: getDateEvent(field),
    findNewest: () => findNewestDate(source, field, latest),
    read: async (after, stopAfter) => {
      const records = await readByDate(source, { field, after, latest, stopAfter });
      ensureNoFutureDates(
        records.map((record) => record[CREATED_AT]),
        clock,
        input.now,
      );
      const entries = records.filter((record) => source.matches(record)).map(toEntry);
      // A date in the future would raise the floor, so that earlier dates would never be read. It is ignored until that
      // time.
      return isCreation ? entries : entries.filter(({ date }) => date <= latest);
    },
  });
  return { ...found, table };
}

/** Finds the entries that were added to a log. They have no ID (spec: Logs): equal ones are numbered. */
export async function findLogEntries(
  client: Client,
  watch: LogWatch,
  { now, ...input }: ReadInput,
): Promise<Found> {
  const { log } = watch;
  const clock = new ServiceClock(client.serviceTimeZone);
  return findDated(
    client,
    watch,
    { now, ...input },
    {
      event: 'ENTRY',
      findNewest: async () => {
        const { entries } = await readLog(client, { log, limit: Infinity, newestOnly: true });
        return findMaximum(entries.map(readEntryDate));
      },
      read: async (after) => {
        const { entries } = await readLog(client, { log, limit: Infinity, since: addSeconds(after, 1) });
        ensureNoFutureDates(entries.map(readEntryDate), clock, now);
        return identifyEntries(entries);
      },
    },
  );
}

/** A record or log entry with its date. */
export interface DatedEntry {
  /** ID of a record, or hash of a log entry. */
  key: string;
  /** In the service's format; '' if there is none. */
  date: string;
  /** Hash of the values; '' if a change of the values alone does not count. */
  digest: string;
  values: Record<string, unknown>;
}

interface DatedSource {
  event: ChangeEvent;
  /** The newest date; '' if there is none. */
  findNewest(): Promise<string>;
  /** Reads the entries after a date. It stops after `stopAfter` entries, but reads all entries of the last date. */
  read(after: string, stopAfter: number): Promise<DatedEntry[]>;
}

async function findDated(
  client: Client,
  { returnExisting, overlap }: Pick<DateWatch, 'returnExisting' | 'overlap'>,
  { stored, scope, now }: ReadInput,
  { event, findNewest, read }: DatedSource,
): Promise<Found> {
  const clock = new ServiceClock(client.serviceTimeZone);
  const isSilent = stored === undefined && !returnExisting;
  const floor = isSilent ? addSeconds(await findNewest(), -overlap) : '';
  const state = stored ?? { ...createPollState(scope), floor };
  const after = clock.findReadStart(state.floor, now);
  const entries = await read(after, isSilent ? Infinity : MAX_CHANGES + state.known.size);
  const found = compareDated(
    state,
    entries.filter(({ date }) => date > after),
    { event, clock, overlap, readAt: now },
  );
  return isSilent ? { state: { ...found.state, pollCount: 0 }, changes: [] } : found;
}

export interface DatedContext {
  event: ChangeEvent;
  clock: ServiceClock;
  /** Seconds. */
  overlap: number;
  /** When the reading began, in milliseconds of n8n's clock. */
  readAt: number;
  maxLength?: number;
}

/**
 * Compares the entries that were read with the state. A version (record or entry, date and values) is new if it is not
 * known. The floor stays `overlap` seconds behind the newest date, because a record may become visible later than its date.
 * If the newest date has not changed for `overlap` seconds, the floor moves up to it.
 */
export function compareDated(
  state: PollState,
  entries: DatedEntry[],
  { event, clock, overlap, readAt, maxLength = MAX_STORED_LENGTH }: DatedContext,
): Found {
  const known = new Map(state.known);
  const changes: Change[] = [];
  for (const { key, date, digest, values } of sortBy(entries, 'date')) {
    const hash = hashValue([key, date, digest], VERSION_HASH_LENGTH);
    if (known.has(hash)) continue;
    known.set(hash, date);
    changes.push({ event, key, values });
  }
  const watermark = findMaximum([...entries.map(({ date }) => date), state.watermark]);
  const advancedAt = watermark > state.watermark ? readAt : state.advancedAt;
  const isQuiet = readAt - advancedAt >= overlap * 1000;
  const reached = isQuiet ? watermark : addSeconds(watermark, -overlap);
  const floor = findMaximum([reached, state.floor]);
  // A version up to the floor is read again if the clock is set back within a day.
  const start = clock.findReadStart(floor, readAt + DAY_MS);
  const kept = new Map([...known].filter(([, date]) => date > start));
  const removed = findRemoved(kept, maxLength);
  return {
    changes,
    state: {
      ...state,
      pollCount: state.pollCount + (changes.length > 0 ? 1 : 0),
      floor: findMaximum([removed, floor]),
      watermark,
      advancedAt,
      known: new Map([...kept].filter(([, date]) => date > removed)),
    },
  };
}

/**
 * The date up to which versions are dropped because the state is full (about 20,000 versions); '' if all versions fit.
 */
function findRemoved(known: Map<string, string>, maxLength: number): string {
  const byDate = groupBy([...known.values()]);
  let room = maxLength;
  const dates = Object.keys(byDate).sort().reverse();
  // As `formatKnown` writes them: 14 digits, a space and a line break.
  return dates.find((date) => (room -= 16 + byDate[date]!.length * VERSION_HASH_LENGTH) < 0) ?? '';
}

const findMaximum = (dates: string[]): string => dates.reduce((max, date) => (date > max ? date : max), '');

const DIGEST_LENGTH = 12;

/** Hashes the values of a record. A new column does not change the hash. */
const hashVersion = (record: ServiceRecord, { fields }: Table): string => {
  const slugs = fields.map(({ slug }) => slug);
  const hashes = hashFieldValues(record, slugs, fields, { length: DIGEST_LENGTH, omitsEmpty: true });
  return hashValue([...hashes].sort(), DIGEST_LENGTH);
};

const createConditions = ({ slug }: Field, after: string, upTo?: string): FilterGroup['items'] => [
  after === ''
    ? { field_id: slug, operator: 'is not blank' }
    : { field_id: slug, operator: 'is after', val: after },
  ...(upTo === undefined ? [] : [{ field_id: slug, operator: 'is on or before', val: upTo }]),
];

/** @throws InputError if a service that ignores the filter or the order has to be read whole, and has too many records */
const ensureFewRecords = (field: Field) => (total: number) => {
  if (total <= MAX_RECORDS) return;
  throw new InputError(
    `The service ignores the filter or the order by "${field.name}", and ${total} records match`,
    `The trigger then works with up to ${MAX_RECORDS} records. Choose another date field, or a filter that matches fewer records.`,
  );
};

/** Finds the newest date that is not in the future; '' if there is none. */
async function findNewestDate(source: RecordSource, field: Field, latest: string): Promise<string> {
  const conditions = createConditions(field, '', latest);
  const { items } = await source.fetchPage({
    limit: MAX_PAGE_SIZE,
    conditions,
    sort: { sort: field.slug, by: 'desc' },
  });
  const dates = items.map((record) => readDate(record, field));
  const isTrusted = isSorted([...dates].reverse()) && dates.every((date) => date <= latest);
  const records = isTrusted ? items : await source.readAll(ensureFewRecords(field), conditions);
  return findMaximum(records.map((record) => readDate(record, field)).filter((date) => date <= latest));
}

const isSorted = (dates: string[]): boolean => dates.every((date, index) => (dates[index - 1] ?? '') <= date);

interface DateRange {
  field: Field;
  /** Records with later dates are read; '' for all with a date. */
  after: string;
  /** Records with later dates are in the future: no page after the first one with such a date is read. */
  latest: string;
  /** The reading ends at the date with which the number of records reaches this value. */
  stopAfter: number;
}

/**
 * Reads the records after a date, in the order of their dates. Each request reads page 1 after the last date of the
 * request before: with page numbers, a record that changes during the reading would move others to a page that was read
 * already. If the service ignores the filter or the order, all records are read.
 */
async function readByDate(
  source: RecordSource,
  { field, after: start, latest, stopAfter }: DateRange,
): Promise<ServiceRecord[]> {
  const found = new Map<string, ServiceRecord>();
  const add = (records: ServiceRecord[]) => {
    for (const record of records) found.set(record.id, record);
    return [...found.values()];
  };
  const sort = { sort: field.slug, by: 'asc' as const };
  for (let after = start; ;) {
    const conditions = createConditions(field, after);
    const { items, total } = await source.fetchPage({ limit: MAX_PAGE_SIZE, conditions, sort });
    const all = add(items);
    const dates = items.map((record) => readDate(record, field));
    const last = dates.at(-1) ?? '';
    if (items.length >= total) return all;
    if (!isSorted(dates) || dates.some((date) => date <= after))
      return add(await source.readAll(ensureFewRecords(field), conditions));
    if (last > latest) return all;
    // Further records may have the last date, so the next page, or the next poll, reads that second again.
    const previous = addSeconds(last, -1);
    if (all.length >= stopAfter && previous > start)
      return all.filter((record) => readDate(record, field) < last);
    if (previous > after) after = previous;
    else {
      // A whole page has the same date.
      add(await source.readAll(() => undefined, createConditions(field, after, last)));
      after = last;
    }
  }
}

/** Keys whose values change after the entry was added (spec: Logs). They do not identify it. */
const CHANGING_KEYS = new Set(['status', 'last_active_at', 'start_at', 'end_at', 'expire_at']);

/** Those without a date are never after the start of a reading. */
const readEntryDate = (entry: unknown): string =>
  readFormatText(asObject(entry).created_at, DATE_TIME_FORMAT) ?? '';

/** Identifies entries by a hash and the number of equal entries. */
function identifyEntries(entries: unknown[]): DatedEntry[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const values = asObject(entry);
    const kept = Object.entries(values).filter(([key]) => !CHANGING_KEYS.has(key));
    const hash = hashValue(kept, DIGEST_LENGTH);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return { key: `${hash}${count}`, date: readEntryDate(entry), digest: '', values };
  });
}
