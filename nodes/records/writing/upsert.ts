/**
 * Updates the records that have a key, or creates one. `upsertRecord` runs the items with one key one after the other,
 * and looks up the key before it writes.
 */
import { difference, isEqual, union } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  isNotFoundByService,
  KeyedQueue,
  memory,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { createSimilarKeyError, hashMatchKey, type MatchKey, omitUntidyValues } from '../reading/matchKey';
import { type DatedRecord, getReader, getReadings, type KeyBatch, READ_AGAIN } from '../reading/recordReader';
import { type ConnectionChange, omitLists } from './changeConnections';
import { isDuplicateError, type RecordCreation } from './createRecord';
import { takeTurn, wasWrittenSince } from './turns';

/**
 * Creates a record with a key, or updates the records that have it ("upsert"). Upserts of one key run one after the other
 * in this process, upserts of one execution in the order of the calls. If another client creates or deletes the record
 * meanwhile, the key is looked up once more. If the answer to the create is lost, the record is looked up.
 * @param open reads the key of the item. Called at once
 * @returns the result of each updated record, or the result of the created record
 * @example
 * const key = createMatchKey([table.resolvePayloadField('email', 'Key')], entries);
 * const update = (recordId, change) => updateRecord(client, { table, recordId, ...change, timeZone: 'UTC' });
 * const create = (creation) => createRecord(client, creation);
 * await upsertRecord(client, async () => ({ table, key, prepare: async () => entries, update, create }));
 * // [{ action: 'updated', record: { … } }]
 * @throws ApiError for a failed request, or when it is not clear whether a record matches
 */
export function upsertRecord<T>(client: Client, open: () => Promise<UpsertSteps<T>>): Promise<T[]> {
  const order = getOrder(client.execution);
  return order.run(open, (steps, place) => new Upsert(client, order, steps, place).run());
}

/** A record with the key. `record` is undefined if this run created it: its values were not read. */
interface MatchedRecord {
  id: string;
  record?: ServiceRecord;
  /** When `record` was requested: see `DatedRecord`. */
  readAt: number;
}

/**
 * The order in which the items of one execution have called `upsertRecord`, and what these items share, whichever user they
 * run as.
 */
class UpsertOrder {
  /** Items enter the queues of their keys here, in the order of the input. */
  private readonly entrance = new KeyedQueue();
  /** Keys whose record may exist, because the response to its create was lost. */
  readonly unknownKeys = new Set<string>();
  /** The last item that wrote a field of a record, by the ID of the record and the slug of the field. */
  private readonly writers = new Map<string, number>();
  /** The positions of the items that have not ended. */
  private readonly active = new Set<number>();
  private count = 0;

  /**
   * Gives an item the next position, `place`, and prepares the item. `enter` is called when all earlier items have entered, or
   * their preparation has failed. `enter` may wait in a queue: later items do not wait for its result.
   */
  run<P, T>(prepare: () => Promise<P>, enter: (prepared: P, place: number) => Promise<T>): Promise<T> {
    const place = this.count++;
    this.active.add(place);
    const prepared = prepare();
    // The preparation may fail before anything waits for it. Without this handler, Node.js would end n8n.
    prepared.catch(() => undefined);
    let result: Promise<T> | undefined;
    const entered = this.entrance.run('', async () => {
      const ready = await prepared;
      result = enter(ready, place);
      result.catch(() => undefined);
    });
    return entered.then(() => result as Promise<T>).finally(() => this.end(place));
  }

  /**
   * Removes the fields that only ended items have written. They are no longer needed, because each item that writes from
   * now on has a later position.
   */
  private end(place: number): void {
    this.active.delete(place);
    const first = Math.min(...this.active);
    for (const [name, writer] of this.writers) if (writer < first) this.writers.delete(name);
  }

  /** Leaves out the values of fields that a later item has already written: two keys may match one record. */
  omitOverwritten(table: Table, recordId: string, entries: PayloadEntries, place: number): PayloadEntries {
    return entries.filter(([key]) => {
      const name = JSON.stringify([table.id, recordId, key]);
      const isLast = (this.writers.get(name) ?? -1) <= place;
      if (isLast) this.writers.set(name, place);
      return isLast;
    });
  }
}

const getOrder = memory.attached<object, UpsertOrder>(
  'upsertOrders',
  { to: 'execution', holds: 'the order of the items of Create or Update' },
  () => new UpsertOrder(),
);

const createUnknownKeyError = (key: MatchKey) =>
  new ApiError({
    message: `Outcome unknown: an earlier item may have created the record with ${key.text}`,
    description:
      'Nothing was sent for this item, because a second record could be created. Check in the service, then run the items with these values again.',
    isOutcomeUnknown: true,
    attempts: 0,
  });

/**
 * Whether an error shows that another client created or deleted the record after the look-up. False if several records
 * match: a second attempt would update some of them twice.
 */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.refs.map(({ field }) => field.slug);
  return found.length === 0
    ? isDuplicateError(error, slugs)
    : found.length === 1 && isNotFoundByService(error);
}

const listIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

/** The steps of an upsert. `upsertRecord` calls each when its turn has come. */
interface UpsertSteps<T> {
  table: Table;
  key: MatchKey;
  /** Further keys for the same request. Without them, the key is looked up alone. */
  batch?: KeyBatch;
  /** Prepares the values. Called once, after all earlier upserts of the key have ended. */
  prepare(): Promise<PayloadEntries>;
  /** Selects the matching records that are updated. By default, all are updated. @throws InputError for several records */
  select?(matches: MatchedRecord[]): MatchedRecord[];
  /** What an update does with connections to several records: they are replaced by default. A new record has none to remove. */
  connectionChange?: ConnectionChange;
  /**
   * Updates a matching record.
   * @param change the values that no later item has written, and the record if it was read
   */
  update(id: string, change: { entries: PayloadEntries; before?: DatedRecord }): Promise<T>;
  /** Completes the values of a new record. By default, a new record has the values of an update. */
  prepareNew?(entries: PayloadEntries): Promise<PayloadEntries>;
  /** Creates the record, with `createRecord`. */
  create(creation: RecordCreation): Promise<T>;
}

/** The upsert of one item. `place` is the position of the item in `order`. */
class Upsert<T> {
  /** The hash of the key. */
  private readonly name: string;

  constructor(
    private readonly client: Client,
    private readonly order: UpsertOrder,
    private readonly steps: UpsertSteps<T>,
    private readonly place: number,
  ) {
    this.name = hashMatchKey(steps.table, steps.key);
  }

  /**
   * Writes the matching records, after all earlier items with the same key have ended: the first may create the record that
   * the next items update.
   */
  run(): Promise<T[]> {
    const { client, name } = this;
    const { key, batch } = this.steps;
    return takeTurn(client, ['matchKey', name], async () => {
      const created = getReadings(client).created.get(name);
      if (!created) return this.write(await this.find(batch));
      if (created.key.id === key.id) return this.write([{ id: created.id, readAt: READ_AGAIN }]);
      throw createSimilarKeyError(key, created.id, created.key.text);
    });
  }

  /**
   * Finds the records of the key, with those of a batch in one request. Without a batch, or if the key was created after
   * that request, it is looked up alone.
   */
  private async find(batch?: KeyBatch): Promise<MatchedRecord[]> {
    const { client, name } = this;
    const { table, key } = this.steps;
    const isOutdated = (time: number) => wasWrittenSince(client, ['matchKey', name], time);
    const { records, requestedAt } = await getReader(client, table).findKey(key, { batch, isOutdated });
    return records.map((record) => ({ id: record.id, record, readAt: requestedAt }));
  }

  private async write(found: MatchedRecord[]): Promise<T[]> {
    const entries = await this.steps.prepare();
    const write = async (matches: MatchedRecord[]): Promise<T[]> =>
      matches.length > 0 ? this.update(matches, entries) : [await this.create(entries)];
    return write(found).catch(async (error: unknown) => {
      if (!isLookupOutdated(error, this.steps.key, found)) throw asThrown(error);
      const matches = await this.find();
      // A second attempt with the same records would fail in the same way.
      if (isEqual(listIds(matches), listIds(found))) throw asThrown(error);
      return write(matches);
    });
  }

  private async update(matches: MatchedRecord[], entries: PayloadEntries): Promise<T[]> {
    const { order, steps, place } = this;
    const { table, key, connectionChange = 'replace' } = steps;
    // Lists of connections to add or remove are always sent: they do not overwrite what other items wrote.
    const lists = connectionChange === 'replace' ? [] : difference(entries, omitLists(table, entries));
    const results: T[] = [];
    for (const { id, record, readAt } of steps.select?.(matches) ?? matches) {
      const given = omitUntidyValues(entries, key);
      const last = union(order.omitOverwritten(table, id, given, place), lists);
      results.push(await steps.update(id, { entries: last, before: record && { record, readAt } }));
    }
    return results;
  }

  /** Creates the record of the key. Later items with the key update the record, or fail if its outcome is unknown. */
  private async create(given: PayloadEntries): Promise<T> {
    const { client, order, steps, place, name } = this;
    const { table, key } = steps;
    const all = (await steps.prepareNew?.(given)) ?? given;
    const entries = steps.connectionChange === 'remove' ? omitLists(table, all) : all;
    if (order.unknownKeys.has(name)) throw createUnknownKeyError(key);
    const find = async () => (await this.find())[0]?.record;
    const onCreated = (id: string) => {
      getReadings(client).created.set(name, { key, id });
      order.omitOverwritten(table, id, entries, place);
    };
    return steps.create({ table, entries, key, find, onCreated }).catch((error: unknown) => {
      if (error instanceof ApiError && error.isOutcomeUnknown) order.unknownKeys.add(name);
      throw asThrown(error);
    });
  }
}
