import {
  budgetKey,
  keyHeaders,
  keysOf,
  openToken,
  sealToken,
  secretsOf,
} from '../../../nodes/shared/transport/keys';
import { logIn, loginRequest, tokenIn } from '../../../nodes/shared/transport/login';

const data = {
  baseUrl: ' https://service.example/ ',
  appId: ' app1 ',
  appKey: ' key ',
  appSecret: '\tsecret\n',
  headerPrefix: '',
  userLogin: true,
  email: ' ada@example.com ',
  password: ' with spaces ',
  remember: true,
};
const keys = keysOf(data);

test('what was pasted with spaces is cleaned, but for the password', () => {
  expect(keys).toEqual({
    baseUrl: 'https://service.example',
    appId: 'app1',
    appKey: 'key',
    appSecret: 'secret',
    headerPrefix: 'Service',
    userLogin: true,
    email: 'ada@example.com',
    password: ' with spaces ',
    remember: true,
  });
});

test('what is missing or of another type is empty, and nobody is logged in', () => {
  expect(keysOf({ baseUrl: 'https://service.example', appId: 5, userLogin: 'yes', remember: 1 })).toEqual({
    baseUrl: 'https://service.example',
    appId: '',
    appKey: '',
    appSecret: '',
    headerPrefix: 'Service',
    userLogin: false,
    email: '',
    password: '',
    remember: false,
  });
});

/** Spec: Authentication, Method 1. */
test('three headers, with the prefix of the service', () => {
  expect(keyHeaders(keys)).toEqual({
    'X-Service-App-id': 'app1',
    'X-Service-App-Key': 'key',
    'X-Service-App-Secret': 'secret',
  });
  expect(Object.keys(keyHeaders(keysOf({ ...data, headerPrefix: ' Acme ' })))[0]).toBe('X-Acme-App-id');
  expect(secretsOf(keys)).toEqual(['secret', 'key', ' with spaces ']);
});

test('a budget belongs to a base URL and a key, and does not show the key', () => {
  const other = (more: object) => budgetKey(keysOf({ ...data, ...more }));
  expect(
    new Set([budgetKey(keys), other({ appKey: 'k2' }), other({ baseUrl: 'https://b.example' })]).size,
  ).toBe(3);
  expect(other({ appSecret: 'renewed', email: 'b@example.com' })).toBe(budgetKey(keys));
  expect(budgetKey(keys)).toMatch(/^[0-9a-f]{16}$/);
});

describe('a stored token', () => {
  const sealed = sealToken(keys, 'a:token:with:colons');

  test('comes back to whom it belongs', () => expect(openToken(keys, sealed)).toBe('a:token:with:colons'));

  test.each([{ email: 'b@example.com' }, { appId: 'app2' }, { baseUrl: 'https://b.example' }])(
    'does not come back to %j',
    (more) => expect(openToken(keysOf({ ...data, ...more }), sealed)).toBeUndefined(),
  );

  test.each([undefined, null, '', 'token', ':token', sealToken(keys, '')])('%j is none', (stored) =>
    expect(openToken(keys, stored)).toBeUndefined(),
  );
});

/** Spec: User authentication. */
describe('a login', () => {
  test('asks with keys and user', () => {
    expect(loginRequest(keys)).toEqual({
      url: 'https://service.example/api/v1.1/app1/auth/login',
      headers: keyHeaders(keys),
      body: { email: 'ada@example.com', password: ' with spaces ', remember: true },
    });
  });

  test('brings the token', () => expect(tokenIn(keys, 200, { token: 't' })).toBe('t'));

  test.each<[number, unknown, string]>([
    [200, { token: '' }, 'LOGIN_FAILED'],
    [200, { token: 5 }, 'LOGIN_FAILED'],
    [200, null, 'LOGIN_FAILED'],
    [200, '<html>', 'LOGIN_FAILED'],
    [201, { token: 't' }, 'LOGIN_FAILED'],
    [502, '<html>', 'LOGIN_DELAYED'],
    [408, {}, 'LOGIN_DELAYED'],
    [301, '<html>', 'LOGIN_FAILED'],
    [412, {}, 'LOGIN_FAILED'],
    [400, {}, 'LOGIN_FAILED'],
    [403, {}, 'LOGIN_FAILED'],
    [404, {}, 'LOGIN_FAILED'],
    [422, {}, 'LOGIN_FAILED'],
    [200, { type: 'error', status: 401, token: 't' }, 'LOGIN_FAILED'],
    [401, { msg: 'API Not Found: secret, key', token: 't' }, 'LOGIN_FAILED'],
  ])('%i %j brings none, and says for whom: %s', (status, body, code) => {
    expect(() => tokenIn(keys, status, body)).toThrow(/^The login of ada@example\.com failed\. /);
    expect(() => tokenIn(keys, status, body)).not.toThrow(/secret, key/);
    expect(() => tokenIn(keys, status, body)).toThrow(expect.objectContaining({ code }));
    expect(() => tokenIn({ ...keys, email: '' }, status, body)).toThrow(/^The login of the user failed\. /);
  });

  const over = (httpRequest: () => Promise<unknown>) => logIn({ helpers: { httpRequest } } as never, data);

  test('that nobody answered says so, and that it is the login', async () => {
    const lost = Object.assign(new Error('hang up'), { code: 'ECONNRESET' });
    await expect(over(() => Promise.reject(lost))).rejects.toMatchObject({
      code: 'LOGIN_DELAYED',
      message: expect.stringMatching(/^The login of ada@example\.com failed\. The connection to /) as string,
    });
  });

  test('that was refused for the limit is handed on as such an answer', async () => {
    const answer = { statusCode: 429, headers: { 'x-retry-after': '7' }, body: { msg: 'In Minute' } };
    await expect(over(() => Promise.resolve(answer))).rejects.toMatchObject({
      response: { status: 429, headers: answer.headers, data: answer.body },
    });
  });
});
