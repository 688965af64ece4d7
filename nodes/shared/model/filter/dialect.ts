import { isPlainObject, mapValues } from 'lodash';
import type { z } from 'zod';
import { formatForError, InputError } from '../input/inputError';
import { getOwnValue } from '../input/ownValue';

/** One of the service's two filter forms (primary and symbolic), for error messages. */
export interface FilterDialect {
  /** Label of the parameter. */
  label: string;
  example: string;
  /** Right keys by wrong keys that users write, often those of the other form. */
  corrections: Record<string, string>;
}

/**
 * Parses JSON text. Any other value, such as the result of an expression, is returned unchanged. @throws
 * InputError
 */
export function parseJsonInput(input: unknown, dialect: FilterDialect): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch (error) {
    throw createInvalidJsonError(input, error, dialect);
  }
}

const createInvalidJsonError = (input: string, error: unknown, { label, example }: FilterDialect) =>
  new InputError(
    `${label} is not valid JSON: ${formatForError(input)}`,
    `${(error as Error).message}. A valid value: ${example}`,
  );

/** Formats a path: `items[0].field_id`. */
const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');

const findAtPath = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce(
    (current, key) =>
      typeof current === 'object' && current !== null ? getOwnValue(current, String(key)) : undefined,
    value,
  );

const EXPECTED_TYPES = new Map([
  ['string', 'text'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function describeIssue(issue: z.ZodIssue, input: unknown): string {
  const value = findAtPath(input, issue.path);
  if (value === undefined) return 'is missing';
  if (value === '') return 'is empty';
  const expected = 'expected' in issue ? EXPECTED_TYPES.get(String(issue.expected)) : undefined;
  return expected
    ? `must be ${expected}, not ${formatForError(value)}`
    : `cannot be ${formatForError(value)}`;
}

/** Describes the first problem that the schema found in `input`, with the right name for a wrong key. */
export function createDialectError(
  error: z.ZodError,
  input: unknown,
  { label, example, corrections }: FilterDialect,
): InputError {
  // A wrong key causes two issues: the unknown key, and the missing right key. Report the unknown key.
  const [first] = error.issues;
  const issue = (error.issues.find(({ code }) => code === 'unrecognized_keys') ?? first) as z.ZodIssue & {
    keys?: string[];
  };
  const path = formatPath(issue.path);
  const key = issue.keys?.[0];
  const correctKey = key === undefined ? undefined : getOwnValue(corrections, key);
  const place = path === '' ? label : `${label}: ${path}`;
  return new InputError(
    key === undefined
      ? `${place} ${describeIssue(issue, input)}`
      : `${place} has no key ${formatForError(key)}${typeof correctKey === 'string' ? `: use "${correctKey}"` : ''}`,
    `Nothing was sent: the service ignores an invalid filter silently. A valid value: ${example}`,
  );
}

/**
 * Replaces values that are exactly `$1`, `$2`, … by the parameters. Only whole values are replaced, so that a
 * parameter cannot change the filter's structure.
 */
export function fillPlaceholders(value: unknown, parameters: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => fillPlaceholders(entry, parameters));
  if (isPlainObject(value)) return mapValues(value as object, (entry) => fillPlaceholders(entry, parameters));
  const number = typeof value === 'string' ? /^\$(\d+)$/.exec(value)?.[1] : undefined;
  if (number === undefined) return value;
  if (Number(number) >= 1 && Number(number) <= parameters.length) return parameters[Number(number) - 1];
  throw new InputError(
    `Filter Parameters: there is no $${number}`,
    `The list holds ${parameters.length} values: add the missing one, or correct the number.`,
  );
}
