/**
 * The records of a table by a date field, for the polling trigger. `readByDate` reads those of a range of dates.
 * `findNewestDate` finds the date at which the first poll starts.
 */
import { orderBy } from 'lodash';
import { type Field, type FilterGroup, getKind, type RecordValues, type Table } from '../records';
import { InputError, MAX_PAGE_SIZE, readWholeList } from '../service';
import { type DailyShare, countListRequests, ensureDailyShare } from './dailyShare';
import type { ChangeEvent } from './pollState';
import { MAX_RECORDS, type RecordPage, type RecordPageQuery, type RecordSource } from './recordSource';
import { addSeconds } from './serviceClock';

/**
 * Reads the records of a range, in the order of their dates. Each request reads page 1 after the last date of the
 * request before. With page numbers, a record that changes during the reading would move others to a page that was
 * read already. If the service ignores the filter or the order, all records are read.
 * @throws InputError if that would be more than `MAX_RECORDS` records, or too many requests in a day
 */
export async function readByDate(
  source: DatedSource,
  { field, after: start, upTo, stopAfter, share }: ReadOptions,
): Promise<DatedList> {
  const found = new Map<string, RecordWithDate>();
  const add = (records: RecordWithDate[]) => {
    for (const record of records) found.set(record.id, record);
  };
  const sort = { sort: field.slug, by: 'asc' as const };
  for (let after = start; ;) {
    const conditions = createConditions({ field, after, upTo });
    const page = await source.fetchPage({ page: 1, limit: MAX_PAGE_SIZE, conditions, sort });
    const { items, total } = page;
    ensureDailyShare(share, 1, source.client.requestsPerDay);
    const records = items.map(toDatedRecord(field));
    add(records);
    if (items.length >= total) return { records: [...found.values()] };
    const fitsFilter = records.every(({ date }) => date > after && (upTo === undefined || date <= upTo));
    if (!fitsFilter) {
      // Each later poll reads the whole table too, so the share of the limit is checked.
      add(await readWhole(source, field, { conditions: [], failAbove: MAX_RECORDS, share }));
      return { records: [...found.values()] };
    }
    if (!isSorted(records)) {
      add(await readWhole(source, field, { conditions, failAbove: MAX_RECORDS }));
      return { records: [...found.values()] };
    }

    const last = records.at(-1)?.date ?? after;
    // Further records may have the last date, so the next page, or the next poll, reads that second again.
    const previous = addSeconds(last, -1);
    // The reading cannot end while all records have the start date: the next poll would start at the same date.
    if (found.size >= stopAfter && previous > start)
      return { records: [...found.values()], continueFrom: last };
    if (previous > after) after = previous;
    else {
      // A whole page has the same date.
      const ofSecond = createConditions({ field, after, upTo: last });
      add(await readWhole(source, field, { conditions: ofSecond, failAbove: Infinity }));
      after = last;
    }
  }
}

export const CREATED_AT = 'created_at';

/** Whether the values of a field have a day and a time. */
export const isDateTimeField = (field: Field): boolean => getKind(field).findDay !== undefined;

/** @throws InputError if the table has no such field, or if its type is not Date-Time */
export function findDateField(table: Table, name: string): Field {
  const field = table.field(name, 'Date Field');
  if (isDateTimeField(field)) return field;
  throw new InputError(
    `Date Field: "${field.name}" is of the type ${field.type}`,
    'Choose a field of the type Date-Time, or Trigger On: Record Created, Updated or Deleted.',
  );
}

/** The event of a record found by date: a date does not show whether a record is new, unless it is the creation date. */
export const getDateEvent = ({ slug }: Field): ChangeEvent => (slug === CREATED_AT ? 'INSERT' : 'UPSERT');

/** A record with its date, '' for a record without one. */
interface RecordWithDate {
  id: string;
  date: string;
  values: RecordValues;
}

/** Reads pages of dated records. Tests pass a source that needs no service. */
export interface DatedSource {
  fetchPage(query: RecordPageQuery): Promise<RecordPage>;
  client: { concurrency: number; requestsPerDay?: number };
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
  /** The reading ends after the page with which it has this many records, and the next poll continues. */
  stopAfter: number;
  share: DailyShare;
}

interface DatedList {
  records: RecordWithDate[];
  /** The date from which the next poll continues; undefined if all records were read. */
  continueFrom?: string;
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

const createConditions = ({ field: { slug }, after, upTo }: DateRange): FilterGroup['items'] => [
  after === ''
    ? { field_id: slug, operator: 'is not blank' }
    : { field_id: slug, operator: 'is after', val: after },
  ...(upTo === undefined ? [] : [{ field_id: slug, operator: 'is on or before', val: upTo }]),
];

interface WholeListOptions {
  /** The conditions on the date; none for a service that ignores them. */
  conditions: FilterGroup['items'];
  /** A list of more records is an error. */
  failAbove: number;
  /** If every poll reads the list: the share of the daily limit that the polls may use. */
  share?: DailyShare;
}

/**
 * Reads all pages of a list, in any order.
 * @throws InputError if it has more than `failAbove` records, or if polls that read it use too many requests
 */
async function readWhole(
  source: DatedSource,
  field: Field,
  { conditions, failAbove, share }: WholeListOptions,
): Promise<RecordWithDate[]> {
  const found = await readWholeList({
    fetchPage: async (page, limit) => {
      const { items, total } = await source.fetchPage({ page, limit, conditions });
      if (share) ensureDailyShare(share, countListRequests(total) + 1, source.client.requestsPerDay);
      if (total <= failAbove) return { items, total };
      throw new InputError(
        `The service ignores the filter or the order by "${field.name}", and ${total} records match`,
        `The trigger then works with up to ${failAbove} records. Choose another date field, or a filter that matches fewer records.`,
      );
    },
    limit: Infinity,
    concurrency: source.client.concurrency,
    getId: ({ id }) => id,
  });
  return found.map(toDatedRecord(field));
}

const isSorted = (records: RecordWithDate[]): boolean =>
  records.every(({ date }, index) => (records[index - 1]?.date ?? '') <= date);

/** Finds the newest date up to `upTo`; '' if there is none. */
export async function findNewestDate(source: DatedSource, field: Field, upTo: string): Promise<string> {
  const sort = { sort: field.slug, by: 'desc' as const };
  const conditions = createConditions({ field, after: '', upTo });
  const { items } = await source.fetchPage({ page: 1, limit: MAX_PAGE_SIZE, conditions, sort });
  const page = items.map(toDatedRecord(field));
  const isTrusted = isSorted([...page].reverse()) && page.every(({ date }) => date <= upTo);
  const records = isTrusted ? page : await readWhole(source, field, { conditions, failAbove: MAX_RECORDS });
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
