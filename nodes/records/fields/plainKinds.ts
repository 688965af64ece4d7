/** The kinds with one plain value: text, e-mail, link, password, number, decision box, date and time. */
import { trim } from 'lodash';
import { DateTime } from 'luxon';
import { isBlank, isObject } from '../../service';
import {
  DATE_FORMAT,
  DATE_TIME_FORMAT,
  hasFullDate,
  matchesFormat,
  normalizeDateWords,
  parseDateTime,
  parseDateTimeText,
  readDateText,
  TIME_FORMAT,
  formatDateTime,
  toIsoText,
} from './dateTimeText';
import type { Field } from './field';
import {
  explainUnsendableValue,
  hasNoContent,
  isUnroundedNumber,
  isScalar,
  parseObjectText,
} from './inputValues';
import { blankOnlyFilterSettings, type FieldKind, createInvalidValueError, defineKind } from './kind';
import {
  type Operator,
  anyOfOperator,
  betweenOperator,
  createDateOperators,
  createInverseOperators,
  createTextOperators,
  numberOperators,
  withinOperator,
  stateOperator,
} from './operators';

export const normalizeSpaces = (text: string): string =>
  text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .trim()
    .replace(/\s+/g, ' ');

const { compare: compareLetters } = new Intl.Collator('en', { sensitivity: 'base' });

/** Ignores case, accents, white space and Unicode composition, because services may ignore these differences. */
export const isSimilarText = (one: string, other: string): boolean =>
  compareLetters(normalizeSpaces(one), normalizeSpaces(other)) === 0;

function encodeText(value: unknown, field: Field): string | undefined {
  const text = toIsoText(value);
  const reason = explainUnsendableValue(text);
  if (reason !== undefined) throw createInvalidValueError(field, value, undefined, reason);
  return isScalar(text) ? String(text) : undefined;
}

export const textKind: FieldKind = defineKind({
  types: /^((long|rich|short|plain|multi line|single line) )?text|^phone|^(record )?id$/,
  labelRole: 'text',
  example: '"Blue"',
  operators: [...createTextOperators((value) => (typeof value === 'string' ? [value] : [])), anyOfOperator],
  blank: '',
  encode: encodeText,
  normalize(value) {
    if (isBlank(value)) return '';
    return isScalar(value) ? String(value) : undefined;
  },
  toLookupKey: normalizeSpaces,
});

/** One @ between two texts. The service checks the rest (422 `Email must be valid`). */
const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;

export const emailKind: FieldKind = defineKind({
  ...textKind,
  types: /^email/,
  example: '"ada@example.com"',
  encode(value) {
    const address = typeof value === 'string' ? value.trim() : '';
    return EMAIL_PATTERN.test(address) ? address : undefined;
  },
  // A filter may compare with a part of an address, so `encodeOperand` of the kind `text` is kept.
  toLookupKey: (text) => normalizeSpaces(text).toLowerCase(),
});

/** The service returns a Link as `{link}` (evidence 9). */
function unwrapLink(value: unknown): unknown {
  const link = parseObjectText(value);
  return isObject(link) && 'link' in link ? link.link : value;
}

export const linkKind: FieldKind = defineKind({
  ...textKind,
  types: /^(link|url)/,
  formPart: 'link',
  example: '"https://example.com/shop"',
  encode: (value, field) => encodeText(unwrapLink(value) ?? '', field),
  normalize: (value, field) => textKind.normalize(unwrapLink(value), field),
  simplify: unwrapLink,
});

const PASSWORD_MASK_PATTERN = /^[*•●∙·]+$/;

/** The service never returns a Password. Its records show a mask such as `********`. */
export const passwordKind: FieldKind = defineKind({
  ...textKind,
  types: /^password/,
  labelRole: undefined,
  example: '"correct horse battery staple"',
  ...blankOnlyFilterSettings,
  isMasked: true,
  encode(value, field) {
    if (!PASSWORD_MASK_PATTERN.test(String(value))) return encodeText(value, field);
    const reason = 'It is a mask in place of a password.';
    throw createInvalidValueError(field, value, passwordKind.example, reason);
  },
});

/** Decimal notation. Other notations, such as "0x1F" and "1_000", are usually mistakes. */
const DECIMAL_PATTERN = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Returns the significant digits: "-0.50" becomes '5'. Rounding changes these digits. */
const readDigits = (text: string): string => trim(text.replace(/e.*|\D/gi, ''), '0');

/** Whether a text is a number with more digits than JavaScript holds. */
const wouldBeRounded = (text: string): boolean =>
  DECIMAL_PATTERN.test(text) && readDigits(text) !== readDigits(String(Number(text)));

function parseNumber(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const number = DECIMAL_PATTERN.test(text) ? Number(text) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns null for a blank value, and undefined for a value that is no number, or that would be rounded. */
export function readNumber(value: unknown): number | null | undefined {
  if (isBlank(value)) return null;
  return wouldBeRounded(String(value).trim()) ? undefined : parseNumber(value);
}

export const numberKind: FieldKind = defineKind({
  types:
    /^(number|currency|decimal|integer|numeric|slider|rating|count|sum|auto ?(number|increment)|((basic|complex) )?formula|equation)/,
  labelRole: 'fallback',
  example: '12.5',
  operators: [...numberOperators, betweenOperator, anyOfOperator],
  filterInput: 'number',
  rangeOperators: ['higher than or equal to', 'lower than or equal to'],
  omittedValue: 0,
  columnType: 'number',
  blank: null,
  encode(value, field) {
    const number = parseNumber(value);
    // A text must not lose digits. A number may have 17 digits, as 0.1 + 0.2 has, so only 2^53 and above is refused.
    const isRounded = typeof value === 'string' ? wouldBeRounded(value.trim()) : !isUnroundedNumber(value);
    if (number === undefined || !isRounded) return number;
    const reason =
      'It has more digits than a number can hold. Round it, or keep it in a field of the type Text.';
    throw createInvalidValueError(field, value, '9007199254740991', reason);
  },
  normalize: readNumber,
});

/** The operators that mean `is 0` and `is 1`. */
export const CHECKED_OPERATOR_NAMES: readonly string[] = ['is unchecked', 'is checked'];

const TRUE_VALUES = new Set<unknown>([true, 1, '1', 'true', 'yes', 'on', 'checked']);
const FALSE_VALUES = new Set<unknown>([false, 0, '0', 'false', 'no', 'off', 'unchecked', '']);

export function parseCheckboxValue(value: unknown): 0 | 1 | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : (value ?? false);
  if (TRUE_VALUES.has(word)) return 1;
  return FALSE_VALUES.has(word) ? 0 : undefined;
}

export const createCheckedOperators = (isChecked: (value: unknown) => boolean): Operator[] =>
  createInverseOperators('none', 'is checked', 'is unchecked', isChecked);

/** Decision Box: 1 or 0, never empty. Clearing the field unchecks it. */
export const checkboxKind: FieldKind = defineKind({
  types: /^decision/,
  example: 'true',
  operators: [stateOperator, ...createCheckedOperators((value) => value === 1)],
  findOperatorForState(value) {
    const checked = hasNoContent(value) ? undefined : parseCheckboxValue(value);
    return checked === undefined ? undefined : CHECKED_OPERATOR_NAMES[checked];
  },
  filterInput: 'checked',
  omittedValue: 0,
  columnType: 'boolean',
  encode: parseCheckboxValue,
  normalize: parseCheckboxValue,
});

const createDateTimeKind = (
  format: string,
  extraOperators: Operator[],
  kind: Pick<FieldKind, 'types' | 'example'> & Partial<FieldKind>,
): FieldKind =>
  defineKind({
    labelRole: 'fallback',
    operators: [...createDateOperators(format), ...extraOperators],
    filterInput: 'date',
    rangeOperators: ['is on or after', 'is on or before'],
    columnType: 'dateTime',
    blank: null,
    encode: (value, _field, { timeZone }) => formatDateTime(normalizeDateWords(value), format, timeZone),
    normalize: (value) => (isBlank(value) ? null : readDateText(value, format)),
    ...kind,
  });

/** n8n's input for a date also takes a time. The label of the column therefore says `date`. */
export const dateKind: FieldKind = createDateTimeKind(DATE_FORMAT, [betweenOperator, withinOperator], {
  types: /^date/,
  example: '"2025-03-31"',
  describeColumn: () => 'date',
});

/** The column takes text: a time column of n8n refuses "9:30". */
export const timeKind: FieldKind = createDateTimeKind(TIME_FORMAT, [betweenOperator], {
  types: /^time/,
  example: '"14:30:00"',
  filterInput: 'time',
  columnType: 'string',
  describeColumn: () => 'hh:mm',
});

/** A text with another offset than the time zone of the workflow means a moment, not a day. */
const hasOtherOffset = (text: string, { zone, offset }: DateTime) =>
  (parseDateTimeText(text, { zone: zone.name, setZone: true })?.offset ?? offset) !== offset;

export const dateTimeKind: FieldKind = createDateTimeKind(
  DATE_TIME_FORMAT,
  [betweenOperator, withinOperator],
  {
    types: /^date ?time/,
    example: '"2025-03-31 14:30:00"',
    /**
     * Date pickers and `$today` give a day as midnight. The condition then means the whole day, but the service would
     * compare only with the first second.
     */
    findDay(given, timeZone) {
      const value = normalizeDateWords(given);
      const text = typeof value === 'string' ? value.trim() : '';
      if (matchesFormat(text, DATE_FORMAT)) return text;
      if (matchesFormat(text, DATE_TIME_FORMAT) || !hasFullDate(value)) return undefined;
      const moment = parseDateTime(value, timeZone);
      const isMidnight = moment && +moment === +moment.startOf('day');
      return isMidnight && !hasOtherOffset(text, moment) ? moment.toFormat(DATE_FORMAT) : undefined;
    },
  },
);
