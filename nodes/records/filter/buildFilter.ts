/**
 * Filters in the primary form of the service. `buildFilter` converts a tree of conditions: `resolveCondition` finds the
 * field and the operator of a condition, and replaces words for dates and states. `encodeCondition` converts the condition.
 * `compileFilter` also creates a function that compares a record with the filter. `listOperatorNames` lists the operators that
 * a form offers.
 */
import { uniq } from 'lodash';
import { DateTime } from 'luxon';
import {
  asThrown,
  formatForError,
  InputError,
  isBlank,
  isObject,
  changeTexts,
  parseEnum,
  parseList,
} from '../../service';
import { DATE_TIME_FORMAT } from '../fields/dateTimeText';
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
import { getRawValue, readValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatFilterId, getValueField } from '../fields/table';
import { isSymbolicOperator } from './symbolic';
import {
  type Condition,
  type FilterGroup,
  type FilterItem,
  type FilterTree,
  type OperatorContext,
  SYMBOLIC_CONDITIONS,
  findInverse,
  findOperatorNames,
  getOperators,
  isObjectValue,
  isOperatorWord,
  listItems,
  needsNoValue,
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
    ...tree.conditions.map((one) => encodeCondition(resolveCondition(one, table, context), table, context)),
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

/** The time, the zones and the login by which a filter is built. */
export interface BuildContext extends OperatorContext {
  /**
   * IANA name of the workflow's time zone. Writes use the same zone, so a filter finds a Date-Time by the value that was
   * written.
   */
  timeZone: string;
  /** IANA name of the service's time zone, which applies to `created_at`. By default, the workflow's time zone. */
  serviceTimeZone?: string;
  now: Date;
}

/** A condition with its field, and an operator that the field has. */
export interface ResolvedCondition extends Comparison, Pick<Condition, 'notation'> {
  ref: FieldRef;
  field: Field;
}

/**
 * Finds the field of a condition, and its operator among those of the field.
 * @throws InputError for an unknown field or operator, and for a blank value where the operator needs one
 */
export function resolveCondition(
  condition: Condition,
  table: Table,
  context: OperatorContext,
): ResolvedCondition {
  const ref = table.resolveFilterField(condition.field, 'Filter');
  const found = getValueField(ref);
  const field = { ...found, name: `${context.path ?? ''}${found.name}` };
  refuseFalse(condition, field);
  const { operator, value, notation } = condition;
  const word = operator === 'is' ? findUnknownOperator(value, field) : undefined;
  if (word !== undefined) throw createUnknownOperatorError(word, field, context);
  return { ref, field, notation, ...resolveComparison(operator, value, field, context) };
}

const RELATIVE_UNITS = ['day', 'week', 'month', 'year'] as const;
const PERIODS = ['today', 'yesterday', 'tomorrow', 'this', 'last', 'next'] as const;

/**
 * A range of whole days relative to today: `{period: 'last', amount: 7, unit: 'day'}`. `today`, `yesterday`
 * and `tomorrow` need neither amount nor unit. `this` is the current day, week (from Monday), month or year.
 */
export interface RelativeDate {
  period: (typeof PERIODS)[number];
  /** A whole number, or its text. */
  amount?: number | string;
  unit?: (typeof RELATIVE_UNITS)[number];
}

/**
 * Returns the first and the last moment of a relative date in the time zone `zone`, both included. `last 7 days` are
 * seven days that end today; `next 7 days` start today.
 * @throws InputError for an invalid period, unit or amount
 */
export function toDateRange(relative: RelativeDate, zone: string, now: Date): [DateTime, DateTime] {
  const period = parseEnum(PERIODS, relative.period, 'Relative date: the period');
  const hasAmount = period === 'last' || period === 'next';
  const unit =
    hasAmount || period === 'this'
      ? parseEnum(RELATIVE_UNITS, relative.unit, 'Relative date: the unit')
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

const RELATIVE_TEXT = /^(last|next|this)\s+(?:(\d{1,5})\s+)?(day|week|month|year)s?$/;
const DAY_WORDS = new Set(['today', 'yesterday', 'tomorrow']);

/** Reads `last 7 days`, `this month` and `today` as a relative date. Any other value stays as it is. */
function readRelativeDate(value: unknown): unknown {
  const text = typeof value === 'string' && value.length < 50 ? value.trim().toLowerCase() : '';
  if (DAY_WORDS.has(text)) return { period: text };
  const [, period, amount = '1', unit] = RELATIVE_TEXT.exec(text) ?? [];
  return unit ? { period, amount, unit } : value;
}

/** Reads `[5, 10]`, `5, 10` and `{from: 5, to: 10}` as the two ends of a range. */
export function readRange(value: unknown): { from?: unknown; to?: unknown } {
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

/**
 * @throws InputError for a blank value if the operator needs a value, and for a blank value in a list: the filter would
 *   select other records than meant
 */
function ensureValue(operator: Operator, value: unknown, field: Field): void {
  const { operand } = operator;
  if (operand === 'none') return;
  const values = operand === 'list' || field.connection ? parseList(value) : [value];
  if (values.every(hasNoContent)) throw createMissingValueError(field, operator);
  if (operand !== 'two' && values.flat().some(hasNoContent))
    throw createMissingValueError(field, operator, 'a value in each entry of the list');
}

/** Converts `is true` to `is checked` for a Decision Box, whose operators take no value (`FieldKind.findState`). */
function resolveState(isNegated: boolean, value: unknown, field: Field): Comparison {
  const { findState, operators, filterInput, example } = getKind(field);
  const state = findState?.(value);
  const name = state !== undefined && isNegated ? findInverse(state) : state;
  const operator = name === undefined ? undefined : findOperator(field, name);
  if (operator) return { operator };
  throw new InputError(
    `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`,
    `Nothing was sent. Operators of the type ${field.type}: ${operators.map((one) => one.name).join(', ')}. A valid value: ${filterInput === 'filled' ? '"filled" or "blank"' : example}.`,
  );
}

/** An operator of a field, and the value that it compares with. */
interface Comparison {
  operator: Operator;
  value?: unknown;
}

/** Finds the operator of the field that a word means, and resolves words for dates and states in the value. */
function resolveComparison(word: string, value: unknown, field: Field, context: OperatorContext): Comparison {
  const meant = findOperatorNames(word);
  const [first = ''] = meant;
  const isState = getKind(field).findState !== undefined && ['is', 'is not'].includes(first);
  const operator = isState ? stateOperator : findOperator(field, ...meant);
  if (!operator) throw createUnknownOperatorError(word, field, context);
  if (operator.needsUser && !context.hasUserLogin) {
    throw new InputError(
      `Filter: "${field.name}" needs a logged-in user for the operator "${operator.name}"`,
      'Choose a "User Login" in the Record Database API credential: the keys alone act for no user.',
    );
  }
  ensureValue(operator, value, field);
  return isState ? resolveState(first === 'is not', value, field) : resolveDateWords(operator, value, field);
}

/** Resolves words for dates in the value: `last 7 days` becomes a range, and `today` a part of the operator `is before today`. */
function resolveDateWords(operator: Operator, value: unknown, field: Field): Comparison {
  const relative = readRelativeDate(value);
  const within = relative === value ? undefined : findOperator(field, WITHIN);
  if (!within) return { operator, value };
  if (['is', WITHIN].includes(operator.name)) return { operator: within, value: relative };
  const withWord = findOperator(field, `${operator.name} ${String(value).trim().toLowerCase()}`);
  return withWord ? { operator: withWord } : { operator, value };
}

function createUnknownOperatorError(operator: string, field: Field, context: OperatorContext): InputError {
  const names = getOperators(field.kind, context).map(({ name }) => name);
  const words = SYMBOLIC_CONDITIONS.filter(([, meant]) => meant.some((name) => names.includes(name)));
  const symbols = words.flatMap(([word]) => (/[a-z]/.test(word) ? [] : word));
  const others = symbols.length > 0 ? `, or ${symbols.join(' ')}` : '';
  return new InputError(
    `Filter: "${field.name}" has no operator ${formatForError(operator)}`,
    `Operators of the type ${field.type}: ${names.join(', ')}${others}.`,
  );
}

/** @throws InputError for false with an operator that takes no value, such as `is blank`: the user may mean the opposite */
function refuseFalse({ operator, value }: Condition, field: Field): void {
  if (!needsNoValue(operator) || (value !== false && value !== 'false')) return;
  const inverse = findInverse(operator);
  throw new InputError(
    `Filter: "${field.name}" has the value false for the operator ${formatForError(operator)}, which takes none`,
    `Nothing was sent. ${inverse ? `If the opposite is meant, use "${inverse}".` : 'Leave the value out.'}`,
  );
}

/** Finds the key of an object value that the user may mean as an operator, such as `gt` in `{"price": {"gt": 5}}`. */
function findUnknownOperator(value: unknown, field: Field): string | undefined {
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const keys = Object.keys(value);
  if (getKind(field).parts) return keys.find(isOperatorWord);
  return isObjectValue(value) ? undefined : keys[0];
}

/**
 * Converts a condition to a filter item. A condition on several parts of a composite, or with an operator that the
 * service lacks, becomes a group of items.
 * @throws InputError for an invalid value
 */
export function encodeCondition(
  { ref, field, operator, value }: ResolvedCondition,
  table: Table,
  context: BuildContext,
): FilterItem | FilterGroup {
  const { name, operand } = operator;
  const parts = splitComposite(name, value, ref);
  if (parts) return buildFilter(parts, table, context);
  const fieldId = formatFilterId(ref);
  const timeZone = getFieldZone(field, context);
  const createItem: CreateItem = (used, input) => ({
    field_id: fieldId,
    operator: used,
    val: encodeComparisonValue(input, used, field, timeZone),
  });
  if (operand === 'none') return { field_id: fieldId, operator: name };
  if (name === BETWEEN) return createRange(field, readRange(value), createItem);
  if (name === WITHIN) {
    const range = toDateRange((value ?? {}) as RelativeDate, timeZone, context.now);
    const [from, to] = range.map((moment) => moment.toFormat(DATE_TIME_FORMAT));
    return createRange(field, { from, to }, createItem);
  }
  if (name === ANY_OF) return createAnyGroup(value, createItem);
  const day = getKind(field).findDay?.(value, timeZone);
  return day ? createDayItem(name, day, createItem) : createItem(name, value);
}

/**
 * Returns the zone of the values of a field. The service writes `created_at` itself, in its own zone. Other dates are in the
 * zone of the workflow that wrote them.
 */
const getFieldZone = ({ slug }: Field, { timeZone, serviceTimeZone = timeZone }: BuildContext): string =>
  slug === 'created_at' ? serviceTimeZone : timeZone;

/** Operators that search for text. The text does not have to be a valid value of the field. */
const SEARCH_OPERATORS = new Set(['contains', 'does not contain', 'starts with', 'ends with']);

/** Operators that compare with the last second of a day. Other operators compare with its first second. */
const END_OF_DAY_OPERATORS = new Set(['is on or before', 'is after']);

/** Encodes a comparison value in the service's format. @throws InputError for a value that is invalid or becomes blank */
function encodeComparisonValue(
  value: unknown,
  operator: string,
  field: Field,
  timeZone: string,
): string | number {
  const { encodeOperand, encodeSearchText, findDay } = getKind(field);
  const encode = SEARCH_OPERATORS.has(operator) ? encodeSearchText : encodeOperand;
  const day = findDay?.(value, timeZone);
  const time = END_OF_DAY_OPERATORS.has(operator) ? '23:59:59' : '00:00:00';
  try {
    const encoded = encode(day ? `${day} ${time}` : value, field, { timeZone });
    if (!isBlank(encoded)) return encoded;
  } catch (error) {
    // The message of the error is about a write, so it is replaced.
    const message = `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`;
    throw asThrown(changeTexts(error, () => ({ message })));
  }
  throw createMissingValueError(field, { name: operator, operand: 'one' });
}

/** Creates a filter item. `operator` is an operator of the service, and `value` is not encoded yet. */
type CreateItem = (operator: string, value: unknown) => FilterItem & { val: string | number };

/** Creates a range that includes both ends. @throws InputError if an end is missing, or the first is above the last */
function createRange(field: Field, { from, to }: { from?: unknown; to?: unknown }, createItem: CreateItem) {
  if (hasNoContent(from)) throw createMissingValueError(field, betweenOperator, 'a From value');
  if (hasNoContent(to)) throw createMissingValueError(field, betweenOperator, 'a To value');
  // Every kind with the operator `between` or `is within` has `rangeOperators`.
  const [fromOperator, toOperator] = getKind(field).rangeOperators!;
  const [first, last] = [createItem(fromOperator, from), createItem(toOperator, to)];
  // Both values are numbers, or text of a fixed width, which sorts by time.
  if (first.val <= last.val) return joinMembers('all', [first, last]);
  throw new InputError(
    `Filter: "${field.name}" ${BETWEEN} ${formatForError(first.val)} and ${formatForError(last.val)} matches no record`,
    'From is above To: swap the two values.',
  );
}

/** Creates a group that matches any value of a list. `ensureValue` has checked that the list holds a value. */
const createAnyGroup = (value: unknown, createItem: CreateItem): FilterGroup =>
  joinMembers(
    'any',
    parseList(value).map((entry) => createItem('is', typeof entry === 'string' ? entry.trim() : entry)),
  );

/** Compares a Date-Time with a day. `is` matches all times of the day, `is not` all other times and blank fields. */
function createDayItem(operator: string, day: string, createItem: CreateItem): FilterItem | FilterGroup {
  if (operator === 'is')
    return joinMembers('all', [createItem('is on or after', day), createItem('is on or before', day)]);
  if (operator !== 'is not') return createItem(operator, day);
  const before = createItem('is before', day);
  const blank = { field_id: before.field_id, operator: 'is blank' };
  return joinMembers('any', [before, createItem('is after', day), blank]);
}

const isFilterGroup = (member: FilterItem | FilterGroup): member is FilterGroup => 'items' in member;

/** Checks whether a record matches a filter. */
export type Matcher = (record: Record<string, unknown>) => boolean;

/** How a matcher treats a condition that it cannot evaluate. */
export interface MatcherOptions {
  /** Whether a condition counts as met that only the service can evaluate, or whose field the record does not show. */
  isLenient?: boolean;
}

/**
 * Evaluates a filter of `buildFilter` as the service does (spec: Filters). A group without conditions matches every
 * record. "Today" and "current time" refer to the time zone in `context`, which is that of the service.
 * @throws InputError for an operator that only the service can evaluate, unless `isLenient` is set
 */
export function buildMatcher(
  { condition, items, child }: FilterGroup,
  table: Table,
  context: EvaluationContext,
  { isLenient = false }: MatcherOptions = {},
): Matcher {
  const buildItem = ({ field_id, operator: name, val }: FilterItem): Matcher => {
    const ref = isLenient ? table.find(field_id) : table.resolveFilterField(field_id, 'Filter');
    const matches = ref && findOperator(getValueField(ref), name)?.matches;
    if (matches) {
      return (record) =>
        (isLenient && getRawValue(record, ref) === undefined) ||
        matches(readValue(record, ref), String(val ?? ''), context);
    }
    if (isLenient || !ref) return () => true;
    throw new InputError(
      `Filter: "${getValueField(ref).name}" ${name} cannot be checked here`,
      'Only the service can evaluate it. Use another condition, or filter with Get Many.',
    );
  };
  const members = [
    ...items.map(buildItem),
    ...child.map((group) => buildMatcher(group, table, context, { isLenient })),
  ];
  return condition === 'OR' && members.length > 0
    ? (record) => members.some((matches) => matches(record))
    : (record) => members.every((matches) => matches(record));
}

/** A filter that was checked against a table. */
interface CompiledFilter {
  /** The filter in the primary form of the service. */
  group: FilterGroup;
  matches: Matcher;
  /** The fields and parts of fields that the filter compares. */
  fields: FieldRef[];
}

/**
 * Builds a filter that this package compares with records itself, as a trigger does.
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
    fields: listItems(group).map(({ field_id }) => table.resolveFilterField(field_id, 'Filter')),
  };
}

/** Limits which operators are listed. */
interface OperatorChoice {
  kind?: KindName;
  /** Only operators that compare with no value, one value, two ends, a list of values or a period. */
  operand?: Operator['operand'];
  /**
   * `symbolic`: only operators of the service's symbolic form. `matcher`: only operators that `compileFilter`
   * evaluates.
   */
  use?: 'symbolic' | 'matcher';
  /** Whether the operators for the logged-in user are listed too. */
  hasUserLogin?: boolean;
}

/**
 * Lists the names of operators, in the order in which a form shows them (spec: "Operators by field kind").
 * @example
 * listOperatorNames({ kind: 'checkbox' }); // ['is', 'is checked', 'is unchecked', …]
 * listOperatorNames({ operand: 'two' }); // ['between']
 */
export function listOperatorNames({ kind, operand, use, hasUserLogin = true }: OperatorChoice): string[] {
  const isListed = (operator: Operator, of: KindName): boolean =>
    (operand === undefined || operator.operand === operand) &&
    (use !== 'symbolic' || isSymbolicOperator(operator.name, { kind: of })) &&
    // `stateOperator` needs no `matches`: before a filter is compared, `resolveState` replaces it by another operator.
    (use !== 'matcher' || operator.matches !== undefined || operator === stateOperator);
  const names = (kind ? [kind] : KIND_NAMES).flatMap((of) =>
    getOperators(of, { hasUserLogin }).flatMap((operator) => (isListed(operator, of) ? operator.name : [])),
  );
  return uniq(names);
}
