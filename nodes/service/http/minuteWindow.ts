/** How many calls the service allows in a minute or a day, and how many of them remain, as a response says. */
export interface Quota {
  limit: number;
  remaining: number;
  /** Seconds from the response, and not a time, because the clock of the service may be wrong. */
  resetsInSeconds: number;
}

/** A limit is undefined if the response lacks its headers (spec: Limits, rule 3). */
export interface RateLimitInfo {
  minute?: Quota;
  day?: Quota;
}

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

function readNumberHeader(headers: Record<string, string>, name: string): number | undefined {
  const text = headers[name];
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

/** The header with the seconds until a new period begins. `seconds` is the length of a period. */
interface ResetHeader {
  name: string;
  seconds: number;
}

const MINUTE_RESET_HEADER: ResetHeader = { name: 'x-retry-after', seconds: MINUTE_SECONDS };
const DAY_RESET_HEADER: ResetHeader = { name: 'x-daily-retry-after', seconds: DAY_SECONDS };

/** Returns a whole period for a missing or wrong number. More than two periods are wrong: they may be a time. */
function readResetSeconds(headers: Record<string, string>, { name, seconds }: ResetHeader): number {
  const wait = readNumberHeader(headers, name) ?? NaN;
  return wait >= 0 && wait <= 2 * seconds ? wait : seconds;
}

/** A limit of 0 or -1 means "no limit", so there is no quota. */
function parseQuota(
  headers: Record<string, string>,
  [limit, remaining]: [string, string],
  reset: ResetHeader,
): Quota | undefined {
  const [allowed, left] = [readNumberHeader(headers, limit), readNumberHeader(headers, remaining)];
  if (allowed === undefined || left === undefined || allowed <= 0) return undefined;
  return { limit: allowed, remaining: left, resetsInSeconds: readResetSeconds(headers, reset) };
}

/** Reads the headers of a response other than a 429. The names of the headers are in lower case. */
export const parseRateLimitHeaders = (headers: Record<string, string>): RateLimitInfo => ({
  minute: parseQuota(headers, ['x-ratelimit-limit', 'x-ratelimit-remaining'], MINUTE_RESET_HEADER),
  day: parseQuota(headers, ['x-ratelimit-daily-limit', 'x-ratelimit-daily-remaining'], DAY_RESET_HEADER),
});

/**
 * Reads the headers of a 429, even if a proxy removed some. After a daily refusal, the limit per minute is
 * not read: `X-Retry-After` may then be about either limit (spec: Errors, other rule 3).
 */
export function parseLimitExceededHeaders(headers: Record<string, string>, isDaily: boolean): RateLimitInfo {
  const { minute, day } = parseRateLimitHeaders(headers);
  const [limit, reset] = isDaily ? [day?.limit, DAY_RESET_HEADER] : [minute?.limit, MINUTE_RESET_HEADER];
  const none = { limit: limit ?? Infinity, remaining: 0, resetsInSeconds: readResetSeconds(headers, reset) };
  return isDaily ? { day: none } : { minute: none, day };
}

export interface Permit {
  readonly waitedMs: number;
  readonly windowNumber: number;
}

/** The service's current window of one minute (spec: Limits). All times are milliseconds of the process clock. */
export class MinuteWindow {
  /** Infinity until a response shows a limit. */
  private limit = Infinity;
  private remaining = Infinity;
  /** The latest time at which the window ends. */
  private resetAt = Infinity;
  windowNumber = 0;
  /** Whether a response said that the window ends in 0 seconds. The service then rounds down, so a second is added. */
  private roundsDown = false;
  private readonly pending = new Set<Permit>();

  get tenthOfLimit(): number {
    return this.limit / 10;
  }

  /**
   * Returns when the next call may be sent. A running call that ends may make this time earlier.
   * @param tenths how many tenths of the limit stay for other calls. The tenths shrink to zero towards the end
   * of the window, so that the whole limit is used
   */
  getSendTime(now: number, tenths = 0): number {
    if (now >= this.resetAt) return now;
    const left = this.remaining - this.pending.size;
    // Near the limit, fewer calls run at once: other clients may use the last calls of the window, and waiting
    // executions should take turns.
    if (left <= 0 || this.pending.size >= Math.max(2, this.remaining / 2.5)) return this.resetAt;
    if (tenths === 0 || this.limit === Infinity) return now;
    return this.resetAt - (left * MINUTE_SECONDS * 10_000) / (this.limit * tenths);
  }

  /** @param arrivedAt when the call began to wait */
  startCall(now: number, arrivedAt: number): Permit {
    if (now >= this.resetAt) this.startWindow(now);
    const permit = { waitedMs: now - arrivedAt, windowNumber: this.windowNumber };
    this.pending.add(permit);
    return permit;
  }

  /** @param announced the quota in the response; undefined after a network error, or if the response has none */
  endCall(permit: Permit, now: number, announced?: Quota): void {
    this.pending.delete(permit);
    if (permit.windowNumber !== this.windowNumber) return;
    if (!announced) {
      // The service may have counted the call, so it counts here too.
      this.remaining--;
      return;
    }
    const { limit, remaining, resetsInSeconds } = announced;
    // Responses may arrive out of order. In one window, the smaller number of remaining calls is the newer one.
    this.remaining = limit === this.limit ? Math.min(this.remaining, remaining) : remaining;
    this.limit = limit;
    this.roundsDown ||= resetsInSeconds <= 0;
    const seconds = resetsInSeconds + Number(this.roundsDown);
    this.resetAt = Math.min(this.resetAt, now + seconds * 1000);
  }

  /** Keeps the limit of the last window. Until a response shows when the window ends, two minutes are assumed. */
  private startWindow(now: number): void {
    this.remaining = this.limit;
    this.resetAt = now + 2 * MINUTE_SECONDS * 1000;
    this.windowNumber++;
    this.pending.clear();
  }
}
