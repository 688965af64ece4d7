/**
 * Filters in the symbolic form of the service, for Search and Batch Update. `flattenForSymbolic` refuses what this form
 * cannot express. `buildSymbolicFilter` converts the conditions.
 */
import { formatForError, InputError } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { ANY_OF, BETWEEN, RELATIVE } from '../fields/operators';
import { type Table, formatFilterId } from '../fields/table';
import {
  type FilterContext,
  createFieldContext,
  encodeComparisonValue,
  expandCondition,
} from './buildFilter';
import { resolveCondition } from './resolveCondition';
import { type Condition, type FilterItem, type FilterTree, isEmptyTree, splitComposite } from './tree';

/**
 * Checks a tree of conditions against the table and converts it to the service's symbolic form (spec: Filters). The tree
 * is the one that `buildFilter` converts to the primary form. A condition is converted only where both forms mean the
 * same, or where the symbolic form can only match fewer records.
 * @example
 * const use = { operation: 'Search', alternative: 'Get Many has all operators.' };
 * buildSymbolicFilter({ match: 'all', conditions: [{ field: 'price', operator: 'higher than', value: 5 }], groups: [] }, table, context, use);
 * // [{ field_id: 'price', condition: '>', value: 5 }]
 * @throws InputError for an unknown field, an invalid value, or what the symbolic form cannot express
 */
export const buildSymbolicFilter = (
  tree: FilterTree,
  table: Table,
  context: FilterContext,
  use: SymbolicUse,
): SymbolicItem[] =>
  flattenForSymbolic(tree, table, use).conditions.flatMap((condition) =>
    buildCondition(condition, table, context, use),
  );

/** Conditions of the symbolic form (spec: Filters). The last two have no value. */
const SYMBOLIC_CONDITIONS = [
  '=',
  '!=',
  '>',
  '<',
  '>=',
  '<=',
  'contains',
  'startswith',
  'is_blank',
  'not_blank',
] as const;
type SymbolicCondition = (typeof SYMBOLIC_CONDITIONS)[number];

/** A condition in the service's format. Its keys differ from those of the primary form. */
export interface SymbolicItem {
  field_id: string;
  condition: SymbolicCondition;
  value?: string | number;
}

/** An operation that sends the symbolic form, for error messages. */
export interface SymbolicUse {
  /** Name of the operation. */
  operation: string;
  /** A sentence: how to do the same with a filter that the symbolic form cannot express. */
  alternative: string;
  /** The operation only reads, so a name that several records have means any of them. Otherwise it is an error. */
  isRead?: true;
}

/** Operators of the primary form and the condition with the same meaning. */
const CONDITIONS_BY_OPERATOR = new Map<string, SymbolicCondition>([
  ['is', '='],
  ['is not', '!='],
  ['higher than', '>'],
  ['is after', '>'],
  ['lower than', '<'],
  ['is before', '<'],
  ['higher than or equal to', '>='],
  ['is on or after', '>='],
  ['lower than or equal to', '<='],
  ['is on or before', '<='],
  ['contains', 'contains'],
  ['starts with', 'startswith'],
  ['is blank', 'is_blank'],
  ['is not blank', 'not_blank'],
]);

/** Operators of this package that become two conditions of the symbolic form. */
const RANGE_OPERATORS = [BETWEEN, RELATIVE];

/** Values of a Decision Box: it is 1 or 0 (spec: "Field-type value formats"), so its operators are `= 1` and `= 0`. */
const CHECKED_VALUES = new Map([
  ['is checked', 1],
  ['is unchecked', 0],
]);

const isSymbolicCondition = (word: string): word is SymbolicCondition =>
  SYMBOLIC_CONDITIONS.some((condition) => condition === word);

/**
 * Whether `=` can only mean `is`. The choices of a Select may differ in case alone ("m" and "M"); few do, and `is` means
 * both of them.
 */
function hasSingleSpelling({ kind, options = [] }: ComparedField): boolean {
  const folded = new Set(options.map(({ value }) => value.toLowerCase()));
  return getKind({ kind }).hasSingleSpelling === true && folded.size === options.length;
}

/** A field, or its kind alone in a list of operators. */
type ComparedField = Pick<Field, 'kind'> & Partial<Pick<Field, 'options'>>;

/**
 * Whether an operator of the primary form can be sent in the symbolic form, for a field or a kind of fields. If `=` may be
 * stricter than `is`, it finds fewer records. A stricter `!=` would find more of them, and Batch Update would change
 * them, so `is not` cannot be sent.
 */
export const isSymbolicOperator = (operator: string, field: ComparedField): boolean => {
  if (operator === 'is not' || CHECKED_VALUES.has(operator)) return hasSingleSpelling(field);
  return CONDITIONS_BY_OPERATOR.has(operator) || RANGE_OPERATORS.includes(operator);
};

function createOperatorError(
  { field: name, operator }: Condition,
  field: Field,
  { operation, alternative }: SymbolicUse,
): InputError {
  const operators = getKind(field).operators.filter((one) => isSymbolicOperator(one.name, field));
  const reason =
    operator === 'is not'
      ? `The service does not document whether "!=" ignores case or compares one value of a list, so it could match more records. As JSON, {"field_id": ${JSON.stringify(name)}, "condition": "!=", "value": …} sends it as it is. `
      : '';
  return new InputError(
    `Filter: ${operation} cannot compare "${field.name}" with ${formatForError(operator)}`,
    `${reason}Operators that it has for this field: ${operators.map((one) => one.name).join(', ')}. ${alternative} Nothing was sent.`,
  );
}

const createAlternativesError = (
  subject: string,
  { operation, alternative }: SymbolicUse,
  remedy: string,
): InputError =>
  new InputError(
    `Filter: ${operation} cannot match ${subject}`,
    `A record must meet all conditions. ${remedy} ${alternative} Nothing was sent.`,
  );

/**
 * Lists the conditions of a tree, all of which a record must meet.
 * Open point: `batchGroups`.
 * @throws InputError for OR, for which the endpoints have no place, and for several groups: the spec does not say
 *   whether the groups of a batch update are joined by AND or by OR
 */
function listConditions({ match, conditions, groups: all }: FilterTree, use: SymbolicUse): Condition[] {
  const groups = all.filter((group) => !isEmptyTree(group));
  if (match === 'any' && conditions.length + groups.length > 1) {
    throw createAlternativesError(
      'any of several conditions (OR)',
      use,
      'Run the operation once for each alternative.',
    );
  }
  if (groups.length > 1)
    throw createAlternativesError(`${groups.length} groups of conditions`, use, 'Put them into one list.');
  return [...conditions, ...groups.flatMap((group) => listConditions(group, use))];
}

const hasOperator = (field: Field, operator: string): boolean =>
  getKind(field).operators.some(({ name }) => name === operator);

/** @param written the operator as the user wrote it, which may be a condition of the symbolic form itself */
function isPossible(operator: string, field: Field, written: string): boolean {
  // The spec limits no condition of the symbolic form to a kind of field.
  if (!hasOperator(field, operator)) return isSymbolicCondition(written);
  return isSymbolicOperator(operator, field) || operator === ANY_OF || written === '!=';
}

/**
 * Returns the conditions of a tree as one list, and refuses what the symbolic form cannot express. Call it before names
 * of connected records are looked up, so that a refused filter sends no request.
 * @throws InputError naming what is not possible, the operators that are, and the operation that can do it
 */
export function flattenForSymbolic(tree: FilterTree, table: Table, use: SymbolicUse): FilterTree {
  const conditions = listConditions(tree, use);
  for (const condition of conditions) {
    const { field, condition: resolved } = resolveCondition(condition, table);
    if (!isPossible(resolved.operator, field, condition.operator))
      throw createOperatorError(resolved, field, use);
  }
  return { match: 'all', conditions, groups: [] };
}

/** Converts an item of the primary form whose operator the symbolic form has. */
function toSymbolicItem({ field_id, operator, val }: FilterItem): SymbolicItem {
  const checked = CHECKED_VALUES.get(operator);
  if (checked !== undefined) return { field_id, condition: '=', value: checked };
  const condition = CONDITIONS_BY_OPERATOR.get(operator) as SymbolicCondition;
  return { field_id, condition, ...(val !== undefined && { value: val }) };
}

function buildCondition(
  condition: Condition,
  table: Table,
  common: FilterContext,
  use: SymbolicUse,
): SymbolicItem[] {
  const { ref, field, condition: resolved } = resolveCondition(condition, table);
  const context = createFieldContext(field, common);
  const parts = splitComposite(resolved, ref);
  if (parts) return buildSymbolicFilter(parts, table, common, use);
  const field_id = formatFilterId(ref);
  const operator = getKind(field).operators.find(({ name }) => name === resolved.operator);
  if (!operator) {
    const written = condition.operator as SymbolicCondition;
    const symbol = CONDITIONS_BY_OPERATOR.get(resolved.operator) ?? written;
    if (symbol === 'is_blank' || symbol === 'not_blank') return [{ field_id, condition: symbol }];
    const value = encodeComparisonValue(resolved.value, symbol, field, context);
    return [{ field_id, condition: symbol, value }];
  }
  const expanded = expandCondition(resolved, operator, field, field_id, context);
  const group = 'items' in expanded ? expanded : { condition: 'AND', items: [expanded] };
  if (group.condition === 'OR' && group.items.length > 1) {
    // Several values of "is any of", or a Date-Time that is not on a day.
    throw createOperatorError(resolved, field, use);
  }
  return group.items.map(toSymbolicItem);
}
