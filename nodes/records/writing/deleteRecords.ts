/**
 * Deletes records. `deleteRecord` deletes one. `deleteMatching` deletes those of a filter. `recheckAndDelete` deletes many
 * in rounds: it reads the records of a round again with one request, and does not delete a record that changed since it
 * was chosen.
 */
import {
  asObject,
  asThrown,
  type Client,
  explainUncertainWrite,
  isNotFoundByService,
  MAX_PAGE_SIZE,
  mayHaveChanged,
  recordEndpoints,
  runMany,
  type ServiceRecord,
} from '../../service';
import { createMatcher, formatIds } from '../reading/compareRecords';
import { forgetTexts } from '../reading/connectedTexts';
import { fetchRecordPage, readRecord } from '../reading/readRecords';
import type { Selected } from './selectRecords';
import { ensureSameRecord } from './verifyWrite';

/** Records that are read together before they are deleted. */
const ROUND_SIZE = 25;

/**
 * Maximum age of a record's data when its deletion starts, in milliseconds. After that, the deletion may still wait for
 * the rate limit.
 */
const MAX_AGE_MS = 60_000;

/** How records are read again before they are deleted, and which of them may still be deleted. */
export interface Recheck {
  /**
   * Reads the records with one request. The spec has no filter on IDs, so the answer may lack some of the records and
   * contain others. Missing records are read one by one.
   */
  read(records: ServiceRecord[]): Promise<ServiceRecord[]>;
  mayDelete(record: ServiceRecord): boolean;
  /** Why a record is not deleted any more, for a hint. */
  reason: string;
  /** When the records were requested, in milliseconds of the client's clock. Undefined if something was written since. */
  readAt?: number;
}

/** Reads a record. Undefined when the service states that it no longer exists. */
const findRecord = (client: Client, tableId: string, recordId: string): Promise<ServiceRecord | undefined> =>
  readRecord(client, tableId, recordId).catch((error: unknown) => {
    if (isNotFoundByService(error)) return undefined;
    throw asThrown(error);
  });

/**
 * Deletes one record. When the answer is lost, it checks whether the record still exists.
 * @example
 * await deleteRecord(client, table.id, 'K7pQ2xW9Lm');
 * @throws ApiError with status 404 if there is no such record; it states whether the record may have been deleted
 */
export async function deleteRecord(client: Client, dataTableId: string, recordId: string): Promise<void> {
  const call = { path: { dataTableId, recordId } };
  const answer = await client.call(recordEndpoints.delete, call).catch(async (error: unknown) => {
    const read = () => findRecord(client, dataTableId, recordId).catch(() => 'unknown');
    if (!mayHaveChanged(error) || (await read()) !== undefined) throw explainUncertainWrite(error);
    return undefined;
  });
  if (answer) ensureSameRecord(recordId, asObject(answer.body));
  forgetTexts(client, recordId);
}

/**
 * The result for a record, with the record as it was last read. `notFound`: it no longer existed. `kept`: it had changed.
 */
export type DeletionResult =
  | { action: 'deleted' | 'notFound' | 'kept'; record: ServiceRecord }
  | { action: 'failed'; record: ServiceRecord; error: unknown };

interface DeletionRun {
  tableId: string;
  records: ServiceRecord[];
  recheck: Recheck;
  /** Whether the others are deleted after a failure. */
  continuesOnFail?: boolean;
}

/**
 * Deletes the records of a filter, several at once. Each is read again at most a minute before its deletion starts. A
 * record that no longer matches the filter is kept, and a hint lists it.
 * @returns a result for each record, except those that were not reached after a failure
 * @example
 * await deleteMatching(client, await selectRecords(client, table, { filter, timeZone }));
 * // [{ action: 'deleted', record: { id: 'K7pQ2xW9Lm', … } }, { action: 'failed', record: …, error: ApiError }]
 * @param options `continuesOnFail`: whether the others are deleted after a failure
 * @throws nothing: a failure is in the result of its record
 */
export const deleteMatching = (
  client: Client,
  { table, filters, records, readAt }: Selected,
  { continuesOnFail }: Pick<DeletionRun, 'continuesOnFail'> = {},
): Promise<DeletionResult[]> =>
  recheckAndDelete(client, {
    tableId: table.id,
    records,
    recheck: {
      // The records of earlier batches are deleted, so those of this batch are on the first page.
      read: async () =>
        (await fetchRecordPage(client, { tableId: table.id, filters, isCompared: true }, 1, MAX_PAGE_SIZE))
          .items,
      mayDelete: createMatcher(client, filters, table),
      reason: 'no longer match the filter',
      readAt,
    },
    continuesOnFail,
  });

/**
 * Deletes records, several at once, in rounds of 25. The records of a round are read again at most a minute before a
 * deletion starts. A record that may no longer be deleted is kept, and a hint lists it.
 * @returns a result for each record, except those that were not reached after a failure
 * @throws nothing: a failure is in the result of its record
 */
export async function recheckAndDelete(
  client: Client,
  { tableId, records, recheck, continuesOnFail = false }: DeletionRun,
): Promise<DeletionResult[]> {
  const { concurrency, notices, clock } = client;
  const results = new Map<ServiceRecord, DeletionResult>();
  const listRemaining = () => records.filter((record) => !results.has(record));
  const toReading = (found: ServiceRecord[], readAt = clock.now()) => ({
    found: new Map(found.map((record) => [record.id, record])),
    readAt,
  });
  let first = recheck.readAt === undefined ? undefined : toReading(records, recheck.readAt);
  for (let left = listRemaining(); left.length > 0; left = listRemaining()) {
    const round = left.slice(0, ROUND_SIZE);
    const reading = first ?? recheck.read(round).then((found) => toReading(found));
    first = undefined;
    const deleteOne = async (record: ServiceRecord): Promise<DeletionResult | undefined> => {
      const { found, readAt } = await reading;
      // The record belongs to the next round. The first one of a round that was read is always handled.
      if (clock.now() - readAt > MAX_AGE_MS) return undefined;
      const latest = found.get(record.id) ?? (await findRecord(client, tableId, record.id));
      if (!latest) return { action: 'notFound', record };
      if (!recheck.mayDelete(latest)) return { action: 'kept', record: latest };
      try {
        await deleteRecord(client, tableId, record.id);
      } catch (error) {
        if (!isNotFoundByService(error)) throw asThrown(error);
        return { action: 'notFound', record: latest };
      }
      return { action: 'deleted', record: latest };
    };
    const done = await runMany(round, { concurrency, continuesOnFail }, deleteOne);
    for (const { step: record, value, error } of done) {
      const result = error === undefined ? value : { action: 'failed' as const, record, error };
      if (result) results.set(record, result);
    }
    notices.reportProgress(() => `${results.size} of ${records.length} records done`);
    if (!continuesOnFail && done.some(({ error }) => error !== undefined)) break;
  }
  const ended = records.flatMap((record) => results.get(record) ?? []);
  const kept = ended.flatMap(({ action, record }) => (action === 'kept' ? record : []));
  if (kept.length > 0) {
    notices.addHint(
      `${kept.length} of ${records.length} records were not deleted, because they changed during the run and ${recheck.reason}: ${formatIds(kept)}`,
    );
  }
  return ended;
}
