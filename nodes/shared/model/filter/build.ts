import { type Field, getKind, type Operator } from '../fields';
import { InputError } from '../input/inputError';
import { formatFilterId, type Table } from '../records/table';
import { createFieldContext, type FilterContext } from './comparisonValue';
import { expandCondition } from './expandCondition';
import type { OperatorContext } from './operators';
import { createUnknownOperatorError, resolveCondition } from './resolveCondition';
import { splitComposite } from './splitComposite';
import type { Condition, FilterGroup, FilterItem, FilterTree } from './tree';

export interface BuildContext extends FilterContext, OperatorContext {}

function findOperator(condition: Condition, field: Field, context: BuildContext): Operator {
  const operator = getKind(field).operators.find(({ name }) => name === condition.operator);
  if (!operator) throw createUnknownOperatorError(condition.operator, field, context);
  if (operator.needsUser && !context.userLogin) {
    throw new InputError(
      `Filter: "${operator.name}" needs a logged-in user`,
      'Turn on "Act as a User" in the Record Database API credential: the keys alone act for no user.',
    );
  }
  return operator;
}

function buildCondition(given: Condition, table: Table, context: BuildContext): FilterItem | FilterGroup {
  const { ref, field, condition } = resolveCondition(given, table);
  const parts = splitComposite(condition, ref);
  if (parts) return buildFilter(parts, table, context);
  const operator = findOperator(condition, field, context);
  return expandCondition(condition, operator, field, formatFilterId(ref), createFieldContext(field, context));
}

const isFilterGroup = (member: FilterItem | FilterGroup): member is FilterGroup => 'items' in member;

/**
 * Checks a filter tree against the table and converts it to the service's primary form (spec: Filters).
 * Unknown fields, unknown operators and invalid values are errors, because the service ignores them silently.
 * @example
 * buildFilter({ match: 'all', conditions: [{ field: 'price', operator: '>', value: '5' }], groups: [] }, table, context);
 * // { condition: 'AND', items: [{ field_id: 'price', operator: 'higher than', val: 5 }], child: [] }
 * @throws InputError naming the field or operator
 */
export function buildFilter(tree: FilterTree, table: Table, context: BuildContext): FilterGroup {
  const members = tree.conditions.map((condition) => buildCondition(condition, table, context));
  const groups = tree.groups.map((group) => buildFilter(group, table, context));
  return {
    condition: tree.match === 'any' ? 'OR' : 'AND',
    items: members.filter((member): member is FilterItem => !isFilterGroup(member)),
    child: [
      ...members.filter(isFilterGroup),
      ...groups.filter(({ items, child }) => items.length + child.length > 0),
    ],
  };
}
