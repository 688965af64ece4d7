/**
 * A snapshot of a table, for the polling trigger. `readSnapshot` reads all records that match the filter.
 * `checkMissingRecords` finds out what became of known records that are missing in it.
 */
import { readRecord } from '../records';
import {
  ApiError,
  asThrown,
  InputError,
  isNotFoundByService,
  readWholeList,
  type ServiceRecord,
} from '../service';
import type { AbsentRecord, SnapshotRead } from './bySnapshot';
import { type DailyShare, countListRequests, ensureDailyShare } from './dailyShare';
import { MAX_RECORDS, type RecordSource } from './recordSource';

function ensureRecordCount(total: number): void {
  if (total <= MAX_RECORDS) return;
  throw new InputError(
    `Created, Updated or Deleted works with up to ${MAX_RECORDS} records, and ${total} match`,
    'Choose a filter that matches fewer records, or Trigger On: Record Created or Updated.',
  );
}

/**
 * Reads all records that match the filter. Of a list that changes meanwhile, a record may be missing, which is then read by ID.
 * @throws InputError if there are more than 5,000, or if the polls of a day would use too many requests
 */
export async function readSnapshot(source: RecordSource, share: DailyShare): Promise<ServiceRecord[]> {
  const records = await readWholeList({
    fetchPage: async (page, limit) => {
      const list = await source.fetchPage({ page, limit });
      ensureRecordCount(list.total);
      ensureDailyShare(share, countListRequests(list.total), source.client.requestsPerDay);
      return list;
    },
    limit: Infinity,
    concurrency: source.client.concurrency,
    getId: ({ id }) => id,
    onChange: () => undefined,
  });
  return records.filter((record) => source.matches(record));
}

/** Maximum number of missing records that one poll reads. The others are read by the next poll. */
const MAX_CHECKS = 50;

/**
 * Reads a missing record by its ID. With the keys alone, a record that is not found is deleted. A user may also have
 * lost the right to see it: which of both, the service does not say (spec: Authentication, Method 2). An empty `item` with
 * HTTP 200 (evidence 2) counts as missing only while the list has records: without any, it may be a fault of the service.
 */
async function checkAbsence(
  source: RecordSource,
  recordId: string,
  listHasRecords: boolean,
): Promise<AbsentRecord> {
  const { client, table } = source;
  const { hasUserLogin } = client.credential;
  try {
    const values = await readRecord(client, table.id, recordId, { table });
    return source.matches(values) ? { status: 'stillThere' } : { status: 'leftFilter', values };
  } catch (error) {
    const isEmpty = error instanceof ApiError && error.code === 'emptyItem';
    if (isEmpty && !listHasRecords) return { status: 'stillThere' };
    // The user may read the table, whose records were read just before, so a 403 is about this record.
    const isHidden = hasUserLogin && error instanceof ApiError && error.status === 403;
    if (isEmpty || isNotFoundByService(error) || isHidden)
      return { status: hasUserLogin ? 'notVisible' : 'deleted' };
    throw asThrown(error);
  }
}

/** Reads missing records by ID, at most 50 of them, to find out what became of them. No other absence is believed. */
export async function checkMissingRecords(
  source: RecordSource,
  ids: string[],
  listHasRecords: boolean,
): Promise<SnapshotRead['absent']> {
  const checked = ids.slice(0, MAX_CHECKS);
  const results = await Promise.all(checked.map((id) => checkAbsence(source, id, listHasRecords)));
  return new Map(checked.map((id, index) => [id, results[index]!]));
}
