import type { ApiError } from '../../../../nodes/service';
import { defineV1 } from '../../../../nodes/service/endpoints/endpoint';
import { FakeN8n, createErrorAnswer, createLostError, createOkAnswer } from './fakeN8n';

const list = defineV1('GET /things');
const create = defineV1('POST /things');

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

/** Makes calls one after the other, and returns the errors. */
async function callInTurn(n8n: FakeN8n, count: number, endpoint = list): Promise<ApiError[]> {
  const client = await n8n.createClient();
  const errors: ApiError[] = [];
  const run = async () => {
    for (let nth = 0; nth < count; nth++)
      await client.call(endpoint).catch((error: ApiError) => errors.push(error));
  };
  const running = run();
  await jest.advanceTimersByTimeAsync(count * 6_000);
  await running;
  return errors;
}

test.each(['API Disabled', 'API Not Found', 'APP Not Found'])(
  '"%s": the calls after it are not sent',
  async (msg) => {
    const n8n = new FakeN8n((_, nth) => (nth <= 3 ? createOkAnswer() : createErrorAnswer(401, msg)));
    const errors = await callInTurn(n8n, 5 + 3);
    expect(n8n.sent).toHaveLength(4);
    expect(errors).toHaveLength(5);
    expect(errors[1]).toMatchObject({ status: 401, sentCount: 0 });
    expect(errors[1]!.message).toBe(`${errors[0]!.message}, so this call was not sent`);
  },
);

test.each<[string, () => never | ReturnType<typeof createErrorAnswer>]>([
  ['refuses the connection', () => Promise.reject(createLostError('ECONNREFUSED')) as never],
  ['answers 503', () => createErrorAnswer(503, 'Down')],
])('a service that %s: after five failed calls no more are sent', async (_, answer) => {
  const n8n = new FakeN8n(answer);
  const errors = await callInTurn(n8n, 7);
  expect(errors).toHaveLength(7);
  expect(n8n.sent.length).toBeLessThanOrEqual(5 * 4);
  expect(errors[6]!.message).toMatch(/, so this call was not sent$/);
  expect(errors[6]!.description).toMatch(/^The 5 calls before it failed for the same reason/);
});

test('after 30 seconds one call is sent to see whether the service has recovered', async () => {
  let isDown = true;
  const n8n = new FakeN8n(() => (isDown ? createErrorAnswer(503, 'Down') : createOkAnswer()));
  const client = await n8n.createClient();
  const call = async () => {
    const result = client.call(create).then(
      () => 'ok',
      (error: ApiError) => error.sentCount,
    );
    await jest.advanceTimersByTimeAsync(0);
    return result;
  };
  for (let nth = 0; nth < 5; nth++) expect(await call()).toBe(1);
  expect(await call()).toBe(0);
  await jest.advanceTimersByTimeAsync(30_000);
  expect([await call(), await call()]).toEqual([1, 0]);
  isDown = false;
  await jest.advanceTimersByTimeAsync(30_000);
  expect([await call(), await call()]).toEqual(['ok', 'ok']);
});

test.each([400, 404, 422, 500])('errors of single records (%i) stop no other call', async (status) => {
  const n8n = new FakeN8n(() => createErrorAnswer(status, 'No'));
  await callInTurn(n8n, 12, create);
  expect(n8n.sent).toHaveLength(12);
});
