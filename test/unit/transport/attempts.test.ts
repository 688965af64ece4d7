import { v1 } from '../../../nodes/shared/model/endpoint';
import { Client, DEFAULT_PARALLEL } from '../../../nodes/shared/transport/client';
import { ApiFailure } from '../../../nodes/shared/transport/errors';
import { NO_LOGIN, sealToken } from '../../../nodes/shared/transport/keys';
import { poll } from '../../../nodes/shared/transport/poll';
import type { ApiContext } from '../../../nodes/shared/transport/send';
import { FakeN8n, lost, ok, refused, type Sent } from './fakeN8n';

/** When each attempt of a call is made, by a clock that only these tests move. */

const read = v1('GET /things');
const create = v1('POST /things');
const user = { userLogin: true, email: 'ada@example.com', password: 'a-password' };

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

/** The failure of a call, or nothing, with the moments of its attempts in milliseconds. */
async function attempts(
  answer: ConstructorParameters<typeof FakeN8n>[0],
  { endpoint = read, passMs = 600_000, secrets = undefined as string[] | undefined } = {},
) {
  const at: number[] = [];
  const started = performance.now();
  const n8n = new FakeN8n((request, nth) => {
    at.push(performance.now() - started);
    return answer(request, nth);
  });
  const call = (await n8n.client()).call(endpoint, { secrets }).then(
    () => undefined,
    (error: unknown) => error as ApiFailure,
  );
  await jest.advanceTimersByTimeAsync(passMs);
  return { failure: await call, at, gaps: at.slice(1).map((moment, index) => moment - at[index]!) };
}

test('a fault is tried four times, after half a second, one and two, each up to a quarter longer', async () => {
  const { failure, gaps } = await attempts(() => refused(503, 'Down'));
  expect(failure).toMatchObject({ status: 503, attempts: 4, outcomeUnknown: false });
  expect(gaps).toHaveLength(3);
  [500, 1_000, 2_000].forEach((least, index) => {
    expect(gaps[index]).toBeGreaterThanOrEqual(least);
    expect(gaps[index]).toBeLessThanOrEqual(least * 1.25 + 1);
  });
});

test('a network fault has no status; what it says is told', async () => {
  const { failure, at } = await attempts(() => Promise.reject(lost('ENOTFOUND')));
  expect(at).toHaveLength(4);
  expect(failure).toMatchObject({ status: undefined, attempts: 0, message: expect.stringContaining('service.example') as string }); // prettier-ignore
});

test.each([
  ['never arrived', 'ECONNREFUSED', 1],
  ['may have arrived', 'ECONNRESET', 2],
])('an attempt that %s counts so: %s', async (_, code, count) => {
  const { failure, at } = await attempts((_request, nth) =>
    nth === 1 ? Promise.reject(lost(code)) : refused(404, 'Record Not Found'),
  );
  expect(at).toHaveLength(2);
  expect(failure).toMatchObject({ status: 404, attempts: count });
});

test('a refusal for the minute is tried twenty times and counts as no attempt', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '3' };
  const { failure, gaps } = await attempts(() => refused(429, 'Too Many Attempts In Minute', headers));
  expect(failure).toMatchObject({ status: 429, attempts: 0, outcomeUnknown: false });
  expect(gaps).toHaveLength(19);
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(3_000);
    expect(gap).toBeLessThanOrEqual(3_101);
  }
});

test('faults and refusals are counted apart', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '1' };
  const { failure, at } = await attempts((_, nth) =>
    nth % 2 ? refused(429, 'Too Many Attempts In Minute', headers) : refused(500, 'Oops'),
  );
  expect(failure).toMatchObject({ status: 500, attempts: 4 });
  expect(at).toHaveLength(8);
});

test('secrets of the call are cut out of its failure, as those of the credential are', async () => {
  const { failure } = await attempts(() => refused(403, 'not this-token nor a-secret-value'), {
    secrets: ['this-token'],
  });
  const text = JSON.stringify(failure!.explanation);
  expect(text).toContain('not ••• nor •••');
  expect(failure!.status).toBe(403);
});

test("the user's token is cut out as well, also one that was renewed during the execution", async () => {
  const n8n = new FakeN8n(() => refused(403, 'Session tok-1234567890 may not do this'), user);
  const client = await n8n.client();
  n8n.credential.sessionToken = sealToken(client.keys, 'tok-1234567890');
  const failure = await client.call(read).catch((error: unknown) => error as ApiFailure);
  expect(JSON.stringify((failure as ApiFailure).explanation)).toContain('Session ••• may not');
});

test('a create that failed for good keeps what the service said, behind what is not known', async () => {
  const { failure } = await attempts(() => refused(502, 'Bad gateway'), { endpoint: create });
  expect(failure).toMatchObject({ outcomeUnknown: true, attempts: 1, status: 502 });
  expect(failure!.explanation.message).toBe('Outcome unknown: the service failed while answering');
  expect(failure!.explanation.description).toMatch(/not sent again.*It answered: 502 Bad gateway/);
});

test('a call says how long it may take and how it is written; what is not given stays out', async () => {
  const n8n = new FakeN8n(() => ok());
  const client = await n8n.client();
  await client.call(create, { query: { a: 1 }, body: { b: 0 }, headers: { H: 'v' } });
  expect(n8n.sent[0]).toMatchObject({ timeout: 120_000, qs: { a: 1 }, body: { b: 0 }, headers: { H: 'v' } });
  expect(client.parallel).toBe(DEFAULT_PARALLEL);
  expect((await n8n.client({ parallel: 2 })).parallel).toBe(2);
});

test('eight calls at once where nobody says otherwise', async () => {
  let [atOnce, most] = [0, 0];
  const n8n = new FakeN8n(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    return ok();
  });
  const client = await n8n.client();
  const calls = Promise.all(Array.from({ length: 30 }, () => client.call(read)));
  await jest.advanceTimersByTimeAsync(1_000);
  await calls;
  expect(most).toBe(8);
});

test('a call with an Authorization of its own never logs the credential in', async () => {
  const n8n = new FakeN8n(() => refused(401, 'Token expired'), user);
  const client = await n8n.client();
  for (const Authorization of ['Bearer x', NO_LOGIN]) {
    await expect(client.call(create, { headers: { Authorization } })).rejects.toThrow('refused the login');
  }
  expect(n8n.logins).toBe(0);
  expect(n8n.sent.map(({ ignoreHttpStatusErrors }: Sent) => ignoreHttpStatusErrors)).toEqual([true, true]);
});

test('what breaks before a call is made is told without a status', async () => {
  const n8n = new FakeN8n(() => ok());
  const client = await n8n.client();
  Object.assign(n8n.context.helpers, { httpRequestWithAuthentication: undefined });
  const failure = await client.call(create).catch((error: unknown) => error as ApiFailure);
  expect(failure).toBeInstanceOf(ApiFailure);
  expect(failure).toMatchObject({ status: undefined });
});

test('a context without executions has nothing to cancel', async () => {
  const n8n = new FakeN8n(() => ok({ type: 'success', n: 1 }));
  const { getCredentials, helpers } = n8n.context;
  const client = await Client.for({ getCredentials, helpers } as unknown as ApiContext);
  expect(await client.call(read)).toEqual({ body: { type: 'success', n: 1 }, headers: {} });
});

test('the wait for the limit is told after the run, not before it is long', async () => {
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '10' };
  const n8n = new FakeN8n((_, nth) => ({ ...ok(), ...(nth === 1 && { headers }) }));
  const client = await n8n.client();
  await client.call(read);
  const waiting = client.call(read);
  await jest.advanceTimersByTimeAsync(11_000);
  await waiting;
  client.notices.finish();
  expect(n8n.hints.map(({ message }) => message).join()).toMatch(/it waited 10 seconds\./);
});

test('a poll looks after 0.5 s, then half as long again each time, up to 15 s', async () => {
  const started = performance.now();
  const looks: number[] = [];
  const done = poll({
    look: async () => void looks.push(performance.now() - started),
    limitMs: 100_000,
  });
  await jest.advanceTimersByTimeAsync(200_000);
  expect(await done).toEqual({ kind: 'timeout' });
  const gaps = looks.map((at, index) => at - (looks[index - 1] ?? 0));
  [500, 750, 1_125, 1_687.5, 2_531.25].forEach((gap, i) => expect(gaps[i]).toBeCloseTo(gap, -1));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15_001);
  expect(gaps.filter((gap) => gap > 14_990).length).toBeGreaterThan(2);
  expect(looks.at(-1)).toBeCloseTo(100_000, -1);
});

test('a poll that was cancelled before it began does not look', async () => {
  const look = jest.fn();
  const cancelled = AbortSignal.abort();
  expect(await poll({ look, signal: cancelled, limitMs: 1_000 })).toEqual({ kind: 'cancelled' });
  expect(look).not.toHaveBeenCalled();
});
