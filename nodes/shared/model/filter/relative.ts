import { DateTime } from 'luxon';
import { InputError, shown } from '../inputError';

export const RELATIVE_UNITS = ['day', 'week', 'month', 'year'] as const;
export type RelativeUnit = (typeof RELATIVE_UNITS)[number];

/**
 * A span of whole days seen from now: `{period: 'last', amount: 7, unit: 'day'}`. `today`, `yesterday`
 * and `tomorrow` need no amount; `this` is the current day, week (from Monday), month or year.
 */
export interface Relative {
  period: 'today' | 'yesterday' | 'tomorrow' | 'this' | 'last' | 'next';
  amount?: number;
  unit?: RelativeUnit;
}

/**
 * First and last moment of the span, both included, in `zone`. `last 7 days` starts seven days ago and
 * ends with today; `next 7 days` starts with today.
 */
export function relativeSpan(
  { period, amount = 1, unit = 'day' }: Relative,
  zone: string,
  now: Date,
): [DateTime, DateTime] {
  if (!Number.isInteger(amount) || amount < 1 || amount > 10_000) {
    throw new InputError(
      `Relative date: the amount cannot be ${shown(amount)}`,
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
