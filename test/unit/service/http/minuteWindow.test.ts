import { MinuteWindow, type Permit } from '../../../../nodes/service/http/minuteWindow';

/** Single windows to the millisecond. `rateLimiter.test.ts` simulates hours. */

const createLimit = (remaining: number, resetsInSeconds: number, limit = 100) => ({
  limit,
  remaining,
  resetsInSeconds,
});
/** A window that has been learned from one answer at `now`, so the spare call is still kept back. */
function createLearnedWindow(remaining: number, seconds: number, { now = 1_000, random = 0 } = {}) {
  const window = new MinuteWindow(() => random);
  window.release(window.acquire(now, now), now, createLimit(remaining, seconds));
  return window;
}
const admit = (window: MinuteWindow, now: number, count: number): Permit[] =>
  Array.from({ length: count }, () => window.acquire(now, now));

test('the first call goes at once and alone, and is waited for two seconds', () => {
  const window = new MinuteWindow(() => 0);
  expect(window.getOpenTime(1_000)).toBeLessThanOrEqual(1_000);
  const ticket = window.acquire(1_000, 400);
  expect(ticket).toEqual({ sentAt: 1_000, waitedMs: 600, window: 0 });
  expect(window.getOpenTime(1_001)).toBe(3_000);
  expect(window.getOpenTime(3_000)).toBeLessThanOrEqual(3_000);
});

test('a first call that fails makes room for the next one at once', () => {
  const window = new MinuteWindow(() => 0);
  window.release(window.acquire(1_000, 1_000), 1_500);
  expect(window.getOpenTime(1_500)).toBeLessThanOrEqual(1_500);
});

test('a quarter of what is left goes out at once, one at least', () => {
  const window = createLearnedWindow(40, 60);
  expect(window.getOpenTime(1_000)).toBe(1_000);
  admit(window, 1_000, 9);
  expect(window.getOpenTime(1_000)).toBe(1_000);
  admit(window, 1_000, 1);
  // The tenth was the last of the quarter: the next goes when the first has been waited for.
  expect(window.getOpenTime(1_000)).toBe(3_000);
  expect(window.getOpenTime(2_999)).toBe(3_000);
  expect(window.getOpenTime(3_000)).toBe(3_000);

  const small = createLearnedWindow(3, 60);
  admit(small, 1_000, 1);
  expect(small.getOpenTime(1_500)).toBe(3_000);
});

test('no call waits for recent calls beyond the start of the next window', () => {
  const window = createLearnedWindow(4, 2);
  window.acquire(2_500, 2_500);
  // Sent at 2.5 s, it would be waited for until 4.5 s; the window ends at 3 s.
  expect(window.getOpenTime(2_600)).toBe(3_000);
});

test('reserves one call until a reset was observed, then none', () => {
  const window = createLearnedWindow(2, 60);
  expect(window.getOpenTime(1_000)).toBe(1_000);
  const [first] = admit(window, 1_000, 1);
  window.release(first!, 1_000, createLimit(1, 60));
  expect(window.getOpenTime(1_000)).toBe(61_000);

  const asking = window.acquire(61_000, 61_000);
  expect(asking.window).toBe(1);
  window.release(asking, 61_000, createLimit(1, 60));
  expect(window.getOpenTime(61_000)).toBe(61_000);
  window.release(window.acquire(61_000, 61_000), 61_000, createLimit(0, 60));
  expect(window.getOpenTime(61_000)).toBe(121_000);
});

test('an answer for a new window with nothing left is no reset that was seen', () => {
  const window = createLearnedWindow(0, 60);
  window.release(window.acquire(61_000, 61_000), 61_000, createLimit(0, 60));
  window.release(window.acquire(121_000, 121_000), 121_000, createLimit(2, 60));
  // Seen now: both calls may go.
  const [one] = admit(window, 121_000, 1);
  window.release(one!, 121_000, createLimit(1, 60));
  expect(window.getOpenTime(121_000)).toBe(121_000);
});

test('running calls reduce the remaining number', () => {
  const window = createLearnedWindow(9, 60);
  const tickets = admit(window, 1_000, 3);
  expect(window.getOpenTime(1_000)).toBe(3_000);
  // Answers may come in any order; the smallest number is the newest.
  window.release(tickets[2]!, 1_200, createLimit(6, 60));
  window.release(tickets[0]!, 1_200, createLimit(8, 60));
  window.release(tickets[1]!, 1_200, createLimit(7, 60));
  // Six are left, one of them kept back: a quarter at once.
  admit(window, 1_200, 2);
  expect(window.getOpenTime(1_200)).toBe(3_200);
  admit(window, 3_200, 2);
  expect(window.getOpenTime(5_200)).toBe(5_200);
  admit(window, 5_200, 1);
  expect(window.getOpenTime(7_200)).toBe(61_000);
});

test('a call whose answer was lost may have counted', () => {
  const window = createLearnedWindow(3, 60);
  window.release(window.acquire(1_000, 1_000), 1_100);
  expect(window.getOpenTime(1_100)).toBe(1_100);
  window.release(window.acquire(1_100, 1_100), 1_200);
  expect(window.getOpenTime(1_200)).toBe(61_000);
  window.release(window.acquire(1_200, 1_200), 1_300);
  window.release(window.acquire(1_300, 1_300), 1_400);
  expect(window.getOpenTime(1_400)).toBe(61_000);
});

test('an answer without an announcement counts as one call of a window that is known', () => {
  const window = createLearnedWindow(2, 60);
  window.release(window.acquire(1_000, 1_000), 1_100, null);
  expect(window.getOpenTime(1_100)).toBe(61_000);
});

test('a service without rate limit headers has no limit until it sends some', () => {
  const window = new MinuteWindow(() => 0);
  window.release(window.acquire(1_000, 1_000), 1_040, null);
  const tickets = admit(window, 1_040, 500);
  expect(window.getOpenTime(1_040)).toBe(1_040);
  window.release(tickets[0]!, 1_080, createLimit(0, 30));
  expect(window.getOpenTime(1_080)).toBe(31_080);
});

test('the end of a window is the earliest of the latest moments that its answers allow', () => {
  const window = createLearnedWindow(50, 60);
  window.release(window.acquire(1_500, 1_500), 1_900, createLimit(0, 59));
  expect(window.getOpenTime(2_000)).toBe(60_900);
  const later = createLearnedWindow(50, 60);
  later.release(later.acquire(1_500, 1_500), 1_900, createLimit(0, 60));
  expect(later.getOpenTime(2_000)).toBe(61_000);
});

test('ignores a late response of the previous window', () => {
  const window = createLearnedWindow(50, 10);
  const late = window.acquire(5_000, 5_000);
  const asking = window.acquire(11_000, 11_000);
  window.release(asking, 11_050, createLimit(40, 60));
  window.release(late, 11_100, createLimit(3, 1));
  window.release(window.acquire(11_100, 11_100), 11_150);
  expect(window.getOpenTime(11_150)).toBe(11_150);
  admit(window, 11_150, 9);
  expect(window.getOpenTime(11_150)).toBe(11_150);
});

test('an answer that can only be of a later window begins it, though nobody expected it', () => {
  const window = createLearnedWindow(0, 10);
  const ticket = window.acquire(5_000, 5_000);
  // 60 seconds from here on is far behind the end that was known.
  window.release(ticket, 5_100, createLimit(20, 60));
  expect(window.getOpenTime(5_100)).toBe(5_100);
  expect(window.acquire(5_100, 5_100).window).toBe(2);
});

test('applies a higher or lower limit immediately', () => {
  const window = createLearnedWindow(10, 60);
  window.release(window.acquire(1_000, 1_000), 1_100, createLimit(110, 60, 200));
  admit(window, 1_100, 27);
  expect(window.getOpenTime(1_100)).toBe(1_100);
  admit(window, 1_100, 1);
  expect(window.getOpenTime(1_100)).toBe(3_100);
  const shrunk = createLearnedWindow(90, 60);
  shrunk.release(shrunk.acquire(1_000, 1_000), 1_100, createLimit(0, 60, 50));
  expect(shrunk.getOpenTime(1_100)).toBe(61_000);
});

test('adds random jitter to the wait: a tenth of it, at most 0.1 s', () => {
  expect(createLearnedWindow(0, 60, { random: 1 }).getOpenTime(1_000)).toBe(61_100);
  expect(createLearnedWindow(0, 60, { random: 0.5 }).getOpenTime(1_000)).toBe(61_050);
  // Of a wait shorter than a second, less: here the end is taken for a second later.
  expect(createLearnedWindow(0, 1, { random: 1 }).getOpenTime(1_000)).toBe(2_100);
});

test('"0 seconds" shows a service that rounds down: every end is a second later', () => {
  const window = createLearnedWindow(0, 0);
  expect(window.getOpenTime(1_000)).toBe(2_000);
  window.release(window.acquire(2_000, 2_000), 2_000, createLimit(0, 10));
  expect(window.getOpenTime(2_000)).toBe(13_000);
});

test('"0 seconds" within a known window moves its end once', () => {
  const window = createLearnedWindow(50, 60);
  for (const sentAt of [58_000, 58_100]) {
    window.release(window.acquire(sentAt, sentAt), sentAt + 50, createLimit(0, 0));
    // The answer's own word is nearer than the end as it was known: 58,050 + 1,000.
    expect(window.getOpenTime(58_900)).toBe(59_050);
  }
});

test('"0 seconds" after the end of a window is no reset that was seen: one call is still kept back', () => {
  const window = createLearnedWindow(5, 60);
  window.release(window.acquire(61_000, 61_000), 61_000, createLimit(3, 0));
  for (let lost = 0; lost < 2; lost++) window.release(window.acquire(61_000, 61_000), 61_000);
  expect(window.getOpenTime(61_000)).toBe(62_000);
});

test('after the end of a window, one call is sent first and the others wait for its response', () => {
  const window = createLearnedWindow(50, 10);
  expect(window.getOpenTime(11_000)).toBeLessThanOrEqual(11_000);
  const asking = window.acquire(11_000, 11_000);
  expect(window.getOpenTime(11_010)).toBe(13_000);
  window.release(asking, 11_040);
  expect(window.getOpenTime(11_040)).toBeLessThanOrEqual(11_040);
});

test.each([
  [60_999, false],
  [61_000, true],
])('a window that was learned at 1 s and lasts 60 s is over at %i ms: %p', (now, isOver) => {
  expect(createLearnedWindow(40, 60).isOver(now)).toBe(isOver);
});

test('a window is not over while a call has no response', () => {
  const window = createLearnedWindow(40, 60);
  const [permit] = admit(window, 2_000, 1);
  expect(window.isOver(61_000)).toBe(false);
  window.release(permit!, 3_000);
  expect(window.isOver(61_000)).toBe(true);
});

test('a service without a limit has no window', () => {
  const window = new MinuteWindow(() => 0);
  const permit = window.acquire(1_000, 1_000);
  window.release(permit, 1_000, null);
  expect(window.isOver(1_000)).toBe(true);
  window.acquire(1_000, 1_000);
  expect(window.isOver(1_000)).toBe(false);
});
