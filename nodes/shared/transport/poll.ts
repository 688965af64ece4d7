import { sleep } from 'n8n-workflow';

/** How to wait for something in the service. Times in milliseconds. */
export interface PollPlan<T> {
  /** Looks once; undefined means "not yet". */
  look(): Promise<T | undefined>;
  /** Ends the waiting when the execution is cancelled. */
  signal?: AbortSignal;
  limitMs: number;
}

export type Polled<T> = { kind: 'seen'; value: T } | { kind: 'timeout' } | { kind: 'cancelled' };

/** Half a second at first, then half as long again each time, at most fifteen seconds. */
const FIRST_MS = 500;
const LONGEST_MS = 15_000;
const GROWTH = 1.5;

/** n8n's `sleep` cannot be broken off, so long waits are slept in pieces: a cancelled one ends soon. */
const PIECE_MS = 250;

async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0 && !signal?.aborted; left = until - performance.now()) {
    await sleep(Math.min(left, PIECE_MS));
  }
}

/** Looks until there is something to see, the time is over or the execution is cancelled. */
export async function poll<T>({ look, signal, limitMs }: PollPlan<T>): Promise<Polled<T>> {
  const end = performance.now() + limitMs;
  for (let wait = FIRST_MS; ; wait = Math.min(LONGEST_MS, wait * GROWTH)) {
    const left = end - performance.now();
    await rest(Math.min(wait, Math.max(0, left)), signal);
    if (signal?.aborted) return { kind: 'cancelled' };
    const value = await look();
    if (value !== undefined) return { kind: 'seen', value };
    if (performance.now() >= end) return { kind: 'timeout' };
  }
}
