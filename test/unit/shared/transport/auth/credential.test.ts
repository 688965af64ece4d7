import {
  buildKeyHeaders,
  createApiKeyFingerprint,
  decodeSessionToken,
  encodeSessionToken,
  getSecrets,
  parseCredential,
} from '../../../../../nodes/shared/transport/auth/credential';
import {
  authenticateUser,
  buildLoginRequest,
  readLoginToken,
} from '../../../../../nodes/shared/transport/auth/login';
import type { NetworkError } from '../../../../../nodes/shared/transport/errors/networkError';

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
const keys = parseCredential(data);

test('removes surrounding spaces from pasted values, except from the password', () => {
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
    columnsNotSent: 'send',
    timeZone: 'UTC',
    fileHosts: [],
  });
});

test('reads missing values and values of other types as empty, without a user login', () => {
  expect(
    parseCredential({ baseUrl: 'https://service.example', appId: 5, userLogin: 'yes', remember: 1 }),
  ).toEqual({
    baseUrl: 'https://service.example',
    appId: '',
    appKey: '',
    appSecret: '',
    headerPrefix: 'Service',
    userLogin: false,
    email: '',
    password: '',
    remember: false,
    columnsNotSent: 'send',
    timeZone: 'UTC',
    fileHosts: [],
  });
});

test.each(['Europe/Berlin', ' America/New_York ', 'Etc/GMT-14'])(
  'Service Time Zone: %j',
  (serviceTimeZone) => {
    expect(parseCredential({ ...data, serviceTimeZone }).timeZone).toBe(serviceTimeZone.trim());
  },
);

test.each(['Mars/Base', '+02:00', 'CET 5'])('the Service Time Zone %j is an error that names it', (wrong) => {
  expect(() => parseCredential({ ...data, serviceTimeZone: wrong })).toThrow(
    `The Service Time Zone cannot be "${wrong}"`,
  );
});

/** Spec: Authentication, Method 1. */
test('three headers, with the prefix of the service', () => {
  expect(buildKeyHeaders(keys)).toEqual({
    'X-Service-App-id': 'app1',
    'X-Service-App-Key': 'key',
    'X-Service-App-Secret': 'secret',
  });
  expect(Object.keys(buildKeyHeaders(parseCredential({ ...data, headerPrefix: ' Acme ' })))[0]).toBe(
    'X-Acme-App-id',
  );
  expect(getSecrets(keys)).toEqual(['secret', 'key', ' with spaces ']);
});

test('a budget belongs to a base URL and a key, and does not show the key', () => {
  const createBudgetKey = (more: object) => createApiKeyFingerprint(parseCredential({ ...data, ...more }));
  expect(
    new Set([
      createApiKeyFingerprint(keys),
      createBudgetKey({ appKey: 'k2' }),
      createBudgetKey({ baseUrl: 'https://b.example' }),
    ]).size,
  ).toBe(3);
  expect(createBudgetKey({ appSecret: 'renewed', email: 'b@example.com' })).toBe(
    createApiKeyFingerprint(keys),
  );
  expect(createApiKeyFingerprint(keys)).toMatch(/^[0-9a-f]{16}$/);
});

describe('a stored token', () => {
  const sealed = encodeSessionToken(keys, 'a:token:with:colons');

  test('is returned for the credential it belongs to', () =>
    expect(decodeSessionToken(keys, sealed)).toBe('a:token:with:colons'));

  test.each([{ email: 'b@example.com' }, { appId: 'app2' }, { baseUrl: 'https://b.example' }])(
    'is not returned for %j',
    (more) => expect(decodeSessionToken(parseCredential({ ...data, ...more }), sealed)).toBeUndefined(),
  );

  test.each([undefined, null, '', 'token', ':token', encodeSessionToken(keys, '')])('%j is none', (stored) =>
    expect(decodeSessionToken(keys, stored)).toBeUndefined(),
  );
});

/** Spec: User authentication. */
describe('a login', () => {
  test('sends the keys and the user', () => {
    expect(buildLoginRequest(keys)).toEqual({
      url: 'https://service.example/api/v1.1/app1/auth/login',
      headers: buildKeyHeaders(keys),
      body: { email: 'ada@example.com', password: ' with spaces ', remember: true },
    });
  });

  const read = (status: number, body: unknown, who = keys) =>
    readLoginToken(who, { status, headers: {}, body });

  test('returns the token', () => expect(read(200, { token: 't' })).toBe('t'));

  test.each<[number, unknown, string]>([
    [200, { token: '' }, 'LOGIN_DELAYED'],
    [200, { token: 5 }, 'LOGIN_DELAYED'],
    [200, null, 'LOGIN_DELAYED'],
    [200, '', 'LOGIN_DELAYED'],
    [200, '{"token": "a', 'LOGIN_DELAYED'],
    [200, '<html>', 'LOGIN_DELAYED'],
    [201, { token: 't' }, 'LOGIN_DELAYED'],
    [302, '', 'LOGIN_DELAYED'],
    [502, '<html>', 'LOGIN_DELAYED'],
    [404, '<html>', 'LOGIN_DELAYED'],
    [408, {}, 'LOGIN_DELAYED'],
    [412, {}, 'LOGIN_FAILED'],
    [400, {}, 'LOGIN_FAILED'],
    [403, {}, 'LOGIN_FAILED'],
    [404, {}, 'LOGIN_FAILED'],
    [422, {}, 'LOGIN_FAILED'],
    [401, '', 'LOGIN_FAILED'],
    [200, { type: 'error', status: 401, token: 't' }, 'LOGIN_FAILED'],
    [401, { msg: 'API Not Found: secret, key', token: 't' }, 'LOGIN_FAILED'],
  ])('%i %j brings none, and says for whom: %s', (status, body, code) => {
    const error = read(status, body) as NetworkError;
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(/^The login of ada@example\.com failed\. /);
    expect(error.message).not.toMatch(/secret, key/);
    expect((read(status, body, { ...keys, email: '' }) as NetworkError).message).toMatch(
      /^The login of the user failed\. /,
    );
  });

  test('a login with an unknown user names the user', () => {
    const error = read(404, { type: 'error', msg: 'Not Found' }) as NetworkError;
    expect(error.message).toContain('The user does not exist');
  });

  const logInWith = (httpRequest: () => Promise<unknown>) =>
    authenticateUser({ helpers: { httpRequest } } as never, data);

  test('without a response is an error that names the login', async () => {
    const lost = Object.assign(new Error('hang up'), { code: 'ECONNRESET' });
    await expect(logInWith(() => Promise.reject(lost))).rejects.toMatchObject({
      code: 'LOGIN_DELAYED',
      message: expect.stringMatching(/^The login of ada@example\.com failed\. The connection to /) as string,
    });
  });

  test('that was refused by the rate limit returns that response', async () => {
    const answer = { statusCode: 429, headers: { 'x-retry-after': '7' }, body: { msg: 'In Minute' } };
    await expect(logInWith(() => Promise.resolve(answer))).rejects.toMatchObject({
      response: { status: 429, headers: answer.headers, data: answer.body },
    });
  });
});
