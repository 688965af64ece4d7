/** What one window still allows, as an answer announces it. */
export interface Allowance {
  limit: number;
  remaining: number;
  /** Relative and in whole seconds; the server's clock is never used. */
  resetsInSeconds: number;
}

/** Rate-limit headers of one answer, as far as it had them (spec: Limits, rule 3). */
export interface Announced {
  minute?: Allowance;
  day?: Allowance;
}

const MINUTE = 60;
const DAY = 86_400;

/** A header as a number; undefined where it is missing or no number. */
function numberIn(headers: Record<string, string>, name: string): number | undefined {
  const text = headers[name];
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

/** More than two windows are no seconds, but milliseconds or a moment: then the window is taken whole. */
function secondsIn(headers: Record<string, string>, name: string, window: number): number {
  const seconds = numberIn(headers, name) ?? window;
  return seconds > 2 * window ? window : seconds;
}

/** A limit of 0 or -1 on an answer that was let through means that there is none. */
function allowance(
  headers: Record<string, string>,
  [limit, remaining, reset]: [string, string, string],
  window: number,
): Allowance | undefined {
  const [allowed, left] = [numberIn(headers, limit), numberIn(headers, remaining)];
  if (allowed === undefined || left === undefined || allowed <= 0) return undefined;
  return { limit: allowed, remaining: left, resetsInSeconds: secondsIn(headers, reset, window) };
}

/** Reads the announcement of an answer that was let through, from lower-case headers. */
export const announced = (headers: Record<string, string>): Announced => ({
  minute: allowance(headers, ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-retry-after'], MINUTE),
  day: allowance(
    headers,
    ['x-ratelimit-daily-limit', 'x-ratelimit-daily-remaining', 'x-daily-retry-after'],
    DAY,
  ),
});

/**
 * What a 429 announces, even where a proxy stripped its headers. One for the day says nothing about the
 * minute: `X-Retry-After` may then hold the seconds of either (spec: Errors, other rule 3).
 */
export function refusal(headers: Record<string, string>, isDaily: boolean): Announced {
  const { minute, day } = announced(headers);
  const [limit, name, window] = isDaily
    ? [day?.limit, 'x-daily-retry-after', DAY]
    : [minute?.limit, 'x-retry-after', MINUTE];
  const none = { limit: limit ?? 1, remaining: 0, resetsInSeconds: secondsIn(headers, name, window) };
  return isDaily ? { day: none } : { minute: none, day };
}
