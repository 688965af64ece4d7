import { formatForError, InputError } from './inputError';
import { isBlank } from './isBlank';
import { parseJson } from './parseJson';

function parseJsonList(text: string): unknown[] | undefined {
  const value = text.trimStart().startsWith('[') ? parseJson(text) : undefined;
  return Array.isArray(value) ? value : undefined;
}

const splitByCommas = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Parses a list from an array, from JSON text, or from text with commas. */
export function parseList(value: unknown): unknown[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value;
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
