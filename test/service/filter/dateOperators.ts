import { timestamp } from '../state/time';
import { not, withoutValue, withValue, type Operator } from './operator';

type DateKind = 'date' | 'datetime' | 'time';

const LAYOUT: Record<DateKind, RegExp> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  datetime: /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/,
  time: /^\d{2}:\d{2}:\d{2}$/,
};

/** Stored dates and times are fixed-width text, so they compare as text; a blank one is null. */
type Moment = string | null;

/** A day is a span for a Date-Time: `is on or before 2025-03-01` includes that evening. */
function span(kind: DateKind, val: string): [string, string] {
  return kind === 'datetime' && val.length === 10 ? [`${val} 00:00:00`, `${val} 23:59:59`] : [val, val];
}

function against(kind: DateKind, holds: (value: string, from: string, to: string) => boolean): Operator {
  return withValue((val) => {
    if (!LAYOUT[kind].test(val)) return undefined;
    const [from, to] = span(kind, val);
    return (value: Moment) => value !== null && holds(value, from, to);
  });
}

/** "Today" and "current time" are the service's own, in UTC. */
function againstNow(part: (now: string) => string, holds: (value: string, now: string) => boolean): Operator {
  return {
    takesValue: false,
    build: (_val, _subject, { app }) => {
      const now = part(timestamp(app.options.clock.now()));
      return (value: Moment) => value !== null && holds(value, now);
    },
  };
}

const today = (now: string) => now.slice(0, 10);

/** A Date's current time is its midnight, which makes today "before current time". */
function currentTime(kind: DateKind) {
  const part = (now: string) => (kind === 'time' ? now.slice(11) : now);
  const full = (value: string) => (kind === 'date' ? `${value} 00:00:00` : value);
  return {
    'is before current time': againstNow(part, (value, now) => full(value) < now),
    'is after current time': againstNow(part, (value, now) => full(value) > now),
  };
}

export function dateOperators(kind: DateKind): Record<string, Operator> {
  const is = against(kind, (value, from, to) => value >= from && value <= to);
  const blank = withoutValue((value: Moment) => value === null);
  return {
    is,
    'is not': not(is),
    'is before': against(kind, (value, from) => value < from),
    'is on or before': against(kind, (value, _from, to) => value <= to),
    'is after': against(kind, (value, _from, to) => value > to),
    'is on or after': against(kind, (value, from) => value >= from),
    ...currentTime(kind),
    // A time of day has no day to compare.
    ...(kind !== 'time' && {
      'is before today': againstNow(today, (value, now) => value.slice(0, 10) < now),
      'is after today': againstNow(today, (value, now) => value.slice(0, 10) > now),
    }),
    'is blank': blank,
    'is not blank': not(blank),
  };
}
