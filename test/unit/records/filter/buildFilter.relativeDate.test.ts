import { type RelativeDate, toDateRange } from '../../../../nodes/records/filter/buildFilter';

/** Late on a Sunday in UTC: Monday already in Tokyo, still Sunday in New York. */
const NOW = new Date('2025-06-15T23:30:00Z');
const formatSpan = (relative: RelativeDate, zone: string) =>
  toDateRange(relative, zone, NOW).map((moment) => moment.toFormat('yyyy-MM-dd HH:mm:ss'));
const formatDays = (relative: RelativeDate, zone = 'UTC') =>
  formatSpan(relative, zone).map((moment) => moment.slice(0, 10));

test("today is the whole day in the workflow's time zone", () => {
  expect(formatSpan({ period: 'today' }, 'UTC')).toEqual(['2025-06-15 00:00:00', '2025-06-15 23:59:59']);
  expect(formatSpan({ period: 'today' }, 'Asia/Tokyo')).toEqual([
    '2025-06-16 00:00:00',
    '2025-06-16 23:59:59',
  ]);
  expect(formatDays({ period: 'today' }, 'America/New_York')).toEqual(['2025-06-15', '2025-06-15']);
});

test.each<[RelativeDate, [string, string]]>([
  [{ period: 'yesterday' }, ['2025-06-14', '2025-06-14']],
  [{ period: 'tomorrow' }, ['2025-06-16', '2025-06-16']],
  [{ period: 'last', amount: 7, unit: 'day' }, ['2025-06-09', '2025-06-15']],
  [{ period: 'next', amount: 2, unit: 'week' }, ['2025-06-15', '2025-06-28']],
  [{ period: 'last', amount: 1, unit: 'month' }, ['2025-05-16', '2025-06-15']],
  [{ period: 'this', unit: 'week' }, ['2025-06-09', '2025-06-15']],
  [{ period: 'this', unit: 'month' }, ['2025-06-01', '2025-06-30']],
  [{ period: 'this', unit: 'year' }, ['2025-01-01', '2025-12-31']],
])('%j', (relative, expected) => {
  expect(formatDays(relative)).toEqual(expected);
});

test('a month that is too short ends with its last day', () => {
  const [from] = toDateRange(
    { period: 'last', amount: 1, unit: 'month' },
    'UTC',
    new Date('2025-03-31T12:00:00Z'),
  );
  expect(from.toISODate()).toBe('2025-03-01');
});

test.each<[object, RegExp]>([
  [{}, /^Relative date: the period cannot be undefined$/],
  [{ period: 'Last', amount: 1, unit: 'day' }, /^Relative date: the period cannot be "Last"$/],
  [{ period: 'last', amount: 1 }, /^Relative date: the unit cannot be undefined$/],
  [{ period: 'this', unit: '' }, /^Relative date: the unit cannot be ""$/],
  [{ period: 'next', unit: 'day' }, /^Relative date: the amount cannot be undefined$/],
])('%j is refused', (relative, message) => {
  expect(() => toDateRange(relative as RelativeDate, 'UTC', NOW)).toThrow(message);
});

test('an amount may come as text', () => {
  expect(formatDays({ period: 'last', amount: '7', unit: 'day' })).toEqual(['2025-06-09', '2025-06-15']);
});

test.each([0, -1, 1.5, Number.NaN, 10_001])('an amount of %p is refused', (amount) => {
  expect(() => toDateRange({ period: 'last', amount, unit: 'day' }, 'UTC', NOW)).toThrow(
    expect.objectContaining({
      message: `Relative date: the amount cannot be ${amount}`,
      description: 'Give a whole number from 1 to 10000.',
    }),
  );
});

test('10000 is the largest amount', () => {
  expect(formatDays({ period: 'next', amount: 10_000, unit: 'day' })).toEqual(['2025-06-15', '2052-10-30']);
});
