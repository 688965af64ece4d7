import { formatForError, InputError } from './inputError';

/** Returns `value` if it is one of `values`. @throws InputError that lists the valid values */
export function parseEnum<T extends string>(values: readonly T[], value: unknown, label: string): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    `Give one of: ${values.join(', ')}. An expression may have returned nothing.`,
  );
}
