/** Hashes of values, for comparisons with earlier values. */
import { createHash } from 'node:crypto';
import { isObject } from '../../service';
import type { Field } from '../fields/field';
import { type RecordValues, toComparableValue } from '../fields/recordValues';

const sortObjectKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Hashes with SHA-256 as base64url: a character has 6 bits. The order of the keys of objects does not matter. */
export function hashValue(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortObjectKeys) ?? '';
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/** Equal values (`toComparableValue`) have equal hashes. A missing field has no hash. */
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
