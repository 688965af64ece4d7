import { isBlank, misfit, oneColumn, type Codec } from './codec';
import type { Field } from './field';

/** As people and other systems write it; "0x1F" and "1_000" are mistakes more often than numbers. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d+$/;
const digitsOf = (integer: string) => integer.replace(/^[+-]?0*/, '');

/** The number that a text is. @throws InputError where its digits would be rounded: two such texts would be one number */
function numberIn(text: string, field: Field): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const amount = Number(text);
  if (INTEGER.test(text) && digitsOf(text) !== digitsOf(String(amount))) {
    throw misfit(field, text, '9007199254740991', 'It has more digits than a number can hold.');
  }
  return amount;
}

/** Number and Currency: a JSON number. Text that is exactly one number is taken for it. */
export const number: Codec = {
  example: '12.5',
  columns: (field) => oneColumn(field, 'number'),
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, null]];
    const amount = typeof value === 'string' ? numberIn(value.trim(), field) : value;
    if (typeof amount !== 'number' || !Number.isFinite(amount)) throw misfit(field, value, number.example);
    return [[field.slug, amount]];
  },
};

const TRUE = new Set<unknown>([true, 1, '1', 'true', 'yes', 'on', 'checked']);
const FALSE = new Set<unknown>([false, 0, '0', 'false', 'no', 'off', 'unchecked', '']);

const plainOf = (value: unknown) =>
  typeof value === 'string' ? value.trim().toLowerCase() : (value ?? false);

/** Whether a Decision Box that was read is checked. */
export const isChecked = (value: unknown): boolean => TRUE.has(plainOf(value));

/** Decision Box: 1 or 0. It has no empty state: clearing it unchecks it. */
export const checkbox: Codec = {
  example: 'true',
  columns: (field) => oneColumn(field, 'boolean'),
  encode(value, field) {
    const plain = plainOf(value);
    if (TRUE.has(plain)) return [[field.slug, 1]];
    if (FALSE.has(plain)) return [[field.slug, 0]];
    throw misfit(field, value, checkbox.example);
  },
};
