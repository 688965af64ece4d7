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
 * service.
 */
function computeResetSeconds(headers: Record<string, string>, { reset }: ResetHeaders): number | undefined {
  const resetAt = readNumberHeader(headers, reset);
  const sentAt = Date.parse(headers.date ?? '');
  return resetAt === undefined || Number.isNaN(sentAt) ? undefined : resetAt - sentAt / 1000;
}

/**
 * Seconds until the reset. A value above two window lengths cannot be seconds (probably milliseconds or a
 * timestamp). Without a usable value, assume a full window.
 */
function readResetSeconds(headers: Record<string, string>, names: ResetHeaders): number {
  const isUsable = (seconds: number | undefined): seconds is number =>
    seconds !== undefined && seconds >= 0 && seconds <= 2 * names.window;
  const wait = readNumberHeader(headers, names.wait);
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
