import {
  budgetKey,
  keyHeaders,
  keysOf,
  openToken,
  sealToken,
  secretsOf,
} from '../../../nodes/shared/transport/keys';
import { loginRequest, tokenIn } from '../../../nodes/shared/transport/login';

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

  test.each<[number, unknown]>([
    [200, { token: '' }],
    [200, { token: 5 }],
    [200, null],
    [200, '<html>'],
    [201, { token: 't' }],
    [401, { msg: 'API Not Found: secret, key', token: 't' }],
  ])('%i %j brings none, and says for whom', (status, body) => {
    expect(() => tokenIn(keys, status, body)).toThrow(/^The login of ada@example\.com failed\. /);
    expect(() => tokenIn(keys, status, body)).not.toThrow(/secret, key/);
    expect(() => tokenIn(keys, status, body)).toThrow(expect.objectContaining({ code: 'LOGIN_FAILED' }));
    expect(() => tokenIn({ ...keys, email: '' }, status, body)).toThrow(/^The login of the user failed\. /);
  });
});
