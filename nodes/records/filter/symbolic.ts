/** The symbolic form of a filter, with operators such as `=` and `>` (spec: Filters). Batch updates take this form. */
import { InputError } from '../../service';
import type { KindName } from '../fields/field';
import { getKind } from '../fields/kinds';
import { BETWEEN, WITHIN } from '../fields/operators';
import { CHECKED_OPERATOR_NAMES } from '../fields/plainKinds';
import { type Table, toRefField } from '../fields/table';
import { type FilterGroup, type FilterItem, listItemsOfAndFilter, SYMBOLIC_CONDITIONS } from './tree';

/** `higher than` becomes `>`. */
const SYMBOL_BY_OPERATOR = new Map(
  SYMBOLIC_CONDITIONS.flatMap(([condition, operators]) =>
    operators.map((name) => [name, condition] as const),
  ),
);

/** Operators of this package that are sent as two conditions, one for each end of the range. */
const RANGE_OPERATORS = [BETWEEN, WITHIN];

export const hasSymbolicForm = (operator: string, { kind }: { kind: KindName }): boolean =>
  CHECKED_OPERATOR_NAMES.includes(operator)
    ? getKind({ kind }).filterInput === 'checked'
    : SYMBOL_BY_OPERATOR.has(operator) || RANGE_OPERATORS.includes(operator);

/** A condition of the symbolic form. The primary form has the keys `operator` and `val` instead. */
export interface SymbolicCondition {
  field_id: string;
  condition: string;
  value?: string | number;
}

const SYMBOLIC_FORM_REMEDY =
  'For all operators, groups and OR, find the records with Get Many and change them with Update. Nothing was changed.';

function toSymbolicCondition({ field_id, operator, val }: FilterItem, table: Table): SymbolicCondition {
  const field = toRefField(table.requireFilterRef(field_id, 'Filter'));
  if (!hasSymbolicForm(operator, field)) {
    const names = getKind(field).operators.flatMap(({ name }) => (hasSymbolicForm(name, field) ? name : []));
    throw new InputError(
      `Filter: Batch Update cannot compare "${field.name}" with "${operator}"`,
      `Operators that it has for this field: ${names.join(', ')}. ${SYMBOLIC_FORM_REMEDY}`,
    );
  }
  // A Decision Box is 1 or 0 (spec: "Field-type value formats"): `is checked` becomes `= 1`.
  const checked = CHECKED_OPERATOR_NAMES.indexOf(operator);
  if (checked !== -1) return { field_id, condition: '=', value: checked };
  return { field_id, condition: SYMBOL_BY_OPERATOR.get(operator)!, ...(val !== undefined && { value: val }) };
}

/** @throws InputError for OR, and for an operator that the symbolic form lacks */
export function toSymbolicConditions(group: FilterGroup, table: Table): SymbolicCondition[] {
  const items = listItemsOfAndFilter(group);
  if (items) return items.map((item) => toSymbolicCondition(item, table));
  throw new InputError(
    'Filter: Batch Update cannot match any of several conditions or values (OR)',
    `A record must meet all conditions. Run the operation once for each alternative. ${SYMBOLIC_FORM_REMEDY}`,
  );
}
