import { DateTime } from 'luxon';
import { DATE_TIME, isChecked, type FieldKind } from '../fields';

/** When and where a filter is evaluated. */
export interface Moment {
  timeZone: string;
  now: Date;
}

/** Tells whether the values of one field pass; the values are never an empty composite. */
type Test = (values: unknown[]) => boolean;
/** Makes the test from the condition's value. */
type Operator = (val: string, moment: Moment) => Test;
type Operators = Record<string, Operator>;

const isBlank = (value: unknown) => value === null || value === undefined || value === '';
const not = (operator: Operator): Operator => {
  return (val, moment) => {
    const test = operator(val, moment);
    return (values) => !test(values);
  };
};
const blank: Operator = () => (values) => values.every(isBlank);
const BLANK: Operators = { 'is blank': blank, 'is not blank': not(blank) };

const anyText =
  (matches: (text: string, val: string) => boolean): Operator =>
  (val) =>
  (values) =>
    (values.length === 0 ? [''] : values).some((one) => matches(isBlank(one) ? '' : String(one), val));
const folded = (matches: (text: string, val: string) => boolean) =>
  anyText((text, val) => matches(text.toLowerCase(), val.toLowerCase()));

const isText = folded((text, val) => text === val);
const isExact = anyText((text, val) => text === val);
const contains = folded((text, val) => text.includes(val));

const TEXT: Operators = {
  is: isText,
  'is exact': isExact,
  'is not': not(isText),
  'is not exact': not(isExact),
  contains,
  'does not contain': not(contains),
  'starts with': folded((text, val) => text.startsWith(val)),
  'ends with': folded((text, val) => text.endsWith(val)),
  ...BLANK,
};

/** A blank number is none: it is neither higher nor lower than another. */
const number =
  (holds: (value: number, val: number) => boolean): Operator =>
  (val) =>
  ([value]) =>
    !isBlank(value) && holds(Number(value), Number(val));

const equals = number((value, val) => value === val);
const NUMBER: Operators = {
  is: equals,
  'is not': not(equals),
  'higher than': number((value, val) => value > val),
  'higher than or equal to': number((value, val) => value >= val),
  'lower than': number((value, val) => value < val),
  'lower than or equal to': number((value, val) => value <= val),
  ...BLANK,
};

const checked: Operator =
  () =>
  ([value]) =>
    isChecked(value);
const CHECKBOX: Operators = { 'is checked': checked, 'is unchecked': not(checked) };

const link: Operator = (val) => (values) => values.some((one) => String(one) === val);
const CONNECTION: Operators = { is: link, 'is not': not(link), contains: link, ...BLANK };

type MomentKind = 'date' | 'dateTime' | 'time';
const LENGTH: Record<MomentKind, number> = { date: 10, dateTime: 19, time: 8 };

/** The service's fixed-width text (spec: Field-type value formats), which compares as text. */
const plain = (value: unknown, kind: MomentKind) => String(value).replace('T', ' ').slice(0, LENGTH[kind]);

const against =
  (kind: MomentKind, holds: (value: string, val: string) => boolean): Operator =>
  (val) =>
  ([value]) =>
    !isBlank(value) && holds(plain(value, kind), val);

const againstNow =
  (
    kind: MomentKind,
    part: (now: string) => string,
    holds: (value: string, now: string) => boolean,
  ): Operator =>
  (_, { timeZone, now }) => {
    const text = part(DateTime.fromJSDate(now, { zone: timeZone }).toFormat(DATE_TIME));
    return ([value]) => !isBlank(value) && holds(plain(value, kind), text);
  };

function momentOperators(kind: MomentKind): Operators {
  const today = (now: string) => now.slice(0, LENGTH.date);
  const current = (now: string) => (kind === 'time' ? now.slice(LENGTH.date + 1) : now);
  const full = (value: string) => (kind === 'date' ? `${value} 00:00:00` : value);
  const is = against(kind, (value, val) => value === val);
  return {
    is,
    'is not': not(is),
    'is before': against(kind, (value, val) => value < val),
    'is on or before': against(kind, (value, val) => value <= val),
    'is after': against(kind, (value, val) => value > val),
    'is on or after': against(kind, (value, val) => value >= val),
    'is before today': againstNow(kind, today, (value, day) => today(value) < day),
    'is after today': againstNow(kind, today, (value, day) => today(value) > day),
    'is before current time': againstNow(kind, current, (value, now) => full(value) < now),
    'is after current time': againstNow(kind, current, (value, now) => full(value) > now),
    ...BLANK,
  };
}

const OPERATORS: Record<FieldKind, Operators> = {
  text: TEXT,
  email: TEXT,
  name: TEXT,
  address: TEXT,
  choice: TEXT,
  choices: TEXT,
  file: BLANK,
  number: NUMBER,
  checkbox: CHECKBOX,
  date: momentOperators('date'),
  dateTime: momentOperators('dateTime'),
  calendar: momentOperators('date'),
  time: momentOperators('time'),
  connection: CONNECTION,
  user: CONNECTION,
};

/** The test of one condition; undefined where the kind has no such operator. */
export const compare = (
  kind: FieldKind,
  operator: string,
  val: string | number | undefined,
  moment: Moment,
): Test | undefined => OPERATORS[kind][operator]?.(String(val ?? ''), moment);
