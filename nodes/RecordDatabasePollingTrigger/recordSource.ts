/** Reads the records for a poll, and computes with dates of the service, which have no time zone. */
import { max, orderBy } from 'lodash';
import { DateTime, IANAZone } from 'luxon';
import { MAX_TABLES_AGE_MS } from '../n8n/trigger/startup';
import {
  compileFilter,
  DATE_TIME_FORMAT,
  type Field,
  readRecordPage,
  type FilterGroup,
  getKind,
  getTable,
  readAllRecords,
  readDateText,
  replaceNamesInStoredFilter,
  type Table,
} from '../records';
import { asObject, type Client, InputError, MAX_PAGE_SIZE, type ServiceRecord } from '../service';
import { CREATED_AT, type RecordPollParameters } from './form';

/** Limit for polling by comparison, and for polling by date if the service ignores the date filter. */
const MAX_RECORDS_PER_POLL = 5_000;

/** Conditions that a poll adds to the filter of the form. */
type FilterConditions = FilterGroup['items'];

/** The records of one table that match the form's filter. */
export class RecordSource {
  readonly clock: ServiceClock;
  readonly dateField: Field;
  /** The last date that does not count as future, in the service's format. */
  private readonly latest: string;

  private constructor(
    readonly client: Client,
    readonly table: Table,
    dateField: string,
    private readonly now: number,
    private readonly filter: ReturnType<typeof compileFilter> | undefined,
  ) {
    this.clock = new ServiceClock(client.serviceTimeZone);
    this.dateField = findDateField(table, dateField);
    this.latest = this.clock.findLatestClockDate(now);
  }

  /**
   * @throws InputError for a filter that does not fit the table, or that only the service can evaluate
   * @throws InputError for a date field that does not exist, or whose type is not Date-Time
   */
  static async create(
    client: Client,
    parameters: Pick<RecordPollParameters, 'tableId' | 'filter' | 'timeZone' | 'dateField'>,
    now: number,
    { isFresh = false } = {},
  ): Promise<RecordSource> {
    const { tableId, filter, timeZone, dateField } = parameters;
    const table = await getTable(client, tableId, isFresh ? { isFresh } : { maxAgeMs: MAX_TABLES_AGE_MS });
    const { serviceTimeZone, credential } = client;
    const context = { timeZone, serviceTimeZone, now: new Date(), hasUserLogin: credential.hasUserLogin };
    const resolved = await replaceNamesInStoredFilter(client, filter, table);
    const compiled = resolved && compileFilter(resolved, table, context);
    return new RecordSource(client, table, dateField, now, compiled);
  }

  /** The service ignores a filter without an error in some cases (spec: Filters), so each record is checked again. */
  matchesFilter(record: Record<string, unknown>): boolean {
    return this.filter?.matches(record) ?? true;
  }

  /** Returns the value of the date field in the service's format; '' if the field is empty. */
  readDate(record: ServiceRecord): string {
    const date = getKind(this.dateField).normalize(record[this.dateField.slug], this.dateField);
    return typeof date === 'string' ? date : '';
  }

  private createQuery(conditions: FilterConditions) {
    const own = this.filter?.group;
    const filters: FilterGroup | undefined =
      conditions.length > 0 ? { condition: 'AND', items: conditions, child: own ? [own] : [] } : own;
    const { table } = this;
    // With `isCompared`, `readRecordPage` does not check whether the service applied the filter. This class checks the
    // records instead, and its errors explain what to do if the service ignores filters.
    return { tableId: table.id, table, filters, isCompared: true } as const;
  }

  private async readFirstPage(conditions: FilterConditions, by: 'asc' | 'desc', limit = MAX_PAGE_SIZE) {
    const query = { ...this.createQuery(conditions), sort: [{ sort: this.dateField.slug, by }] };
    const page = await readRecordPage(this.client, query, 1, limit);
    this.clock.ensureNoFutureDates(page.items, this.now);
    const isDated = page.items.length === 0 || page.items.some((record) => this.readDate(record) !== '');
    if (isDated || !this.isByCreationDate) return page;
    throw new InputError(
      'The service shows no creation dates in its lists of records',
      'Choose Trigger On: Record Created, Updated or Deleted.',
    );
  }

  /**
   * Reads all records in no defined order, even if the list changes meanwhile. @throws the error of `createError` for
   * more than 5,000 records
   */
  private readPages(
    conditions: FilterConditions,
    createError?: (total: number) => InputError,
  ): Promise<ServiceRecord[]> {
    return readAllRecords(this.client, {
      ...this.createQuery(conditions),
      onPage: ({ items, total_items: total }) => {
        this.clock.ensureNoFutureDates(items, this.now);
        if (createError && total > MAX_RECORDS_PER_POLL) throw createError(total);
      },
      onChange: () => undefined,
    });
  }

  async readMatchingRecords(): Promise<ServiceRecord[]> {
    const records = await this.readPages(
      [],
      (total) =>
        new InputError(
          `Created, Updated or Deleted works with up to ${MAX_RECORDS_PER_POLL} records, and ${total} match`,
          'Choose a filter that matches fewer records, or Trigger On: Record Created or Updated.',
        ),
    );
    return records.filter((record) => this.matchesFilter(record));
  }

  async readNewestRecords(limit: number): Promise<ServiceRecord[]> {
    const { items } = await this.readFirstPage([], 'desc', limit);
    return orderBy(items, (record) => this.readDate(record), 'desc').filter((one) => this.matchesFilter(one));
  }

  private createDateConditions(after: string, upTo?: string): FilterConditions {
    const { slug } = this.dateField;
    return [
      after === ''
        ? { field_id: slug, operator: 'is not blank' }
        : { field_id: slug, operator: 'is after', val: after },
      ...(upTo === undefined ? [] : [{ field_id: slug, operator: 'is on or before', val: upTo }]),
    ];
  }

  /** Reads all records if the service ignores the filter or the order. @throws InputError for too many records */
  private readUnsortedRecords(conditions: FilterConditions): Promise<ServiceRecord[]> {
    return this.readPages(
      conditions,
      (total) =>
        new InputError(
          `The service ignores the filter or the order by "${this.dateField.name}", and ${total} records match`,
          `The trigger then works with up to ${MAX_RECORDS_PER_POLL} records. Choose another date field, or a filter that matches fewer records.`,
        ),
    );
  }

  /** Finds the newest date that is not in the future; '' if there is none. */
  async findNewestDate(): Promise<string> {
    const conditions = this.createDateConditions('', this.latest);
    const { items } = await this.readFirstPage(conditions, 'desc');
    const dates = items.map((record) => this.readDate(record));
    const isTrusted = isSorted([...dates].reverse()) && dates.every((date) => date <= this.latest);
    const records = isTrusted ? items : await this.readUnsortedRecords(conditions);
    return max(records.map((one) => this.readDate(one)).filter((date) => date <= this.latest)) ?? '';
  }

  get isByCreationDate(): boolean {
    return this.dateField.slug === CREATED_AT;
  }

  /**
   * Leaves out records with a date in the future, which would raise `floor`: earlier dates would never be read. Returns
   * records with a creation date in the future, which only shows that the clocks differ.
   * @param stopAfter ends the reading after so many records, but never between records of the same date
   */
  async readRecordsAfter(after: string, stopAfter: number): Promise<ServiceRecord[]> {
    const isPast = (record: ServiceRecord) => this.isByCreationDate || this.readDate(record) <= this.latest;
    const records = await this.readRecordsInDateOrder(after, stopAfter);
    return records.filter((record) => this.matchesFilter(record) && isPast(record));
  }

  /**
   * Each request reads the first page after the last date that was found. With page numbers, a record that changes
   * during the reading would move others to a page that was already read.
   */
  private async readRecordsInDateOrder(start: string, stopAfter: number): Promise<ServiceRecord[]> {
    const found = new Map<string, ServiceRecord>();
    const add = (records: ServiceRecord[]) => {
      for (const record of records) found.set(record.id, record);
      return [...found.values()];
    };
    for (let after = start; ;) {
      const conditions = this.createDateConditions(after);
      const { items, total_items: total } = await this.readFirstPage(conditions, 'asc');
      const all = add(items);
      const dates = items.map((record) => this.readDate(record));
      const last = dates.at(-1) ?? '';
      const isIgnored = !isSorted(dates) || dates.some((date) => date <= after);
      // The service also ignores a condition on a deleted field. If the date field is deleted, `findDateField` throws.
      if (isIgnored)
        findDateField(await getTable(this.client, this.table.id, { isFresh: true }), this.dateField.slug);
      if (items.length >= total) return all;
      if (isIgnored) return add(await this.readUnsortedRecords(conditions));
      // The reading ends, because all further pages have dates in the future.
      if (last > this.latest) return all;
      // More records may have the date `last`, so the next page, or the next poll, also reads records of this date.
      const previous = addSeconds(last, -1);
      if (all.length >= stopAfter && previous > start)
        return all.filter((record) => this.readDate(record) < last);
      if (previous > after) after = previous;
      else {
        // All records of the page have the date `last`, so the next request would be the same. So all pages of this
        // date are read.
        add(await this.readPages(this.createDateConditions(after, last)));
        after = last;
      }
    }
  }
}

function findDateField(table: Table, name: string): Field {
  const field = table.requireField(name, 'Date Field');
  // Only fields with a day and a time have `findDay`.
  if (getKind(field).findDay) return field;
  throw new InputError(
    `Date Field: "${field.name}" is of the type ${field.type}`,
    'Choose a field of the type Date-Time, or Trigger On: Record Created, Updated or Deleted.',
  );
}

const isSorted = (dates: string[]): boolean => dates.every((date, index) => (dates[index - 1] ?? '') <= date);

/** If the service's clock is set back, some dates occur twice. The polls take this into account for one day. */
export const DAY_MS = 86_400_000;

/** The clocks of n8n and the service may differ by this time; with a wrong time zone, by 900 seconds or more. */
const CLOCK_TOLERANCE_SECONDS = 600;

/** Returns '' if the record or log entry has no creation date. */
export const readCreatedAt = (entry: unknown): string =>
  readDateText(asObject(entry)[CREATED_AT], DATE_TIME_FORMAT) ?? '';

/** Computes with dates in the service's format; '' stays ''. */
export const addSeconds = (date: string, seconds: number): string =>
  date === ''
    ? ''
    : DateTime.fromFormat(date, DATE_TIME_FORMAT, { zone: 'utc' })
        .plus({ seconds })
        .toFormat(DATE_TIME_FORMAT);

/** Computes local dates without an offset, as the service shows them. When daylight saving ends, one hour repeats. */
export class ServiceClock {
  private readonly zone: IANAZone;

  constructor(timeZone: string) {
    this.zone = IANAZone.create(timeZone);
  }

  formatTime(ms: number): string {
    return DateTime.fromMillis(ms, { zone: this.zone }).toFormat(DATE_TIME_FORMAT);
  }

  /**
   * Finds the latest date that the clock of the service has shown until `now`. It is later than the present date if the
   * clock was set back in the last day (end of daylight saving time).
   */
  findLatestClockDate(now: number): string {
    return addSeconds(this.formatTime(now), this.getClockSetback(now - DAY_MS, now));
  }

  /** Returns `floor`, or an earlier date if the service's clock was set back after `floor`, or in the day before it. */
  findReadStartDate(floor: string, now: number): string {
    return addSeconds(floor, -this.getClockSetback(Date.parse(`${floor.replace(' ', 'T')}Z`) - DAY_MS, now));
  }

  /** Returns the seconds by which the clock was set back. `from` and `to` are milliseconds of Unix time. */
  private getClockSetback(from: number, to: number): number {
    return Math.max(0, this.zone.offset(from) - this.zone.offset(to)) * 60;
  }

  /**
   * With the right Service Time Zone, nothing was created in the future.
   * @throws InputError for a date more than 10 minutes in the future
   */
  ensureNoFutureDates(created: unknown[], now: number): void {
    const latest = addSeconds(this.findLatestClockDate(now), CLOCK_TOLERANCE_SECONDS);
    const future = created.map(readCreatedAt).find((date) => date > latest);
    if (future === undefined) return;
    throw new InputError(
      `The service has written ${future} as a creation date, but in the time zone ${this.zone.name} it is ${this.formatTime(now)} now`,
      'Open the Record Database API credential and give the time zone in which the service writes "created_at" under Service Time Zone. If it is right, correct the clock of n8n or of the service.',
    );
  }
}
