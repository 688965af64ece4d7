/**
 * Hashes of values, for the comparison with earlier ones. `hashValue` returns the same text for equal values, and
 * `hashFieldValues` hashes the fields of a record.
 */
import { createHash } from 'node:crypto';
import { isBlank, isObject } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, findFieldByKey } from '../fields/recordValues';

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** JSON with sorted keys and without white space, so that equal values have equal text. */
const toCanonicalJson = (value: unknown): string => JSON.stringify(value, sortKeys) ?? '';

/** SHA-256 as base64url, cut to `length` characters of 6 bits each. */
export const hashText = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length);

/** Hashes a value, with its keys in any order, to `length` characters of 6 bits each. */
export const hashValue = (value: unknown, length: number): string => hashText(toCanonicalJson(value), length);

/** Makes equal values comparable: the service may send an empty value as null, '' or [], and a number as text. */
const normalizeValue = (value: unknown): unknown => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return typeof value === 'object' ? value : String(value);
};

/** Collects the keys and values of each field by slug. A field without a key in the record has an empty list. */
function collectFieldValues(
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

/** How the fields of a record are hashed. */
interface FieldHashing {
  /** Characters of a hash, 6 bits each. */
  length: number;
  /** Whether an empty field has no hash, as one that is missing. */
  omitsEmpty?: boolean;
}

const hasNoValue = (value: unknown): boolean =>
  isBlank(value) || (isObject(value) && Object.values(value).every(isBlank));

/**
 * Hashes the values of each field, by slug. A field without a key in the record has no hash. Display values of connections
 * do not count.
 */
export function hashFieldValues(
  record: RecordValues,
  slugs: string[],
  fields: Field[],
  { length, omitsEmpty = false }: FieldHashing,
): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const [slug, parts] of collectFieldValues(record, slugs, fields)) {
    const counted = omitsEmpty ? parts.filter(([, value]) => !hasNoValue(value)) : parts;
    if (counted.length > 0) hashes.set(slug, hashValue(counted, length));
  }
  return hashes;
}
