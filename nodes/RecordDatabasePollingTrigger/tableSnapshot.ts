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
import type { PollState } from './pollState';
import { MAX_RECORDS, type RecordSource } from './recordSource';

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
  });
  return records.filter((record) => source.matches(record));
}

/** Maximum number of missing records that one poll reads. The others are read by the next poll. */
const MAX_CHECKS = 50;

/** What the reading of a missing record shows. `empty`: no record and no 404, which may be a fault of the service. */
type Absence = AbsentRecord | { status: 'empty' };

/**
 * Reads a missing record by its ID. With the keys alone, a record that is not found is deleted. A user may also have
 * lost the right to see it: which of both, the service does not say (spec: Authentication, Method 2).
 */
async function checkAbsence(source: RecordSource, recordId: string): Promise<Absence> {
  const { client, table } = source;
  const { hasUserLogin } = client.credential;
  try {
    const values = await readRecord(client, table.id, recordId, { table });
    return source.matches(values) ? { status: 'stillThere' } : { status: 'leftFilter', values };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'emptyItem') return { status: 'empty' };
    // The user may read the table, whose records were read just before, so a 403 is about this record.
    const isHidden = hasUserLogin && error instanceof ApiError && error.status === 403;
    if (isNotFoundByService(error) || isHidden) return { status: hasUserLogin ? 'notVisible' : 'deleted' };
    throw asThrown(error);
  }
}

/**
 * Reads missing records by ID to find out what became of them. At most 50 records are read. If the form has no filter
 * and none of these is found, the remaining missing records count as gone too. A record that the service answers with an
 * empty `item`, and not with a 404, counts as gone if the poll before got the same answer (evidence 2).
 */
export async function checkMissingRecords(
  source: RecordSource,
  ids: string[],
  { emptyIds: emptyBefore = [], checkedId }: Pick<PollState, 'emptyIds' | 'checkedId'>,
): Promise<Pick<SnapshotRead, 'absent' | 'checkedId' | 'emptyIds'>> {
  const checked = ids.slice(0, MAX_CHECKS);
  const gone = source.client.credential.hasUserLogin ? ('notVisible' as const) : ('deleted' as const);
  const results = await Promise.all(
    checked.map(async (id): Promise<[string, Absence]> => {
      const absence = await checkAbsence(source, id);
      const isConfirmed = absence.status === 'empty' && emptyBefore.includes(id);
      return [id, isConfirmed ? { status: gone } : absence];
    }),
  );
  const emptyIds = results.flatMap(([id, { status }]) => (status === 'empty' ? [id] : []));
  const absent = new Map(
    results.flatMap(([id, absence]): Array<[string, AbsentRecord]> =>
      absence.status === 'empty' ? [] : [[id, absence]],
    ),
  );
  const isGone = checked.length > 0 && results.every(([, { status }]) => status === gone);
  if (!source.hasFilter && isGone) for (const id of ids) absent.set(id, { status: gone });
  // The next poll begins with the same records, to confirm what it found.
  return { absent, emptyIds, checkedId: emptyIds.length > 0 ? checkedId : checked.at(-1) };
}
