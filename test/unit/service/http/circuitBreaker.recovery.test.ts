import { NetworkError } from '../../../../nodes/service';
import { CircuitBreaker } from '../../../../nodes/service/http/circuitBreaker';
import { type AttemptResult, createFailedResult } from '../../../../nodes/service/http/response';

/** Milliseconds after which one call checks whether the service has recovered. */
const RETRY_AFTER_MS = 30_000;

const explanation = { message: 'Nothing answers', description: 'Check the Base URL.' };
const refused = createFailedResult(new NetworkError('ECONNREFUSED', 'connect ECONNREFUSED'));
const answer = (status: number, msg = ''): AttemptResult => ({ status, headers: {}, body: { msg } });

function createBreaker() {
  let now = 1_000_000;
  const breaker = new CircuitBreaker(() => now);
  const fail = (result: AttemptResult, count = 1) => {
    for (let nth = 0; nth < count; nth++) breaker.recordFailure({ result, explanation });
  };
  return { breaker, fail, advance: (ms: number) => void (now += ms) };
}

const isOpen = (breaker: CircuitBreaker): boolean => {
  try {
    breaker.ensureServiceAvailable();
    return false;
  } catch {
    return true;
  }
};

test.each<[string, AttemptResult, number]>([
  ['a refused connection', refused, 5],
  ['503', answer(503), 5],
  ['a disabled key', answer(401, 'API Disabled'), 1],
])('%s: the calls end', (_, result, count) => {
  const { breaker, fail } = createBreaker();
  fail(result, count - 1);
  expect(isOpen(breaker)).toBe(false);
  fail(result);
  expect(isOpen(breaker)).toBe(true);
});

test.each<[string, AttemptResult]>([
  ['a refused user', answer(401, 'Invalid user token')],
  ['a missing record', answer(404)],
  ['a message of another status', answer(403, 'API Disabled')],
  ['a reset connection', createFailedResult(new NetworkError('ECONNRESET', 'API Disabled'))],
])('%s never ends them, and ends a row of failures', (_, result) => {
  const { breaker, fail } = createBreaker();
  fail(refused, 4);
  fail(result, 6);
  fail(refused, 4);
  expect(isOpen(breaker)).toBe(false);
});

test('after 30 s, one call in 30 s checks whether the service has recovered', () => {
  const { breaker, fail, advance } = createBreaker();
  fail(refused, 5);
  advance(RETRY_AFTER_MS - 1);
  expect(isOpen(breaker)).toBe(true);
  advance(1);
  expect([isOpen(breaker), isOpen(breaker)]).toEqual([false, true]);
  advance(RETRY_AFTER_MS - 1);
  expect(isOpen(breaker)).toBe(true);
  advance(1);
  expect(isOpen(breaker)).toBe(false);
  breaker.recordSuccess();
  expect([isOpen(breaker), isOpen(breaker)]).toEqual([false, false]);
});

test.each<[AttemptResult, number, number | undefined, string]>([
  [answer(401, 'API Disabled'), 1, 401, 'Check the Base URL.'],
  [
    refused,
    5,
    undefined,
    'The 5 calls before it failed for the same reason. Check that the service is available and run the remaining items again.',
  ],
])('the error of a call that was not sent says why', (result, count, status, description) => {
  const { breaker, fail } = createBreaker();
  fail(result, count);
  expect(() => breaker.ensureServiceAvailable()).toThrow(
    expect.objectContaining({
      message: 'Nothing answers, so this call was not sent',
      description,
      status,
    }),
  );
});
