import { isEqual } from 'lodash';
import { ApiError, asThrown, type Client, isNotFoundByService, isRepeatUnsafe, memory } from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import {
  createMatchKey,
  createSimilarKeyError,
  hashMatchKey,
  type MatchKey,
  omitKeyValuesWithExtraBlanks,
} from '../reading/matchKey';
import { type DatedRecord, getReader, getRunCache, type KeyBatch } from '../reading/recordReader';
import { isDuplicateError, type RecordCreation } from './createRecord';
import { runInTurn, wasWrittenSince } from './turns';

/**
 * Updates the records that have a key, or creates a record if there is none ("upsert"). Upserts of one key run one
 * after the other in this process, in the order of the calls. If another client creates or deletes the record
 * meanwhile, the key is looked up once more.
 * @param readSteps reads the key of the item, and returns the steps of its upsert. Called at once
 * @returns the result of each updated record, or the result of the created record
 * @example
 * const key = createMatchKey([table.requireWritableRef('email', 'Key')], entries);
 * const update = (recordId, change) => updateRecord(client, { table, recordId, ...change, timeZone: 'UTC' });
 * const create = (creation) => createRecord(client, creation);
 * await upsertRecord(client, async () => ({ table, key, prepare: async () => entries, update, create }));
 * // [{ action: 'updated', record: { … } }]
 * @throws ApiError for a failed request, or if it is not clear whether a record matches
 */
export function upsertRecord<T>(client: Client, readSteps: () => Promise<UpsertSteps<T>>): Promise<T[]> {
  const queue = getUpsertQueue(client.execution);
  return queue.runInOrder(readSteps, (steps) => new UpsertRun(client, queue, steps).run());
}

/** A record that has the key. `before` is undefined if this run created the record and did not read it. */
interface MatchedRecord {
  id: string;
  before?: DatedRecord;
}

/** Keeps the order of the items that call `upsertRecord` in one execution. */
class UpsertQueue {
  /** Resolves when `enter` was called for all earlier items. */
  private lastEntry: Promise<unknown> = Promise.resolve();
  /** Hashes of the keys for which the outcome of a create is unknown, so that a record may exist. */
  readonly unknownKeys = new Set<string>();

  /** Calls `prepare` at once, and `enter` in the order of the items. Does not await the end of the earlier `enter`. */
  async runInOrder<P, T>(prepare: () => Promise<P>, enter: (prepared: P) => Promise<T>): Promise<T> {
    const prepared = prepare();
    const entered = this.lastEntry.then(async () => ({ result: enter(await prepared) }));
    // Without these handlers, an early failure would end the process of n8n.
    prepared.catch(() => undefined);
    this.lastEntry = entered.catch(() => undefined);
    return (await entered).result;
  }
}

const getUpsertQueue = memory.attach<object, UpsertQueue>(
  'upsertOrders',
  { to: 'execution', holds: 'the order of the items of Create or Update' },
  () => new UpsertQueue(),
);

const createUnknownOutcomeError = (key: MatchKey) =>
  new ApiError({
    message: `Outcome unknown: an earlier item may have created the record with ${key.text}`,
    description:
      'Nothing was sent for this item, because a second record could be created. Check in the service, then run the items with these values again.',
    isOutcomeUnknown: true,
    sentCount: 0,
  });

/** Whether another client created or deleted the record. False for several records: a retry would repeat updates. */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.refs.map(({ field }) => field.slug);
  return found.length === 0
    ? isDuplicateError(error, slugs)
    : found.length === 1 && isNotFoundByService(error);
}

const listRecordIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

interface UpsertSteps<T> {
  table: Table;
  key: MatchKey;
  /** The keys of other items, which the same request looks up. By default, the key is looked up alone. */
  batch?: KeyBatch;
  /** Returns the values to write. Called once, after all earlier upserts of the key have ended. */
  prepare(): Promise<PayloadEntries>;
  /** By default, all records that have the key are updated. @throws InputError if several records are not allowed */
  select?(matches: MatchedRecord[]): MatchedRecord[];
  /** `entries` come from `omitKeyValuesWithExtraBlanks`. `before` is the record, if it was read. */
  update(id: string, change: { entries: PayloadEntries; before?: DatedRecord }): Promise<T>;
  /** Returns the values of a new record. By default, they are the values of an update. */
  prepareNew?(entries: PayloadEntries): Promise<PayloadEntries>;
  create(creation: RecordCreation): Promise<T>;
}

class UpsertRun<T> {
  private readonly keyHash: string;

  constructor(
    private readonly client: Client,
    private readonly queue: UpsertQueue,
    private readonly steps: UpsertSteps<T>,
  ) {
    this.keyHash = hashMatchKey(steps.table, steps.key);
  }

  /**
   * Items with one key run one after the other: the first may create the record that the next ones update. If the key
   * contains a connection to several records, a record has several keys, so all items of the table run in turn.
   */
  run(): Promise<T[]> {
    const { table, key } = this.steps;
    const turn = key.refs.some(({ field }) => field.connection?.many) ? table.id : this.keyHash;
    return runInTurn(this.client, ['matchKey', turn], async () => {
      const lookedUpAt = this.client.clock.now();
      return this.write(this.findCreatedRecord() ?? (await this.lookUpKey(this.steps.batch)), lookedUpAt);
    });
  }

  /** @throws ApiError for a record whose key differs in case only */
  private findCreatedRecord(): MatchedRecord[] | undefined {
    const { key } = this.steps;
    const created = getRunCache(this.client).createdByKey.get(this.keyHash);
    if (!created || created.key.lookupKey === key.lookupKey) return created && [{ id: created.id }];
    throw createSimilarKeyError(key, created.id, created.key.text);
  }

  /** One request looks up all keys of the batch. A key that was written after this request is looked up alone. */
  private async lookUpKey(batch?: KeyBatch): Promise<MatchedRecord[]> {
    const { client, keyHash } = this;
    const { table, key } = this.steps;
    const isOutdated = (time: number) => wasWrittenSince(client, ['matchKey', keyHash], time);
    const { records, requestedAt } = await getReader(client, table).findByKey(key, { batch, isOutdated });
    return records.map((record) => ({ id: record.id, before: { record, readAt: requestedAt } }));
  }

  private async write(found: MatchedRecord[], lookedUpAt: number): Promise<T[]> {
    const entries = await this.steps.prepare();
    const write = async (matches: MatchedRecord[]): Promise<T[]> =>
      matches.length > 0 ? this.update(matches, entries) : this.create(entries, lookedUpAt);
    return write(found).catch(async (error: unknown) => {
      if (!isLookupOutdated(error, this.steps.key, found)) throw asThrown(error);
      const matches = await this.lookUpKey();
      // If the key still has the same records, a second attempt would fail too.
      if (isEqual(listRecordIds(matches), listRecordIds(found))) throw asThrown(error);
      return write(matches);
    });
  }

  private async update(matches: MatchedRecord[], given: PayloadEntries): Promise<T[]> {
    const { steps } = this;
    const entries = omitKeyValuesWithExtraBlanks(given, steps.key);
    const results: T[] = [];
    for (const { id, before } of steps.select?.(matches) ?? matches)
      results.push(await steps.update(id, { entries, before }));
    return results;
  }

  /**
   * If another item has meanwhile created the record as a connected record, updates it. Later items fail if the
   * outcome of the create is unknown.
   */
  private async create(given: PayloadEntries, lookedUpAt: number): Promise<T[]> {
    const { client, queue, steps, keyHash } = this;
    const { table, key } = steps;
    const entries = (await steps.prepareNew?.(given)) ?? given;
    const known = createMatchKey(key.refs, entries);
    if (known.lookupKey !== key.lookupKey) {
      // The key contained the name of a connected record that exists now. The key with its ID is looked up only if this
      // process has created a record with that key: a look-up for each item would double the requests of a Sync.
      const prepared = { prepare: async () => given, prepareNew: async () => entries };
      const withId = { ...steps, ...prepared, key: known, batch: undefined };
      return new UpsertRun(client, queue, withId).write([], 0);
    }
    if (queue.unknownKeys.has(keyHash)) throw createUnknownOutcomeError(key);
    const find = async () => (await this.lookUpKey())[0]?.before?.record;
    const results: T[] = [];
    const found = await runInTurn(client, ['creation', keyHash], async () => {
      const isOutdated = wasWrittenSince(client, ['matchKey', keyHash], lookedUpAt);
      const matches = this.findCreatedRecord() ?? (isOutdated ? await this.lookUpKey() : []);
      if (matches.length === 0) results.push(await steps.create({ table, entries, key, find }));
      return matches;
    }).catch((error: unknown) => {
      if (isRepeatUnsafe(error)) queue.unknownKeys.add(keyHash);
      throw asThrown(error);
    });
    return found.length > 0 ? this.update(found, given) : results;
  }
}
