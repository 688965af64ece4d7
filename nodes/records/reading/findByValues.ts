/**
 * Records by the values that identify them: their keys. `findByKey` finds the records of one key, in one request with the
 * keys of the other items of the batch; `findByKeys` finds those of many. `KeyIndex` finds them among records that were
 * read.
 *
 * Two values are the same key if they differ only in outer or double blanks or in Unicode composition; for e-mail
 * addresses, also if they differ only in case (`FieldKind.key`). A record that holds exactly the given values takes
 * precedence over one with an equal key. A record whose values differ in case only is similar: it may not be the record
 * that the user means, so it is an error.
 */
import { chunk, groupBy, partition, uniqBy } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  formatForError,
  InputError,
  isRefusedValue,
  Semaphore,
  type ServiceRecord,
} from '../../service';
import { joinParts } from '../fields/composite';
import { RefusedValue, type PayloadEntries, type PayloadValue } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { isSimilarText, tidyText } from '../fields/plainKinds';
import { type RecordValues, readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterId, formatPayloadKey, getValueField } from '../fields/table';
import type { FilterGroup, FilterItem } from '../filter/tree';
import { canListByPost, readAllRecords } from './readRecords';
import { getRecordsById, getRun, type KeyAnswer } from './recordsById';

type KeyValue = string | number;

/** The values that identify a record, in the order of their fields. */
export interface MatchKey {
  refs: FieldRef[];
  values: KeyValue[];
  /** The values as they were given, for messages. A record that holds exactly these has the same text. */
  text: string;
  /** The fields, and the values as they were given. */
  name: string;
  /** Keys of the same fields with equal IDs mean the same record. */
  id: string;
  /** Keys whose IDs differ in case only have the same `similarId`. */
  similarId: string;
}

const nameFields = (refs: FieldRef[]): string => JSON.stringify(refs.map(formatPayloadKey));

export function toMatchKey(refs: FieldRef[], values: KeyValue[]): MatchKey {
  const parts = values.map((value, at) => {
    const toKey = typeof value === 'string' ? getKind(getValueField(refs[at] as FieldRef)).key : undefined;
    const part = toKey?.(String(value)) ?? value;
    return { part, similar: toKey ? String(part).toLowerCase() : part };
  });
  return {
    refs,
    values,
    text: JSON.stringify(values),
    name: JSON.stringify([nameFields(refs), values]),
    id: JSON.stringify(parts.map(({ part }) => part)),
    similarId: JSON.stringify(parts.map(({ similar }) => similar)),
  };
}

function toScalar(value: PayloadValue | undefined): KeyValue | undefined {
  if (value instanceof RefusedValue) throw value.error;
  if (typeof value === 'number') return value;
  const [text, ...others] = [value].flat();
  // A text without a visible character is a missing value, like an empty-looking cell.
  return typeof text === 'string' && !hasNoContent(text) && others.length === 0 ? text : undefined;
}

/**
 * Creates the key of an item.
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
  const refs = columns.map(resolve);
  const values = columns.map((column, at) => {
    const value = toScalar(entries.find(([key]) => key === column)?.[1]);
    if (value !== undefined) return value;
    throw new InputError(
      `The match field "${refs[at]?.field.name}" has no value`,
      'Give it a single value in every item. An expression may have returned nothing.',
    );
  });
  return toMatchKey(refs, values);
}

/** The value of a field. That of a Name or an Address is one line. */
function readKeyValue(record: RecordValues, ref: FieldRef): unknown {
  const { parts } = getKind(getValueField(ref));
  const value = readValue(record, ref);
  return parts ? joinParts(value, parts) : value;
}

/** Entries of one list that a key may name. A connection to several records can have many. */
const MAX_LISTED_VALUES = 1_000;

/** Lists the keys that a record has: one, or one for each entry of a list. None where a field is blank or cannot be read. */
export function listRecordKeys(record: RecordValues, refs: FieldRef[]): MatchKey[] {
  const isKeyValue = (value: unknown): value is KeyValue =>
    typeof value === 'number' || (typeof value === 'string' && value !== '');
  const lists = refs.map((ref) => [readKeyValue(record, ref)].flat().filter(isKeyValue));
  const rows = lists.reduce<KeyValue[][]>(
    (known, list) => known.flatMap((row) => list.map((value) => [...row, value])).slice(0, MAX_LISTED_VALUES),
    [[]],
  );
  return rows.map((values) => toMatchKey(refs, values));
}

/** Records by their keys in the same fields. */
export class KeyIndex {
  private readonly groups = new Map<string, Array<{ record: ServiceRecord; key: MatchKey }>>();

  constructor(records: ServiceRecord[], refs: FieldRef[]) {
    for (const record of records)
      for (const key of listRecordKeys(record, refs)) {
        const group = this.groups.get(key.similarId);
        if (group) group.push({ record, key });
        else this.groups.set(key.similarId, [{ record, key }]);
      }
  }

  find({ id, text, similarId }: MatchKey): Pick<KeyAnswer, 'records' | 'similar'> {
    const group = this.groups.get(similarId) ?? [];
    const equal = group.filter(({ key }) => key.id === id);
    const exact = equal.filter(({ key }) => key.text === text);
    const records = (exact.length > 0 ? exact : equal).map(({ record }) => record);
    if (records.length > 0) return { records, similar: [] };
    const sameBlanks = group.filter(({ key }) => key.text.toLowerCase() === text.toLowerCase());
    const similar = sameBlanks.length > 0 ? sameBlanks : group;
    return { records, similar: similar.map(({ record }) => record) };
  }
}

/**
 * Leaves out the key values with extra blanks from the entries of an update. Otherwise a service whose `is` compares
 * blanks could no longer find the record by the values without extra blanks.
 */
export function omitUntidyKey(entries: PayloadEntries, { refs }: MatchKey): PayloadEntries {
  const names = new Set(refs.map(formatPayloadKey));
  return entries.filter(
    ([name, value]) => !names.has(name) || typeof value !== 'string' || tidyText(value) === value,
  );
}

/** The values of a record in the fields of a key, for a message: `"A1" in "Code"`. */
export const describeKey = (record: RecordValues, { refs }: MatchKey): string =>
  refs.map((ref) => `${formatForError(readValue(record, ref))} in "${ref.field.name}"`).join(' and ');

/** The error for a key that differs from the key of a record in case only. @param id of the record */
export const createSimilarError = (key: MatchKey, id: string, described: string): ApiError =>
  new ApiError({
    message: `Record ${id} has ${described}, and the item has ${key.text}: they differ in case alone`,
    description: 'Nothing was created or changed. Correct the record or the item, or match on another field.',
    attempts: 0,
  });

const createUnrelatedError = (key: MatchKey, unrelated: ServiceRecord): ApiError =>
  new ApiError({
    message: `It is not clear whether a record has ${key.text}: the service returned record ${unrelated.id}, which has ${describeKey(unrelated, key)}`,
    description:
      'Nothing was created or changed. The service does not compare this field as it was asked to. Match on another field.',
    attempts: 0,
  });

/** Maximum number of conditions in one request. They must fit into one filter. */
export const KEYS_PER_REQUEST = 50;

/**
 * Maximum number of characters of the conditions of one key. A longer key is looked up alone: 50 of this length make a
 * body of 20 kB, and a web server may refuse a much larger one (413), for all keys together.
 */
const MAX_KEY_CHARACTERS = 400;

/** Builds one filter for several keys of the same fields (spec: Filters, nested groups). */
function buildKeyFilter(batch: Spelling[]): FilterGroup {
  const groups = batch.map(({ conditions: items }): FilterGroup => ({ condition: 'AND', items, child: [] }));
  const isOne = groups.every(({ items }) => items.length === 1);
  return {
    condition: 'OR',
    items: isOne ? groups.flatMap(({ items }) => items) : [],
    child: isOne ? [] : groups,
  };
}

/**
 * Divides keys into groups, one for each request. Several keys are an OR, which only POST can send; a single key is sent
 * by GET.
 */
function divideKeys(client: Client, keys: Spelling[]): Spelling[][] {
  const [long, short] = partition(keys, (key) => JSON.stringify(key.conditions).length > MAX_KEY_CHARACTERS);
  const size = canListByPost(client) ? KEYS_PER_REQUEST : 1;
  return [...chunk(short, size), ...long.map((key) => [key])];
}

/** One spelling of a key: as it was given, or without extra blanks. */
interface Spelling {
  key: MatchKey;
  conditions: FilterItem[];
}

/** In the service, `is` ignores case (spec: Filters, Text), so that similar records are found too. */
function listSpellings(key: MatchKey): Spelling[] {
  const tidy = key.values.map((value) => (typeof value === 'string' ? tidyText(value) : value));
  return uniqBy([key.values, tidy], (values) => JSON.stringify(values)).map((values) => ({
    key,
    conditions: key.refs.map((ref, at): FilterItem => {
      const val = values[at] as KeyValue;
      const state = getKind(getValueField(ref)).findState?.(val);
      return { field_id: formatFilterId(ref), operator: state ?? 'is', ...(state === undefined && { val }) };
    }),
  }));
}

/** How keys are looked up. */
interface KeySearch {
  /** The largest number of records that are read of each request. */
  limit?: number;
  /** Whether pages that were read before are not used. */
  isFresh?: boolean;
  /** Whether the first page of the table is always read: for a small table, it holds each record in any spelling. */
  startsWithPage?: boolean;
}

/**
 * Looks keys up: by conditions, or in the pages of the table if these are fewer requests.
 * @returns the answers by the names of the keys
 * @throws ApiError for a failed request. A key whose value the service refuses has an `error`, and so has one for which the
 *   service returned records with other values
 */
export async function findByKeys(
  client: Client,
  table: Table,
  keys: MatchKey[],
  search: KeySearch = {},
): Promise<Map<string, KeyAnswer>> {
  const groups = Object.values(groupBy(keys, ({ refs }) => nameFields(refs)));
  const answers = await Promise.all(groups.map((group) => findGroup(client, table, group, search)));
  return new Map(answers.flatMap((map) => [...map]));
}

/** Milliseconds for which the pages of a table serve further look-ups of a run. */
const MAX_PAGES_AGE_MS = 60_000;

/** Looks keys of the same fields up. */
async function findGroup(
  client: Client,
  table: Table,
  keys: MatchKey[],
  { limit, isFresh = false, startsWithPage = false }: KeySearch,
): Promise<Map<string, KeyAnswer>> {
  const refs = keys[0]?.refs ?? [];
  const spellings = keys.flatMap(listSpellings);
  const requestedAt = client.clock.now();
  const count = divideKeys(client, spellings).length;
  const readsPage = startsWithPage || count > 1;
  const maxAgeMs = isFresh ? -1 : MAX_PAGES_AGE_MS;
  const isFewer = (pageCount: number) => pageCount <= count;
  const pages = readsPage ? await getRecordsById(client, table).readTable(isFewer, maxAgeMs) : undefined;
  if (pages) {
    const index = new KeyIndex(pages, refs);
    return new Map(keys.map((key) => [key.name, { ...index.find(key), requestedAt }]));
  }
  const listed = new Map<string, ServiceRecord>();
  const errors = new Map<MatchKey, unknown>();
  const semaphore = new Semaphore(client.concurrency);
  /** @returns the reason why the records of the keys could not be found */
  const read = async (batch: Spelling[]): Promise<unknown> => {
    const query = { tableId: table.id, filters: buildKeyFilter(batch), isCompared: true, limit } as const;
    try {
      const found = await semaphore.run(() => readAllRecords(client, query));
      for (const record of found) listed.set(record.id, record);
      const unrelated = findUnrelated(found, batch);
      return unrelated && createUnrelatedError(batch[0]!.key, unrelated);
    } catch (error) {
      if (!isRefusedValue(error)) throw asThrown(error);
      return error;
    }
  };
  const search = async (batch: Spelling[]): Promise<void> => {
    const error = await read(batch);
    if (error === undefined) return;
    // A value that is refused, or a record that cannot be compared, must not fail the other keys: each is looked up alone.
    if (batch.length > 1) await Promise.all(batch.map((one) => search([one])));
    else errors.set(batch[0]!.key, error);
  };
  await Promise.all(divideKeys(client, spellings).map(search));
  const index = new KeyIndex([...listed.values()], refs);
  return new Map(
    keys.map((key): [string, KeyAnswer] => {
      const found = index.find(key);
      const error = found.records.length === 0 ? errors.get(key) : undefined;
      return [key.name, { ...found, requestedAt, ...(error !== undefined && { error }) }];
    }),
  );
}

/**
 * Finds a record that is similar to none of the keys, even without accents. It shows that the service ignored the
 * condition.
 */
function findUnrelated(records: ServiceRecord[], batch: Spelling[]): ServiceRecord | undefined {
  const known = new Set(batch.map(({ key }) => key.similarId));
  const isKnown = ({ similarId, id }: MatchKey) =>
    known.has(similarId) || batch.some(({ key }) => isSimilarText(key.id, id));
  const refs = batch[0]?.key.refs ?? [];
  return records.find((record) => !listRecordKeys(record, refs).some(isKnown));
}

/** The keys of a batch of items, which are looked up together: usually in one request. */
export interface KeyBatch {
  name: string | number;
  listKeys(): Promise<MatchKey[]>;
}

/**
 * Finds the records of a key. The keys of its batch share a request. A failed request is sent again for the next item.
 * @throws ApiError for a failed request; for a record whose values differ only in case; for a service that returned
 *   records with other values, because a caller might then create a second record
 */
export async function findByKey(
  client: Client,
  table: Table,
  key: MatchKey,
  { batch, isOutdated = () => false, ...search }: KeySearch & KeyBatchUse = {},
): Promise<KeyAnswer> {
  const answers = batch
    ? await getRun(client).batches.get(`${table.id} ${batch.name}`, async () =>
        findByKeys(client, table, await batch.listKeys(), search),
      )
    : await findByKeys(client, table, [key], search);
  const answer = answers.get(key.name);
  if (!answer || isOutdated(answer.requestedAt)) return findByKey(client, table, key, search);
  if (answer.error !== undefined) throw asThrown(answer.error);
  const [similar] = answer.similar;
  if (similar) throw createSimilarError(key, similar.id, describeKey(similar, key));
  return answer;
}

interface KeyBatchUse {
  batch?: KeyBatch;
  /**
   * Whether the answer of a batch may lack a record. The key is then looked up alone.
   * @param requestedAt in milliseconds of the client's clock
   */
  isOutdated?(requestedAt: number): boolean;
}
