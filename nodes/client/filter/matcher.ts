import { getKind } from '../fields/kinds';
import type { EvaluationContext } from '../fields/operators';
import { readValue } from '../fields/recordValues';
import { type Table, getValueField } from '../fields/table';
import { InputError } from '../input/inputError';
import type { FilterGroup, FilterItem } from './tree';

/** Checks whether a record matches a filter. */
export type Matcher = (record: Record<string, unknown>) => boolean;

function buildItemMatcher(item: FilterItem, table: Table, context: EvaluationContext): Matcher {
  const ref = table.resolveFilterField(item.field_id, 'Filter');
  const field = getValueField(ref);
  const operator = getKind(field).operators.find(({ name }) => name === item.operator);
  if (!operator) {
    throw new InputError(
      `Filter: "${field.name}" has no operator "${item.operator}"`,
      'Choose the operator from the list.',
    );
  }
  const { matches } = operator;
  if (matches) return (record) => matches(readValue(record, ref), String(item.val ?? ''), context);
  throw new InputError(
    `Filter: "${field.name}" ${item.operator} cannot be checked here`,
    'Only the service can evaluate it. Use another condition, or filter with Get Many.',
  );
}

/** Returns undefined for a group without conditions, which matches every record, as in the service. */
function buildGroupMatcher(
  group: FilterGroup,
  table: Table,
  context: EvaluationContext,
): Matcher | undefined {
  const members = [
    ...group.items.map((item) => buildItemMatcher(item, table, context)),
    ...group.child.flatMap((child) => buildGroupMatcher(child, table, context) ?? []),
  ];
  if (members.length === 0) return undefined;
  return group.condition === 'OR'
    ? (record) => members.some((matches) => matches(record))
    : (record) => members.every((matches) => matches(record));
}

/**
 * Evaluates a filter of `buildFilter` as the service does (spec: Filters). "Today" and "current time" are those of
 * the service, so `context` has its time zone.
 * @throws InputError for an operator that only the service can evaluate
 */
export const buildMatcher = (group: FilterGroup, table: Table, context: EvaluationContext): Matcher =>
  buildGroupMatcher(group, table, context) ?? (() => true);
