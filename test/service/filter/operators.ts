import type { OperatorKind } from '../data/fieldTypes';
import { connectionOperators, userOperators } from './connectionOperators';
import { createDateOperators } from './dateOperators';
import { anyOf, negate, type Operator, withoutValue, withValue } from './operator';

const foldCase = (text: string) => text.toLowerCase();

const createTextOperator = (matches: (text: string, val: string) => boolean): Operator =>
  withValue((val) => (texts: string[]) => texts.some((text) => matches(text, val)));

const createFoldedTextOperator = (matches: (text: string, val: string) => boolean): Operator =>
  createTextOperator((text, val) => matches(foldCase(text), foldCase(val)));

const is = createFoldedTextOperator((text, val) => text === val);
const isExact = createTextOperator((text, val) => text === val);
const contains = createFoldedTextOperator((text, val) => text.includes(val));
/** Public clients use it; the spec does not name it. The value is a comma list. */
export const CONTAINS_ANY = 'contains_any';
const containsAny = anyOf(contains);

const blankText = withoutValue((texts: string[]) => texts.every((text) => text === ''));

/** A field with several values matches when one of them does. */
const text: Record<string, Operator> = {
  is,
  'is exact': isExact,
  'is not': negate(is),
  'is not exact': negate(isExact),
  contains,
  'does not contain': negate(contains),
  [CONTAINS_ANY]: containsAny,
  'starts with': createFoldedTextOperator((text, val) => text.startsWith(val)),
  'ends with': createFoldedTextOperator((text, val) => text.endsWith(val)),
  'is blank': blankText,
  'is not blank': negate(blankText),
};

const createNumberOperator = (holds: (value: number, val: number) => boolean): Operator =>
  withValue((val) => {
    const limit = val.trim() === '' ? NaN : Number(val);
    if (Number.isNaN(limit)) return undefined;
    return (value: number | null) => value !== null && holds(value, limit);
  });

const equals = createNumberOperator((value, val) => value === val);
const blankValue = withoutValue((value: unknown) => value === null);

const number: Record<string, Operator> = {
  is: equals,
  'is not': negate(equals),
  'higher than': createNumberOperator((value, val) => value > val),
  'higher than or equal to': createNumberOperator((value, val) => value >= val),
  'lower than': createNumberOperator((value, val) => value < val),
  'lower than or equal to': createNumberOperator((value, val) => value <= val),
  'is blank': blankValue,
  'is not blank': negate(blankValue),
};

const checked = withoutValue((value: unknown) => value === 1);
const checkbox: Record<string, Operator> = { 'is checked': checked, 'is unchecked': negate(checked) };

export const OPERATORS: Record<OperatorKind, Record<string, Operator>> = {
  text,
  number,
  checkbox,
  // A Checkbox field holds several choices; the spec's row "Checkbox" may mean it as well.
  checkboxes: { ...text, 'is checked': negate(blankText), 'is unchecked': blankText },
  date: createDateOperators('date'),
  datetime: createDateOperators('datetime'),
  time: createDateOperators('time'),
  connection: {
    ...connectionOperators,
    ...userOperators,
    [CONTAINS_ANY]: anyOf(connectionOperators.contains!),
  },
  user: { ...connectionOperators, ...userOperators },
};
