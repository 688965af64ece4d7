/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { mapValues } from 'lodash';
import {
  type Client,
  createClient,
  type HttpResponse,
  NetworkError,
  type Port,
  tableEndpoints,
} from '../../nodes/service';
import { Random } from '../service/state/random';
import type { Clock } from '../support/fetchPort';

/*
 * A model of the service's limits (spec: Limits) behind a port, on a clock of its own: hours pass in a moment, and each answer
 * has the headers of a real one. `model.open()` is a client of one execution.
 */

/** A clock that jumps to the next timer. Times are milliseconds. */
export class VirtualClock implements Clock {
  private time = 1_000;
  private readonly timers: Array<{ at: number; ring: () => void }> = [];

  constructor(readonly random: () => number) {}

  now = () => this.time;

  sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const at = this.time + Math.max(0, ms);
      const index = this.timers.findIndex((timer) => timer.at > at);
      this.timers.splice(index < 0 ? this.timers.length : index, 0, { at, ring: resolve });
    });

  /** Lets time pass until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const end = () => void (isDone = true);
    void work.then(end, end);
    for (;;) {
      await new Promise(setImmediate);
      if (isDone) return work;
      const timer = this.timers.shift();
      if (!timer) throw new Error(`nothing happens after ${this.time} ms`);
      this.time = timer.at;
      timer.ring();
      while (this.timers[0]?.at === this.time) this.timers.shift()!.ring();
    }
  }
}

interface ModelOptions {
  perMinute: number;
  perDay?: number;
  windowMs?: number;
  latencyMs?: number;
  /** How the rest of a window is shown in whole seconds. */
  rounds?: 'up' | 'down';
  /** Which headers of the limits answers have. */
  headers?: 'both' | 'day' | 'none';
  /** Seconds until the limit of the day ends, as the headers show it. */
  daySeconds?: number;
}

type ClientOptions = Partial<Pick<Port, 'lane' | 'signal'>> & { key?: string };

let modelCount = 0;

/** A service with limits: a window opens with the first request after the last one closed. */
export class LimitModel {
  served = 0;
  refused = 0;
  /** The times of the requests of each client, by its name. */
  readonly sent: Array<{ name: string; at: number }> = [];
  /** Requests of these numbers, from 1 on, get no answer for so many milliseconds. */
  readonly stalls = new Map<number, number>();
  /** The answers to requests of these numbers are lost. */
  readonly lost = new Set<number>();
  readonly clock: VirtualClock;
  readonly random: () => number;
  private readonly windowMs: number;
  private openedAt = -Infinity;
  private used = 0;
  private usedToday = 0;
  private readonly key = `model ${++modelCount}`;

  constructor(
    seed: number,
    readonly options: ModelOptions,
  ) {
    const random = new Random(seed);
    this.random = () => random.next();
    this.clock = new VirtualClock(this.random);
    this.windowMs = options.windowMs ?? 60_000;
  }

  /** One request on arrival. */
  take(): HttpResponse {
    const { perMinute, perDay = Infinity, rounds, headers = 'both', daySeconds = 3_600 } = this.options;
    const now = this.clock.now();
    if (now >= this.openedAt + this.windowMs) Object.assign(this, { openedAt: now, used: 0 });
    const isDayFull = this.usedToday >= perDay;
    const isFull = isDayFull || this.used >= perMinute;
    if (isFull) this.refused++;
    else {
      this.used++;
      this.usedToday++;
      this.served++;
    }
    const rest = (this.openedAt + this.windowMs - now) / 1000;
    const shown = {
      ...(headers === 'both' && {
        'x-ratelimit-limit': perMinute,
        'x-ratelimit-remaining': Math.max(0, perMinute - this.used),
        'x-retry-after': rounds === 'down' ? Math.floor(rest) : Math.ceil(rest),
      }),
      ...(headers !== 'none' &&
        perDay !== Infinity && {
          'x-ratelimit-daily-limit': perDay,
          'x-ratelimit-daily-remaining': perDay - this.usedToday,
          'x-daily-retry-after': daySeconds,
        }),
    };
    return {
      status: isFull ? 429 : 200,
      headers: mapValues(shown, String),
      body: isFull
        ? { type: 'error', msg: `Too Many Attempts In ${isDayFull ? 'Day' : 'Minute'}`, status: 429 }
        : { type: 'success', data_tables: [], total_items: 0 },
    };
  }

  /** The client of an execution. Another `key` has a limiter of its own, as another process has. */
  open(name = 'client', { key = this.key, lane = 'normal', signal }: ClientOptions = {}): Client {
    const port: Port = {
      clock: this.clock,
      lane,
      signal,
      timeZone: 'UTC',
      showProgress: () => undefined,
      showHint: () => undefined,
      openFile: () => Promise.reject(new Error('no file is read')),
      send: async () => {
        this.sent.push({ name, at: this.clock.now() });
        const number = this.sent.length;
        const way = ((this.options.latencyMs ?? 40) / 2) * (0.5 + this.random());
        await this.clock.sleep(way);
        const answer = this.take();
        await this.clock.sleep(this.stalls.get(number) ?? way);
        return this.lost.has(number) ? new NetworkError('ECONNRESET', 'lost') : answer;
      },
    };
    const settings = { appId: 'app', appKey: key, appSecret: 'secret', userLogin: 'none' };
    return createClient(port, { baseUrl: 'https://service.example', ...settings });
  }

  /** Makes `count` calls, as many at once as the client allows. */
  call(client: Client, count: number): Promise<unknown> {
    return Promise.all(Array.from({ length: count }, () => client.call(tableEndpoints.list)));
  }

  /** How many requests a client has sent in each whole minute. */
  countByMinute(name: string): number[] {
    const from = this.sent[0]?.at ?? 0;
    const minutes: number[] = [];
    for (const one of this.sent) {
      const minute = Math.floor((one.at - from) / 60_000);
      minutes[minute] = (minutes[minute] ?? 0) + (one.name === name ? 1 : 0);
    }
    return minutes.slice(0, -1);
  }
}
