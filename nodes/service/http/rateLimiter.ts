/** The rate limit of an API key, which all calls of this process share. */
import { pull } from 'lodash';
import { type Clock, onAbort } from '../concurrency/wait';
import { AbortedError, DailyLimitError } from '../errors/apiError';
import { memory } from '../memory/memory';
import type { Credential } from './credential';
import { MinuteWindow, type Permit, type Quota, type RateLimitInfo } from './minuteWindow';
import type { Lane } from './port';

/** How a call waits for the rate limit. */
interface Admission {
  lane?: Lane;
  /** The execution or poll that the call belongs to. The normal calls of several executions take turns. */
  execution?: object;
  signal?: AbortSignal;
}

interface WaitingCall {
  arrivedAt: number;
  lane: Lane;
  execution: object;
  admit(permit: Permit): void;
  refuse(error: Error): void;
}

/**
 * Maximum number of urgent calls in a row while normal calls may be sent. With many deliveries at once, executions
 * still send one of five calls, at least until they have sent a tenth of the limit.
 */
const MAX_URGENT_IN_A_ROW = 4;

/** Waiting calls: urgent ones in order of arrival, and those of each execution, which take turns. */
class WaitingCalls {
  private readonly urgent: WaitingCall[] = [];
  /** The normal calls by execution. The next turn is that of the first entry. */
  private readonly normal = new Map<object, WaitingCall[]>();
  private urgentInARow = 0;

  get isEmpty(): boolean {
    return this.urgent.length === 0 && this.normal.size === 0;
  }

  add(waiter: WaitingCall): void {
    const others = waiter.lane === 'urgent' ? this.urgent : this.normal.get(waiter.execution);
    if (others) others.push(waiter);
    else this.normal.set(waiter.execution, [waiter]);
  }

  /** Returns the first call of each execution in turn, with the first urgent call before or after them. */
  listNext(): WaitingCall[] {
    const normal = [...this.normal.values()].map(([first]) => first as WaitingCall);
    const urgent = this.urgent.slice(0, 1);
    return this.urgentInARow < MAX_URGENT_IN_A_ROW ? [...urgent, ...normal] : [...normal, ...urgent];
  }

  /** Removes a call that is sent. The next turn is that of another execution. */
  take(waiter: WaitingCall): void {
    this.remove(waiter);
    if (waiter.lane === 'urgent') {
      this.urgentInARow = this.normal.size > 0 ? this.urgentInARow + 1 : 0;
      return;
    }
    this.urgentInARow = 0;
    const others = this.normal.get(waiter.execution);
    if (!others) return;
    this.normal.delete(waiter.execution);
    this.normal.set(waiter.execution, others);
  }

  /** Removes a call that is not sent. */
  remove(waiter: WaitingCall): void {
    const calls = waiter.lane === 'urgent' ? this.urgent : (this.normal.get(waiter.execution) ?? []);
    pull(calls, waiter);
    if (waiter.lane === 'normal' && calls.length === 0) this.normal.delete(waiter.execution);
  }

  /** Removes all calls, and returns them. */
  removeAll(): WaitingCall[] {
    const all = [...this.urgent.splice(0), ...[...this.normal.values()].flat()];
    this.normal.clear();
    return all;
  }
}

/**
 * Milliseconds after which calls are sent again to see whether the daily limit still applies, because the plan may have
 * changed.
 */
const DAILY_LIMIT_RECHECK_MS = 60_000;

/**
 * Limits the requests of one API key to the quota in the response headers. The calls of all executions wait here
 * together, so that they do not exceed the limit together.
 *
 * Urgent calls are sent before the others. A tenth of the limit is kept for them, and a second tenth for executions that
 * have sent less than a tenth of the limit in this window, so that a short run does not wait for the next window behind a
 * long one. Both parts shrink with the remaining time of the window, so that the whole limit can be used.
 */
export class RateLimiter {
  private readonly minuteWindow = new MinuteWindow();
  /**
   * Set while the daily limit is used up. Calls before `until` are refused. Later ones show whether the limit still applies.
   * All times are milliseconds of `clock`.
   */
  private dailyLimit?: { until: number; resetAt: number };
  private readonly waiting = new WaitingCalls();
  /** The number of calls that each execution has sent in one window. */
  private readonly sentCalls = new WeakMap<object, { window: number; count: number }>();
  /** When the timer fires that admits waiting calls again. */
  private nextAdmissionAt = Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whether no call runs, and the quota of the last calls no longer applies, so that no call has to wait. */
  get isIdle(): boolean {
    const now = this.clock.now();
    const isDayOver = !this.dailyLimit || now >= this.dailyLimit.resetAt;
    return isDayOver && this.minuteWindow.isOver(now);
  }

  /**
   * Waits until a call may be sent. Call `release` after each one, also after an error.
   * @throws DailyLimitError at once if the daily limit is used up; AbortedError after an abort
   */
  acquire({ lane = 'normal', execution = this, signal }: Admission = {}): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting.remove(waiter);
        reject(new AbortedError());
      };
      const withCleanup = <T>(callback: (value: T) => void) => {
        return (value: T) => {
          removeAbort();
          callback(value);
        };
      };
      const waiter: WaitingCall = {
        arrivedAt: this.clock.now(),
        lane,
        execution,
        admit: withCleanup(resolve),
        refuse: withCleanup(reject),
      };
      if (signal?.aborted) return abort();
      const removeAbort = onAbort(signal, abort);
      this.waiting.add(waiter);
      this.admitCalls();
    });
  }

  /** Ends a call. `limits` are those of the response; undefined after a network error. */
  release(permit: Permit, limits?: RateLimitInfo): void {
    if (limits?.day) this.updateDailyLimit(limits.day);
    this.minuteWindow.release(permit, this.clock.now(), limits?.minute);
    this.admitCalls();
  }

  private updateDailyLimit({ remaining, resetsInSeconds }: Quota): void {
    const now = this.clock.now();
    const resetAt = now + resetsInSeconds * 1000;
    const until = Math.min(resetAt, now + DAILY_LIMIT_RECHECK_MS);
    this.dailyLimit = remaining > 0 ? undefined : { until, resetAt };
  }

  /** Admits waiting calls, as long as the quota allows it. */
  private admitCalls(): void {
    const now = this.clock.now();
    if (this.dailyLimit && now < this.dailyLimit.until) {
      const error = new DailyLimitError((this.dailyLimit.resetAt - now) / 1000);
      for (const { refuse } of this.waiting.removeAll()) refuse(error);
    }
    while (!this.waiting.isEmpty) {
      const next = this.waiting
        .listNext()
        .map((waiter) => ({ waiter, opensAt: this.getOpenTime(waiter, now) }));
      const open = next.find(({ opensAt }) => opensAt <= now);
      if (!open) return this.scheduleAdmission(Math.min(...next.map(({ opensAt }) => opensAt)));
      this.waiting.take(open.waiter);
      this.recordCall(open.waiter);
      open.waiter.admit(this.minuteWindow.acquire(now, open.waiter.arrivedAt));
    }
  }

  /** Earliest time to send a call. */
  private getOpenTime({ lane, execution }: WaitingCall, now: number): number {
    const hasSentMuch = this.countSent(execution) >= this.minuteWindow.tenth;
    const tenths = lane === 'urgent' ? 0 : hasSentMuch ? 2 : 1;
    return this.minuteWindow.getOpenTime(now, tenths);
  }

  /** Number of calls that an execution has sent in the current window. */
  private countSent(execution: object): number {
    const sent = this.sentCalls.get(execution);
    return sent?.window === this.minuteWindow.number ? sent.count : 0;
  }

  private recordCall({ execution }: WaitingCall): void {
    const count = this.countSent(execution) + 1;
    this.sentCalls.set(execution, { window: this.minuteWindow.number, count });
  }

  /** Calls `admitCalls` at a later time. One timer is enough, because it checks all waiting calls. */
  private scheduleAdmission(at: number): void {
    if (this.nextAdmissionAt <= at) return;
    this.nextAdmissionAt = at;
    void this.clock.sleep(at - this.clock.now()).then(() => {
      if (this.nextAdmissionAt === at) this.nextAdmissionAt = Infinity;
      this.admitCalls();
    });
  }
}

/** All nodes of the process share it. */
const rateLimiters = memory.store<RateLimiter, 'key'>('rateLimiters', {
  per: 'key',
  holds: 'the requests that a key may make',
  max: 200,
  isInUse: (rateLimiter) => !rateLimiter.isIdle,
});

export const getRateLimiter = (credential: Credential, clock: Clock): RateLimiter =>
  rateLimiters.getOrCreate({ credential }, [], () => new RateLimiter(clock));
