import { DateTime } from 'luxon';
import { InputError, shown } from '../inputError';
import { oneOf } from '../oneOf';

export const RELATIVE_UNITS = ['day', 'week', 'month', 'year'] as const;
export type RelativeUnit = (typeof RELATIVE_UNITS)[number];
const PERIODS = ['today', 'yesterday', 'tomorrow', 'this', 'last', 'next'] as const;

/**
 * A span of whole days seen from now: `{period: 'last', amount: 7, unit: 'day'}`. `today`, `yesterday`
 * and `tomorrow` need neither amount nor unit; `this` is the current day, week (from Monday), month or year.
 */
export interface Relative {
  period: (typeof PERIODS)[number];
  /** A whole number, or text that is one. */
  amount?: number | string;
  unit?: RelativeUnit;
}

/**
 * First and last moment of the span, both included, in `zone`. `last 7 days` starts seven days ago and
 * ends with today; `next 7 days` starts with today.
 */
export function relativeSpan(relative: Relative, zone: string, now: Date): [DateTime, DateTime] {
  const period = oneOf(PERIODS, relative.period, 'Relative date: the period');
  const counts = period === 'last' || period === 'next';
  const unit =
    counts || period === 'this' ? oneOf(RELATIVE_UNITS, relative.unit, 'Relative date: the unit') : 'day';
  const amount = counts ? Number(relative.amount ?? Number.NaN) : 1;
  if (!Number.isInteger(amount) || amount < 1 || amount > 10_000) {
    throw new InputError(
      `Relative date: the amount cannot be ${shown(relative.amount)}`,
      'Give a whole number from 1 to 10000.',
    );
  }
  const today = DateTime.fromJSDate(now, { zone });
  const whole = (from: DateTime, to: DateTime, by: RelativeUnit = 'day'): [DateTime, DateTime] => [
    from.startOf(by),
    to.endOf(by),
  ];
  switch (period) {
    case 'today':
      return whole(today, today);
    case 'yesterday':
      return whole(today.minus({ days: 1 }), today.minus({ days: 1 }));
    case 'tomorrow':
      return whole(today.plus({ days: 1 }), today.plus({ days: 1 }));
    case 'this':
      return whole(today, today, unit);
    case 'last':
      return whole(today.minus({ [unit]: amount }), today);
    case 'next':
      return whole(today, today.plus({ [unit]: amount }));
  }
}
