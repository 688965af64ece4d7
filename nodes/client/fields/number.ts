import { isBlank } from '../input/values';
import { createInvalidValueError, createSingleColumn, defineKind } from './kind';
import { anyOfOperator, betweenOperator, createNumberOperators } from './operators';

/** Decimal notation. "0x1F" and "1_000" are refused, because they are usually mistakes. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d+$/;
const stripLeadingZeros = (integer: string) => integer.replace(/^[+-]?0*/, '');

/** Whether an integer has more digits than a double can hold, so that it would be rounded. */
const isRounded = (text: string) =>
  INTEGER.test(text) && stripLeadingZeros(text) !== stripLeadingZeros(String(Number(text)));

function parseNumber(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const number = DECIMAL.test(text) ? Number(text) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/**
 * Reads a number. Null for a blank value; undefined for a value that is not a number or that would be
 * rounded.
 */
export function readNumber(value: unknown): number | null | undefined {
  if (isBlank(value)) return null;
  return isRounded(String(value).trim()) ? undefined : parseNumber(value);
}

/** Number and Currency: a JSON number. */
export const numberKind = defineKind({
  types: /^(number|currency|decimal|integer|numeric|formula|equation)/,
  hasSingleSpelling: true,
  labelRole: 'fallback',
  example: '12.5',
  operators: [...createNumberOperators((value) => value), betweenOperator, anyOfOperator],
  rangeOperators: ['higher than or equal to', 'lower than or equal to'],
  omittedValue: 0,
  createColumns: (field) => createSingleColumn(field, 'number'),
  encode(value, field) {
    if (isBlank(value)) return [[field.slug, null]];
    const number = parseNumber(value);
    if (number === undefined) throw createInvalidValueError(field, value, numberKind.example);
    if (isRounded(String(value).trim())) {
      throw createInvalidValueError(
        field,
        value,
        '9007199254740991',
        'It has more digits than a number can hold.',
      );
    }
    return [[field.slug, number]];
  },
  read: readNumber,
});
