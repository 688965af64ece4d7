import { getKind } from '../fields';
import { InputError } from '../input/inputError';
import { type FieldRef, formatFilterId, getValueField, type Table } from '../records/table';
import { findComparison } from './comparison';
import {
  createFieldContext,
  encodeComparisonValue,
  type FilterContext,
  findDay,
  toDayBoundary,
} from './comparisonValue';
import type { FilterDialect } from './dialect';
import { expandCondition } from './expandCondition';
import { parseFilterJson } from './parseFilterJson';
import { resolveComparison } from './resolveComparison';
import type { Condition, FilterItem, FilterTree } from './tree';

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
export type SymbolicCondition = (typeof SYMBOLIC_CONDITIONS)[number];

/** A condition from the form or from JSON. */
export interface SymbolicInput {
  field: string;
  condition: string;
  value?: unknown;
  notation?: Condition['notation'];
}

/** A condition in the service's format. Its keys differ from those of the primary form. */
export interface SymbolicItem {
  field_id: string;
  condition: SymbolicCondition;
  value?: string | number;
}

const SYMBOLIC_DIALECT: FilterDialect = {
  label: 'Filter (JSON)',
  example: '[{"field_id": "status", "condition": "=", "value": "Open"}]',
  corrections: {},
};

/** @throws InputError for several groups, because the check of a batch update counts one list of items */
function ensureOneGroup({ groups }: FilterTree): void {
  if (groups.length <= 1) return;
  throw new InputError(
    `${SYMBOLIC_DIALECT.label} has ${groups.length} groups`,
    `Nothing was sent: the service counts and searches with one group only. Put all conditions into one list. A valid value: ${SYMBOLIC_DIALECT.example}`,
  );
}

/**
 * Parses `[item]`, `{items: [item]}` or `[{items: [item]}]`, or another form that `parseFilterJson` accepts.
 * @throws InputError naming a wrong key, or for OR and groups, which the symbolic form lacks
 */
export function parseSymbolicJson(input: unknown, parameters: unknown[] = []): SymbolicInput[] {
  const tree = parseFilterJson(input, parameters, SYMBOLIC_DIALECT);
  ensureOneGroup(tree);
  const listConditions = ({ match, conditions, groups }: FilterTree): FilterTree['conditions'] => {
    if (match === 'all' || conditions.length + groups.length <= 1)
      return [...conditions, ...groups.flatMap(listConditions)];
    throw new InputError(
      `${SYMBOLIC_DIALECT.label}: conditions joined by OR are not possible here`,
      'Nothing was sent. A record must meet all conditions: run the operation once for each alternative.',
    );
  };
  return listConditions(tree).map(({ field, operator, value }) => ({ field, condition: operator, value }));
}

const findSymbol = (operator: string) =>
  SYMBOLIC_CONDITIONS.find((symbol) => symbol === findComparison(operator)?.symbol);

const createUnknownConditionError = (condition: string): InputError =>
  new InputError(
    `Filter: there is no condition "${condition}"`,
    `Choose one of: ${SYMBOLIC_CONDITIONS.join(', ')}.`,
  );

/** Values of the operators of a Decision Box, which have no symbol: `= 1` and `= 0`. */
const CHECKED_VALUES = new Map([
  ['is checked', 1],
  ['is unchecked', 0],
]);

/** Converts an item of the primary form. Undefined if the symbolic form lacks its operator. */
function toSymbolicItem({ field_id, operator, val }: FilterItem): SymbolicItem | undefined {
  const checked = CHECKED_VALUES.get(operator);
  if (checked !== undefined) return { field_id, condition: '=', value: checked };
  const condition = findSymbol(operator);
  return condition && { field_id, condition, ...(val !== undefined && { value: val }) };
}

/**
 * Expands a condition as the primary form does, for example a range or a day. Undefined if the field or the symbolic
 * form lacks the operator. @throws InputError for an invalid value
 */
function expandSymbolic(
  resolved: Condition,
  ref: FieldRef,
  context: FilterContext,
): SymbolicItem[] | undefined {
  const field = getValueField(ref);
  const operator = getKind(field).operators.find(({ name }) => name === resolved.operator);
  if (!operator) return undefined;
  const expanded = expandCondition(resolved, operator, field, formatFilterId(ref), context);
  const { condition, items } = 'items' in expanded ? expanded : { condition: 'AND', items: [expanded] };
  if (condition === 'OR' && items.length > 1) return undefined;
  const converted = items.map(toSymbolicItem);
  return converted.every((item) => item !== undefined) ? converted : undefined;
}

function buildCondition(input: SymbolicInput, ref: FieldRef, common: FilterContext): SymbolicItem[] {
  const field = getValueField(ref);
  const context = createFieldContext(field, common);
  const { operator, value } = resolveComparison({ operator: input.condition, value: input.value }, field);
  const items = expandSymbolic({ field: input.field, operator, value }, ref, context);
  if (items) return items;
  const condition = findSymbol(operator);
  if (!condition) throw createUnknownConditionError(input.condition);
  const day = findDay(field, value, context);
  if (day && condition === '!=') {
    throw new InputError(
      `Filter: "${field.name}" cannot be compared as != with a day`,
      `It holds a time as well, such as "${toDayBoundary(day, condition)}". Use < or > with the day, or give the time.`,
    );
  }
  const field_id = formatFilterId(ref);
  // The symbolic form has each symbol for each kind of field; the primary form lacks some operators.
  if (condition === 'is_blank' || condition === 'not_blank') return [{ field_id, condition }];
  return [{ field_id, condition, value: encodeComparisonValue(value, condition, field, context) }];
}

/**
 * Checks conditions against the table and converts them to the service's symbolic form. @throws InputError
 * for an unknown field or condition, or an invalid value
 */
export const buildSymbolicFilter = (
  inputs: SymbolicInput[],
  table: Table,
  context: FilterContext,
): SymbolicItem[] =>
  inputs.flatMap((input) => buildCondition(input, table.resolveFilterField(input.field, 'Filter'), context));
