/**
 * The records of one table that a run reads by their IDs. Everything in a run that reads single records shares them:
 * `getRecordsById` returns those of a client.
 */
import { range } from 'lodash';
import {
  asThrown,
  type Client,
  isNotFoundByService,
  isRefusedValue,
  MAX_PAGE_SIZE,
  memory,
  type RecordList,
  type ServiceRecord,
} from '../../service';
import type { Table } from '../fields/table';
import { fetchRecordPage, readRecord } from './readRecords';

/**
 * The time of a reading whose values must not be used: the record is read again before it is written. Times of readings
 * are milliseconds of the client's clock.
 */
export const READ_AGAIN = -Infinity;

/** A record, and when it was requested, in milliseconds of the client's clock: `READ_AGAIN` if its values must not be used. */
export interface DatedRecord {
  record: ServiceRecord;
  readAt: number;
}

/**
 * The smallest plan that was met allows 60 requests a minute (evidence 16). With more pages than half of them, too little
 * of a minute is left for what the records are read for.
 */
const MAX_PAGES = 30;

interface SharedReading {
  /** Lists the IDs that are going to be read, this one among them. By default there are no others. */
  listIds?: () => string[];
  /** How old a reading may be, in milliseconds. */
  maxAgeMs?: number;
  /** How many pages may be read. */
  maxPages?: number;
}

/**
 * Reads records of one table by their IDs: one by one, or the pages of the table, whichever takes fewer requests. The service
 * has no filter on IDs (spec: Filters). A reading is kept until the record is written.
 * @example
 * const ids = ['K7pQ2xW9Lm', '3MPEYTfLaR', '1ZNjMQgXca'];
 * const records = getRecordsById(client, table);
 * await records.read(ids[0], { listIds: () => ids }); // { record: { … }, readAt: 5120 }: one request for all three in a small table
 */
export class RecordsById {
  private readonly readings = new Map<string, DatedRecord>();
  private readonly pending = new Map<string, Promise<DatedRecord>>();
  /** The answers about records that do not exist. */
  private readonly missing = new Map<string, unknown>();
  /** When each record was written last. An older page may hold its earlier values. */
  private readonly writes = new Map<string, number>();
  /** When each page was requested. */
  private readonly pages = new Map<number, number>();
  /** The number of pages of the table, as the first one showed it. */
  private pageCount = 1;
  private listing?: Promise<void>;
  /** Number of records that were read alone. As many may come as there were. */
  private aloneCount = 0;
  /** Number of requests so far. */
  requestCount = 0;

  constructor(
    private readonly client: Client,
    private readonly table: Table,
  ) {}

  /** Whether a record is at hand, so that no request is needed. */
  holds(id: string, maxAgeMs = Infinity): boolean {
    return this.isRecent(this.readings.get(id)?.readAt, maxAgeMs);
  }

  /** Reads one record, or returns what was read. @throws ApiError as `readRecord` does: with status 404 if there is none */
  async read(id: string, options: SharedReading = {}): Promise<DatedRecord> {
    const { listIds, maxAgeMs = Infinity } = options;
    if (this.missing.has(id)) throw asThrown(this.missing.get(id));
    if (listIds && !this.holds(id, maxAgeMs) && this.isWorthListing(listIds(), options)) {
      // Callers at the same time share the pages. If these cannot be read, each record is read alone.
      this.listing ??= this.list(listIds(), options).finally(() => (this.listing = undefined));
      await this.listing.catch(() => (this.pageCount = Infinity));
    }
    const known = this.readings.get(id);
    return known && this.isRecent(known.readAt, maxAgeMs)
      ? known
      : (this.pending.get(id) ?? this.readAlone(id));
  }

  /** Reads one record now, with a request of its own. @throws ApiError as `readRecord` does */
  readAlone(id: string): Promise<DatedRecord> {
    const readAt = this.client.clock.now();
    this.requestCount++;
    this.aloneCount++;
    const reading = readRecord(this.client, this.table.id, id, { table: this.table })
      .then((record) => this.put({ record, readAt }))
      .catch((error: unknown) => {
        if (isNotFoundByService(error) || isRefusedValue(error)) this.missing.set(id, error);
        throw asThrown(error);
      })
      .finally(() => this.pending.delete(id));
    this.pending.set(id, reading);
    return reading;
  }

  /** Drops what was read of a record: it was written. */
  noteWrite(id: string): void {
    this.readings.delete(id);
    this.pending.delete(id);
    this.writes.set(id, this.client.clock.now());
  }

  /** Drops everything that was read: the fields of the table are others than the readings have. */
  clear(): void {
    this.readings.clear();
    this.pages.clear();
  }

  private put(reading: DatedRecord): DatedRecord {
    const { id } = reading.record;
    if (reading.readAt > (this.writes.get(id) ?? -Infinity)) this.readings.set(id, reading);
    return reading;
  }

  private isRecent(readAt: number | undefined, maxAgeMs: number): boolean {
    return readAt !== undefined && this.client.clock.now() - readAt <= maxAgeMs;
  }

  private listUnreadPages(maxAgeMs: number): number[] {
    return range(1, this.pageCount + 1).filter((page) => !this.isRecent(this.pages.get(page), maxAgeMs));
  }

  private countLeft(ids: string[], maxAgeMs: number): number {
    return new Set(ids.filter((id) => !this.holds(id, maxAgeMs))).size + this.aloneCount;
  }

  /** The first page is read to learn the number of pages, so it has to save more than one request of three. */
  private isWorthListing(
    ids: string[],
    { maxAgeMs = Infinity, maxPages = MAX_PAGES }: SharedReading,
  ): boolean {
    if (this.listing) return true;
    const pages = this.listUnreadPages(maxAgeMs);
    const cost = Math.max(pages.length, pages.includes(1) ? 2 : 0);
    return this.pageCount <= maxPages && pages.length > 0 && this.countLeft(ids, maxAgeMs) > cost;
  }

  private async list(
    ids: string[],
    { maxAgeMs = Infinity, maxPages = MAX_PAGES }: SharedReading,
  ): Promise<void> {
    if (!this.isRecent(this.pages.get(1), maxAgeMs)) this.pageCount = countPages(await this.listPage(1));
    const pages = this.listUnreadPages(maxAgeMs);
    if (this.pageCount <= maxPages && pages.length < this.countLeft(ids, maxAgeMs))
      await Promise.all(pages.map((page) => this.listPage(page)));
  }

  private async listPage(page: number): Promise<RecordList> {
    const { client, table } = this;
    const readAt = client.clock.now();
    this.requestCount++;
    this.pages.set(page, readAt);
    const list = await fetchRecordPage(client, { tableId: table.id, table }, page, MAX_PAGE_SIZE);
    for (const record of list.items) this.put({ record, readAt });
    return list;
  }
}

/** The number of pages of a list, by its first one. A page may have fewer records than were requested (evidence 16). */
export const countPages = ({ items, total_items: total }: RecordList): number =>
  items.length < total ? Math.ceil(total / items.length) : 1;

const getTables = memory.attached<Client, Map<string, RecordsById>>(
  'recordsById',
  { to: 'client', holds: 'the records that a run has read by their IDs' },
  () => new Map(),
);

/** The records of a table that a run has read by their IDs. */
export function getRecordsById(client: Client, table: Table): RecordsById {
  const tables = getTables(client);
  const records = tables.get(table.id) ?? new RecordsById(client, table);
  tables.set(table.id, records);
  return records;
}
