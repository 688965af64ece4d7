import { CALENDAR_PARTS, partFilterId, partKey, partsOf, type Part } from '../fields';
import { InputError } from '../inputError';
import type { Slot, Table } from '../table';
import { compare, type Moment } from './compare';
import type { FilterGroup, FilterItem } from './tree';

/** Whether a record, as the service delivers it, passes a filter. */
export type Matcher = (record: Record<string, unknown>) => boolean;

/** Operators that only the service can answer: they ask who is logged in, or where on a page one is. */
const ONLY_AT_THE_SERVICE = /logged in user|current record/;

export const isEvaluable = (operator: string): boolean => !ONLY_AT_THE_SERVICE.test(operator);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One line, as a person would read a composite value. */
const asText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  return Object.values(value).map(asText).filter(Boolean).join(' ');
};

/** A part of a composite field: in one object, or under a key of its own (both readings of the spec). */
function partOf(record: Record<string, unknown>, { field }: Slot, part: Part): unknown {
  const whole = record[field.slug];
  return isObject(whole) ? whole[part.payload] : record[partKey(field, part)];
}

/** What a condition looks at, as a list of values: several for a field with several choices or links. */
function valuesOf(record: Record<string, unknown>, slot: Slot): unknown[] {
  const { field, part } = slot;
  if (part) return [partOf(record, slot, part)];
  // A date range as a whole is compared by its start.
  if (field.kind === 'calendar') return [partOf(record, slot, CALENDAR_PARTS[0] as Part)];
  const value = record[field.slug];
  const parts = partsOf(field);
  if (parts && !isObject(value))
    return [asText(value) || asText(parts.map((one) => partOf(record, slot, one)))];
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? (one.id ?? asText(one)) : one));
  return [isObject(value) ? asText(value) : value];
}

function itemMatcher(item: FilterItem, table: Table, moment: Moment): Matcher {
  const slot = table.filterSlot(item.field_id, 'Filter');
  if (!isEvaluable(item.operator)) {
    throw new InputError(
      `Filter: "${slot.field.name}" ${item.operator} cannot be told from a delivered record`,
      'Only the service can answer it. Use another condition here, or filter with a Record Database node.',
    );
  }
  const kind = slot.part ? 'text' : slot.field.kind;
  const holds = compare(kind, item.operator, item.val, moment);
  if (holds) return (record) => holds(valuesOf(record, slot));
  throw new InputError(
    `Filter: "${slot.part ? partFilterId(slot.field, slot.part) : slot.field.name}" has no operator "${item.operator}"`,
    'Choose the operator from the list.',
  );
}

/** A group without a condition says nothing, as at the service. */
function groupMatcher(group: FilterGroup, table: Table, moment: Moment): Matcher | undefined {
  const members = [
    ...group.items.map((item) => itemMatcher(item, table, moment)),
    ...group.child.flatMap((child) => groupMatcher(child, table, moment) ?? []),
  ];
  if (members.length === 0) return undefined;
  return group.condition === 'OR'
    ? (record) => members.some((holds) => holds(record))
    : (record) => members.every((holds) => holds(record));
}

/**
 * Evaluates a filter that `buildFilter` has checked, the way the service would (spec: Filters). "Today"
 * and "current time" are those of the workflow's time zone; `contains` on a connection compares ids, since
 * a delivery carries no display values.
 * @throws InputError for an operator that only the service can answer
 */
export const buildMatcher = (group: FilterGroup, table: Table, moment: Moment): Matcher =>
  groupMatcher(group, table, moment) ?? (() => true);
