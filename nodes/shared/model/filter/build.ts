import { partFilterId } from '../fields';
import { InputError } from '../inputError';
import type { Slot, Table } from '../table';
import { expand, type FilterContext } from './expand';
import { operatorsOf, type Operator } from './operators';
import type { Condition, FilterGroup, FilterItem, FilterTree } from './tree';

export interface BuildContext extends FilterContext {
  /** Whether the credential logs a user in: the logged-in-user operators need it. */
  userLogin: boolean;
}

const kindOf = ({ field, part }: Slot) => (part ? 'text' : field.kind);

function operatorFor(condition: Condition, slot: Slot, { userLogin }: BuildContext): Operator {
  const operators = operatorsOf(kindOf(slot));
  const operator = operators.find(({ name }) => name === condition.operator);
  if (!operator) {
    throw new InputError(
      `Filter: "${slot.field.name}" has no operator "${condition.operator}"`,
      `Operators of the type ${slot.field.type}: ${operators.map(({ name }) => name).join(', ')}.`,
    );
  }
  if (operator.needsUser && !userLogin) {
    throw new InputError(
      `Filter: "${operator.name}" needs a logged-in user`,
      'Turn on "Act as a User" in the Record Database API credential: with the keys alone nobody is logged in.',
    );
  }
  return operator;
}

/**
 * Checks a tree against the table and spells it in the service's primary form (spec: Filters). Nothing the
 * service would drop in silence gets through: every field and operator is known, every value fits.
 * @throws InputError naming the field or operator
 */
export function buildFilter(tree: FilterTree, table: Table, context: BuildContext): FilterGroup {
  const members = tree.conditions.map((condition) => {
    const slot = table.filterSlot(condition.field, 'Filter');
    const fieldId = slot.part ? partFilterId(slot.field, slot.part) : slot.field.slug;
    return expand(condition, operatorFor(condition, slot, context), slot, fieldId, context);
  });
  const groups = tree.groups.map((group) => buildFilter(group, table, context));
  const isGroup = (member: FilterItem | FilterGroup): member is FilterGroup => 'items' in member;
  return {
    condition: tree.match === 'any' ? 'OR' : 'AND',
    items: members.filter((member): member is FilterItem => !isGroup(member)),
    // A group without a condition asks for nothing.
    child: [
      ...members.filter(isGroup),
      ...groups.filter(({ items, child }) => items.length + child.length > 0),
    ],
  };
}
