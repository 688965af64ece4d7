/**
 * Hashes of values, for comparisons with earlier values. `hashValue` returns the same text for equal values, and
 * `hashFieldValues` hashes the fields of a record.
 */
import { createHash } from 'node:crypto';
import { isObject } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, toComparable } from '../fields/recordValues';

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Hashes a value, with its keys in any order, to `length` characters of 6 bits each: SHA-256 as base64url. */
export function hashValue(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortKeys) ?? '';
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/**
 * Hashes the values of each field, by slug: equal values (see `toComparable`) have the same hash. A field without a key in
 * the record gets no hash. The texts of connected records, under `<slug>_val`, are not hashed.
 * @param hashing `length`: the characters of a hash, 6 bits each; `omitsEmpty`: whether an empty field gets no hash, like a
 *   missing one
 */
export function hashFieldValues(
  record: RecordValues,
  slugs: string[],
  fields: Field[],
  { length, omitsEmpty = false }: { length: number; omitsEmpty?: boolean },
): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const slug of slugs.filter((one) => Object.hasOwn(record, one))) {
    const field = fields.find((one) => one.slug === slug);
    const value = toComparable(record[slug], field);
    if (omitsEmpty && value === '') continue;
    hashes.set(slug, hashValue([[slug, typeof value === 'object' ? value : String(value)]], length));
  }
  return hashes;
}
