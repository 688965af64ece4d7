/**
 * Filters in the primary form of the service. `buildFilter` checks a tree of conditions and converts it. `compileFilter`
 * also creates the function that compares a record with the result.
 */
import { formatForError, InputError, isBlank, parseList } from '../../service';
import { DATE_TIME_FORMAT } from '../fields/dateTimeText';
import type { Field } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { ANY_OF, BETWEEN, type EvaluationContext, type Operator, RELATIVE } from '../fields/operators';
import { getRawValue, readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterId, getValueField } from '../fields/table';
import {
  type RelativeDate,
  createMissingValueError,
  createUnknownOperatorError,
  readRange,
  resolveCondition,
  toDateRange,
} from './resolveCondition';
import {
  type Condition,
  type FilterGroup,
  type FilterItem,
  type FilterTree,
  type OperatorContext,
  splitComposite,
} from './tree';

/**
 * Checks a filter tree against the table and converts it to the service's primary form (spec: Filters).
 * Unknown fields, unknown operators and invalid values are errors, because the service ignores them silently.
 * @example
 * buildFilter({ match: 'all', conditions: [{ field: 'price', operator: '>', value: '5' }], groups: [] }, table, context);
 * // { condition: 'AND', items: [{ field_id: 'price', operator: 'higher than', val: 5 }], child: [] }
 * @throws InputError naming the field or operator
 */
export function buildFilter(tree: FilterTree, table: Table, context: BuildContext): FilterGroup {
  return joinMembers(tree.match, [
    ...tree.conditions.map((condition) => buildCondition(condition, table, context)),
    ...tree.groups.map((group) => buildFilter(group, table, context)),
  ]);
}

/** Joins conditions and groups. A group without a condition is left out. */
export const joinMembers = (
  match: FilterTree['match'],
  members: Array<FilterItem | FilterGroup>,
): FilterGroup => ({
  condition: match === 'any' ? 'OR' : 'AND',
  items: members.filter((member): member is FilterItem => !isFilterGroup(member)),
  child: members.filter(isFilterGroup).filter(({ items, child }) => items.length + child.length > 0),
});

export interface FilterContext {
  /** IANA name of the workflow's time zone. Writes use it too, so a Date-Time is found by what was written. */
  timeZone: string;
  /** IANA name of the service's time zone, in which `created_at` is; that of the workflow by default. */
  serviceTimeZone?: string;
  now: Date;
}

/**
 * Operators that search for text, in the primary and the symbolic form. The text need not be a valid value of
 * the field.
 */
const SEARCH_OPERATORS = new Set(['contains', 'does not contain', 'starts with', 'ends with', 'startswith']);

/** Operators that compare with the last second of a day. All others compare with its first second. */
const END_OF_DAY_OPERATORS = new Set(['is on or before', 'is after', '<=', '>']);

/** Converts a day to its first or last second, depending on the operator. */
const toDayBoundary = (day: string, operator: string): string =>
  `${day} ${END_OF_DAY_OPERATORS.has(operator) ? '23:59:59' : '00:00:00'}`;

/**
 * Returns the context for the values of one field. The service writes `created_at` itself, in its own zone. Other dates
 * are in the zone of the workflow that wrote them.
 */
export const createFieldContext = <C extends FilterContext>(field: Field, context: C): C =>
  field.slug === 'created_at'
    ? { ...context, timeZone: context.serviceTimeZone ?? context.timeZone }
    : context;

/** Returns the day that a value means for a field with a time. Undefined for any other value or field. */
const findDay = (field: Field, value: unknown, { timeZone }: FilterContext): string | undefined =>
  getKind(field).findDay?.(value, timeZone);

function encode(value: unknown, operator: string, field: Field, context: FilterContext): string | number {
  const kind = getKind(field);
  if (SEARCH_OPERATORS.has(operator)) return kind.encodeSearchText(value, field, context);
  const day = findDay(field, value, context);
  return kind.encodeOperand(day ? toDayBoundary(day, operator) : value, field, context);
}

/** Replaces the message for a write with one for a filter. */
const toFilterError = (error: unknown, field: Field, value: unknown) =>
  new InputError(
    `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`,
    error instanceof InputError ? error.description : '',
  );

/**
 * Encodes a comparison value in the service's format. @throws InputError for an invalid value, and for a
 * blank one, which would match more records
 */
export function encodeComparisonValue(
  value: unknown,
  operator: string,
  field: Field,
  context: FilterContext,
): string | number {
  if (hasNoContent(value)) throw createMissingValueError(field, operator);
  try {
    const encoded = encode(value, operator, field, context);
    if (!isBlank(encoded)) return encoded;
  } catch (error) {
    throw toFilterError(error, field, value);
  }
  throw createMissingValueError(field, operator);
}

const createFilterGroup = (condition: FilterGroup['condition'], items: FilterItem[]): FilterGroup => ({
  condition,
  items,
  child: [],
});

/** Creates an item from an operator of the service and a value that is not encoded yet. */
type CreateItem = (operator: string, value: unknown) => FilterItem & { val: string | number };

/**
 * Creates a range that includes both ends. @throws InputError if a value is missing, or no value can be in
 * the range
 */
function createRange(field: Field, { from, to }: { from?: unknown; to?: unknown }, createItem: CreateItem) {
  if (hasNoContent(from)) throw createMissingValueError(field, BETWEEN, 'a From value');
  if (hasNoContent(to)) throw createMissingValueError(field, BETWEEN, 'a To value');
  const { rangeOperators } = getKind(field);
  if (!rangeOperators)
    throw new InputError(
      `Filter: "${field.name}" cannot be compared with a range`,
      'Choose an operator that compares with one value.',
    );

  const [fromOperator, toOperator] = rangeOperators;
  const [first, last] = [createItem(fromOperator, from), createItem(toOperator, to)];
  // Both values are numbers, or text of a fixed width, which sorts by time.
  if (first.val <= last.val) return createFilterGroup('AND', [first, last]);
  throw new InputError(
    `Filter: "${field.name}" ${BETWEEN} ${formatForError(first.val)} and ${formatForError(last.val)} matches no record`,
    'From is above To: swap the two values.',
  );
}

/** Creates a group that matches any value of a list. @throws InputError for an empty list */
function createAnyGroup(field: Field, value: unknown, createItem: CreateItem): FilterGroup {
  const values = parseList(value).map((entry) => (typeof entry === 'string' ? entry.trim() : entry));
  if (values.length > 0)
    return createFilterGroup(
      'OR',
      values.map((entry) => createItem('is', entry)),
    );
  throw createMissingValueError(field, ANY_OF);
}

/**
 * Compares a Date-Time with a day. "Is" matches all times of the day, "is not" matches all other times and
 * blank fields.
 */
function createDayItem(operator: string, day: string, createItem: CreateItem): FilterItem | FilterGroup {
  if (operator === 'is')
    return createFilterGroup('AND', [createItem('is on or after', day), createItem('is on or before', day)]);
  if (operator !== 'is not') return createItem(operator, day);
  const before = createItem('is before', day);
  const blank = { field_id: before.field_id, operator: 'is blank' };
  return createFilterGroup('OR', [before, createItem('is after', day), blank]);
}

/** Converts a condition to an item, or to a group of items if the service lacks the operator. */
export function expandCondition(
  { value }: Condition,
  operator: Operator,
  field: Field,
  fieldId: string,
  context: FilterContext,
): FilterItem | FilterGroup {
  const createItem: CreateItem = (name, input) => ({
    field_id: fieldId,
    operator: name,
    val: encodeComparisonValue(input, name, field, context),
  });
  if (operator.operand === 'none') return { field_id: fieldId, operator: operator.name };
  if (operator.name === BETWEEN) return createRange(field, readRange(value), createItem);
  if (operator.name === RELATIVE) {
    const range = toDateRange((value ?? {}) as RelativeDate, context.timeZone, context.now);
    const [from, to] = range.map((moment) => moment.toFormat(DATE_TIME_FORMAT));
    return createRange(field, { from, to }, createItem);
  }
  if (operator.name === ANY_OF) return createAnyGroup(field, value, createItem);
  const day = findDay(field, value, context);
  return day ? createDayItem(operator.name, day, createItem) : createItem(operator.name, value);
}

export interface BuildContext extends FilterContext, OperatorContext {}

function findOperator(condition: Condition, field: Field, context: BuildContext): Operator {
  const operator = getKind(field).operators.find(({ name }) => name === condition.operator);
  if (!operator) throw createUnknownOperatorError(condition.operator, field, context);
  if (operator.needsUser && !context.hasUserLogin) {
    throw new InputError(
      `Filter: "${operator.name}" needs a logged-in user`,
      'Choose a "User Login" in the Record Database API credential: the keys alone act for no user.',
    );
  }
  return operator;
}

/** Converts one condition, as `buildFilter` does. @throws InputError */
export function buildCondition(
  given: Condition,
  table: Table,
  context: BuildContext,
): FilterItem | FilterGroup {
  const { ref, field, condition } = resolveCondition(given, table);
  const parts = splitComposite(condition, ref);
  if (parts) return buildFilter(parts, table, context);
  const operator = findOperator(condition, field, context);
  return expandCondition(condition, operator, field, formatFilterId(ref), createFieldContext(field, context));
}

const isFilterGroup = (member: FilterItem | FilterGroup): member is FilterGroup => 'items' in member;

/** Checks whether a record matches a filter. */
type Matcher = (record: Record<string, unknown>) => boolean;

/** How a filter is compared. */
interface MatcherOptions {
  /** Whether a condition counts as met where only the service can evaluate it, or a record does not show the field. */
  isLenient?: boolean;
}

function buildItemMatcher(
  { field_id, operator: name, val }: FilterItem,
  table: Table,
  context: EvaluationContext,
  { isLenient = false }: MatcherOptions,
): Matcher {
  const ref = isLenient ? table.find(field_id) : table.resolveFilterField(field_id, 'Filter');
  const operator = ref && getKind(getValueField(ref)).operators.find((known) => known.name === name);
  if (ref && operator?.matches) {
    const { matches } = operator;
    return (record) =>
      (isLenient && getRawValue(record, ref) === undefined) ||
      matches(readValue(record, ref), String(val ?? ''), context);
  }
  if (isLenient || !ref) return () => true;
  throw new InputError(
    `Filter: "${getValueField(ref).name}" ${name} cannot be checked here`,
    'Only the service can evaluate it. Use another condition, or filter with Get Many.',
  );
}

/** Returns undefined for a group without conditions, which matches every record, as in the service. */
function buildGroupMatcher(
  group: FilterGroup,
  table: Table,
  context: EvaluationContext,
  options: MatcherOptions,
): Matcher | undefined {
  const members = [
    ...group.items.map((item) => buildItemMatcher(item, table, context, options)),
    ...group.child.flatMap((child) => buildGroupMatcher(child, table, context, options) ?? []),
  ];
  if (members.length === 0) return undefined;
  return group.condition === 'OR'
    ? (record) => members.some((matches) => matches(record))
    : (record) => members.every((matches) => matches(record));
}

/**
 * Evaluates a filter of `buildFilter` as the service does (spec: Filters). "Today" and "current time" are those of
 * the service, so `context` has its time zone.
 * @throws InputError for an operator that only the service can evaluate, unless the comparison is lenient
 */
export const buildMatcher = (
  group: FilterGroup,
  table: Table,
  context: EvaluationContext,
  options: MatcherOptions = {},
): Matcher => buildGroupMatcher(group, table, context, options) ?? (() => true);

/** A filter that fits a table. */
interface CompiledFilter {
  /** As the service takes it. */
  group: FilterGroup;
  matches: Matcher;
  /** Fields, or parts of fields, that it compares. */
  fields: FieldRef[];
}

const collectItems = ({ items, child }: FilterGroup): FilterItem[] => [
  ...items,
  ...child.flatMap(collectItems),
];

/**
 * Builds a filter with which records are compared here, as a trigger does.
 * @throws InputError for a filter that does not fit the table, or that only the service can evaluate
 */
export function compileFilter(
  filter: FilterTree,
  table: Table,
  context: BuildContext & { serviceTimeZone: string },
): CompiledFilter {
  const group = buildFilter(filter, table, context);
  return {
    group,
    matches: buildMatcher(group, table, { timeZone: context.serviceTimeZone, now: context.now }),
    fields: collectItems(group).map(({ field_id }) => table.resolveFilterField(field_id, 'Filter')),
  };
}
