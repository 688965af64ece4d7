import { uniqBy } from 'lodash';
import { KeyedQueue } from '../../../client/concurrency/queue';
import { RequestCache } from '../../../client/concurrency/requestCache';
import { ApiError, isRefusedValue } from '../../../client/errors/apiError';
import { getRawValue } from '../../../client/fields/recordValues';
import { type Table, formatPayloadKey } from '../../../client/fields/table';
import { asThrown } from '../../../client/input/inputError';
import type { ServiceRecord } from '../../../client/responses/records';
import { columnsMode, matchColumns, readColumnMapping } from '../../../n8n/columns/columnForm';
import { resolveConnections } from '../../../n8n/columns/connections';
import { readFormValues } from '../../../n8n/columns/formValues';
import { encodeValues } from '../../../n8n/columns/recordEntries';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import { ITEMS_PER_BATCH, type Item } from '../../../n8n/operation/item';
import { readAllRecords } from './listRecords';
import { type MatchKey, buildMatchFilter, createMatchKey, isStray, matchesKey } from './matchKey';

/** Number of keys or records that one request looks up. Their conditions must fit into one filter. */
export const KEYS_PER_REQUEST = ITEMS_PER_BATCH;

/** The result of a look-up. */
interface LookupResult {
  records: ServiceRecord[];
  /** Whether the look-up returned records that match none of the keys. */
  hasStrays: boolean;
}

/** Returns the payload keys of the columns to match on. @throws InputError for an unknown column */
export function readMatchColumns(item: Item, table: Table): string[] {
  const isJson = item.read(columnsMode) === 'json';
  const columns = isJson ? item.read(matchColumns) : readColumnMapping(item).matchColumns;
  return columns.map((column) => formatPayloadKey(table.resolvePayloadField(column, 'Columns to Match On')));
}

/** Returns the item's match key. A record that a match column connects to must exist. @throws InputError */
export async function readMatchKey(item: Item, table: Table): Promise<MatchKey> {
  const columns = readMatchColumns(item, table);
  const values = readFormValues(item, table);
  const matchValues = Object.fromEntries(
    columns.map((key) => [key, getRawValue(values, table.resolvePayloadField(key, 'Columns to Match On'))]),
  );
  const connections = await resolveConnections(item, table, matchValues, 'compare');
  const resolved = { ...matchValues, ...connections.preview };
  return createMatchKey(columns, encodeValues(item, table, resolved), table);
}

/** Returns the keys of the items in a batch. An item with an error is left out here; its own run reports the error. */
async function collectKeys(item: Item, table: Table): Promise<MatchKey[]> {
  const readKey = async (peer: Item) =>
    peer.read(tableLocator) === table.id ? readMatchKey(peer, table) : undefined;
  const keys = await Promise.all(item.listPeers().map((peer) => readKey(peer).catch(() => undefined)));
  return uniqBy(
    keys.filter((key) => key !== undefined),
    ({ text }) => text,
  );
}

/** Looks up the records of some keys with one filter. */
async function fetchMatches(item: Item, table: Table, keys: MatchKey[]): Promise<LookupResult> {
  const filters = buildMatchFilter(keys);
  const records = await readAllRecords(item.client, { tableId: table.id, filters });
  return { records, hasStrays: records.some((record) => isStray(record, keys)) };
}

/** Looks up the keys of a batch of items with one request, which the items of one user share. */
class BatchLookup {
  private readonly results = new RequestCache<LookupResult>();

  /**
   * Returns the result for the item's batch and the time of its request, in milliseconds of `performance.now()`. The
   * result is missing if the service refused a value. Each item is then looked up separately, so that one invalid
   * value does not fail the other items.
   * @throws ApiError for any other failure, which is not cached
   */
  async find(item: Item, table: Table): Promise<{ result?: LookupResult; requestedAt: number }> {
    const name = `${table.id} ${item.batch}`;
    const pending = this.results.get(name, async () =>
      fetchMatches(item, table, await collectKeys(item, table)),
    );
    const requestedAt = this.results.getRequestTime(name) ?? -Infinity;

    const result = await pending.catch((error: unknown) => {
      if (isRefusedValue(error)) return undefined;
      throw asThrown(error);
    });
    return { result, requestedAt };
  }
}

const filterMatching = ({ records }: LookupResult, key: MatchKey) =>
  records.filter((record) => matchesKey(record, key));

/**
 * Whether the result shows which records belong to a key. A record without a matching key may belong to any key of
 * the batch.
 */
const isConclusive = (result: LookupResult, key: MatchKey): boolean =>
  !result.hasStrays || filterMatching(result, key).length > 0;

/**
 * Returns the records of a key.
 * @throws ApiError when no record matches, but the look-up found records of none of the keys. One of them may be
 * the record that the service compares as equal, so no record may be created.
 */
function getMatches(found: LookupResult, key: MatchKey): ServiceRecord[] {
  const records = filterMatching(found, key);
  if (records.length > 0 || !found.hasStrays) return records;
  const names = key.matches.map(({ slot }) => `"${slot.field.name}"`).join(' and ');
  throw new ApiError({
    message: `It is not clear whether a record matches ${key.text}`,
    description: `The service found records whose ${names} differs from what was looked up. Nothing was created or changed. Match on another column.`,
  });
}

/** Runs items with the same key one after the other, across all executions of this process. */
const matchKeyQueue = new KeyedQueue();

/** The time of the last create for each key in this process, in milliseconds of `performance.now()`. */
const lastCreates = new Map<string, number>();
/** The map drops its oldest entries first. An entry matters only to look-ups that started before its create. */
const MAX_CREATES = 10_000;

/** Returns a text that identifies a match key across all applications and tables. */
export function formatKeyName({ client }: Item, table: Table, key: MatchKey): string {
  const { baseUrl, appId } = client.credential;
  const columns = key.matches.map(({ slot }) => [slot.field.slug, slot.part?.payload]);
  return JSON.stringify([baseUrl, appId, table.id, columns, key.text]);
}

/** Records the time of a create. Call it before the request, because earlier look-ups do not contain the new record. */
export function noteCreate(name: string): void {
  lastCreates.delete(name);
  lastCreates.set(name, performance.now());
  const [oldest] = lastCreates.keys();
  if (lastCreates.size > MAX_CREATES && oldest !== undefined) lastCreates.delete(oldest);
}

export const wasCreatedSince = (name: string, time: number): boolean => (lastCreates.get(name) ?? -1) >= time;

/** A matching record. `record` has its values, unless the record was written after they were read. */
export interface MatchedRecord {
  id: string;
  record?: ServiceRecord;
  /** When `record` was requested, in milliseconds of the process clock. */
  readAt: number;
}

/**
 * Finds the records that match the items of one execution. Each request looks up a batch of 50 items. Items with
 * the same key run one after the other, because the first may create the record that the next ones update. The
 * look-up stores the IDs of created records, so that later items update them.
 */
export class UpsertLookup {
  private readonly batches = new BatchLookup();
  private readonly created = new Map<string, string>();
  /** IDs of records that were written after they were read. Their values are no longer compared. */
  private readonly written = new Set<string>();
  /** Keys whose record may exist, because the response to its create was lost. */
  private readonly unknown = new Set<string>();

  /** Runs `task` with the matching records, after all earlier items with the same key have ended. */
  runInOrder<T>(
    item: Item,
    table: Table,
    key: MatchKey,
    task: (found: MatchedRecord[]) => Promise<T>,
  ): Promise<T> {
    const name = formatKeyName(item, table, key);
    return matchKeyQueue.run(name, async () => {
      const id = this.created.get(name);
      return task(id === undefined ? await this.find(item, table, key) : [{ id, readAt: -Infinity }]);
    });
  }

  /** Sends the create for a key. Later items with the key update the record. They fail when the outcome is unknown. */
  async create<T>(
    item: Item,
    table: Table,
    key: MatchKey,
    send: () => Promise<{ id: string; value: T }>,
  ): Promise<T> {
    const name = formatKeyName(item, table, key);
    if (this.unknown.has(name)) throw createUnknownKeyError(key);
    noteCreate(name);
    try {
      const { id, value } = await send();
      this.created.set(name, id);
      return value;
    } catch (error) {
      if (error instanceof ApiError && error.isOutcomeUnknown) this.unknown.add(name);
      throw asThrown(error);
    }
  }

  /** Marks a record that is about to be written. Its earlier values are no longer used. */
  noteWrite(id: string): void {
    this.written.add(id);
  }

  private async find(item: Item, table: Table, key: MatchKey): Promise<MatchedRecord[]> {
    const { result, requestedAt } = await this.batches.find(item, table);
    const isOutdated = wasCreatedSince(formatKeyName(item, table, key), requestedAt);
    if (!result || isOutdated || !isConclusive(result, key)) return this.findAnew(item, table, key);

    return getMatches(result, key).map((record) =>
      this.written.has(record.id)
        ? { id: record.id, readAt: -Infinity }
        : { id: record.id, record, readAt: requestedAt },
    );
  }

  /** Looks up one key with a new request. Results of earlier look-ups are not used. */
  async findAnew(item: Item, table: Table, key: MatchKey): Promise<MatchedRecord[]> {
    const readAt = item.client.clock.now();
    const result = await fetchMatches(item, table, [key]);
    return getMatches(result, key).map((record) => ({ id: record.id, record, readAt }));
  }
}

const createUnknownKeyError = (key: MatchKey) =>
  new ApiError({
    message: `Outcome unknown: an earlier item may have created the record with ${key.text}`,
    description:
      'Nothing was sent for this item, because a second record could be created. Check in the service, then run the items of this key again.',
    isOutcomeUnknown: true,
    attempts: 0,
  });
