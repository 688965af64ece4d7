import { systemClock } from '../../../../nodes/n8n/http/port';
/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { poll } from '../../../../nodes/service/jobs/jobState';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

/** The times of the checks in seconds, if the n-th check succeeds. */
async function runPoll(options: { seenAt?: number; limitMs: number; abortAt?: number }) {
  const started = performance.now();
  const looks: number[] = [];
  const controller = new AbortController();
  if (options.abortAt !== undefined) setTimeout(() => controller.abort(), options.abortAt);
  const polled = poll({
    async check() {
      looks.push(Math.round((performance.now() - started) / 100) / 10);
      return looks.length === options.seenAt ? 'there' : undefined;
    },
    waiting: { clock: systemClock, signal: controller.signal },
    timeoutMs: options.limitMs,
  });
  await jest.advanceTimersByTimeAsync(200_000);
  return { result: await polled, looks };
}

test('increases the interval between checks up to 15 seconds', async () => {
  const { result, looks } = await runPoll({ seenAt: 12, limitMs: 300_000 });
  expect(result).toEqual({ kind: 'seen', value: 'there' });
  const gaps = looks.map((at, i) => at - (looks[i - 1] ?? 0));
  expect(gaps[0]).toBeCloseTo(0.5, 1);
  gaps.slice(1).forEach((gap, i) => expect(gap).toBeGreaterThanOrEqual(gaps[i]! - 0.2));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15.3);
});

test('checks once more at the end of the maximum wait, then stops', async () => {
  const { result, looks } = await runPoll({ limitMs: 10_000 });
  expect(result).toEqual({ kind: 'timeout' });
  expect(looks.at(-1)).toBe(10);
});

test('a cancelled execution ends the wait within a quarter of a second, without another check', async () => {
  const { result, looks } = await runPoll({ limitMs: 100_000, abortAt: 30_000 });
  expect(result).toEqual({ kind: 'cancelled' });
  expect(looks.at(-1)).toBeLessThan(30);
});

test('an error of a check ends the poll', async () => {
  const failed = poll({
    check: () => Promise.reject(new Error('gone')),
    waiting: { clock: systemClock },
    timeoutMs: 1000,
  }).catch((error: Error) => error);
  await jest.advanceTimersByTimeAsync(2000);
  expect(await failed).toEqual(new Error('gone'));
});
