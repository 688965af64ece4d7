/**
 * The limit of a minute and of a day, as the headers of answers show it. `MinuteWindow` says when a call may be sent
 * (spec: Limits).
 */

/** The limit and the remaining calls of one window, from the headers of a response. */
export interface Quota {
  limit: number;
  remaining: number;
  /** Whole seconds until the reset, not a time: the server's clock may be wrong. */
  resetsInSeconds: number;
}

/** The rate limits in the headers of one response. Missing headers give undefined (spec: Limits, rule 3). */
export interface RateLimitInfo {
  minute?: Quota;
  day?: Quota;
}

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** A header as a number; undefined where it is missing or not a number. */
function readNumberHeader(headers: Record<string, string>, name: string): number | undefined {
  const text = headers[name];
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

interface ResetHeaders {
  /** Name of the header with the seconds until the reset. */
  wait: string;
  /** Name of the header with the Unix timestamp of the reset, by the clock of the service. */
  reset: string;
  window: number;
}

const MINUTE_RESET: ResetHeaders = {
  wait: 'x-retry-after',
  reset: 'x-ratelimit-reset',
  window: MINUTE_SECONDS,
};

const DAY_RESET: ResetHeaders = {
  wait: 'x-daily-retry-after',
  reset: 'x-daily-ratelimit-reset',
  window: DAY_SECONDS,
};

/**
 * Subtracts the `Date` header of the same response from the reset, so both times come from the clock of the
 * service. NaN without one of the two headers.
 */
const computeResetSeconds = (headers: Record<string, string>, { reset }: ResetHeaders): number =>
  (readNumberHeader(headers, reset) ?? NaN) - Date.parse(headers.date ?? '') / 1000;

/**
 * Seconds until the reset. A value above two window lengths cannot be seconds (probably milliseconds or a
 * timestamp). Without a usable value, assume a full window.
 */
function readResetSeconds(headers: Record<string, string>, names: ResetHeaders): number {
  const isUsable = (seconds: number) => seconds >= 0 && seconds <= 2 * names.window;
  const wait = readNumberHeader(headers, names.wait) ?? NaN;
  if (isUsable(wait)) return wait;
  const computed = computeResetSeconds(headers, names);
  return isUsable(computed) ? Math.ceil(computed) : names.window;
}

/** Parses the quota of one window. A limit of 0 or -1 in a response that is not a 429 means "no limit". */
function parseQuota(
  headers: Record<string, string>,
  [limit, remaining]: [string, string],
  names: ResetHeaders,
): Quota | undefined {
  const [allowed, left] = [readNumberHeader(headers, limit), readNumberHeader(headers, remaining)];
  if (allowed === undefined || left === undefined || allowed <= 0) return undefined;
  return { limit: allowed, remaining: left, resetsInSeconds: readResetSeconds(headers, names) };
}

/** Reads the limits from the lower-case headers of a response that is not a 429. */
export const parseRateLimitHeaders = (headers: Record<string, string>): RateLimitInfo => ({
  minute: parseQuota(headers, ['x-ratelimit-limit', 'x-ratelimit-remaining'], MINUTE_RESET),
  day: parseQuota(headers, ['x-ratelimit-daily-limit', 'x-ratelimit-daily-remaining'], DAY_RESET),
});

/**
 * Reads the limits from a 429, even if a proxy removed its headers. A 429 for the day does not show the limit
 * per minute: its `X-Retry-After` may hold the seconds of either limit (spec: Errors, other rule 3).
 */
export function parseLimitExceededHeaders(headers: Record<string, string>, isDaily: boolean): RateLimitInfo {
  const { minute, day } = parseRateLimitHeaders(headers);
  const [limit, names] = isDaily ? [day?.limit, DAY_RESET] : [minute?.limit, MINUTE_RESET];
  const none = { limit: limit ?? 1, remaining: 0, resetsInSeconds: readResetSeconds(headers, names) };
  return isDaily ? { day: none } : { minute: none, day };
}

/** Permission to send one call. */
export interface Permit {
  readonly sentAt: number;
  /** Milliseconds that the call waited. */
  readonly waitedMs: number;
  /** Number of the window that was current when the call was sent. */
  readonly window: number;
}

/** Milliseconds after which a call without a response no longer delays other calls. */
const PENDING_TIMEOUT_MS = 2_000;
/**
 * Maximum random delay after a reset, in milliseconds, so that clients with the same key do not send at the
 * same moment. The delay is at most a tenth of the wait. It is never negative, because a call before the
 * reset would be refused, and it is short, because it is lost in every window.
 */
const MAX_JITTER_MS = 100;
/** The quota of a service that sends no rate limit headers. Only a 429 shows its limit. */
const UNLIMITED_QUOTA: Quota = { limit: Infinity, remaining: Infinity, resetsInSeconds: Infinity };

/**
 * The state of the service's current window of one minute (spec: Limits): how many calls are left and when
 * the window ends. All times are milliseconds of the process clock.
 */
export class MinuteWindow {
  private limit?: number;
  private remaining = 0;
  /** Latest possible end of the window. */
  private resetAt = 0;
  /** Counts the windows. */
  number = 0;
  /** Calls of this window without a response. */
  private readonly pending = new Set<Permit>();
  /** When the first call into a window with an unknown quota was sent. */
  private probedAt = -Infinity;
  private roundsDown = false;
  /**
   * Number of calls that are held back. One until the first reset was observed: if that reset was calculated
   * too early, the call sent after it still fits into the old window.
   */
  private reserved = 1;
  private jitter = 0;
  /** Length of a window: the longest time to a reset that a response announced. */
  private length = 0;

  /** @param random from 0 to 1 */
  constructor(private readonly random: () => number) {}

  /** A tenth of the calls of one window; Infinity without a limit. */
  get tenth(): number {
    return (this.limit ?? Infinity) / 10;
  }

  /** Whether the window has ended and all of its calls have a response. */
  isOver(now: number): boolean {
    const isUnlimited = this.limit === Infinity;
    return this.pending.size === 0 && (isUnlimited || now >= this.resetAt);
  }

  /**
   * Earliest time to send the next call. A new window starts with a single call, whose response gives the
   * quota.
   * @param tenths how many tenths of the limit the call leaves to others. This part falls to nothing towards the end
   *   of the window, so that the whole limit is used.
   */
  getOpenTime(now: number, tenths = 0): number {
    if (now >= this.resetAt) return this.probedAt + PENDING_TIMEOUT_MS;
    const recent = [...this.pending]
      .map(({ sentAt }) => sentAt)
      .filter((sentAt) => sentAt > now - PENDING_TIMEOUT_MS);
    // Send fewer calls in parallel near the end of the quota, because other clients may use the last ones.
    const share = Math.max(1, Math.ceil(this.remaining / 4)) - recent.length;
    const left = this.remaining - this.pending.size - this.reserved;
    const openAt = this.getTimeToSend(left, tenths);
    if (left > 0 && share > 0 && now >= openAt) return now;
    const reset = this.resetAt + this.jitter;
    if (left <= 0) return reset;
    if (share > 0) return Math.min(reset, openAt);
    return Math.min(reset, ...recent.map((sentAt) => sentAt + PENDING_TIMEOUT_MS));
  }

  /** When `left` calls are more than the part of the limit that is left to others, which becomes smaller with time. */
  private getTimeToSend(left: number, tenths: number): number {
    const { limit = Infinity, length } = this;
    if (tenths === 0 || limit === Infinity) return -Infinity;
    return this.resetAt - (left * length * 10) / (limit * tenths);
  }

  /** Reserves a call that has waited since `arrivedAt`. */
  acquire(now: number, arrivedAt: number): Permit {
    if (now >= this.resetAt) this.probedAt = now;
    const permit = { sentAt: now, waitedMs: now - arrivedAt, window: this.number };
    this.pending.add(permit);
    return permit;
  }

  /**
   * Ends a call. `announced` is the quota in the response, null for a response without one, undefined after a
   * network error.
   */
  release(permit: Permit, now: number, announced?: Quota | null): void {
    this.pending.delete(permit);
    if (this.isProbe(permit)) this.probedAt = -Infinity;
    if (announced) this.updateQuota(permit, now, announced);
    else if (announced === null && this.limit === undefined) this.startWindow(UNLIMITED_QUOTA, Infinity, 0);
    // The service may have counted the call although its response shows no quota.
    else if (permit.window === this.number) this.remaining = Math.max(0, this.remaining - 1);
  }

  private updateQuota(permit: Permit, now: number, announced: Quota): void {
    const { limit, remaining, resetsInSeconds } = announced;
    if (resetsInSeconds <= 0) this.recordRoundingDown();
    const seconds = Math.max(0, resetsInSeconds) + (this.roundsDown ? 1 : 0);
    // Bounds of the time at which the window ends: the service returns whole seconds, and the response was delayed by
    // the network.
    const earliest = permit.sentAt + (seconds - 1) * 1000;
    const latest = now + seconds * 1000;
    if (this.limit === undefined || earliest > this.resetAt || this.isProbe(permit)) {
      this.startWindow(announced, latest, seconds * 1000);
    } else if (permit.window === this.number) {
      // Responses may arrive in another order than they were sent. In one window the smaller number is the
      // newer one.
      this.remaining = limit === this.limit ? Math.min(this.remaining, remaining) : remaining;
      this.limit = limit;
      this.resetAt = Math.min(this.resetAt, latest);
    }
  }

  /** Whether this is the first call into a window with an unknown quota. */
  private isProbe(permit: Permit): boolean {
    return permit.window === this.number && permit.sentAt >= this.resetAt;
  }

  private startWindow({ limit, remaining }: Quota, resetAt: number, windowMs: number): void {
    if (this.limit !== undefined) this.reserved = 0;
    this.limit = limit;
    this.remaining = remaining;
    this.resetAt = resetAt;
    this.length = Math.max(this.length, windowMs);
    this.probedAt = -Infinity;
    this.jitter = this.random() * Math.min(MAX_JITTER_MS, windowMs / 10);
    this.number++;
    this.pending.clear();
  }

  /** A reset in 0 seconds shows that the service rounds down; other services round up to whole seconds. */
  private recordRoundingDown(): void {
    if (!this.roundsDown) this.resetAt += 1000;
    this.roundsDown = true;
  }
}
