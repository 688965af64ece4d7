/**
 * Hashes of values, for the comparison with earlier ones. `toCanonicalJson` returns the same text for equal values, and
 * `hashText` hashes it. `hashFieldValues` hashes the fields of a record.
 */
import { createHash } from 'node:crypto';
import { isObject } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, findFieldByKey } from '../fields/recordValues';

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** JSON with sorted keys and without white space, so that equal values have equal text. */
export const toCanonicalJson = (value: unknown): string => JSON.stringify(value, sortKeys) ?? '';

/** SHA-256 as base64url, cut to `length` characters of 6 bits each. */
export const hashText = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length);

/** Characters of a field's hash, 6 bits each. */
export const FIELD_HASH_LENGTH = 8;

/** Makes equal values comparable: the service may send an empty value as null, '' or [], and a number as text. */
const normalizeValue = (value: unknown): unknown => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return typeof value === 'object' ? value : String(value);
};

/** Collects the keys and values of each field by slug. A field without a key in the record has an empty list. */
export function collectFieldValues(
  record: RecordValues,
  slugs: string[],
  fields: Field[],
): Map<string, Array<[key: string, value: unknown]>> {
  const values = new Map<string, Array<[string, unknown]>>(slugs.map((slug) => [slug, []]));
  for (const [key, value] of Object.entries(record)) {
    const slug = findFieldByKey(fields, key)?.slug ?? key;
    // `slug_val` repeats a connection with the names of its records, which are not values of this record.
    if (key !== `${slug}_val`) values.get(slug)?.push([key, normalizeValue(value)]);
  }
  for (const parts of values.values()) parts.sort(([a], [b]) => (a < b ? -1 : 1));
  return values;
}

/** Hashes the values of each field, by slug. Fields without a key in the record are omitted. */
export const hashFieldValues = (
  record: RecordValues,
  slugs: string[],
  fields: Field[],
): Map<string, string> =>
  new Map(
    [...collectFieldValues(record, slugs, fields)]
      .filter(([, parts]) => parts.length > 0)
      .map(([slug, parts]) => [slug, hashText(toCanonicalJson(parts), FIELD_HASH_LENGTH)]),
  );
