import { orderBy } from 'lodash';
import type { Client } from '../client';
import { logEndpoints } from '../client/endpoints/catalogue';
import type { Field } from '../client/fields/field';
import { getKind } from '../client/fields/kinds';
import type { RecordValues } from '../client/fields/recordValues';
import type { FilterItem } from '../client/filter/tree';
import { DATE_TIME_FORMAT, readFormatText } from '../client/input/dateTimeText';
import { InputError } from '../client/input/inputError';
import { asObject } from '../client/input/values';
import { isNewestFirst, readCreatedAt, readLog } from '../client/logs/readLog';
import { MAX_PAGE_SIZE } from '../client/paging/pageRanges';
import { readWholeList } from '../client/paging/readWholeList';
import { hashText, toCanonicalJson } from '../client/records/hashing';
import { type DatedEntry, type ServiceClock, addSeconds } from './byDate';
import { type DailyShare, countListRequests, ensureDailyShare } from './dailyShare';
import type { RecordPage, RecordPageQuery, RecordSource } from './recordSource';

/** Maximum number of records in a snapshot, and in a table if the service ignores the date filter. */
export const MAX_RECORDS = 5_000;

/** A record with its date, '' for a record without one. */
interface RecordWithDate {
  id: string;
  date: string;
  values: RecordValues;
}

/** Reads pages of dated records. Tests pass a source that needs no service. */
export interface DatedSource {
  fetchPage(
    query: RecordPageQuery,
  ): Promise<Pick<RecordPage, 'items' | 'total'> & Partial<Pick<RecordPage, 'headers'>>>;
  client: { concurrency: number };
}

/** The dates to read, in the service's format. */
interface DateRange {
  field: Field;
  /** Records with later dates are read; '' for all with a date. */
  after: string;
  /** Records up to this date are read; undefined for all. */
  upTo?: string;
}

interface ReadOptions extends DateRange {
  /** The reading ends when it has this many records, and the next poll continues. */
  maxRecords: number;
  share: DailyShare;
}

interface DatedList {
  records: RecordWithDate[];
  /** The date from which the next poll continues; undefined if all records were read. */
  resume?: string;
}

const readDate = (record: RecordValues, field: Field): string => {
  const date = getKind(field).read(record[field.slug], field);
  return typeof date === 'string' ? date : '';
};

const toDatedRecord = (field: Field) => (record: { id: string }) => ({
  id: record.id,
  date: readDate(record, field),
  values: record as RecordValues,
});

const createConditions = ({ field: { slug }, after, upTo }: DateRange): FilterItem[] => [
  after === ''
    ? { field_id: slug, operator: 'is not blank' }
    : { field_id: slug, operator: 'is after', val: after },
  ...(upTo === undefined ? [] : [{ field_id: slug, operator: 'is on or before', val: upTo }]),
];

/**
 * Reads a list completely.
 * @throws InputError if it has more than `maxRecords` records, or if polls that read it use too many requests
 */
async function readWhole(
  source: DatedSource,
  range: DateRange,
  {
    isFiltered = true,
    maxRecords = MAX_RECORDS,
    share,
  }: { isFiltered?: boolean; maxRecords?: number; share?: DailyShare },
): Promise<RecordWithDate[]> {
  const conditions = isFiltered ? createConditions(range) : [];
  const found = await readWholeList({
    fetchPage: async (page, limit) => {
      const { items, total, headers } = await source.fetchPage({ page, limit, conditions });
      const count = total ?? items.length;
      if (share) ensureDailyShare(share, countListRequests(count) + 1, headers);
      if (count <= maxRecords) return { items, total };
      throw new InputError(
        `The service ignores the filter or the order by "${range.field.name}", and ${total} records match`,
        `The trigger then works with up to ${maxRecords} records. Choose another date field, or a filter that matches fewer records.`,
      );
    },
    limit: Infinity,
    concurrency: source.client.concurrency,
    getId: ({ id }) => id,
  });
  return found.map(toDatedRecord(range.field));
}

const isSorted = (records: RecordWithDate[]): boolean =>
  records.every(({ date }, index) => index === 0 || (records[index - 1]?.date ?? '') <= date);

/**
 * Reads the records of a range, in the order of their dates. Each request continues at the last date of the one before
 * instead of a page number, so that a record which changes meanwhile moves no other record to a page that was read
 * already. The service may ignore a filter or an order that it does not support; then all records are read.
 * @throws InputError if that would be more than `MAX_RECORDS` records, or too many requests in a day
 */
export async function readByDate(
  source: DatedSource,
  { field, after: start, upTo, maxRecords, share }: ReadOptions,
): Promise<DatedList> {
  const found = new Map<string, RecordWithDate>();
  const add = (records: RecordWithDate[]) => {
    for (const record of records) found.set(record.id, record);
  };
  const sort = { sort: field.slug, by: 'asc' as const };
  for (let after = start; ;) {
    const range = { field, after, ...(upTo !== undefined && { upTo }) };
    const conditions = createConditions(range);
    const page = await source.fetchPage({ page: 1, limit: MAX_PAGE_SIZE, conditions, sort });
    const { items, total, headers } = page;
    ensureDailyShare(share, 1, headers);
    const records = items.map(toDatedRecord(field));
    const isEnd = total === undefined ? items.length < MAX_PAGE_SIZE : items.length >= total;
    add(records);
    if (isEnd) return { records: [...found.values()] };
    const isFiltered = records.every(
      ({ date }) => date !== '' && date > after && (upTo === undefined || date <= upTo),
    );
    if (!isFiltered || !isSorted(records)) {
      // Each later poll reads the whole table too if the service ignores the filter.
      add(await readWhole(source, range, { isFiltered, ...(!isFiltered && { share }) }));
      return { records: [...found.values()] };
    }

    const last = records.at(-1)?.date ?? after;
    // The next page, and the next poll, repeat the last second, because further records may have the same date.
    const previous = addSeconds(last, -1);
    // A poll that has not passed its first second reads on, because the next poll would read the same records again.
    if (found.size >= maxRecords && previous > start) return { records: [...found.values()], resume: last };
    if (previous > after) after = previous;
    else {
      add(await readWhole(source, { field, after, upTo: last }, { maxRecords: Infinity }));
      after = last;
    }
  }
}

/** Finds the newest date up to `upTo`; '' if there is none. */
export async function findNewestDate(source: DatedSource, field: Field, upTo: string): Promise<string> {
  const range = { field, after: '', upTo };
  const sort = { sort: field.slug, by: 'desc' as const };
  const conditions = createConditions(range);
  const { items, total } = await source.fetchPage({ page: 1, limit: MAX_PAGE_SIZE, conditions, sort });
  const page = items.map(toDatedRecord(field));
  const isTrusted =
    (total ?? Infinity) <= items.length ||
    (isSorted([...page].reverse()) && page.every(({ date }) => date <= upTo));
  const records = isTrusted ? page : await readWhole(source, range, {});
  return records
    .map(({ date }) => date)
    .filter((date) => date <= upTo)
    .reduce((newest, date) => (date > newest ? date : newest), '');
}

/** The newest records by date, newest first. */
export async function readNewest(source: RecordSource, field: Field, limit: number): Promise<RecordValues[]> {
  const sort = { sort: field.slug, by: 'desc' as const };
  const { items } = await source.fetchPage({ page: 1, limit, sort });
  return orderBy(items.map(toDatedRecord(field)), 'date', 'desc').map(({ values }) => values);
}

/** A log; see `logEndpoints`. */
export type LogName = keyof typeof logEndpoints;

/** Keys whose values change after the entry was added (spec: Logs). They do not identify it. */
const CHANGING_KEYS = new Set(['status', 'last_active_at', 'start_at', 'end_at', 'expire_at']);

const KEY_LENGTH = 12;

const hashEntry = (entry: unknown): string =>
  hashText(
    toCanonicalJson(Object.entries(asObject(entry)).filter(([key]) => !CHANGING_KEYS.has(key))),
    KEY_LENGTH,
  );

const readEntryDate = (entry: unknown): string =>
  readFormatText(readCreatedAt(entry), DATE_TIME_FORMAT) ?? '';

/** Identifies entries by a hash and the number of equal entries, because they have no ID (spec: Logs). */
function identifyEntries(entries: unknown[]): DatedEntry[] {
  const counts = new Map<string, number>();
  return entries.flatMap((entry) => {
    const date = readEntryDate(entry);
    const hash = hashEntry(entry);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return date === '' ? [] : [{ key: `${hash}${count}`, date, digest: '', values: asObject(entry) }];
  });
}

/** What a reading of a log needs. */
interface LogSource {
  client: Client;
  log: LogName;
  clock: ServiceClock;
  share: DailyShare;
}

/**
 * Reads the entries with a date after `after`; '' for the whole log. Pages that are sorted newest first end the reading
 * early (spec: Logs defines no order).
 * Open point: `logOrder`.
 * @throws InputError if the log has another order and the polls of a day would use too many requests
 */
export async function readLogEntries(
  { client, log, clock, share }: LogSource,
  after: string,
): Promise<DatedEntry[]> {
  const isAmbiguous = (date: string) => clock.isAmbiguous(date);
  const { entries } = await readLog({
    fetch: async (page) => {
      const found = await client.logs.readPage(logEndpoints[log], page);
      const isOrdered = isNewestFirst(found.items, isAmbiguous);
      if (page === 1) ensureDailyShare(share, isOrdered ? 1 : (found.totalPages ?? 1), found.headers);
      return found;
    },
    limit: Infinity,
    isAmbiguous,
    ...(after !== '' && { since: addSeconds(after, 1) }),
  });
  return identifyEntries(entries);
}

/** Finds the date of the newest entry; '' in an empty log. Reads one page if it is sorted newest first. */
export async function findNewestEntryDate({ client, log, clock }: LogSource): Promise<string> {
  const fetch = (page: number) => client.logs.readPage(logEndpoints[log], page);
  const { items } = await fetch(1);
  const isOrdered = isNewestFirst(items, (date) => clock.isAmbiguous(date));
  const entries = isOrdered ? items : (await readLog({ fetch, limit: Infinity })).entries;
  return entries.map(readEntryDate).reduce((newest, date) => (date > newest ? date : newest), '');
}
