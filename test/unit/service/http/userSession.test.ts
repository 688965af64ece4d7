/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { ApiError, clearMemories } from '../../../../nodes/service';
import { defineV1 } from '../../../../nodes/service/endpoints/endpoint';
import { skipWaits } from '../../../environment/skipWaits';
import {
  type FakeAnswer,
  FakeN8n,
  type SentRequest,
  createErrorAnswer,
  createLostError,
  createOkAnswer,
} from './fakeN8n';

skipWaits();
beforeEach(clearMemories);

const create = defineV1('POST /things');
const user = { userLogin: 'password', email: 'someone@example.com', password: 'a-password' };
const sendCalls = (n8n: FakeN8n, count: number) =>
  n8n.createClient().then((client) => Promise.all(Array.from({ length: count }, () => client.call(create))));

test('without a user login, calls do not wait for the first call', async () => {
  let atOnce = 0;
  let most = 0;
  const n8n = new FakeN8n(async () => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    return createOkAnswer();
  });
  await sendCalls(n8n, 20);
  expect(most).toBe(8);
});

const listTokens = ({ sent }: FakeN8n) => sent.map(({ headers }) => headers?.Authorization);

test('without a token one login comes first, and all calls send its token', async () => {
  const n8n = new FakeN8n(() => createOkAnswer(), user);
  await sendCalls(n8n, 5);
  expect(n8n.logins).toBe(1);
  expect(listTokens(n8n)).toEqual(Array(5).fill('Bearer token-1'));
});

test('a later execution with an equal credential uses the token; n8n stores none', async () => {
  const first = new FakeN8n(() => createOkAnswer(), user);
  const stored = { ...first.credential };
  await sendCalls(first, 1);
  const second = new FakeN8n(() => createOkAnswer(), first.credential);
  await sendCalls(second, 3);
  expect(second.logins).toBe(0);
  expect(listTokens(second)).toEqual(Array(3).fill('Bearer token-1'));
  expect(second.credential).toEqual(stored);
});

test.each([
  { email: 'else@example.com' },
  { password: 'renewed' },
  { appId: 'app2' },
  { appSecret: 'other' },
  { baseUrl: 'https://other.example' },
  { remember: true },
  { userLogin: 'autoLogin' },
])('a credential with %j does not use the token', async (more) => {
  const first = new FakeN8n(() => createOkAnswer(), user);
  await sendCalls(first, 1);
  const second = new FakeN8n(() => createOkAnswer(), { ...first.credential, ...more });
  await sendCalls(second, 1);
  expect(second.logins).toBe(1);
});

describe('with a given token', () => {
  const given = { userLogin: 'token', token: ' Bearer given-token ', email: 'left@over.example' };

  test('it is sent as it is, and nobody logs in', async () => {
    const n8n = new FakeN8n(() => createOkAnswer(), given);
    await sendCalls(n8n, 2);
    expect(n8n.logins).toBe(0);
    expect(listTokens(n8n)).toEqual(['Bearer given-token', 'Bearer given-token']);
  });

  test('a 401 says that the user must log in again, without the token', async () => {
    const n8n = new FakeN8n(() => createErrorAnswer(401, 'No given-token'), given);
    await expect(sendCalls(n8n, 1)).rejects.toMatchObject({
      message: 'The token of the credential is not valid, or has expired',
      description: expect.not.stringContaining('given-token') as string,
    });
    expect(n8n.sent).toHaveLength(1);
    expect(n8n.logins).toBe(0);
  });

  test.each(['API Not Found', 'API Disabled'])('"%s" concerns the key, not the token', async (msg) => {
    const n8n = new FakeN8n(() => createErrorAnswer(401, msg), given);
    await expect(sendCalls(n8n, 1)).rejects.toThrow(/App Key|API key/);
  });
});

describe('with an e-mail only', () => {
  const auto = { userLogin: 'autoLogin', email: 'ada@example.com', password: 'unused' };

  test('auto-login gets the e-mail, and its token is sent', async () => {
    const n8n = new FakeN8n(() => createOkAnswer(), auto);
    const logins: SentRequest[] = [];
    n8n.answerLogin = (request) => (logins.push(request), createOkAnswer({ token: 'auto-token' }));
    await sendCalls(n8n, 2);
    expect(logins).toEqual([
      expect.objectContaining({
        url: 'https://service.example/api/v1.1/app1/auth/auto-login',
        body: { email: 'ada@example.com' },
      }),
    ]);
    expect(listTokens(n8n)).toEqual(Array(2).fill('Bearer auto-token'));
  });

  test.each<[string, FakeAnswer, string]>([
    [
      'no token',
      createOkAnswer({ type: 'success', session: 'x' }),
      'The response to the auto-login has no "token"',
    ],
    [
      '403',
      createErrorAnswer(403, 'Permission Denied'),
      'The API key is not set up for logins without a password',
    ],
  ])('%s is an error that is not tried again for every item', async (_, answer, message) => {
    const n8n = new FakeN8n(() => createOkAnswer(), auto);
    n8n.answerLogin = () => answer;
    const client = await n8n.createClient();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => client.call(create)));
    for (const result of results) {
      expect(result).toMatchObject({ reason: { message: expect.stringContaining(message) as string } });
    }
    expect([n8n.logins, n8n.sent.length]).toEqual([1, 0]);
  });
});

/** A fake n8n whose service accepts only the token of the newest login, unless `refuses` is set. */
function createExpiringN8n(refuses: (url: string) => boolean = () => false) {
  const state = { valid: 'none', created: 0, delay: 0 };
  const n8n: FakeN8n = new FakeN8n(async ({ url, headers }) => {
    await new Promise((resolve) => setTimeout(resolve, state.delay));
    const isValid = headers?.Authorization === `Bearer ${state.valid}`;
    if (!isValid || refuses(url)) return createErrorAnswer(401, 'Token expired');
    state.created++;
    return createOkAnswer();
  }, user);
  n8n.answerLogin = async (_, nth) => {
    await new Promise((resolve) => setTimeout(resolve, state.delay));
    state.valid = `token-${nth}`;
    return createOkAnswer({ token: state.valid });
  };
  return { n8n, state };
}

test('an expired login is renewed once for all callers, and no create happens twice', async () => {
  const { n8n, state } = createExpiringN8n();
  const client = await n8n.createClient();
  await client.call(create);
  state.valid = 'another';
  state.delay = 2;
  await Promise.all(Array.from({ length: 12 }, () => client.call(create)));
  expect(n8n.logins).toBe(2);
  expect(state.created).toBe(13);
});

test('executions at the same time share one login', async () => {
  const { n8n, state } = createExpiringN8n();
  state.delay = 5;
  await Promise.all([sendCalls(n8n, 3), sendCalls(n8n, 3), sendCalls(n8n, 3)]);
  expect(n8n.logins).toBe(1);
});

test('keeps the message of an error response after a new login', async () => {
  const n8n: FakeN8n = new FakeN8n(() => createErrorAnswer(404, 'Table Not Found'), user);
  await expect(sendCalls(n8n, 1)).rejects.toThrow(/^The table (".*" )?does not exist$/);
});

test.each(['API Not Found', 'APP Not Found', 'API Disabled'])('"%s" is no reason to log in', async (msg) => {
  const n8n = new FakeN8n(() => createErrorAnswer(401, msg), user);
  await expect(sendCalls(n8n, 1)).rejects.toThrow(ApiError);
  expect(n8n.logins).toBe(1);
});

test('a login that was refused is not tried again for every item', async () => {
  const n8n = new FakeN8n(() => createOkAnswer(), user);
  n8n.answerLogin = () => createErrorAnswer(401, 'Wrong password');
  const client = await n8n.createClient();
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => client.call(create)));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(n8n.logins).toBe(1);
  expect(n8n.sent).toHaveLength(0);
});

test.each<[string, () => FakeAnswer]>([
  ['HTML', () => createOkAnswer('<html>')],
  ['nothing', () => createOkAnswer('')],
  ['half of an object', () => createOkAnswer('{"token": "a')],
  ['a redirect', () => ({ statusCode: 302, headers: { location: 'https://other.example' }, body: '' })],
  ['502', () => createErrorAnswer(502, 'Bad gateway')],
  ['no answer', () => Promise.reject(createLostError('ECONNRESET')) as never],
])('a login that is answered with %s is sent again, and the create happens once', async (_, answer) => {
  const { n8n, state } = createExpiringN8n();
  const answerLogin = n8n.answerLogin;
  n8n.answerLogin = (request, nth) => (nth === 1 ? answer() : answerLogin(request, nth));
  await sendCalls(n8n, 1);
  expect(n8n.logins).toBe(2);
  expect(state.created).toBe(1);
});

test('a login does not follow redirects, has the timeout of the client and takes a place in the limit', async () => {
  const n8n = new FakeN8n(() => createOkAnswer(), user);
  const logins: SentRequest[] = [];
  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-retry-after': '60' };
  n8n.answerLogin = (request) => {
    logins.push(request);
    return { ...createOkAnswer({ token: 't' }), headers };
  };
  const client = await n8n.createClient({ timeout: 2_000 });
  void client.call(create).catch(() => undefined);
  await new Promise(setImmediate);
  const [{ disableFollowRedirect, timeout, abortSignal } = {}, ...others] = logins as Array<
    Partial<SentRequest>
  >;
  expect({ disableFollowRedirect, timeout, isEnded: abortSignal?.aborted, others }).toEqual({
    disableFollowRedirect: true,
    timeout: 2_000,
    isEnded: false,
    others: [],
  });
  // The answer to the login left no request in this minute, so the call waits.
  expect(n8n.sent).toHaveLength(0);
  n8n.cancel.abort();
  expect(abortSignal?.aborted).toBe(true);
});

test('a login that hangs ends with the execution, also for the calls that wait for it', async () => {
  const n8n = new FakeN8n(() => createOkAnswer(), user);
  n8n.answerLogin = ({ abortSignal }) =>
    new Promise((_, reject) =>
      abortSignal!.addEventListener('abort', () => reject(createLostError('ERR_CANCELED'))),
    );
  const client = await n8n.createClient();
  const calls = Promise.allSettled(Array.from({ length: 20 }, () => client.call(create)));
  await new Promise(setImmediate);
  n8n.cancel.abort();
  for (const result of await calls) {
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'The execution was cancelled' } });
  }
  expect(n8n.logins).toBe(1);
  expect(n8n.sent).toHaveLength(0);
});

test('waits after a 429 of the login, and sends the call after the next login', async () => {
  const { n8n, state } = createExpiringN8n();
  const answerLogin = n8n.answerLogin;
  n8n.answerLogin = (request, nth) =>
    nth === 1 ? createErrorAnswer(429, 'In Minute', { 'x-retry-after': '0' }) : answerLogin(request, nth);
  await sendCalls(n8n, 4);
  expect(n8n.logins).toBe(2);
  expect(state.created).toBe(4);
});

test('after one 401 that follows a successful login, an expired login is still renewed', async () => {
  let strays = 1;
  const { n8n, state } = createExpiringN8n(() => n8n.logins === 2 && strays-- > 0);
  const client = await n8n.createClient();
  await client.call(create);
  for (let round = 0; round < 5; round++) {
    state.valid = 'another';
    await Promise.all(Array.from({ length: 4 }, () => client.call(create)));
  }
  expect(state.created).toBe(21);
});

test('an endpoint that returns 401 after valid logins causes at most three logins for any number of calls', async () => {
  const { n8n, state } = createExpiringN8n((url) => url.endsWith('/forbidden'));
  const forbidden = defineV1('GET /forbidden');
  const client = await n8n.createClient();
  await client.call(create);
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => client.call(forbidden)));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  const logins = n8n.logins;
  expect(logins).toBe(1 + 3);
  await expect(client.call(forbidden)).rejects.toThrow('refused the login');
  expect(n8n.logins).toBe(logins);
  state.valid = 'another';
  await client.call(create);
  expect(n8n.logins).toBe(logins + 1);
});
