import { v1 } from '../../../nodes/shared/model/endpoint';
import { InputError } from '../../../nodes/shared/model/inputError';
import { ApiFailure } from '../../../nodes/shared/transport/errors';
import { FakeN8n, lost, ok, refused } from './fakeN8n';

const list = v1('GET /things');
const create = v1('POST /things');
const one = v1('DELETE /things/{thingId}');

// A clock that only the tests move: waits take no time, and how long they are is exact.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

/** Lets time pass until a call is through. */
async function through<T>(call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => (isOver = true);
  call.then(over, over);
  while (!isOver) await jest.advanceTimersByTimeAsync(10);
  return call;
}

const failureOf = async (call: Promise<unknown>): Promise<ApiFailure> => {
  const error = await through(call).then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiFailure);
  return error as ApiFailure;
};

const window = (remaining: number, seconds: number) => ({
  'x-ratelimit-limit': '100',
  'x-ratelimit-remaining': String(remaining),
  'x-retry-after': String(seconds),
});

test('one call: the address, no redirects, every status an answer, the credential read once', async () => {
  const n8n = new FakeN8n(() => ok({ type: 'success', items: [] }));
  const client = await n8n.client({ timeout: 5_000 });
  await client.call(list);
  const answer = await client.call(one, { path: { thingId: 'a/b' } });
  expect(answer.body).toEqual({ type: 'success', items: [] });
  expect(n8n.sent.map(({ url }) => url)).toEqual([
    'https://service.example/api/v1/things',
    'https://service.example/api/v1/things/a%2Fb',
  ]);
  expect(n8n.sent[0]).not.toHaveProperty('method');
  expect(n8n.sent[1]).toMatchObject({
    method: 'DELETE',
    disableFollowRedirect: true,
    ignoreHttpStatusErrors: true,
    timeout: 5_000,
  });
  expect(n8n.credentialReads).toBe(1);
});

test('a bad path value is refused before anything is sent', async () => {
  const n8n = new FakeN8n(() => ok());
  await expect((await n8n.client()).call(one, { path: { thingId: '..' } })).rejects.toThrow(InputError);
  expect(n8n.sent).toHaveLength(0);
});

test('X-Retry-After on a success means nothing', async () => {
  const n8n = new FakeN8n(() => ({ ...ok(), headers: window(50, 3_600) }));
  const client = await n8n.client();
  const before = performance.now();
  for (let i = 0; i < 5; i++) await through(client.call(list));
  expect(performance.now() - before).toBeLessThan(1_000);
});

test('a minute 429 is waited out and repeated, also for a create', async () => {
  const n8n = new FakeN8n((_, nth) =>
    nth === 1 ? refused(429, 'Too Many Attempts In Minute', window(0, 1)) : ok(),
  );
  const before = performance.now();
  await through((await n8n.client()).call(create));
  const waited = performance.now() - before;
  expect(waited).toBeGreaterThanOrEqual(1_000);
  expect(waited).toBeLessThanOrEqual(1_120);
  expect(n8n.sent).toHaveLength(2);
});

test('a daily 429 fails at once with the reset; later calls fail without being sent', async () => {
  const headers = { ...window(50, 10), 'x-daily-retry-after': '7260' };
  const n8n = new FakeN8n(() => refused(429, 'Too Many Attempts In Day', headers));
  const client = await n8n.client();
  const failure = await failureOf(client.call(list));
  expect(failure.message).toBe('The request limit of the day is used up');
  expect(failure.explanation.description).toMatch(
    /^It resets in 2 h 1 min, at \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  );
  const second = await failureOf((await n8n.client()).call(create));
  expect(second.status).toBe(429);
  expect(second.outcomeUnknown).toBe(false);
  expect(n8n.sent).toHaveLength(1);
});

test('a create whose answer was lost is not repeated, and says so', async () => {
  for (const code of ['ECONNRESET', 'ETIMEDOUT']) {
    const n8n = new FakeN8n(() => Promise.reject(lost(code)));
    const failure = await failureOf((await n8n.client()).call(create));
    expect(failure.outcomeUnknown).toBe(true);
    expect(failure.message).toMatch(/^Outcome unknown: /);
    expect(n8n.sent).toHaveLength(1);
  }
});

test('a read whose answer was lost, broken or a web page is repeated', async () => {
  const n8n = new FakeN8n((_, nth) => {
    if (nth === 1) throw lost('ECONNRESET');
    return nth === 2 ? ok('<html>') : ok();
  });
  expect((await through((await n8n.client()).call(list))).body).toEqual({ type: 'success' });
  expect(n8n.sent).toHaveLength(3);
});

test('a request that was never sent is repeated, also for a create', async () => {
  const n8n = new FakeN8n((_, nth) => (nth === 1 ? Promise.reject(lost('ECONNREFUSED')) : ok()));
  await through((await n8n.client()).call(create));
  expect(n8n.sent).toHaveLength(2);
});

test('not more requests at once than "Parallel Requests"', async () => {
  let [atOnce, most] = [0, 0];
  const n8n = new FakeN8n(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    return { ...ok(), headers: window(1_000, 60) };
  });
  const client = await n8n.client({ parallel: 3 });
  await through(Promise.all(Array.from({ length: 20 }, () => client.call(list))));
  expect(most).toBe(3);
});

test('other executions with the same key share the budget', async () => {
  const n8n = new FakeN8n((_, nth) => ({ ...ok(), headers: window(Math.max(0, 2 - nth), 2) }));
  const [first, second] = [await n8n.client(), await n8n.client()];
  await through(first.call(list));
  const before = performance.now();
  await through(second.call(list));
  // The rest of the window, which began with the first answer.
  const waited = performance.now() - before;
  expect(waited).toBeGreaterThan(1_900);
  expect(waited).toBeLessThanOrEqual(2_100);
});

describe('a cancelled execution', () => {
  test('does not sit out the wait for the limit', async () => {
    const n8n = new FakeN8n(() => ({ ...ok(), headers: window(0, 60) }));
    const client = await n8n.client();
    await client.call(list);
    const waiting = failureOf(client.call(create));
    await jest.advanceTimersByTimeAsync(20);
    n8n.cancel.abort();
    expect((await waiting).message).toBe('The execution was cancelled');
    expect(n8n.sent).toHaveLength(1);
  });

  test('does not sit out the wait before a repetition', async () => {
    const n8n = new FakeN8n(() => refused(500, 'Internal Server Error'));
    const call = failureOf((await n8n.client()).call(list));
    await jest.advanceTimersByTimeAsync(20);
    n8n.cancel.abort();
    await call;
    expect(n8n.sent).toHaveLength(1);
  });

  test('a create that was cut off may have happened', async () => {
    const n8n = new FakeN8n(async () => {
      n8n.cancel.abort();
      throw lost('ERR_CANCELED');
    });
    const failure = await failureOf((await n8n.client()).call(create));
    expect(failure.outcomeUnknown).toBe(true);
    expect(failure.message).toBe('Outcome unknown: the execution was cancelled');
  });
});

test('a failure names field errors and holds neither request nor secrets', async () => {
  const n8n = new FakeN8n((_, nth) => ({
    statusCode: 422,
    headers: {},
    body: {
      type: 'error',
      msg: `Validation failed for a-secret-value, Bearer to.k-en (${nth})`,
      errors: { name: ['This field is required'] },
    },
  }));
  const failure = await failureOf((await n8n.client()).call(create));
  expect(failure.fieldErrors).toEqual({ name: ['This field is required'] });
  expect(failure.status).toBe(422);
  const text = JSON.stringify([failure.explanation, failure.stack, Object.entries(failure)]);
  expect(text).toContain('name: This field is required');
  expect(text).not.toMatch(/a-secret-value|to\.k-en|key-/);
});
