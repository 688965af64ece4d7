/**
 * Keys: the values that identify a record. `RecordReader` finds the records of keys, `KeyIndex` the records of keys among
 * records that were read.
 *
 * Two values are the same key if they differ only in outer or double blanks or in Unicode composition; for e-mail addresses,
 * also if they differ only in case (`FieldKind.key`). A record that holds exactly the given values takes precedence over one
 * with an equal key. A record whose values differ in case only is similar: it may not be the record that the user means, so
 * it is an error.
 */
import { ApiError, formatForError, InputError, type ServiceRecord } from '../../service';
import { joinParts } from '../fields/composite';
import { RefusedValue, type PayloadEntries, type PayloadValue } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { tidyText } from '../fields/plainKinds';
import { type RecordValues, readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatPayloadKey, getValueField } from '../fields/table';
import { hashValue } from './hashing';

export type KeyValue = string | number;

export const createFieldsKey = (refs: FieldRef[]): string => JSON.stringify(refs.map(formatPayloadKey));

/** The values that identify a record, in the order of their fields. */
export class MatchKey {
  constructor(
    readonly refs: FieldRef[],
    readonly values: KeyValue[],
  ) {}

  /** Equal for keys of the same fields that mean the same record. */
  get id(): string {
    return JSON.stringify(this.listParts().map(({ part }) => part));
  }

  /** The values as they were given, for messages. The key of a record that holds exactly these values has the same text. */
  get text(): string {
    return JSON.stringify(this.values);
  }

  /** Identifies the key in maps: the fields, and the values as they were given. */
  get name(): string {
    return JSON.stringify([createFieldsKey(this.refs), this.values]);
  }

  /** Keys whose IDs differ in case only have the same `similarId`. */
  get similarId(): string {
    return JSON.stringify(this.listParts().map(({ similar }) => similar));
  }

  private listParts() {
    return this.values.map((value, at) => {
      const { key: toKey } = getKind(getValueField(this.refs[at] as FieldRef));
      const part = typeof value === 'string' ? toKey?.(value) : undefined;
      return { part: part ?? value, similar: part?.toLowerCase() ?? value };
    });
  }
}

/** Characters of the hash of a match key, 6 bits each: 132 bits. */
const KEY_HASH_LENGTH = 22;

/**
 * Hashes a match key. Keys that differ only in case have the same hash, so that their items run one after the other. Hashes
 * are stored in place of keys: a key may be 50 kB long, and up to 20,000 hashes are stored.
 */
export const hashMatchKey = (table: Table, { refs, similarId }: MatchKey): string =>
  hashValue(
    [table.id, refs.map(({ field, part }) => [field.slug, part?.payload]), similarId],
    KEY_HASH_LENGTH,
  );

function toKeyValue(value: PayloadValue | undefined): KeyValue | undefined {
  if (value instanceof RefusedValue) throw value.error;
  if (typeof value === 'number') return value;
  const [text, ...others] = [value].flat();
  // A text without a visible character is a missing value, like a cell that looks empty.
  return typeof text === 'string' && !hasNoContent(text) && others.length === 0 ? text : undefined;
}

/** Creates the key of an item. @throws InputError when the item does not have a single value for a field */
export function createMatchKey(refs: FieldRef[], entries: PayloadEntries): MatchKey {
  if (refs.length === 0) {
    throw new InputError('There is no field to match on', 'Choose at least one under "Fields to Match On".');
  }
  const values = refs.map((ref) => {
    const column = formatPayloadKey(ref);
    const [, encoded, given = encoded] = entries.find(([key]) => key === column) ?? [];
    // The given value is checked, because the encoded value of a blank Decision Box is 0.
    const value = hasNoContent(given) ? undefined : toKeyValue(encoded);
    if (value !== undefined) return value;
    throw new InputError(
      `The match field "${ref.field.name}" has no value`,
      'Give it a single value in every item. An expression may have returned nothing.',
    );
  });
  return new MatchKey(refs, values);
}

/** Reads the value of a field for a key: one line of text for a Name or an Address. */
function readKeyValue(record: RecordValues, ref: FieldRef): unknown {
  const { parts } = getKind(getValueField(ref));
  const value = readValue(record, ref);
  return parts ? joinParts(value, parts) : value;
}

/** The largest number of keys of one record. A connection to several records can have many values. */
const MAX_RECORD_KEYS = 1_000;

/** Lists the keys that a record has: one, or one for each entry of a list. Empty if a field is blank or cannot be read. */
export function listRecordKeys(record: RecordValues, refs: FieldRef[]): MatchKey[] {
  const isKeyValue = (value: unknown): value is KeyValue =>
    typeof value === 'number' || (typeof value === 'string' && value !== '');
  const lists = refs.map((ref) => [readKeyValue(record, ref)].flat().filter(isKeyValue));
  const rows = lists.reduce<KeyValue[][]>(
    (known, list) => known.flatMap((row) => list.map((value) => [...row, value])).slice(0, MAX_RECORD_KEYS),
    [[]],
  );
  return rows.map((values) => new MatchKey(refs, values));
}

export interface KeyMatches {
  records: ServiceRecord[];
  /** The records whose keys differ only in case, if no record has the key. */
  similar: ServiceRecord[];
}

/** Finds records by their keys, all in the same fields. */
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

  find({ id, text, similarId }: MatchKey): KeyMatches {
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
export function omitUntidyValues(entries: PayloadEntries, { refs }: MatchKey): PayloadEntries {
  const names = new Set(refs.map(formatPayloadKey));
  return entries.filter(
    ([name, value]) => !names.has(name) || typeof value !== 'string' || tidyText(value) === value,
  );
}

/** Formats the values of a record in the fields of a key, for a message: `"A1" in "Code"`. */
export const describeKey = (record: RecordValues, { refs }: MatchKey): string =>
  refs.map((ref) => `${formatForError(readValue(record, ref))} in "${ref.field.name}"`).join(' and ');

/** Creates the error for a key that differs from the key of a record in case only. @param id the ID of that record */
export const createSimilarKeyError = (key: MatchKey, id: string, described: string): ApiError =>
  new ApiError({
    message: `Record ${id} has ${described}, and the item has ${key.text}: they differ in case alone`,
    description: 'Nothing was created or changed. Correct the record or the item, or match on another field.',
    attempts: 0,
  });
