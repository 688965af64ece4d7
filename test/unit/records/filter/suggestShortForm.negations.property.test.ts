import fc from 'fast-check';
import {
  type Field,
  type FilterTree,
  parseFilterJson,
  Table,
  UnknownFieldError,
} from '../../../../nodes/records';
import { addShortForm } from '../../../../nodes/records/filter/parseFilterJson';
import { findOperatorNames } from '../../../../nodes/records/filter/tree';
import type { InputError } from '../../../../nodes/service';
import { createSeed, scaleRuns } from '../../../randomness';

/**
 * Filters in the notations of other systems, plain and negated. What is accepted, and the form that an error shows, means
 * what was written. A form that means the opposite would be copied.
 */

type Row = { status: string; price: number };

const ROWS: Row[] = ['new', 'old', ''].flatMap((status) => [1, 5, 9].map((price) => ({ status, price })));

interface Meaning {
  field: keyof Row;
  operator: '=' | '!=' | '>' | '<';
  value: string | number;
}

const holds = ({ field, operator, value }: Meaning, row: Row): boolean => {
  const found = row[field];
  if (operator === '=') return found === value;
  if (operator === '!=') return found !== value;
  return operator === '>' ? found > value : found < value;
};

const meaning: fc.Arbitrary<Meaning> = fc.oneof(
  fc.record({
    field: fc.constant<'status'>('status'),
    operator: fc.constantFrom<Meaning['operator']>('=', '!='),
    value: fc.constantFrom('new', 'old'),
  }),
  fc.record({
    field: fc.constant<'price'>('price'),
    operator: fc.constantFrom<Meaning['operator']>('=', '!=', '>', '<'),
    value: fc.constantFrom(1, 5),
  }),
);

const createField = (slug: string, kind: 'text' | 'number'): Field =>
  ({ slug, fieldId: slug, name: slug, type: kind, kind, options: [] }) as unknown as Field;
const TABLE = new Table('t', [createField('status', 'text'), createField('price', 'number')]);

const WORDS = { '=': 'eq', '!=': 'ne', '>': 'gt', '<': 'lt' } as const;
const quote = (value: string | number) => (typeof value === 'string' ? `'${value}'` : String(value));
const compare = ({ field, operator, value }: Meaning) => `${field} ${operator} ${quote(value)}`;
const toItem = ({ field, operator, value }: Meaning) => ({ field, op: WORDS[operator], value });
const toMap = ({ field, operator, value }: Meaning) => ({ [field]: { [WORDS[operator]]: value } });

/** Keys and words with which systems negate. Some are accepted, others are not understood. */
const FLAGS = ['not', 'negate', 'negated', 'inverse', 'exclude', 'invert', '$not', 'isNot', 'NOT', 'except'];
const JOINS = ['not', 'NOT', 'nor', 'NOR', '$nor', 'none', 'must_not', 'except', 'unless', 'not_any'];

type Notation = (one: Meaning, word: string) => unknown;

const PLAIN: Notation[] = [
  (one) => toItem(one),
  (one) => [toItem(one)],
  (one) => ({ filter: toItem(one) }),
  (one) => ({ logic: 'and', conditions: [toItem(one)] }),
  (one) => toMap(one),
  (one) => ({ [`${one.field}__${WORDS[one.operator]}`]: one.value }),
  (one) => [one.field, one.operator, one.value],
  (one) => compare(one),
  (one) => `SELECT * FROM t WHERE ${compare(one)}`,
  (one) => `{${one.field}} ${one.operator} ${quote(one.value)}`,
  (one) => `filters[${one.field}][$${WORDS[one.operator]}]=${one.value}`,
  (one) => ({ property: one.field, select: { [WORDS[one.operator]]: one.value } }),
];

const NEGATED: Notation[] = [
  (one, word) => ({ ...toItem(one), [word]: true }),
  (one, word) => [{ ...toItem(one), [word]: true }],
  (one, word) => ({ filter: { ...toItem(one), [word]: 'yes' } }),
  (one, word) => ({ filter: toItem(one), [word]: true }),
  (one, word) => ({ [word]: toItem(one) }),
  (one, word) => ({ [word]: [toItem(one)] }),
  (one, word) => ({ [word]: toMap(one) }),
  (one, word) => ({ [word]: true, ...toMap(one) }),
  (one, word) => ({ ...toMap(one), [word]: true }),
  (one, word) => ({ logic: word, conditions: [toItem(one)] }),
  (one, word) => ({ logic: 'and', [word]: true, conditions: [toItem(one)] }),
  (one, word) => ({ condition: word, items: [{ field_id: one.field, operator: one.operator, val: one.value }] }),
  (one, word) => ({ operator: word, rules: [toItem(one)] }),
  (one, word) => ({ type: word, filter: toItem(one) }),
  (one, word) => ({ field: one.field, op: WORDS[one.operator], value: one.value, mode: word }),
  (one, word) => ({ where: { [word]: toMap(one) } }),
  (one, word) => [word, [one.field, one.operator, one.value]],
  (one, word) => ['and', [word, [one.field, one.operator, one.value]]],
  (one, word) => `${word} ${compare(one)}`,
  (one, word) => `WHERE ${word} ${compare(one)}`,
  (one, word) => `${one.field} ${word} ${one.operator} ${quote(one.value)}`,
  (one, word) => `${word}(${compare(one)})`,
  (one) => `NOT({${one.field}} ${one.operator} ${quote(one.value)})`,
  (one) => `AND(NOT({${one.field}} ${one.operator} ${quote(one.value)}))`,
  (one) => ({ '!': { [one.operator === '=' ? '==' : one.operator]: [{ var: one.field }, one.value] } }),
  (one) => one.operator === '=' ? { bool: { must_not: [{ term: { [one.field]: one.value } }] } } : { must_not: [toMap(one)] },
  (one) => (one.operator === '=' ? `${one.field} is not ${one.value}` : `not ${compare(one)}`),
  (one) => (one.operator === '=' ? `${one.field} is not equal to ${one.value}` : `not ${compare(one)}`),
  (one) => (one.operator === '=' ? `${one.field} does not equal ${one.value}` : `not ${compare(one)}`),
  (one, word) => `${one.field} ${word} is ${one.value}`,
]; // prettier-ignore

/** Evaluates a filter. Undefined if it names another field, or an operator that is none. */
function evaluate({ match, conditions, groups }: FilterTree, row: Row): boolean | undefined {
  const members = [
    ...conditions.map(({ field, operator, value }) => {
      const [name] = findOperatorNames(operator);
      const found = (row as Record<string, unknown>)[field];
      if (name === undefined || found === undefined || typeof value === 'object') return undefined;
      if (name === 'is') return String(found) === String(value);
      if (name === 'is not') return String(found) !== String(value);
      if (name === 'higher than') return Number(found) > Number(value);
      return name === 'lower than' ? Number(found) < Number(value) : undefined;
    }),
    ...groups.map((group) => evaluate(group, row)),
  ];
  if (members.includes(undefined)) return undefined;
  return match === 'any' ? members.includes(true) : !members.includes(false);
}

/** Finds out which rows a filter selects: as it is accepted, or as the form in its error. Undefined if it has none. */
function readRows(input: unknown): boolean[] | undefined {
  const run = (filter: unknown): Array<boolean | undefined> =>
    ROWS.map((row) => evaluate(parseFilterJson(filter), row));
  const readForm = ({ description }: InputError): Array<boolean | undefined> | undefined => {
    const form = /Write: (.*?\})\.\s*(?:A valid value|$)/s.exec(description)?.[1];
    return form === undefined ? undefined : run(form);
  };
  const read = (): Array<boolean | undefined> | undefined => {
    try {
      const rows = run(input);
      if (!rows.includes(undefined)) return rows;
      // The table refuses the unknown field or operator.
      return readForm(addShortForm(new UnknownFieldError('unknown', '', TABLE), input) as InputError);
    } catch (error) {
      return readForm(error as InputError);
    }
  };
  const rows = read();
  // What is accepted or shown has only fields of the table, and operators.
  expect([input, rows ?? []]).toEqual([input, expect.not.arrayContaining([undefined])]);
  return rows as boolean[] | undefined;
}

const runs = scaleRuns(20_000);
const seed = createSeed();

test('plain filters of other systems are understood', () => {
  let known = 0;
  fc.assert(
    fc.property(meaning, fc.constantFrom(...PLAIN), (one, notation) => {
      const rows = readRows(notation(one, ''));
      if (rows) known++;
      expect([notation(one, ''), rows ?? 'none']).toEqual([
        notation(one, ''),
        rows ? ROWS.map((row) => holds(one, row)) : 'none',
      ]);
    }),
    { seed, numRuns: runs },
  );
  expect(known / runs).toBeGreaterThan(0.9);
});

test('negated filters are understood as negated, or not at all', () => {
  let known = 0;
  fc.assert(
    fc.property(
      meaning,
      fc.constantFrom(...NEGATED),
      fc.constantFrom(...FLAGS, ...JOINS),
      (one, notation, word) => {
        const input = notation(one, word);
        const rows = readRows(input);
        if (rows) known++;
        const negated = ROWS.map((row) => !holds(one, row));
        expect([input, rows ?? negated]).toEqual([input, negated]);
      },
    ),
    { seed, numRuns: runs },
  );
  expect(known).toBeGreaterThan(0);
});
