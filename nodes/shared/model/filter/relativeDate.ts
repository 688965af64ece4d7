import { DateTime } from 'luxon';
import { formatForError, InputError } from '../input/inputError';
import { parseEnum } from '../input/parseEnum';

export const RELATIVE_UNITS = ['day', 'week', 'month', 'year'] as const;
export type RelativeUnit = (typeof RELATIVE_UNITS)[number];
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
