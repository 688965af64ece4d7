import { isBlank, misfit, oneColumn, type Codec } from './codec';

/** Text, Phone, Long Text, Rich Text (HTML) and any type that the spec does not name. */
export const text: Codec = {
  example: '"Blue"',
  columns: (field) => oneColumn(field, 'string'),
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, '']];
    if (typeof value === 'object' || typeof value === 'function') throw misfit(field, value, text.example);
    return [[field.slug, String(value)]];
  },
};

/** An address with something on both sides of one @: the service checks the rest (422 `Email must be valid`). */
const EMAIL = /^[^\s@]+@[^\s@]+$/;

export const email: Codec = {
  example: '"ada@example.com"',
  columns: (field) => oneColumn(field, 'string'),
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, '']];
    const address = String(value).trim();
    if (typeof value !== 'string' || !EMAIL.test(address)) throw misfit(field, value, email.example);
    return [[field.slug, address]];
  },
};
