import { recordEndpoints } from '../../shared/model/endpoints/records';
import { asThrown } from '../../shared/model/input/asThrown';
import { InputError } from '../../shared/model/input/inputError';
import type { ServiceRecord } from '../../shared/model/responses/records';
import { isServiceNotFound } from '../../shared/transport/errors/apiError';
import { readVerifiedList } from '../../shared/transport/paging/readVerifiedList';
import { parseRateLimitHeaders } from '../../shared/transport/rateLimit/parseRateLimitHeaders';
import type { AbsentRecord } from '../changes/snapshot';
import { ensureDailyShare } from './dailyShare';
import { MAX_RECORDS } from './readSince';
import type { RecordSource } from './recordSource';

/** Average number of new records per request of a verified reading, whose neighbouring pages overlap. */
const RECORDS_PER_REQUEST = 170;

/** The number of requests for a snapshot of `total` records. */
export const countSnapshotRequests = (total: number): number =>
  total <= 200 ? 1 : Math.ceil(total / RECORDS_PER_REQUEST) + 1;

export interface SnapshotLimits {
  pollsPerDay: number;
  /** Percent of the requests of a day. */
  maximumShare: number;
}

function ensureRecordCount(total: number): void {
  if (total <= MAX_RECORDS) return;
  throw new InputError(
    `By Snapshot works with up to ${MAX_RECORDS} records, and ${total} match`,
    'Choose a filter that matches fewer records, or find changes By a Date Field.',
  );
}

/**
 * Reads all records that match the filter.
 * @throws InputError if there are more than 5,000, or if the polls of a day would use too many requests
 */
export async function readSnapshot(
  source: RecordSource,
  { pollsPerDay, maximumShare }: SnapshotLimits,
): Promise<ServiceRecord[]> {
  const records = await readVerifiedList({
    fetchPage: async (page, limit) => {
      const { items, total, headers } = await source.fetchPage({ page, limit });
      ensureRecordCount(total ?? 0);
      const requests = countSnapshotRequests(total ?? items.length);
      const dailyLimit = parseRateLimitHeaders(headers).day?.limit;
      ensureDailyShare({ requests, pollsPerDay, dailyLimit, maximumShare });
      return { items, total };
    },
    limit: Infinity,
    concurrency: source.client.concurrency,
    getId: ({ id }) => id,
  });
  ensureRecordCount(records.length);
  return records.filter((record) => source.matches(record));
}

/** Maximum number of missing records that one poll reads. The others are read by the next poll. */
const MAX_CHECKS = 50;

async function checkAbsence(source: RecordSource, recordId: string): Promise<AbsentRecord | undefined> {
  try {
    const path = { dataTableId: source.table.id, recordId };
    const { item } = (await source.client.call(recordEndpoints.get, { path })).body;
    return source.matches(item) ? undefined : { status: 'leftFilter', values: { id: recordId, ...item } };
  } catch (error) {
    if (isServiceNotFound(error)) return { status: 'deleted' };
    throw asThrown(error);
  }
}

/**
 * Reads missing records by ID to find out whether they were deleted or no longer match the filter. At most
 * `MAX_CHECKS` records are read. If the form has no filter and all records that were read are deleted, the remaining
 * missing records count as deleted too.
 */
export async function checkMissingRecords(
  source: RecordSource,
  ids: string[],
): Promise<Map<string, AbsentRecord>> {
  const checked = ids.slice(0, MAX_CHECKS);
  const results = await Promise.all(checked.map((id) => checkAbsence(source, id)));
  const absent = new Map<string, AbsentRecord>();
  checked.forEach((id, index) => {
    const result = results[index];
    if (result) absent.set(id, result);
  });
  const areAllDeleted = results.every((result) => result?.status === 'deleted');
  if (!source.hasFilter && areAllDeleted) for (const id of ids) absent.set(id, { status: 'deleted' });
  return absent;
}
