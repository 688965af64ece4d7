import { NetworkError } from '../../../../nodes/client/errors/apiError';
import { parseCredential } from '../../../../nodes/client/http/credential';
import { readLoginToken } from '../../../../nodes/client/http/userSession';

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
  const error = readLoginToken(parseCredential(DATA), new NetworkError(given, 'fault'));
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
