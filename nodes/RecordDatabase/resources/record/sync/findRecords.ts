import { chunk } from 'lodash';
import { fetchRecordPage } from '../../../../shared/kit/records/fetchRecordPage';
import type { SyncInput } from '../../../../shared/kit/sync/planSync';
import { asThrown } from '../../../../shared/model/input/asThrown';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import type { Client } from '../../../../shared/transport/client';
import { Semaphore } from '../../../../shared/transport/concurrency/semaphore';
import { isRefusedValue } from '../../../../shared/transport/errors/apiError';
import { MAX_PAGE_SIZE } from '../../../../shared/transport/paging/pagingOptions';
import { readAllRecords } from '../read/readAllRecords';
import { KEYS_PER_REQUEST } from '../upsert/batchLookup';
import { buildMatchFilter, createMatchKey, isStray } from '../upsert/matchKey';

/** Average number of new records per page of 200 in a verified list, whose neighbouring pages overlap. */
const RECORDS_PER_PAGE = 180;

/** The records that may belong to the keys, and whether they are all records of the table. */
interface FoundRecords {
  records: ServiceRecord[];
  isWholeTable: boolean;
}

/**
 * Looks up keys, 50 with each request.
 * @returns undefined when the service refuses a key or returns a record that has none of the keys. The service then
 *   evaluates a condition differently, so the caller must read all records.
 */
export async function findByKeys(
  client: Client,
  table: Table,
  inputs: SyncInput[],
  columns: string[],
): Promise<ServiceRecord[] | undefined> {
  const semaphore = new Semaphore(client.concurrency);
  const readBatch = async (batch: SyncInput[]) => {
    const keys = batch.map(({ entries }) => createMatchKey(columns, entries, table));
    const records = await readAllRecords(client, { tableId: table.id, filters: buildMatchFilter(keys) });
    return records.some((record) => isStray(record, keys)) ? undefined : records;
  };
  try {
    const batches = chunk(inputs, KEYS_PER_REQUEST);
    const found = await Promise.all(batches.map((batch) => semaphore.run(() => readBatch(batch))));
    if (found.includes(undefined)) return undefined;
    const byId = new Map(found.flatMap((records = []) => records.map((record) => [record.id, record])));
    return [...byId.values()];
  } catch (error) {
    if (isRefusedValue(error)) return undefined;
    throw asThrown(error);
  }
}

/**
 * Finds the records of the inputs in the way that needs fewer requests. `columns` are those to match on. `readsAll`
 * requires all records of the table.
 */
export async function findRecords(
  client: Client,
  table: Table,
  inputs: SyncInput[],
  columns: string[],
  readsAll: boolean,
): Promise<FoundRecords> {
  const tableId = table.id;
  const firstPage = await fetchRecordPage(client, { tableId }, 1, MAX_PAGE_SIZE);
  const pageCount = Math.ceil((firstPage.total_items ?? Infinity) / RECORDS_PER_PAGE);
  const usesKeys = !readsAll && inputs.length / KEYS_PER_REQUEST < pageCount - 1;
  const records = usesKeys ? await findByKeys(client, table, inputs, columns) : undefined;
  if (records) return { records, isWholeTable: false };
  return { records: await readAllRecords(client, { tableId, firstPage }), isWholeTable: true };
}
