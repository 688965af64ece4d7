import { sleepUnlessAborted } from './concurrency/sleep';

/** Times are in milliseconds. */
export interface PollOptions<T> {
  /** Checks once. Undefined means "not yet". */
  check(): Promise<T | undefined>;
  signal?: AbortSignal;
  timeoutMs: number;
}

export type PollResult<T> = { kind: 'seen'; value: T } | { kind: 'timeout' } | { kind: 'cancelled' };

const INITIAL_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 15_000;
const INTERVAL_GROWTH = 1.5;

/**
 * Calls `check` at growing intervals until it returns a value, `timeoutMs` has passed, or the signal is
 * aborted.
 */
export async function poll<T>({ check, signal, timeoutMs }: PollOptions<T>): Promise<PollResult<T>> {
  const end = performance.now() + timeoutMs;
  for (let wait = INITIAL_INTERVAL_MS; ; wait = Math.min(MAX_INTERVAL_MS, wait * INTERVAL_GROWTH)) {
    const left = end - performance.now();
    await sleepUnlessAborted(Math.min(wait, Math.max(0, left)), signal);
    if (signal?.aborted) return { kind: 'cancelled' };
    const value = await check();
    if (value !== undefined) return { kind: 'seen', value };
    if (performance.now() >= end) return { kind: 'timeout' };
  }
}
