/** Deletes records. Each record is read again first, and kept if it should no longer be deleted. */
import {
  asObject,
  type Client,
  explainUncertainWrite,
  ignoreNotFound,
  MAX_PAGE_SIZE,
  mayHaveWritten,
  recordEndpoints,
  runSteps,
  type ServiceRecord,
} from '../../service';
import { createRecordMatcher, formatRecordIds } from '../reading/compareRecords';
import { deleteConnectedTexts } from '../reading/connectedTexts';
import { readRecordPage, readRecord } from '../reading/readRecords';
import { MAX_READ_AGE_MS } from '../reading/recordReader';
import type { SelectedRecords } from './selectRecords';
import { ensureSameRecord } from './verifyWrite';

const RECORDS_IN_ROUND = 25;

export interface DeletionRecheck {
  /** Reads records again with one request. The spec has no filter on IDs: the result may lack some and have others. */
  read(records: ServiceRecord[]): Promise<ServiceRecord[]>;
  mayDelete(record: ServiceRecord): boolean;
  /** Why a record is kept. The text stands in a hint. */
  reason: string;
  /** When the records were requested, in milliseconds of the client's clock. Undefined if a write was made later. */
  readAt?: number;
}

/** @returns undefined if the record no longer exists */
const findRecord = (client: Client, tableId: string, recordId: string): Promise<ServiceRecord | undefined> =>
  readRecord(client, tableId, recordId).catch(ignoreNotFound);

/**
 * Deletes one record. After a lost response, reads the record to find out whether it still exists.
 * @example
 * await deleteRecord(client, table.id, 'K7pQ2xW9Lm');
 * @throws ApiError with status 404 if there is no such record
 * @throws ApiError for a failed request. The error states whether the record may have been deleted
 */
export async function deleteRecord(client: Client, dataTableId: string, recordId: string): Promise<void> {
  const call = { path: { dataTableId, recordId } };
  const answer = await client.call(recordEndpoints.delete, call).catch(async (error: unknown) => {
    const read = () => findRecord(client, dataTableId, recordId).catch(() => 'unknown');
    if (!mayHaveWritten(error) || (await read()) !== undefined) throw explainUncertainWrite(error);
    return undefined;
  });
  if (answer) ensureSameRecord(recordId, asObject(answer.body));
  deleteConnectedTexts(client, recordId);
}

/** @returns undefined if the record did not exist any more */
export const deleteRecordIfPresent = (
  client: Client,
  tableId: string,
  recordId: string,
): Promise<true | undefined> => deleteRecord(client, tableId, recordId).then(() => true, ignoreNotFound);

/** `notFound`: the record did not exist any more. `kept`: `mayDelete` refused. `record`: the record as last read. */
export type DeletionResult =
  | { action: 'deleted' | 'notFound' | 'kept'; record: ServiceRecord }
  | { action: 'failed'; record: ServiceRecord; error: unknown };

interface DeletionOptions {
  tableId: string;
  records: ServiceRecord[];
  recheck: DeletionRecheck;
  /** Whether other records are deleted after a failure. */
  continuesOnFail?: boolean;
}

/**
 * Deletes the records that a filter selected, several at once. Each record is read again at most a minute before its
 * deletion. A record that no longer matches the filter is kept, and a hint lists it.
 * @returns a result for each record that was handled. After a failure, the other records have none
 * @example
 * await deleteMatchingRecords(client, await selectRecords(client, table, { filter, timeZone }));
 * // [{ action: 'deleted', record: { id: 'K7pQ2xW9Lm', … } }, { action: 'failed', record: …, error: ApiError }]
 * @throws nothing: a failure is in the result of its record
 */
export const deleteMatchingRecords = (
  client: Client,
  { table, filters, records, readAt }: SelectedRecords,
  { continuesOnFail }: Pick<DeletionOptions, 'continuesOnFail'> = {},
): Promise<DeletionResult[]> =>
  recheckAndDelete(client, {
    tableId: table.id,
    records,
    recheck: {
      // The records of earlier rounds are deleted, so the first page of matching records has those of this round.
      read: async () =>
        (await readRecordPage(client, { tableId: table.id, filters, isCompared: true }, 1, MAX_PAGE_SIZE))
          .items,
      mayDelete: createRecordMatcher(client, filters, table),
      reason: 'no longer match the filter',
      readAt,
    },
    continuesOnFail,
  });

/** Reads 25 records at a time again. Deletes those that `mayDelete` accepts. Results: see `deleteMatchingRecords`. */
export async function recheckAndDelete(
  client: Client,
  { tableId, records, recheck, continuesOnFail = false }: DeletionOptions,
): Promise<DeletionResult[]> {
  const { concurrency, notices, clock } = client;
  let round = { found: Promise.resolve(records), readAt: recheck.readAt ?? -Infinity, end: RECORDS_IN_ROUND };
  const readAgain = async (index: number, { id: recordId }: ServiceRecord) => {
    const end = index + RECORDS_IN_ROUND;
    if (index >= round.end || clock.now() - round.readAt > MAX_READ_AGE_MS)
      round = { found: recheck.read(records.slice(index, end)), readAt: clock.now(), end };
    const found = (await round.found).find(({ id }) => id === recordId);
    return found ?? findRecord(client, tableId, recordId);
  };
  const deleteOne = async ([index, record]: [number, ServiceRecord]): Promise<DeletionResult> => {
    const latest = await readAgain(index, record);
    if (!latest) return { action: 'notFound', record };
    if (!recheck.mayDelete(latest)) return { action: 'kept', record: latest };
    const wasPresent = await deleteRecordIfPresent(client, tableId, record.id);
    return { action: wasPresent ? 'deleted' : 'notFound', record: latest };
  };
  const onEnd = (count: number) => notices.reportProgress(() => `${count} of ${records.length} records done`);
  const done = await runSteps([...records.entries()], { concurrency, continuesOnFail, onEnd }, deleteOne);
  const results = done.flatMap(({ step: [, record], value, error }): DeletionResult[] =>
    error === undefined ? [value ?? []].flat() : [{ action: 'failed', record, error }],
  );
  const kept = results.flatMap(({ action, record }) => (action === 'kept' ? record : []));
  if (kept.length > 0) {
    notices.addHint(
      `${kept.length} of ${records.length} records were not deleted, because they changed during the run and ${recheck.reason}: ${formatRecordIds(kept)}`,
    );
  }
  return results;
}
