/**
 * Finds records by equal values, 50 keys with one request: the match columns of Create or Update and of Sync, the
 * Dedupe Field, and the names of connected records. The service may ignore a condition, or compare in another way, so
 * the records that it returns are compared here. `findByKeys` looks up many keys; `lookUpRecords.ts` looks up the key of an
 * item with its batch.
 */
import { chunk, partition } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  formatForError,
  InputError,
  isRefusedValue,
  RequestCache,
  Semaphore,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries, PayloadValue } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { isSimilarText } from '../fields/plainKinds';
import { equals, readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterId, getValueField } from '../fields/table';
import type { FilterGroup, FilterItem } from '../filter/tree';
import { canListByPost, readAllRecords } from './readRecords';

/**
 * Finds the records of many keys. A key that a service may store in another form is looked up in that form too.
 * @returns the answers by the texts of the keys
 * @throws ApiError if a request fails: with `isRefusedValue` if the service refuses one of the values
 */
export async function findByKeys(
  client: Client,
  table: Table,
  keys: MatchKey[],
  limit?: number,
): Promise<Map<string, KeyAnswer>> {
  const storedKeys = new Map(keys.map((key) => [key, findStoredKey(key)]));
  const batches = requestBatches(client, {
    tableId: table.id,
    keys: [...keys, ...[...storedKeys.values()].filter((key) => key !== undefined)],
    limit,
    listConditions: ({ matches }) =>
      matches.map(({ ref, value }) => ({
        field_id: formatFilterId(ref),
        ...getKind(getValueField(ref)).createMatch(value),
      })),
  });
  const found = new Map<MatchKey, { listed: ServiceRecord[]; others: ServiceRecord[]; hasStrays: boolean }>();
  await Promise.all(
    batches.map(async (batch) => {
      const listed = await batch.records;
      const hasStrays = listed.some((record) => isStray(record, batch.keys));
      const others = listed.filter((record) => !batch.keys.some((key) => matchesKey(record, key)));
      for (const key of batch.keys) found.set(key, { listed, others, hasStrays });
    }),
  );
  const toAnswer = (key: MatchKey, storedKey?: MatchKey): KeyAnswer => {
    const { listed = [], others = [], hasStrays = false } = found.get(key) ?? {};
    const records = listed.filter((record) => matchesKey(record, key));
    if (records.length > 0) return { records, listed, hasStrays, isUnclear: false };
    const stored = storedKey && found.get(storedKey)?.listed.find((record) => matchesKey(record, storedKey));
    // A record that belongs to another key of the request says nothing about this one.
    const similar = stored ?? others.find((record) => isSimilarToKey(record, key));
    return { records, listed, hasStrays, similar, isUnclear: hasStrays || similar !== undefined };
  };
  return new Map([...storedKeys].map(([key, storedKey]) => [key.text, toAnswer(key, storedKey)]));
}

/** A field and the value to look up. */
interface Match {
  ref: FieldRef;
  value: string | number;
}

/** The values that identify a record. */
export interface MatchKey {
  matches: Match[];
  /** Keys of the same fields with equal texts refer to the same record. */
  text: string;
}

function toScalar(value: PayloadValue | undefined): string | number | undefined {
  if (typeof value === 'number') return value;
  const [text, ...others] = [value].flat();
  // A text that shows nothing is a missing value, as in a cell that looks empty.
  return typeof text === 'string' && !hasNoContent(text) && others.length === 0 ? text : undefined;
}

/**
 * @param resolve finds a column by its key; by default only one that can be written
 * @throws InputError when a match column is unknown or the item does not have a single value for it
 */
export function createMatchKey(
  columns: string[],
  entries: PayloadEntries,
  table: Table,
  resolve = (column: string): FieldRef => table.resolvePayloadField(column, 'Fields to Match On'),
): MatchKey {
  if (columns.length === 0) {
    throw new InputError('There is no field to match on', 'Choose at least one under "Fields to Match On".');
  }
  return toMatchKey(
    columns.map((column): Match => {
      const ref = resolve(column);
      const value = toScalar(entries.find(([key]) => key === column)?.[1]);
      if (value === undefined) {
        throw new InputError(
          `The match field "${ref.field.name}" has no value`,
          'Give it a single value in every item. An expression may have returned nothing.',
        );
      }
      return { ref, value };
    }),
  );
}

export const toMatchKey = (matches: Match[]): MatchKey => ({
  matches,
  text: JSON.stringify(matches.map(({ value }) => value)),
});

/** Whether a value of a record equals the wanted value in any notation. A list must contain the wanted value. */
export function isSameValue(found: unknown, wanted: string | number, field: Field): boolean {
  const value = getKind(field).read(found, field);
  return Array.isArray(value) ? value.includes(wanted) : equals(found, wanted, field);
}

/** Compares without case, accents and blanks, as a service may do although the filter requires equality. */
const isSimilarValue: typeof isSameValue = (found, wanted, field) =>
  isSameValue(found, wanted, field) ||
  [found].flat().some((entry) => isSimilarText(String(entry), String(wanted)));

const hasKeyValues = (record: ServiceRecord, { matches }: MatchKey, same: typeof isSameValue): boolean =>
  matches.every(({ ref, value }) => same(readValue(record, ref), value, getValueField(ref)));

/** Whether a record has all values of a key, in any notation. */
export const matchesKey = (record: ServiceRecord, key: MatchKey): boolean =>
  hasKeyValues(record, key, isSameValue);

/** Whether a record is similar to a key, and is not the record of the key itself. */
export const isSimilarToKey = (record: ServiceRecord, key: MatchKey): boolean =>
  hasKeyValues(record, key, isSimilarValue) && !matchesKey(record, key);

/**
 * A text as a service may store it: without outer and double blanks, composed (NFC), an e-mail address in lower case. The
 * spec does not say that a text stays as it was sent.
 * Open point: `storedText`.
 */
const toStoredValue = (value: string | number, field: Field): string | number =>
  typeof value === 'number' ? value : (getKind(field).toStoredText?.(value) ?? value);

/** A key as a service may store it. Undefined if it has this form already. */
export function findStoredKey({ matches, text }: MatchKey): MatchKey | undefined {
  const stored = toMatchKey(
    matches.map(({ ref, value }) => ({ ref, value: toStoredValue(value, getValueField(ref)) })),
  );
  return stored.text === text ? undefined : stored;
}

/** Whether a record shows another value than a key that was written to it. False where it does not show one. */
export const hasOtherKey = (record: ServiceRecord, key: MatchKey): boolean =>
  key.matches.every(({ ref }) => readValue(record, ref) !== undefined) && !matchesKey(record, key);

/** The values of a record in the fields of a key, for a message: `"A1" in "Code"`. */
export const describeKey = (record: ServiceRecord, { matches }: MatchKey): string =>
  matches.map(({ ref }) => `${formatForError(readValue(record, ref))} in "${ref.field.name}"`).join(' and ');

/**
 * Whether a record is similar to none of the keys. The service returns such a record if it ignores a condition, or shows a
 * value in a format that is not known.
 */
export const isStray = (record: ServiceRecord, keys: MatchKey[]): boolean =>
  !keys.some((key) => hasKeyValues(record, key, isSimilarValue));

/** Number of keys that one request looks up. Their conditions must fit into one filter. */
export const KEYS_PER_REQUEST = 50;

/** Several keys are one of several (OR), which goes by POST; one key goes by GET. */
export const countKeysPerRequest = (client: Client): number => (canListByPost(client) ? KEYS_PER_REQUEST : 1);

/**
 * Characters of the conditions of one key. A longer key is looked up alone: 50 of this length make a body of 20 kB, and a
 * web server may refuse a much larger one (413), for all keys together.
 */
const MAX_KEY_CHARACTERS = 400;

/** Builds one filter for several keys (spec: Filters, nested groups). A key without a condition is left out. */
function buildKeyFilter(keys: FilterItem[][]): FilterGroup {
  const groups = keys
    .filter(({ length }) => length > 1)
    .map((items): FilterGroup => ({ condition: 'AND', items, child: [] }));
  return { condition: 'OR', items: keys.filter(({ length }) => length === 1).flat(), child: groups };
}

interface BatchSearch<K> {
  tableId: string;
  keys: K[];
  /** Returns the conditions that a record with the key meets. If there are none, no record has the key. */
  listConditions(key: K): FilterItem[];
  /** The largest number of records that are read of each batch. */
  limit?: number;
}

/**
 * Requests the records of many keys. The caller finds those of each key among the records of its batch.
 * @returns the batches, each with its keys and its own request: a value that the service refuses (`isRefusedValue`) fails the
 *   request of its batch only
 */
export function requestBatches<K>(
  client: Client,
  { tableId, keys, listConditions, limit }: BatchSearch<K>,
): Array<{ keys: K[]; records: Promise<ServiceRecord[]> }> {
  const semaphore = new Semaphore(client.concurrency);
  const entries = keys.map((key) => ({ key, conditions: listConditions(key) }));
  const [long, short] = partition(
    entries,
    ({ conditions }) => JSON.stringify(conditions).length > MAX_KEY_CHARACTERS,
  );
  const size = countKeysPerRequest(client);
  return [...chunk(short, size), ...long.map((entry) => [entry])].map((batch) => {
    const conditions = batch.map((entry) => entry.conditions);
    const read = async () =>
      conditions.some(({ length }) => length > 0)
        ? readAllRecords(client, { tableId, filters: buildKeyFilter(conditions), isCompared: true, limit })
        : [];
    return { keys: batch.map(({ key }) => key), records: semaphore.run(read) };
  });
}

/** What was found for one key. */
interface KeyAnswer {
  /** The records that have all values of the key. */
  records: ServiceRecord[];
  /** All records of the request. It looked up other keys too. */
  listed: ServiceRecord[];
  /**
   * Whether it is not known if a record has the key: none was found, and the request returned strays (`isStray`), or a
   * record that is similar. The service may consider one of them equal to the key, or have stored the key in this form.
   */
  isUnclear: boolean;
  /** Such a similar record. */
  similar?: ServiceRecord;
  /** Whether the request returned a record that is similar to none of its keys. */
  hasStrays: boolean;
}

/** The error of a key of which it is not known whether a record has it. */
function createUnclearError(key: MatchKey, similar?: ServiceRecord): ApiError {
  const names = key.matches.map(({ ref }) => `"${ref.field.name}"`).join(' and ');
  return new ApiError({
    message: `It is not clear whether a record matches ${key.text}`,
    description: similar
      ? `Record ${similar.id} has ${describeKey(similar, key)}, which differs in case, blanks or accents alone. Nothing was created or changed. Give the value as the record has it.`
      : `The service found records whose ${names} differs from what was looked up. Nothing was created or changed. Match on another field.`,
  });
}

/**
 * Finds the records of one key.
 * @throws ApiError if it is not known whether a record has the key (`isUnclear`). A caller that creates a record then could
 *   make a second one
 */
export async function findByKey(client: Client, table: Table, key: MatchKey): Promise<ServiceRecord[]> {
  const answer = (await findByKeys(client, table, [key])).get(key.text);
  if (answer?.isUnclear) throw createUnclearError(key, answer.similar);
  return answer?.records ?? [];
}

/** The keys of a batch of items, which are looked up together: usually in one request. */
export interface KeyBatch {
  name: string | number;
  listKeys(): Promise<MatchKey[]>;
}

/** Finds the records of many keys by batches, and keeps the answers. Create or Update and Look Up share it. */
export class KeyLookup {
  private readonly batches = new RequestCache<Map<string, KeyAnswer> | undefined>();

  /**
   * Looks up the keys of a batch with one request, which its items share. A failed request is sent again for the next item.
   * @returns the records of `key`, and when they were requested, as `RequestCache` measures it. Undefined if the key must be
   *   looked up alone: the service refused a value of the batch, which must fail its own item only, or the answer does not
   *   show whether a record has the key
   */
  async find(
    client: Client,
    table: Table,
    key: MatchKey,
    batch: KeyBatch,
  ): Promise<{ records: ServiceRecord[]; requestedAt: number } | undefined> {
    const name = `${table.id} ${batch.name}`;
    const pending = this.batches.get(name, async () => findByKeys(client, table, await batch.listKeys()));
    const requestedAt = this.batches.getRequestTime(name) ?? -Infinity;
    const answers = await pending.catch((error: unknown) => {
      if (isRefusedValue(error)) return undefined;
      throw asThrown(error);
    });
    const answer = answers?.get(key.text);
    return answer && !answer.isUnclear ? { records: answer.records, requestedAt } : undefined;
  }
}

/**
 * Explains why the service refuses a key as that of another record although no record has it: looks for one that differs in
 * case or blanks alone. In the service, `is` ignores case and `is exact` does not (spec: Filters).
 * @returns the error that names both, or the given one
 */
export async function explainTakenKey(
  client: Client,
  table: Table,
  key: MatchKey,
  error: ApiError,
): Promise<ApiError> {
  const items = (findStoredKey(key) ?? key).matches.map(({ ref, value }) => {
    const match = getKind(getValueField(ref)).createMatch(value);
    return {
      field_id: formatFilterId(ref),
      ...match,
      ...(match.operator === 'is exact' && { operator: 'is' }),
    };
  });
  const filters: FilterGroup = { condition: 'AND', items, child: [] };
  const listed = await readAllRecords(client, { tableId: table.id, filters, limit: MAX_SIMILAR }).catch(
    () => [],
  );
  const similar = listed.find((record) => isSimilarToKey(record, key));
  if (!similar) return error;
  return error.explain({
    message: `Record ${similar.id} has ${describeKey(similar, key)}, which the service takes for ${key.text}`,
    description:
      'They differ in case, blanks or accents alone. Nothing was created. Give the value as the record has it.',
  });
}

/** Records that are read to explain a refused key. */
const MAX_SIMILAR = 10;
