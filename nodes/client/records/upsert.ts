import { isEqual } from 'lodash';
import { findAfterLostResponse } from '../concurrency/wait';
import { ApiError, isRefusedValue, isNotFoundByService } from '../errors/apiError';
import { findFieldTexts } from '../errors/serviceErrors';
import type { Field, PayloadEntries, PayloadValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import { equals, readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterId, getValueField } from '../fields/table';
import type { FilterGroup, FilterItem } from '../filter/tree';
import type { HttpClient } from '../http/client';
import { InputError, asThrown } from '../input/inputError';
import { RequestCache, memory } from '../memory/memory';
import type { CreatedRecord, ServiceRecord } from '../responses/schemas';
import { hashText } from './hashing';
import { readAllRecords } from './readRecords';

/** A match column and the value to look up. */
interface Match {
  slot: FieldRef;
  value: string | number;
}

/** The values that identify the record of an item. */
export interface MatchKey {
  matches: Match[];
  /** Items with equal texts refer to the same record. */
  text: string;
}

function toScalar(value: PayloadValue | undefined): string | number | undefined {
  if (typeof value === 'number') return value;
  const [text, ...others] = [value].flat();
  // White space alone is a missing value, as in a cell that looks empty.
  return typeof text === 'string' && text.trim() !== '' && others.length === 0 ? text : undefined;
}

/** @throws InputError when a match column is unknown or the item does not have a single value for it */
export function createMatchKey(columns: string[], entries: PayloadEntries, table: Table): MatchKey {
  if (columns.length === 0) {
    throw new InputError(
      'There is no column to match on',
      'Choose at least one under "Columns to Match On".',
    );
  }
  const matches = columns.map((column): Match => {
    const slot = table.resolvePayloadField(column, 'Columns to Match On');
    const value = toScalar(entries.find(([key]) => key === column)?.[1]);
    if (value === undefined) {
      throw new InputError(
        `The match column "${slot.field.name}" has no value`,
        'Give it a single value in every item. An expression may have returned nothing.',
      );
    }
    return { slot, value };
  });
  return { matches, text: JSON.stringify(matches.map(({ value }) => value)) };
}

const toFilterItem = ({ slot, value }: Match): FilterItem => ({
  field_id: formatFilterId(slot),
  ...getKind(getValueField(slot)).createMatch(value),
});

/** Builds one filter that finds the records of several keys (spec: Filters, nested groups). */
export function buildMatchFilter(keys: MatchKey[]): FilterGroup {
  const groups = keys.map(({ matches }): FilterGroup => ({
    condition: 'AND',
    items: matches.map(toFilterItem),
    child: [],
  }));
  const singles = groups.flatMap(({ items }) => (items.length === 1 ? items : []));
  return { condition: 'OR', items: singles, child: groups.filter(({ items }) => items.length > 1) };
}

/** Whether a value of a record equals the wanted value in any notation. A list must contain the wanted value. */
export function isSameValue(found: unknown, wanted: string | number, field: Field): boolean {
  const value = getKind(field).read(found, field);
  return Array.isArray(value) ? value.includes(wanted) : equals(found, wanted, field);
}

const trimText = (value: unknown) => String(value).trim();
const { compare } = new Intl.Collator('en', { sensitivity: 'base' });

/** Compares without case, accents and outer spaces, as a service may do although the filter requires equality. */
const isSimilarValue: typeof isSameValue = (found, wanted, field) =>
  isSameValue(found, wanted, field) ||
  [found].flat().some((entry) => compare(trimText(entry), trimText(wanted)) === 0);

const hasKeyValues = (record: ServiceRecord, { matches }: MatchKey, same: typeof isSameValue): boolean =>
  matches.every(({ slot, value }) => same(readValue(record, slot), value, getValueField(slot)));

/** Whether a record belongs to a key. */
export const matchesKey = (record: ServiceRecord, key: MatchKey): boolean =>
  hasKeyValues(record, key, isSameValue);

/**
 * Whether a record belongs to none of the keys. That happens when the service ignores a condition or returns a
 * value in an unexpected format.
 */
export const isStray = (record: ServiceRecord, keys: MatchKey[]): boolean =>
  !keys.some((key) => hasKeyValues(record, key, isSimilarValue));

/** Number of keys or records that one request looks up. Their conditions must fit into one filter. */
export const KEYS_PER_REQUEST = 50;

/** The result of a look-up. */
interface LookupResult {
  records: ServiceRecord[];
  /** Whether the look-up returned records that match none of the keys. */
  hasStrays: boolean;
}

/** Looks up the records of some keys with one filter. */
async function fetchMatches(client: HttpClient, table: Table, keys: MatchKey[]): Promise<LookupResult> {
  const filters = buildMatchFilter(keys);
  const records = await readAllRecords(client, { tableId: table.id, filters });
  return { records, hasStrays: records.some((record) => isStray(record, keys)) };
}

/** Keys that one request looks up together: those of a batch of items. */
export interface KeyBatch {
  name: string | number;
  listKeys(): Promise<MatchKey[]>;
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
  async find(
    client: HttpClient,
    table: Table,
    batch: KeyBatch,
  ): Promise<{ result?: LookupResult; requestedAt: number }> {
    const name = `${table.id} ${batch.name}`;
    const pending = this.results.get(name, async () => fetchMatches(client, table, await batch.listKeys()));
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

const matchKeyQueue = memory.queue('matchKeyQueue', {
  per: 'app',
  holds: 'items of Create or Update with one match key',
});

/** Times are in milliseconds of `performance.now()`. A time matters only to look-ups that started before it. */
const lastCreates = memory.store<number, 'app'>('lastCreates', {
  per: 'app',
  holds: 'when a match key was last created: a look-up that is older is repeated',
  max: 10_000,
});

/** Characters of the hash of a match key, 6 bits each. */
const KEY_HASH_LENGTH = 22;

/** Returns a hash that identifies a match key in its application: a key may have 50 kB. */
export const formatKeyName = (table: Table, key: MatchKey): string =>
  hashText(
    JSON.stringify([
      table.id,
      key.matches.map(({ slot }) => [slot.field.slug, slot.part?.payload]),
      key.text,
    ]),
    KEY_HASH_LENGTH,
  );

/** Records the time of a create. Call it before the request, because earlier look-ups do not contain the new record. */
export const noteCreate = (client: HttpClient, name: string): void =>
  lastCreates.set(client, [name], performance.now());

export const wasCreatedSince = (client: HttpClient, name: string, time: number): boolean =>
  (lastCreates.get(client, [name]) ?? -1) >= time;

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
class UpsertLookup {
  private readonly batches = new BatchLookup();
  private readonly created = new Map<string, string>();
  /** IDs of records that were written after they were read. Their values are no longer compared. */
  private readonly written = new Set<string>();
  /** Keys whose record may exist, because the response to its create was lost. */
  private readonly unknown = new Set<string>();

  /** Runs `task` with the matching records, after all earlier items with the same key have ended. */
  runInOrder<T>(
    client: HttpClient,
    table: Table,
    key: MatchKey,
    batch: KeyBatch,
    task: (found: MatchedRecord[]) => Promise<T>,
  ): Promise<T> {
    const name = formatKeyName(table, key);
    return matchKeyQueue.run(client, [name], async () => {
      const id = this.created.get(name);
      return task(
        id === undefined ? await this.find(client, table, key, batch) : [{ id, readAt: -Infinity }],
      );
    });
  }

  /** Sends the create for a key. Later items with the key update the record. They fail when the outcome is unknown. */
  async create<T>(
    client: HttpClient,
    table: Table,
    key: MatchKey,
    send: () => Promise<{ id: string; value: T }>,
  ): Promise<T> {
    const name = formatKeyName(table, key);
    if (this.unknown.has(name)) throw createUnknownKeyError(key);
    noteCreate(client, name);
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

  private async find(
    client: HttpClient,
    table: Table,
    key: MatchKey,
    batch: KeyBatch,
  ): Promise<MatchedRecord[]> {
    const { result, requestedAt } = await this.batches.find(client, table, batch);
    const isOutdated = wasCreatedSince(client, formatKeyName(table, key), requestedAt);
    if (!result || isOutdated || !isConclusive(result, key)) return this.findAnew(client, table, key);

    return getMatches(result, key).map((record) =>
      this.written.has(record.id)
        ? { id: record.id, readAt: -Infinity }
        : { id: record.id, record, readAt: requestedAt },
    );
  }

  /** Looks up one key with a new request. Results of earlier look-ups are not used. */
  async findAnew(client: HttpClient, table: Table, key: MatchKey): Promise<MatchedRecord[]> {
    const readAt = client.clock.now();
    const result = await fetchMatches(client, table, [key]);
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

const getLookup = memory.attached<HttpClient, UpsertLookup>(
  'upsertLookups',
  { to: 'client', holds: 'the records that Create or Update has found and created' },
  () => new UpsertLookup(),
);

/**
 * Whether the service refused a record because another record has the same value in one of the fields (spec: Errors).
 */
export const isDuplicateError = (error: unknown, slugs: string[]): boolean =>
  error instanceof ApiError &&
  error.status === 422 &&
  slugs.some((slug) => findFieldTexts(error.fieldErrors[slug]).some((text) => /unique/i.test(text)));

/**
 * Whether another client created or deleted the record after the look-up. An error about one of several records is
 * final, because the other ones may have been updated.
 */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.matches.map(({ slot }) => slot.field.slug);
  return found.length === 0
    ? isDuplicateError(error, slugs)
    : found.length === 1 && isNotFoundByService(error);
}

const listIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

interface Upsert<T> {
  table: Table;
  key: MatchKey;
  /** Further keys for the same request. By default the key is looked up alone. */
  batch?: KeyBatch;
  /** Prepares the values. Called once, after all earlier upserts of the key have ended. */
  prepare(): Promise<PayloadEntries>;
  /**
   * Updates the matching records, at least one.
   * @param noteWrite is called with the ID of each record before it is written: its earlier values are no longer used
   */
  update(entries: PayloadEntries, matches: MatchedRecord[], noteWrite: (id: string) => void): Promise<T>;
  /** Completes the values of a new record. By default they are those of an update. */
  prepareNew?(entries: PayloadEntries): Promise<PayloadEntries>;
  /** Sends the create. */
  create(entries: PayloadEntries): Promise<CreatedRecord>;
  /** Converts the created record to the result. */
  finish(body: CreatedRecord, entries: PayloadEntries): Promise<T>;
}

/**
 * Creates or updates the records of a key. Upserts of one key run one after the other in this process. If another client
 * creates or deletes the record meanwhile, the key is looked up once more. A create whose response is lost is looked up.
 * @example
 * const key = createMatchKey(['email'], entries, table);
 * await client.records.upsert({ table, key, prepare: async () => entries, update, create, finish });
 * @throws ApiError for a failed request, or when it is not clear whether a record matches
 */
export function upsertRecord<T>(client: HttpClient, upsert: Upsert<T>): Promise<T> {
  const { table, key } = upsert;
  const lookup = getLookup(client);
  const find = () => lookup.findAnew(client, table, key);
  const batch = upsert.batch ?? { name: key.text, listKeys: async () => [key] };
  return lookup.runInOrder(client, table, key, batch, async (found) => {
    const entries = await upsert.prepare();
    const createOne = async (created: PayloadEntries) => {
      const body = await upsert.create(created).catch(async (error: unknown) => ({
        item: await findAfterLostResponse(error, async () => (await find())[0]?.record, client),
      }));
      return { id: body.item.id, value: await upsert.finish(body, created) };
    };
    const write = async (matches: MatchedRecord[]): Promise<T> => {
      if (matches.length > 0) return upsert.update(entries, matches, (id) => lookup.noteWrite(id));
      const created = (await upsert.prepareNew?.(entries)) ?? entries;
      return lookup.create(client, table, key, () => createOne(created));
    };
    return write(found).catch(async (error: unknown) => {
      if (!isLookupOutdated(error, key, found)) throw asThrown(error);
      const matches = await find();
      // The service hides the record, so a second attempt would fail too.
      if (isEqual(listIds(matches), listIds(found))) throw asThrown(error);
      return write(matches);
    });
  });
}
