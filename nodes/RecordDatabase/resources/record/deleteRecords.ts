import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../../client';
import { recordEndpoints } from '../../../client/endpoints/catalogue';
import {
  REPEAT_IS_SAFE,
  explainUncertainWrite,
  isAlreadyDone,
  isNotFoundByService,
  mayHaveChanged,
} from '../../../client/errors/apiError';
import type { Table } from '../../../client/fields/table';
import { buildMatcher } from '../../../client/filter/buildFilter';
import type { FilterGroup } from '../../../client/filter/tree';
import type { LiveBody } from '../../../client/http/client';
import { InputError, asThrown } from '../../../client/input/inputError';
import { KEYS_PER_REQUEST } from '../../../client/records/upsert';
import type { ServiceRecord } from '../../../client/responses/schemas';
import type { Result, RunMode } from '../../../n8n/operation/operation';
import { runSteps } from '../../../n8n/operation/resume';
import { explainPartialRun, formatIds, keepOldRecords } from './recordOutputs';

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
    if (isNotFoundByService(answer)) return undefined;
    if (answer instanceof Error) throw answer;
    return { ...(answer as { body: { item: ServiceRecord } }).body.item, id: recordId };
  }
}

type RecordPath = Record<'dataTableId' | 'recordId', string>;

/** Whether a record no longer exists after a delete request whose outcome is unknown. */
async function isRecordDeleted(client: Client, path: RecordPath, error: Error): Promise<boolean> {
  if (!mayHaveChanged(error)) return false;
  return isNotFoundByService(
    await client.call(recordEndpoints.get, { path }).catch((failure: unknown) => failure),
  );
}

/**
 * Deletes one record. When a response is lost, it checks whether the record still exists.
 * @param liveBody decides when the rate limit admits the deletion whether it is still wanted; what it throws is thrown
 * @throws ApiError that states whether the record may have been deleted
 */
export async function sendDelete(client: Client, path: RecordPath, liveBody?: LiveBody): Promise<void> {
  const result = await client
    .call(recordEndpoints.delete, { path, liveBody })
    .catch((error: unknown) => error);
  if (result instanceof Error && !isAlreadyDone(result) && !(await isRecordDeleted(client, path, result)))
    throw explainUncertainWrite(result, REPEAT_IS_SAFE);
}

export const RESTORE = 'To restore deleted records, give them to the operation Create.';

interface Deletion {
  outcome: 'deleted' | 'notFound' | 'kept';
  /** The record as it was last read. */
  record: ServiceRecord;
}

/** Ends the deletion of a record that is not sent (again). */
class Settled extends Error {
  constructor(readonly deletion: Deletion) {
    super();
  }
}

/** Sends the deletion of a record only with a reading of the last seconds, after which it may still be deleted. */
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
    // After an attempt that may have been carried out, a record that is gone is one that was deleted.
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

/** What a deletion of several records does, and how it describes itself. */
interface DeletionRun {
  tableId: string;
  records: ServiceRecord[];
  recheck: Recheck;
  /** Says after a failure how far the run came. */
  describeProgress?(deletedCount: number, error: unknown): string;
}

/** Records are as they were last read. */
interface DeletionResults {
  /**
   * For each record that was not kept its values with `_action`: `deleted`, or `notFound` when it no longer existed; or a
   * failure with the values that are in no output.
   */
  results: Result[];
  deleted: ServiceRecord[];
  /** Records that changed during the run, so that they may no longer be deleted. */
  kept: ServiceRecord[];
}

/**
 * Deletes records, several at once. Each is read again shortly before; one that may no longer be deleted is kept, and a
 * hint names it.
 */
export async function deleteRecords(
  client: Client,
  mode: RunMode,
  { tableId, records, recheck, describeProgress }: DeletionRun,
): Promise<DeletionResults> {
  const current = new CurrentRecords(client, tableId, records, recheck);
  const steps = records.map((record, index) => ({ record, index }));
  const done = await runSteps(client, mode, steps, ({ record, index }) =>
    new CheckedDeletion(index, record, current, recheck).run(client, tableId),
  );
  const list = (wanted: Deletion['outcome']) =>
    done.flatMap(({ value }) => (value?.outcome === wanted ? value.record : []));
  const deleted = list('deleted');
  const kept = list('kept');
  if (kept.length > 0) {
    client.notices.addHint(
      `${kept.length} of ${records.length} records were not deleted, because they changed during the run and ${recheck.reason}: ${formatIds(kept)}`,
    );
  }
  const explain = (error: unknown) => {
    if (mode.continuesOnFail) return '';
    if (describeProgress) return describeProgress(deleted.length, error);
    return `${deleted.length} of ${records.length} records were deleted. A repeated run deletes the others. To go on after a failure, set "On Error" in the node's settings.`;
  };
  const results = done.flatMap(({ step: { record }, value, error }): Result[] => {
    if (value?.outcome === 'kept') return [];
    if (value) return [{ json: { ...value.record, _action: value.outcome } as IDataObject }];
    if (error === undefined) return [];
    const explained = explainPartialRun(error, explain(error), `Record ${record.id}`);
    const lost = [...(mode.continuesOnFail ? [] : deleted), ...(mayHaveChanged(error) ? [record] : [])];
    return [{ error: keepOldRecords(explained, lost, RESTORE) }];
  });
  return { results, deleted, kept };
}

/**
 * Creates the local check of a filter. "Today" is that of the service.
 * @throws InputError when only the service can evaluate the filter
 */
export const createMatcher = (
  { credential: { timeZone } }: Client,
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
