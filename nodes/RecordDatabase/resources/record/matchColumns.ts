import { uniqBy } from 'lodash';
import { ApiError } from '../../../client/errors/apiError';
import { getRawValue } from '../../../client/fields/recordValues';
import { type Table, formatPayloadKey } from '../../../client/fields/table';
import { type KeyBatch, type MatchKey, createMatchKey, matchesKey } from '../../../client/records/upsert';
import type { ServiceRecord } from '../../../client/responses/schemas';
import type { SyncInput } from '../../../client/sync/planSync';
import { findByKeys } from '../../../client/sync/syncTable';
import { columnsMode, matchColumns, readColumnMapping } from '../../../n8n/columns/columnForm';
import { readFormValues } from '../../../n8n/columns/formValues';
import { encodeValues, resolveConnections } from '../../../n8n/columns/recordEntries';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item, Items } from '../../../n8n/operation/item';

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

/** The keys of the items in a batch, which one request looks up. */
export const createKeyBatch = (item: Item, table: Table): KeyBatch => ({
  name: item.batch,
  listKeys: () => collectKeys(item, table),
});

/** Returns the records with the key of an input item. */
type FindOne = (input: SyncInput) => ServiceRecord[];

/**
 * The records with the keys that a sync creates, looked up just before and just after the creates of 50 items. Another
 * n8n process that syncs the same table at the same time, or another client, may create the same keys. Whichever of the
 * two creates a key last finds both records.
 */
export class KeyLookup {
  private constructor(
    private readonly items: Items,
    private readonly table: Table,
    private readonly columns: string[],
  ) {}

  /** @returns undefined when the service itself keeps a column of the key unique */
  static open(items: Items, table: Table): KeyLookup | undefined {
    const columns = readMatchColumns(items.get(0), table);
    const isUnique = columns
      .map((name) => table.resolvePayloadField(name, 'Columns to Match On'))
      .some(({ field, part }) => field.unique && !part);
    return isUnique ? undefined : new KeyLookup(items, table, columns);
  }

  /**
   * Looks up the keys with one request. Keys that the service cannot look up count as not found, and so does one that may
   * hold the name of a connected record that does not exist yet.
   * @throws ApiError
   */
  async find(inputs: SyncInput[]): Promise<FindOne> {
    const { client } = this.items.get(0);
    const known = inputs.filter(({ hasMissing }) => !hasMissing);
    const records = known.length > 0 ? await findByKeys(client, this.table, known, this.columns) : undefined;
    return ({ entries, hasMissing }) => {
      if (!records || hasMissing) return [];
      const key = createMatchKey(this.columns, entries, this.table);
      return records.filter((record) => matchesKey(record, key));
    };
  }
}

/** Several records have the key of an item, so each further Sync is refused. */
export class DoubledKeyError extends ApiError {
  constructor({ key }: SyncInput, ids: string[]) {
    super({
      message: `Several records have the key ${key}: ${ids.join(', ')}`,
      description:
        'Another client, or a Sync of another n8n process, created the key at the same time. Delete all of these records but one. A column to match on that is unique in the service prevents this.',
    });
    this.name = 'DoubledKeyError';
  }
}
