import { collectFieldValues } from '../../shared/kit/hashing/hashFieldValues';
import { hashText, toCanonicalJson } from '../../shared/kit/hashing/hashText';
import type { Field } from '../../shared/model/fields';
import { isBlank } from '../../shared/model/input/isBlank';
import { isObject } from '../../shared/model/input/isObject';
import type { RecordValues } from '../../shared/model/records/recordValues';

/** Characters of the hash of all compared values, 6 bits each. */
export const RECORD_HASH_LENGTH = 8;

/**
 * Characters of the hash of one field. It only shows which fields changed; the hash of the record shows whether any
 * did.
 */
const FIELD_DIGEST_LENGTH = 2;

const NO_VALUE = '.'.repeat(FIELD_DIGEST_LENGTH);

/** Hashes of a record, by which two versions of it are compared. */
export interface RecordDigest {
  /** Hash of all compared fields with a value. A new field without a value does not change it. */
  hash: string;
  /** A short hash for each compared field, in the order of the slugs. */
  fields: string;
}

const hasNoValue = (value: unknown): boolean =>
  isBlank(value) || (isObject(value) && Object.values(value).every(isBlank));

/** Returns the hashes of the compared fields. Display values of connections do not count. */
export function digestRecord(record: RecordValues, slugs: string[], fields: Field[]): RecordDigest {
  const values = [...collectFieldValues(record, slugs, fields)].map(
    ([slug, parts]) => [slug, parts.filter(([, value]) => !hasNoValue(value))] as const,
  );
  const filled = values.filter(([, parts]) => parts.length > 0);
  return {
    hash: hashText(toCanonicalJson(filled.sort(([a], [b]) => (a < b ? -1 : 1))), RECORD_HASH_LENGTH),
    fields: values
      .map(([, parts]) =>
        parts.length > 0 ? hashText(toCanonicalJson(parts), FIELD_DIGEST_LENGTH) : NO_VALUE,
      )
      .join(''),
  };
}

const readFieldDigests = (fields: string, slugs: string[]): Map<string, string> =>
  new Map(
    slugs.map((slug, index) => [
      slug,
      fields.slice(index * FIELD_DIGEST_LENGTH, (index + 1) * FIELD_DIGEST_LENGTH),
    ]),
  );

/**
 * Returns the slugs of the fields whose hashes differ; null if the earlier hashes are unknown, or if two different
 * values have the same short hash.
 */
export function findChangedFields(
  before: { fields: string; slugs: string[] },
  after: { fields: string; slugs: string[] },
): string[] | null {
  if (before.fields === '') return null;
  const earlier = readFieldDigests(before.fields, before.slugs);
  const later = readFieldDigests(after.fields, after.slugs);
  const slugs = [...new Set([...after.slugs, ...before.slugs])];
  const changed = slugs.filter((slug) => (earlier.get(slug) ?? NO_VALUE) !== (later.get(slug) ?? NO_VALUE));
  return changed.length > 0 ? changed : null;
}
