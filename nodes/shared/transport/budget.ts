/** Rate-limit headers of one answer, in seconds and counts (spec: Limits, rule 3). */
export interface Announced {
  limit: number;
  remaining: number;
  /** Relative; the server's clock is never used. */
  resetsInSeconds: number;
}

const MINUTE = 60_000;

/** Reads one announcement from lower-case headers; undefined where the service sent none. */
export function announced(headers: Record<string, string>): Announced | undefined {
  const [limit, remaining, resetsInSeconds] = [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-retry-after',
  ].map((name) => (headers[name] === undefined ? NaN : Number(headers[name]))) as [number, number, number];
  if ([limit, remaining].some(Number.isNaN)) return undefined;
  return {
    limit,
    remaining,
    resetsInSeconds: Number.isNaN(resetsInSeconds) ? MINUTE / 1000 : resetsInSeconds,
  };
}

/** What the budget needs of its surroundings; tests give it their own clock. */
export interface Clock {
  /** Milliseconds, monotonic enough for waits. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/**
 * Requests that one API key may still make in the current window, learned from the answers. A call
 * reserves its place before it is sent, so parallel callers never overshoot together. At the start of a
 * window a single call goes ahead and learns what is left: other clients may use the same key.
 */
export class Budget {
  private limit?: number;
  private remaining = 1;
  private resetAt = 0;
  private inFlight = 0;
  private probing = false;
  private waiters: Array<() => void> = [];

  constructor(private readonly clock: Clock) {}

  /** How many calls may be on their way at once; fewer near the end, where others may take the last ones. */
  private get room(): number {
    const left = this.remaining - this.inFlight;
    const share = Math.ceil(this.remaining / 4);
    return Math.min(left, share - this.inFlight);
  }

  /** Waits until one more call fits, and takes its place. Follow with `settle` in every case. */
  async reserve(): Promise<void> {
    for (;;) {
      const wait = this.resetAt - this.clock.now();
      if (this.limit === undefined || wait <= 0) {
        if (!this.probing) {
          this.probing = true;
          this.inFlight++;
          return;
        }
        await this.turn();
      } else if (!this.probing && this.room > 0) {
        this.inFlight++;
        return;
      } else if (this.inFlight > 0) {
        await this.turn();
      } else {
        // Up to a tenth of the wait, at most half a second: clients that share a key wake apart.
        await this.clock.sleep(wait + this.clock.random() * Math.min(wait / 10, 500));
      }
    }
  }

  /** Ends a reservation with what its answer announced, or nothing after a fault. */
  settle(answer?: Announced): void {
    this.inFlight--;
    const now = this.clock.now();
    if (answer) {
      const reset = now + answer.resetsInSeconds * 1000;
      const sameWindow = this.limit !== undefined && now < this.resetAt && !this.probing;
      // Answers arrive in any order: in one window the smaller number is the newer one.
      this.remaining = sameWindow ? Math.min(this.remaining, answer.remaining) : answer.remaining;
      // Whole seconds are announced; the latest moment seen is nearest to the true reset.
      this.resetAt = sameWindow ? Math.max(this.resetAt, reset) : reset;
      this.limit = answer.limit;
    } else if (this.limit !== undefined) {
      this.remaining = Math.max(0, this.remaining - 1);
    }
    this.probing = false;
    this.wake();
  }

  /** A 429 for the minute: nothing is left until the reset, whatever was thought before. */
  exhausted(resetsInSeconds: number): void {
    this.limit ??= 1;
    this.remaining = 0;
    this.resetAt = this.clock.now() + resetsInSeconds * 1000;
  }

  private turn(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private wake(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const resume of waiters) resume();
  }
}
