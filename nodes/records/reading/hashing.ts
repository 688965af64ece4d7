/** Hashes of values, for comparisons with earlier values. */
import { createHash } from 'node:crypto';
import { isObject } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, toComparableValue } from '../fields/recordValues';

const sortObjectKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/**
 * Hashes a value with SHA-256 as base64url. The order of the keys of objects does not matter.
 * @param length the number of characters of the hash, with 6 bits each
 */
export function hashValue(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortObjectKeys) ?? '';
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/**
 * Hashes the values of fields. The result maps each slug to its hash. Values that count as equal (`toComparableValue`) have
 * the same hash. A field that the record lacks has no hash, and texts under `<slug>_val` are not hashed.
 * @param hashing `length`: the number of characters of a hash, with 6 bits each. `omitsEmpty`: whether an empty field has
 *   no hash
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
    const value = toComparableValue(record[slug], field);
    if (omitsEmpty && value === '') continue;
    hashes.set(slug, hashValue([[slug, typeof value === 'object' ? value : String(value)]], length));
  }
  return hashes;
}
