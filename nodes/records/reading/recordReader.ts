/** Finds the records of a table by their IDs or by keys. */
import { groupBy, uniq } from 'lodash';
import {
  asThrown,
  type Client,
  ignoreNotFound,
  isNotFoundByService,
  isValueRefusal,
  mapSteps,
  MAX_PAGE_SIZE,
  memory,
  type RecordList,
  RequestCache,
  Semaphore,
  type ServiceRecord,
} from '../../service';
import type { Table } from '../fields/table';
import {
  buildKeyFilter,
  createUnrelatedRecordError,
  splitKeysIntoBatches,
  findUnrelatedRecord,
  listKeySpellings,
  type KeySpelling,
} from './keyFilter';
import {
  createSimilarKeyError,
  describeKey,
  KeyIndex,
  type KeyMatches,
  type MatchKey,
  listRecordKeys,
  joinPayloadKeys,
} from './matchKey';
import { readRecordPage, readAllRecords, readRecord } from './readRecords';
import { ensureComparedFieldsExist } from './tables';

/** The `readAt` of a record that must be read again before it is written. */
export const ALWAYS_OUTDATED = -Infinity;

/** A record and the time of its request, in milliseconds of the client's clock. */
export interface DatedRecord {
  record: ServiceRecord;
  readAt: number;
}

/**
 * Maximum number of pages that are read in place of single records: half of the 60 requests a minute that the
 * smallest plan allows (evidence 16).
 */
const MAX_PAGES_FOR_SINGLE_RECORDS = 30;

/** `all` is undefined until all records are requested. */
interface TablePages {
  readAt: number;
  first: Promise<RecordList>;
  all?: Promise<ServiceRecord[]>;
}

interface RecordReadOptions {
  /**
   * Lists all IDs that the caller will read. The pages of the table are read if they take fewer requests. By
   * default, the record is read alone.
   */
  listIds?: () => string[];
  /** Maximum age of a cached record or page, in milliseconds. */
  maxAgeMs?: number;
  maxPages?: number;
}

/**
 * Finds records of one table by IDs or keys. The service has no filter on IDs (spec: Filters), so records are read one
 * by one, or from the pages of the table if that takes fewer requests. A record is cached until it is written.
 * @example
 * const ids = ['K7pQ2xW9Lm', '3MPEYTfLaR', '1ZNjMQgXca'];
 * const reader = getReader(client, table);
 * await reader.getRecord(ids[0], { listIds: () => ids }); // { record: { … }, readAt: 5120 }: one request for all three in a small table
 */
export class RecordReader {
  private readonly readings = new Map<string, DatedRecord>();
  private readonly pendingReads = new Map<string, Promise<DatedRecord>>();
  /** The errors for IDs without a record, and for IDs that the service refuses. */
  private readonly errorsById = new Map<string, unknown>();
  /** When each record was last written, by ID. A page that was requested earlier may show the old values. */
  private readonly writeTimes = new Map<string, number>();
  private pages?: TablePages;
  /** The number of pages of the table, and 1 until it is known. Infinity after a failed reading of the pages. */
  private pageCount = 1;
  /** Number of records that were read one by one. It is also the estimate of how many more will be read. */
  private singleReads = 0;
  /** Number of requests for single records and pages. Searches for keys are not counted. */
  requestCount = 0;
  /** The results of searches for keys, by `MatchKey.cacheKey`. */
  private readonly keyResults = new RequestCache<KeyResult>();
  /** As `keyResults`, for names of connected records. `uncacheRecordNames` removes the names of a new record. */
  private readonly nameResults = new RequestCache<KeyResult>();
  /** The fields in which names of connected records were looked up. The key is the result of `joinPayloadKeys`. */
  private readonly namingFields = new Map<string, MatchKey['refs']>();
  private readonly keyBatches = new RequestCache<MatchKey[]>();

  constructor(
    private readonly client: Client,
    private readonly table: Table,
  ) {}

  isCached(id: string, maxAgeMs = Infinity): boolean {
    return this.isRecent(this.readings.get(id)?.readAt, maxAgeMs);
  }

  /** @throws ApiError for a failed request, with status 404 if there is no such record */
  async getRecord(id: string, options: RecordReadOptions = {}): Promise<DatedRecord> {
    const { listIds, maxAgeMs = Infinity } = options;
    if (this.errorsById.has(id)) throw asThrown(this.errorsById.get(id));
    if (listIds && !this.isCached(id, maxAgeMs)) await this.readPagesIfFewer(listIds(), options);
    const known = this.readings.get(id);
    return known && this.isRecent(known.readAt, maxAgeMs)
      ? known
      : (this.pendingReads.get(id) ?? this.requestRecord(id));
  }

  /** Reads the records that still exist. @throws ApiError for a failed request */
  async findRecords(ids: string[], options: Omit<RecordReadOptions, 'listIds'> = {}): Promise<DatedRecord[]> {
    const found = await mapSteps(ids, this.client.concurrency, (id) =>
      this.getRecord(id, { ...options, listIds: () => ids }).catch(ignoreNotFound),
    );
    return found.filter((one) => one !== undefined);
  }

  /** Reads one record with a request of its own, even if it is cached. @throws ApiError as `readRecord` does */
  requestRecord(id: string): Promise<DatedRecord> {
    const readAt = this.client.clock.now();
    this.requestCount++;
    this.singleReads++;
    const reading = readRecord(this.client, this.table.id, id, { table: this.table })
      .then((record) => this.cacheRecordIfNewer({ record, readAt }))
      .catch((error: unknown) => {
        if (isNotFoundByService(error) || isValueRefusal(error)) this.errorsById.set(id, error);
        throw asThrown(error);
      })
      .finally(() => this.pendingReads.delete(id));
    this.pendingReads.set(id, reading);
    return reading;
  }

  /** Removes a record from the cache after it was written. */
  uncacheRecord(id: string): void {
    this.readings.delete(id);
    this.pendingReads.delete(id);
    this.writeTimes.set(id, this.client.clock.now());
  }

  /** Removes all cached records and pages after the fields of the table have changed. */
  clearCache(): void {
    this.readings.clear();
    this.pages = undefined;
  }

  /**
   * Reads the first page, and then the remaining pages if `isWorthReading` returns true.
   * @returns undefined if `isWorthReading` returns false, or after a failed request
   */
  async readAllPages(isWorthReading: (pageCount: number) => boolean, maxAgeMs: number) {
    const known = this.isRecent(this.pages?.readAt, maxAgeMs) ? this.pages : undefined;
    const pages = known ?? this.requestFirstPage();
    this.pages = pages;
    try {
      const firstPage = await pages.first;
      if (!pages.all && !isWorthReading(this.pageCount)) return undefined;
      pages.all ??= this.readRemainingPages(pages.readAt, firstPage);
      return { records: await pages.all, readAt: pages.readAt };
    } catch {
      // A request has failed, or the list changed during the reading. From now on, no pages are read.
      this.pages = undefined;
      this.pageCount = Infinity;
      return undefined;
    }
  }

  private requestFirstPage(): TablePages {
    const { client, table } = this;
    const readAt = client.clock.now();
    const first = readRecordPage(client, { tableId: table.id, table }, 1, MAX_PAGE_SIZE).then((list) => {
      this.pageCount = countPages(list);
      this.cacheRecords(list.items, readAt);
      return list;
    });
    this.requestCount++;
    return { readAt, first };
  }

  private async readRemainingPages(readAt: number, firstPage: RecordList): Promise<ServiceRecord[]> {
    const { client, table } = this;
    this.requestCount += this.pageCount - 1;
    const query = { tableId: table.id, table, firstPage };
    return this.cacheRecords(await readAllRecords(client, query), readAt);
  }

  /** Returns `reading`. Caches it unless the record was written or read later. */
  private cacheRecordIfNewer(reading: DatedRecord): DatedRecord {
    const { id } = reading.record;
    const latest = Math.max(this.writeTimes.get(id) ?? -Infinity, this.readings.get(id)?.readAt ?? -Infinity);
    if (reading.readAt > latest) this.readings.set(id, reading);
    return reading;
  }

  private cacheRecords(records: ServiceRecord[], readAt: number): ServiceRecord[] {
    for (const record of records) this.cacheRecordIfNewer({ record, readAt });
    return records;
  }

  private isRecent(readAt: number | undefined, maxAgeMs: number): boolean {
    return readAt !== undefined && this.client.clock.now() - readAt <= maxAgeMs;
  }

  private async readPagesIfFewer(
    ids: string[],
    { maxAgeMs = Infinity, maxPages = MAX_PAGES_FOR_SINGLE_RECORDS }: RecordReadOptions,
  ): Promise<void> {
    const countLeft = () => uniq(ids).filter((id) => !this.isCached(id, maxAgeMs)).length + this.singleReads;
    const hasPages = this.isRecent(this.pages?.readAt, maxAgeMs);
    // Only the first page shows the number of pages. It is requested if at least three records are to be read.
    if (!hasPages && (this.pageCount > maxPages || countLeft() <= Math.max(this.pageCount, 2))) return;
    await this.readAllPages((count) => count <= maxPages && countLeft() >= count, maxAgeMs);
  }

  /**
   * Looks up the keys that have no cached result.
   * @param options `isFresh`: looks up all keys. `isName`: the keys are names of connected records
   * @returns the result for each key, by `MatchKey.cacheKey`
   */
  async findByKeys(
    keys: MatchKey[],
    { isFresh = false, isName = false } = {},
  ): Promise<Map<string, KeyResult>> {
    const results = isName ? this.nameResults : this.keyResults;
    if (isName) for (const { refs } of keys) this.namingFields.set(joinPayloadKeys(refs), refs);
    if (isFresh) for (const { cacheKey } of keys) results.delete(cacheKey);
    const unknown: MatchKey[] = [];
    // The request starts after all keys of this call have been collected in `unknown`.
    const request = Promise.resolve().then(() => this.searchByKeys(unknown, { isFresh }));
    const entries = keys.map(async (key): Promise<[string, KeyResult]> => {
      const answer = results.get(key.cacheKey, async () => {
        unknown.push(key);
        return (await request).get(key.cacheKey)!;
      });
      return [key.cacheKey, await answer];
    });
    return new Map(await Promise.all(entries));
  }

  /**
   * Looks up the key and all keys of the batch in one request. After a failure, the next call repeats the request.
   * @throws ApiError for a failed request
   * @throws ApiError for a record whose key differs only in case
   * @throws ApiError for an unrelated record: the service ignored the filter, so a record with the key may exist
   */
  async findByKey(key: MatchKey, { batch, isOutdated = () => false }: FindOptions = {}): Promise<KeyResult> {
    const keys = batch && (await this.keyBatches.get(String(batch.name), () => batch.listKeys()));
    const known = keys && (await this.findByKeys([key, ...keys])).get(key.cacheKey);
    const answer =
      known && (known.error !== undefined || !isOutdated(known.requestedAt))
        ? known
        : (await this.searchByKeys([key], { isFresh: true })).get(key.cacheKey)!;
    if (answer.error !== undefined) throw asThrown(answer.error);
    const [similar] = answer.similar;
    if (similar) throw createSimilarKeyError(key, similar.id, describeKey(similar, key));
    return answer;
  }

  /** Caches the created record, or the error after which the record may exist. An update reads the record again. */
  async cacheKeyResult({ cacheKey }: MatchKey, known: Partial<KeyResult>): Promise<void> {
    const answer = { records: [], similar: [], requestedAt: ALWAYS_OUTDATED, ...known };
    for (const results of [this.keyResults, this.nameResults]) {
      results.delete(cacheKey);
      await results.get(cacheKey, () => Promise.resolve(answer));
    }
  }

  /** Removes the results for the names of a new record, because another record may have the same name. */
  uncacheRecordNames(record: ServiceRecord): void {
    for (const refs of this.namingFields.values())
      for (const { cacheKey } of listRecordKeys(record, refs)) this.nameResults.delete(cacheKey);
  }

  /**
   * Looks up all keys, in the pages of the table if they take fewer requests. Does not use cached results.
   * @returns the result for each key, by `MatchKey.cacheKey`. `error` is set for a key that the service
   * refused, or for which it returned records with other keys
   */
  async searchByKeys(keys: MatchKey[], search: KeySearchOptions = {}): Promise<Map<string, KeyResult>> {
    const groups = Object.values(groupBy(keys, ({ refs }) => joinPayloadKeys(refs)));
    const answers = await Promise.all(groups.map((group) => this.searchGroup(group, search)));
    return new Map(answers.flatMap((map) => [...map]));
  }

  private async searchGroup(
    keys: MatchKey[],
    { limit, isFresh = false, startsWithPage = false }: KeySearchOptions,
  ): Promise<Map<string, KeyResult>> {
    const { client, table } = this;
    const refs = keys[0]?.refs ?? [];
    const spellings = keys.flatMap(listKeySpellings);
    const searchedAt = client.clock.now();
    const count = splitKeysIntoBatches(client, spellings).length;
    const readsPage = (startsWithPage || count > 1) && this.pageCount < Infinity;
    const maxAgeMs = isFresh ? -1 : MAX_READ_AGE_MS;
    const isFewer = (pageCount: number) => pageCount <= count;
    const pages = readsPage ? await this.readAllPages(isFewer, maxAgeMs) : undefined;
    const listed = new Map<string, ServiceRecord>();
    const errors = new Map<MatchKey, unknown>();
    const semaphore = new Semaphore(client.concurrency);
    /** @returns an error if it is not clear which records have the keys of the batch */
    const read = async (batch: KeySpelling[]): Promise<unknown> => {
      const query = { tableId: table.id, filters: buildKeyFilter(batch), isCompared: true, limit } as const;
      try {
        const found = await semaphore.runTask(() => readAllRecords(client, query));
        for (const record of found) listed.set(record.id, record);
        const unrelated = findUnrelatedRecord(found, batch);
        return unrelated && createUnrelatedRecordError(batch[0]!.key, unrelated);
      } catch (error) {
        if (!isValueRefusal(error)) throw asThrown(error);
        return error;
      }
    };
    const search = async (batch: KeySpelling[]): Promise<void> => {
      const error = await read(batch);
      if (error === undefined) return;
      // The other keys of a failed batch may still be found, so each is looked up alone.
      if (batch.length > 1) await Promise.all(batch.map((one) => search([one])));
      else errors.set(batch[0]!.key, error);
    };
    const fields = refs.map(({ field }) => field);
    if (pages) await ensureComparedFieldsExist(client, table, fields, pages.records);
    else await Promise.all(splitKeysIntoBatches(client, spellings).map(search));
    // Results from pages have the time of the pages, because records may have changed since then.
    const requestedAt = pages?.readAt ?? searchedAt;
    const index = new KeyIndex(pages?.records ?? [...listed.values()], refs);
    return new Map(
      keys.map((key): [string, KeyResult] => {
        const found = index.findMatches(key);
        const error = found.records.length === 0 ? errors.get(key) : undefined;
        return [key.cacheKey, { ...found, requestedAt, ...(error !== undefined && { error }) }];
      }),
    );
  }
}

/** Divides by the length of the first page, which may have fewer records than were requested (evidence 16). */
const countPages = ({ items, total_items: total }: RecordList): number =>
  items.length < total ? Math.ceil(total / items.length) : 1;

/** `requestedAt` is in milliseconds of the client's clock. */
export interface KeyResult extends KeyMatches {
  requestedAt: number;
  /** The error that leaves unknown whether a record has the key. */
  error?: unknown;
}

interface KeySearchOptions {
  /** The maximum number of records that one request returns. */
  limit?: number;
  /** Whether the pages are requested again if they are cached. */
  isFresh?: boolean;
  /** Whether the first page is read before a search. If it has all records, keys are found in it in any spelling. */
  startsWithPage?: boolean;
}

/** The keys of several items, which are looked up by one request. */
export interface KeyBatch {
  name: string | number;
  listKeys(): Promise<MatchKey[]>;
}

interface FindOptions {
  batch?: KeyBatch;
  /** Whether a record with the key may have been created since `requestedAt`. The key is then looked up alone. */
  isOutdated?(requestedAt: number): boolean;
}

/** Maximum age of a record that is written or deleted, and of pages in which keys are looked up, in milliseconds. */
export const MAX_READ_AGE_MS = 60_000;

class RunCache {
  readonly readers = new Map<string, RecordReader>();
  /** The records that the run has created, by the hashes of their keys. A look-up by key may not find them yet. */
  readonly createdByKey = new Map<string, { key: MatchKey; id: string }>();
  /** Whether the last write returned its record. If so, IDs to connect are checked after the next write, not before. */
  lastWriteReturnedRecord = false;
  /** Number of requests for texts of connected records. */
  textRequestCount = 0;
  /** Connections whose texts cannot be read. Each entry is the result of `createConnectionKey` as JSON. */
  readonly unnamedConnections = new Set<string>();
}

export const getRunCache = memory.attach<Client, RunCache>(
  'runReadings',
  { to: 'client', holds: 'the records that a run has read, or created for keys' },
  () => new RunCache(),
);

/** Returns the reader of a table. All code of a run shares the reader and its cache. */
export function getReader(client: Client, table: Table): RecordReader {
  const { readers } = getRunCache(client);
  const reader = readers.get(table.id) ?? new RecordReader(client, table);
  readers.set(table.id, reader);
  return reader;
}
