import { isEqual } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  isNotFoundByService,
  memory,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { type KeyBatch, KeyLookup, type MatchKey, findByKey } from '../reading/findByValues';
import { hashText } from '../reading/hashing';
import { READ_AGAIN } from '../reading/readRecords';
import { createOnce, isDuplicateError } from './createOnce';

const matchKeyQueue = memory.queue('matchKeyQueue', {
  per: 'app',
  holds: 'items of Create or Update with one match key',
});

/** Times are milliseconds of `performance.now()`, as those of `RequestCache`. */
const lastCreates = memory.store<number, 'app'>('lastCreates', {
  per: 'app',
  holds: 'when a match key was last created: a look-up that is older is repeated',
  max: 10_000,
});

/** Characters of the hash of a match key, 6 bits each: 132 bits. */
const KEY_HASH_LENGTH = 22;

/** The hash of a match key. A key may be 50 kB long, and up to 10,000 hashes are kept. */
export const hashMatchKey = (table: Table, key: MatchKey): string =>
  hashText(
    JSON.stringify([table.id, key.matches.map(({ ref }) => [ref.field.slug, ref.part?.payload]), key.text]),
    KEY_HASH_LENGTH,
  );

/** Records the time of a create. Call it before the request, because earlier look-ups do not contain the new record. */
export const noteCreate = (client: Client, name: string): void =>
  lastCreates.set(client, [name], performance.now());

export const wasCreatedSince = (client: Client, name: string, time: number): boolean =>
  (lastCreates.get(client, [name]) ?? -1) >= time;

/** A matching record. `record` has its values, unless the record was written after they were read. */
export interface MatchedRecord {
  id: string;
  record?: ServiceRecord;
  /** When `record` was requested: see `DatedRecord`. */
  readAt: number;
}

/**
 * Finds the records that match the items of one execution, and orders their writes. The items of a batch share the look-up
 * of their keys. Items with the same key run one after the other, because the first may create the record that the next
 * ones update: the IDs of created records are kept here.
 */
class UpsertCoordinator {
  private readonly lookup = new KeyLookup();
  private readonly createdIds = new Map<string, string>();
  /** IDs of records that were written after they were read. Their values are not used any more. */
  private readonly written = new Set<string>();
  /** Keys whose record may exist, because the response to its create was lost. */
  private readonly unknownKeys = new Set<string>();

  /** Runs `task` with the matching records, after all earlier items with the same key have ended. */
  runInOrder<T>(
    client: Client,
    table: Table,
    key: MatchKey,
    batch: KeyBatch,
    task: (found: MatchedRecord[]) => Promise<T>,
  ): Promise<T> {
    const name = hashMatchKey(table, key);
    return matchKeyQueue.run(client, [name], async () => {
      const id = this.createdIds.get(name);
      return task(
        id === undefined ? await this.find(client, table, key, batch) : [{ id, readAt: READ_AGAIN }],
      );
    });
  }

  /** Sends the create for a key. Later items with the key update the record, or fail if its outcome is unknown. */
  async create<T>(
    client: Client,
    table: Table,
    key: MatchKey,
    send: () => Promise<{ id: string; value: T }>,
  ): Promise<T> {
    const name = hashMatchKey(table, key);
    if (this.unknownKeys.has(name)) throw createUnknownKeyError(key);
    noteCreate(client, name);
    try {
      const { id, value } = await send();
      this.createdIds.set(name, id);
      return value;
    } catch (error) {
      if (error instanceof ApiError && error.isOutcomeUnknown) this.unknownKeys.add(name);
      throw asThrown(error);
    }
  }

  /** Call it before a record is written. Its values that were read earlier are not used any more. */
  noteWrite(id: string): void {
    this.written.add(id);
  }

  /**
   * Takes the records from the look-up of the batch. The key is looked up alone if that one does not show whether a record
   * has it, and if it was created after the request.
   */
  private async find(client: Client, table: Table, key: MatchKey, batch: KeyBatch): Promise<MatchedRecord[]> {
    const found = await this.lookup.find(client, table, key, batch);
    if (!found || wasCreatedSince(client, hashMatchKey(table, key), found.requestedAt))
      return this.findAnew(client, table, key);
    const { records, requestedAt } = found;
    return records.map((record) =>
      this.written.has(record.id)
        ? { id: record.id, readAt: READ_AGAIN }
        : { id: record.id, record, readAt: requestedAt },
    );
  }

  /** Looks up one key with a new request. */
  async findAnew(client: Client, table: Table, key: MatchKey): Promise<MatchedRecord[]> {
    const readAt = client.clock.now();
    const records = await findByKey(client, table, key);
    return records.map((record) => ({ id: record.id, record, readAt }));
  }
}

const createUnknownKeyError = (key: MatchKey) =>
  new ApiError({
    message: `Outcome unknown: an earlier item may have created the record with ${key.text}`,
    description:
      'Nothing was sent for this item, because a second record could be created. Check in the service, then run the items with these values again.',
    isOutcomeUnknown: true,
    attempts: 0,
  });

const getCoordinator = memory.attached<Client, UpsertCoordinator>(
  'upsertCoordinators',
  { to: 'client', holds: 'the records that Create or Update has found and created' },
  () => new UpsertCoordinator(),
);

/**
 * Whether an error shows that another client created or deleted the record after the look-up. With several matches it
 * is false: a second attempt would write those again that were updated.
 */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.matches.map(({ ref }) => ref.field.slug);
  return found.length === 0
    ? isDuplicateError(error, slugs)
    : found.length === 1 && isNotFoundByService(error);
}

const listIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

/** The steps of an upsert. `upsertRecord` calls each when its turn has come. */
interface UpsertSteps<T> {
  table: Table;
  key: MatchKey;
  /** Further keys for the same request. By default the key is looked up alone. */
  batch?: KeyBatch;
  /** Prepares the values. Called once, after all earlier upserts of the key have ended. */
  prepare(): Promise<PayloadEntries>;
  /**
   * Updates the matching records, at least one.
   * @param noteWrite call it with the ID of each record before the record is written
   */
  update(entries: PayloadEntries, matches: MatchedRecord[], noteWrite: (id: string) => void): Promise<T>;
  /** Completes the values of a new record. By default they are those of an update. */
  prepareNew?(entries: PayloadEntries): Promise<PayloadEntries>;
  /** Sends the create. */
  create(entries: PayloadEntries): Promise<CreatedRecord>;
  /** Checks the created record, and converts it to the result. */
  finish(body: CreatedRecord, entries: PayloadEntries): Promise<T>;
}

/**
 * Creates a record with a key, or updates those that have it ("upsert"). Upserts of one key run one after the other in
 * this process. If another client creates or deletes the record meanwhile, the key is looked up once more. If the answer to
 * the create is lost, the record is looked for.
 * @example
 * const key = createMatchKey(['email'], entries, table);
 * await client.records.upsert({ table, key, prepare: async () => entries, update, create, finish });
 * @throws ApiError for a failed request, or when it is not clear whether a record matches
 */
export function upsertRecord<T>(client: Client, upsert: UpsertSteps<T>): Promise<T> {
  const { table, key } = upsert;
  const coordinator = getCoordinator(client);
  const find = () => coordinator.findAnew(client, table, key);
  const batch = upsert.batch ?? { name: key.text, listKeys: async () => [key] };
  return coordinator.runInOrder(client, table, key, batch, async (found) => {
    const entries = await upsert.prepare();
    const createOne = async (created: PayloadEntries) => {
      const { body } = await createOnce(client, {
        send: () => upsert.create(created),
        find: async () => (await find())[0]?.record,
      });
      return { id: body.id, value: await upsert.finish(body, created) };
    };
    const write = async (matches: MatchedRecord[]): Promise<T> => {
      if (matches.length > 0) return upsert.update(entries, matches, (id) => coordinator.noteWrite(id));
      const created = (await upsert.prepareNew?.(entries)) ?? entries;
      return coordinator.create(client, table, key, () => createOne(created));
    };
    return write(found).catch(async (error: unknown) => {
      if (!isLookupOutdated(error, key, found)) throw asThrown(error);
      const matches = await find();
      // The look-up found the same records, so a second attempt would fail in the same way.
      if (isEqual(listIds(matches), listIds(found))) throw asThrown(error);
      return write(matches);
    });
  });
}
