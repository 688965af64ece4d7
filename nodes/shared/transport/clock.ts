import { randomInt } from 'node:crypto';
import { sleep } from 'n8n-workflow';
import type { Clock } from './budget';

/** Real time and chance; tests give the budget their own. */
export const clock: Clock = {
  now: () => performance.now(),
  sleep,
  random: () => randomInt(1_000_000) / 1_000_000,
};

/** A wait that a cancelled execution does not sit out. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let wake: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (wake = resolve));
  signal?.addEventListener('abort', wake);
  await Promise.race([sleep(ms), aborted]);
  signal?.removeEventListener('abort', wake);
}
