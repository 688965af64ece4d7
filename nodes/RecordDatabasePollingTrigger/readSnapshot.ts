import { recordEndpoints } from '../client/endpoints/catalogue';
import { ApiError, isServiceNotFound } from '../client/errors/apiError';
import { InputError, asThrown } from '../client/input/inputError';
import { readVerifiedList } from '../client/paging/readVerifiedList';
import type { ServiceRecord } from '../client/responses/records';
import type { AbsentRecord } from './bySnapshot';
import { type DailyShare, countListRequests, ensureDailyShare } from './dailyShare';
import { MAX_RECORDS } from './readByDate';
import type { RecordSource } from './recordSource';

function ensureRecordCount(total: number): void {
  if (total <= MAX_RECORDS) return;
  throw new InputError(
    `Created, Updated or Deleted works with up to ${MAX_RECORDS} records, and ${total} match`,
    'Choose a filter that matches fewer records, or Trigger On: Record Created or Updated.',
  );
}

/**
 * Reads all records that match the filter.
 * @throws InputError if there are more than 5,000, or if the polls of a day would use too many requests
 */
export async function readSnapshot(source: RecordSource, share: DailyShare): Promise<ServiceRecord[]> {
  const records = await readVerifiedList({
    fetchPage: async (page, limit) => {
      const { items, total, headers } = await source.fetchPage({ page, limit });
      ensureRecordCount(total ?? 0);
      ensureDailyShare(share, countListRequests(total ?? items.length), headers);
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

/**
 * Reads a missing record by its ID. With the keys alone, a record that is not found is deleted. A user may also have
 * lost the right to see it: which of both, the service does not say (spec: Authentication, Method 2).
 */
async function checkAbsence(source: RecordSource, recordId: string): Promise<AbsentRecord> {
  const { client, table } = source;
  const { userLogin } = client.credential;
  try {
    const path = { dataTableId: table.id, recordId };
    const { item } = (await client.call(recordEndpoints.get, { path })).body;
    if (source.matches(item)) return { status: 'stillThere' };
    return { status: 'leftFilter', values: { id: recordId, ...item } };
  } catch (error) {
    // The user may read the table, whose records were read just before, so a 403 is about this record.
    const isHidden = userLogin && error instanceof ApiError && error.status === 403;
    if (isServiceNotFound(error) || isHidden) return { status: userLogin ? 'notVisible' : 'deleted' };
    throw asThrown(error);
  }
}

/**
 * Reads missing records by ID to find out what became of them. At most 50 records are read. If the form has no filter
 * and none of these is found, the remaining missing records count as gone too.
 */
export async function checkMissingRecords(
  source: RecordSource,
  ids: string[],
): Promise<{ absent: Map<string, AbsentRecord>; checkedId?: string }> {
  const checked = ids.slice(0, MAX_CHECKS);
  const results = await Promise.all(
    checked.map(async (id): Promise<[string, AbsentRecord]> => [id, await checkAbsence(source, id)]),
  );
  const absent = new Map(results);
  const [first] = absent.values();
  const isGone = results.every(([, { status }]) => status === 'deleted' || status === 'notVisible');
  if (!source.hasFilter && first && isGone) for (const id of ids) absent.set(id, first);
  const isPartial = ids.length > absent.size;
  const checkedId = isPartial ? checked.at(-1) : undefined;
  return { absent, ...(checkedId !== undefined && { checkedId }) };
}
