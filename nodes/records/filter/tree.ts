/** Types and words of filters. A filter from a form or from JSON is a `FilterTree`. It is sent as a `FilterGroup`. */
import { isPlainObject } from 'lodash';
import { parseParts } from '../fields/composite';
import type { KindName } from '../fields/field';
import { parseObjectText } from '../fields/inputValues';
import { getKind, KIND_NAMES } from '../fields/kinds';
import { toLooseNameKey } from '../fields/names';
import { ANY_OF, type Operator } from '../fields/operators';
import type { ConnectionNotation } from '../fields/recordValues';
import type { FieldRef } from '../fields/table';

/** A word is a name (`is after`), a symbol (`>`) or an alias (`$gt`). `>` is `higher than`, or `is after` for dates. */
export function findOperatorNames(word: string): readonly string[] {
  const key = toLooseNameKey(word);
  return OPERATORS_BY_WORD.get(OPERATOR_ALIASES.get(key) ?? key) ?? [];
}

export interface OperatorContext {
  /** Whether the credential logs a user in. Operators such as `is logged in user` need a login. */
  hasUserLogin: boolean;
  /** The text before field names in errors, for a connected table: `Customer → `. */
  path?: string;
}

/** If the credential logs no user in, leaves out the operators that compare with the logged-in user. */
export const listOperators = (kind: KindName, { hasUserLogin }: OperatorContext): Operator[] =>
  getKind({ kind }).operators.filter(({ needsUser }) => hasUserLogin || !needsUser);

const ALL_OPERATORS = KIND_NAMES.flatMap((kind) => getKind({ kind }).operators);

/** The operators of the symbolic form (spec: Filters), each with those of the primary form that mean the same. */
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

/** Names that language models often use for operators. */
const OPERATOR_ALIASES = new Map([
  ['$eq', '='],
  ['$ne', '!='],
  ['$gt', '>'],
  ['$gte', '>='],
  ['$lt', '<'],
  ['$lte', '<='],
  ['$in', toLooseNameKey(ANY_OF)],
]);

const OPERATORS_BY_WORD = new Map(
  [...SYMBOLIC_CONDITIONS, ...ALL_OPERATORS.map(({ name }) => [name, [name]] as const)].map(
    ([word, names]) => [toLooseNameKey(word), names],
  ),
);

export const isOperatorWord = (word: string): boolean => findOperatorNames(word).length > 0;

export const takesNoValue = (word: string): boolean =>
  findOperatorNames(word).some((name) =>
    ALL_OPERATORS.some((operator) => operator.name === name && operator.operand === 'none'),
  );

export const invertOperator = (word: string): string | undefined => {
  const [name, ...others] = findOperatorNames(word);
  const operators = ALL_OPERATORS.filter((operator) => operator.name === name);
  return others.length === 0 ? operators.find(({ inverse }) => inverse)?.inverse : undefined;
};

/** A condition as the user gave it, before it is checked against the table. */
export interface Condition {
  /** Slug, ID or name of a field or part. */
  field: string;
  operator: string;
  /** The compared value: a list for `is any of`, `{from, to}` for `between`, a `RelativeDate` for `is within`. */
  value?: unknown;
  /** Whether the value names connected records by ID or by name. By default, both are accepted. */
  notation?: ConnectionNotation;
}

/** A filter as the user gave it. A record must meet all conditions and groups (`match: 'all'`), or any of them. */
export interface FilterTree {
  match: 'all' | 'any';
  conditions: Condition[];
  groups: FilterTree[];
}

export const createTree = (match: FilterTree['match'], conditions: Condition[] = []): FilterTree => ({
  match,
  conditions,
  groups: [],
});

/** Adds the members of a tree directly if the tree has this `match` or one member. Other trees become groups. */
export function joinFilters(match: FilterTree['match'], trees: FilterTree[]): FilterTree {
  const [only] = trees;
  if (trees.length === 1 && only) return only;
  const joined = createTree(match);
  for (const tree of trees) {
    const isJoinedAlike = tree.match === match || tree.conditions.length + tree.groups.length === 1;
    if (isJoinedAlike) {
      joined.conditions.push(...tree.conditions);
      joined.groups.push(...tree.groups);
    } else joined.groups.push(tree);
  }
  return joined;
}

/** What people and language models write between a connection and a field: `Customer → City`. */
export const FIELD_PATH_SEPARATORS = ['→', '->', '.'];

/** A condition as it is sent (spec: Filters, primary form). The service ignores a condition with other keys. */
export interface FilterItem {
  field_id: string;
  operator: string;
  val?: string | number;
}

/** A filter as it is sent (spec: Filters, primary form). */
export interface FilterGroup {
  condition: 'AND' | 'OR';
  items: FilterItem[];
  child: FilterGroup[];
}

export const listAllItems = ({ items, child }: FilterGroup): FilterItem[] => [
  ...items,
  ...child.flatMap(listAllItems),
];

/** Returns undefined for OR, which neither a GET request nor the symbolic form can express (spec: Filters). */
export function listItemsOfAndFilter({ condition, items, child }: FilterGroup): FilterItem[] | undefined {
  if (condition === 'OR' && items.length + child.length > 1) return undefined;
  const groups = child.map(listItemsOfAndFilter);
  return groups.every((group) => group !== undefined) ? [...items, ...groups.flat()] : undefined;
}

/** Operators that compare several parts of a composite value. `is`: all parts are equal. `is not`: one part differs. */
const EQUALITY_OPERATOR_PATTERN = /^is( not)?( exact)?$/;

/** Makes a condition of each part of `{first_name: 'Ada'}`. Returns undefined for any other condition. */
export function splitCompositeCondition(
  operator: string,
  value: unknown,
  { field, part }: FieldRef,
): FilterTree | undefined {
  const kind = getKind(field);
  const [whole, negation] = EQUALITY_OPERATOR_PATTERN.exec(operator) ?? [];
  if (!kind.parts || part || whole === undefined) return undefined;
  const parts = parseObjectText(value);
  if (!isPlainObject(parts) || Object.keys(parts as object).length === 0) return undefined;
  const conditions = parseParts(parts, field, kind).map(([{ formatKey }, partValue]): Condition => ({
    field: formatKey(field.slug),
    operator,
    value: partValue,
  }));
  return createTree(negation === undefined ? 'all' : 'any', conditions);
}
