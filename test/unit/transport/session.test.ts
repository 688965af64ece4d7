import { v1 } from '../../../nodes/shared/model/endpoint';
import { ApiFailure } from '../../../nodes/shared/transport/errors';
import { FakeN8n, lost, ok, refused, type FakeAnswer } from './fakeN8n';

const create = v1('POST /things');
const user = { userLogin: true, email: 'someone@example.com', password: 'a-password' };
const calls = (n8n: FakeN8n, count: number) =>
  n8n.client().then((client) => Promise.all(Array.from({ length: count }, () => client.call(create))));

/** An n8n that notes how many calls are under way whenever one begins. */
function crowd(answer: (nth: number) => FakeAnswer = () => ok()): { n8n: FakeN8n; seen: number[] } {
  const seen: number[] = [];
  let atOnce = 0;
  const n8n = new FakeN8n(async (_, nth) => {
    seen.push(++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    return answer(nth);
  }, user);
  return { n8n, seen };
}

test('with keys alone nobody waits for the first call', async () => {
  let atOnce = 0;
  let most = 0;
  const n8n = new FakeN8n(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    return ok();
  });
  await calls(n8n, 20);
  expect(most).toBe(8);
});

test('the first call goes alone, so that n8n logs in once', async () => {
  const { n8n, seen } = crowd();
  await calls(n8n, 5);
  expect(seen.slice(0, 2)).toEqual([1, 1]);
  expect(Math.max(...seen)).toBe(4);
});

test('a first call that was lost has logged nobody in: the next one goes alone as well', async () => {
  const { n8n, seen } = crowd((nth) => {
    if (nth === 1) throw lost('ENOTFOUND');
    return ok();
  });
  await calls(n8n, 4);
  expect(seen.slice(0, 2)).toEqual([1, 1]);
});

test('an expired login is renewed once for all callers, and no create happens twice', async () => {
  let isExpired = false;
  let created = 0;
  const n8n = new FakeN8n(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (!request.ignoreHttpStatusErrors && n8n.logins > 0) isExpired = false;
    if (isExpired) return refused(401, 'Token expired');
    created++;
    return ok();
  }, user);
  const client = await n8n.client();
  await client.call(create);
  isExpired = true;
  await Promise.all(Array.from({ length: 12 }, () => client.call(create)));
  expect(n8n.logins).toBe(1);
  expect(created).toBe(13);
});

test('executions at the same time share one login', async () => {
  let isExpired = true;
  const n8n = new FakeN8n(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (!request.ignoreHttpStatusErrors && n8n.logins > 0) isExpired = false;
    return isExpired ? refused(401, 'Token expired') : ok();
  }, user);
  await Promise.all([calls(n8n, 3), calls(n8n, 3), calls(n8n, 3)]);
  expect(n8n.logins).toBe(1);
});

test('an answer other than success after a new login keeps its words', async () => {
  const n8n: FakeN8n = new FakeN8n(
    () => (n8n.logins === 0 ? refused(401, 'Token expired') : refused(404, 'Table Not Found')),
    user,
  );
  await expect(calls(n8n, 1)).rejects.toThrow('The table does not exist');
});

test.each(['API Not Found', 'APP Not Found', 'API Disabled'])('"%s" leads to no login', async (msg) => {
  const n8n = new FakeN8n(() => refused(401, msg), user);
  await expect(calls(n8n, 1)).rejects.toThrow(ApiFailure);
  expect(n8n.logins).toBe(0);
  expect(n8n.sent).toHaveLength(1);
});

test('a login that was refused is not tried again for every item', async () => {
  const n8n = new FakeN8n(() => Promise.reject(lost('LOGIN_FAILED')), user);
  const client = await n8n.client();
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => client.call(create)));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(n8n.sent).toHaveLength(1);
});

test('a login that is delayed is tried again before a create is sent, and the create then happens', async () => {
  const n8n = new FakeN8n((_, nth) => (nth === 1 ? Promise.reject(lost('LOGIN_DELAYED')) : ok()), user);
  await calls(n8n, 1);
  expect(n8n.sent).toHaveLength(2);
});

test('after a 429, which may have been that of the login, the next call goes alone as well', async () => {
  // Without a limit announced, nothing but the session holds the others back.
  const { n8n, seen } = crowd((nth) =>
    nth === 1 ? refused(429, 'In Minute', { 'x-retry-after': '0' }) : ok(),
  );
  await calls(n8n, 4);
  expect(seen.slice(0, 2)).toEqual([1, 1]);
});

test('a 401 that a good login does not change is final: one login, however many calls', async () => {
  const n8n = new FakeN8n(() => refused(401, 'Unauthorized'), user);
  const client = await n8n.client();
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => client.call(create)));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(n8n.logins).toBe(1);
  await expect(client.call(create)).rejects.toThrow('refused the login');
  expect(n8n.logins).toBe(1);
});

test('a login that expires a minute later is renewed, though it did not help somewhere before', async () => {
  let isExpired = false;
  const n8n: FakeN8n = new FakeN8n(({ url }) => {
    const isRenewed = n8n.logins === 2;
    return url.endsWith('/forbidden') || (isExpired && !isRenewed) ? refused(401, 'Unauthorized') : ok();
  }, user);
  const client = await n8n.client();
  const forbidden = client.call(v1('GET /forbidden'));
  await expect(forbidden).rejects.toThrow('refused the login');
  await client.call(create);
  isExpired = true;
  const later = performance.now() + 61_000;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
  await client.call(create);
  now.mockRestore();
  expect(n8n.logins).toBe(2);
});
