/**
 * The cache of the records that a run reads by their IDs, and of the pages of their table. All code that reads single
 * records in a run shares it. `getRecordsById` returns the cache of a client and a table.
 */
import { uniq } from 'lodash';
import {
  asThrown,
  type Client,
  isNotFoundByService,
  isRefusedValue,
  mapMany,
  MAX_PAGE_SIZE,
  memory,
  type RecordList,
  RequestCache,
  type ServiceRecord,
} from '../../service';
import type { Table } from '../fields/table';
import { fetchRecordPage, readAllRecords, readRecord } from './readRecords';

/**
 * Stands for the time of a read whose values must not be used: the record is read again before it is written. Read times
 * are milliseconds of the client's clock.
 */
export const READ_AGAIN = -Infinity;

/** A record, and when it was requested, in milliseconds of the client's clock: `READ_AGAIN` if its values must not be used. */
export interface DatedRecord {
  record: ServiceRecord;
  readAt: number;
}

/**
 * The smallest known plan allows 60 requests a minute (evidence 16). Reading more pages than half of that would leave too
 * few requests for the work that needs the records.
 */
const MAX_PAGES = 30;

/** The first page of a table, and all of its records if they were read. */
interface TablePages {
  readAt: number;
  first: Promise<RecordList>;
  all?: Promise<ServiceRecord[]>;
}

interface SharedReading {
  /** Lists the IDs that the caller will read, including this one. By default, only this one. */
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
  private pages?: TablePages;
  /** The number of pages of the table, as the first one showed it. */
  private pageCount = 1;
  /** Number of records that were read alone. The estimate assumes that as many will follow. */
  private aloneCount = 0;
  /** Number of requests so far. */
  requestCount = 0;

  constructor(
    private readonly client: Client,
    private readonly table: Table,
  ) {}

  /** Whether a record is cached, so that no request is needed. */
  holds(id: string, maxAgeMs = Infinity): boolean {
    return this.isRecent(this.readings.get(id)?.readAt, maxAgeMs);
  }

  /**
   * Reads one record, or returns the cached one.
   * @throws ApiError as `readRecord` does: with status 404 if there is none
   */
  async read(id: string, options: SharedReading = {}): Promise<DatedRecord> {
    const { listIds, maxAgeMs = Infinity } = options;
    if (this.missing.has(id)) throw asThrown(this.missing.get(id));
    if (listIds && !this.holds(id, maxAgeMs)) {
      // If the pages cannot be read, each record is read alone.
      await this.list(listIds(), options).catch(() => (this.pageCount = Infinity));
    }
    const known = this.readings.get(id);
    return known && this.isRecent(known.readAt, maxAgeMs)
      ? known
      : (this.pending.get(id) ?? this.readAlone(id));
  }

  /** Reads records of which some may no longer exist: these are left out. @throws ApiError as `readRecord` does otherwise */
  async readExisting(ids: string[], options: Omit<SharedReading, 'listIds'> = {}): Promise<DatedRecord[]> {
    const found = await mapMany(ids, this.client.concurrency, (id) =>
      this.read(id, { ...options, listIds: () => ids }).catch((error: unknown) => {
        if (!isNotFoundByService(error)) throw asThrown(error);
        return undefined;
      }),
    );
    return found.filter((one) => one !== undefined);
  }

  /** Reads one record now, with a separate request. @throws ApiError as `readRecord` does */
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

  /** Removes a record from the cache, because it was written. */
  noteWrite(id: string): void {
    this.readings.delete(id);
    this.pending.delete(id);
    this.writes.set(id, this.client.clock.now());
  }

  /** Removes all cached records, because the fields of the table have changed. */
  clear(): void {
    this.readings.clear();
    this.pages = undefined;
  }

  /**
   * Reads the first page of the table, and all others if that is worth their number. Callers share the pages.
   * @returns all records of the table, or undefined
   * @throws ApiError for a failed request
   */
  async readTable(
    isWorth: (pageCount: number) => boolean,
    maxAgeMs: number,
  ): Promise<ServiceRecord[] | undefined> {
    const known = this.isRecent(this.pages?.readAt, maxAgeMs) ? this.pages : undefined;
    const pages = known ?? this.openPages();
    this.pages = pages;
    try {
      const firstPage = await pages.first;
      if (!pages.all && !isWorth(this.pageCount)) return undefined;
      pages.all ??= this.readPages(pages.readAt, firstPage);
      return await pages.all;
    } catch (error) {
      if (this.pages === pages) this.pages = undefined;
      throw asThrown(error);
    }
  }

  private openPages(): TablePages {
    const { client, table } = this;
    const readAt = client.clock.now();
    const first = fetchRecordPage(client, { tableId: table.id, table }, 1, MAX_PAGE_SIZE).then((list) => {
      this.pageCount = countPages(list);
      this.putAll(list.items, readAt);
      return list;
    });
    this.requestCount++;
    return { readAt, first };
  }

  private async readPages(readAt: number, firstPage: RecordList): Promise<ServiceRecord[]> {
    const { client, table } = this;
    this.requestCount += this.pageCount - 1;
    const query = { tableId: table.id, table, firstPage };
    return this.putAll(await readAllRecords(client, query), readAt);
  }

  private put(reading: DatedRecord): DatedRecord {
    const { id } = reading.record;
    const latest = Math.max(this.writes.get(id) ?? -Infinity, this.readings.get(id)?.readAt ?? -Infinity);
    if (reading.readAt > latest) this.readings.set(id, reading);
    return reading;
  }

  private putAll(records: ServiceRecord[], readAt: number): ServiceRecord[] {
    for (const record of records) this.put({ record, readAt });
    return records;
  }

  private isRecent(readAt: number | undefined, maxAgeMs: number): boolean {
    return readAt !== undefined && this.client.clock.now() - readAt <= maxAgeMs;
  }

  /** Reads the pages of the table if they take fewer requests than the records that are left. */
  private async list(
    ids: string[],
    { maxAgeMs = Infinity, maxPages = MAX_PAGES }: SharedReading,
  ): Promise<void> {
    const countRemaining = () => uniq(ids).filter((id) => !this.holds(id, maxAgeMs)).length + this.aloneCount;
    const isOpen = this.isRecent(this.pages?.readAt, maxAgeMs);
    // The first page is read to learn the number of pages, so it has to save more than one request of three.
    if (!isOpen && (this.pageCount > maxPages || countRemaining() <= Math.max(this.pageCount, 2))) return;
    await this.readTable((count) => count <= maxPages && countRemaining() >= count, maxAgeMs);
  }
}

/** The number of pages of a list, by its first one. A page may have fewer records than were requested (evidence 16). */
const countPages = ({ items, total_items: total }: RecordList): number =>
  items.length < total ? Math.ceil(total / items.length) : 1;

/** What was found for a key, and when it was requested, in milliseconds of the client's clock. */
export interface KeyAnswer {
  records: ServiceRecord[];
  /** The records whose keys differ only in case, if no record has the key. */
  similar: ServiceRecord[];
  requestedAt: number;
  /** Why it is not known whether a record has the key. */
  error?: unknown;
}

/** The data that a run has read. Its items share it. */
class RunReadings {
  readonly tables = new Map<string, RecordsById>();
  /** Connected records by the key of their name. */
  readonly named = new RequestCache<ServiceRecord[]>();
  /** What was found for the keys of each batch of items. */
  readonly batches = new RequestCache<Map<string, KeyAnswer>>();
  /** Tables that were read again because a record lacked fields, by the table and by what was missing. */
  readonly tablesReadAgain = new Map<string, Promise<Table>>();
  /** Whether the last answer to a write contained the record, so that its connections can be compared. */
  showsWritten = false;
  /** Number of requests that read texts of connected records. */
  textRequests = 0;
  /** Connections without a field that has the texts of their records, or whose table may not be read. */
  readonly unnamed = new Set<string>();
}

export const getRun = memory.attached<Client, RunReadings>(
  'runReadings',
  { to: 'client', holds: 'the records that a run has read' },
  () => new RunReadings(),
);

/** The records of a table that a run has read by their IDs. */
export function getRecordsById(client: Client, table: Table): RecordsById {
  const { tables } = getRun(client);
  const records = tables.get(table.id) ?? new RecordsById(client, table);
  tables.set(table.id, records);
  return records;
}
