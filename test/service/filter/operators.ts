import type { Kind } from '../data/fieldTypes';
import { connectionOperators, userOperators } from './connectionOperators';
import { dateOperators } from './dateOperators';
import { not, withoutValue, withValue, type Operator } from './operator';

const fold = (text: string) => text.toLowerCase();

const anyText = (matches: (text: string, val: string) => boolean): Operator =>
  withValue((val) => (texts: string[]) => texts.some((text) => matches(text, val)));

const folded = (matches: (text: string, val: string) => boolean): Operator =>
  anyText((text, val) => matches(fold(text), fold(val)));

const is = folded((text, val) => text === val);
const isExact = anyText((text, val) => text === val);
const contains = folded((text, val) => text.includes(val));
const blankText = withoutValue((texts: string[]) => texts.every((text) => text === ''));

/** Choice fields with several values answer as soon as one of them matches. */
const text: Record<string, Operator> = {
  is,
  'is exact': isExact,
  'is not': not(is),
  'is not exact': not(isExact),
  contains,
  'does not contain': not(contains),
  'starts with': folded((text, val) => text.startsWith(val)),
  'ends with': folded((text, val) => text.endsWith(val)),
  'is blank': blankText,
  'is not blank': not(blankText),
};

const compareNumber = (holds: (value: number, val: number) => boolean): Operator =>
  withValue((val) => {
    const limit = val.trim() === '' ? NaN : Number(val);
    if (Number.isNaN(limit)) return undefined;
    return (value: number | null) => value !== null && holds(value, limit);
  });

const equals = compareNumber((value, val) => value === val);
const blankValue = withoutValue((value: unknown) => value === null);

const number: Record<string, Operator> = {
  is: equals,
  'is not': not(equals),
  'higher than': compareNumber((value, val) => value > val),
  'higher than or equal to': compareNumber((value, val) => value >= val),
  'lower than': compareNumber((value, val) => value < val),
  'lower than or equal to': compareNumber((value, val) => value <= val),
  'is blank': blankValue,
  'is not blank': not(blankValue),
};

const checked = withoutValue((value: unknown) => value === 1);
const checkbox: Record<string, Operator> = { 'is checked': checked, 'is unchecked': not(checked) };

export const OPERATORS: Record<Kind, Record<string, Operator>> = {
  text,
  number,
  checkbox,
  date: dateOperators('date'),
  datetime: dateOperators('datetime'),
  time: dateOperators('time'),
  connection: { ...connectionOperators, ...userOperators },
  user: { ...connectionOperators, ...userOperators },
};
