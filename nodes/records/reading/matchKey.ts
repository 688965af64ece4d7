/**
 * Match keys: the values by which a record is found. Two keys are equal if they differ only in outer or double blanks,
 * in Unicode composition, or in the case of an e-mail address (`FieldKind.toLookupKey`). A record with exactly the
 * given values takes precedence. Two keys that differ only in case are similar. A record with a similar key may not be
 * the one that the user means, so it leads to an error.
 */
import { groupBy } from 'lodash';
import { ApiError, formatForError, InputError, type ServiceRecord } from '../../service';
import { RefusedValue, type PayloadEntries, type PayloadValue } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import { normalizeSpaces } from '../fields/plainKinds';
import { type RecordValues, getFieldValue, readText, getCanonicalValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatPayloadKey, toRefField } from '../fields/table';
import { hashValue } from './hashing';

export type KeyValue = string | number;

export const joinPayloadKeys = (refs: FieldRef[]): string => JSON.stringify(refs.map(formatPayloadKey));

/** The values that identify a record. `refs` are the fields of the values. */
export class MatchKey {
  constructor(
    readonly refs: FieldRef[],
    readonly values: KeyValue[],
  ) {}

  /** A text that is the same for equal keys. */
  get lookupKey(): string {
    return JSON.stringify(this.normalizeValues().map(({ part }) => part));
  }

  /** The exact values as JSON, for messages and comparisons. */
  get text(): string {
    return JSON.stringify(this.values);
  }

  /** A text that is the same for keys with the same fields and exactly the same values. */
  get cacheKey(): string {
    return JSON.stringify([joinPayloadKeys(this.refs), this.values]);
  }

  /** A text that is the same for keys that differ only in case. */
  get caselessText(): string {
    return JSON.stringify(this.normalizeValues().map(({ similar }) => similar));
  }

  private normalizeValues() {
    return this.values.map((value, at) => {
      const { toLookupKey: toKey } = getKind(toRefField(this.refs[at] as FieldRef));
      const part = typeof value === 'string' ? toKey?.(value) : undefined;
      return { part: part ?? value, similar: part?.toLowerCase() ?? value };
    });
  }
}

/** Each character has 6 bits, so a hash has 132 bits. */
const KEY_HASH_LENGTH = 22;

/**
 * Keys that differ only in case have the same hash, so that their items are written one after the other. Hashes are
 * stored in place of keys, because a key may be 50 kB long, and up to 20,000 are stored.
 */
export const hashMatchKey = (table: Table, { refs, caselessText }: MatchKey): string =>
  hashValue(
    [table.id, refs.map(({ field, part }) => [field.slug, part?.payload]), caselessText],
    KEY_HASH_LENGTH,
  );

function toKeyValue(value: PayloadValue | undefined): KeyValue | undefined {
  if (value instanceof RefusedValue) throw value.error;
  if (typeof value === 'number') return value;
  const [text, ...others] = [value].flat();
  // A text without a visible character counts as missing.
  return typeof text === 'string' && !hasNoContent(text) && others.length === 0 ? text : undefined;
}

/** @throws InputError for a field that has no value, several values or a `RefusedValue` */
export function createMatchKey(refs: FieldRef[], entries: PayloadEntries): MatchKey {
  if (refs.length === 0) {
    throw new InputError('There is no field to match on', 'Choose at least one under "Fields to Match On".');
  }
  const values = refs.map((ref) => {
    const column = formatPayloadKey(ref);
    const [, encoded, given = encoded] = entries.find(([key]) => key === column) ?? [];
    // The encoded value of a blank Decision Box is 0, so the given value is checked.
    const value = hasNoContent(given) ? undefined : toKeyValue(encoded);
    if (value !== undefined) return value;
    throw new InputError(
      `The match field "${ref.field.name}" has no value`,
      'Give it a single value in every item. An expression may have returned nothing.',
    );
  });
  return new MatchKey(refs, values);
}

/** A Name or an Address becomes one line of text. */
const readKeyValue = (record: RecordValues, ref: FieldRef): unknown =>
  getKind(toRefField(ref)).parts ? readText(record, ref) : getCanonicalValue(record, ref);

/** Whether a field of the key is blank in the record, and not missing. No item can have such a key. */
export const hasBlankKey = (record: RecordValues, refs: FieldRef[]): boolean =>
  refs.some((ref) => getFieldValue(record, ref) !== undefined && isEmptyValue(readKeyValue(record, ref)));

/** Limits the keys of a record that has many connected records in the fields of the key. */
const MAX_KEYS_PER_RECORD = 1_000;

/** Returns several keys if a field holds a list, and none if a field is blank or cannot be read. */
export function listRecordKeys(record: RecordValues, refs: FieldRef[]): MatchKey[] {
  const isKeyValue = (value: unknown): value is KeyValue =>
    typeof value === 'number' || (typeof value === 'string' && value !== '');
  const lists = refs.map((ref) => [readKeyValue(record, ref)].flat().filter(isKeyValue));
  const rows = lists.reduce<KeyValue[][]>(
    (keys, list) => keys.flatMap((row) => list.map((value) => [...row, value])).slice(0, MAX_KEYS_PER_RECORD),
    [[]],
  );
  return rows.map((values) => new MatchKey(refs, values));
}

export interface KeyMatches {
  records: ServiceRecord[];
  /** Records whose keys differ from the given key only in case. Empty if `records` is not empty. */
  similar: ServiceRecord[];
}

/** Finds records by keys that consist of values of the same fields. */
export class KeyIndex {
  private readonly groups: Record<string, Array<{ record: ServiceRecord; key: MatchKey }>>;

  constructor(records: ServiceRecord[], refs: FieldRef[]) {
    const keys = records.flatMap((record) => listRecordKeys(record, refs).map((key) => ({ record, key })));
    this.groups = groupBy(keys, ({ key }) => key.caselessText);
  }

  findMatches({ lookupKey, text, caselessText }: MatchKey): KeyMatches {
    const group = this.groups[caselessText] ?? [];
    const equal = group.filter(({ key }) => key.lookupKey === lookupKey);
    const exact = equal.filter(({ key }) => key.text === text);
    const records = (exact.length > 0 ? exact : equal).map(({ record }) => record);
    return { records, similar: records.length > 0 ? [] : group.map(({ record }) => record) };
  }
}

/**
 * Leaves out values of the key with extra blanks. If an update wrote them, a service that compares blanks
 * would no longer find the record by a key without extra blanks.
 */
export function omitKeyValuesWithExtraBlanks(entries: PayloadEntries, { refs }: MatchKey): PayloadEntries {
  const names = new Set(refs.map(formatPayloadKey));
  return entries.filter(
    ([name, value]) => !names.has(name) || typeof value !== 'string' || normalizeSpaces(value) === value,
  );
}

/** Formats the key of a record for messages, such as `"A1" in "Code"`. */
export const describeKey = (record: RecordValues, { refs }: MatchKey): string =>
  refs.map((ref) => `${formatForError(getCanonicalValue(record, ref))} in "${ref.field.name}"`).join(' and ');

export const createSimilarKeyError = (key: MatchKey, id: string, described: string): ApiError =>
  new ApiError({
    message: `Record ${id} has ${described}, and the item has ${key.text}: they differ in case alone`,
    description: 'Nothing was created or changed. Correct the record or the item, or match on another field.',
    sentCount: 0,
  });
