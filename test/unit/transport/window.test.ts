import { Window, type Ticket } from '../../../nodes/shared/transport/window';

/** One window by hand, to the millisecond; `budget.test.ts` shows what comes of it over hours. */

const allowed = (remaining: number, resetsInSeconds: number, limit = 100) => ({
  limit,
  remaining,
  resetsInSeconds,
});
/** A window that has been learned from one answer at `now`, so the spare call is still kept back. */
function learned(remaining: number, seconds: number, { now = 1_000, random = 0 } = {}) {
  const window = new Window(() => random);
  window.settle(window.admit(now, now), now, allowed(remaining, seconds));
  return window;
}
const admit = (window: Window, now: number, count: number): Ticket[] =>
  Array.from({ length: count }, () => window.admit(now, now));

test('the first call goes at once and alone, and is waited for two seconds', () => {
  const window = new Window(() => 0);
  expect(window.opensAt(1_000)).toBeLessThanOrEqual(1_000);
  const ticket = window.admit(1_000, 400);
  expect(ticket).toEqual({ sentAt: 1_000, waitedMs: 600, window: 0 });
  expect(window.opensAt(1_001)).toBe(3_000);
  expect(window.opensAt(3_000)).toBeLessThanOrEqual(3_000);
});

test('a first call that fails makes room for the next one at once', () => {
  const window = new Window(() => 0);
  window.settle(window.admit(1_000, 1_000), 1_500);
  expect(window.opensAt(1_500)).toBeLessThanOrEqual(1_500);
});

test('a quarter of what is left goes out at once, one at least', () => {
  const window = learned(40, 60);
  expect(window.opensAt(1_000)).toBe(1_000);
  admit(window, 1_000, 9);
  expect(window.opensAt(1_000)).toBe(1_000);
  admit(window, 1_000, 1);
  // The tenth was the last of the quarter: the next goes when the first has been waited for.
  expect(window.opensAt(1_000)).toBe(3_000);
  expect(window.opensAt(2_999)).toBe(3_000);
  expect(window.opensAt(3_000)).toBe(3_000);

  const small = learned(3, 60);
  admit(small, 1_000, 1);
  expect(small.opensAt(1_500)).toBe(3_000);
});

test('nobody waits longer for a place among the recent than for the next window', () => {
  const window = learned(4, 2);
  window.admit(2_500, 2_500);
  // Sent at 2.5 s, it would be waited for until 4.5 s; the window ends at 3 s.
  expect(window.opensAt(2_600)).toBe(3_000);
});

test('one call is kept back until a reset was seen, then none', () => {
  const window = learned(2, 60);
  expect(window.opensAt(1_000)).toBe(1_000);
  const [first] = admit(window, 1_000, 1);
  window.settle(first!, 1_000, allowed(1, 60));
  expect(window.opensAt(1_000)).toBe(61_000);

  const asking = window.admit(61_000, 61_000);
  expect(asking.window).toBe(1);
  window.settle(asking, 61_000, allowed(1, 60));
  expect(window.opensAt(61_000)).toBe(61_000);
  window.settle(window.admit(61_000, 61_000), 61_000, allowed(0, 60));
  expect(window.opensAt(61_000)).toBe(121_000);
});

test('an answer for a new window with nothing left is no reset that was seen', () => {
  const window = learned(0, 60);
  window.settle(window.admit(61_000, 61_000), 61_000, allowed(0, 60));
  window.settle(window.admit(121_000, 121_000), 121_000, allowed(2, 60));
  // Seen now: both calls may go.
  const [one] = admit(window, 121_000, 1);
  window.settle(one!, 121_000, allowed(1, 60));
  expect(window.opensAt(121_000)).toBe(121_000);
});

test('those under way count against what is left', () => {
  const window = learned(9, 60);
  const tickets = admit(window, 1_000, 3);
  expect(window.opensAt(1_000)).toBe(3_000);
  // Answers may come in any order; the smallest number is the newest.
  window.settle(tickets[2]!, 1_200, allowed(6, 60));
  window.settle(tickets[0]!, 1_200, allowed(8, 60));
  window.settle(tickets[1]!, 1_200, allowed(7, 60));
  // Six are left, one of them kept back: a quarter at once.
  admit(window, 1_200, 2);
  expect(window.opensAt(1_200)).toBe(3_200);
  admit(window, 3_200, 2);
  expect(window.opensAt(5_200)).toBe(5_200);
  admit(window, 5_200, 1);
  expect(window.opensAt(7_200)).toBe(61_000);
});

test('a call whose answer was lost may have counted', () => {
  const window = learned(3, 60);
  window.settle(window.admit(1_000, 1_000), 1_100);
  expect(window.opensAt(1_100)).toBe(1_100);
  window.settle(window.admit(1_100, 1_100), 1_200);
  expect(window.opensAt(1_200)).toBe(61_000);
  window.settle(window.admit(1_200, 1_200), 1_300);
  window.settle(window.admit(1_300, 1_300), 1_400);
  expect(window.opensAt(1_400)).toBe(61_000);
});

test('an answer without an announcement counts as one call of a window that is known', () => {
  const window = learned(2, 60);
  window.settle(window.admit(1_000, 1_000), 1_100, null);
  expect(window.opensAt(1_100)).toBe(61_000);
});

test('a service that announces nothing has no limit, until it announces one', () => {
  const window = new Window(() => 0);
  window.settle(window.admit(1_000, 1_000), 1_040, null);
  const tickets = admit(window, 1_040, 500);
  expect(window.opensAt(1_040)).toBe(1_040);
  window.settle(tickets[0]!, 1_080, allowed(0, 30));
  expect(window.opensAt(1_080)).toBe(31_080);
});

test('the end of a window is the earliest of the latest moments that its answers allow', () => {
  const window = learned(50, 60);
  window.settle(window.admit(1_500, 1_500), 1_900, allowed(0, 59));
  expect(window.opensAt(2_000)).toBe(60_900);
  const later = learned(50, 60);
  later.settle(later.admit(1_500, 1_500), 1_900, allowed(0, 60));
  expect(later.opensAt(2_000)).toBe(61_000);
});

test('a late answer of the last window says nothing about this one', () => {
  const window = learned(50, 10);
  const late = window.admit(5_000, 5_000);
  const asking = window.admit(11_000, 11_000);
  window.settle(asking, 11_050, allowed(40, 60));
  window.settle(late, 11_100, allowed(3, 1));
  window.settle(window.admit(11_100, 11_100), 11_150);
  expect(window.opensAt(11_150)).toBe(11_150);
  admit(window, 11_150, 9);
  expect(window.opensAt(11_150)).toBe(11_150);
});

test('an answer that can only be of a later window begins it, though nobody expected it', () => {
  const window = learned(0, 10);
  const ticket = window.admit(5_000, 5_000);
  // 60 seconds from here on is far behind the end that was known.
  window.settle(ticket, 5_100, allowed(20, 60));
  expect(window.opensAt(5_100)).toBe(5_100);
  expect(window.admit(5_100, 5_100).window).toBe(2);
});

test('a limit that changes is believed, whichever way', () => {
  const window = learned(10, 60);
  window.settle(window.admit(1_000, 1_000), 1_100, allowed(110, 60, 200));
  admit(window, 1_100, 27);
  expect(window.opensAt(1_100)).toBe(1_100);
  admit(window, 1_100, 1);
  expect(window.opensAt(1_100)).toBe(3_100);
  const shrunk = learned(90, 60);
  shrunk.settle(shrunk.admit(1_000, 1_000), 1_100, allowed(0, 60, 50));
  expect(shrunk.opensAt(1_100)).toBe(61_000);
});

test('clients that share a key wake apart: by a tenth of the wait, a tenth of a second at most', () => {
  expect(learned(0, 60, { random: 1 }).opensAt(1_000)).toBe(61_100);
  expect(learned(0, 60, { random: 0.5 }).opensAt(1_000)).toBe(61_050);
  // Of a wait shorter than a second, less: here the end is taken for a second later.
  expect(learned(0, 1, { random: 1 }).opensAt(1_000)).toBe(2_100);
});

test('"0 seconds" shows a service that rounds down: every end is a second later', () => {
  const window = learned(0, 0);
  expect(window.opensAt(1_000)).toBe(2_000);
  window.settle(window.admit(2_000, 2_000), 2_000, allowed(0, 10));
  expect(window.opensAt(2_000)).toBe(13_000);
});

test('"0 seconds" within a known window moves its end once', () => {
  const window = learned(50, 60);
  for (const sentAt of [58_000, 58_100]) {
    window.settle(window.admit(sentAt, sentAt), sentAt + 50, allowed(0, 0));
    // The answer's own word is nearer than the end as it was known: 58,050 + 1,000.
    expect(window.opensAt(58_900)).toBe(59_050);
  }
});

test('after the end, one call asks for the others, once', () => {
  const window = learned(50, 10);
  expect(window.opensAt(11_000)).toBeLessThanOrEqual(11_000);
  const asking = window.admit(11_000, 11_000);
  expect(window.opensAt(11_010)).toBe(13_000);
  window.settle(asking, 11_040);
  expect(window.opensAt(11_040)).toBeLessThanOrEqual(11_040);
});
