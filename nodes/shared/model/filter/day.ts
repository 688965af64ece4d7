import { DateTime } from 'luxon';
import { isDated, parseMoment } from '../fields';
import type { Slot } from '../table';

const DAY = /^\d{4}-\d\d-\d\d$/;
/** The service's own text for a moment, which is meant to the second. */
const EXACT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

const WITH_OFFSET = /:\d\d(\.\d+)?\s*(z|[+-]\d\d:?(\d\d)?)$/i;

/** Text of another place's clock is an instant. n8n gives its own dates as text, too: of the workflow's clock. */
const isElsewhere = (text: string, moment: DateTime) =>
  WITH_OFFSET.test(text) && DateTime.fromISO(text, { setZone: true }).offset !== moment.offset;

const isMidnight = (moment: DateTime) => +moment === +moment.startOf('day');

/**
 * The day that a value for a Date-Time means, as `2025-03-31`: the day alone, or its midnight, as a date picker
 * and `$today` give it. Undefined for a moment of the day, and for other fields. Compared with a Date-Time a day
 * is a span: the service would take its first second for the whole of it.
 */
export function dayIn({ field, part }: Slot, value: unknown, zone: string): string | undefined {
  if (field.kind !== 'dateTime' || part) return undefined;
  const text = typeof value === 'string' ? value.trim() : '';
  if (DAY.test(text)) return text;
  const moment = EXACT.test(text) || !isDated(value) ? undefined : parseMoment(value, zone);
  if (!moment || !isMidnight(moment) || isElsewhere(text, moment)) return undefined;
  return moment.toISODate() ?? undefined;
}

/** These compare with the last second of a day, all others with its first. */
const AT_ITS_END = new Set(['is on or before', 'is after', '<=', '>']);

/** The moment of a day that an operator of either form compares with. */
export const momentOf = (day: string, operator: string): string =>
  `${day} ${AT_ITS_END.has(operator) ? '23:59:59' : '00:00:00'}`;
