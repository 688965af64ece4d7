import { uniqBy } from 'lodash';
import { readColumnMapping } from '../../../../shared/kit/columns/columnMapper';
import { readFormValues } from '../../../../shared/kit/columns/formValues';
import { columnsMode, matchColumns } from '../../../../shared/kit/columns/json/columnForm';
import { encodeValues } from '../../../../shared/kit/columns/recordEntries';
import { resolveConnections } from '../../../../shared/kit/connections/resolveConnections';
import { type Item, ITEMS_PER_BATCH } from '../../../../shared/kit/operation/item';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { asThrown } from '../../../../shared/model/input/asThrown';
import { getRawValue } from '../../../../shared/model/records/recordValues';
import { formatPayloadKey, type Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { RequestCache } from '../../../../shared/transport/concurrency/requestCache';
import { ApiError, isRefusedValue } from '../../../../shared/transport/errors/apiError';
import { readAllRecords } from '../read/readAllRecords';
import { buildMatchFilter, createMatchKey, isStray, matchesKey, type MatchKey } from './matchKey';

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
export async function fetchMatches(item: Item, table: Table, keys: MatchKey[]): Promise<LookupResult> {
  const filters = buildMatchFilter(keys);
  const records = await readAllRecords(item.client, { tableId: table.id, filters });
  return { records, hasStrays: records.some((record) => isStray(record, keys)) };
}

/** Looks up the keys of a batch of items with one request, which the items of one user share. */
export class BatchLookup {
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
export const isConclusive = (result: LookupResult, key: MatchKey): boolean =>
  !result.hasStrays || filterMatching(result, key).length > 0;

/**
 * Returns the records of a key.
 * @throws ApiError when no record matches, but the look-up found records of none of the keys. One of them may be
 * the record that the service compares as equal, so no record may be created.
 */
export function getMatches(found: LookupResult, key: MatchKey): ServiceRecord[] {
  const records = filterMatching(found, key);
  if (records.length > 0 || !found.hasStrays) return records;
  const names = key.matches.map(({ slot }) => `"${slot.field.name}"`).join(' and ');
  throw new ApiError({
    message: `It is not clear whether a record matches ${key.text}`,
    description: `The service found records whose ${names} differs from what was looked up. Nothing was created or changed. Match on another column.`,
  });
}
