import type { IHttpRequestOptions } from 'n8n-workflow';
import { authenticateRequest } from '../../../../../nodes/shared/transport/auth/authenticateRequest';

const CREDENTIAL = {
  baseUrl: 'https://service.example/sub',
  appId: 'app1',
  appKey: 'a-key',
  appSecret: 'a-secret-value',
};
const AS_USER = { ...CREDENTIAL, userLogin: true, email: 'ada@x.example', password: 'pw' };

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

test('without a token of the user, a token is sent that the service refuses', async () => {
  expect(await send(AS_USER)).toMatchObject({ Authorization: 'Bearer none' });
});

test("a call's own Authorization is kept, also when n8n passes the headers again", async () => {
  const headers = await send(AS_USER, { headers: { Authorization: 'Bearer own' } });
  expect(headers.Authorization).toBe('Bearer own');
  expect(await send(AS_USER, { headers: headers as never })).toMatchObject({ Authorization: 'Bearer own' });
});

test('after a new login, the expired token of the same headers is not kept', async () => {
  const expired = await send(AS_USER);
  expired.Authorization = 'Bearer expired';
  expect(await send(AS_USER, { headers: expired as never })).toMatchObject({ Authorization: 'Bearer none' });
});

test.each([
  ['https://other.example/x', undefined, 'https://other.example'],
  ['http://service.example/x', undefined, 'http://service.example'],
  ['/x', 'https://other.example', 'https://other.example'],
  ['http://[', undefined, 'this address'],
])('the keys are not sent to %s (base %s)', async (url, baseURL, target) => {
  await expect(send(CREDENTIAL, { url, baseURL })).rejects.toThrow(
    `The keys of this credential are sent to https://service.example only, not to ${target}. Use the Base URL of the credential.`,
  );
});

test('an address without a host is one of the Base URL', async () => {
  const keys = ['app1', 'a-key', 'a-secret-value'];
  expect(Object.values(await send(CREDENTIAL, { url: '/x' }))).toEqual(keys);
  const baseURL = 'https://service.example';
  expect(Object.values(await send(CREDENTIAL, { url: '/x', baseURL }))).toEqual(keys);
});
