/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { AxiosResponse } from 'axios';
import type { AnswerForm, Fault, FaultRule, Service } from '../..';
import { openService } from '../client';

let service: Service;
let api: Awaited<ReturnType<typeof openService>>['api'];
let at: (name: string) => string;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
afterEach(() => service.faults.clear());

const create = () => api.post(`${at('Products')}/records`, { name: 'Fault' });
const count = () => service.getTable('Products').records.size;

/** Runs one create under a fault. Returns its answer and how many records were written. */
async function createUnderFault(fault: Fault) {
  const before = count();
  service.faults.add({ fault });
  const answer = await create().catch((error: Error & { code?: string }) => error.code);
  return { answer: answer as AxiosResponse, cut: answer, written: count() - before };
}

test('status: instead of the work, or after it', async () => {
  const before = await createUnderFault({
    type: 'status',
    status: 503,
    headers: { 'x-proxy': 'p' },
    body: { a: 1 },
  });
  expect(before).toMatchObject({
    written: 0,
    answer: { status: 503, data: { a: 1 }, headers: { 'x-proxy': 'p' } },
  });
  const after = await createUnderFault({ type: 'status', status: 500, when: 'after' });
  expect(after).toMatchObject({
    written: 1,
    answer: { status: 500, data: { msg: 'Internal Server Error' } },
  });
  expect(service.requests.at(-1)?.status).toBe(500);
});

test('reset: before or after the write', async () => {
  expect(await createUnderFault({ type: 'reset', when: 'before' })).toMatchObject({
    written: 0,
    cut: 'ECONNRESET',
  });
  expect(await createUnderFault({ type: 'reset', when: 'after' })).toMatchObject({
    written: 1,
    cut: 'ECONNRESET',
  });
  expect(service.requests.at(-1)?.status).toBe(0);
});

test('stall: written at once, answered late', async () => {
  const before = count();
  service.faults.add({ fault: { type: 'stall', ms: 1_500 } });
  const started = Date.now();
  let isAnswered = false;
  const answer = create().finally(() => (isAnswered = true));
  while (count() === before && !isAnswered) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isAnswered).toBe(false);
  await api.get('/status');
  expect(service.requests.at(-1)?.inFlight).toBe(1);
  expect(count()).toBe(before + 1);
  expect((await answer).status).toBe(200);
  expect(Date.now() - started).toBeGreaterThanOrEqual(1_490);
  await api.get('/status');
  expect(service.requests.at(-1)?.inFlight).toBe(0);
});

test('hold: written when the test says so', async () => {
  const before = count();
  let release = () => {};
  service.faults.add({ fault: { type: 'hold', until: new Promise<void>((resolve) => (release = resolve)) } });
  const answer = create();
  await create();
  expect(count()).toBe(before + 1);
  release();
  expect((await answer).status).toBe(200);
  expect(count()).toBe(before + 2);
});

test('hold with a cut connection: no answer, and written when the test says so', async () => {
  const before = count();
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  service.faults.add({ fault: { type: 'hold', until, cut: true } });
  await expect(create()).rejects.toThrow();
  expect(count()).toBe(before);
  release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(count()).toBe(before + 1);
});

test('truncate: a whole response with half of the JSON', async () => {
  const { answer, written } = await createUnderFault({ type: 'truncate' });
  expect(written).toBe(1);
  expect(answer.status).toBe(200);
  expect(() => JSON.parse(String(answer.data))).toThrow();
  expect(Number(answer.headers['content-length'])).toBe(String(answer.data).length);
});

test.each<[AnswerForm, number | string, unknown]>([
  ['bare', 200, { type: 'success' }],
  ['empty', 200, ''],
  ['noContent', 204, ''],
  ['half', 200, expect.stringMatching(/^\{"type":"success".*[^}]$/)],
  ['cut', 'ERR_BAD_RESPONSE', undefined],
  ['doubled', 200, expect.stringMatching(/^\{"type":"success".*\}\{"type":"success".*\}$/)],
])('answer: written, and the answer is %s', async (form, status, data) => {
  const { cut, answer, written } = await createUnderFault({ type: 'answer', form });
  expect(written).toBe(1);
  const shown: unknown = typeof cut === 'string' ? [cut, undefined] : [answer.status, answer.data];
  expect(shown).toEqual([status, data]);
});

test('the first of two equal reads has a broken answer, and each change', async () => {
  const { service: other, api: client } = await openService({
    readAnswers: 'empty',
    changeAnswers: 'bare',
  });
  const reads = [await client.get('/tasks'), await client.get('/roles'), await client.get('/tasks')];
  expect(reads.map(({ data }) => data.type)).toEqual([undefined, undefined, 'success']);
  const records = `/data-tables/${other.getTable('Products').id}/records`;
  const creates = [await client.post(records, { name: 'A' }), await client.post(records, { name: 'A' })];
  expect(creates.map(({ data }) => data)).toEqual([{ type: 'success' }, { type: 'success' }]);
  expect((await client.get('/nothing')).status).toBe(404);
  await other.stop();
});

test('html, redirect and rate limit answer instead of the work', async () => {
  expect(await createUnderFault({ type: 'html' })).toMatchObject({ written: 0, answer: { status: 502 } });
  const location = `${service.secondOrigin.baseUrl}/away`;
  expect(await createUnderFault({ type: 'redirect', status: 307, location })).toMatchObject({
    written: 0,
    answer: { status: 307, headers: { location } },
  });
  expect(await createUnderFault({ type: 'rateLimit', scope: 'minute', retryAfter: 3 })).toMatchObject({
    written: 0,
    answer: { status: 429, headers: { 'x-retry-after': '3', 'x-ratelimit-remaining': '0' } },
  });
  expect(await createUnderFault({ type: 'rateLimit', scope: 'day', retryAfter: 9 })).toMatchObject({
    answer: {
      data: { msg: 'Too Many Attempts In Day' },
      headers: { 'x-retry-after': '9', 'x-daily-retry-after': '9', 'x-ratelimit-daily-remaining': '0' },
    },
  });
});

describe('when', () => {
  const fault: Fault = { type: 'status', status: 500 };
  const collectStatuses = async (count: number, url = '/tasks') => {
    const seen: number[] = [];
    for (let i = 0; i < count; i++) seen.push((await api.get(url)).status);
    return seen;
  };

  test.each<[string, Omit<FaultRule, 'fault'>, number[]]>([
    ['once by default', {}, [500, 200, 200, 200]],
    ['so many times', { times: 2 }, [500, 500, 200, 200]],
    ['for ever', { times: Infinity }, [500, 500, 500, 500]],
    ['the third only', { times: Infinity, when: { nth: 3 } }, [200, 200, 500, 200]],
    ['after skipping one', { when: { skip: 1 }, times: 2 }, [200, 500, 500, 200]],
    ['by method', { when: { method: 'POST' } }, [200, 200, 200, 200]],
    ['by endpoint', { when: { pattern: 'GET /api/v1/tasks' } }, [500, 200, 200, 200]],
    ['by address', { when: { pattern: '/api/v1/tasks' } }, [500, 200, 200, 200]],
    ['by another address', { when: { pattern: '/api/v1/roles' } }, [200, 200, 200, 200]],
    ['by expression', { when: { pattern: /tasks$/ } }, [500, 200, 200, 200]],
  ])('%s', async (_what, rule, expected) => {
    service.faults.add({ ...rule, fault });
    expect(await collectStatuses(4)).toEqual(expected);
  });

  test('a remover takes the rule away', async () => {
    const remove = service.faults.add({ times: Infinity, fault });
    expect(await collectStatuses(1)).toEqual([500]);
    remove();
    expect(await collectStatuses(1)).toEqual([200]);
  });

  test('a probability is drawn from the seed', async () => {
    const draw = async (seed: number) => {
      const other = await openService({ sample: 'empty', seed });
      other.service.faults.add({ probability: 0.5, times: Infinity, fault });
      const seen: number[] = [];
      for (let i = 0; i < 20; i++) seen.push((await other.api.get('/status')).status);
      await other.service.stop();
      return seen;
    };
    const [first, again, different] = [await draw(7), await draw(7), await draw(8)];
    expect(first).toEqual(again);
    expect(first).not.toEqual(different);
    expect(new Set(first)).toEqual(new Set([200, 500]));
  });
});
