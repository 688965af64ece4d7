import { onAbort } from './wait';

interface Waiter {
  admit(): void;
  refuse(error: Error): void;
}

/** Runs at most `capacity` tasks at once; the others wait in order of arrival. */
export class Semaphore {
  private waiting: Waiter[] = [];
  private active = 0;

  /** @param signal rejects all waiting tasks when aborted */
  constructor(
    public capacity: number,
    private readonly signal?: AbortSignal,
    private readonly createAbortError = () => new Error('aborted'),
  ) {
    onAbort(signal, () => {
      for (const { refuse } of this.waiting.splice(0)) refuse(this.createAbortError());
    });
  }

  /** @throws the error of `task`, or the one of `createAbortError` when the signal is aborted first */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await task();
    } finally {
      // Pass the place to the next task directly, so that a new caller cannot overtake the queue.
      const next = this.waiting.shift();
      if (next) next.admit();
      else this.active--;
    }
  }

  private async acquire(): Promise<void> {
    if (this.signal?.aborted) throw this.createAbortError();
    if (this.active < this.capacity) this.active++;
    else await new Promise<void>((admit, refuse) => this.waiting.push({ admit, refuse }));
  }
}
