import type { FieldKind } from '../fields';

/** What an operator compares with: decides the input that the form shows. */
export type Operand = 'none' | 'one' | 'two' | 'list' | 'relative';

export interface Operator {
  /** The service's own word, or one of ours (see `VIRTUAL`). */
  name: string;
  operand: Operand;
  /** Only meaningful with a user's Bearer token (spec: Filters, "User"). */
  needsUser?: boolean;
}

const takes = (operand: Operand, ...names: string[]): Operator[] => names.map((name) => ({ name, operand }));
const needsUser = (operator: Operator): Operator => ({ ...operator, needsUser: true });

const BLANK = takes('none', 'is blank', 'is not blank');

/** Ours: the service has no such operator, `expand.ts` turns each into conditions that it has. */
export const BETWEEN = 'between';
export const ANY_OF = 'is any of';
export const RELATIVE = 'is within';
const VIRTUAL = {
  between: takes('two', BETWEEN),
  anyOf: takes('list', ANY_OF),
  relative: takes('relative', RELATIVE),
};

const TEXT = [
  ...takes('one', 'is', 'is exact', 'is not', 'is not exact', 'contains', 'does not contain', 'starts with'),
  ...takes('one', 'ends with'),
  ...BLANK,
];
const NUMERIC = [
  ...takes(
    'one',
    'is',
    'is not',
    'higher than',
    'higher than or equal to',
    'lower than',
    'lower than or equal to',
  ),
  ...BLANK,
];
const MOMENT = [
  ...takes('one', 'is', 'is not', 'is before', 'is on or before', 'is after', 'is on or after'),
  ...takes('none', 'is before today', 'is after today', 'is before current time', 'is after current time'),
  ...BLANK,
];
const CHECKBOX = takes('none', 'is checked', 'is unchecked');
const USER = takes(
  'none',
  'is logged in user',
  'is not logged in user',
  'is connected to logged in user',
  'is not connected to logged in user',
).map(needsUser);
const CONNECTION = [
  ...takes('one', 'is', 'is not', 'contains'),
  ...BLANK,
  ...takes('none', 'is connected with current record'),
  ...takes('one', "is connected with current record's field"),
];

const text = [...TEXT, ...VIRTUAL.anyOf];
const moment = [...MOMENT, ...VIRTUAL.between];

/** Exactly the operators of each kind (spec: "Operators by field kind"), then ours. */
const OPERATORS: Record<FieldKind, Operator[]> = {
  text,
  email: text,
  name: text,
  address: text,
  choice: text,
  choices: text,
  file: BLANK,
  number: [...NUMERIC, ...VIRTUAL.between, ...VIRTUAL.anyOf],
  date: [...moment, ...VIRTUAL.relative],
  dateTime: [...moment, ...VIRTUAL.relative],
  calendar: [...moment, ...VIRTUAL.relative],
  time: moment,
  checkbox: CHECKBOX,
  connection: [...CONNECTION, ...VIRTUAL.anyOf],
  user: [...USER, ...CONNECTION, ...VIRTUAL.anyOf],
};

export const operatorsOf = (kind: FieldKind): Operator[] => OPERATORS[kind];

/** Every operator that compares with nothing: the form shows no input for it. */
export const OPERATORS_WITHOUT_VALUE: string[] = [
  ...new Set(
    Object.values(OPERATORS).flatMap((all) =>
      all.filter(({ operand }) => operand === 'none').map(({ name }) => name),
    ),
  ),
];
