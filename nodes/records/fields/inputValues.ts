/** Checks of values from users and expressions that do not depend on the kind of a field. */
import { isPlainObject } from 'lodash';
import { parseJson } from '../../service';

/** Matches any character but white space, control characters and characters without a width. */
const VISIBLE_CHARACTER_PATTERN = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether a value, or each value in it, is blank, NaN or invisible. An expression that found nothing returns such a
 * value, which must not select records.
 */
export function hasNoContent(value: unknown): boolean {
  if (typeof value === 'string') return !VISIBLE_CHARACTER_PATTERN.test(value);
  if (value === null || value === undefined || Number.isNaN(value)) return true;
  if (Array.isArray(value)) return value.every(hasNoContent);
  return isPlainObject(value) && Object.values(value).every(hasNoContent);
}

/** Whether a value can be written as one text. NaN cannot: it results from a failed calculation. */
export const isScalar = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && !Number.isNaN(value);

/** Parses text that starts with `{`. Text that is not valid JSON, and any other value, is returned unchanged. */
export const parseObjectText = (value: unknown): unknown =>
  typeof value === 'string' && value.trimStart().startsWith('{') ? (parseJson(value) ?? value) : value;

/** Ignores inherited properties such as `constructor`, because a field may have this slug. */
export const getOwnProperty = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;

/** Whether a value is a number up to 2^53 - 1. A larger number was probably rounded when it was parsed. */
export const isUnroundedNumber = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/**
 * Explains why a value cannot be sent unchanged. A rounded number may be the key of another record. Half of a surrogate
 * pair would be stored as a question mark.
 */
export function explainUnsendableValue(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'It is the result of a failed calculation.';
  if (typeof value === 'number' && !isUnroundedNumber(value))
    return 'It has more digits than a number can hold, so it may be rounded already. If all its digits are right, give it as text.';
  return typeof value === 'string' && /\p{Surrogate}/u.test(value)
    ? 'It has half of a character, such as an emoji that was cut. Cut it with [...text].slice(0, 100).join("").'
    : undefined;
}
