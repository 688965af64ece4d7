import { randomInt } from 'node:crypto';
import { sleep } from 'n8n-workflow';

/** Time and random numbers. Tests replace them. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** The real clock and random numbers. Tests replace them. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep,
  random: () => randomInt(1_000_000) / 1_000_000,
};
