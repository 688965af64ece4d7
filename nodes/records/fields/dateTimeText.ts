/** Dates and times as text in the formats of the service. */
import { DateTime } from 'luxon';

/**
 * Formats a date or time. Returns a text in this format unchanged, and undefined for a value that is no date or time.
 * @param zone the zone of text without an offset
 * @param shownZone the zone in which the result is written
 */
export function formatDateTime(
  value: unknown,
  format: string,
  zone: string,
  shownZone = zone,
): string | undefined {
  if (matchesFormat(value, format)) return value;
  const day = format === DATE_FORMAT ? findMidnightDay(value) : undefined;
  if (day !== undefined) return day;
  if (!hasDateOrTime(value, format)) return undefined;
  const local = zone === shownZone ? parseOffsetlessText(value) : undefined;
  return (local ?? parseDateTime(value, zone)?.setZone(shownZone))?.toFormat(format);
}

/** The date formats of the service, which have no time zone (spec: "Field-type value formats"). */
export const DATE_FORMAT = 'yyyy-MM-dd';
export const TIME_FORMAT = 'HH:mm:ss';
export const DATE_TIME_FORMAT = 'yyyy-MM-dd HH:mm:ss';

/** Dates in words, such as "31 Mar 2025". Dates such as "3/4/2025" are ambiguous and not accepted. */
const DATE_WORD_FORMATS = ['LLLL d yyyy', 'LLL d yyyy', 'd LLLL yyyy', 'd LLL yyyy'];
const DATE_IN_WORDS_PATTERN = /^\s*([a-z]{3,9}\.? \d{1,2},? \d{4}|\d{1,2}\.? [a-z]{3,9}\.? \d{4})\s*$/i;

/** Converts a date in English words to `2025-03-31`. Any other value is returned unchanged. */
export function normalizeDateWords(value: unknown): unknown {
  if (typeof value !== 'string' || !DATE_IN_WORDS_PATTERN.test(value)) return value;
  const text = value.trim().replace(/[.,]/g, '');
  const parsed = DATE_WORD_FORMATS.map((format) =>
    DateTime.fromFormat(text, format, { zone: 'utc', locale: 'en' }),
  );
  return parsed.find(({ isValid }) => isValid)?.toFormat(DATE_FORMAT) ?? value;
}

/** Parses ISO text and text in the service's formats. `setZone` keeps the offset of the text. */
export const parseDateTimeText = (text: string, options: { zone?: string; setZone?: boolean }) =>
  [DateTime.fromISO(text, options), DateTime.fromSQL(text, options)].find((parsed) => parsed.isValid);

/** Adds the leading zero that ISO requires: "9:05" becomes "09:05". */
const padHour = (text: string) => text.trim().replace(/^\d:/, '0$&');

/** Converts a date object to ISO text. Recognizes a Luxon date by `toISO`: it may come from another copy of Luxon. */
export function toIsoText(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? value : value.toISOString();
  return typeof value === 'object' && value !== null && 'toISO' in value && typeof value.toISO === 'function'
    ? (value as { toISO(): unknown }).toISO()
    : value;
}

/** Reads text without an offset in the zone `zone`. Returns undefined for a value that is no date. */
export function parseDateTime(value: unknown, zone: string): DateTime | undefined {
  const text = toIsoText(value);
  return typeof text === 'string' ? parseDateTimeText(padHour(text), { zone }) : undefined;
}

/** Uses UTC: in other zones, 02:30 becomes 03:30 when summer time begins. Returns undefined for text with an offset. */
function parseOffsetlessText(value: unknown): DateTime | undefined {
  if (typeof value !== 'string') return undefined;
  const [utc, other] = ['utc', 'utc+1'].map((zone) => parseDateTimeText(padHour(value), { zone }));
  return utc && +utc !== +(other ?? utc) ? utc : undefined;
}

/** A text in this format is sent unchanged: a conversion could change 02:30 when summer time begins. */
export const matchesFormat = (value: unknown, format: string): value is string =>
  typeof value === 'string' &&
  value.length === format.length &&
  DateTime.fromFormat(value, format, { zone: 'utc' }).isValid;

/** Whether a value has year, month and day. "1430" and "2025-03" lack parts, although ISO 8601 reads them as dates. */
export const hasFullDate = (value: unknown) =>
  typeof value !== 'string' || /^\s*(\d{4}-\d\d-\d\d|\d{8}(?=T|\s*$))/.test(value);

/** Whether a value has a time of day. "1430" does not count, because ISO 8601 reads it as a year. */
const hasTimeOfDay = (value: unknown) =>
  typeof value !== 'string' || /^([^:T ]*[T ])?\d\d?:\d\d/.test(value.trimStart());

const hasDateOrTime = (value: unknown, format: string) =>
  format === TIME_FORMAT ? hasTimeOfDay(value) : hasFullDate(value);

const MIDNIGHT_DAY_PATTERN = /^\s*(\d{4}-\d\d-\d\d)[T ]00:00(:00(\.0+)?)?\s*(Z|[+-]\d\d(:?\d\d)?)\s*$/i;

/** Databases write a day as midnight with an offset, which is ignored: zones further west would show the day before. */
export function findMidnightDay(value: unknown): string | undefined {
  const text = toIsoText(value);
  const day = typeof text === 'string' ? MIDNIGHT_DAY_PATTERN.exec(text)?.[1] : undefined;
  return matchesFormat(day, DATE_FORMAT) ? day : undefined;
}

/** Reads a date or time of the service and formats it. Ignores an offset, because the service stores no zone. */
export function readDateText(value: unknown, format: string): string | undefined {
  if (matchesFormat(value, format)) return value;
  if (typeof value !== 'string') return formatDateTime(value, format, 'utc');
  if (!hasDateOrTime(value, format)) return undefined;
  return parseDateTimeText(padHour(value), { zone: 'utc', setZone: true })?.toFormat(format);
}
