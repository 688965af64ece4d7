import type { Item } from '../../../../shared/kit/operation/item';
import { asThrown } from '../../../../shared/model/input/asThrown';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { systemClock } from '../../../../shared/transport/clock';
import { ApiError } from '../../../../shared/transport/errors/apiError';
import { BatchLookup, fetchMatches, getMatches, isConclusive } from './batchLookup';
import type { MatchKey } from './matchKey';
import { formatKeyName, matchKeyQueue, noteCreate, wasCreatedSince } from './matchKeyQueue';

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
    const readAt = systemClock.now();
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
