/** The operators of filters. This package evaluates a condition itself with `Operator.matches`. */
import { eq, gt, gte, isPlainObject, lt, lte } from 'lodash';
import { DateTime } from 'luxon';
import { DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT } from './dateTimeText';

/** Creates the operators of texts (spec: Text). A value of several texts matches if one of the texts matches. */
export function createTextOperators(readTexts: (value: unknown) => string[]): Operator[] {
  const matchExact =
    (matches: (text: string, val: string) => boolean): ValueMatcher =>
    (value, val) =>
      readTexts(value).some((text) => matches(text, val));
  const match = (matches: (text: string, val: string) => boolean) =>
    matchExact((text, val) => matches(text.toLowerCase(), val.toLowerCase()));
  const [is, isNot] = createInverseOperators('one', 'is', 'is not', match(eq));
  const [isExact, isNotExact] = createInverseOperators('one', 'is exact', 'is not exact', matchExact(eq));
  const contains = match((text, val) => text.includes(val));
  return [
    is,
    isExact,
    isNot,
    isNotExact,
    ...createInverseOperators('one', 'contains', 'does not contain', contains),
    createOperator(
      'starts with',
      'one',
      match((text, val) => text.startsWith(val)),
    ),
    createOperator(
      'ends with',
      'one',
      match((text, val) => text.endsWith(val)),
    ),
    ...blankOperators,
  ];
}

/** What an operator compares with: no value, one value, the two ends of a range, a list of values, or a period. */
type OperandType = 'none' | 'one' | 'two' | 'list' | 'relative';

export interface EvaluationContext {
  timeZone: string;
  now: Date;
}

/** Whether a canonical value (see `FieldKind.normalize`) of a record matches `val`, the encoded comparison value. */
type ValueMatcher = (value: unknown, val: string, context: EvaluationContext) => boolean;

export interface Operator {
  /** Name in the service, or a name that this package adds (`between`, `is any of`, `is within`). */
  name: string;
  operand: OperandType;
  /** Whether the operator needs a Bearer token of a user (spec: Filters, "User"). */
  needsUser?: true;
  /** Whether a value meets the condition. Undefined if only the service can evaluate the operator. */
  matches?: ValueMatcher;
  /** The operator with the opposite result. "higher than" has none: a blank price is neither above 5 nor at most 5. */
  inverse?: string;
}

/** Operators that this package adds. The filter builder replaces each by operators of the service. */
export const BETWEEN = 'between';
export const ANY_OF = 'is any of';
export const WITHIN = 'is within';
export const betweenOperator: Operator = { name: BETWEEN, operand: 'two' };
export const anyOfOperator: Operator = { name: ANY_OF, operand: 'list' };
export const withinOperator: Operator = { name: WITHIN, operand: 'relative' };

export const createOperator = (name: string, operand: OperandType, matches?: ValueMatcher): Operator => ({
  name,
  operand,
  ...(matches && { matches }),
});

const negateMatcher =
  (matches: ValueMatcher): ValueMatcher =>
  (value, val, context) =>
    !matches(value, val, context);

export const createInverseOperators = (
  operand: OperandType,
  name: string,
  inverse: string,
  matches?: ValueMatcher,
): [Operator, Operator] => [
  { ...createOperator(name, operand, matches), inverse },
  { ...createOperator(inverse, operand, matches && negateMatcher(matches)), inverse: name },
];

/** Makes an operator convert the value of a record before it is compared. */
export const addValueConversion =
  (convert: (value: unknown) => unknown) =>
  ({ matches, ...operator }: Operator): Operator => ({
    ...operator,
    ...(matches && { matches: (value, val, context) => matches(convert(value), val, context) }),
  });

/** 0 and unchecked are not empty. Undefined is not empty either: it means that the value cannot be read. */
export function isEmptyValue(value: unknown): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  // A `Date` has no keys either, and is not empty.
  return isPlainObject(value) && Object.values(value as object).every(isEmptyValue);
}

export const blankOperators = createInverseOperators('none', 'is blank', 'is not blank', isEmptyValue);

/** `is` with a state, such as `true` or `blank`. `FieldKind.findOperatorForState` returns the operator that is sent. */
export const stateOperator: Operator = { name: 'is', operand: 'one' };

/** Compares two numbers or two texts. Dates and times are texts of fixed width, so they sort by time. */
type Comparer<T> = (value: T, other: T) => boolean;

const createNumberMatcher =
  (compare: Comparer<number>): ValueMatcher =>
  (value, val) =>
    typeof value === 'number' && compare(value, Number(val));

export const numberOperators: Operator[] = [
  ...createInverseOperators('one', 'is', 'is not', createNumberMatcher(eq)),
  createOperator('higher than', 'one', createNumberMatcher(gt)),
  createOperator('higher than or equal to', 'one', createNumberMatcher(gte)),
  createOperator('lower than', 'one', createNumberMatcher(lt)),
  createOperator('lower than or equal to', 'one', createNumberMatcher(lte)),
  ...blankOperators,
];

export const userOperators: Operator[] = [
  ...createInverseOperators('none', 'is logged in user', 'is not logged in user'),
  ...createInverseOperators('none', 'is connected to logged in user', 'is not connected to logged in user'),
].map((operator) => ({ ...operator, needsUser: true }));

const createTextMatcher =
  (compare: Comparer<string>) =>
  (value: unknown, val: string): boolean =>
    typeof value === 'string' && value !== '' && compare(value, val);

const createCurrentTimeMatcher =
  (compare: Comparer<string>, format: string): ValueMatcher =>
  (value, _val, { timeZone, now }) =>
    createTextMatcher(compare)(value, DateTime.fromJSDate(now, { zone: timeZone }).toFormat(format));

const createTodayMatcher = (compare: Comparer<string>): ValueMatcher =>
  createCurrentTimeMatcher((value, today) => compare(value.slice(0, DATE_FORMAT.length), today), DATE_FORMAT);

/** A date without a time counts as midnight. A Time has no day: only the service can evaluate "today" for it. */
function createNowOperators(format: string): Operator[] {
  const hasDay = format !== TIME_FORMAT;
  const nowFormat = format === DATE_FORMAT ? DATE_TIME_FORMAT : format;
  const createNowMatcher = (compare: Comparer<string>) =>
    createCurrentTimeMatcher((value, now) => compare(value.padEnd(now.length, ' 00:00:00'), now), nowFormat);
  return [
    createOperator('is before today', 'none', hasDay ? createTodayMatcher(lt) : undefined),
    createOperator('is after today', 'none', hasDay ? createTodayMatcher(gt) : undefined),
    createOperator('is before current time', 'none', createNowMatcher(lt)),
    createOperator('is after current time', 'none', createNowMatcher(gt)),
  ];
}

export const createDateOperators = (format: string): Operator[] => [
  ...createInverseOperators('one', 'is', 'is not', createTextMatcher(eq)),
  createOperator('is before', 'one', createTextMatcher(lt)),
  createOperator('is on or before', 'one', createTextMatcher(lte)),
  createOperator('is after', 'one', createTextMatcher(gt)),
  createOperator('is on or after', 'one', createTextMatcher(gte)),
  ...createNowOperators(format),
  ...blankOperators,
];
