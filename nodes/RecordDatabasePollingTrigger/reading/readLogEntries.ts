import { hashText, toCanonicalJson } from '../../shared/kit/hashing/hashText';
import { fetchLogPage, isNewestFirst, readCreatedAt, readLog } from '../../shared/kit/logs/readLog';
import { logEndpoints } from '../../shared/model/endpoints/logs';
import { DATE_TIME_FORMAT, readFormatText } from '../../shared/model/input/dateTimeText';
import { asObject } from '../../shared/model/input/isObject';
import type { Client } from '../../shared/transport/client';
import { addSeconds } from '../changes/dateText';
import type { DatedEntry } from '../changes/since';
import type { LogName } from '../form/parameters';

/** Maximum number of entries that the first poll returns. */
const MAX_FIRST_ENTRIES = 5_000;

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

/** Reads the entries after the floor; without a floor, the first ones of the log. */
export async function readLogSince(client: Client, log: LogName, floor: string): Promise<DatedEntry[]> {
  const { entries } = await readLog({
    fetch: (page) => fetchLogPage(client, logEndpoints[log], page),
    limit: floor === '' ? MAX_FIRST_ENTRIES : Infinity,
    ...(floor !== '' && { since: addSeconds(floor, 1) }),
  });
  return identifyEntries(entries);
}

/** Finds the date of the newest entry; '' in an empty log. Reads one page if it is sorted newest first. */
export async function findNewestEntryDate(client: Client, log: LogName): Promise<string> {
  const { items } = await fetchLogPage(client, logEndpoints[log], 1);
  const fetch = (page: number) => fetchLogPage(client, logEndpoints[log], page);
  const entries = isNewestFirst(items) ? items : (await readLog({ fetch, limit: Infinity })).entries;
  return entries.map(readEntryDate).reduce((newest, date) => (date > newest ? date : newest), '');
}
