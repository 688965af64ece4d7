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
 * Creates a record with a key, or updates those that have it ("upsert"). Upserts of one key run one after the other in
 * this process, those of one execution in the order of the calls. If another client creates or deletes the record
 * meanwhile, the key is looked up once more. If the answer to the create is lost, the record is looked up.
 * @param open reads the key of the item. Called at once
 * @returns the result of each record that was updated, or of the one that was created
 * @example
 * const key = createMatchKey([table.resolvePayloadField('email', 'Key')], entries);
 * const update = (recordId, change) => updateRecord(client, { table, recordId, ...change, timeZone: 'UTC' });
 * const create = (creation) => createRecord(client, creation);
 * await upsertRecord(client, async () => ({ table, key, prepare: async () => entries, update, create }));
 * // [{ action: 'updated', record: { … } }]
 * @throws ApiError for a failed request, or when it is not clear whether a record matches
 */
export function upsertRecord<T>(client: Client, open: () => Promise<UpsertSteps<T>>): Promise<T[]> {
  return getOrder(client.execution).run(open, (upsert, place) =>
    runInOrder(client, upsert, (found) => writeFound(client, upsert, place, found)),
  );
}

/** A matching record. `record` has its values, unless this run created it. */
interface MatchedRecord {
  id: string;
  record?: ServiceRecord;
  /** When `record` was requested: see `DatedRecord`. */
  readAt: number;
}

/** The key of an item, and further keys for the same request. Without them, the key is looked up alone. */
interface ItemKey {
  table: Table;
  key: MatchKey;
  batch?: KeyBatch;
}

/** Number of written fields that are kept, at least those of all items that have not ended. */
const MAX_WRITERS = 5_000;

/** What the items of one execution share, whichever user they run as. */
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
   * Takes the next position in the order, and prepares an item. `enter` is called when all earlier items have entered, or
   * their preparation has failed. It may enter a queue; later items do not wait for its result.
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
    if (this.writers.size < MAX_WRITERS) return;
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

/**
 * Runs `task` with the matching records, after all earlier items with the same key have ended: the first may create the record
 * that the next ones update.
 */
function runInOrder<T>(
  client: Client,
  item: ItemKey,
  task: (found: MatchedRecord[]) => Promise<T>,
): Promise<T> {
  const name = hashMatchKey(item.table, item.key);
  return takeTurn(client, ['matchKey', name], async () => {
    const created = getReadings(client).created.get(name);
    if (!created) return task(await findMatches(client, item));
    const { id, key } = created;
    if (key.id === item.key.id) return task([{ id, readAt: READ_AGAIN }]);
    throw createSimilarKeyError(item.key, id, key.text);
  });
}

/** Creates the record of a key. Later items with the key update the record, or fail if its outcome is unknown. */
function createMatch<T>(
  client: Client,
  { table, key, create }: UpsertSteps<T>,
  entries: PayloadEntries,
  place: number,
): Promise<T> {
  const name = hashMatchKey(table, key);
  const order = getOrder(client.execution);
  if (order.unknownKeys.has(name)) throw createUnknownKeyError(key);
  const find = async () => (await findMatches(client, { table, key }))[0]?.record;
  const onCreated = (id: string) => {
    getReadings(client).created.set(name, { key, id });
    order.omitOverwritten(table, id, entries, place);
  };
  return create({ table, entries, key, find, onCreated }).catch((error: unknown) => {
    if (error instanceof ApiError && error.isOutcomeUnknown) order.unknownKeys.add(name);
    throw asThrown(error);
  });
}

/**
 * Finds the records of a key, with those of its batch in one request. Without a batch, or if the key was created after that
 * request, it is looked up alone.
 */
async function findMatches(client: Client, { table, key, batch }: ItemKey): Promise<MatchedRecord[]> {
  const name = hashMatchKey(table, key);
  const isOutdated = (time: number) => wasWrittenSince(client, ['matchKey', name], time);
  const { records, requestedAt } = await getReader(client, table).findKey(key, { batch, isOutdated });
  return records.map((record) => ({ id: record.id, record, readAt: requestedAt }));
}

const createUnknownKeyError = (key: MatchKey) =>
  new ApiError({
    message: `Outcome unknown: an earlier item may have created the record with ${key.text}`,
    description:
      'Nothing was sent for this item, because a second record could be created. Check in the service, then run the items with these values again.',
    isOutcomeUnknown: true,
    attempts: 0,
  });

/**
 * Whether an error shows that another client created or deleted the record after the look-up. With several matches it
 * is false: a second attempt would write those again that were updated.
 */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.refs.map(({ field }) => field.slug);
  return found.length === 0
    ? isDuplicateError(error, slugs)
    : found.length === 1 && isNotFoundByService(error);
}

const listIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

/** The steps of an upsert. `upsertRecord` calls each when its turn has come. */
interface UpsertSteps<T> extends ItemKey {
  /** Prepares the values. Called once, after all earlier upserts of the key have ended. */
  prepare(): Promise<PayloadEntries>;
  /** Selects the matching records that are updated. By default they all are. @throws InputError for several ones */
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

async function writeFound<T>(
  client: Client,
  upsert: UpsertSteps<T>,
  place: number,
  found: MatchedRecord[],
): Promise<T[]> {
  const { table, key, connectionChange = 'replace' } = upsert;
  const order = getOrder(client.execution);
  const entries = await upsert.prepare();
  // Lists of connections to add or remove are always sent: they do not overwrite what other items wrote.
  const lists = connectionChange === 'replace' ? [] : difference(entries, omitLists(table, entries));
  const updateAll = async (matches: MatchedRecord[]): Promise<T[]> => {
    const results: T[] = [];
    for (const { id, record, readAt } of upsert.select?.(matches) ?? matches) {
      const given = omitUntidyValues(entries, key);
      const last = union(order.omitOverwritten(table, id, given, place), lists);
      results.push(await upsert.update(id, { entries: last, before: record && { record, readAt } }));
    }
    return results;
  };
  const createOne = async (): Promise<T> => {
    const all = (await upsert.prepareNew?.(entries)) ?? entries;
    const created = connectionChange === 'remove' ? omitLists(table, all) : all;
    return createMatch(client, upsert, created, place);
  };
  const write = async (matches: MatchedRecord[]): Promise<T[]> =>
    matches.length > 0 ? updateAll(matches) : [await createOne()];
  return write(found).catch(async (error: unknown) => {
    if (!isLookupOutdated(error, key, found)) throw asThrown(error);
    const matches = await findMatches(client, { table, key });
    // A second attempt with the same records would fail in the same way.
    if (isEqual(listIds(matches), listIds(found))) throw asThrown(error);
    return write(matches);
  });
}
