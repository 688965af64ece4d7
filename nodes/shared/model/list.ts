import { isBlank } from './fields/codec';
import { InputError, shown } from './inputError';

function jsonListIn(text: string): unknown[] | undefined {
  if (!/^\s*\[.*\]\s*$/s.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}

const byCommas = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** A list given as an array, as JSON text, or with commas. */
export function listOf(value: unknown): unknown[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? (jsonListIn(value) ?? byCommas(value)) : [value];
}

/** Names or ids of a multi-select, in whichever form an expression gives the list: each once, none empty. */
export function namesIn(value: unknown): string[] {
  const texts = listOf(value)
    .flatMap((one) => listOf(one))
    .map((one) => String(one).trim());
  return [...new Set(texts)].filter(Boolean);
}

/**
 * Names or ids of an optional multi-select, where an empty list means all.
 * @throws InputError for anything else that names nothing: what an expression did not find is not all
 */
export function namesOrAll(value: unknown, label: string): string[] {
  const names = namesIn(value);
  const isLeftEmpty = value !== undefined && value !== null && listOf(value).length === 0;
  if (isLeftEmpty || names.length > 0) return names;
  throw new InputError(
    `${label} cannot be ${shown(value)}`,
    'Choose from the list, or leave it empty for all. An expression here may have found nothing.',
  );
}
