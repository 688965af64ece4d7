import {
  ANY_OF,
  BETWEEN,
  DATE_TIME_FORMAT,
  type Field,
  getKind,
  isBlank,
  type Operator,
  RELATIVE,
} from '../fields';
import { formatForError, InputError } from '../input/inputError';
import { parseList } from '../input/parseList';
import { encodeComparisonValue, type FilterContext, findDay } from './comparisonValue';
import { type RelativeDate, toDateRange } from './relativeDate';
import { readRange } from './resolveComparison';
import type { Condition, FilterGroup, FilterItem } from './tree';

const createFilterGroup = (condition: FilterGroup['condition'], items: FilterItem[]): FilterGroup => ({
  condition,
  items,
  child: [],
});

/** Creates an item from an operator of the service and a value that is not encoded yet. */
type CreateItem = (operator: string, value: unknown) => FilterItem & { val: string | number };

const createMissingEndError = (field: Field, end: string): InputError =>
  new InputError(
    `Filter: "${field.name}" needs a ${end} value for the operator "${BETWEEN}"`,
    'Give both ends, as one value such as [5, 10]. An expression may have returned nothing.',
  );

/**
 * Creates a range that includes both ends. @throws InputError if a value is missing, or no value can be in
 * the range
 */
function createRange(field: Field, { from, to }: { from?: unknown; to?: unknown }, createItem: CreateItem) {
  if (isBlank(from) || isBlank(to)) throw createMissingEndError(field, isBlank(from) ? 'From' : 'To');
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
  const values = parseList(value)
    .map((entry) => (typeof entry === 'string' ? entry.trim() : entry))
    .filter((entry) => !isBlank(entry));
  if (values.length > 0)
    return createFilterGroup(
      'OR',
      values.map((entry) => createItem('is', entry)),
    );
  throw new InputError(
    `Filter: "${field.name}" needs a value for the operator "${ANY_OF}", not ${formatForError(value)}`,
    'Give at least one value, or several with commas between them. An expression may have returned nothing.',
  );
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
