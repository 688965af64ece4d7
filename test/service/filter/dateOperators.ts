import { formatTimestamp } from '../state/time';
import { negate, type Operator, withoutValue, withValue } from './operator';

type DateKind = 'date' | 'datetime' | 'time';

const LAYOUT: Record<DateKind, RegExp> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  datetime: /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/,
  time: /^\d{2}:\d{2}:\d{2}$/,
};

/** Stored dates and times are text of fixed width and compare as text; blank is null. */
type DateText = string | null;

/** A day is a span for a Date-Time: `is on or before 2025-03-01` includes that evening. */
function toDateRange(kind: DateKind, val: string): [string, string] {
  return kind === 'datetime' && val.length === 10 ? [`${val} 00:00:00`, `${val} 23:59:59`] : [val, val];
}

function createDateOperator(
  kind: DateKind,
  holds: (value: string, from: string, to: string) => boolean,
): Operator {
  return withValue((val) => {
    if (!LAYOUT[kind].test(val)) return undefined;
    const [from, to] = toDateRange(kind, val);
    return (value: DateText) => value !== null && holds(value, from, to);
  });
}

/** "Today" and "current time" are those of the service's clock, in its zone. */
function createNowOperator(
  part: (now: string) => string,
  holds: (value: string, now: string) => boolean,
): Operator {
  return {
    takesValue: false,
    build: (_val, _subject, { app }) => {
      const now = part(formatTimestamp(app.options.clock.now(), app.options.timeZone));
      return (value: DateText) => value !== null && holds(value, now);
    },
  };
}

const toDay = (now: string) => now.slice(0, 10);

/**
 * A Date counts as its midnight, so today is "before current time". The spec does not say by which clock, nor whether
 * the day of a Date-Time counts; see `ServiceOptions.currentTime`.
 */
function createCurrentTimeOperators(kind: DateKind) {
  const createOperator = (holds: (value: string, now: string) => boolean): Operator => ({
    takesValue: false,
    build: (_val, _subject, { app: { options } }) => {
      const isTimeOnly = kind === 'time' || (kind === 'datetime' && options.currentTime === 'timeOfDay');
      const toCompared = (text: string) => (isTimeOnly ? text.slice(-8) : text);
      const zone = options.currentTime === 'utc' ? 'UTC' : options.timeZone;
      const now = toCompared(formatTimestamp(options.clock.now(), zone));
      const toDateTime = (value: string) => (kind === 'date' ? `${value} 00:00:00` : value);
      return (value: DateText) => value !== null && holds(toCompared(toDateTime(value)), now);
    },
  });
  return {
    'is before current time': createOperator((value, now) => value < now),
    'is after current time': createOperator((value, now) => value > now),
  };
}

export function createDateOperators(kind: DateKind): Record<string, Operator> {
  const is = createDateOperator(kind, (value, from, to) => value >= from && value <= to);
  const blank = withoutValue((value: DateText) => value === null);
  return {
    is,
    'is not': negate(is),
    'is before': createDateOperator(kind, (value, from) => value < from),
    'is on or before': createDateOperator(kind, (value, _from, to) => value <= to),
    'is after': createDateOperator(kind, (value, _from, to) => value > to),
    'is on or after': createDateOperator(kind, (value, from) => value >= from),
    ...createCurrentTimeOperators(kind),
    // A time of day belongs to no day, so it is neither before nor after today.
    'is before today': createNowOperator(toDay, (value, now) => kind !== 'time' && value.slice(0, 10) < now),
    'is after today': createNowOperator(toDay, (value, now) => kind !== 'time' && value.slice(0, 10) > now),
    'is blank': blank,
    'is not blank': negate(blank),
  };
}
