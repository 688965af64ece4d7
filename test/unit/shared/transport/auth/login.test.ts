import type { IHttpRequestHelper } from 'n8n-workflow';
import { parseCredential } from '../../../../../nodes/shared/transport/auth/credential';
import { authenticateUser, readLoginToken } from '../../../../../nodes/shared/transport/auth/login';
import { NetworkError } from '../../../../../nodes/shared/transport/errors/networkError';

const DATA = {
  baseUrl: 'https://service.example',
  appId: 'app',
  appKey: 'login-test-key',
  appSecret: 'secret',
  userLogin: true,
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

/** Answers each request with the response, and lists the requests. */
function createHelper(response: object | Error) {
  const requests: object[] = [];
  const httpRequest = (options: object) => {
    requests.push(options);
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
  };
  return { requests, helper: { helpers: { httpRequest } } as unknown as IHttpRequestHelper };
}

test('without a user login, nothing is sent', async () => {
  const { requests, helper } = createHelper({});
  expect(await authenticateUser(helper, { ...DATA, userLogin: false })).toEqual({});
  expect(requests).toEqual([]);
});

test('the login is a POST, and its token belongs to the user', async () => {
  const { requests, helper } = createHelper({ statusCode: 200, headers: {}, body: { token: 'abc' } });
  const { sessionToken } = await authenticateUser(helper, DATA);
  expect(sessionToken).toMatch(/^[0-9a-f]{16}:abc$/);
  expect(requests).toEqual([expect.objectContaining({ method: 'POST' })]);
});

test('a refusal for the rate limit is thrown as the response to the call', async () => {
  const body = { msg: 'Too Many Attempts In Minute' };
  const { helper } = createHelper({ statusCode: 429, headers: { 'retry-after': '3' }, body });
  await expect(authenticateUser(helper, DATA)).rejects.toMatchObject({
    message: 'Too many requests',
    response: { status: 429, headers: { 'retry-after': '3' }, data: body },
  });
});

test.each([
  ['a refusal', { statusCode: 401, headers: {}, body: { msg: 'Invalid' } }, 'LOGIN_FAILED'],
  ['a lost connection', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), 'LOGIN_DELAYED'],
])('%s is thrown with its code', async (_, response, code) => {
  await expect(authenticateUser(createHelper(response).helper, DATA)).rejects.toMatchObject({ code });
});
