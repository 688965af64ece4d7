import { ApiError } from '../../../client/errors/apiError';
import type { Table } from '../../../client/fields/table';
import { createMatchKey, matchesKey } from '../../../client/records/upsert';
import type { ServiceRecord } from '../../../client/responses/records';
import type { SyncInput } from '../../../client/sync/planSync';
import { findByKeys } from '../../../client/sync/syncTable';
import type { Items } from '../../../n8n/operation/item';
import { readMatchColumns } from './matchColumns';

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
