import { DateTime } from 'luxon';
import {
  DATE_FORMAT,
  DATE_TIME_FORMAT,
  TIME_FORMAT,
  hasFullDate,
  matchesFormat,
  normalizeDateWords,
  parseDateTime,
  parseDateTimeText,
  readFormatText,
  toFormatText,
} from '../input/dateTimeText';
import { isBlank } from '../input/values';
import type { Field } from './field';
import {
  type FieldKind,
  createHintedColumn,
  createInvalidValueError,
  createSingleColumn,
  defineKind,
} from './kind';
import { type Operator, betweenOperator, createDateOperators, relativeOperator } from './operators';

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
    hasSingleSpelling: true,
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
  OFFSET_PATTERN.test(text) && parseDateTimeText(text, { setZone: true })?.offset !== moment.offset;

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
