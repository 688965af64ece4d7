/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { type ApiContext, createNodeClient } from '../../../../nodes/n8n/http/port';
import { ApiError, CREDENTIAL_DEFAULTS } from '../../../../nodes/service';
import { defineV1 } from '../../../../nodes/service/endpoints/endpoint';
import { FakeN8n, createErrorAnswer, createLostError, createOkAnswer } from './fakeN8n';

/** The times of the attempts of a call, measured with fake timers. */

const read = defineV1('GET /things');
const create = defineV1('POST /things');
const user = { userLogin: 'password', email: 'ada@example.com', password: 'a-password' };

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

/** The failure of a call, if any, with the times of its attempts in milliseconds. */
async function runAttempts(
  answer: ConstructorParameters<typeof FakeN8n>[0],
  { endpoint = read, passMs = 600_000, secrets = undefined as string[] | undefined } = {},
) {
  const at: number[] = [];
  const started = performance.now();
  const n8n = new FakeN8n((request, nth) => {
    at.push(performance.now() - started);
    return answer(request, nth);
  });
  const call = (await n8n.createClient()).call(endpoint, { secrets }).then(
    () => undefined,
    (error: unknown) => error as ApiError,
  );
  await jest.advanceTimersByTimeAsync(passMs);
  return { failure: await call, at, gaps: at.slice(1).map((moment, index) => moment - at[index]!) };
}

test('a fault is tried four times, after half a second, one and two, each up to a quarter longer', async () => {
  const { failure, gaps } = await runAttempts(() => createErrorAnswer(503, 'Down'));
  expect(failure).toMatchObject({ status: 503, sentCount: 4, isOutcomeUnknown: false });
  expect(gaps).toHaveLength(3);
  [500, 1_000, 2_000].forEach((least, index) => {
    expect(gaps[index]).toBeGreaterThanOrEqual(least);
    expect(gaps[index]).toBeLessThanOrEqual(least * 1.25 + 1);
  });
});

test('a host that does not exist is asked for once, and the error names the Base URL', async () => {
  const { failure, at } = await runAttempts(() => Promise.reject(createLostError('ENOTFOUND')));
  expect(at).toHaveLength(1);
  expect(failure).toMatchObject({
    message: 'The host service.example was not found',
    description: expect.stringContaining('Check the Base URL') as string,
    sentCount: 0,
  });
});

test('so is the login of a user', async () => {
  const n8n = new FakeN8n(() => createOkAnswer(), user);
  n8n.answerLogin = () => Promise.reject(createLostError('ENOTFOUND'));
  const failed = (await n8n.createClient()).call(read).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(600_000);
  expect(await failed).toMatchObject({
    message: 'The host service.example was not found',
    description: expect.stringContaining('Check the Base URL') as string,
  });
  expect([n8n.logins, n8n.sent]).toEqual([1, []]);
});

test('a network fault has no status, and the error contains its message', async () => {
  const { failure, at } = await runAttempts(() => Promise.reject(createLostError('EAI_AGAIN')));
  expect(at).toHaveLength(4);
  expect(failure).toMatchObject({ status: undefined, sentCount: 0, message: expect.stringContaining('service.example') as string }); // prettier-ignore
});

test.each([
  ['never arrived', 'ECONNREFUSED', 1],
  ['may have arrived', 'ECONNRESET', 2],
])('an attempt that %s counts so: %s', async (_, code, count) => {
  const { failure, at } = await runAttempts((_request, nth) =>
    nth === 1 ? Promise.reject(createLostError(code)) : createErrorAnswer(404, 'Record Not Found'),
  );
  expect(at).toHaveLength(2);
  expect(failure).toMatchObject({ status: 404, sentCount: count });
});

test.each<[string, Parameters<typeof runAttempts>[0], object]>([
  ['an error of the service', () => createErrorAnswer(404, 'Not Found'), { isFromService: true }],
  [
    'a page of a proxy',
    () => ({ statusCode: 404, headers: {}, body: '<html></html>' }),
    { status: 404, isFromService: false },
  ],
  [
    'a timeout',
    () => Promise.reject(createLostError('ETIMEDOUT')),
    { code: 'timeout', isFromService: false },
  ],
  ['an aborted connection', () => Promise.reject(createLostError('ECONNABORTED')), { code: 'timeout' }],
  [
    'a file that is too large',
    () => Promise.reject(createLostError('FILE_TOO_LARGE')),
    { code: 'fileTooLarge' },
  ],
  ['an answer that is too large', () => Promise.reject(createLostError('ANSWER_TOO_LARGE')), {}],
  [
    'another network fault',
    () => Promise.reject(createLostError('ECONNRESET')),
    { code: undefined, isFromService: false },
  ],
])('the error says what is known: %s', async (_, answer, facts) => {
  expect((await runAttempts(answer)).failure).toMatchObject({ code: undefined, ...facts });
});

test('a request that the cancellation interrupts is a cancelled one', async () => {
  const n8n: FakeN8n = new FakeN8n(() => {
    n8n.cancel.abort();
    return Promise.reject(createLostError('ECONNRESET'));
  });
  const failed = (await n8n.createClient()).call(read).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await failed).toMatchObject({ code: 'cancelled', message: 'The execution was cancelled' });
});

test.each(['idempotent', 'nonIdempotent', 'longRunning'] as const)(
  'an empty answer to a change (%s) is complete: the change is not sent again, and is not reported as made',
  async (effect) => {
    const endpoint = defineV1('POST /things', { effect });
    const { failure, at } = await runAttempts(() => ({ statusCode: 204, headers: {}, body: '' }), {
      endpoint,
    });
    expect(at).toHaveLength(1);
    expect(failure).toMatchObject({
      message: expect.stringContaining('does not say that the change was made') as string,
      isOutcomeUnknown: true,
      isFromService: true,
    });
  },
);

test('an empty answer to a read is sent again', async () => {
  const { at } = await runAttempts(() => ({ statusCode: 204, headers: {}, body: '' }));
  expect(at).toHaveLength(4);
});

test('a call refused by the minute limit is sent up to twenty times, not counted as attempts', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '3' };
  const { failure, gaps } = await runAttempts(() =>
    createErrorAnswer(429, 'Too Many Attempts In Minute', headers),
  );
  expect(failure).toMatchObject({ status: 429, sentCount: 0, isOutcomeUnknown: false });
  expect(gaps).toHaveLength(19);
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(3_000);
    expect(gap).toBeLessThanOrEqual(3_101);
  }
});

test('counts faults and refusals separately', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '1' };
  const { failure, at } = await runAttempts((_, nth) =>
    nth % 2 ? createErrorAnswer(429, 'Too Many Attempts In Minute', headers) : createErrorAnswer(500, 'Oops'),
  );
  expect(failure).toMatchObject({ status: 500, sentCount: 4 });
  expect(at).toHaveLength(8);
});

test('removes the secrets of the call and of the credential from its error', async () => {
  const { failure } = await runAttempts(() => createErrorAnswer(403, 'not this-token nor a-secret-value'), {
    secrets: ['this-token'],
  });
  const text = JSON.stringify([failure!.message, failure!.description]);
  expect(text).toContain('not ••• nor •••');
  expect(failure!.status).toBe(403);
});

test('removes the token of the user from errors, also one that was renewed', async () => {
  const msg = 'Session token-first and token-second may not do this';
  const n8n = new FakeN8n(
    ({ headers }) => createErrorAnswer(headers?.Authorization === 'Bearer token-first' ? 401 : 403, msg),
    user,
  );
  n8n.answerLogin = (_, nth) => createOkAnswer({ token: nth === 1 ? 'token-first' : 'token-second' });
  const client = await n8n.createClient();
  const failure = await client.call(read).catch((error: unknown) => error as ApiError);
  expect(n8n.logins).toBe(2);
  expect((failure as ApiError).description).toContain('Session ••• and ••• may not');
});

test('the error of a create with an unknown outcome contains the message of the service', async () => {
  const { failure } = await runAttempts(() => createErrorAnswer(502, 'Bad gateway'), { endpoint: create });
  expect(failure).toMatchObject({ isOutcomeUnknown: true, sentCount: 1, status: 502 });
  expect(failure!.message).toBe('Outcome unknown: the service failed while answering');
  expect(failure!.description).toMatch(/before you repeat it\..*Reason: 502 Bad gateway\.$/);
});

test('a call passes its timeout, query, body and headers to n8n; its concurrency has a default', async () => {
  const n8n = new FakeN8n(() => createOkAnswer());
  const client = await n8n.createClient();
  await client.call(create, { query: { a: 1 }, body: { b: 0 }, headers: { H: 'v' } });
  expect(n8n.sent[0]).toMatchObject({
    timeout: 120_000,
    url: expect.stringMatching(/[?]a=1$/),
    body: { b: 0 },
    headers: { H: 'v' },
  });
  expect(client.concurrency).toBe(CREDENTIAL_DEFAULTS.parallelRequests);
});

test('sends eight calls at once by default', async () => {
  let [atOnce, most] = [0, 0];
  const n8n = new FakeN8n(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    return createOkAnswer();
  });
  const client = await n8n.createClient();
  const calls = Promise.all(Array.from({ length: 30 }, () => client.call(read)));
  await jest.advanceTimersByTimeAsync(1_000);
  await calls;
  expect(most).toBe(8);
});

test('a call with its own Authorization header never logs in with the credential', async () => {
  const n8n = new FakeN8n(() => createErrorAnswer(401, 'Token expired'), user);
  const client = await n8n.createClient();
  for (const Authorization of ['Bearer x', '']) {
    await expect(client.call(create, { headers: { Authorization } })).rejects.toThrow('refused the login');
  }
  expect(n8n.logins).toBe(0);
  expect(n8n.sent.map(({ headers }) => headers?.Authorization)).toEqual(['Bearer x', undefined]);
});

test('a context without executions cannot be cancelled', async () => {
  const n8n = new FakeN8n(() => createOkAnswer({ type: 'success', n: 1 }));
  const { getCredentials, getTimezone, helpers } = n8n.context;
  const client = await createNodeClient({ getCredentials, getTimezone, helpers } as unknown as ApiContext);
  expect(await client.call(read)).toEqual({ body: { n: 1 } });
});

test('the hint about the wait for the limit appears after the run, and only if the wait was long', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '10' };
  const n8n = new FakeN8n((_, nth) => ({ ...createOkAnswer(), ...(nth === 1 && { headers }) }));
  const client = await n8n.createClient();
  await client.call(read);
  const waiting = client.call(read);
  await jest.advanceTimersByTimeAsync(11_000);
  await waiting;
  client.notices.showUsageHints();
  expect(n8n.hints.map(({ message }) => message).join()).toMatch(/it waited 10 seconds\./);
});

test('a cancelled execution does not wait for the next attempt, and sends nothing more', async () => {
  const n8n = new FakeN8n(() => createErrorAnswer(503, 'Down'));
  const client = await n8n.createClient();
  const call = client.call(read).catch((error: unknown) => error as ApiError);
  await jest.advanceTimersByTimeAsync(100);
  n8n.cancel.abort();
  // No timers advance from here on.
  expect(await call).toMatchObject({ message: 'The execution was cancelled' });
  expect(n8n.sent).toHaveLength(1);
});

test('a cancelled execution waits neither for a parallel request slot nor for the rate limit', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '60' };
  const n8n = new FakeN8n(() => ({ ...createOkAnswer(), headers }), { parallelRequests: 1 });
  const client = await n8n.createClient();
  await client.call(read);
  const calls = Promise.all(
    Array.from({ length: 3 }, () => client.call(read).catch((error: unknown) => error as ApiError)),
  );
  await jest.advanceTimersByTimeAsync(100);
  n8n.cancel.abort();
  for (const error of await calls) expect(error).toMatchObject({ code: 'cancelled', sentCount: 0 });
  expect(n8n.sent).toHaveLength(1);
});

test('the number of parallel requests applies to all calls, not only to the first ones', async () => {
  let atOnce = 0;
  const seen: number[] = [];
  const n8n = new FakeN8n(
    async () => {
      seen.push(++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce--;
      return createOkAnswer();
    },
    { parallelRequests: 2 },
  );
  const client = await n8n.createClient();
  for (let round = 0; round < 3; round++) {
    const calls = Promise.all(Array.from({ length: 10 }, () => client.call(read)));
    await jest.advanceTimersByTimeAsync(100);
    await calls;
  }
  expect(seen).toHaveLength(30);
  expect(Math.max(...seen)).toBe(2);
});
