import { DateTime } from 'luxon';
import { isBlank, misfit, oneColumn, type Codec, type Column } from './codec';

/** The service's formats (spec: "Field-type value formats"). Local time: the service keeps no zone. */
export const DATE = 'yyyy-MM-dd';
export const TIME = 'HH:mm:ss';
export const DATE_TIME = 'yyyy-MM-dd HH:mm:ss';

/**
 * Reads what n8n hands around as a moment: Luxon or JS dates, ISO or the service's own text. Text without
 * an offset is local to `zone`; anything with one is converted to it. Undefined when it is none of these.
 */
export function parseMoment(value: unknown, zone: string): DateTime | undefined {
  if (DateTime.isDateTime(value)) return value.isValid ? value.setZone(zone) : undefined;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : DateTime.fromJSDate(value, { zone });
  // Another copy of Luxon (an expression's, say) fails isDateTime but still knows its ISO text.
  if (typeof value === 'object' && value !== null && 'toISO' in value && typeof value.toISO === 'function') {
    return parseMoment((value as { toISO(): unknown }).toISO(), zone);
  }
  if (typeof value !== 'string') return undefined;
  // "9:05", which ISO writes with two digits.
  const text = value.trim().replace(/^\d:/, '0$&');
  return [DateTime.fromISO(text, { zone }), DateTime.fromSQL(text, { zone })].find((one) => one.isValid);
}

/** The service's own text, which no zone may shift: at the start of summer time, local 02:30 does not exist. */
export const isWritten = (value: unknown, format: string): value is string =>
  typeof value === 'string' &&
  value.length === format.length &&
  DateTime.fromFormat(value, format, { zone: 'utc' }).isValid;

/** "12", "1430" and "2025-03" are ISO too, for an hour, a year and a month: in a date they are mistakes. */
export const isDated = (value: unknown) =>
  typeof value !== 'string' || /^\s*(\d{4}-\d\d-\d\d|\d{8}(?=T|\s*$))/.test(value);

/** "1430" is ISO for a year, and a date alone for its midnight: as a time of day they are mistakes. */
const isTimed = (value: unknown) => typeof value !== 'string' || /^\s*([^:]*[T ])?\d\d?:\d\d/.test(value);

/** Date, Time and Date-Time differ only in the format and in how the mapper shows them. */
const momentCodec = (format: string, column: Column['type'], example: string): Codec => ({
  example,
  columns: (field) => oneColumn(field, column),
  encode(value, field, { timeZone }) {
    if (isBlank(value)) return [[field.slug, null]];
    if (isWritten(value, format)) return [[field.slug, value]];
    const isWhole = format === TIME ? isTimed(value) : isDated(value);
    const moment = isWhole ? parseMoment(value, timeZone) : undefined;
    if (!moment) throw misfit(field, value, example);
    return [[field.slug, moment.toFormat(format)]];
  },
});

export const date = momentCodec(DATE, 'dateTime', '"2025-03-31"');
export const dateTime = momentCodec(DATE_TIME, 'dateTime', '"2025-03-31 14:30:00"');
export const time = momentCodec(TIME, 'time', '"14:30:00"');
