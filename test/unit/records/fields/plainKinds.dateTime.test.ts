import { DateTime } from 'luxon';
import { getKind } from '../../../../nodes/records';
import { createField } from './fieldTools';

const field = createField('Date-Time');
const { findDay } = getKind(field);

/** The day that a comparison covers. The service would compare a moment with its second only. */
test.each<[unknown, zone: string, day: string | undefined]>([
  ['2025-03-31', 'Asia/Tokyo', '2025-03-31'],
  [' 2025-03-31 ', 'Asia/Tokyo', '2025-03-31'],
  ['31 Mar 2025', 'Asia/Tokyo', '2025-03-31'],
  ['20250331', 'Asia/Tokyo', '2025-03-31'],
  // Samoa skipped this day, but the service can store it.
  ['2011-12-30', 'Pacific/Apia', '2011-12-30'],
  ['2025-03-31T00:00:00', 'Asia/Tokyo', '2025-03-31'],
  ['2025-03-31T00:00:00+09:00', 'Asia/Tokyo', '2025-03-31'],
  ['2025-03-31T00:00:00.000+0900', 'Asia/Tokyo', '2025-03-31'],
  ['2025-03-31T00:00:00+09', 'Asia/Tokyo', '2025-03-31'],
  ['2025-03-31 00:00:00 +09:00', 'Asia/Tokyo', '2025-03-31'],
  ['2025-03-31T00:00:00z', 'UTC', '2025-03-31'],
  [new Date('2025-03-30T15:00:00Z'), 'Asia/Tokyo', '2025-03-31'],
  [DateTime.fromISO('2025-03-31', { zone: 'Asia/Tokyo' }), 'Asia/Tokyo', '2025-03-31'],
  // Midnight in Tokyo, but written with another offset: a moment.
  ['2025-03-30T15:00:00Z', 'Asia/Tokyo', undefined],
  ['2025-03-30T15:00:00.000Z', 'Asia/Tokyo', undefined],
  ['2025-03-30T16:00:00+01:00', 'Asia/Tokyo', undefined],
  ['2025-03-30T16:00:00+0100', 'Asia/Tokyo', undefined],
  ['2025-03-30T16:00:00+01', 'Asia/Tokyo', undefined],
  ['2025-03-30 16:00:00 +01:00', 'Asia/Tokyo', undefined],
  ['2025-03-31T00:00:01', 'Asia/Tokyo', undefined],
  ['2025-03-31T12:00:00', 'Asia/Tokyo', undefined],
  // The format of the service has seconds: one second is meant.
  ['2025-03-31 00:00:00', 'Asia/Tokyo', undefined],
  [' 2025-03-31 00:00:00 ', 'Asia/Tokyo', undefined],
  ['2025-03', 'Asia/Tokyo', undefined],
  ['00:00:00', 'Asia/Tokyo', undefined],
  ['soon', 'Asia/Tokyo', undefined],
  [5, 'Asia/Tokyo', undefined],
  [null, 'Asia/Tokyo', undefined],
])('%j in %s is the day %s', (value, zone, day) => {
  expect(findDay!(value, zone)).toBe(day);
});

test.each([
  ['Date', '2025-03-31T23:30:00+02:00', '2025-03-31'],
  ['Date', '31 March 2025', undefined],
  ['Time', '2025-03-31T23:30:00+02:00', '23:30:00'],
  ['Time', '9:05', '09:05:00'],
  ['Date-Time', '2025-03-31T23:30:00+02:00', '2025-03-31 23:30:00'],
  ['Date-Time', '', null],
  ['Date', null, null],
  ['Time', 'soon', undefined],
])('%s: %j from the service is read as %j, without regard to the offset', (type, value, read) => {
  const one = createField(type);
  expect(getKind(one).normalize(value, one)).toBe(read);
});
