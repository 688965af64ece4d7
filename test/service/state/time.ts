/** Where the service takes the time from; a test passes its own to make hours pass at once. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

/** `YYYY-MM-DD HH:MM:SS` in UTC, the form of every timestamp in a body (spec: Resources). */
export const timestamp = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Waits that `stop()` can end at once, so that no timer outlives the service. */
export class Timers {
  private readonly waiting = new Map<NodeJS.Timeout, () => void>();

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.delete(timer);
        resolve();
      }, ms);
      this.waiting.set(timer, resolve);
    });
  }

  stop(): void {
    for (const [timer, resolve] of this.waiting) {
      clearTimeout(timer);
      resolve();
    }
    this.waiting.clear();
  }
}
