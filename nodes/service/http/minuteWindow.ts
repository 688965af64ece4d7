/**
 * The limits per minute and per day, as the headers of answers show them. `MinuteWindow` calculates when a call may be
 * sent (spec: Limits).
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

/** The header with the seconds until the reset, and the length of the window. */
interface ResetHeader {
  name: string;
  window: number;
}

const MINUTE_RESET: ResetHeader = { name: 'x-retry-after', window: MINUTE_SECONDS };
const DAY_RESET: ResetHeader = { name: 'x-daily-retry-after', window: DAY_SECONDS };

/**
 * Seconds until the reset. A value above two window lengths cannot be seconds (probably milliseconds or a timestamp).
 * Without a usable value, a full window is assumed.
 */
function readResetSeconds(headers: Record<string, string>, { name, window }: ResetHeader): number {
  const wait = readNumberHeader(headers, name) ?? NaN;
  return wait >= 0 && wait <= 2 * window ? wait : window;
}

/** Parses the quota of one window. A limit of 0 or -1 in a response that is not a 429 means "no limit". */
function parseQuota(
  headers: Record<string, string>,
  [limit, remaining]: [string, string],
  reset: ResetHeader,
): Quota | undefined {
  const [allowed, left] = [readNumberHeader(headers, limit), readNumberHeader(headers, remaining)];
  if (allowed === undefined || left === undefined || allowed <= 0) return undefined;
  return { limit: allowed, remaining: left, resetsInSeconds: readResetSeconds(headers, reset) };
}

/** Reads the limits from the lower-case headers of a response that is not a 429. */
export const parseRateLimitHeaders = (headers: Record<string, string>): RateLimitInfo => ({
  minute: parseQuota(headers, ['x-ratelimit-limit', 'x-ratelimit-remaining'], MINUTE_RESET),
  day: parseQuota(headers, ['x-ratelimit-daily-limit', 'x-ratelimit-daily-remaining'], DAY_RESET),
});

/**
 * Reads the limits from a response with status 429, even if a proxy removed its headers. A 429 for the day does not show
 * the limit per minute: its `X-Retry-After` may hold the seconds of either limit (spec: Errors, other rule 3).
 */
export function parseLimitExceededHeaders(headers: Record<string, string>, isDaily: boolean): RateLimitInfo {
  const { minute, day } = parseRateLimitHeaders(headers);
  const [limit, reset] = isDaily ? [day?.limit, DAY_RESET] : [minute?.limit, MINUTE_RESET];
  const none = { limit: limit ?? Infinity, remaining: 0, resetsInSeconds: readResetSeconds(headers, reset) };
  return isDaily ? { day: none } : { minute: none, day };
}

/** Permission to send one call. */
export interface Permit {
  readonly sentAt: number;
  readonly waitedMs: number;
  /** Number of the window that was current when the call was sent. */
  readonly window: number;
}

/**
 * The state of the service's current window of one minute (spec: Limits): how many calls are left and when
 * the window ends. All times are milliseconds of the process clock.
 */
export class MinuteWindow {
  /** Infinity until an answer shows a limit. */
  private limit = Infinity;
  private remaining = Infinity;
  /** Latest possible end of the window. */
  private resetAt = Infinity;
  /** Counts the windows. */
  number = 0;
  /** Whether the service rounds the seconds until the reset down: it has announced 0. A second is then added. */
  private roundsDown = false;
  private readonly pending = new Set<Permit>();

  /** A tenth of the calls of one window; Infinity without a limit. */
  get tenth(): number {
    return this.limit / 10;
  }

  /** Whether the window has ended and all of its calls have a response. */
  isOver(now: number): boolean {
    return this.pending.size === 0 && (this.remaining === Infinity || now >= this.resetAt);
  }

  /**
   * Returns the time from which the next call may be sent, by what is known now. When a running call ends, the time may
   * become an earlier one.
   * @param tenths how many tenths of the limit the call leaves to others. This part shrinks to zero towards the end of
   *   the window, so that the whole limit is used.
   */
  getSendTime(now: number, tenths = 0): number {
    if (now >= this.resetAt) return now;
    const left = this.remaining - this.pending.size;
    // Near the limit, fewer calls run at once: other clients may use the last calls, and the waiting executions take
    // turns.
    if (left <= 0 || this.pending.size >= Math.max(2, this.remaining / 2.5)) return this.resetAt;
    if (tenths === 0 || this.limit === Infinity) return now;
    return this.resetAt - (left * MINUTE_SECONDS * 10_000) / (this.limit * tenths);
  }

  /** Reserves a call that has waited since `arrivedAt`. */
  acquire(now: number, arrivedAt: number): Permit {
    if (now >= this.resetAt) this.startWindow(now);
    const permit = { sentAt: now, waitedMs: now - arrivedAt, window: this.number };
    this.pending.add(permit);
    return permit;
  }

  /** Ends a call. `announced` is the quota in the response; undefined for a response without one, and after a network error. */
  release(permit: Permit, now: number, announced?: Quota): void {
    this.pending.delete(permit);
    if (permit.window !== this.number) return;
    if (!announced) {
      // No quota was received. The call is counted here, because the service may have counted it.
      this.remaining--;
      return;
    }
    const { limit, remaining, resetsInSeconds } = announced;
    // Responses may arrive in another order than they were sent. In one window, the smaller number of remaining calls is
    // the newer one.
    this.remaining = limit === this.limit ? Math.min(this.remaining, remaining) : remaining;
    this.limit = limit;
    this.roundsDown ||= resetsInSeconds <= 0;
    const seconds = resetsInSeconds + Number(this.roundsDown);
    this.resetAt = Math.min(this.resetAt, now + seconds * 1000);
  }

  /** The limit stays until a response shows another one. The end of the window is unknown until its first response. */
  private startWindow(now: number): void {
    this.remaining = this.limit;
    this.resetAt = now + 2 * MINUTE_SECONDS * 1000;
    this.number++;
    this.pending.clear();
  }
}
