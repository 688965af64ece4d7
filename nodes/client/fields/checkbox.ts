import { createInvalidValueError, createSingleColumn, defineKind } from './kind';
import { type Operator, createPair } from './operators';

const TRUE_VALUES = new Set<unknown>([true, 1, '1', 'true', 'yes', 'on', 'checked']);
const FALSE_VALUES = new Set<unknown>([false, 0, '0', 'false', 'no', 'off', 'unchecked', '']);

export function parseChecked(value: unknown): 0 | 1 | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : (value ?? false);
  if (TRUE_VALUES.has(word)) return 1;
  return FALSE_VALUES.has(word) ? 0 : undefined;
}

export const createCheckedOperators = (isChecked: (value: unknown) => boolean): Operator[] =>
  createPair('none', ['is checked', isChecked], 'is unchecked');

/** Decision Box: 1 or 0. There is no empty value; clearing the field unchecks it. */
export const checkboxKind = defineKind({
  types: /^decision/,
  example: 'true',
  hasSingleSpelling: true,
  operators: createCheckedOperators((value) => value === 1),
  omittedValue: 0,
  createColumns: (field) => createSingleColumn(field, 'boolean'),
  encode(value, field) {
    const checked = parseChecked(value);
    if (checked === undefined) throw createInvalidValueError(field, value, checkboxKind.example);
    return [[field.slug, checked]];
  },
  read: parseChecked,
  createMatch: (val) => ({ operator: val === 1 ? 'is checked' : 'is unchecked' }),
});
