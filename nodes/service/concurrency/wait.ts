/** Waits that end when an execution is cancelled, and the limit of parallel tasks. */
import { createCancelledError } from '../errors/apiError';
import { memory } from '../memory/memory';

/** An abort ends the wait without an error, so check `signal.aborted` afterwards. The timer of the clock still runs. */
export async function sleepUnlessAborted(ms: number, { clock, signal }: WaitContext): Promise<void> {
  if (signal?.aborted) return;
  await waitUnlessAborted(clock.sleep(ms), signal);
}

export interface Clock {
  /** Milliseconds of `performance.now()`, because `service/memory` compares times with it. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export interface WaitContext {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly signal?: AbortSignal;
}

/** Returns the callbacks of a signal, which share one listener, because Node warns of more than ten listeners. */
const getAbortCallbacks = memory.attach(
  'abortCallbacks',
  { to: 'signal', holds: 'what to call when an execution is cancelled' },
  (signal: AbortSignal) => {
    const callbacks = new Set<() => void>();
    signal.addEventListener('abort', () => callbacks.forEach((callback) => callback()));
    return callbacks;
  },
);

/** @returns a function that removes the callback */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = getAbortCallbacks(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

/** @returns the value of `result`; undefined if the signal is aborted first */
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

/** Milliseconds before each call of `find`: the service may show a new record late. */
const PAUSES_BEFORE_FIND_MS = [0, 500, 1_500];

/** Calls `find` until it returns a value, at most 3 times. @returns undefined after the third call or an abort */
export async function findWithPauses<T>(
  find: () => Promise<T | undefined>,
  waiting: WaitContext,
): Promise<T | undefined> {
  for (const pause of PAUSES_BEFORE_FIND_MS) {
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
 * Runs tasks whose weights, 1 by default, are together at most `capacity`. A task that is heavier than `capacity`
 * runs alone. The other tasks wait in the order of their arrival.
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
      for (const { refuse } of this.waiting.splice(0)) refuse(createCancelledError());
    });
  }

  /** @throws the error of `task`, or an ApiError when the signal is aborted first */
  async runTask<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Waits until a task of this weight may start. @throws ApiError if the signal is aborted first
   * @returns a function to call once, when the task has ended
   */
  async acquire(weight = 1): Promise<() => void> {
    if (this.signal?.aborted) throw createCancelledError();
    // A new caller does not overtake waiting callers.
    if (this.waiting.length === 0 && this.canAdmit(weight)) this.active += weight;
    else await new Promise<void>((admit, refuse) => this.waiting.push({ weight, admit, refuse }));
    return () => this.release(weight);
  }

  /** Adds weight to a task that has started, without waiting: otherwise, two tasks could wait for each other. */
  addWeight(weight: number): () => void {
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
