/**
 * The tree of conditions to which each filter is converted, and the words that mean an operator. `findOperatorNames`
 * finds the operators that a word means.
 */
import { isPlainObject } from 'lodash';
import { parseParts } from '../fields/composite';
import type { KindName } from '../fields/field';
import { readJsonObject } from '../fields/inputValues';
import { getKind, KIND_NAMES } from '../fields/kinds';
import { toFieldKey } from '../fields/names';
import { ANY_OF, type Operator } from '../fields/operators';
import type { ConnectionNotation } from '../fields/recordValues';
import type { FieldRef } from '../fields/table';

/**
 * Lists the names of the operators that a word means. The word is the name of an operator (`is after`), a condition of the
 * symbolic form (`>`) or an alias (`$gt`). A condition may mean several operators: `>` is `higher than` for a number and
 * `is after` for a date. Empty for any other word.
 */
export function findOperatorNames(word: string): readonly string[] {
  const key = toFieldKey(word);
  return OPERATORS_BY_WORD.get(ALIASES.get(key) ?? key) ?? [];
}

/** Whether a user is logged in, and how an error names the field of a condition. */
export interface OperatorContext {
  /** Whether the credential logs a user in. The operators for the logged-in user need it. */
  hasUserLogin: boolean;
  /** The text before field names in errors, if the table is a connected one: `Customer → `. */
  path?: string;
}

/** Lists the operators of a kind that the credential can use (spec: "Operators by field kind"). */
export const getOperators = (kind: KindName, { hasUserLogin }: OperatorContext): Operator[] =>
  getKind({ kind }).operators.filter(({ needsUser }) => hasUserLogin || !needsUser);

const OPERATORS = KIND_NAMES.flatMap((kind) => getKind({ kind }).operators);

/**
 * The conditions of the service's symbolic form (spec: Filters), and the operators of the primary form with the same
 * meaning. A kind of field has at most one of the operators in a row.
 */
export const SYMBOLIC_CONDITIONS: Array<[condition: string, operators: string[]]> = [
  ['=', ['is']],
  ['!=', ['is not']],
  ['>', ['higher than', 'is after']],
  ['>=', ['higher than or equal to', 'is on or after']],
  ['<', ['lower than', 'is before']],
  ['<=', ['lower than or equal to', 'is on or before']],
  ['contains', ['contains']],
  ['startswith', ['starts with']],
  ['is_blank', ['is blank']],
  ['not_blank', ['is not blank']],
];

/** Names that language models often use for operators. Each name has exactly one meaning. */
const ALIASES = new Map([
  ['$eq', '='],
  ['$ne', '!='],
  ['$gt', '>'],
  ['$gte', '>='],
  ['$lt', '<'],
  ['$lte', '<='],
  ['$in', toFieldKey(ANY_OF)],
]);

/** Operators by their own names, and by their names in the symbolic form. */
const OPERATORS_BY_WORD = new Map(
  [...SYMBOLIC_CONDITIONS, ...OPERATORS.map(({ name }) => [name, [name]] as const)].map(([word, names]) => [
    toFieldKey(word),
    names,
  ]),
);

export const isOperatorWord = (word: string): boolean => findOperatorNames(word).length > 0;

/** Whether a word means an operator that compares with no value. */
export const needsNoValue = (word: string): boolean =>
  findOperatorNames(word).some((name) =>
    OPERATORS.some((operator) => operator.name === name && operator.operand === 'none'),
  );

/** Finds the inverse of the operator that a word means (`Operator.inverse`). Undefined if there is none. */
export const findInverse = (word: string): string | undefined => {
  const [name, ...others] = findOperatorNames(word);
  const operators = OPERATORS.filter((operator) => operator.name === name);
  return others.length === 0 ? operators.find(({ inverse }) => inverse)?.inverse : undefined;
};

/** A condition from the form or an expression. It is not checked against the table yet. */
export interface Condition {
  /** Slug or ID of a field, or a part of one: `name-first`. */
  field: string;
  operator: string;
  /**
   * Comparison value: a list for `is any of`, `{from, to}` for `between`, a `RelativeDate` for `is within`.
   */
  value?: unknown;
  /** How the value of a connection names records. By default, a text may be an ID or a name. */
  notation?: ConnectionNotation;
}

/** Conditions and nested groups, joined by all (AND) or any (OR). */
export interface FilterTree {
  match: 'all' | 'any';
  conditions: Condition[];
  groups: FilterTree[];
}

/** What people and models write between the name of a connection and the name of a field. */
export const CONNECTED_SEPARATORS = ['→', '->', '.'];

/** A condition of the primary form (spec: Filters). The service silently ignores items with other keys. */
export interface FilterItem {
  field_id: string;
  operator: string;
  val?: string | number;
}

/** A filter in the primary form: the conditions in `items` and the groups in `child`, joined by `condition`. */
export interface FilterGroup {
  condition: 'AND' | 'OR';
  items: FilterItem[];
  child: FilterGroup[];
}

export const listItems = ({ items, child }: FilterGroup): FilterItem[] => [
  ...items,
  ...child.flatMap(listItems),
];

/**
 * Lists the items that a record must meet to match a group. Undefined if one of several items is enough (OR). The GET
 * form and the symbolic form have no groups, so they cannot express OR (spec: Filters).
 */
export function listAndItems({ condition, items, child }: FilterGroup): FilterItem[] | undefined {
  if (condition === 'OR' && items.length + child.length > 1) return undefined;
  const groups = child.map(listAndItems);
  return groups.every((group) => group !== undefined) ? [...items, ...groups.flat()] : undefined;
}

/** Keys of an object that is one value: a connected record or a choice. All other objects hold operators or parts. */
const VALUE_KEYS = new Set(['id', 'name', 'val', 'value', 'label']);
export const isObjectValue = (value: object): boolean =>
  Object.keys(value).every((key) => VALUE_KEYS.has(key));

/** Operators that compare a whole value: all parts must match, or any part must differ. */
const WHOLE_OPERATOR = /^is( not)?( exact)?$/;

/**
 * Splits a comparison with several parts of a composite (`{first_name: 'Ada'}`) into conditions on the parts.
 * Undefined for any other condition.
 */
export function splitComposite(
  operator: string,
  value: unknown,
  { field, part }: FieldRef,
): FilterTree | undefined {
  const kind = getKind(field);
  const [whole, negation] = WHOLE_OPERATOR.exec(operator) ?? [];
  if (!kind.parts || part || whole === undefined) return undefined;
  const parts = readJsonObject(value);
  if (!isPlainObject(parts) || Object.keys(parts as object).length === 0) return undefined;
  return {
    match: negation === undefined ? 'all' : 'any',
    conditions: parseParts(parts, field, kind).map(([compositePart, partValue]) => ({
      field: compositePart.formatKey(field.slug),
      operator,
      value: partValue,
    })),
    groups: [],
  };
}
