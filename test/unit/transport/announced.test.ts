import { announced, refusal } from '../../../nodes/shared/transport/announced';

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

test('reads both windows of an answer', () => expect(announced(headers)).toEqual({ minute, day }));

test.each([-3_600, 0, 3_600])('a clock of the service that is %i s off changes nothing', (skew) => {
  const stamp = String(Math.floor(Date.now() / 1000) + skew + 33);
  const skewed = { ...headers, 'x-ratelimit-reset': stamp, 'x-daily-ratelimit-reset': stamp };
  expect(announced(skewed)).toEqual({ minute, day });
});

test.each([
  {},
  { 'x-ratelimit-limit': '120' },
  { ...headers, 'x-ratelimit-remaining': 'many' },
  { ...headers, 'x-ratelimit-limit': '' },
])('an incomplete announcement is none: %j', (given) =>
  expect(announced(given as Record<string, string>).minute).toBeUndefined(),
);

test('a missing reset is a whole window away', () => {
  const { 'x-retry-after': _, 'x-daily-retry-after': __, ...rest } = headers;
  expect(announced(rest).minute?.resetsInSeconds).toBe(60);
  expect(announced(rest).day?.resetsInSeconds).toBe(86_400);
});

describe('a 429', () => {
  test('of the minute leaves nothing, whatever it announces', () => {
    expect(refusal(headers, false)).toEqual({ minute: { ...minute, remaining: 0 }, day });
  });

  test('without headers waits a whole minute', () => {
    expect(refusal({}, false).minute).toEqual({ limit: 1, remaining: 0, resetsInSeconds: 60 });
  });

  test('of the day says nothing about the minute: X-Retry-After may mean either', () => {
    expect(refusal({ ...headers, 'x-retry-after': '80000' }, true)).toEqual({
      day: { ...day, remaining: 0 },
    });
    expect(refusal({}, true).day).toEqual({ limit: 1, remaining: 0, resetsInSeconds: 86_400 });
  });
});

test.each(['60000', '1790000000', '1e13'])(
  'a reset in %s is no number of seconds: the window is whole',
  (odd) => {
    const given = { ...headers, 'x-retry-after': odd, 'x-daily-retry-after': `${odd}00` };
    expect(announced(given)).toMatchObject({
      minute: { resetsInSeconds: 60 },
      day: { resetsInSeconds: 86_400 },
    });
    expect(refusal(given, false).minute?.resetsInSeconds).toBe(60);
    expect(refusal(given, true).day?.resetsInSeconds).toBe(86_400);
  },
);

test.each(['0', '-1'])('a limit of %s on an answer that was let through is none', (none) => {
  const given = { ...headers, 'x-ratelimit-limit': none, 'x-ratelimit-daily-limit': none };
  expect(announced(given)).toEqual({ minute: undefined, day: undefined });
  expect(refusal(given, false).minute).toEqual({ limit: 1, remaining: 0, resetsInSeconds: 33 });
});
