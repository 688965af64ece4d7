import { formatForError, InputError } from './inputError';

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
  const flag = typeof value === 'boolean' ? value : BOOLEAN_WORDS.get(String(value).trim().toLowerCase());
  if (flag !== undefined) return flag;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    'Give true or false. An expression may have returned nothing.',
  );
}
