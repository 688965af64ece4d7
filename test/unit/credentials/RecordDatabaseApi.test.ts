import { RecordDatabaseApi } from '../../../credentials/RecordDatabaseApi.credentials';

const keys = { appId: 'a', appKey: 'k', appSecret: 's' };
const data = { baseUrl: 'https://service.example/base', ...keys, userLogin: 'none' };
const authenticate = (url: string, baseURL?: string) =>
  new RecordDatabaseApi().authenticate(data, { url, baseURL });

/** The HTTP Request node gives its address as `uri`. */
const authenticateUri = (uri: string) => new RecordDatabaseApi().authenticate(data, { uri } as never);

/** The HTTP Request node sends the credential's headers to any address that the user enters. */
test.each([
  'https://other.example/base/api/v1/status',
  'http://service.example/base/api/v1/status',
  'https://service.example:8443/base',
  'https://service.example.evil.example/',
  'https://service.example@evil.example/',
  '//evil.example/base',
  'https:evil.example/base',
  'https://name@service.example/base/',
  'https://service.example.evil.example/base/',
])('the keys are not sent to %s', async (url) => {
  const message = /^The keys of this credential are sent to https:\/\/service\.example only/;
  await expect(authenticate(url)).rejects.toThrow(message);
  await expect(authenticateUri(url)).rejects.toThrow(message);
});

test('the keys are not sent without an address', async () => {
  await expect(authenticateUri('')).rejects.toThrow(/^The keys of this credential are sent to/);
});

test.each([
  ['https://service.example/base/api/v1/status', undefined],
  ['https://SERVICE.example:443/other', undefined],
  ['/api/v1/status', 'https://service.example/base'],
])('the keys are sent to %s', async (url, baseURL) => {
  expect((await authenticate(url, baseURL)).headers).toMatchObject({ 'X-Service-App-Key': 'k' });
});
