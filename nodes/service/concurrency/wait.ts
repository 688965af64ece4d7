/**
 * Waits that end when an execution is cancelled, and the limit of parallel tasks. `sleepUnlessAborted` waits for a
 * time. `Semaphore` admits tasks up to a total weight.
 */
import { AbortedError } from '../errors/apiError';
import { memory } from '../memory/memory';

/**
 * Waits `ms` milliseconds, or until `signal` is aborted. Never rejects; check `signal.aborted` afterwards.
 * The sleep of a clock cannot be ended, so its timer keeps running after an abort, without effect.
 */
export async function sleepUnlessAborted(ms: number, { clock, signal }: WaitContext): Promise<void> {
  if (signal?.aborted) return;
  await waitUnlessAborted(clock.sleep(ms), signal);
}

/** Time and random numbers. */
export interface Clock {
  /** Milliseconds on the scale of `performance.now()`, which `service/memory` uses. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** The clock and the signal that a wait needs. A client has both. */
export interface WaitContext {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
}

/** Returns the callbacks of a signal. They share one listener, because Node warns of more than ten listeners. */
const getCallbacks = memory.attach(
  'abortCallbacks',
  { to: 'signal', holds: 'what to call when an execution is cancelled' },
  (signal: AbortSignal) => {
    const callbacks = new Set<() => void>();
    signal.addEventListener('abort', () => callbacks.forEach((callback) => callback()));
    return callbacks;
  },
);

/**
 * Calls `callback` when `signal` is aborted. The calls of an execution share its signal, and many can wait at once.
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = getCallbacks(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

/** Waits for `result` or for the abort of `signal`, whichever comes first. Undefined after an abort. */
export async function waitUnlessAborted<T>(result: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  if (signal?.aborted) return undefined;
  let wake: (value?: undefined) => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => (wake = resolve));
  const removeWake = onAbort(signal, wake);
  try {
    return await Promise.race([result, aborted]);
  } finally {
    removeWake();
  }
}

/** Pauses before each attempt, in milliseconds. A record may become visible some time after its create. */
const PAUSES_MS = [0, 500, 1_500];

/**
 * Calls `find` until it returns a result, at most 3 times, with a longer pause before each attempt.
 * @returns undefined when nothing is found or `signal` is aborted
 */
export async function findWithPauses<T>(
  find: () => Promise<T | undefined>,
  waiting: WaitContext,
): Promise<T | undefined> {
  for (const pause of PAUSES_MS) {
    await sleepUnlessAborted(pause, waiting);
    if (waiting.signal?.aborted) return undefined;
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}

interface WaitingTask {
  weight: number;
  admit(): void;
  refuse(error: Error): void;
}

/**
 * Admits tasks up to a total weight of `capacity` at once, and at least one task. The other tasks wait in order of arrival.
 * By default, a task weighs 1.
 */
export class Semaphore {
  private waiting: WaitingTask[] = [];
  private active = 0;

  /** @param signal rejects all waiting tasks when aborted */
  constructor(
    public capacity: number,
    private readonly signal?: AbortSignal,
  ) {
    onAbort(signal, () => {
      for (const { refuse } of this.waiting.splice(0)) refuse(new AbortedError());
    });
  }

  /** @throws the error of `task`, or an AbortedError when the signal is aborted first */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Waits until a task of this weight may start.
   * @returns a function to call once, when the task has ended
   * @throws AbortedError when the signal is aborted first
   */
  async acquire(weight = 1): Promise<() => void> {
    if (this.signal?.aborted) throw new AbortedError();
    // A new caller does not overtake waiting callers.
    if (this.waiting.length === 0 && this.canAdmit(weight)) this.active += weight;
    else await new Promise<void>((admit, refuse) => this.waiting.push({ weight, admit, refuse }));
    return () => this.release(weight);
  }

  /** Increases the weight of an admitted task without a wait: two tasks that wait for each other would wait forever. */
  add(weight: number): () => void {
    this.active += weight;
    return () => this.release(weight);
  }

  private canAdmit(weight: number): boolean {
    return this.active === 0 || this.active + weight <= this.capacity;
  }

  private release(weight: number): void {
    this.active -= weight;
    for (let next = this.waiting[0]; next && this.canAdmit(next.weight); next = this.waiting[0]) {
      this.waiting.shift();
      this.active += next.weight;
      next.admit();
    }
  }
}
