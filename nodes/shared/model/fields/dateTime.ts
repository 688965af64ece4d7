import { isBlank } from '../input/isBlank';
import type { Field } from './field';
import { DateTime } from 'luxon';
import {
  DATE_FORMAT,
  DATE_TIME_FORMAT,
  TIME_FORMAT,
  hasFullDate,
  matchesFormat,
  normalizeDateWords,
  parseDateTime,
  readFormatText,
  toFormatText,
} from '../input/dateTimeText';
import {
  createHintedColumn,
  createInvalidValueError,
  createSingleColumn,
  defineKind,
  type FieldKind,
} from './kind';
import {
  betweenOperator,
  blankOperators,
  createOperator,
  createPair,
  relativeOperator,
  type Matches,
  type Operator,
} from './operators';

/** Compares two texts of fixed width, which sort by time. */
type Compare = (value: string, other: string) => boolean;

const isBefore: Compare = (value, other) => value < other;
const isAfter: Compare = (value, other) => value > other;

/** Compares values with the comparison value. An empty value matches nothing. */
const matchText =
  (compare: Compare) =>
  (value: unknown, val: string): boolean =>
    typeof value === 'string' && value !== '' && compare(value, val);

/** Compares values with the current time, formatted as `format`. */
const matchNow =
  (compare: Compare, format: string): Matches =>
  (value, _val, { timeZone, now }) =>
    matchText(compare)(value, DateTime.fromJSDate(now, { zone: timeZone }).toFormat(format));

/** Compares the day of values with today. */
const matchToday = (compare: Compare): Matches =>
  matchNow((value, today) => compare(value.slice(0, DATE_FORMAT.length), today), DATE_FORMAT);

/** Creates the operators that compare a value with today or with the current time. */
function createNowOperators(format: string): Operator[] {
  const hasDay = format !== TIME_FORMAT;
  const nowFormat = format === DATE_FORMAT ? DATE_TIME_FORMAT : format;
  const withMidnight =
    (compare: Compare): Compare =>
    (value, now) =>
      compare(format === DATE_FORMAT ? `${value} 00:00:00` : value, now);
  return [
    createOperator('is before today', 'none', hasDay ? matchToday(isBefore) : undefined),
    createOperator('is after today', 'none', hasDay ? matchToday(isAfter) : undefined),
    createOperator('is before current time', 'none', matchNow(withMidnight(isBefore), nowFormat)),
    createOperator('is after current time', 'none', matchNow(withMidnight(isAfter), nowFormat)),
  ];
}

/**
 * Spec: Date, Date-Time, Time. Canonical values are fixed-width text, so they are compared as text. The
 * operators with "today" cannot be evaluated here for a Time field; only the service can.
 */
export const createDateOperators = (format: string): Operator[] => [
  ...createPair('one', ['is', matchText((value, val) => value === val)], 'is not'),
  createOperator('is before', 'one', matchText(isBefore)),
  createOperator(
    'is on or before',
    'one',
    matchText((value, val) => value <= val),
  ),
  createOperator('is after', 'one', matchText(isAfter)),
  createOperator(
    'is on or after',
    'one',
    matchText((value, val) => value >= val),
  ),
  ...createNowOperators(format),
  ...blankOperators,
];

const createDateTimeKind = (
  types: RegExp,
  format: string,
  createColumns: FieldKind['createColumns'],
  example: string,
  extraOperators: Operator[],
): FieldKind =>
  defineKind({
    types,
    labelRole: 'fallback',
    example,
    operators: [...createDateOperators(format), ...extraOperators],
    rangeOperators: ['is on or after', 'is on or before'],
    createColumns,
    encode(value, field, { timeZone }) {
      if (isBlank(value)) return [[field.slug, null]];
      const text = toFormatText(normalizeDateWords(value), format, timeZone);
      if (text === undefined) throw createInvalidValueError(field, value, example);
      return [[field.slug, text]];
    },
    read: (value) => (isBlank(value) ? null : readFormatText(value, format)),
  });

const createDateTimeColumn = (field: Field) => createSingleColumn(field, 'dateTime');

export const dateKind = createDateTimeKind(/^date/, DATE_FORMAT, createDateTimeColumn, '"2025-03-31"', [
  betweenOperator,
  relativeOperator,
]);

/**
 * The column is text, because n8n refuses "9:30" in a column for times before this package can read it.
 */
export const timeKind = createDateTimeKind(
  /^time/,
  TIME_FORMAT,
  (field) => createHintedColumn(field, 'hh:mm'),
  '"14:30:00"',
  [betweenOperator],
);

const OFFSET_PATTERN = /:\d\d(\.\d+)?\s*(z|[+-]\d\d:?(\d\d)?)$/i;

/**
 * Whether a text has another offset than the workflow's time zone. It then means a moment, not a day. n8n
 * writes its own dates with the offset of the workflow's time zone.
 */
const hasOtherOffset = (text: string, moment: DateTime) =>
  OFFSET_PATTERN.test(text) && DateTime.fromISO(text, { setZone: true }).offset !== moment.offset;

export const dateTimeKind: FieldKind = {
  ...createDateTimeKind(/^date ?time/, DATE_TIME_FORMAT, createDateTimeColumn, '"2025-03-31 14:30:00"', [
    betweenOperator,
    relativeOperator,
  ]),
  /**
   * Finds the day of a date without a time, or of midnight in the workflow's time zone, which date pickers and
   * `$today` return. The comparison then covers the whole day; the service would compare with its first second only.
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
};
