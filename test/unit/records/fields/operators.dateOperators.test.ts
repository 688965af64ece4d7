import { DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT } from '../../../../nodes/records/fields/dateTimeText';
import { createDateOperators } from '../../../../nodes/records/fields/operators';
import { TOKYO, listMatching } from './fieldTools';

const BEFORE = ['is not', 'is before', 'is on or before'];
const EQUAL = ['is', 'is on or before', 'is on or after'];
const AFTER = ['is not', 'is after', 'is on or after'];

/** Today is 2025-06-15, 5:00 (see `TOKYO`). A date without a time is compared with the current time as midnight. */
test.each([
  [DATE_FORMAT, '2025-06-14', '2025-06-15', [...BEFORE, 'is before today', 'is before current time']],
  [DATE_FORMAT, '2025-06-15', '2025-06-15', [...EQUAL, 'is before current time']],
  [DATE_FORMAT, '2025-06-16', '2025-06-15', [...AFTER, 'is after today', 'is after current time']],
  [
    DATE_TIME_FORMAT,
    '2025-06-14 23:59:59',
    '2025-06-15 00:00:00',
    [...BEFORE, 'is before today', 'is before current time'],
  ],
  [DATE_TIME_FORMAT, '2025-06-15 04:59:59', '2025-06-15 04:59:59', [...EQUAL, 'is before current time']],
  [DATE_TIME_FORMAT, '2025-06-15 05:00:00', '2025-06-15 05:00:00', EQUAL],
  [DATE_TIME_FORMAT, '2025-06-15 05:00:01', '2025-06-15 05:00:00', [...AFTER, 'is after current time']],
  [
    DATE_TIME_FORMAT,
    '2025-06-16 00:00:00',
    '2025-06-15 00:00:00',
    [...AFTER, 'is after today', 'is after current time'],
  ],
  [TIME_FORMAT, '04:59:59', '05:00:00', [...BEFORE, 'is before current time']],
  [TIME_FORMAT, '05:00:00', '05:00:00', EQUAL],
  [TIME_FORMAT, '05:00:01', '05:00:00', [...AFTER, 'is after current time']],
])('%s: %s compared with %s', (format, value, val, names) => {
  expect(listMatching(createDateOperators(format), value, val)).toEqual([...names, 'is not blank']);
});

test('at midnight, a date of today is neither before nor after the current time', () => {
  const midnight = { ...TOKYO, now: new Date('2025-06-14T15:00:00Z') };
  expect(listMatching(createDateOperators(DATE_FORMAT), '2025-06-15', '2025-06-15', midnight)).toEqual([
    ...EQUAL,
    'is not blank',
  ]);
});

test.each([DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT])('%s: an empty value is not compared', (format) => {
  for (const value of [null, ''])
    expect(listMatching(createDateOperators(format), value, '')).toEqual(['is not', 'is blank']);
});

test('an unreadable value is neither compared nor blank', () => {
  for (const format of [DATE_FORMAT, DATE_TIME_FORMAT, TIME_FORMAT])
    expect(listMatching(createDateOperators(format), undefined, '05:00:00')).toEqual([
      'is not',
      'is not blank',
    ]);
});

test('only the service can compare a time with today', () => {
  const listEvaluated = (format: string) =>
    createDateOperators(format)
      .filter(({ matches }) => !matches)
      .map(({ name }) => name);
  expect(listEvaluated(TIME_FORMAT)).toEqual(['is before today', 'is after today']);
  expect(listEvaluated(DATE_FORMAT)).toEqual([]);
});
