import { DATE_TIME_FORMAT, readFormatText } from '../input/dateTimeText';
import { isObject } from '../input/values';
import { createCheckedOperators, parseChecked } from './checkbox';
import { connectionOperators } from './connection';
import { dateTimeKind } from './dateTime';
import { defineKind } from './kind';
import { readNumber } from './number';
import {
  type Operator,
  createDateOperators,
  createNumberOperators,
  createTextOperators,
  isEmptyValue,
  userOperators,
} from './operators';
import { textKind } from './text';

/** Lists the texts in a value of any shape. */
const listTexts = (value: unknown): string[] =>
  isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(listTexts) : [String(value ?? '')];

/** Makes an operator of Date-Time accept a Date or another form of a time. */
const readAsDateTime = ({ matches, ...operator }: Operator): Operator => ({
  ...operator,
  ...(matches && {
    matches: (value, val, context) => matches(readFormatText(value, DATE_TIME_FORMAT), val, context),
  }),
});

/**
 * Operators of all families. If several families have the same operator, such as `is`, the first one is used,
 * which compares text.
 */
const allOperators = [
  ...createTextOperators((value) => (isEmptyValue(value) ? [''] : listTexts(value))),
  ...createNumberOperators(readNumber),
  ...createDateOperators(DATE_TIME_FORMAT).map(readAsDateTime),
  ...createCheckedOperators((value) => parseChecked(value) === 1),
  ...connectionOperators,
  ...userOperators,
];

/**
 * Types that the spec does not name (Rating, Percent, Slider, …). They are written as text and filtered with
 * any operator of the spec. Values keep the form in which the service returns them.
 */
export const unnamedKind = defineKind({
  ...textKind,
  types: /^/,
  labelRole: undefined,
  operators: allOperators.filter(
    ({ name }, index) => allOperators.findIndex((other) => other.name === name) === index,
  ),
  read: (value) => (typeof value === 'object' && value !== null ? value : String(value ?? '')),
  encodeOperand: (value, field, context) =>
    (isObject(value) ? dateTimeKind : textKind).encodeOperand(value, field, context),
});
