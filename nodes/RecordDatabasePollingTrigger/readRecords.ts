import { orderBy } from 'lodash';
import type { Client } from '../client';
import { ensureIdsAreNoNames, resolveStoredFilter } from '../client/connections/resolveFilter';
import type { Field } from '../client/fields/field';
import { getKind } from '../client/fields/kinds';
import type { RecordValues } from '../client/fields/recordValues';
import { type Table, UnknownFieldError } from '../client/fields/table';
import { type Matcher, buildFilter, buildMatcher } from '../client/filter/buildFilter';
import type { FilterGroup, FilterItem, FilterTree } from '../client/filter/tree';
import { InputError, asThrown } from '../client/input/inputError';
import { memory } from '../client/memory/memory';
import { MAX_PAGE_SIZE } from '../client/paging/pageRanges';
import { readWholeList } from '../client/paging/readWholeList';
import { type SortRules, requestRecordPage } from '../client/records/readRecords';
import type { ServiceRecord } from '../client/responses/schemas';
import { addSeconds } from './byDate';
import { type DailyShare, countListRequests, ensureDailyShare } from './dailyShare';

/** Milliseconds for which the fields of a table are used, so that a poll without changes needs one request. */
const FIELDS_TTL_MS = 60 * 60_000;

const watchedTables = memory.cache<Table, 'user'>('watchedTables', {
  per: 'user',
  holds: 'the fields of a table that is polled',
  ttlMs: FIELDS_TTL_MS,
});

/** Calls `use` with the fields of a table, and again with current fields if a field is not found. */
async function withTable<T>(
  client: Client,
  tableId: string,
  use: (table: Table) => T | Promise<T>,
): Promise<T> {
  const load = () => watchedTables.get(client, [tableId], () => client.tables.get(tableId));
  try {
    return await use(await load());
  } catch (error) {
    if (!(error instanceof UnknownFieldError)) throw asThrown(error);
    watchedTables.delete(client, [tableId]);
  }
  return use(await load());
}

/** Whether the values of a field have a day and a time. */
export const isDateTimeField = (field: Field): boolean => getKind(field).findDay !== undefined;

/** One page to read. */
export interface RecordPageQuery {
  page: number;
  limit: number;
  /** Further conditions, in addition to the filter of the form. */
  conditions?: FilterItem[];
  sort?: SortRules[number];
}

export interface RecordPage {
  items: ServiceRecord[];
  total?: number;
  headers: Record<string, string>;
}

/** The records of one table that match the form's filter. */
export class RecordSource {
  readonly hasFilter: boolean;
  private readonly matcher: Matcher | undefined;

  private constructor(
    readonly client: Client,
    readonly table: Table,
    private readonly filter: FilterGroup | undefined,
    now: Date,
  ) {
    this.hasFilter = filter !== undefined;
    this.matcher = filter && buildMatcher(filter, table, { timeZone: client.credential.timeZone, now });
  }

  /** @throws InputError for a filter that does not fit the table, or that only the service can evaluate */
  static async create(
    client: Client,
    { tableId, filter, timeZone }: { tableId: string; filter?: FilterTree; timeZone: string },
  ): Promise<RecordSource> {
    const { userLogin, timeZone: serviceTimeZone } = client.credential;
    const context = { timeZone, serviceTimeZone, now: new Date(), userLogin };
    return withTable(client, tableId, async (table) => {
      await ensureIdsAreNoNames(client, filter, table);
      const resolved = await resolveStoredFilter(client, filter, table);
      const group = resolved && buildFilter(resolved, table, context);
      return new RecordSource(client, table, group, context.now);
    });
  }

  /** Whether a record matches the filter. The service drops a filter silently in some cases (spec: Filters). */
  matches(record: Record<string, unknown>): boolean {
    return this.matcher?.(record) ?? true;
  }

  async fetchPage({ page, limit, conditions = [], sort }: RecordPageQuery): Promise<RecordPage> {
    const group = this.filter ? [this.filter] : [];
    const filters: FilterGroup | undefined =
      conditions.length > 0 ? { condition: 'AND', items: conditions, child: group } : this.filter;
    const query = { tableId: this.table.id, filters, sort: sort && [sort] };
    const { body, headers } = await requestRecordPage(this.client, query, page, limit);
    const { items, total_items: total } = body;
    return { items, total, headers };
  }
}

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
    // Do not stop while all records have the start date: the next poll would start at the same date.
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
