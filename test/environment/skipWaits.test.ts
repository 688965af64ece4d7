/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { skipWaits } from './skipWaits';

const PAUSE_MS = 10_000;

const { bigint: readNanoseconds } = process.hrtime;
const { timeout } = AbortSignal;
const readRealClock = () => Number(readNanoseconds()) / 1e6;
const readClocks = () => [Date.now(), performance.now()] as const;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('waits are skipped', () => {
  skipWaits();

  test('a wait moves all clocks by its length, and takes less', async () => {
    const [date, time] = readClocks();
    const started = readRealClock();
    await wait(PAUSE_MS);
    const [newDate, newTime] = readClocks();
    expect(newDate - date).toBeGreaterThanOrEqual(PAUSE_MS);
    expect(newTime - time).toBeCloseTo(newDate - date, 0);
    expect(readRealClock() - started).toBeLessThan(PAUSE_MS);
  });

  test('timers end in the order of their times', async () => {
    const ended: number[] = [];
    await Promise.all([300, 100, 200].map(async (ms) => ended.push((await wait(ms), ms))));
    expect(ended).toEqual([100, 200, 300]);
  });

  test('a deadline comes at its time, and takes less', async () => {
    const [date] = readClocks();
    const started = readRealClock();
    const signal = AbortSignal.timeout(PAUSE_MS);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
    expect(Date.now() - date).toBeGreaterThanOrEqual(PAUSE_MS);
    expect(readRealClock() - started).toBeLessThan(PAUSE_MS);
  });

  test('the time of computations is not multiplied', async () => {
    await wait(0);
    const [date] = readClocks();
    const started = readRealClock();
    while (readRealClock() - started < 500);
    // The next step of the clock counts the computation.
    await wait(0);
    expect(Date.now() - date).toBeGreaterThanOrEqual(500);
    expect(Date.now() - date).toBeLessThan(5 * (readRealClock() - started));
  });
});

describe('after that', () => {
  let before: number;

  describe('a file that skips waits', () => {
    skipWaits();
    test('is ahead of the real clock', async () => {
      const from = performance.now();
      await wait(PAUSE_MS);
      before = performance.now();
      expect(before - from).toBeGreaterThanOrEqual(PAUSE_MS);
    });
  });

  test('performance.now() does not go back, and dates are real again', () => {
    expect(performance.now()).toBeGreaterThanOrEqual(before);
    expect(Math.abs(Date.now() - (performance.timeOrigin + readRealUptime()))).toBeLessThan(PAUSE_MS / 2);
  });
});

test('afterwards performance.now() goes on in a file that fakes the other clocks', () => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  const from = performance.now();
  const started = readRealClock();
  while (readRealClock() - started < 5);
  expect(performance.now() - from).toBeGreaterThanOrEqual(4);
  jest.useRealTimers();
});

/** Milliseconds since the start of the process. */
const readRealUptime = () => process.uptime() * 1000;

describe('a spy on the deadlines', () => {
  describe('of a file that skips waits', () => {
    skipWaits();
    test('is put back', () => {
      const skipped = AbortSignal.timeout;
      jest.spyOn(AbortSignal, 'timeout').mockRestore();
      expect(AbortSignal.timeout).toBe(skipped);
    });
  });

  test('is not put back once more when Jest restores all spies', () => {
    jest.restoreAllMocks();
    expect(AbortSignal.timeout).toBe(timeout);
  });
});
