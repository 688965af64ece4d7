import type { Slot } from '../table';

const DAY = /^\s*\d{4}-\d\d-\d\d\s*$/;

/** A day compared with a Date-Time is a span: the service would take its first second for the whole of it. */
export const isDayOf = ({ field, part }: Slot, value: unknown): value is string =>
  field.kind === 'dateTime' && !part && typeof value === 'string' && DAY.test(value);

/** These compare with the last second of a day, all others with its first. */
const AT_ITS_END = new Set(['is on or before', 'is after', '<=', '>']);

/** The moment of a day that an operator of either form compares with. */
export const momentOf = (day: string, operator: string): string =>
  `${day.trim()} ${AT_ITS_END.has(operator) ? '23:59:59' : '00:00:00'}`;
