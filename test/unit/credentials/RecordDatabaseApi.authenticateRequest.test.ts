import type { IHttpRequestOptions } from 'n8n-workflow';
import { authenticateRequest } from '../../../credentials/RecordDatabaseApi.credentials';

const CREDENTIAL = {
  baseUrl: 'https://service.example/sub',
  appId: 'app1',
  appKey: 'a-key',
  appSecret: 'a-secret-value',
  userLogin: 'none',
};
const AS_USER = { ...CREDENTIAL, userLogin: 'password', email: 'ada@x.example', password: 'pw' };

const send = async (credential: object, request: Partial<IHttpRequestOptions> = {}) => {
  const options = { url: 'https://service.example/sub/x', ...request };
  const { headers } = await authenticateRequest(credential as never, options);
  return headers as Record<string, unknown>;
};

test('the keys are added to the headers of the request', async () => {
  const headers = await send(CREDENTIAL, { headers: { 'x-own': '1' } });
  expect(headers['x-own']).toBe('1');
  expect(Object.values(headers)).toEqual(expect.arrayContaining(['app1', 'a-key']));
  expect(headers).not.toHaveProperty('Authorization');
});

test('a request that has the keys is one of our nodes: its login stays', async () => {
  const headers = await send(CREDENTIAL);
  expect(await send(AS_USER, { headers: headers as never })).toEqual(headers);
});

test('the given token is added', async () => {
  const given = { ...CREDENTIAL, userLogin: 'token', token: 'Bearer abc' };
  expect(await send(given)).toMatchObject({ Authorization: 'Bearer abc' });
});

/** The HTTP Request node sends such requests. */
test.each<[string, object, string]>([
  ['a password', AS_USER, 'This credential acts as a user'],
  ['auto-login', { ...AS_USER, userLogin: 'autoLogin' }, 'This credential acts as a user'],
  [
    'an empty token',
    { ...AS_USER, userLogin: 'token', token: '' },
    'The Token of the credential has no value',
  ],
  ['an unknown login', { ...AS_USER, userLogin: true }, 'The User Login of the credential cannot be true'],
  ['no login at all', { ...AS_USER, userLogin: undefined }, 'The User Login of the credential cannot be'],
])('with %s, the keys are never sent alone', async (_, credential, message) => {
  await expect(send(credential)).rejects.toThrow(message);
});

test.each([
  ['https://other.example/x', undefined, 'https://other.example'],
  ['http://service.example/x', undefined, 'http://service.example'],
  ['/x', 'https://other.example', 'https://other.example'],
  ['http://[', undefined, 'an address that is no URL'],
  ['/x', undefined, 'an address that is no URL'],
])('the keys are not sent to %s (base %s)', async (url, baseURL, target) => {
  await expect(send(CREDENTIAL, { url, baseURL })).rejects.toThrow(
    `The keys of this credential are sent to https://service.example only, not to ${target}. Use the Base URL of the credential.`,
  );
});

test('an address without a host begins at its base', async () => {
  const keys = ['app1', 'a-key', 'a-secret-value'];
  const baseURL = 'https://service.example';
  expect(Object.values(await send(CREDENTIAL, { url: '/x', baseURL }))).toEqual(keys);
});
