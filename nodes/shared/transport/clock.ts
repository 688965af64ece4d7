import { randomInt } from 'node:crypto';
import { sleep } from 'n8n-workflow';
import type { Clock } from './rateLimit/rateLimiter';

/** The real clock and random numbers. Tests replace them. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep,
  random: () => randomInt(1_000_000) / 1_000_000,
};
