import { createHash } from 'node:crypto';
import { isObject } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, toComparableValue } from '../fields/recordValues';

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/**
 * Hashes a value with SHA-256 as base64url. The order of keys does not matter.
 * @param length number of characters, 6 bits each
 */
export function hashValue(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortKeys) ?? '';
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/**
 * Hashes the value of each field, by slug. Equal values have equal hashes (`toComparableValue`). A field that the record lacks
 * gets no hash, and neither do texts under `<slug>_val`.
 * @param hashing `length`: characters of a hash, 6 bits each; `omitsEmpty`: whether empty fields get no hash either
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
