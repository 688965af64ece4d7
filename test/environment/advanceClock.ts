/** Sets the clock of the process ahead, so that a test need not wait until the package forgets what it has read. */

const readClock = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Moves `performance.now()` ahead by `ms` for the rest of the process. It never goes back: n8n's engine and the built package are
 * shared by the test files of a process. What the package read in a future that is taken back would not expire in later
 * tests, and its rate limiter would wait.
 */
export function advanceClock(ms: number): void {
  aheadMs += ms;
  performance.now = () => readClock() + aheadMs;
}
