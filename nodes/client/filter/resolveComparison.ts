import { DateTime } from 'luxon';
import { parseChecked } from '../fields/checkbox';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { RELATIVE } from '../fields/operators';
import { InputError, formatForError } from '../input/inputError';
import { parseEnum } from '../input/values';
import { type Condition, findOperatorNames } from './tree';

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

type Comparison = Pick<Condition, 'operator' | 'value'>;

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

/** Converts `is true` to `is checked` for a Decision Box, whose operators have no comparison value. */
function toCheckboxOperator(operator: string, value: unknown): Comparison | undefined {
  const checked = ['is', 'is not'].includes(operator) && value !== '' ? parseChecked(value) : undefined;
  if (checked === undefined) return undefined;
  return { operator: (checked === 1) === (operator === 'is') ? 'is checked' : 'is unchecked' };
}

/**
 * Resolves the operator of a condition among those of the field: by its name, by a symbol (`>`) or by an alias (`$gt`).
 * An operator that the field does not have stays as it is.
 */
export function resolveComparison({ operator, value }: Comparison, field: Field): Comparison {
  const names = getKind(field).operators.map(({ name }) => name);
  const meant = findOperatorNames(operator);
  const name = names.find((candidate) => meant.includes(candidate));
  if (name !== undefined) return resolveDateWords({ operator: name, value }, names);
  const isCheckbox = names.includes('is checked');
  return (isCheckbox && toCheckboxOperator(meant[0] ?? '', value)) || { operator, value };
}

/** Resolves words for dates in the value: `is last 7 days` becomes a range, `is before` today an operator. */
function resolveDateWords({ operator, value }: Comparison, names: string[]): Comparison {
  if (!names.includes(RELATIVE)) return { operator, value };
  const relative = readRelativeDate(value);
  if (relative === value) return { operator, value };
  if (['is', RELATIVE].includes(operator)) return { operator: RELATIVE, value: relative };
  const withWord = `${operator} ${String(value).trim().toLowerCase()}`;
  return names.includes(withWord) ? { operator: withWord } : { operator, value };
}
