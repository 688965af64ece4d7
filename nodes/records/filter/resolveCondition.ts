/**
 * One condition of a filter: its field, operator and value. `resolveCondition` finds the field, and resolves symbols,
 * aliases and words for dates.
 */
import { DateTime } from 'luxon';
import { formatForError, InputError, isObject, parseEnum, parseList } from '../../service';
import type { Field } from '../fields/field';
import { hasNoContent } from '../fields/inputValues';
import { getKind } from '../fields/kinds';
import { RELATIVE } from '../fields/operators';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import {
  type Condition,
  type OperatorContext,
  SYMBOLS,
  findInverse,
  findOperatorNames,
  getOperators,
  isObjectValue,
  isOperatorWord,
  needsNoValue,
} from './tree';

/**
 * Finds the field of a condition, and its operator among those of the field.
 * @throws InputError for an unknown field, and for an object of unknown operators
 */
export function resolveCondition(condition: Condition, table: Table): ResolvedCondition {
  const ref = table.resolveFilterField(condition.field, 'Filter');
  const field = getValueField(ref);
  ensureNoFalse(condition, field);
  const { operator, value } = condition;
  const word = operator === 'is' ? findUnknownOperator(value, field) : undefined;
  if (word !== undefined) throw createUnknownOperatorError(word, field, { hasUserLogin: true });
  return { ref, field, condition: { ...condition, ...resolveComparison(condition, field) } };
}

const RELATIVE_UNITS = ['day', 'week', 'month', 'year'] as const;
type RelativeUnit = (typeof RELATIVE_UNITS)[number];
const PERIODS = ['today', 'yesterday', 'tomorrow', 'this', 'last', 'next'] as const;

/**
 * A range of whole days relative to today: `{period: 'last', amount: 7, unit: 'day'}`. `today`, `yesterday`
 * and `tomorrow` need neither amount nor unit. `this` is the current day, week (from Monday), month or year.
 */
export interface RelativeDate {
  period: (typeof PERIODS)[number];
  /** A whole number, or its text. */
  amount?: number | string;
  unit?: RelativeUnit;
}

/** Checks the parts of a relative date. Today, yesterday and tomorrow are in days. @throws InputError */
function parseRelativeDate(relative: RelativeDate) {
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
  return { period, unit, amount };
}

/**
 * Returns the first and the last moment of the range in the time zone `zone`, both included. `last 7 days`
 * are seven days that end today; `next 7 days` start today.
 */
export function toDateRange(relative: RelativeDate, zone: string, now: Date): [DateTime, DateTime] {
  const { period, unit, amount } = parseRelativeDate(relative);
  const today = DateTime.fromJSDate(now, { zone });
  const toWholeUnits = (
    from: DateTime,
    to: DateTime,
    precision: RelativeUnit = 'day',
  ): [DateTime, DateTime] => [from.startOf(precision), to.endOf(precision)];
  switch (period) {
    case 'today':
      return toWholeUnits(today, today);
    case 'yesterday':
      return toWholeUnits(today.minus({ days: 1 }), today.minus({ days: 1 }));
    case 'tomorrow':
      return toWholeUnits(today.plus({ days: 1 }), today.plus({ days: 1 }));
    case 'this':
      return toWholeUnits(today, today, unit);
    case 'last':
      return toWholeUnits(today.minus({ [unit]: amount }).plus({ days: 1 }), today);
    case 'next':
      return toWholeUnits(today, today.plus({ [unit]: amount }).minus({ days: 1 }));
  }
}

type OperatorWithValue = Pick<Condition, 'operator' | 'value'>;

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

/**
 * Finds the operator of the field that a word means: its name, a symbol (`>`) or an alias (`$gt`). A word that means none
 * stays as it is.
 */
export function findOperatorName(word: string, field: Field): string {
  const meant = findOperatorNames(word);
  return getKind(field).operators.find(({ name }) => meant.includes(name))?.name ?? word;
}

const MISSING_VALUE_REMEDIES = {
  none: '',
  one: 'Give a value, or use an operator for blank fields.',
  two: 'Give both ends, as one value such as [5, 10].',
  list: 'Give at least one value, or several with commas between them.',
  relative: 'Give a period such as "last 7 days".',
};

export function createMissingValueError(field: Field, operator: string, part = 'a value'): InputError {
  const { operand = 'one' } = getKind(field).operators.find(({ name }) => name === operator) ?? {};
  return new InputError(
    `Filter: "${field.name}" needs ${part} for the operator "${operator}"`,
    `Nothing was sent. ${MISSING_VALUE_REMEDIES[operand]} An expression may have returned nothing.`,
  );
}

/**
 * @throws InputError for a blank value of an operator that compares with one, and for a blank one in a list: it would select
 *   other records
 */
function ensureValue({ operator, value }: OperatorWithValue, field: Field): void {
  const known = getKind(field).operators.find(({ name }) => name === operator);
  if (!known || known.operand === 'none') return;
  if (hasNoContent(value)) throw createMissingValueError(field, operator);
  if (known.operand === 'list' && parseList(value).some(hasNoContent))
    throw createMissingValueError(field, operator, 'a value in each entry of the list');
}

/** Converts `is true` to `is checked` for a Decision Box, whose operators take no value (`FieldKind.findState`). */
function resolveState({ operator, value }: OperatorWithValue, field: Field): OperatorWithValue {
  const { findState, operators, filterInput, example } = getKind(field);
  const state = findState?.(value);
  if (state === undefined) {
    throw new InputError(
      `Filter: "${field.name}" cannot be compared with ${formatForError(value)}`,
      `Nothing was sent. Operators of the type ${field.type}: ${operators.map(({ name }) => name).join(', ')}. A valid value: ${filterInput === 'filled' ? '"filled" or "blank"' : example}.`,
    );
  }
  return { operator: operator === 'is' ? state : (findInverse(state) as string) };
}

/**
 * Resolves the operator of a condition among those of the field, and the words for dates and states in its value. An
 * operator that the field does not have stays as it is.
 * @throws InputError for a blank value where the operator needs one
 */
export function resolveComparison(given: OperatorWithValue, field: Field): OperatorWithValue {
  const { operators, findState } = getKind(field);
  const names = operators.map(({ name }) => name);
  const [meant = ''] = findOperatorNames(given.operator);
  const isNegatedState = findState !== undefined && meant === 'is not';
  const operator = isNegatedState ? 'is not' : findOperatorName(given.operator, field);
  ensureValue({ operator: isNegatedState ? 'is' : operator, value: given.value }, field);
  const comparison = { operator, value: given.value };
  if (findState && ['is', 'is not'].includes(operator)) return resolveState(comparison, field);
  return names.includes(operator) ? resolveDateWords(comparison, names) : comparison;
}

/** Resolves words for dates in the value: `is last 7 days` becomes a range, `is before` today an operator. */
function resolveDateWords({ operator, value }: OperatorWithValue, names: string[]): OperatorWithValue {
  if (!names.includes(RELATIVE)) return { operator, value };
  const relative = readRelativeDate(value);
  if (relative === value) return { operator, value };
  if (['is', RELATIVE].includes(operator)) return { operator: RELATIVE, value: relative };
  const withWord = `${operator} ${String(value).trim().toLowerCase()}`;
  return names.includes(withWord) ? { operator: withWord } : { operator, value };
}

/** Lists the operators that a field has. */
export function createUnknownOperatorError(
  operator: string,
  field: Field,
  context: OperatorContext,
): InputError {
  const names = getOperators(field.kind, context).map(({ name }) => name);
  const symbols = SYMBOLS.filter((symbol) => names.includes(findOperatorName(symbol, field)));
  const others = symbols.length > 0 ? `, or ${symbols.join(' ')}` : '';
  return new InputError(
    `Filter: "${field.name}" has no operator ${formatForError(operator)}`,
    `Operators of the type ${field.type}: ${names.join(', ')}${others}.`,
  );
}

/** @throws InputError for an operator that has no value, with the value false: the opposite is meant */
function ensureNoFalse({ operator, value }: Condition, field: Field): void {
  if (!needsNoValue(operator) || (value !== false && value !== 'false')) return;
  const inverse = findInverse(operator);
  throw new InputError(
    `Filter: "${field.name}" has the value false for the operator ${formatForError(operator)}, which takes none`,
    `Nothing was sent. ${inverse ? `If the opposite is meant, use "${inverse}".` : 'Leave the value out.'}`,
  );
}

/** Finds a key of an object that is neither a value nor a part: `{"price": {"gt": 5}}` is read as the value of "is". */
function findUnknownOperator(value: unknown, field: Field): string | undefined {
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const keys = Object.keys(value);
  if (getKind(field).parts) return keys.find(isOperatorWord);
  return isObjectValue(value) ? undefined : keys[0];
}

/** A condition with its field, and with an operator that the field has or an unknown one. */
interface ResolvedCondition {
  ref: FieldRef;
  field: Field;
  condition: Condition;
}
