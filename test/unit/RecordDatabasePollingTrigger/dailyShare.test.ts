import {
  countListRequests,
  countPollsPerDay,
  ensureDailyShare,
} from '../../../nodes/RecordDatabasePollingTrigger/dailyShare';

/** The share of the daily limit that the polls use. The numbers of cron expressions are those of n8n's cron library. */
const custom = (cronExpression: string) => ({ mode: 'custom', cronExpression });
const every = (value: number, unit: string) => ({ mode: 'everyX', value, unit });

test.each([
  [{ mode: 'everyMinute' }, 1440],
  [{ mode: 'everyHour', minute: 5 }, 24],
  [{ mode: 'everyDay', hour: 14, minute: 0 }, 1],
  [{ mode: 'everyWeek', hour: 14, minute: 0, weekday: '1' }, 1 / 7],
  [{ mode: 'everyMonth', hour: 14, minute: 0, dayOfMonth: 1 }, 1 / 30],
  [every(5, 'minutes'), 288],
  [every(45, 'minutes'), 48],
  [every(90, 'minutes'), 24],
  [every(5, 'hours'), 5],
  [custom('* * * * *'), 1440],
  [custom('*/5 * * * *'), 288],
  [custom('0/5 * * * *'), 288],
  [custom('5/15 * * * *'), 96],
  [custom('0-29/10 * * * *'), 72],
  [custom('0 9-17 * * 1-5'), 9],
  [custom('0,30 8-10/2 * * *'), 4],
  [custom('0 */15 * * * *'), 96],
  [custom('*/30 * * * * *'), 2880],
])('%j polls %d times a day', (entry, polls) => {
  expect(countPollsPerDay([entry])).toBeCloseTo(polls, 10);
});

test('the polls of several poll times add up', () => {
  expect(countPollsPerDay([{ mode: 'everyHour', minute: 0 }, every(1, 'hours'), 'invalid'])).toBe(48);
  expect(countPollsPerDay([])).toBe(0);
});

test.each([
  [0, 1],
  [200, 1],
  [201, 2],
  [500, 3],
  [1000, 5],
  [5000, 25],
])('a snapshot of %d records needs %d requests', (records, requests) => {
  expect(countListRequests(records)).toBe(requests);
});

test.each([
  ['@hourly', 24],
  ['@DAILY', 1],
  ['@weekly', 1 / 7],
])('%s polls %d times a day', (name, polls) => {
  expect(countPollsPerDay([custom(name)])).toBe(polls);
});

test('exactly the maximum share is allowed, one poll more is an error with the numbers', () => {
  expect(() => ensureDailyShare({ pollsPerDay: 500, maximumShare: 50 }, 10, 10_000)).not.toThrow();
  expect(() => ensureDailyShare({ pollsPerDay: 501, maximumShare: 50 }, 10, 10_000)).toThrow(
    'The polls would use 51 % of the 10000 requests that the API key may make in a day: 10 requests for each of 501 polls',
  );
});

test('without a known limit, or a known number of polls, nothing is an error', () => {
  expect(() => ensureDailyShare({ pollsPerDay: 1440, maximumShare: 1 }, 31, undefined)).not.toThrow();
  const pollsPerDay = countPollsPerDay([custom('H * * * *'), { mode: 'everyHour' }]);
  expect(pollsPerDay).toBeUndefined();
  expect(() => ensureDailyShare({ pollsPerDay, maximumShare: 1 }, 31, 10_000)).not.toThrow();
});
