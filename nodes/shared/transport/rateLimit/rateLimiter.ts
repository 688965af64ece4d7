import { onAbort } from '../concurrency/onAbort';
import { AbortedError, DailyLimitError } from '../errors/clientErrors';
import { MinuteWindow, type Permit } from './minuteWindow';
import type { Quota, RateLimitInfo } from './parseRateLimitHeaders';

/** Time and random numbers. Tests replace them. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

interface Waiter {
  since: number;
  admit(permit: Permit): void;
  refuse(error: Error): void;
}

/**
 * Milliseconds after which one call checks whether the daily limit still applies, because the plan may have
 * changed.
 */
const DAILY_LIMIT_RECHECK_MS = 60_000;

/** Maximum milliseconds for which other calls wait for the response to the call that checks the daily limit. */
const DAILY_PROBE_TIMEOUT_MS = 2_000;

/**
 * Limits the requests of one API key to the quota in the response headers. Calls of all executions wait in
 * one queue, first come, first served, so that parallel callers do not exceed the limit together.
 */
export class RateLimiter {
  private readonly minuteWindow: MinuteWindow;
  private dailyLimit?: { until: number; resetAt: number; askedAt: number };
  private queue: Waiter[] = [];
  private wakeAt = Infinity;

  constructor(private readonly clock: Clock) {
    this.minuteWindow = new MinuteWindow(() => clock.random());
  }

  /** Whether no call waits or runs, and the quota of the last calls no longer applies. */
  get isIdle(): boolean {
    const now = this.clock.now();
    const isDayOver = !this.dailyLimit || now >= this.dailyLimit.resetAt;
    return this.queue.length === 0 && isDayOver && this.minuteWindow.isOver(now);
  }

  /**
   * Waits until a call may be sent. Call `release` after each one, also after an error.
   * @throws DailyLimitError at once if the daily limit is used up; AbortedError after an abort
   */
  acquire(signal?: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.queue = this.queue.filter((other) => other !== waiter);
        reject(new AbortedError());
      };
      const withCleanup = <T>(callback: (value: T) => void) => {
        return (value: T) => {
          removeAbort();
          callback(value);
        };
      };
      const waiter = { since: this.clock.now(), admit: withCleanup(resolve), refuse: withCleanup(reject) };
      if (signal?.aborted) return abort();
      const removeAbort = onAbort(signal, abort);
      this.queue.push(waiter);
      this.drain();
    });
  }

  /** Ends a call. `limits` are those of the response; undefined after a network error. */
  release(permit: Permit, limits?: RateLimitInfo): void {
    if (limits?.day) this.updateDailyLimit(limits.day);
    else if (this.dailyLimit?.askedAt === permit.sentAt) {
      // A response without a daily quota means that the limit no longer applies. After a network error, the
      // next call checks again.
      if (limits) this.dailyLimit = undefined;
      else this.dailyLimit.askedAt = -Infinity;
    }
    this.minuteWindow.release(permit, this.clock.now(), limits && (limits.minute ?? null));
    this.drain();
  }

  private updateDailyLimit({ remaining, resetsInSeconds }: Quota): void {
    const now = this.clock.now();
    const resetAt = now + resetsInSeconds * 1000;
    const until = Math.min(resetAt, now + DAILY_LIMIT_RECHECK_MS);
    this.dailyLimit = remaining > 0 ? undefined : { until, resetAt, askedAt: -Infinity };
  }

  /** Admits waiting calls in order, as long as the quota allows it. */
  private drain(): void {
    const now = this.clock.now();
    if (this.dailyLimit && now < this.dailyLimit.until) {
      const error = new DailyLimitError((this.dailyLimit.resetAt - now) / 1000);
      for (const { refuse } of this.queue.splice(0)) refuse(error);
    }
    while (this.queue.length > 0) {
      const opensAt = Math.max(
        this.minuteWindow.getOpenTime(now),
        this.dailyLimit ? this.dailyLimit.askedAt + DAILY_PROBE_TIMEOUT_MS : 0,
      );
      if (opensAt > now) return this.scheduleDrain(opensAt);
      const { since, admit } = this.queue.shift() as Waiter;
      if (this.dailyLimit) this.dailyLimit.askedAt = now;
      admit(this.minuteWindow.acquire(now, since));
    }
  }

  /** Schedules the next `drain`. One timer is enough, because `drain` checks all waiting calls. */
  private scheduleDrain(at: number): void {
    if (this.wakeAt <= at) return;
    this.wakeAt = at;
    void this.clock.sleep(at - this.clock.now()).then(() => {
      if (this.wakeAt === at) this.wakeAt = Infinity;
      this.drain();
    });
  }
}
