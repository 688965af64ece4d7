import type { Client } from '../client';
import { logEndpoints } from '../client/endpoints/catalogue';
import { DATE_TIME_FORMAT, readFormatText } from '../client/input/dateTimeText';
import { asObject } from '../client/input/values';
import { isNewestFirst, readCreatedAt, readLog } from '../client/logs/readLog';
import { hashText, toCanonicalJson } from '../client/records/hashing';
import type { DatedEntry } from './byDate';
import { type DailyShare, ensureDailyShare } from './dailyShare';
import { type ServiceClock, addSeconds } from './serviceClock';

/** A log; see `logEndpoints`. */
export type LogName = keyof typeof logEndpoints;

/** Keys whose values change after the entry was added (spec: Logs). They do not identify it. */
const CHANGING_KEYS = new Set(['status', 'last_active_at', 'start_at', 'end_at', 'expire_at']);

const KEY_LENGTH = 12;

const hashEntry = (entry: unknown): string =>
  hashText(
    toCanonicalJson(Object.entries(asObject(entry)).filter(([key]) => !CHANGING_KEYS.has(key))),
    KEY_LENGTH,
  );

const readEntryDate = (entry: unknown): string =>
  readFormatText(readCreatedAt(entry), DATE_TIME_FORMAT) ?? '';

/** Identifies entries by a hash and the number of equal entries, because they have no ID (spec: Logs). */
function identifyEntries(entries: unknown[]): DatedEntry[] {
  const counts = new Map<string, number>();
  return entries.flatMap((entry) => {
    const date = readEntryDate(entry);
    const hash = hashEntry(entry);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return date === '' ? [] : [{ key: `${hash}${count}`, date, digest: '', values: asObject(entry) }];
  });
}

/** What a reading of a log needs. */
interface LogSource {
  client: Client;
  log: LogName;
  clock: ServiceClock;
  share: DailyShare;
}

/**
 * Reads the entries with a date after `after`; '' for the whole log. Pages that are sorted newest first end the reading
 * early (spec: Logs defines no order).
 * @throws InputError if the log has another order and the polls of a day would use too many requests
 */
export async function readLogEntries(
  { client, log, clock, share }: LogSource,
  after: string,
): Promise<DatedEntry[]> {
  const isAmbiguous = (date: string) => clock.isAmbiguous(date);
  const { entries } = await readLog({
    fetch: async (page) => {
      const found = await client.logs.readPage(logEndpoints[log], page);
      const isOrdered = isNewestFirst(found.items, isAmbiguous);
      if (page === 1) ensureDailyShare(share, isOrdered ? 1 : (found.totalPages ?? 1), found.headers);
      return found;
    },
    limit: Infinity,
    isAmbiguous,
    ...(after !== '' && { since: addSeconds(after, 1) }),
  });
  return identifyEntries(entries);
}

/** Finds the date of the newest entry; '' in an empty log. Reads one page if it is sorted newest first. */
export async function findNewestEntryDate({ client, log, clock }: LogSource): Promise<string> {
  const fetch = (page: number) => client.logs.readPage(logEndpoints[log], page);
  const { items } = await fetch(1);
  const isOrdered = isNewestFirst(items, (date) => clock.isAmbiguous(date));
  const entries = isOrdered ? items : (await readLog({ fetch, limit: Infinity })).entries;
  return entries.map(readEntryDate).reduce((newest, date) => (date > newest ? date : newest), '');
}
