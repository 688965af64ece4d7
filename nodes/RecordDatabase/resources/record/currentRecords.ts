import type { Client } from '../../../client';
import { recordEndpoints } from '../../../client/endpoints/catalogue';
import { isServiceNotFound } from '../../../client/errors/apiError';
import { KEYS_PER_REQUEST } from '../../../client/records/upsert';
import type { ServiceRecord } from '../../../client/responses/records';

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
  /** When the records were requested, in milliseconds of the process clock, if nothing was written since. */
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
export class CurrentRecords {
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
   * Returns a record as it is now, or undefined when it no longer exists. Call it about in the order of the records.
   * @param index its position in the list of records
   * @throws ApiError
   */
  async get(index: number): Promise<ServiceRecord | undefined> {
    const record = this.records[index] as ServiceRecord;
    const batch = this.isCurrent(index) ? (this.batch as Batch) : (this.batch = this.startBatch(index));
    return (await batch.found).get(record.id);
  }

  private isOutdated({ readAt }: Batch): boolean {
    return readAt !== undefined && this.client.clock.now() - readAt > MAX_AGE_MS;
  }

  private startBatch(index: number): Batch {
    const records = this.records.slice(index, index + KEYS_PER_REQUEST);
    const batch: Batch = { records: new Set(records), found: this.readBatch(records) };
    const setTime = () => (batch.readAt = this.client.clock.now());
    batch.found.then(setTime, setTime);
    return batch;
  }

  private async readBatch(records: ServiceRecord[]): Promise<Map<string, ServiceRecord>> {
    const wanted = new Set(records.map(({ id }) => id));
    const listed = await this.recheck.read(records);
    const found = new Map(listed.filter(({ id }) => wanted.has(id)).map((record) => [record.id, record]));
    const missing = records.filter(({ id }) => !found.has(id));
    for (const record of await Promise.all(missing.map(({ id }) => this.readOne(id))))
      if (record) found.set(record.id, record);
    return found;
  }

  private async readOne(recordId: string): Promise<ServiceRecord | undefined> {
    const path = { dataTableId: this.tableId, recordId };
    const answer = await this.client.call(recordEndpoints.get, { path }).catch((error: unknown) => error);
    if (isServiceNotFound(answer)) return undefined;
    if (answer instanceof Error) throw answer;
    return { ...(answer as { body: { item: ServiceRecord } }).body.item, id: recordId };
  }
}
