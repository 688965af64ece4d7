/** Values of users and expressions, before a field gives them their meaning. `hasNoContent` tests them. */
import { isPlainObject } from 'lodash';
import { parseJson } from '../../service';

/** A character that people see: no white space, no control character, and none without a width. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether there is nothing to compare with: a blank value, a text that shows nothing, NaN, or a list or an object that holds
 * nothing else. An expression that found nothing returns such a value, and it must never select records.
 */
export function hasNoContent(value: unknown): boolean {
  if (typeof value === 'string') return !VISIBLE.test(value);
  if (value === null || value === undefined || Number.isNaN(value)) return true;
  if (Array.isArray(value)) return value.every(hasNoContent);
  return isPlainObject(value) && Object.values(value).every(hasNoContent);
}

/** Parses the text of a JSON object. Any other value stays as it is. */
export const readJsonObject = (value: unknown): unknown =>
  typeof value === 'string' && value.trimStart().startsWith('{') ? (parseJson(value) ?? value) : value;

/** Reads an own property, so that a slug such as `constructor`, which every object inherits, finds nothing else. */
export const getOwnValue = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;

/** Whether a value is a number that a double holds exactly, which NaN is not. Any other was probably rounded when it was read. */
export const isExactNumber = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/**
 * Why a text or a number would not arrive as it was given. Undefined if it would. A number of other digits is another value, or
 * another record's key; half of a character has no bytes in UTF-8, and would be stored as a question mark.
 */
export function explainUnsendable(value: unknown): string | undefined {
  if (typeof value === 'number' && !isExactNumber(value))
    return 'It has more digits than a number can hold, so it may be rounded already. If all its digits are right, give it as text.';
  return typeof value === 'string' && /\p{Surrogate}/u.test(value)
    ? 'It has half of a character, such as an emoji that was cut. Cut it with [...text].slice(0, 100).join("").'
    : undefined;
}
