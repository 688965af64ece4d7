import { isBlank, misfit, oneColumn, type Codec } from './codec';

/** Number and Currency: a JSON number. Text that is exactly one number is taken for it. */
export const number: Codec = {
  example: '12.5',
  columns: (field) => oneColumn(field, 'number'),
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, null]];
    const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof amount !== 'number' || !Number.isFinite(amount)) throw misfit(field, value, number.example);
    return [[field.slug, amount]];
  },
};

const TRUE = new Set<unknown>([true, 1, '1', 'true', 'yes', 'on', 'checked']);
const FALSE = new Set<unknown>([false, 0, '0', 'false', 'no', 'off', 'unchecked', '']);

/** Decision Box: 1 or 0. It has no empty state: clearing it unchecks it. */
export const checkbox: Codec = {
  example: 'true',
  columns: (field) => oneColumn(field, 'boolean'),
  encode(value, field) {
    const plain = typeof value === 'string' ? value.trim().toLowerCase() : (value ?? false);
    if (TRUE.has(plain)) return [[field.slug, 1]];
    if (FALSE.has(plain)) return [[field.slug, 0]];
    throw misfit(field, value, checkbox.example);
  },
};
