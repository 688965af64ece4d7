import { formatDuration, toSafeLine } from '../input/messageText';
import { type Quota } from './minuteWindow';
import type { Runtime } from './port';

const PROGRESS_INTERVAL_MS = 5_000;

/** A run that waited less for the rate limit shows no hint about it. */
const MIN_WAIT_FOR_HINT_MS = 3_000;

/** A run with more requests shows their number in a hint. */
const MAX_REQUESTS_WITHOUT_HINT = 20;

export class Notices {
  private readonly hints = new Set<string>();
  private nextProgressAt: number;
  private totalWaitMs = 0;
  private lastWaitEnd = 0;
  private requestCount = 0;
  /** The daily quota of each API key, by the `key` of `countRequest`. The items of a run may use several API keys. */
  private readonly dailyQuotas = new Map<object, Quota | undefined>();

  constructor(private readonly runtime: Pick<Runtime, 'clock' | 'showProgress' | 'showHint'>) {
    this.nextProgressAt = this.now() + PROGRESS_INTERVAL_MS;
  }

  /** Shows a text, at most once in each interval. */
  reportProgress(text: () => string): void {
    if (this.now() < this.nextProgressAt) return;
    this.nextProgressAt = this.now() + PROGRESS_INTERVAL_MS;
    this.runtime.showProgress(text());
  }

  /** Shows a hint beside the results, each text once. */
  addHint(text: string): void {
    const message = toSafeLine(text);
    if (this.hints.has(message)) return;
    this.hints.add(message);
    this.runtime.showHint(message);
  }

  /** Counts the time that a call has just waited for the rate limit. Parallel waits count once. */
  countWait(ms: number): void {
    const now = this.now();
    this.totalWaitMs += Math.max(0, now - Math.max(now - ms, this.lastWaitEnd));
    this.lastWaitEnd = now;
  }

  /** @param key the same object for all requests of an API key */
  countRequest(key: object, day?: Quota): void {
    this.requestCount++;
    this.dailyQuotas.set(key, day ?? this.dailyQuotas.get(key));
  }

  /** Shows how many requests a run took and how long it waited. Call this method at the end of the run. */
  showUsageHints(): void {
    if (this.requestCount > MAX_REQUESTS_WITHOUT_HINT) this.addHint(this.describeRequests());
    if (this.totalWaitMs < MIN_WAIT_FOR_HINT_MS) return;
    this.addHint(
      `The request limit of the API key slowed this run: it waited ${formatDuration(Math.round(this.totalWaitMs / 1000))}. A larger plan raises the limit; a key of its own keeps other workflows from using it up.`,
    );
  }

  private describeRequests(): string {
    const [day, ...others] = this.dailyQuotas.values();
    const left = day && others.length === 0 ? ` The API key has ${day.remaining} left today.` : '';
    return `This run took ${this.requestCount} requests.${left}`;
  }

  private now(): number {
    return this.runtime.clock.now();
  }
}
