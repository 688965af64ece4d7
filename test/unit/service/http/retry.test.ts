import { NetworkError } from '../../../../nodes/service';
import type { Effect } from '../../../../nodes/service/endpoints/endpoint';
import { type AttemptResult, createFailedResult as toResult } from '../../../../nodes/service/http/response';
import { RETRY_LIMITS, decideRetry, recordFailedAttempt } from '../../../../nodes/service/http/retry';

const EFFECTS: Effect[] = ['read', 'idempotent', 'longRunning', 'nonIdempotent'];
const createAnswer = (status: number, msg = ''): AttemptResult => ({ status, headers: {}, body: { msg } });
const createFault = (code: string) => toResult(new NetworkError(code, ''));
const OF_THE_DAY = 'Too Many Attempts In Day';
/** A success that is no JSON. */
const BROKEN: AttemptResult = { status: 200, headers: {}, body: '<html>' };
const first = { refusals: 0, faults: 1 };

const shouldRepeat = (outcome: AttemptResult, effect: Effect, tally = first) =>
  decideRetry(outcome, effect, tally, 0).retry;
const hasUnknownOutcome = (outcome: AttemptResult, effect: Effect) => {
  const decision = decideRetry(outcome, effect, first, 0);
  return !decision.retry && decision.isOutcomeUnknown;
};

describe.each(EFFECTS)('%s', (effect) => {
  test.each(['ECONNREFUSED', 'EAI_AGAIN', 'LOGIN_DELAYED'])('%s was never sent: again', (code) => {
    expect(shouldRepeat(createFault(code), effect)).toBe(true);
  });

  test('ENOTFOUND: not again, because the host does not exist, and nothing was sent', () => {
    expect(shouldRepeat(createFault('ENOTFOUND'), effect)).toBe(false);
    expect(hasUnknownOutcome(createFault('ENOTFOUND'), effect)).toBe(false);
  });

  test('a 429 of the minute: again, up to its own limit', () => {
    expect(shouldRepeat(createAnswer(429), effect, { refusals: 1, faults: RETRY_LIMITS.faults })).toBe(true);
    expect(shouldRepeat(createAnswer(429), effect, { refusals: RETRY_LIMITS.refusals, faults: 0 })).toBe(
      false,
    );
  });

  test.each(['ANSWER_TOO_LARGE', 'FILE_TOO_LARGE'])(
    '%s: not again, and only a read has no effect',
    (code) => {
      expect(shouldRepeat(createFault(code), effect)).toBe(false);
      expect(hasUnknownOutcome(createFault(code), effect)).toBe(effect !== 'read');
    },
  );

  test('a 429 of the day: never again, and nothing is unknown', () => {
    expect(shouldRepeat(createAnswer(429, OF_THE_DAY), effect)).toBe(false);
    expect(hasUnknownOutcome(createAnswer(429, OF_THE_DAY), effect)).toBe(false);
  });

  test.each([301, 302, 304, 307, 400, 401, 403, 404, 408, 409, 412, 422, 425])(
    '%i: never again',
    (status) => {
      expect(shouldRepeat(createAnswer(status), effect)).toBe(false);
      expect(hasUnknownOutcome(createAnswer(status), effect)).toBe(false);
    },
  );

  test.each([
    'LOGIN_FAILED',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_INVALID_URL',
  ])('%s: never sent, and hopeless', (code) => {
    expect(shouldRepeat(createFault(code), effect)).toBe(false);
    expect(hasUnknownOutcome(createFault(code), effect)).toBe(false);
  });

  const unclear: AttemptResult[] = [
    createFault('ECONNRESET'), createFault('EPIPE'), createFault('UNKNOWN'),
    createAnswer(500), createAnswer(502), createAnswer(503), createAnswer(520), BROKEN,
  ]; // prettier-ignore
  test.each(unclear)('%j is unclear: again unless it must happen once', (outcome) => {
    expect(shouldRepeat(outcome, effect)).toBe(effect !== 'nonIdempotent');
    expect(hasUnknownOutcome(outcome, effect)).toBe(effect === 'nonIdempotent');
  });

  const timeouts: AttemptResult[] = [
    createFault('ETIMEDOUT'),
    createFault('ECONNABORTED'),
    createAnswer(504),
    createAnswer(524),
  ];
  test.each(timeouts)('%j: again unless it may still be going on', (outcome) => {
    expect(shouldRepeat(outcome, effect)).toBe(effect === 'read' || effect === 'idempotent');
    expect(hasUnknownOutcome(outcome, effect)).toBe(effect === 'longRunning' || effect === 'nonIdempotent');
  });

  test('stops retrying after the maximum number of faults', () => {
    expect(
      shouldRepeat(createFault('EAI_AGAIN'), effect, { refusals: 0, faults: RETRY_LIMITS.faults - 1 }),
    ).toBe(true);
    expect(shouldRepeat(createFault('EAI_AGAIN'), effect, { refusals: 0, faults: RETRY_LIMITS.faults })).toBe(
      false,
    );
  });
});

test.each([
  [1, 0, 500],
  [1, 1, 625],
  [2, 0, 1_000],
  [3, 0, 2_000],
  [3, 1, 2_500],
])('fault %i with random %d waits %i ms', (faults, random, waitMs) => {
  expect(decideRetry(createFault('EAI_AGAIN'), 'read', { refusals: 0, faults }, random)).toEqual({
    retry: true,
    waitMs,
  });
});

test.each<[string, AttemptResult, Effect, boolean]>([
  ['a change whose success shows nothing', BROKEN, 'idempotent', true],
  ['a start whose success shows nothing', BROKEN, 'longRunning', true],
  ['a read whose answer is broken', BROKEN, 'read', false],
  ['a change that fails', createAnswer(500), 'idempotent', false],
])('after the last attempt the outcome of %s is unknown or not', (_, outcome, effect, isOutcomeUnknown) => {
  const last = { refusals: 0, faults: RETRY_LIMITS.faults };
  expect(decideRetry(outcome, effect, last, 0)).toEqual({ retry: false, isOutcomeUnknown });
});

test('does not wait after a refusal, because the rate limiter does', () => {
  expect(decideRetry(createAnswer(429), 'nonIdempotent', { refusals: 1, faults: 0 }, 1)).toEqual({
    retry: true,
    waitMs: 0,
  });
});

describe('progress of a call', () => {
  const created = { refusals: 0, faults: 0, sentCount: 0 };

  test.each([
    [createAnswer(429), { ...created, refusals: 1 }],
    [createAnswer(429, OF_THE_DAY), { ...created, refusals: 1 }],
    [createAnswer(500), { ...created, faults: 1, sentCount: 1 }],
    [createAnswer(503), { ...created, faults: 1, sentCount: 1 }],
    [BROKEN, { ...created, faults: 1, sentCount: 1 }],
    [createAnswer(504), { ...created, faults: 1, sentCount: 1 }],
    [createAnswer(524), { ...created, faults: 1, sentCount: 1 }],
    [createFault('ETIMEDOUT'), { ...created, faults: 1, sentCount: 1 }],
    [createFault('ECONNRESET'), { ...created, faults: 1, sentCount: 1 }],
    [createFault('ECONNREFUSED'), { ...created, faults: 1 }],
    [createFault('CERT_HAS_EXPIRED'), { ...created, faults: 1 }],
  ])('after %j it is %j', (outcome, expected) => {
    const progress = { ...created };
    recordFailedAttempt(progress, outcome);
    expect(progress).toEqual(expected);
  });

  test('attempts are added up', () => {
    const progress = { ...created };
    for (const outcome of [createFault('ETIMEDOUT'), createAnswer(429), createAnswer(500)]) {
      recordFailedAttempt(progress, outcome);
    }
    expect(progress).toEqual({ refusals: 1, faults: 2, sentCount: 2 });
  });
});
