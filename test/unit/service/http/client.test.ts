/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { IExecuteFunctions } from 'n8n-workflow';
import { createPort } from '../../../../nodes/n8n/http/port';
import { ApiError, createClient, type HttpRequest, InputError } from '../../../../nodes/service';
import { defineV1 } from '../../../../nodes/service/endpoints/endpoint';
import { MEGABYTE } from '../../../../nodes/service/http/client';
import { RateLimiter } from '../../../../nodes/service/http/rateLimiter';
import { FakeN8n, createErrorAnswer, createLostError, createOkAnswer } from './fakeN8n';

const list = defineV1('GET /things');
const create = defineV1('POST /things');
const one = defineV1('DELETE /things/{thingId}');

// Fake timers: waits take no real time, and their length is exact.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

/** Advances the time until a call has ended. */
async function settle<T>(call: Promise<T>): Promise<T> {
  let isOver = false;
  const finish = () => (isOver = true);
  call.then(finish, finish);
  while (!isOver) await jest.advanceTimersByTimeAsync(10);
  return call;
}

const catchError = async (call: Promise<unknown>): Promise<ApiError> => {
  const error = await settle(call).then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
};

const createWindowHeaders = (remaining: number, seconds: number) => ({
  'x-ratelimit-limit': '100',
  'x-ratelimit-remaining': String(remaining),
  'x-retry-after': String(seconds),
});

test('one call: the address, no redirects, every status an answer, the credential read once', async () => {
  const n8n = new FakeN8n(() => createOkAnswer({ type: 'success', items: [] }));
  const client = await n8n.createClient({ timeout: 5_000 });
  await client.call(list);
  const answer = await client.call(one, { path: { thingId: 'a/b' } });
  expect(answer.body).toEqual({ items: [] });
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
  const n8n = new FakeN8n(() => createOkAnswer());
  await expect((await n8n.createClient()).call(one, { path: { thingId: '..' } })).rejects.toThrow(InputError);
  expect(n8n.sent).toHaveLength(0);
});

test('ignores X-Retry-After on a success', async () => {
  const n8n = new FakeN8n(() => ({ ...createOkAnswer(), headers: createWindowHeaders(50, 3_600) }));
  const client = await n8n.createClient();
  const before = performance.now();
  for (let i = 0; i < 5; i++) await settle(client.call(list));
  expect(performance.now() - before).toBeLessThan(1_000);
});

test('waits after a 429 of the minute limit and repeats the call, also a create', async () => {
  const n8n = new FakeN8n((_, nth) =>
    nth === 1
      ? createErrorAnswer(429, 'Too Many Attempts In Minute', createWindowHeaders(0, 1))
      : createOkAnswer(),
  );
  const before = performance.now();
  await settle((await n8n.createClient()).call(create));
  const waited = performance.now() - before;
  expect(waited).toBeGreaterThanOrEqual(1_000);
  expect(waited).toBeLessThanOrEqual(1_120);
  expect(n8n.sent).toHaveLength(2);
});

test('a daily 429 fails at once with the reset; later calls fail without being sent', async () => {
  const headers = { ...createWindowHeaders(50, 10), 'x-daily-retry-after': '7260' };
  const n8n = new FakeN8n(() => createErrorAnswer(429, 'Too Many Attempts In Day', headers));
  const client = await n8n.createClient();
  const failure = await catchError(client.call(list));
  expect(failure.message).toBe('The request limit of the day is used up');
  expect(failure.description).toMatch(/^It resets in 2 hours, 1 minute, at \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  const second = await catchError((await n8n.createClient()).call(create));
  expect(second.status).toBe(429);
  expect(second.isOutcomeUnknown).toBe(false);
  expect(n8n.sent).toHaveLength(1);
});

test('does not repeat a create whose response was lost, and reports the unknown outcome', async () => {
  for (const code of ['ECONNRESET', 'ETIMEDOUT']) {
    const n8n = new FakeN8n(() => Promise.reject(createLostError(code)));
    const failure = await catchError((await n8n.createClient()).call(create));
    expect(failure.isOutcomeUnknown).toBe(true);
    expect(failure.message).toMatch(/^Outcome unknown: /);
    expect(n8n.sent).toHaveLength(1);
  }
});

test('a read whose answer was lost, broken or a web page is repeated', async () => {
  const n8n = new FakeN8n((_, nth) => {
    if (nth === 1) throw createLostError('ECONNRESET');
    return nth === 2 ? createOkAnswer('<html>') : createOkAnswer();
  });
  expect((await settle((await n8n.createClient()).call(list))).body).toEqual({});
  expect(n8n.sent).toHaveLength(3);
});

test('a request that was never sent is repeated, also for a create', async () => {
  const n8n = new FakeN8n((_, nth) =>
    nth === 1 ? Promise.reject(createLostError('ECONNREFUSED')) : createOkAnswer(),
  );
  await settle((await n8n.createClient()).call(create));
  expect(n8n.sent).toHaveLength(2);
});

test('not more requests at once than "Parallel Requests"', async () => {
  let [atOnce, most] = [0, 0];
  const n8n = new FakeN8n(
    async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce--;
      return { ...createOkAnswer(), headers: createWindowHeaders(1_000, 60) };
    },
    { parallelRequests: 3 },
  );
  const client = await n8n.createClient();
  await settle(Promise.all(Array.from({ length: 20 }, () => client.call(list))));
  expect(most).toBe(3);
});

test('executions with the same key share one rate limiter', async () => {
  const n8n = new FakeN8n((_, nth) => ({
    ...createOkAnswer(),
    headers: createWindowHeaders(Math.max(0, 1 - nth), 2),
  }));
  const [first, second] = [await n8n.createClient(), await n8n.createClient()];
  await settle(first.call(list));
  const before = performance.now();
  await settle(second.call(list));
  // The rest of the window, which began with the first answer.
  const waited = performance.now() - before;
  expect(waited).toBeGreaterThan(1_900);
  expect(waited).toBeLessThanOrEqual(2_100);
});

describe('a cancelled execution', () => {
  test('stops waiting for the rate limit', async () => {
    const n8n = new FakeN8n(() => ({ ...createOkAnswer(), headers: createWindowHeaders(0, 60) }));
    const client = await n8n.createClient();
    await client.call(list);
    const waiting = catchError(client.call(create));
    await jest.advanceTimersByTimeAsync(20);
    n8n.cancel.abort();
    expect((await waiting).message).toBe('The execution was cancelled');
    expect(n8n.sent).toHaveLength(1);
  });

  test('stops waiting before a retry', async () => {
    const n8n = new FakeN8n(() => createErrorAnswer(500, 'Internal Server Error'));
    const call = catchError((await n8n.createClient()).call(list));
    await jest.advanceTimersByTimeAsync(20);
    n8n.cancel.abort();
    await call;
    expect(n8n.sent).toHaveLength(1);
  });

  test('reports that an interrupted create may have been carried out', async () => {
    const n8n = new FakeN8n(async () => {
      n8n.cancel.abort();
      throw createLostError('ERR_CANCELED');
    });
    const failure = await catchError((await n8n.createClient()).call(create));
    expect(failure.isOutcomeUnknown).toBe(true);
    expect(failure.message).toBe('Outcome unknown: the execution was cancelled');
  });
});

test('an error contains the field errors, but neither the request nor secrets', async () => {
  const n8n = new FakeN8n((_, nth) => ({
    statusCode: 422,
    headers: {},
    body: {
      type: 'error',
      msg: `Validation failed for a-secret-value, Bearer to.k-en (${nth})`,
      errors: { name: ['This field is required'] },
    },
  }));
  const failure = await catchError((await n8n.createClient()).call(create));
  expect(failure.fieldErrors).toEqual({ name: ['This field is required'] });
  expect(failure.status).toBe(422);
  const text = JSON.stringify([failure.message, failure.stack, Object.entries(failure)]);
  expect(text).toContain('name: This field is required');
  expect(text).not.toMatch(/a-secret-value|to\.k-en|key-/);
});

test('a call has the lane that it names, or that of its client', async () => {
  const acquire = jest.spyOn(RateLimiter.prototype, 'acquirePermit');
  const n8n = new FakeN8n(() => createOkAnswer());
  Object.assign(n8n.context, { getInputData: () => [] });
  const client = await n8n.createClient();
  for (const lane of [undefined, 'urgent'] as const) await settle(client.call(create, { lane }));
  expect(acquire.mock.calls.map(([admission]) => admission?.lane)).toEqual(['normal', 'urgent']);
  acquire.mockRestore();
});

test('a call whose response may be a file accepts files; its largest response holds one in JSON', async () => {
  const sent: HttpRequest[] = [];
  const { context, credential } = new FakeN8n(() => createOkAnswer());
  const port = createPort(context, credential as never);
  const send: typeof port.send = (request, options) => {
    sent.push(request);
    return port.send(request, options);
  };
  const client = createClient({ ...port, send }, credential);
  await settle(client.call(list, { mayBeFile: true, maxFileMegabytes: 100 }));
  await settle(client.call(list, { mayBeFile: true, maxFileMegabytes: 1 }));
  await settle(client.call(list));
  expect(sent.map(({ maxBytes }) => maxBytes / MEGABYTE)).toEqual([150, 64, 64]);
  const accepted = 'application/json, application/pdf;q=0.9, */*;q=0.5';
  expect(sent.map(({ headers }) => headers.Accept)).toEqual([accepted, accepted, undefined]);
});

test('the calls of an execution take turns with those of others, and so do those without an execution', async () => {
  const acquire = jest.spyOn(RateLimiter.prototype, 'acquirePermit');
  const n8n = new FakeN8n(() => createOkAnswer());
  const clients = [await n8n.createClient(), await n8n.createClient()];
  delete (n8n.context as Partial<IExecuteFunctions>).getExecutionCancelSignal;
  clients.push(await n8n.createClient(), await n8n.createClient());
  for (const client of clients) await settle(client.call(list));
  const [first, second, third, fourth] = acquire.mock.calls.map(([admission]) => admission?.execution);
  jest.restoreAllMocks();
  expect([first, second]).toEqual([n8n.cancel.signal, n8n.cancel.signal]);
  expect(new Set([first, third, fourth]).size).toBe(3);
  expect([typeof third, typeof fourth]).toEqual(['object', 'object']);
});

test('the path parameters of a call are checked by the compiler', async () => {
  const thing = defineV1('GET /things/{thingId}/parts/{partId}');
  const n8n = new FakeN8n(() => createOkAnswer());
  const client = await n8n.createClient();
  const path = { thingId: 't1', partId: 'p1' };
  await settle(client.call(thing, { path }));
  expect(n8n.sent.at(-1)?.url).toMatch(/\/things\/t1\/parts\/p1$/);
  // @ts-expect-error -- a parameter is missing
  await expect(settle(client.call(thing, { path: { thingId: 't1' } }))).rejects.toThrow('Part ID is missing');
  // @ts-expect-error -- there is no parameter with this name
  await settle(client.call(thing, { path: { ...path, pageId: 'x' } }));
  expect(n8n.sent).toHaveLength(2);
  // @ts-expect-error -- the path is missing
  await expect(settle(client.call(thing))).rejects.toThrow('Thing ID is missing');
});
