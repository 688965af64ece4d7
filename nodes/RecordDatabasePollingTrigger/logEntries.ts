/**
 * The entries of a log by their dates, for the polling trigger. `readLogEntries` reads those after a date.
 * `findNewestEntryDate` finds the date at which the first poll starts.
 */
import { DATE_TIME_FORMAT, hashValue, readFormatText } from '../records';
import { asObject, type Client, type logEndpoints, readLog } from '../service';
import type { DatedEntry } from './byDate';
import { type DailyShare, ensureDailyShare } from './dailyShare';
import { addSeconds } from './serviceClock';

/** Keys whose values change after the entry was added (spec: Logs). They do not identify it. */
const CHANGING_KEYS = new Set(['status', 'last_active_at', 'start_at', 'end_at', 'expire_at']);

const ENTRY_HASH_LENGTH = 12;

const hashEntry = (entry: unknown): string =>
  hashValue(
    Object.entries(asObject(entry)).filter(([key]) => !CHANGING_KEYS.has(key)),
    ENTRY_HASH_LENGTH,
  );

const readEntryDate = (entry: unknown): string =>
  readFormatText(asObject(entry).created_at, DATE_TIME_FORMAT) ?? '';

/**
 * Identifies entries by a hash and the number of equal entries, because they have no ID (spec: Logs). Those without a
 * date are never after the start of a reading.
 */
function identifyEntries(entries: unknown[]): DatedEntry[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const date = readEntryDate(entry);
    const hash = hashEntry(entry);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return { key: `${hash}${count}`, date, digest: '', values: asObject(entry) };
  });
}

/** What a reading of a log needs. */
interface LogSource {
  client: Client;
  log: keyof typeof logEndpoints;
  share: DailyShare;
}

/**
 * Reads the entries with a date after `after`; '' for the whole log. Pages that are sorted newest first end the reading
 * early (spec: Logs defines no order).
 * Open point: `logOrder`.
 * @throws InputError if the log has another order and the polls of a day would use too many requests
 */
export async function readLogEntries(
  { client, log, share }: LogSource,
  after: string,
): Promise<DatedEntry[]> {
  const { entries } = await readLog(client, {
    log,
    limit: Infinity,
    since: addSeconds(after, 1),
    onPage: ({ isNewestFirst, totalPages }) =>
      ensureDailyShare(share, isNewestFirst ? 1 : totalPages, client.requestsPerDay),
  });
  return identifyEntries(entries);
}

/** Finds the date of the newest entry; '' in an empty log. Reads one page if it is sorted newest first. */
export async function findNewestEntryDate({ client, log }: LogSource): Promise<string> {
  const { entries } = await readLog(client, { log, limit: Infinity, newestOnly: true });
  return entries.map(readEntryDate).reduce((newest, date) => (date > newest ? date : newest), '');
}
