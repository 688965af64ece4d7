/** Tests and conversions of values whose form is not known. */
import { InputError } from './inputError';
import { formatForError } from './messageText';

/** A blank value clears a field. An option with a blank value counts as not set. */
export const isBlank = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Returns `value` if it is one of `values`. @throws InputError that lists the valid values */
export function parseEnum<T extends string>(values: readonly T[], value: unknown, label: string): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    `Give one of: ${values.join(', ')}. An expression may have returned nothing.`,
  );
}

/** Whether objects and lists are nested more than `maximum` levels deep. Deeper levels are not read. */
export function isDeeperThan(maximum: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return maximum === 0 || Object.values(value).some((member) => isDeeperThan(maximum - 1, member));
}

/** @returns undefined for invalid JSON */
export const parseJson = (text: string): unknown => tryOr(() => JSON.parse(text) as unknown, undefined);

/** Finds a key that one object of a JSON text has twice. `JSON.parse` would keep only the last of its values. */
export function findRepeatedKey(text: string): string | undefined {
  const open: Array<Set<string>> = [];
  for (const [sign, quoted, colon] of text.matchAll(/[{}[\]]|("(?:[^"\\]|\\.)*")(\s*:)?/g)) {
    if (sign === '{' || sign === '[') open.push(new Set());
    else if (sign === '}' || sign === ']') open.pop();
    else if (colon !== undefined) {
      const key = String(parseJson(quoted ?? ''));
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    }
  }
  return undefined;
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

/** Some webhook deliveries contain a list as an object with the positions as keys (evidence 18). */
const hasPositionKeys = (value: object): boolean =>
  Object.keys(value).every((key, index) => key === String(index));

/** Parses an array, an object with positions as keys, JSON text, or text with commas. Any other value is one entry. */
export function parseList(value: unknown): unknown[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value;
  if (isObject(value) && Object.keys(value).length > 0 && hasPositionKeys(value)) return Object.values(value);
  return typeof value === 'string' ? (parseJsonList(value) ?? splitByCommas(value)) : [value];
}

/** Parses names or IDs in any form that an expression may return, each once. */
export function parseNames(value: unknown): string[] {
  const texts = parseList(value)
    .flatMap((entry) => parseList(entry))
    .map((entry) => String(entry).trim());
  return [...new Set(texts)].filter(Boolean);
}

export function tryOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
