import type { OperatorKind } from '../data/fieldTypes';
import { asText } from '../data/table';
import { negate, type Operator, withValue } from './operator';
import { OPERATORS } from './operators';

/** The primary form has no order operators for text; here text is compared as it is sorted. */
const createOrderOperator = (holds: (text: string, val: string) => boolean): Operator =>
  withValue((val) => (texts: string[]) => texts.some((text) => holds(text.toLowerCase(), val.toLowerCase())));

const aliasOperators = (kind: OperatorKind, names: Record<string, string>): Record<string, Operator> =>
  Object.fromEntries(
    Object.entries(names).map(([symbol, name]) => [symbol, OPERATORS[kind][name] as Operator] as const),
  );

/** The spec limits no condition to a kind of field: `contains` and `startswith` read any value as text. */
const applyToText = (operator: Operator): Operator => ({
  ...operator,
  build: (...args) => {
    const comparison = operator.build(...args);
    return comparison && ((value: unknown) => comparison([asText(value)] as never));
  },
});
const textual = aliasOperators('text', { contains: 'contains', startswith: 'starts with' });
const anyKind = Object.fromEntries(Object.entries(textual).map(([name, op]) => [name, applyToText(op)]));

const equality = { '=': 'is', '!=': 'is not', is_blank: 'is blank', not_blank: 'is not blank' };
const numbers = aliasOperators('number', {
  ...equality,
  '<': 'lower than',
  '<=': 'lower than or equal to',
  '>': 'higher than',
  '>=': 'higher than or equal to',
});
const aliasDateOperators = (kind: OperatorKind) =>
  aliasOperators(kind, {
    ...equality,
    '<': 'is before',
    '<=': 'is on or before',
    '>': 'is after',
    '>=': 'is on or after',
  });
/** `=` as `is`, or by the exact and whole value: one text or one connected record. */
const createEquality = (kind: OperatorKind): Record<string, Operator> => {
  const { is } = OPERATORS[kind] as { is: Operator };
  const equals: Operator = {
    ...is,
    build: (val, subject, scope) =>
      scope.app.options.symbolicEquality === 'is'
        ? is.build(val, subject, scope)
        : (values: unknown[]) => values.length === 1 && asText(values[0]) === val,
  };
  return { '=': equals, '!=': negate(equals) };
};

const links = {
  ...anyKind,
  ...aliasOperators('connection', { ...equality, contains: 'contains' }),
  ...createEquality('connection'),
};

const texts = {
  ...textual,
  ...aliasOperators('text', equality),
  ...createEquality('text'),
  '<': createOrderOperator((text, val) => text < val),
  '<=': createOrderOperator((text, val) => text <= val),
  '>': createOrderOperator((text, val) => text > val),
  '>=': createOrderOperator((text, val) => text >= val),
};

/** `=`, `!=`, `>` and the others as operators of the primary form (spec: Filters, symbolic form). */
export const CONDITIONS: Record<OperatorKind, Record<string, Operator>> = {
  text: texts,
  checkboxes: texts,
  number: { ...anyKind, ...numbers },
  checkbox: { ...anyKind, ...numbers },
  date: { ...anyKind, ...aliasDateOperators('date') },
  datetime: { ...anyKind, ...aliasDateOperators('datetime') },
  time: { ...anyKind, ...aliasDateOperators('time') },
  connection: links,
  user: links,
};
