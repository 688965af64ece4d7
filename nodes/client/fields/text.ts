import { isBlank } from '../input/values';
import { createInvalidValueError, createSingleColumn, defineKind } from './kind';
import { anyOfOperator, createTextOperators } from './operators';

/** Whether a value can be written as text. NaN cannot: it is the result of a failed calculation. */
const isText = (value: unknown) =>
  typeof value !== 'object' && typeof value !== 'function' && !Number.isNaN(value);

/** Text, Phone, Long Text, Rich Text (HTML). In the service, only `is exact` compares exactly. */
export const textKind = defineKind({
  types: /^((long|rich|short|plain|multi line|single line) )?text|^phone/,
  labelRole: 'text',
  example: '"Blue"',
  operators: [...createTextOperators((value) => (typeof value === 'string' ? [value] : [])), anyOfOperator],
  createColumns: (field) => createSingleColumn(field, 'string'),
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, '']];
    if (!isText(value)) throw createInvalidValueError(field, value, textKind.example);
    return [[field.slug, String(value)]];
  },
  read(value) {
    if (isBlank(value)) return '';
    return isText(value) ? String(value) : undefined;
  },
  createMatch: (val) => ({ operator: 'is exact', val }),
});

/** Text on both sides of one @. The service checks the rest (422 `Email must be valid`). */
const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;

export const emailKind = defineKind({
  ...textKind,
  types: /^email/,
  example: '"ada@example.com"',
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, '']];
    const address = String(value).trim();
    if (typeof value !== 'string' || !EMAIL_PATTERN.test(address))
      throw createInvalidValueError(field, value, emailKind.example);
    return [[field.slug, address]];
  },
  // A filter may compare with a part of an address.
  encodeOperand: textKind.encodeOperand,
});
