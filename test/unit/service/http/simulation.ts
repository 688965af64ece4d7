/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { Clock } from '../../../../nodes/service/concurrency/wait';
import type { RateLimitInfo } from '../../../../nodes/service/http/minuteWindow';
import { type Admission, RateLimiter } from '../../../../nodes/service/http/rateLimiter';
import { createRandom } from '../paging/changingList';

/** A clock that jumps to the next timer, so that an hour of pacing takes a moment. */
export class VirtualClock implements Clock {
  private time = 1_000;
  private readonly timers: Array<{ at: number; ring: () => void }> = [];
  readonly random: () => number;

  constructor(seed = 1) {
    this.random = createRandom(seed);
  }

  now = () => this.time;

  sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const at = this.time + Math.max(0, ms);
      const index = this.timers.findIndex((timer) => timer.at > at);
      this.timers.splice(index < 0 ? this.timers.length : index, 0, { at, ring: resolve });
    });

  /** Lets time pass until `work` is done. */
  async run<T>(work: Promise<T>, atMostMs = 24 * 3_600_000): Promise<T> {
    let isDone = false;
    void work.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    const end = this.time + atMostMs;
    for (;;) {
      await new Promise(setImmediate);
      if (isDone) return work;
      const timer = this.timers.shift();
      if (!timer || timer.at > end) throw new Error(`stuck at ${this.time} ms`);
      this.time = timer.at;
      timer.ring();
      while (this.timers[0]?.at === this.time) this.timers.shift()!.ring();
    }
  }
}

export interface ServerOptions {
  perMinute: number;
  perDay?: number;
  windowMs?: number;
  latencyMs?: number;
  /** How the rest of a window is shown in whole seconds. */
  rounds?: 'up' | 'down';
}

/** The service's limits: a window opens with the first request after the last one closed. */
export class LimitedServer {
  served = 0;
  refused = 0;
  perMinute: number;
  private openedAt = -Infinity;
  private used = 0;
  private usedToday = 0;

  constructor(
    private readonly clock: VirtualClock,
    private readonly options: ServerOptions,
  ) {
    this.perMinute = options.perMinute;
  }

  private get windowMs() {
    return this.options.windowMs ?? 60_000;
  }

  /** One request on arrival. */
  take(): { status: 200 | 429; daily: boolean; announced: RateLimitInfo } {
    const now = this.clock.now();
    if (now >= this.openedAt + this.windowMs) Object.assign(this, { openedAt: now, used: 0 });
    const daily = this.usedToday >= (this.options.perDay ?? Infinity);
    const isFull = daily || this.used >= this.perMinute;
    if (isFull) this.refused++;
    else {
      this.used++;
      this.usedToday++;
      this.served++;
    }
    const rest = (this.openedAt + this.windowMs - now) / 1000;
    const resetsInSeconds = this.options.rounds === 'down' ? Math.floor(rest) : Math.ceil(rest);
    const minute = {
      limit: this.perMinute,
      remaining: Math.max(0, this.perMinute - this.used),
      resetsInSeconds,
    };
    const perDay = this.options.perDay;
    const day =
      perDay === undefined
        ? undefined
        : { limit: perDay, remaining: perDay - this.usedToday, resetsInSeconds: 3_600 };
    return { status: isFull ? 429 : 200, daily, announced: { minute, day } };
  }

  /** A request with its way there and back. */
  async request() {
    const way = ((this.options.latencyMs ?? 40) / 2) * (0.5 + this.clock.random());
    await this.clock.sleep(way);
    const answer = this.take();
    await this.clock.sleep(way);
    return answer;
  }
}

export interface Tally {
  refused: number;
  sent: number;
}

interface ExecutionOptions extends Pick<Admission, 'lane'> {
  parallel?: number;
  onCall?: () => void;
}

/** What one execution does with the budget: `count` calls, some at once, repeated while they are refused. */
export async function runExecution(
  budget: RateLimiter,
  server: LimitedServer,
  count: number,
  { parallel = 8, onCall = () => undefined as void, lane }: ExecutionOptions = {},
): Promise<Tally> {
  const tally = { refused: 0, sent: 0 };
  let left = count;
  const runWorker = async () => {
    while (left-- > 0) {
      for (;;) {
        const ticket = await budget.acquire({ lane, execution: tally });
        const { status, announced } = await server.request();
        budget.release(ticket, announced);
        tally.sent++;
        onCall();
        if (status === 200) break;
        tally.refused++;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, runWorker));
  return tally;
}
