import { BETWEEN, type Field } from '../fields';
import { InputError } from '../input/inputError';
import { formatFilterId, getValueField, type Table } from '../records/table';
import { findComparison } from './comparison';
import { encodeComparisonValue, type FilterContext, findDay, toDayBoundary } from './comparisonValue';
import type { FilterDialect } from './dialect';
import { parseFilterJson } from './parseFilterJson';
import { readRange, resolveComparison } from './resolveComparison';
import type { Condition, FilterTree } from './tree';

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

const takesNoValue = (condition: string) => condition === 'is_blank' || condition === 'not_blank';

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

/** A condition of the symbolic form with its comparison value. */
interface SymbolicComparison {
  condition: SymbolicCondition;
  value?: unknown;
}

const findSymbol = (word: string) =>
  SYMBOLIC_CONDITIONS.find((candidate) => candidate === word) ??
  SYMBOLIC_CONDITIONS.find((candidate) => candidate === findComparison(word)?.symbol);

/**
 * Resolves a condition by its symbol, or by a word with the same meaning. A range becomes two conditions. @throws
 * InputError for an unknown condition
 */
function resolveSymbolic({ condition, value }: SymbolicInput, field: Field): SymbolicComparison[] {
  const symbol = findSymbol(condition);
  if (symbol) return [{ condition: symbol, value }];
  const resolved = resolveComparison({ operator: condition, value }, field);
  if (resolved.operator === BETWEEN) {
    const { from, to } = readRange(value);
    return [
      { condition: '>=', value: from },
      { condition: '<=', value: to },
    ];
  }
  if (resolved.operator === 'is checked') return [{ condition: '=', value: true }];
  if (resolved.operator === 'is unchecked') return [{ condition: '=', value: false }];
  const other = findSymbol(resolved.operator);
  if (other) return [{ condition: other, value: resolved.value }];
  throw new InputError(
    `Filter: there is no condition "${condition}"`,
    `Choose one of: ${SYMBOLIC_CONDITIONS.join(', ')}.`,
  );
}

/**
 * Splits "= day" of a Date-Time into a range. "!= day" is an error: it would need OR, which the symbolic form
 * lacks.
 */
function splitDayCondition(
  condition: SymbolicCondition,
  day: string | undefined,
  field: Field,
): SymbolicCondition[] {
  if (!day || !['=', '!='].includes(condition)) return [condition];
  if (condition === '=') return ['>=', '<='];
  throw new InputError(
    `Filter: "${field.name}" cannot be compared as != with a day`,
    `It holds a time as well, such as "${toDayBoundary(day, condition)}". Use < or > with the day, or give the time.`,
  );
}

/**
 * Checks conditions against the table and converts them to the service's symbolic form. @throws InputError
 * for an unknown field or condition, or an invalid value
 */
export function buildSymbolicFilter(
  inputs: SymbolicInput[],
  table: Table,
  context: FilterContext,
): SymbolicItem[] {
  return inputs.flatMap((input) => {
    const ref = table.resolveFilterField(input.field, 'Filter');
    const field = getValueField(ref);
    const field_id = formatFilterId(ref);
    return resolveSymbolic(input, field).flatMap(({ condition: given, value }) => {
      const day = findDay(field, value, context);
      return splitDayCondition(given, day, field).map((condition) =>
        takesNoValue(condition)
          ? { field_id, condition }
          : { field_id, condition, value: encodeComparisonValue(value, condition, field, context) },
      );
    });
  });
}
