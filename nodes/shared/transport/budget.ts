import type { Allowance, Announced } from './announced';
import { Window, type Ticket } from './window';

/** What the budget needs of its surroundings; tests give it their own clock. */
export interface Clock {
  /** Milliseconds, monotonic enough for waits. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** Nothing more may be sent today. */
export class DayUsedUp extends Error {
  constructor(readonly resetsInSeconds: number) {
    super('The request limit of the day is used up');
    this.name = 'DayUsedUp';
  }
}

/** A call that was cancelled while it waited for its place. */
export class GivenUp extends Error {}

interface Waiter {
  since: number;
  admit(ticket: Ticket): void;
  refuse(error: Error): void;
}

/** A used-up day is believed for so long; then one call asks again, for the plan may have grown. */
const DAY_BELIEVED_MS = 60_000;

/** The others wait for its answer, but not longer than this. */
const DAY_PATIENCE_MS = 2_000;

/**
 * The requests that one API key may make, learned from the answers. A call takes its place before it is
 * sent, first come first served over all executions, so parallel callers never overshoot together.
 */
export class Budget {
  private readonly minute: Window;
  private day?: { until: number; resetAt: number; askedAt: number };
  private queue: Waiter[] = [];
  private alarmAt = Infinity;

  constructor(private readonly clock: Clock) {
    this.minute = new Window(() => clock.random());
  }

  /**
   * Waits until one more call fits, and takes its place. Follow with `settle` in every case.
   * @throws DayUsedUp at once when the day's limit is known to be used up; GivenUp after an abort
   */
  reserve(signal?: AbortSignal): Promise<Ticket> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.queue = this.queue.filter((one) => one !== waiter);
        reject(new GivenUp('cancelled'));
      };
      const ended = <T>(then: (value: T) => void) => {
        return (value: T) => {
          signal?.removeEventListener('abort', giveUp);
          then(value);
        };
      };
      const waiter = { since: this.clock.now(), admit: ended(resolve), refuse: ended(reject) };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener('abort', giveUp);
      this.queue.push(waiter);
      this.pump();
    });
  }

  /** Ends a reservation with what its answer announced; with nothing after a fault. */
  settle(ticket: Ticket, answer?: Announced): void {
    if (answer?.day) this.learnDay(answer.day);
    else if (this.day?.askedAt === ticket.sentAt) {
      // Let through and silent about the day: it is over. Lost: the next one asks.
      if (answer) this.day = undefined;
      else this.day.askedAt = -Infinity;
    }
    this.minute.settle(ticket, this.clock.now(), answer && (answer.minute ?? null));
    this.pump();
  }

  private learnDay({ remaining, resetsInSeconds }: Allowance): void {
    const now = this.clock.now();
    const resetAt = now + resetsInSeconds * 1000;
    const until = Math.min(resetAt, now + DAY_BELIEVED_MS);
    this.day = remaining > 0 ? undefined : { until, resetAt, askedAt: -Infinity };
  }

  /** Lets waiting calls go, in their order, as far as the budget reaches. */
  private pump(): void {
    const now = this.clock.now();
    if (this.day && now < this.day.until) {
      const error = new DayUsedUp((this.day.resetAt - now) / 1000);
      for (const { refuse } of this.queue.splice(0)) refuse(error);
    }
    while (this.queue.length > 0) {
      const opensAt = Math.max(this.minute.opensAt(now), this.day ? this.day.askedAt + DAY_PATIENCE_MS : 0);
      if (opensAt > now) return this.lookAgain(opensAt);
      const { since, admit } = this.queue.shift() as Waiter;
      if (this.day) this.day.askedAt = now;
      admit(this.minute.admit(now, since));
    }
  }

  /** One alarm is enough: whenever it rings, all is looked at anew. */
  private lookAgain(at: number): void {
    if (this.alarmAt <= at) return;
    this.alarmAt = at;
    void this.clock.sleep(at - this.clock.now()).then(() => {
      if (this.alarmAt === at) this.alarmAt = Infinity;
      this.pump();
    });
  }
}
