import { clearMemories, NetworkError, parseCredential } from '../../../../nodes/service';
import { type AttemptResult, createFailedResult } from '../../../../nodes/service/http/response';
import { UserSession, readLoginToken } from '../../../../nodes/service/http/userSession';

const DATA = {
  baseUrl: 'https://service.example',
  appId: 'app',
  appKey: 'login-test-key',
  appSecret: 'secret',
  userLogin: 'password',
  email: 'ada@example.com',
  password: 'word',
};

const toCode = (status: number, body: unknown, headers = {}) =>
  (readLoginToken(parseCredential(DATA), { status, headers, body }) as NetworkError).code;

test.each<[string, number, unknown, string]>([
  ['a redirect', 300, {}, 'LOGIN_DELAYED'],
  ['the last redirect', 399, {}, 'LOGIN_DELAYED'],
  ['a success without a token', 200, { token: '' }, 'LOGIN_DELAYED'],
  ['another success', 299, { token: 'abc' }, 'LOGIN_DELAYED'],
  ['a refusal', 400, { msg: 'Invalid' }, 'LOGIN_FAILED'],
  ['a refusal as a page', 401, '<html>', 'LOGIN_FAILED'],
  ['a page of a proxy', 403, '<html>', 'LOGIN_DELAYED'],
  ['a fault of the service', 500, {}, 'LOGIN_DELAYED'],
])('%s (%i) is no token', (_, status, body, code) => {
  expect(toCode(status, body)).toBe(code);
});

test.each([
  ['ECONNREFUSED', 'LOGIN_DELAYED'],
  ['EAI_AGAIN', 'LOGIN_DELAYED'],
  ['ENOTFOUND', 'ENOTFOUND'],
  ['CERT_HAS_EXPIRED', 'CERT_HAS_EXPIRED'],
])('a login that ends with %s has the code %s', (given, code) => {
  const error = readLoginToken(parseCredential(DATA), createFailedResult(new NetworkError(given, 'fault')));
  expect(error).toMatchObject({ code });
});

test('the error of a redirect names its target', () => {
  const headers = { location: 'https://other.example/login' };
  const error = readLoginToken(parseCredential(DATA), { status: 302, headers, body: {} });
  expect((error as Error).message).toMatch(
    /^The login of ada@example\.com failed\. The service redirects to other\.example, which is not followed\./,
  );
});

test('a 300 is explained as a redirect, not as a broken answer', () => {
  const error = readLoginToken(parseCredential(DATA), { status: 300, headers: {}, body: {} });
  expect((error as Error).message).toContain('The service redirects, which is not followed');
});

test.each([
  ['password', 403],
  ['autoLogin', 422],
])('with the login %s, %i does not say that the key is not set up for auto-login', (userLogin, status) => {
  const credential = parseCredential({ ...DATA, userLogin });
  const error = readLoginToken(credential, { status, headers: {}, body: { msg: 'No' } }) as NetworkError;
  expect(error).toMatchObject({ code: 'LOGIN_FAILED' });
  expect(error.message).not.toContain('not set up for logins');
});

describe('a session', () => {
  beforeEach(clearMemories);

  const refuse = (): AttemptResult => ({ status: 401, headers: {}, body: { msg: 'Token expired' } });
  const accept = (): AttemptResult => ({ status: 200, headers: {}, body: {} });

  function createSession(signal?: AbortSignal) {
    const state = { logins: 0 };
    const requestLogin = async () => ({
      status: 200,
      headers: {},
      body: { token: `token-${++state.logins}` },
    });
    const session = new UserSession(parseCredential(DATA), requestLogin, signal);
    return { session, state };
  }

  /** A session whose endpoint has answered 401 to three new tokens. */
  async function createFutileSession() {
    const { session, state } = createSession();
    await session.sendWithToken('GET /a', async () => refuse());
    expect(state.logins).toBe(3);
    return { session, state };
  }

  test('does not log in again for an endpoint that three logins did not help', async () => {
    const { session, state } = await createFutileSession();
    await session.sendWithToken('GET /a', async () => refuse());
    expect(state.logins).toBe(3);
  });

  test('sends a call again if another one has a new token, although its own logins did not help', async () => {
    const { session, state } = await createFutileSession();
    const sent: unknown[] = [];
    const result = await session.sendWithToken('GET /a', async (authorization) => {
      sent.push(authorization);
      if (sent.length > 1) return accept();
      await session.sendWithToken('GET /b', async (token) =>
        token === 'Bearer token-3' ? refuse() : accept(),
      );
      return refuse();
    });
    expect([result.fault, sent]).toEqual([undefined, ['Bearer token-3', 'Bearer token-4']]);
    expect(state.logins).toBe(4);
  });

  test('logs in if the token is no longer kept when it has expired', async () => {
    const { session, state } = createSession();
    const sent: unknown[] = [];
    const result = await session.sendWithToken('GET /a', async (authorization) => {
      sent.push(authorization);
      clearMemories();
      return sent.length > 1 ? accept() : refuse();
    });
    expect(result).toMatchObject({ status: 200 });
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(state.logins).toBe(2);
  });

  test('that waits for the login of another execution ends with its own execution', async () => {
    const execution = new AbortController();
    let finish: (result: AttemptResult) => void = () => undefined;
    const requestLogin = () => new Promise<AttemptResult>((resolve) => (finish = resolve));
    const first = new UserSession(parseCredential(DATA), requestLogin);
    const { session, state } = createSession(execution.signal);
    const running = first.sendWithToken('GET /a', async () => accept());
    const waiting = session.sendWithToken('GET /a', async () => accept());
    execution.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    finish({ status: 200, headers: {}, body: { token: 'token-0' } });
    expect(await running).toMatchObject({ status: 200 });
    expect(state.logins).toBe(0);
  });
});
