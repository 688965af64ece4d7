/** The rate limit of an API key, which all calls of this process share. */
import { partition, pull } from 'lodash';
import { type Clock, onAbort } from '../concurrency/wait';
import { AbortedError, DailyLimitError } from '../errors/apiError';
import { memory } from '../memory/memory';
import type { Credential } from './credential';
import { MinuteWindow, type Permit, type Quota, type RateLimitInfo } from './minuteWindow';
import type { Lane } from './port';

/** The properties of a call that decide how it waits for the rate limit. */
interface AcquireOptions {
  lane?: Lane;
  /** The execution or poll that the call belongs to. The normal calls of several executions take turns. */
  execution?: object;
  signal?: AbortSignal;
}

/** Identifies the queue of the urgent calls. */
const URGENT = {};

/** A call that waits until the rate limit admits it. */
interface WaitingCall {
  arrivedAt: number;
  execution: object;
  /** `URGENT` for an urgent call; otherwise the execution. */
  queue: object;
  admit(permit: Permit): void;
  refuse(error: Error): void;
}

/**
 * Maximum number of urgent calls in a row while normal calls may be sent. With many deliveries at once, executions
 * still send one of five calls, at least until they have sent a tenth of the limit.
 */
const MAX_URGENT_IN_A_ROW = 4;

/** The waiting calls: a queue for the urgent calls, and one for each execution. The executions take turns. */
class WaitingCalls {
  /** The queues in the order of their turns. */
  private readonly queues = new Map<object, WaitingCall[]>();
  private urgentInARow = 0;

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  add(waiter: WaitingCall): void {
    const calls = this.queues.get(waiter.queue);
    if (calls) calls.push(waiter);
    else this.queues.set(waiter.queue, [waiter]);
  }

  /**
   * Lists the calls that may be sent next, the preferred one first: the first call of each execution, in turn. The first
   * urgent call comes before these calls, but after them once `MAX_URGENT_IN_A_ROW` urgent calls were sent in a row.
   */
  listNext(): WaitingCall[] {
    const next = [...this.queues.values()].map(([first]) => first as WaitingCall);
    const [urgent, normal] = partition(next, ({ queue }) => queue === URGENT);
    return this.urgentInARow < MAX_URGENT_IN_A_ROW ? [...urgent, ...normal] : [...normal, ...urgent];
  }

  /** Removes a call that is sent. The next call is taken from another queue. */
  take(waiter: WaitingCall): void {
    const { queue } = waiter;
    this.remove(waiter);
    const others = this.queues.get(queue);
    this.queues.delete(queue);
    this.urgentInARow = queue === URGENT && this.queues.size > 0 ? this.urgentInARow + 1 : 0;
    if (others) this.queues.set(queue, others);
  }

  remove(waiter: WaitingCall): void {
    const calls = this.queues.get(waiter.queue) ?? [];
    pull(calls, waiter);
    if (calls.length === 0) this.queues.delete(waiter.queue);
  }

  removeAll(): WaitingCall[] {
    const all = [...this.queues.values()].flat();
    this.queues.clear();
    return all;
  }
}

/**
 * Milliseconds after which calls are sent again to see whether the daily limit still applies, because the plan may have
 * changed.
 */
const DAILY_LIMIT_RECHECK_MS = 60_000;

/**
 * Limits the requests of one API key to the quota in the response headers. The calls of all executions wait here together,
 * so that they do not exceed the limit together.
 *
 * Urgent calls are sent before the others. A tenth of the limit is kept for urgent calls. A second tenth is kept for
 * executions that have sent less than a tenth of the limit in this window, so that a short run does not wait for the next
 * window behind a long one. Both parts shrink with the remaining time of the window, so that the whole limit can be used.
 */
export class RateLimiter {
  private readonly minuteWindow = new MinuteWindow();
  /**
   * Set while the daily limit is used up. Calls before `until` are refused. Later calls show whether the limit still
   * applies. All times are milliseconds of `clock`.
   */
  private dailyLimit?: { until: number; resetAt: number };
  private readonly waiting = new WaitingCalls();
  /** The number of calls that each execution has sent in one window. */
  private readonly sentCalls = new WeakMap<object, { window: number; count: number }>();
  /** When the timer admits waiting calls again; Infinity without a timer. */
  private nextAdmissionAt = Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whether no call runs, and the quota of the last calls no longer applies, so that no call has to wait. */
  get isIdle(): boolean {
    const now = this.clock.now();
    const isDayOver = !this.dailyLimit || now >= this.dailyLimit.resetAt;
    return isDayOver && this.minuteWindow.isOver(now);
  }

  /**
   * Waits until a call may be sent. Call `release` after each call, also after an error.
   * @throws DailyLimitError at once if the daily limit is used up; AbortedError after an abort
   */
  async acquire({ lane = 'normal', execution = this, signal }: AcquireOptions = {}): Promise<Permit> {
    if (signal?.aborted) throw new AbortedError();
    let removeAbort: () => void = () => undefined;
    const admission = new Promise<Permit>((admit, refuse) => {
      const queue = lane === 'urgent' ? URGENT : execution;
      const waiter = { arrivedAt: this.clock.now(), execution, queue, admit, refuse };
      removeAbort = onAbort(signal, () => {
        this.waiting.remove(waiter);
        refuse(new AbortedError());
      });
      this.waiting.add(waiter);
      this.admitCalls();
    });
    return admission.finally(removeAbort);
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
        .map((waiter) => ({ waiter, sendAt: this.getSendTime(waiter, now) }));
      const ready = next.find(({ sendAt }) => sendAt <= now);
      if (!ready) return this.scheduleAdmission(Math.min(...next.map(({ sendAt }) => sendAt)));
      this.waiting.take(ready.waiter);
      this.recordCall(ready.waiter);
      ready.waiter.admit(this.minuteWindow.acquire(now, ready.waiter.arrivedAt));
    }
  }

  /** Earliest time to send a call. */
  private getSendTime({ queue, execution }: WaitingCall, now: number): number {
    const hasSentMuch = this.countSent(execution) >= this.minuteWindow.tenth;
    const tenths = queue === URGENT ? 0 : hasSentMuch ? 2 : 1;
    return this.minuteWindow.getSendTime(now, tenths);
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

/** The rate limiters by API key, which all nodes of the process share. */
const rateLimiters = memory.store<RateLimiter, 'key'>('rateLimiters', {
  per: 'key',
  holds: 'the requests that a key may make',
  max: 200,
  isInUse: (rateLimiter) => !rateLimiter.isIdle,
});

export const getRateLimiter = (credential: Credential, clock: Clock): RateLimiter =>
  rateLimiters.getOrCreate({ credential }, [], () => new RateLimiter(clock));
