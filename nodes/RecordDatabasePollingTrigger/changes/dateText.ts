import { DateTime } from 'luxon';
import { DATE_TIME_FORMAT } from '../../shared/model/input/dateTimeText';

/** Adds seconds to a date in the service's format; '' stays ''. */
export const addSeconds = (date: string, seconds: number): string =>
  date === ''
    ? ''
    : DateTime.fromFormat(date, DATE_TIME_FORMAT, { zone: 'utc' })
        .plus({ seconds })
        .toFormat(DATE_TIME_FORMAT);

/** The largest offset of a time zone, in seconds. */
const MAX_OFFSET_SECONDS = 14 * 3600;

/** The latest local time at a moment in any time zone, because the time zone of the service's dates is unknown. */
export const findLatestLocalTime = (now: number): string =>
  DateTime.fromMillis(now, { zone: 'utc' }).plus({ seconds: MAX_OFFSET_SECONDS }).toFormat(DATE_TIME_FORMAT);

/** Length of an encoded date. */
const ENCODED_DATE_LENGTH = 9;

/** Encodes a date in the service's format as base 36 digits. */
export const encodeDate = (date: string): string =>
  Number(date.replace(/\D/g, '')).toString(36).padStart(ENCODED_DATE_LENGTH, '0');

/** Decodes a date of `encodeDate`. */
export const decodeDate = (text: string): string =>
  parseInt(text.slice(0, ENCODED_DATE_LENGTH), 36)
    .toString()
    .padStart(14, '0')
    .replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');
