import { NetworkError, parseCredential } from '../../../../nodes/service';
import { buildKeyHeaders, ensureLoginFields, getSecrets } from '../../../../nodes/service/http/credential';
import { createFailedResult, interpretResponse } from '../../../../nodes/service/http/response';
import { buildLoginRequest, readLoginToken } from '../../../../nodes/service/http/userSession';

const data = {
  baseUrl: ' https://service.example/ ',
  appId: ' app1 ',
  appKey: ' key ',
  appSecret: '\tsecret\n',
  headerPrefix: '',
  userLogin: 'password',
  email: ' ada@example.com ',
  password: ' with spaces ',
  remember: true,
  token: 'left-over',
};
const keys = parseCredential(data);

test('removes surrounding spaces from pasted values, except from the password', () => {
  expect(keys).toEqual({
    baseUrl: 'https://service.example',
    appId: 'app1',
    appKey: 'key',
    appSecret: 'secret',
    headerPrefix: 'Service',
    loginMethod: 'password',
    hasUserLogin: true,
    email: 'ada@example.com',
    password: ' with spaces ',
    remember: true,
    token: '',
    timeZone: undefined,
    fileHosts: [],
    parallelRequests: 8,
    timeout: 120_000,
    fingerprints: expect.anything() as object,
  });
});

test.each([
  [{ parallelRequests: 1 }, { parallelRequests: 1 }],
  [{ parallelRequests: '25' }, { parallelRequests: 25 }],
  [{ requestTimeout: 0.5 }, { timeout: 500 }],
  [{ requestTimeout: '1.5' }, { timeout: 1500 }],
  // A timer with a longer delay expires at once.
  [{ requestTimeout: 1e9 }, { timeout: 2_147_000_000 }],
  [{ requestTimeout: '' }, { timeout: 120_000 }],
  [{ requestTimeout: null }, { timeout: 120_000 }],
  [{ parallelRequests: 50 }, { parallelRequests: 50 }],
  [{ remember: undefined }, { remember: false }],
  // Settings of earlier versions, which a stored credential still has.
  [{ updateSends: 'all', fastPaging: true }, { parallelRequests: 8 }],
])('the settings %j are read as %j', (given, expected) => {
  expect(parseCredential({ ...data, ...given })).toMatchObject(expected);
});

test.each([
  [{ parallelRequests: 0 }, 'Parallel Requests of the credential cannot be 0'],
  [{ parallelRequests: 51 }, 'Parallel Requests of the credential cannot be 51'],
  [{ requestTimeout: 'soon' }, 'Request Timeout (Seconds) of the credential cannot be "soon"'],
  [{ requestTimeout: 0 }, 'Request Timeout (Seconds) of the credential cannot be 0'],
  [{ headerPrefix: 'My Service' }, 'The Header Prefix cannot be "My Service"'],
])('the settings %j are refused', (given, message) => {
  expect(() => parseCredential({ ...data, ...given })).toThrow(message);
});

test.each([
  [{ parallelRequests: 0 }, 'a number of at least 1, at most 50 under'],
  [{ requestTimeout: 0 }, 'a number of at least 0.1 under'],
])('the error of %j says what is allowed', (given, range) => {
  expect(() => parseCredential({ ...data, ...given })).toThrow(
    expect.objectContaining({ description: expect.stringContaining(range) as string }),
  );
});

test('reads missing values and values of other types as empty, and no login without a user', () => {
  expect(
    parseCredential({
      baseUrl: 'https://service.example',
      appId: 5,
      userLogin: 'none',
      email: 'a@example.com',
      token: 'abc',
      remember: true,
    }),
  ).toEqual({
    baseUrl: 'https://service.example',
    appId: '',
    appKey: '',
    appSecret: '',
    headerPrefix: 'Service',
    loginMethod: 'none',
    hasUserLogin: false,
    email: '',
    password: '',
    remember: false,
    token: '',
    timeZone: undefined,
    fileHosts: [],
    parallelRequests: 8,
    timeout: 120_000,
    fingerprints: expect.anything() as object,
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

test.each([undefined, null, '', true, false, 'Password', 'user'])(
  'the user login %j is refused, because the keys alone see all records',
  (userLogin) => {
    expect(() => parseCredential({ ...data, userLogin } as never)).toThrow(
      'The User Login of the credential cannot be',
    );
  },
);

test.each([
  ['password', { email: ' ' }, 'The Email of the credential has no value'],
  ['password', { password: '' }, 'The Password of the credential has no value'],
  ['password', { password: undefined }, 'The Password of the credential has no value'],
  ['autoLogin', { email: undefined }, 'The Email of the credential has no value'],
  ['token', { token: ' ' }, 'The Token of the credential has no value'],
  ['token', { token: 'Bearer ' }, 'The Token of the credential has no value'],
  [
    'token',
    { token: 'two words' },
    'The Token of the credential contains a space or a character that a header cannot hold',
  ],
  [
    'token',
    { token: 'lühr' },
    'The Token of the credential contains a space or a character that a header cannot hold',
  ],
])('with the login %s, %j is refused', (userLogin, more, message) => {
  const credential = parseCredential({ ...data, userLogin, ...more } as never);
  expect(() => ensureLoginFields(credential)).toThrow(message);
});

test.each([
  ['none', {}, ''],
  ['autoLogin', { password: '' }, ''],
  ['token', { token: ' Bearer abc.D-1 ' }, 'abc.D-1'],
])('with the login %s, %j is complete', (userLogin, more, token) => {
  const credential = parseCredential({ ...data, userLogin, ...more });
  expect(ensureLoginFields(credential)).toBeUndefined();
  expect(credential.token).toBe(token);
});

test('an application is a base URL and an App ID', () => {
  const create = (more: object) => parseCredential({ ...data, ...more }).fingerprints.app;
  expect(new Set([{}, { appId: 'b' }, { baseUrl: 'https://b.example' }].map(create)).size).toBe(3);
  expect(create({ appKey: 'b', appSecret: 'b', email: 'b@example.com' })).toBe(create({}));
});

test('a user fingerprint shows neither key nor password, and differs with each value that decides what is seen', () => {
  const create = (more: object) => parseCredential({ ...data, ...more }).fingerprints.user;
  const others = [
    ...[{ appId: 'b' }, { appKey: 'b' }, { appSecret: 'b' }, { baseUrl: 'https://b.example' }],
    ...[{ email: 'b@example.com' }, { password: 'b' }, { userLogin: 'none' }, { userLogin: 'autoLogin' }],
    ...[
      { userLogin: 'token', token: 'a' },
      { userLogin: 'token', token: 'b' },
    ],
  ];
  expect(new Set([{}, ...others].map(create)).size).toBe(1 + others.length);
  expect(create({ fileHosts: 'files.example' })).toBe(create({}));
  expect(create({})).toMatch(/^[0-9a-f]{32}$/);
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
  expect(getSecrets(keys)).toEqual(['secret', 'key', ' with spaces ', '']);
  expect(getSecrets({ ...keys, token: 'abc' })).toContain('abc');
});

test('a budget belongs to a base URL and a key, and does not show the key', () => {
  const createBudgetKey = (more: object) => parseCredential({ ...data, ...more }).fingerprints.key;
  expect(
    new Set([
      keys.fingerprints.key,
      createBudgetKey({ appKey: 'k2' }),
      createBudgetKey({ baseUrl: 'https://b.example' }),
    ]).size,
  ).toBe(3);
  expect(createBudgetKey({ appSecret: 'renewed', email: 'b@example.com' })).toBe(keys.fingerprints.key);
  expect(keys.fingerprints.key).toMatch(/^[0-9a-f]{32}$/);
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
    readLoginToken(who, interpretResponse({ status, headers: {}, body }));

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

  test('without a response is an error that names the login', () => {
    const error = readLoginToken(keys, createFailedResult(new NetworkError('ECONNRESET', 'hang up')));
    expect(error).toMatchObject({
      code: 'LOGIN_DELAYED',
      message: expect.stringMatching(/^The login of ada@example\.com failed\. The connection to /) as string,
    });
  });

  test('by e-mail only sends no password', () => {
    expect(buildLoginRequest(parseCredential({ ...data, userLogin: 'autoLogin' }))).toMatchObject({
      url: 'https://service.example/api/v1.1/app1/auth/auto-login',
      body: { email: 'ada@example.com' },
    });
  });
});
