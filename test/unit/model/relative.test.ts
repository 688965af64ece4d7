import { relativeSpan, type Relative } from '../../../nodes/shared/model/filter';

/** Late on a Sunday in UTC: Monday already in Tokyo, still Sunday in New York. */
const NOW = new Date('2025-06-15T23:30:00Z');
const span = (relative: Relative, zone: string) =>
  relativeSpan(relative, zone, NOW).map((moment) => moment.toFormat('yyyy-MM-dd HH:mm:ss'));
const days = (relative: Relative, zone = 'UTC') => span(relative, zone).map((moment) => moment.slice(0, 10));

test('today is the day of the workflow, whole', () => {
  expect(span({ period: 'today' }, 'UTC')).toEqual(['2025-06-15 00:00:00', '2025-06-15 23:59:59']);
  expect(span({ period: 'today' }, 'Asia/Tokyo')).toEqual(['2025-06-16 00:00:00', '2025-06-16 23:59:59']);
  expect(days({ period: 'today' }, 'America/New_York')).toEqual(['2025-06-15', '2025-06-15']);
});

test.each<[Relative, [string, string]]>([
  [{ period: 'yesterday' }, ['2025-06-14', '2025-06-14']],
  [{ period: 'tomorrow' }, ['2025-06-16', '2025-06-16']],
  [{ period: 'last', amount: 7, unit: 'day' }, ['2025-06-08', '2025-06-15']],
  [{ period: 'next', amount: 2, unit: 'week' }, ['2025-06-15', '2025-06-29']],
  [{ period: 'last', amount: 1, unit: 'month' }, ['2025-05-15', '2025-06-15']],
  [{ period: 'this', unit: 'week' }, ['2025-06-09', '2025-06-15']],
  [{ period: 'this', unit: 'month' }, ['2025-06-01', '2025-06-30']],
  [{ period: 'this', unit: 'year' }, ['2025-01-01', '2025-12-31']],
])('%j', (relative, expected) => {
  expect(days(relative)).toEqual(expected);
});

test('a month that is too short ends with its last day', () => {
  const [from] = relativeSpan(
    { period: 'last', amount: 1, unit: 'month' },
    'UTC',
    new Date('2025-03-31T12:00:00Z'),
  );
  expect(from.toISODate()).toBe('2025-02-28');
});

test.each<[object, RegExp]>([
  [{}, /^Relative date: the period cannot be undefined$/],
  [{ period: 'Last', amount: 1, unit: 'day' }, /^Relative date: the period cannot be "Last"$/],
  [{ period: 'last', amount: 1 }, /^Relative date: the unit cannot be undefined$/],
  [{ period: 'this', unit: '' }, /^Relative date: the unit cannot be ""$/],
  [{ period: 'next', unit: 'day' }, /^Relative date: the amount cannot be undefined$/],
])('%j is refused', (relative, message) => {
  expect(() => relativeSpan(relative as Relative, 'UTC', NOW)).toThrow(message);
});

test('an amount may come as text', () => {
  expect(days({ period: 'last', amount: '7', unit: 'day' })).toEqual(['2025-06-08', '2025-06-15']);
});

test.each([0, -1, 1.5, Number.NaN, 20_000])('an amount of %p is refused', (amount) => {
  expect(() => relativeSpan({ period: 'last', amount, unit: 'day' }, 'UTC', NOW)).toThrow(/amount cannot be/);
});
