import {
  asThrown,
  type Client,
  explainUncertainWrite,
  InputError,
  isAlreadyDone,
  isNotFoundByService,
  joinFirst,
  type LiveBody,
  MAX_PAGE_SIZE,
  mayHaveChanged,
  recordEndpoints,
  REPEAT_IS_SAFE,
  runMany,
  type ServiceRecord,
} from '../../service';
import type { Table } from '../fields/table';
import { buildMatcher } from '../filter/buildFilter';
import type { FilterGroup } from '../filter/tree';
import { KEYS_PER_REQUEST } from '../reading/findByValues';
import { fetchRecordPage, readRecord } from '../reading/readRecords';

/** Milliseconds after which a record is read again before its deletion is sent. */
const MAX_AGE_MS = 5_000;

/** How records are read again just before they are deleted, and which of them may still be deleted. */
export interface Recheck {
  /**
   * Reads the records with one request. The spec has no filter on IDs, so the answer may lack some of them and have
   * others. Those that it lacks are read one by one.
   */
  read(records: ServiceRecord[]): Promise<ServiceRecord[]>;
  mayDelete(record: ServiceRecord): boolean;
  /** Why a record is not deleted any more, for a hint. */
  reason: string;
  /** When the records were requested, in milliseconds of the client's clock, if nothing was written since. */
  readAt?: number;
}

interface Batch {
  records: Set<ServiceRecord>;
  /** The records as they are now, by ID. A record that no longer exists is missing. */
  found: Promise<Map<string, ServiceRecord>>;
  /** When the request was answered. Undefined until then. */
  readAt?: number;
}

/**
 * The records of a deletion as they are now. A deletion of many records takes minutes under the rate limit, and a record
 * may change meanwhile. They are read in batches of 50, and again where 5 seconds have passed when the rate limit admits
 * the deletion.
 */
class CurrentRecords {
  private batch?: Batch;

  constructor(
    private readonly client: Client,
    private readonly tableId: string,
    private readonly records: ServiceRecord[],
    private readonly recheck: Recheck,
  ) {
    const { readAt } = recheck;
    if (readAt === undefined) return;
    const first = records.slice(0, KEYS_PER_REQUEST);
    const found = new Map(first.map((record) => [record.id, record]));
    this.batch = { records: new Set(first), found: Promise.resolve(found), readAt };
  }

  /** Whether the last reading of a record is recent enough for its deletion. */
  isCurrent(index: number): boolean {
    const record = this.records[index] as ServiceRecord;
    return this.batch?.records.has(record) === true && !this.isOutdated(this.batch);
  }

  /**
   * Reads a record as it is now; undefined if it no longer exists. It reads the next 50 records with the same request, so
   * call it about in the order of the records.
   * @param index its position in the list of records
   * @throws ApiError
   */
  async get(index: number): Promise<ServiceRecord | undefined> {
    const record = this.records[index] as ServiceRecord;
    const batch = this.isCurrent(index) ? (this.batch as Batch) : (this.batch = this.startBatch(index));
    return (await batch.found).get(record.id);
  }

  private isOutdated({ readAt = Infinity }: Batch): boolean {
    return this.client.clock.now() - readAt > MAX_AGE_MS;
  }

  private startBatch(index: number): Batch {
    const records = this.records.slice(index, index + KEYS_PER_REQUEST);
    const batch: Batch = { records: new Set(records), found: this.readBatch(records) };
    const setTime = () => (batch.readAt = this.client.clock.now());
    batch.found.then(setTime, setTime);
    return batch;
  }

  private async readBatch(records: ServiceRecord[]): Promise<Map<string, ServiceRecord>> {
    const listed = await this.recheck.read(records);
    const found = new Map(listed.map((record) => [record.id, record]));
    const missing = records.filter(({ id }) => !found.has(id));
    for (const record of await Promise.all(
      missing.map(({ id }) => findRecord(this.client, this.tableId, id)),
    ))
      if (record) found.set(record.id, record);
    return found;
  }
}

/** Reads a record. Undefined when the service states that it no longer exists. */
const findRecord = (client: Client, tableId: string, recordId: string): Promise<ServiceRecord | undefined> =>
  readRecord(client, tableId, recordId).catch((error: unknown) => {
    if (isNotFoundByService(error)) return undefined;
    throw asThrown(error);
  });

type RecordPath = Record<'dataTableId' | 'recordId', string>;

/** Whether a record no longer exists after a delete request whose outcome is unknown. */
async function isRecordDeleted(client: Client, path: RecordPath, error: Error): Promise<boolean> {
  if (!mayHaveChanged(error)) return false;
  const found = findRecord(client, path.dataTableId, path.recordId);
  return (await found.catch(() => 'unknown')) === undefined;
}

/** @param liveBody decides when the rate limit admits the deletion whether it is still wanted; what it throws is thrown */
async function sendDelete(client: Client, path: RecordPath, liveBody?: LiveBody): Promise<void> {
  const result = await client
    .call(recordEndpoints.delete, { path, liveBody })
    .catch((error: unknown) => error);
  if (result instanceof Error && !isAlreadyDone(result) && !(await isRecordDeleted(client, path, result)))
    throw explainUncertainWrite(result, REPEAT_IS_SAFE);
}

/**
 * Deletes one record. When the answer is lost, it checks whether the record still exists.
 * @example
 * await client.records.delete(table.id, 'K7pQ2xW9Lm');
 * @throws ApiError with status 404 if there is no such record; it states whether the record may have been deleted
 */
export const deleteRecord = (client: Client, dataTableId: string, recordId: string): Promise<void> =>
  sendDelete(client, { dataTableId, recordId });

interface Deletion {
  outcome: 'deleted' | 'notFound' | 'kept';
  /** The record as it was last read. */
  record: ServiceRecord;
}

/** Thrown to end the call of a deletion that is not sent, or not sent again. */
class Settled extends Error {
  constructor(readonly deletion: Deletion) {
    super();
  }
}

/** The deletion of one record. It is sent only if the record was read in the last 5 seconds, and may be deleted. */
class CheckedDeletion implements LiveBody {
  private latest: ServiceRecord;

  constructor(
    private readonly index: number,
    planned: ServiceRecord,
    private readonly current: CurrentRecords,
    private readonly recheck: Recheck,
  ) {
    this.latest = planned;
  }

  isCurrent(): boolean {
    return this.current.isCurrent(this.index);
  }

  async create(isRepeated: boolean): Promise<undefined> {
    const found = await this.current.get(this.index);
    // An earlier attempt that may have been carried out has deleted a record that is gone.
    if (!found) throw new Settled({ outcome: isRepeated ? 'deleted' : 'notFound', record: this.latest });
    this.latest = found;
    if (!this.recheck.mayDelete(found)) throw new Settled({ outcome: 'kept', record: found });
  }

  /** Deletes the record, unless it no longer exists or may no longer be deleted. */
  async run(client: Client, dataTableId: string): Promise<Deletion> {
    try {
      await sendDelete(client, { dataTableId, recordId: this.latest.id }, this);
      return { outcome: 'deleted', record: this.latest };
    } catch (error) {
      if (error instanceof Settled) return error.deletion;
      if (isNotFoundByService(error)) return { outcome: 'notFound', record: this.latest };
      throw asThrown(error);
    }
  }
}

/** What became of a record, as it was last read: `notFound` when it no longer existed, `kept` when it changed. */
export type DeletionResult =
  | { action: Deletion['outcome']; record: ServiceRecord }
  | { action: 'failed'; record: ServiceRecord; error: unknown };

interface DeletionRun {
  tableId: string;
  records: ServiceRecord[];
  recheck: Recheck;
  /** Whether the others are deleted after a failure. */
  continuesOnFail?: boolean;
}

/**
 * Deletes records, several at once. Each is read again shortly before. One that may no longer be deleted is kept, and a
 * hint lists it.
 * @returns what became of each record. Those that were not reached after a failure are missing
 * @example
 * const recheck = createFilterRecheck(client, table, filters, client.clock.now());
 * const records = await client.records.readAll({ tableId: table.id, filters });
 * await client.records.deleteMany({ tableId: table.id, records, recheck });
 * // [{ action: 'deleted', record: { id: 'K7pQ2xW9Lm', … } }, { action: 'failed', record: …, error: ApiError }]
 * @throws nothing: a failure is in the result of its record
 */
export async function deleteRecords(
  client: Client,
  { tableId, records, recheck, continuesOnFail = false }: DeletionRun,
): Promise<DeletionResult[]> {
  const current = new CurrentRecords(client, tableId, records, recheck);
  const steps = records.map((record, index) => ({ record, index }));
  const { concurrency, notices } = client;
  const done = await runMany(
    steps,
    {
      concurrency,
      continuesOnFail,
      onEnd: (count) => notices.reportProgress(() => `${count} of ${steps.length} records done`),
    },
    ({ record, index }) => new CheckedDeletion(index, record, current, recheck).run(client, tableId),
  );
  const results = done.flatMap(({ step, value, error }): DeletionResult[] => {
    if (value) return [{ action: value.outcome, record: value.record }];
    return error === undefined ? [] : [{ action: 'failed', record: step.record, error }];
  });
  const kept = results.filter(({ action }) => action === 'kept').map(({ record }) => record);
  if (kept.length > 0) {
    client.notices.addHint(
      `${kept.length} of ${records.length} records were not deleted, because they changed during the run and ${recheck.reason}: ${formatIds(kept)}`,
    );
  }
  return results;
}

/** Creates the check of deletions by a filter: a record that no longer matches is kept. @throws InputError as `createMatcher` does */
export const createFilterRecheck = (
  client: Client,
  table: Table,
  filters: FilterGroup,
  readAt: number,
): Recheck => ({
  // The records of earlier batches are deleted, so those of this batch are on the first page.
  read: async () => (await fetchRecordPage(client, { tableId: table.id, filters }, 1, MAX_PAGE_SIZE)).items,
  mayDelete: createMatcher(client, filters, table),
  reason: 'no longer match the filter',
  readAt,
});

/** Lists the IDs of records for a message, at most five of them. */
export const formatIds = (records: ServiceRecord[]): string =>
  joinFirst(
    records.map(({ id }) => id),
    ', ',
    5,
  );

/**
 * Creates the local check of a filter. "Today" is that of the service.
 * @throws InputError when only the service can evaluate the filter
 */
export const createMatcher = (
  { serviceTimeZone: timeZone }: Client,
  filters: FilterGroup,
  table: Table,
): ((record: ServiceRecord) => boolean) => buildMatcher(filters, table, { timeZone, now: new Date() });

/**
 * Checks each record against a filter before the first one is deleted. The service silently ignores a condition
 * that it does not understand, and then returns records that must not be deleted (spec: Filters).
 * @throws InputError when a record does not match, or only the service can evaluate the filter
 */
export function ensureMatch(
  client: Client,
  records: ServiceRecord[],
  filters: FilterGroup,
  table: Table,
): void {
  const matches = createMatcher(client, filters, table);
  const strays = records.filter((record) => !matches(record));
  if (strays.length === 0) return;
  throw new InputError(
    `The service returned ${strays.length} records that do not match the filter: ${formatIds(strays)}`,
    'Nothing was deleted. The service may ignore or evaluate a condition in another way. Use other conditions, and check the records with Get Many.',
  );
}
