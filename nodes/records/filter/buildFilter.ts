/** Builds the filter that is sent (spec: Filters, primary form). `buildMatcher` evaluates a filter in this package. */
import { uniq } from 'lodash';
import { DateTime } from 'luxon';
import {
  asThrown,
  formatForError,
  InputError,
  isBlank,
  isObject,
  rewordError,
  parseEnum,
  parseList,
} from '../../service';
import { DATE_TIME_FORMAT, formatDateTime } from '../fields/dateTimeText';
import type { Field, KindName } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind, KIND_NAMES } from '../fields/kinds';
import {
  ANY_OF,
  BETWEEN,
  betweenOperator,
  type EvaluationContext,
  type Operator,
  WITHIN,
  stateOperator,
} from '../fields/operators';
import { getFieldOrPartValue, getCanonicalValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterKey, toRefField } from '../fields/table';
import { hasSymbolicForm } from './symbolic';
import {
  type Condition,
  type FilterGroup,
  type FilterItem,
  type FilterTree,
  type OperatorContext,
  invertOperator,
  findOperatorNames,
  isOperatorWord,
  listOperators,
  listAllItems,
  splitCompositeCondition,
} from './tree';

/** The service silently ignores unknown fields, unknown operators and invalid values. Here each is an InputError. */
export function buildFilter(tree: FilterTree, table: Table, context: FilterContext): FilterGroup {
  return createGroup(tree.match, [
    ...tree.conditions.map((one) => encodeCondition(resolveCondition(one, table, context), table, context)),
    ...tree.groups.map((group) => buildFilter(group, table, context)),
  ]);
}

/** Leaves out empty groups. */
const createGroup = (match: FilterTree['match'], members: Array<FilterItem | FilterGroup>): FilterGroup => ({
  condition: match === 'any' ? 'OR' : 'AND',
  items: members.filter((member): member is FilterItem => !isFilterGroup(member)),
  child: members.filter(isFilterGroup).filter(({ items, child }) => items.length + child.length > 0),
});

export interface FilterContext extends OperatorContext {
  /** IANA name of the workflow's time zone. Writes use the same zone, so a filter finds the dates that were written. */
  timeZone: string;
  /** IANA name of the zone of `created_at`. By default, the workflow's time zone. */
  serviceTimeZone?: string;
  now: Date;
}

/** A condition whose field and operator were found. */
export interface ResolvedCondition extends Comparison, Pick<Condition, 'notation'> {
  ref: FieldRef;
  field: Field;
}

/** @throws InputError for an unknown field or operator, and for a missing value */
export function resolveCondition(
  condition: Condition,
  table: Table,
  context: OperatorContext,
): ResolvedCondition {
  const ref = table.requireFilterRef(condition.field, 'Filter');
  const found = toRefField(ref);
  const field = { ...found, name: `${context.path ?? ''}${found.name}` };
  const { operator, value, notation } = condition;
  const word = operator === 'is' ? findOperatorKey(value, field) : undefined;
  if (word !== undefined) throw createUnknownOperatorError(word, field, context);
  return { ref, field, notation, ...parseComparison(operator, value, field, context) };
}

const RELATIVE_DATE_UNITS = ['day', 'week', 'month', 'year'] as const;
const RELATIVE_DATE_PERIODS = ['today', 'yesterday', 'tomorrow', 'this', 'last', 'next'] as const;

/** Whole days: `{period: 'last', amount: 7, unit: 'day'}`. `this` means the current unit. A week starts on Monday. */
export interface RelativeDate {
  period: (typeof RELATIVE_DATE_PERIODS)[number];
  amount?: number | string;
  unit?: (typeof RELATIVE_DATE_UNITS)[number];
}

/** `last 7 days` end today, `next 7 days` start today. @throws InputError for an invalid period, unit or amount */
export function toDateRange(relative: RelativeDate, zone: string, now: Date): [DateTime, DateTime] {
  const period = parseEnum(RELATIVE_DATE_PERIODS, relative.period, 'Relative date: the period');
  const hasAmount = period === 'last' || period === 'next';
  const unit =
    hasAmount || period === 'this'
      ? parseEnum(RELATIVE_DATE_UNITS, relative.unit, 'Relative date: the unit')
      : 'day';
  const amount = hasAmount ? Number(relative.amount ?? Number.NaN) : 1;
  if (!Number.isInteger(amount) || amount < 1 || amount > 10_000) {
    throw new InputError(
      `Relative date: the amount cannot be ${formatForError(relative.amount)}`,
      'Give a whole number from 1 to 10000.',
    );
  }
  const today = DateTime.fromJSDate(now, { zone });
  const [yesterday, tomorrow] = [today.minus({ days: 1 }), today.plus({ days: 1 })];
  const ranges: Record<typeof period, [DateTime, DateTime]> = {
    today: [today, today],
    yesterday: [yesterday, yesterday],
    tomorrow: [tomorrow, tomorrow],
    this: [today.startOf(unit), today.endOf(unit)],
    last: [today.minus({ [unit]: amount }).plus({ days: 1 }), today],
    next: [today, today.plus({ [unit]: amount }).minus({ days: 1 })],
  };
  const [from, to] = ranges[period];
  return [from.startOf('day'), to.endOf('day')];
}

const RELATIVE_DATE_PATTERN = /^(last|next|this)\s+(?:(\d{1,5})\s+)?(day|week|month|year)s?$/;
const RELATIVE_DAY_WORDS = new Set(['today', 'yesterday', 'tomorrow']);

/** Reads `last 7 days`, `this month` or `today`. Any other value is returned unchanged. */
function parseRelativeDate(value: unknown): unknown {
  const text = typeof value === 'string' && value.length < 50 ? value.trim().toLowerCase() : '';
  if (RELATIVE_DAY_WORDS.has(text)) return { period: text };
  const [, period, amount = '1', unit] = RELATIVE_DATE_PATTERN.exec(text) ?? [];
  return unit ? { period, amount, unit } : value;
}

/** Reads the ends of a range: `[5, 10]`, `5, 10` or `{from: 5, to: 10}`. */
export function parseRangeEnds(value: unknown): { from?: unknown; to?: unknown } {
  const ends: unknown = typeof value === 'string' && value.includes(',') ? value.split(',') : value;
  if (Array.isArray(ends))
    return ends.length === 2 ? { from: ends[0] as unknown, to: ends[1] as unknown } : {};
  return typeof ends === 'object' && ends !== null ? ends : { from: ends };
}

const findOperator = (field: Field, ...names: readonly string[]): Operator | undefined =>
  getKind(field).operators.find(({ name }) => names.includes(name));

const MISSING_VALUE_REMEDIES = {
  none: '',
  one: 'Give a value, or use an operator for blank fields.',
  two: 'Give both ends, in JSON as [5, 10].',
  list: 'Give at least one value, or several with commas between them.',
  relative: 'Give a period such as "last 7 days".',
};

const createMissingValueError = (field: Field, { name, operand }: Operator, part = 'a value'): InputError =>
  new InputError(
    `Filter: "${field.name}" needs ${part} for the operator "${name}"`,
    `Nothing was sent. ${MISSING_VALUE_REMEDIES[operand]} An expression may have returned nothing.`,
  );

/** Without a value, the filter would select other records than meant. @throws InputError for a blank value */
function ensureConditionHasValue(operator: Operator, value: unknown, field: Field): void {
  const { operand } = operator;
  if (operand === 'none') return;
  const values = operand === 'list' || field.connection ? parseList(value) : [value];
  if (values.every(hasNoContent)) throw createMissingValueError(field, operator);
  if (operand !== 'two' && values.flat().some(hasNoContent))
    throw createMissingValueError(field, operator, 'a value in each entry of the list');
}

/** Replaces `is true` by `is checked` for kinds with `FieldKind.findOperatorForState`, such as a Decision Box. */
function replaceStateValue(word: string, value: unknown, field: Field): Comparison {
  const { findOperatorForState, operators, filterInput, example } = getKind(field);
  const state = findOperatorForState?.(value);
  const name = state !== undefined && word === 'is not' ? invertOperator(state) : state;
  const operator = name === undefined ? undefined : findOperator(field, name);
  if (operator) return { operator };
  throw new InputError(
    `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`,
    `Nothing was sent. Operators of the type ${field.type}: ${operators.map((one) => one.name).join(', ')}. A valid value: ${filterInput === 'filled' ? '"filled" or "blank"' : example}.`,
  );
}

interface Comparison {
  operator: Operator;
  value?: unknown;
}

/** Finds the operator that a word means. Replaces `is last 7 days` by `is within`, and `is true` by `is checked`. */
function parseComparison(word: string, value: unknown, field: Field, context: OperatorContext): Comparison {
  const meant = findOperatorNames(word);
  const [first = ''] = meant;
  const isState = getKind(field).findOperatorForState !== undefined && ['is', 'is not'].includes(first);
  const operator = isState ? stateOperator : findOperator(field, ...meant);
  if (!operator) throw createUnknownOperatorError(word, field, context);
  if (operator.needsUser && !context.hasUserLogin) {
    throw new InputError(
      `Filter: "${field.name}" needs a logged-in user for the operator "${operator.name}"`,
      'Choose a "User Login" in the Record Database API credential: the keys alone act for no user.',
    );
  }
  ensureConditionHasValue(operator, value, field);
  return isState ? replaceStateValue(first, value, field) : replaceDateWords(operator, value, field);
}

/** `is` with `last 7 days` becomes `is within`, and `is before` with `today` becomes `is before today`. */
function replaceDateWords(operator: Operator, value: unknown, field: Field): Comparison {
  const relative = parseRelativeDate(value);
  const within = relative === value ? undefined : findOperator(field, WITHIN);
  if (!within) return { operator, value };
  if (['is', WITHIN].includes(operator.name)) return { operator: within, value: relative };
  const withWord = findOperator(field, `${operator.name} ${String(value).trim().toLowerCase()}`);
  return withWord ? { operator: withWord } : { operator, value };
}

function createUnknownOperatorError(operator: string, field: Field, context: OperatorContext): InputError {
  const names = listOperators(field.kind, context).map(({ name }) => name);
  return new InputError(
    `Filter: "${field.name}" has no operator ${formatForError(operator)}`,
    `Operators of the type ${field.type}: ${names.join(', ')}.`,
  );
}

/** The keys of an object that means a connected record. Other objects hold operators or parts. */
const RECORD_KEYS = new Set(['id', 'name', 'val']);

/** Finds the key of an object that is meant as an operator, such as `gt` in `{"price": {"gt": 5}}`. */
function findOperatorKey(value: unknown, field: Field): string | undefined {
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const keys = Object.keys(value);
  return getKind(field).parts ? keys.find(isOperatorWord) : keys.find((key) => !RECORD_KEYS.has(key));
}

/** Returns a group for parts of a composite field, for a whole day, and for an operator that the service lacks. */
export function encodeCondition(
  { ref, field, operator, value }: ResolvedCondition,
  table: Table,
  context: FilterContext,
): FilterItem | FilterGroup {
  const { name, operand } = operator;
  const parts = splitCompositeCondition(name, value, ref);
  if (parts) return buildFilter(parts, table, context);
  const fieldId = formatFilterKey(ref);
  const timeZone = getFieldTimeZone(field, context);
  const createItem: ItemMaker = (used, input) => ({
    field_id: fieldId,
    operator: used,
    val: encodeComparisonValue(input, used, field, context),
  });
  if (operand === 'none') return { field_id: fieldId, operator: name };
  if (name === BETWEEN) return createRange(field, parseRangeEnds(value), createItem);
  if (name === WITHIN) {
    const range = toDateRange((value ?? {}) as RelativeDate, timeZone, context.now);
    const [from, to] = range.map((moment) => moment.toFormat(DATE_TIME_FORMAT));
    return createRange(field, { from, to }, createItem);
  }
  if (name === ANY_OF) return createAnyGroup(value, createItem);
  const isDay = findMomentOfDay(value, '00:00:00', field, context) !== undefined;
  return isDay ? createDayItem(name, value, createItem) : createItem(name, value);
}

/** The service writes `created_at` in its own zone. All other dates are in the time zone of the workflow. */
const getFieldTimeZone = ({ slug }: Field, { timeZone, serviceTimeZone = timeZone }: FilterContext): string =>
  slug === 'created_at' ? serviceTimeZone : timeZone;

/** Operators that search for a text. The text need not be a valid value of the field. */
const TEXT_SEARCH_OPERATORS = new Set(['contains', 'does not contain', 'starts with', 'ends with']);

/** Operators that compare with the last second of a given day. All other operators compare with its first second. */
const END_OF_DAY_OPERATORS = new Set(['is on or before', 'is after']);

/**
 * Returns `time` on the day that a value means, in the zone of the field. Returns undefined if the value means no day.
 * `$today` is midnight in the zone of the workflow. It means a day also for `created_at`, whose zone may be another.
 */
function findMomentOfDay(value: unknown, time: string, field: Field, context: FilterContext) {
  const { findDay } = getKind(field);
  const own = getFieldTimeZone(field, context);
  const zone = [own, context.timeZone].find((one) => findDay?.(value, one) !== undefined);
  return zone && formatDateTime(`${findDay?.(value, zone)}T${time}`, DATE_TIME_FORMAT, zone, own);
}

/** @throws InputError for an invalid value, and for a value that is blank after it was encoded */
function encodeComparisonValue(
  value: unknown,
  operator: string,
  field: Field,
  context: FilterContext,
): string | number {
  const { encodeOperand, encodeSearchText } = getKind(field);
  const encode = TEXT_SEARCH_OPERATORS.has(operator) ? encodeSearchText : encodeOperand;
  const time = END_OF_DAY_OPERATORS.has(operator) ? '23:59:59' : '00:00:00';
  try {
    const compared = findMomentOfDay(value, time, field, context) ?? value;
    const encoded = encode(compared, field, { timeZone: getFieldTimeZone(field, context) });
    if (!isBlank(encoded)) return encoded;
  } catch (error) {
    // `encode` creates the error of a write, so its message is replaced by one about filters.
    const message = `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`;
    throw asThrown(rewordError(error, () => ({ message })));
  }
  throw createMissingValueError(field, { name: operator, operand: 'one' });
}

/** Creates a filter item with an operator of the service, and encodes `value`. */
type ItemMaker = (operator: string, value: unknown) => FilterItem & { val: string | number };

/** Includes both ends. @throws InputError for a missing end, and for a range whose first end is above its last */
function createRange(field: Field, { from, to }: { from?: unknown; to?: unknown }, createItem: ItemMaker) {
  if (hasNoContent(from)) throw createMissingValueError(field, betweenOperator, 'a From value');
  if (hasNoContent(to)) throw createMissingValueError(field, betweenOperator, 'a To value');
  // Every kind with `between` or `is within` has `rangeOperators`.
  const [fromOperator, toOperator] = getKind(field).rangeOperators!;
  const [first, last] = [createItem(fromOperator, from), createItem(toOperator, to)];
  if (first.val <= last.val) return createGroup('all', [first, last]);
  throw new InputError(
    `Filter: "${field.name}" ${BETWEEN} ${formatForError(first.val)} and ${formatForError(last.val)} matches no record`,
    'From is above To: swap the two values.',
  );
}

const createAnyGroup = (value: unknown, createItem: ItemMaker): FilterGroup =>
  createGroup(
    'any',
    parseList(value).map((entry) => createItem('is', typeof entry === 'string' ? entry.trim() : entry)),
  );

/** `is` means all times of the day. `is not` means all other times and blank fields. */
function createDayItem(operator: string, day: unknown, createItem: ItemMaker): FilterItem | FilterGroup {
  if (operator === 'is')
    return createGroup('all', [createItem('is on or after', day), createItem('is on or before', day)]);
  if (operator !== 'is not') return createItem(operator, day);
  const before = createItem('is before', day);
  const blank = { field_id: before.field_id, operator: 'is blank' };
  return createGroup('any', [before, createItem('is after', day), blank]);
}

const isFilterGroup = (member: FilterItem | FilterGroup): member is FilterGroup => 'items' in member;

export type RecordMatcher = (record: Record<string, unknown>) => boolean;

/**
 * Returns a function that evaluates a filter as the service does (spec: Filters), in the time zone of `context`.
 * @param options with `isLenient`, a condition is met if it cannot be evaluated, or if the record lacks the field
 * @throws InputError for an operator that only the service can evaluate, unless `isLenient`
 */
export function buildMatcher(
  { condition, items, child }: FilterGroup,
  table: Table,
  context: EvaluationContext,
  { isLenient = false } = {},
): RecordMatcher {
  const buildItem = ({ field_id, operator: name, val }: FilterItem): RecordMatcher => {
    const ref = isLenient ? table.findRef(field_id) : table.requireFilterRef(field_id, 'Filter');
    const matches = ref && findOperator(toRefField(ref), name)?.matches;
    if (matches) {
      return (record) =>
        (isLenient && getFieldOrPartValue(record, ref) === undefined) ||
        matches(getCanonicalValue(record, ref), String(val ?? ''), context);
    }
    if (isLenient || !ref) return () => true;
    throw new InputError(
      `Filter: "${toRefField(ref).name}" ${name} cannot be checked here`,
      'Only the service can evaluate it. Use another condition, or filter with Get Many.',
    );
  };
  const members = [
    ...items.map(buildItem),
    ...child.map((group) => buildMatcher(group, table, context, { isLenient })),
  ];
  // A group without conditions matches every record.
  return condition === 'OR' && members.length > 0
    ? (record) => members.some((matches) => matches(record))
    : (record) => members.every((matches) => matches(record));
}

interface CompiledFilter {
  group: FilterGroup;
  matches: RecordMatcher;
  fields: FieldRef[];
}

/**
 * Builds a filter with which triggers check the records that they receive.
 * @throws InputError for a filter that does not fit the table, and for an operator that only the service can evaluate
 */
export function compileFilter(
  filter: FilterTree,
  table: Table,
  context: FilterContext & { serviceTimeZone: string },
): CompiledFilter {
  const group = buildFilter(filter, table, context);
  return {
    group,
    matches: buildMatcher(group, table, { timeZone: context.serviceTimeZone, now: context.now }),
    fields: listAllItems(group).map(({ field_id }) => table.requireFilterRef(field_id, 'Filter')),
  };
}

interface OperatorCriteria {
  kind?: KindName;
  operand?: Operator['operand'];
  /** `symbolic`: operators of the symbolic form (`=`, `>`). `matcher`: operators that `buildMatcher` can evaluate. */
  use?: 'symbolic' | 'matcher';
  /** Whether operators that compare with the logged-in user are listed too. */
  hasUserLogin?: boolean;
}

/**
 * Lists the names in the order of the form (spec: "Operators by field kind").
 * @example
 * listOperatorNames({ kind: 'checkbox' }); // ['is', 'is checked', 'is unchecked', …]
 */
export function listOperatorNames({ kind, operand, use, hasUserLogin = true }: OperatorCriteria): string[] {
  const isListed = (operator: Operator, of: KindName): boolean =>
    (operand === undefined || operator.operand === operand) &&
    (use !== 'symbolic' || hasSymbolicForm(operator.name, { kind: of })) &&
    // `stateOperator` has no `matches`: `replaceStateValue` replaces it before a filter is evaluated.
    (use !== 'matcher' || operator.matches !== undefined || operator === stateOperator);
  const names = (kind ? [kind] : KIND_NAMES).flatMap((of) =>
    listOperators(of, { hasUserLogin }).flatMap((operator) => (isListed(operator, of) ? operator.name : [])),
  );
  return uniq(names);
}
