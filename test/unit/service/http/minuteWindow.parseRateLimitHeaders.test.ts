/* eslint-disable @typescript-eslint/no-unused-vars -- not shipped: runs on Node */
import { parseRateLimitHeaders } from '../../../../nodes/service/http/minuteWindow';
import { parseLimitExceededHeaders } from '../../../../nodes/service/http/minuteWindow';

const headers = {
  'x-ratelimit-limit': '120',
  'x-ratelimit-remaining': '7',
  'x-retry-after': '33',
  'x-ratelimit-reset': '1',
  'x-ratelimit-daily-limit': '10000',
  'x-ratelimit-daily-remaining': '9000',
  'x-daily-retry-after': '80000',
  'x-daily-ratelimit-reset': '1',
};
const minute = { limit: 120, remaining: 7, resetsInSeconds: 33 };
const day = { limit: 10_000, remaining: 9_000, resetsInSeconds: 80_000 };

test('reads both windows of an answer', () =>
  expect(parseRateLimitHeaders(headers)).toEqual({ minute, day }));

test.each([-3_600, 0, 3_600])('a service clock that is %i s off does not change the result', (skew) => {
  const stamp = String(Math.floor(Date.now() / 1000) + skew + 33);
  const skewed = { ...headers, 'x-ratelimit-reset': stamp, 'x-daily-ratelimit-reset': stamp };
  expect(parseRateLimitHeaders(skewed)).toEqual({ minute, day });
});

test.each([
  {},
  { 'x-ratelimit-limit': '120' },
  { ...headers, 'x-ratelimit-remaining': 'many' },
  { ...headers, 'x-ratelimit-limit': '' },
])('ignores incomplete headers: %j', (given) =>
  expect(parseRateLimitHeaders(given as Record<string, string>).minute).toBeUndefined(),
);

test.each([
  ['0', 0],
  ['120', 120],
  ['121', 60],
  ['-1', 60],
])('X-Retry-After %s: the reset is %i seconds away', (wait, seconds) => {
  const given = { ...headers, 'x-retry-after': wait };
  expect(parseRateLimitHeaders(given).minute?.resetsInSeconds).toBe(seconds);
});

test('a missing reset is a whole window away', () => {
  const { 'x-retry-after': _, 'x-daily-retry-after': __, ...rest } = headers;
  expect(parseRateLimitHeaders(rest).minute?.resetsInSeconds).toBe(60);
  expect(parseRateLimitHeaders(rest).day?.resetsInSeconds).toBe(86_400);
});

describe('a 429', () => {
  test('of the minute limit means that no request remains, regardless of its headers', () => {
    expect(parseLimitExceededHeaders(headers, false)).toEqual({ minute: { ...minute, remaining: 0 }, day });
  });

  test('without headers waits a whole minute', () => {
    expect(parseLimitExceededHeaders({}, false).minute).toEqual({
      limit: Infinity,
      remaining: 0,
      resetsInSeconds: 60,
    });
  });

  test('of the day says nothing about the minute: X-Retry-After may mean either', () => {
    expect(parseLimitExceededHeaders({ ...headers, 'x-retry-after': '80000' }, true)).toEqual({
      day: { ...day, remaining: 0 },
    });
    expect(parseLimitExceededHeaders({}, true).day).toEqual({
      limit: Infinity,
      remaining: 0,
      resetsInSeconds: 86_400,
    });
  });
});

test.each(['60000', '1790000000', '1e13'])(
  'a reset of %s is not in seconds, so the full window is assumed',
  (odd) => {
    const given = { ...headers, 'x-retry-after': odd, 'x-daily-retry-after': `${odd}00` };
    expect(parseRateLimitHeaders(given)).toMatchObject({
      minute: { resetsInSeconds: 60 },
      day: { resetsInSeconds: 86_400 },
    });
    expect(parseLimitExceededHeaders(given, false).minute?.resetsInSeconds).toBe(60);
    expect(parseLimitExceededHeaders(given, true).day?.resetsInSeconds).toBe(86_400);
  },
);

test.each(['0', '-1'])('a limit of %s on an answer that was let through is none', (none) => {
  const given = { ...headers, 'x-ratelimit-limit': none, 'x-ratelimit-daily-limit': none };
  expect(parseRateLimitHeaders(given)).toEqual({ minute: undefined, day: undefined });
  expect(parseLimitExceededHeaders(given, false).minute).toEqual({
    limit: Infinity,
    remaining: 0,
    resetsInSeconds: 33,
  });
});
