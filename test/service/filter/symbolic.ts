import { asText } from '../data/table';
import type { Kind } from '../data/fieldTypes';
import { withValue, type Operator } from './operator';
import { OPERATORS } from './operators';

/** Text has no primary operator for order; the symbolic form has, so it compares like a sort does. */
const ordered = (holds: (text: string, val: string) => boolean): Operator =>
  withValue((val) => (texts: string[]) => texts.some((text) => holds(text.toLowerCase(), val.toLowerCase())));

const alias = (kind: Kind, names: Record<string, string>): Record<string, Operator> =>
  Object.fromEntries(
    Object.entries(names).map(([symbol, name]) => [symbol, OPERATORS[kind][name] as Operator] as const),
  );

/** The spec ties no condition to a kind, so the two text ones read any value as text. */
const asTexts = (operator: Operator): Operator => ({
  ...operator,
  build: (...args) => {
    const comparison = operator.build(...args);
    return comparison && ((value: unknown) => comparison([asText(value)] as never));
  },
});
const textual = alias('text', { contains: 'contains', startswith: 'starts with' });
const anyKind = Object.fromEntries(Object.entries(textual).map(([name, op]) => [name, asTexts(op)]));

const equality = { '=': 'is', '!=': 'is not', is_blank: 'is blank', not_blank: 'is not blank' };
const numbers = alias('number', {
  ...equality,
  '<': 'lower than',
  '<=': 'lower than or equal to',
  '>': 'higher than',
  '>=': 'higher than or equal to',
});
const moments = (kind: Kind) =>
  alias(kind, {
    ...equality,
    '<': 'is before',
    '<=': 'is on or before',
    '>': 'is after',
    '>=': 'is on or after',
  });
const links = { ...anyKind, ...alias('connection', { ...equality, contains: 'contains' }) };

/** `=`, `!=`, `>` and kin in the words of the primary form (spec: Filters, symbolic form). */
export const CONDITIONS: Record<Kind, Record<string, Operator>> = {
  text: {
    ...textual,
    ...alias('text', equality),
    '<': ordered((text, val) => text < val),
    '<=': ordered((text, val) => text <= val),
    '>': ordered((text, val) => text > val),
    '>=': ordered((text, val) => text >= val),
  },
  number: { ...anyKind, ...numbers },
  checkbox: { ...anyKind, ...numbers },
  date: { ...anyKind, ...moments('date') },
  datetime: { ...anyKind, ...moments('datetime') },
  time: { ...anyKind, ...moments('time') },
  connection: links,
  user: links,
};
