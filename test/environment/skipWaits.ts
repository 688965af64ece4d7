/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */

/** Milliseconds of real time between two steps of the clock. */
const STEP_MS = 2;
/** Milliseconds by which a step moves the clock of a process that waits. */
const SKIPPED_MS = 50;
/** The same for a process that has waited for `LONG_WAIT_STEPS`, such as for the end of a minute. */
const LONG_SKIPPED_MS = 200;
const LONG_WAIT_STEPS = 10;
/** A process that computes for a larger share of a step does not wait. */
const MAX_BUSY = 0.5;

const REAL = [
  'hrtime',
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'performance',
] as const;

const { Intl, setTimeout } = globalThis;
const { timeout } = AbortSignal;
const { bigint: readNanoseconds } = process.hrtime;
/** Milliseconds since an arbitrary time, also while a later test file fakes `hrtime`. */
const readRealClock = () => Number(readNanoseconds()) / 1e6;

/** `AbortSignal.timeout` with a timer that the clock moves. */
function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const late = () =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  globalThis.setTimeout(late, ms);
  return controller.signal;
}

/**
 * Shortens the waits of a test file, or of a `describe`. Timers, deadlines, dates and `performance.now()` follow a clock
 * that runs as usual while the process computes, 25 times as fast while it waits, and 100 times as fast after
 * `LONG_WAIT_STEPS`. So a slow machine changes no outcome: only pauses become shorter, not the time that work may take.
 * Pauses of the embedded service stay as they are.
 */
export function skipWaits(): void {
  let isRunning = true;

  function step(waited = 0, from = readRealClock(), usage = performance.eventLoopUtilization()) {
    setTimeout(() => {
      if (!isRunning) return;
      const elapsed = readRealClock() - from;
      const isBusy = performance.eventLoopUtilization(usage).utilization > MAX_BUSY;
      const skipped = waited < LONG_WAIT_STEPS ? SKIPPED_MS : LONG_SKIPPED_MS;
      jest.advanceTimersByTime(isBusy ? elapsed : Math.max(elapsed, skipped));
      step(isBusy ? 0 : waited + 1);
    }, STEP_MS);
  }

  beforeAll(() => {
    const start = performance.now();
    jest.useFakeTimers({ doNotFake: [...REAL] });
    // Jest's own is slow, and differs only for a format without a date.
    globalThis.Intl = Intl;
    AbortSignal.timeout = abortAfter;
    const offset = start - Date.now();
    performance.now = () => offset + Date.now();
    step();
  });

  afterAll(() => {
    isRunning = false;
    const end = performance.now();
    // A timer that is left keeps what it would call.
    jest.clearAllTimers();
    jest.useRealTimers();
    // Jest restores all spies once more at the end of a file. A spy on `AbortSignal.timeout` would put `abortAfter` back.
    jest.restoreAllMocks();
    AbortSignal.timeout = timeout;
    // The package keeps such times from one test file to the next, so the clock of the process must not go back.
    const ahead = end - readRealClock();
    performance.now = () => ahead + readRealClock();
  });
}
