/**
 * Values whose form is not known. `isBlank` and `isObject` test them. `parseNames`, `parseList` and `parseLooseJson`
 * convert them.
 */
import { isPlainObject } from 'lodash';
import { InputError } from './inputError';
import { formatForError } from './messageText';

/**
 * Whether a value is null, undefined or ''. A blank value clears a field; an option with a blank value is not
 * set.
 */
export const isBlank = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

/**
 * Whether there is nothing to compare with: a blank value, white space, or a list or an object that holds nothing else. An
 * expression that found nothing returns such a value, and it must never select records.
 */
export function hasNoContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.every(hasNoContent);
  return isPlainObject(value) && Object.values(value).every(hasNoContent);
}

/** Whether a value is an object, but not null or an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An empty object in place of any value that is no object. */
export const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Whether an object has its own property `key`. A slug may be `constructor`, which every object inherits. */
export const hasOwnValue = (object: object, key: string): boolean => Object.hasOwn(object, key);

/** Reads an own property, so that names such as `constructor` find nothing else. */
export const getOwnValue = (object: object, key: string): unknown =>
  hasOwnValue(object, key) ? (object as Record<string, unknown>)[key] : undefined;

const BOOLEAN_WORDS = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false],
]);

/**
 * Parses a boolean that an expression may have returned. @throws InputError for any other value; a missing
 * value is not false
 */
export function parseBoolean(value: unknown, label: string): boolean {
  const flag = BOOLEAN_WORDS.get(String(value).trim().toLowerCase());
  if (flag !== undefined) return flag;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    'Give true or false. An expression may have returned nothing.',
  );
}

/** Returns `value` if it is one of `values`. @throws InputError that lists the valid values */
export function parseEnum<T extends string>(values: readonly T[], value: unknown, label: string): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    `Give one of: ${values.join(', ')}. An expression may have returned nothing.`,
  );
}

/** Whether a value has more than `maximum` objects and lists in one another. Looks no deeper than that. */
export function isDeeperThan(maximum: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return maximum === 0 || Object.values(value).some((member) => isDeeperThan(maximum - 1, member));
}

/** Parses JSON. Undefined for text that is not valid JSON. */
export const parseJson = (text: string): unknown => tryOr(() => JSON.parse(text) as unknown, undefined);

/** Parses a JSON object. Undefined for any other text. */
export const parseJsonObject = (text: string): object | undefined =>
  text.trimStart().startsWith('{') ? (parseJson(text) as object | undefined) : undefined;

const FENCE = '```';

/** Returns the content of a Markdown code block, in which language models often write JSON. Other text is unchanged. */
function unwrapCodeBlock(text: string): string {
  const block = text.trim();
  const isBlock = block.length >= 2 * FENCE.length && block.startsWith(FENCE) && block.endsWith(FENCE);
  return isBlock ? block.slice(FENCE.length, -FENCE.length).replace(/^\w*/, '').trim() : text;
}

/**
 * Parses JSON text, JSON in a code block and JSON text that contains JSON text. Undefined for text that is not
 * valid JSON.
 */
export function parseLooseJson(text: string): unknown {
  const value = parseJson(unwrapCodeBlock(text));
  const inner = typeof value === 'string' ? parseJson(value) : undefined;
  return typeof inner === 'object' && inner !== null ? inner : value;
}

function parseJsonList(text: string): unknown[] | undefined {
  const value = text.trimStart().startsWith('[') ? parseJson(text) : undefined;
  return Array.isArray(value) ? value : undefined;
}

const splitByCommas = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Whether an object is a list with its positions as keys. A delivery may have one for several choices (evidence 18). */
const isNumbered = (value: object): boolean =>
  Object.keys(value).every((key, index) => key === String(index));

/** Parses a list from an array, a map with number keys, JSON text, or text with commas. */
export function parseList(value: unknown): unknown[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value;
  if (isObject(value) && Object.keys(value).length > 0 && isNumbered(value)) return Object.values(value);
  return typeof value === 'string' ? (parseJsonList(value) ?? splitByCommas(value)) : [value];
}

/**
 * Parses the names or IDs of a multi-select in any form that an expression may return. Removes repeated and
 * empty entries.
 */
export function parseNames(value: unknown): string[] {
  const texts = parseList(value)
    .flatMap((entry) => parseList(entry))
    .map((entry) => String(entry).trim());
  return [...new Set(texts)].filter(Boolean);
}

/**
 * Parses the names or IDs of an optional multi-select, where an empty list means all.
 * @throws InputError for any other value without names: an expression that found nothing must not mean all
 */
export function parseNamesOrAll(value: unknown, label: string): string[] {
  const names = parseNames(value);
  const isLeftEmpty = value !== undefined && value !== null && parseList(value).length === 0;
  if (isLeftEmpty || names.length > 0) return names;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    'Choose from the list, or leave it empty. An expression may have returned nothing.',
  );
}

/** The result of `read`, or `fallback` if it throws. */
export function tryOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
