import type { Effect } from '../../../nodes/shared/model/endpoint';
import { decide, RETRY_LIMITS, type Outcome } from '../../../nodes/shared/transport/retry';

const EFFECTS: Effect[] = ['read', 'idempotent', 'lasting', 'once'];
const answer = (status: number, dailyLimit = false): Outcome => ({ kind: 'answer', status, dailyLimit });
const fault = (code: string): Outcome => ({ kind: 'fault', code });
const first = { refusals: 0, faults: 1 };

const repeats = (outcome: Outcome, effect: Effect, tally = first) => decide(outcome, effect, tally, 0).retry;
const unknown = (outcome: Outcome, effect: Effect) => {
  const decision = decide(outcome, effect, first, 0);
  return !decision.retry && decision.unknownOutcome;
};

describe.each(EFFECTS)('%s', (effect) => {
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'LOGIN_DELAYED'])(
    '%s was never sent: again',
    (code) => {
      expect(repeats(fault(code), effect)).toBe(true);
    },
  );

  test('a 429 of the minute: again, up to its own limit', () => {
    expect(repeats(answer(429), effect, { refusals: 1, faults: RETRY_LIMITS.faults })).toBe(true);
    expect(repeats(answer(429), effect, { refusals: RETRY_LIMITS.refusals, faults: 0 })).toBe(false);
  });

  test('a 429 of the day: never again, and nothing is unknown', () => {
    expect(repeats(answer(429, true), effect)).toBe(false);
    expect(unknown(answer(429, true), effect)).toBe(false);
  });

  test.each([301, 302, 304, 307, 400, 401, 403, 404, 408, 409, 412, 422, 425])(
    '%i: never again',
    (status) => {
      expect(repeats(answer(status), effect)).toBe(false);
      expect(unknown(answer(status), effect)).toBe(false);
    },
  );

  test.each([
    'LOGIN_FAILED',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_INVALID_URL',
  ])('%s: never sent, and hopeless', (code) => {
    expect(repeats(fault(code), effect)).toBe(false);
    expect(unknown(fault(code), effect)).toBe(false);
  });

  const unclear: Outcome[] = [
    fault('ECONNRESET'), fault('EPIPE'), fault('UNKNOWN'),
    answer(500), answer(502), answer(503), answer(520), { kind: 'broken' },
  ]; // prettier-ignore
  test.each(unclear)('%j is unclear: again unless it must happen once', (outcome) => {
    expect(repeats(outcome, effect)).toBe(effect !== 'once');
    expect(unknown(outcome, effect)).toBe(effect === 'once');
  });

  const timeouts: Outcome[] = [fault('ETIMEDOUT'), fault('ECONNABORTED'), answer(504), answer(524)];
  test.each(timeouts)('%j: again unless it may still be going on', (outcome) => {
    expect(repeats(outcome, effect)).toBe(effect === 'read' || effect === 'idempotent');
    expect(unknown(outcome, effect)).toBe(effect === 'lasting' || effect === 'once');
  });

  test('gives up after so many faults', () => {
    expect(repeats(fault('ENOTFOUND'), effect, { refusals: 0, faults: RETRY_LIMITS.faults - 1 })).toBe(true);
    expect(repeats(fault('ENOTFOUND'), effect, { refusals: 0, faults: RETRY_LIMITS.faults })).toBe(false);
  });
});

test.each([
  [1, 0, 500],
  [1, 1, 625],
  [2, 0, 1_000],
  [3, 0, 2_000],
  [3, 1, 2_500],
])('fault %i with random %d waits %i ms', (faults, random, waitMs) => {
  expect(decide(fault('ENOTFOUND'), 'read', { refusals: 0, faults }, random)).toEqual({
    retry: true,
    waitMs,
  });
});

test('a refusal is waited out by the budget, not here', () => {
  expect(decide(answer(429), 'once', { refusals: 1, faults: 0 }, 1)).toEqual({ retry: true, waitMs: 0 });
});
