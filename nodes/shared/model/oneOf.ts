import { InputError, shown } from './inputError';

/** One of the values that a list has, as an expression gave it. @throws InputError naming the others */
export function oneOf<T extends string>(values: readonly T[], value: unknown, label: string): T {
  const found = values.find((one) => one === value);
  if (found !== undefined) return found;
  throw new InputError(
    `${label} cannot be ${shown(value)}`,
    `Give one of: ${values.join(', ')}. An expression here may have found nothing.`,
  );
}
