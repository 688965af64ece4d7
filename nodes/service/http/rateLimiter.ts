/** The rate limit of an API key, which all calls of this process share. */
import { partition, pull } from 'lodash';
import { type Clock, onAbort } from '../concurrency/wait';
import { createCancelledError, createDailyLimitError } from '../errors/apiError';
import { memory } from '../memory/memory';
import type { Credential } from './credential';
import { MinuteWindow, type Permit, type Quota, type RateLimitInfo } from './minuteWindow';
import type { Lane } from './port';

interface PermitOptions {
  lane?: Lane;
  /** The execution or poll that sends the call. Executions take turns. */
  execution?: object;
  signal?: AbortSignal;
}

const URGENT_QUEUE = {};

interface WaitingCall {
  arrivedAt: number;
  execution: object;
  /** `URGENT_QUEUE`, or the execution of a normal call. */
  queue: object;
  admit(permit: Permit): void;
  refuse(error: Error): void;
}

/** After this many urgent calls, a normal call is sent: webhook deliveries must not stop all executions. */
const MAX_URGENT_CALLS_IN_A_ROW = 4;

/** The waiting calls: one queue for urgent calls, and one for each execution. */
class WaitingCalls {
  /** The queue with the next turn comes first. */
  private readonly queues = new Map<object, WaitingCall[]>();
  private urgentInARow = 0;

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  addCall(call: WaitingCall): void {
    const calls = this.queues.get(call.queue);
    if (calls) calls.push(call);
    else this.queues.set(call.queue, [call]);
  }

  /** Lists the first call of each queue, in the order in which the calls may be sent. */
  listNextCalls(): WaitingCall[] {
    const next = [...this.queues.values()].map(([first]) => first as WaitingCall);
    const [urgent, normal] = partition(next, ({ queue }) => queue === URGENT_QUEUE);
    return this.urgentInARow < MAX_URGENT_CALLS_IN_A_ROW ? [...urgent, ...normal] : [...normal, ...urgent];
  }

  /** Removes a call that is sent. The queue of the call then has the last turn. */
  removeSentCall(call: WaitingCall): void {
    const { queue } = call;
    this.removeCall(call);
    const others = this.queues.get(queue);
    this.queues.delete(queue);
    this.urgentInARow = queue === URGENT_QUEUE && this.queues.size > 0 ? this.urgentInARow + 1 : 0;
    if (others) this.queues.set(queue, others);
  }

  removeCall(call: WaitingCall): void {
    const calls = this.queues.get(call.queue) ?? [];
    pull(calls, call);
    if (calls.length === 0) this.queues.delete(call.queue);
  }

  removeAllCalls(): WaitingCall[] {
    const all = [...this.queues.values()].flat();
    this.queues.clear();
    return all;
  }
}

/** Milliseconds until a call is sent although the daily limit is used up: the plan may have changed. */
const DAILY_LIMIT_RECHECK_MS = 60_000;

/**
 * Keeps the requests of one API key within the limits that the responses show, for all executions of the process.
 * Urgent calls are sent first, and a tenth of the limit is kept for them. A second tenth is kept for executions that
 * have sent less than a tenth in this window, so that a short run does not wait behind a long one. Both tenths shrink
 * towards the end of the window, so that the whole limit can be used.
 */
export class RateLimiter {
  private readonly minuteWindow = new MinuteWindow();
  /**
   * Set while the daily limit is used up. Calls before `until` are refused, with an error that shows `resetAt`, when
   * the limit ends. Later calls are sent, because the plan may have changed. Both times are milliseconds of `clock`.
   */
  private dailyLimit?: { until: number; resetAt: number };
  private readonly waiting = new WaitingCalls();
  /** By execution: how many calls it has sent in the window with this number. */
  private readonly sentCalls = new WeakMap<object, { windowNumber: number; count: number }>();
  /** When a timer will admit waiting calls; Infinity if no timer runs. */
  private nextAdmissionAt = Infinity;

  constructor(private readonly clock: Clock) {}

  /**
   * Waits until a call may be sent. Call `releasePermit` after each call, also after a failed one.
   * @throws ApiError if the daily limit is used up, or after an abort
   */
  async acquirePermit({ lane = 'normal', execution = this, signal }: PermitOptions = {}): Promise<Permit> {
    if (signal?.aborted) throw createCancelledError();
    let removeAbort: () => void = () => undefined;
    const admission = new Promise<Permit>((admit, refuse) => {
      const queue = lane === 'urgent' ? URGENT_QUEUE : execution;
      const call = { arrivedAt: this.clock.now(), execution, queue, admit, refuse };
      removeAbort = onAbort(signal, () => {
        this.waiting.removeCall(call);
        refuse(createCancelledError());
      });
      this.waiting.addCall(call);
      this.admitCalls();
    });
    return admission.finally(removeAbort);
  }

  /** @param limits from the response; undefined after a network error */
  releasePermit(permit: Permit, limits?: RateLimitInfo): void {
    if (limits?.day) this.updateDailyLimit(limits.day);
    this.minuteWindow.endCall(permit, this.clock.now(), limits?.minute);
    this.admitCalls();
  }

  private updateDailyLimit({ remaining, resetsInSeconds }: Quota): void {
    const now = this.clock.now();
    const resetAt = now + resetsInSeconds * 1000;
    const until = Math.min(resetAt, now + DAILY_LIMIT_RECHECK_MS);
    this.dailyLimit = remaining > 0 ? undefined : { until, resetAt };
  }

  private admitCalls(): void {
    const now = this.clock.now();
    if (this.dailyLimit && now < this.dailyLimit.until) {
      const error = createDailyLimitError((this.dailyLimit.resetAt - now) / 1000);
      for (const { refuse } of this.waiting.removeAllCalls()) refuse(error);
    }
    while (!this.waiting.isEmpty) {
      const next = this.waiting
        .listNextCalls()
        .map((call) => ({ call, sendAt: this.getSendTime(call, now) }));
      const ready = next.find(({ sendAt }) => sendAt <= now);
      if (!ready) return this.scheduleAdmission(Math.min(...next.map(({ sendAt }) => sendAt)));
      this.waiting.removeSentCall(ready.call);
      this.recordSentCall(ready.call);
      ready.call.admit(this.minuteWindow.startCall(now, ready.call.arrivedAt));
    }
  }

  private getSendTime({ queue, execution }: WaitingCall, now: number): number {
    const hasSentMuch = this.countSentCalls(execution) >= this.minuteWindow.tenthOfLimit;
    const tenths = queue === URGENT_QUEUE ? 0 : hasSentMuch ? 2 : 1;
    return this.minuteWindow.getSendTime(now, tenths);
  }

  private countSentCalls(execution: object): number {
    const sent = this.sentCalls.get(execution);
    return sent?.windowNumber === this.minuteWindow.windowNumber ? sent.count : 0;
  }

  private recordSentCall({ execution }: WaitingCall): void {
    const count = this.countSentCalls(execution) + 1;
    this.sentCalls.set(execution, { windowNumber: this.minuteWindow.windowNumber, count });
  }

  /** One timer is enough, because it checks all waiting calls. */
  private scheduleAdmission(at: number): void {
    if (this.nextAdmissionAt <= at) return;
    this.nextAdmissionAt = at;
    void this.clock.sleep(at - this.clock.now()).then(() => {
      if (this.nextAdmissionAt === at) this.nextAdmissionAt = Infinity;
      this.admitCalls();
    });
  }
}

const rateLimiters = memory.store<RateLimiter, 'key'>('rateLimiters', {
  per: 'key',
  holds: 'the requests that a key may make',
  max: 10_000,
});

export const getRateLimiter = (credential: Credential, clock: Clock): RateLimiter =>
  rateLimiters.getOrCreate({ credential }, [], () => new RateLimiter(clock));
