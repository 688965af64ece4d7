import { isEqual } from 'lodash';
import type { EncodeContext, Field, PayloadEntries } from './field';
import { getKind } from './kinds';
import { isEmptyValue } from './operators';

/**
 * Encodes a value as payload entries (spec: "Field-type value formats"). null and '' clear the field.
 * @example
 * encodeValue('31 Mar 2025', dateField, { timeZone: 'Europe/Berlin' }); // [['start', '2025-03-31']]
 * encodeValue({ first: 'Ada' }, nameField, { timeZone: 'utc' }); // [['name[first_name]', 'Ada']]
 * @throws InputError naming the field, its type, the value and an example
 */
export const encodeValue = (value: unknown, field: Field, context: EncodeContext): PayloadEntries =>
  getKind(field).encode(value, field, context);

/**
 * Encodes the configured default, which is text for all types. Returns no entries for an invalid default
 * ("today" for a date).
 */
export function encodeDefault(field: Field): PayloadEntries {
  if (field.defaultValue === '') return [];
  try {
    return encodeValue(field.defaultValue, field, { timeZone: 'utc' });
  } catch {
    return [];
  }
}

/** Whether a value is empty, in any form that the service returns. 0 and unchecked are not empty. */
export const isEmpty = (value: unknown, field: Field): boolean =>
  isEmptyValue(getKind(field).read(value, field));

/** Whether a value equals the one that the service stores for a field that a payload omits (spec: Record). */
export const isOmitted = (value: unknown, field: Field): boolean =>
  isEmpty(value, field) || equals(value, getKind(field).omittedValue, field);

/**
 * Converts a canonical value for a comparison: an empty part equals a missing one, and the order of choices and
 * connections has no meaning.
 */
function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return [...value].sort();
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, part]) => !isEmptyValue(part)))
    : value;
}

/**
 * Whether two values of a field are equal in any form: from the service, from a payload, or as users write
 * them. 0 and empty differ. A value that cannot be read equals no other value.
 * @example
 * equals('7', 7, numberField); // true
 * equals(['a', 'b'], 'b, a', choicesField); // true
 */
export function equals(first: unknown, second: unknown, field: Field): boolean {
  const [a, b] = [first, second].map((value) => getKind(field).read(value, field));
  if (a === undefined || b === undefined) return false;
  return (isEmptyValue(a) && isEmptyValue(b)) || isEqual(toComparable(a), toComparable(b));
}
