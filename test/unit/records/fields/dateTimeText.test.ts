import { DateTime, Settings } from 'luxon';
import {
  DATE_FORMAT,
  DATE_TIME_FORMAT,
  findMidnightDay,
  hasFullDate,
  matchesFormat,
  normalizeDateWords,
  parseDateTime,
  readDateText,
  TIME_FORMAT,
  formatDateTime,
} from '../../../../nodes/records/fields/dateTimeText';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

test('the formats are those of the service', () => {
  const moment = DateTime.fromISO('2025-03-01T04:05:06Z', { zone: 'utc' });
  expect([DATE_FORMAT, TIME_FORMAT, DATE_TIME_FORMAT].map((format) => moment.toFormat(format))).toEqual([
    '2025-03-01',
    '04:05:06',
    '2025-03-01 04:05:06',
  ]);
});

describe('a date in words', () => {
  test.each([
    ['March 31, 2025', '2025-03-31'],
    ['March 1, 2025', '2025-03-01'],
    ['Mar 31, 2025', '2025-03-31'],
    ['Mar. 31, 2025', '2025-03-31'],
    ['March 31 2025', '2025-03-31'],
    ['Mar 31 2025', '2025-03-31'],
    ['31 March 2025', '2025-03-31'],
    ['1 September 2025', '2025-09-01'],
    ['31 Mar 2025', '2025-03-31'],
    ['31. Mar. 2025', '2025-03-31'],
    ['\t31 MARCH 2025  ', '2025-03-31'],
    ['  march 31, 2025\n', '2025-03-31'],
    ['1 May 2025', '2025-05-01'],
  ])('%j is %s', (text, day) => expect(normalizeDateWords(text)).toBe(day));

  test.each([
    ['31 March 2025 10:00'],
    ['on 31 March 2025'],
    ['31 Foo 2025'],
    ['31 February 2025'],
    ['March 2025'],
    ['31 March 25'],
    ['311 March 2025'],
    ['2025-03-31'],
    [''],
    [20250331],
    [null],
    [['31 March 2025']],
  ])('%j stays as it is', (value) => expect(normalizeDateWords(value)).toBe(value));

  test('is English in any language of the system', () => {
    const { defaultLocale } = Settings;
    Settings.defaultLocale = 'de';
    try {
      expect(normalizeDateWords('31 May 2025')).toBe('2025-05-31');
    } finally {
      Settings.defaultLocale = defaultLocale;
    }
  });
});

test.each([
  ['2025-03-31 10:00:00', '2025-03-31T10:00:00.000+02:00'],
  ['2025-03-31', '2025-03-31T00:00:00.000+02:00'],
  ['2025-03-31T08:00:00Z', '2025-03-31T10:00:00.000+02:00'],
  [' 2025-03-31T08:00-05:00 ', '2025-03-31T15:00:00.000+02:00'],
  [new Date('2025-03-31T08:00:00Z'), '2025-03-31T10:00:00.000+02:00'],
  [DateTime.fromISO('2025-03-31T08:00:00Z', { zone: 'utc' }), '2025-03-31T10:00:00.000+02:00'],
  // A date of another copy of Luxon.
  [{ toISO: () => '2025-03-31T08:00:00Z' }, '2025-03-31T10:00:00.000+02:00'],
])('in Berlin, %j is %s', (value, expected) => {
  expect(parseDateTime(value, BERLIN)?.toISO()).toBe(expected);
});

test.each([
  ['soon'],
  [''],
  [new Date('soon')],
  [DateTime.invalid('soon')],
  [{ toISO: () => null }],
  [{ toISO: '2025-03-31' }],
  [{}],
  [[]],
  [1743408000000],
  [null],
  [undefined],
])('%j is no moment', (value) => expect(parseDateTime(value, BERLIN)).toBeUndefined());

test.each<[unknown, string, boolean]>([
  ['2025-03-31', DATE_FORMAT, true],
  ['2025-02-30', DATE_FORMAT, false],
  ['2025-3-31', DATE_FORMAT, false],
  ['02:30:00', TIME_FORMAT, true],
  ['2:30:00', TIME_FORMAT, false],
  ['2025-03-30 02:30:00', DATE_TIME_FORMAT, true],
  ['2025-03-30', DATE_TIME_FORMAT, false],
  [null, DATE_FORMAT, false],
  [20250331, DATE_FORMAT, false],
  [[...'2025-03-31'], DATE_FORMAT, false],
])('%j has the format %s: %p', (value, format, expected) =>
  expect(matchesFormat(value, format)).toBe(expected),
);

test.each<[unknown, boolean]>([
  ['2025-03-31', true],
  [' 2025-03-31T10:00', true],
  ['20250331', true],
  ['20250331 ', true],
  ['20250331T1000', true],
  ['202503311', false],
  ['20250331x', false],
  ['at 2025-03-31', false],
  ['2025-03', false],
  ['1430', false],
  ['12', false],
  [new Date(0), true],
])('%j has year, month and day: %p', (value, expected) => expect(hasFullDate(value)).toBe(expected));

/** Databases, spreadsheets and JSON write a date without a time as midnight in UTC, or in their own zone. */
test.each<[unknown, string | undefined]>([
  ['2025-03-31T00:00:00Z', '2025-03-31'],
  ['2025-03-31t00:00:00z', '2025-03-31'],
  ['2025-03-31T00:00:00.000Z', '2025-03-31'],
  ['2025-03-31 00:00:00.0+00:00', '2025-03-31'],
  ['2025-03-31 00:00 +0000', '2025-03-31'],
  ['  2025-03-31T00:00-00  ', '2025-03-31'],
  [new Date('2025-03-31T00:00:00Z'), '2025-03-31'],
  ['2025-03-31T00:00:00', undefined],
  ['2025-03-31T00:00:01Z', undefined],
  ['2025-03-31T00:00:00.5Z', undefined],
  ['2025-03-31T00:00:00+01:00', '2025-03-31'],
  ['2025-03-31T00:00:00.000-0530', '2025-03-31'],
  ['2025-02-30T00:00:00Z', undefined],
  ['2025-03-31T01:00:00+01:00', undefined],
  ['2025-03-31T00:00:00Z[UTC]', undefined],
  ['from 2025-03-31T00:00:00Z', undefined],
  ['2025-03-31', undefined],
  [new Date('2025-03-31T00:00:00.001Z'), undefined],
  [new Date('soon'), undefined],
  [['2025-03-31T00:00:00Z'], undefined],
  [null, undefined],
  [DateTime.fromISO('2025-03-31', { zone: 'utc' }), '2025-03-31'],
  [DateTime.fromISO('2025-03-31', { zone: 'America/New_York' }), '2025-03-31'],
  [DateTime.invalid('unknown'), undefined],
])('the day of %j is %s', (value, day) => expect(findMidnightDay(value)).toBe(day));

test.each<[unknown, string, string, string | undefined]>([
  ['2025-03-31', DATE_FORMAT, NEW_YORK, '2025-03-31'],
  ['2025-03-31T00:00:00Z', DATE_FORMAT, NEW_YORK, '2025-03-31'],
  [new Date('2025-03-31T00:00:00Z'), DATE_FORMAT, NEW_YORK, '2025-03-31'],
  ['2025-02-30T00:00:00Z', DATE_FORMAT, NEW_YORK, undefined],
  ['2025-03-31T00:00:00+02:00', DATE_FORMAT, NEW_YORK, '2025-03-31'],
  ['2025-03-31T00:00:01Z', DATE_FORMAT, NEW_YORK, '2025-03-30'],
  ['20250331', DATE_FORMAT, BERLIN, '2025-03-31'],
  ['1430', DATE_FORMAT, BERLIN, undefined],
  ['2025-03', DATE_FORMAT, BERLIN, undefined],
  ['2025-03-31 or so', DATE_FORMAT, BERLIN, undefined],
  // With a time, midnight in UTC is a moment like any other.
  ['2025-03-31T00:00:00Z', DATE_TIME_FORMAT, NEW_YORK, '2025-03-30 20:00:00'],
  ['2025-03-31', DATE_TIME_FORMAT, BERLIN, '2025-03-31 00:00:00'],
  // Clocks in Berlin skip this time. The service stores no time zone, so the text stays as it is.
  ['2025-03-30 02:30:00', DATE_TIME_FORMAT, BERLIN, '2025-03-30 02:30:00'],
  ['14:30', TIME_FORMAT, BERLIN, '14:30:00'],
  ['9:05', TIME_FORMAT, BERLIN, '09:05:00'],
  ['  \t14:30', TIME_FORMAT, BERLIN, '14:30:00'],
  ['2025-03-31T14:30:00Z', TIME_FORMAT, BERLIN, '16:30:00'],
  ['2025-03-31 14:30', TIME_FORMAT, BERLIN, '14:30:00'],
  ['2025-03-31', TIME_FORMAT, BERLIN, undefined],
  ['1430', TIME_FORMAT, BERLIN, undefined],
  ['20+02:00', TIME_FORMAT, BERLIN, undefined],
  ['25:00', TIME_FORMAT, BERLIN, undefined],
  [null, DATE_FORMAT, BERLIN, undefined],
])('%j is sent in the format %s, from %s, as %p', (value, format, zone, expected) => {
  expect(formatDateTime(value, format, zone)).toBe(expected);
});

test.each<[unknown, string, string | undefined]>([
  ['2025-03-31', DATE_FORMAT, '2025-03-31'],
  // The service stores no time zone: an offset in its text has no meaning.
  ['2025-03-31T20:00:00-05:00', DATE_FORMAT, '2025-03-31'],
  ['2025-03-31T20:00:00-05:00', DATE_TIME_FORMAT, '2025-03-31 20:00:00'],
  ['2025-03-31T20:00:00-05:00', TIME_FORMAT, '20:00:00'],
  ['2025-03-31', DATE_TIME_FORMAT, '2025-03-31 00:00:00'],
  ['9:05', TIME_FORMAT, '09:05:00'],
  [new Date('2025-03-31T20:00:00Z'), DATE_TIME_FORMAT, '2025-03-31 20:00:00'],
  [DateTime.fromISO('2025-03-31T20:00:00-05:00'), DATE_TIME_FORMAT, '2025-04-01 01:00:00'],
  ['12', DATE_FORMAT, undefined],
  ['1430', TIME_FORMAT, undefined],
  ['2025-03-31 or so', DATE_FORMAT, undefined],
  [20250331, DATE_FORMAT, undefined],
  [null, DATE_FORMAT, undefined],
])('%j from the service, in the format %s, is %p', (value, format, expected) => {
  expect(readDateText(value, format)).toBe(expected);
});
