import { DateTime } from 'luxon';
import { DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT } from '../input/dateTimeText';
import { blankOperators, createOperator, createPair, type Matches, type Operator } from './operators';

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
