import {
  countPollsPerDay,
  ensureDailyShare,
} from '../../../../nodes/RecordDatabasePollingTrigger/reading/dailyShare';
import { countSnapshotRequests } from '../../../../nodes/RecordDatabasePollingTrigger/reading/readSnapshot';

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
  [201, 3],
  [500, 4],
  [1000, 7],
  [5000, 31],
])('a snapshot of %d records needs %d requests', (records, requests) => {
  expect(countSnapshotRequests(records)).toBe(requests);
});

test('exactly the maximum share is allowed, one poll more is an error with the numbers', () => {
  const use = { requests: 10, dailyLimit: 10_000, maximumShare: 50 };
  expect(() => ensureDailyShare({ ...use, pollsPerDay: 500 })).not.toThrow();
  expect(() => ensureDailyShare({ ...use, pollsPerDay: 501 })).toThrow(
    'The polls would use 51 % of the 10000 requests that the API key may make in a day: 10 requests for each of 501 polls',
  );
});

test('without a known limit nothing is an error', () => {
  const use = { requests: 31, pollsPerDay: 1440, dailyLimit: undefined, maximumShare: 1 };
  expect(() => ensureDailyShare(use)).not.toThrow();
});
