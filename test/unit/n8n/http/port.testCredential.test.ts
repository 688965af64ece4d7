/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Readable } from 'node:stream';
import type { ICredentialTestFunctions } from 'n8n-workflow';
import { recordDatabaseApiTest } from '../../../../nodes/n8n/http/port';

/** The results of the credential test. Each cause of a failure has its own message. */

const keys = {
  baseUrl: 'https://service.example/',
  appId: 'app 1',
  appKey: 'the-app-key',
  appSecret: 'the-app-secret',
  userLogin: 'none',
};
const user = {
  ...keys,
  userLogin: 'password',
  email: 'ada@example.com',
  password: 'pass-word',
  remember: true,
};
const active = { statusCode: 200, body: { type: 'success', api_key: { status: 'Active' } } };

type Answer = { statusCode: number; body?: unknown } | Error;
async function runTest(data: object | undefined, ...answers: Answer[]) {
  const asked: Array<Record<string, unknown>> = [];
  const context = {
    helpers: {
      request: async (options: Record<string, unknown>) => {
        const answer = answers[asked.push(options) - 1];
        if (answer instanceof Error) throw answer;
        return answer && { headers: {}, ...answer };
      },
    },
  } as unknown as ICredentialTestFunctions;
  const result = await recordDatabaseApiTest.call(context, { id: '1', name: 'n', type: 't', data } as never);
  // The message is shown in the credential, which is open.
  expect(result.message).not.toMatch(/open the Record Database API credential/i);
  return { ...result, asked };
}

test('valid keys: one status request with three headers, which follows no redirect and accepts every status', async () => {
  const { status, message, asked } = await runTest(keys, active);
  expect({ status, message }).toEqual({ status: 'OK', message: 'The keys are good' });
  expect(asked).toEqual([
    {
      method: 'GET',
      uri: 'https://service.example/api/v1/status',
      headers: {
        'X-Service-App-id': 'app 1',
        'X-Service-App-Key': 'the-app-key',
        'X-Service-App-Secret': 'the-app-secret',
      },
      json: true,
      simple: false,
      resolveWithFullResponse: true,
      useStream: true,
      followRedirect: false,
      timeout: 20_000,
    },
  ]);
});

test('with a user, also tests the login', async () => {
  const token = { statusCode: 200, body: { token: 't' } };
  const { status, asked } = await runTest(user, active, token);
  expect(status).toBe('OK');
  expect(asked[1]).toMatchObject({
    method: 'POST',
    uri: 'https://service.example/api/v1.1/app%201/auth/login',
    headers: { 'X-Service-App-Key': 'the-app-key' },
    body: { email: 'ada@example.com', password: 'pass-word', remember: true },
    json: true,
    simple: false,
    followRedirect: false,
  });
});

test.each<[string, Answer, RegExp]>([
  ['a wrong app', { statusCode: 401, body: { msg: 'APP Not Found' } }, /^The App ID is not known to the service\. Compare the App ID /], // prettier-ignore
  ['a wrong key', { statusCode: 401, body: { msg: 'API Not Found' } }, /^The App Key or App Secret is wrong\. /], // prettier-ignore
  ['a disabled key', { statusCode: 401, body: { msg: 'API Disabled' } }, /^This API key is disabled\. /],
  ['an inactive key', { statusCode: 200, body: { api_key: { status: 'Inactive' } } }, /^The API key is inactive\. Activate it/], // prettier-ignore
  ['nothing there', { statusCode: 404, body: {} }, /^Nothing of the service is at https:\/\/service\.example \(404\)\. Check the address/], // prettier-ignore
  ['keys that did not arrive', { statusCode: 401, body: { msg: 'Unauthenticated' } }, /^The service refused the keys\. Compare App ID.* The service answered: 401 Unauthenticated\. /], // prettier-ignore
  ['another site', { statusCode: 200, body: '<html>' }, /^The Base URL answers, but not as a Record Database/], // prettier-ignore
  ['an answer of nothing', { statusCode: 204 }, /^The answer was not valid JSON/],
  ['the first redirect there is', { statusCode: 300 }, /^The service redirects, which/],
  [
    'a redirect',
    { statusCode: 301 },
    /^The service redirects, which is not followed\. .*make it the Base URL/,
  ],
  ['the last redirect there is', { statusCode: 399 }, /^The service redirects, which/],
  ['a service that fails', { statusCode: 500, body: {} }, /^The service failed while answering\. /],
  ['no route', { statusCode: 400, body: {} }, /^The service refused the request\. /],
  [
    'nobody there',
    Object.assign(new Error('x'), { cause: { code: 'ECONNREFUSED' } }),
    /service\.example.*\. .+/,
  ],
  ['no such host', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), /service\.example.*\. .+/],
  ['something unheard of', new Error('it broke'), /^The connection to service\.example failed\. it broke/],
])('%s', async (_what, answer, words) => {
  const { status, message, asked } = await runTest(user, answer);
  expect(status).toBe('Error');
  expect(message).toMatch(words);
  // After a 401, the names of the headers are read, without the keys.
  const [first, ...others] = asked;
  expect(first).toMatchObject({ method: 'GET', headers: { 'X-Service-App-Key': 'the-app-key' } });
  const isRefused = !(answer instanceof Error) && answer.statusCode === 401;
  expect(others.map(({ method, headers }) => [method, headers])).toEqual(isRefused ? [['OPTIONS', {}]] : []);
});

test.each([
  ['APP Not Found', /^The App ID is not known/],
  ['', /^The service refused the keys/],
])('the error for "%s" also names the prefix', async (msg, words) => {
  const answer = { statusCode: 401, body: { msg } };
  for (const headerPrefix of ['Acme', 'Service']) {
    const { message } = await runTest({ ...keys, headerPrefix }, answer);
    expect(message).toMatch(words);
    expect(message).toContain(
      `the Header Prefix may be wrong: with "${headerPrefix}" the first header is X-${headerPrefix}-App-id.`,
    );
  }
});

test('reports the reason of a failed login without secrets', async () => {
  const refused = { statusCode: 401, body: { msg: 'no pass-word for the-app-secret' } };
  const { status, message } = await runTest(user, active, refused);
  expect(status).toBe('Error');
  expect(message).toMatch(/^The login of ada@example\.com failed\. /);
  expect(message).not.toMatch(/pass-word|the-app-secret/);
});

test.each<[string, Answer]>([
  ['an answer', { statusCode: 422, body: { msg: 'not the-app-key', errors: { a: 'the-app-secret' } } }],
  ['an error', new Error('the-app-key and the-app-secret')],
])('removes secrets from %s', async (_what, answer) => {
  const { message } = await runTest(keys, answer);
  expect(message).toContain('•••');
  expect(message).not.toMatch(/the-app-key|the-app-secret/);
});

test.each([undefined, {}, { ...keys, baseUrl: 'ftp://x' }, { ...keys, baseUrl: 'https://x:99999' }])(
  'sends no request without a valid address: %j',
  async (data) => {
    const { status, message, asked } = await runTest(data);
    expect(status).toBe('Error');
    expect(message).toMatch(/^The Base URL cannot be .*\. Give the address/);
    expect(asked).toEqual([]);
  },
);

describe('a given token', () => {
  const given = { ...keys, userLogin: 'token', token: 'the-token' };

  test.each<[string, Answer, string, RegExp]>([
    ['is valid', { statusCode: 200, body: { valid: true } }, 'OK', /^The keys are good$/],
    [
      'is valid, in the answer that clients met',
      { statusCode: 200, body: { status: 'success', expires_at: '2031-03-02 18:05:44' } },
      'OK',
      /^The keys are good$/,
    ],
    [
      'is not valid',
      { statusCode: 200, body: { valid: false } },
      'Error',
      /^The token of the credential is not/,
    ],
    [
      'is not said to be valid',
      { statusCode: 200, body: {} },
      'Error',
      /^The token of the credential is not/,
    ],
    ['is refused', { statusCode: 401, body: { msg: 'No' } }, 'Error', /^The token of the credential is not/],
    [
      'is refused, with the status 200',
      { statusCode: 200, body: { type: 'error', msg: 'No' } },
      'Error',
      /^The token of the credential is not/,
    ],
    ['needs a key', { statusCode: 401, body: { msg: 'API Disabled' } }, 'Error', /^This API key is disabled/],
    ['meets a fault', { statusCode: 500, body: { valid: true } }, 'Error', /^The service failed/],
    ['meets no answer', new Error('the-token'), 'Error', /^The connection to service\.example failed\. •••/],
  ])('that %s', async (_what, answer, status, words) => {
    const result = await runTest(given, active, answer);
    expect(result.status).toBe(status);
    expect(result.message).toMatch(words);
    expect(result.asked[1]).toMatchObject({
      uri: 'https://service.example/api/v1.1/app%201/auth/status',
      headers: { Authorization: 'Bearer the-token' },
    });
  });
});

test('a login that gets no answer is an error', async () => {
  const { status, message } = await runTest(user, active, new Error('it broke'));
  expect(status).toBe('Error');
  expect(message).toMatch(/^The login of ada@example\.com failed\. .*it broke/);
});

test('a login that lacks a field is named, and nothing is sent', async () => {
  const { status, message, asked } = await runTest({ ...user, password: '' });
  expect(status).toBe('Error');
  expect(message).toMatch(/password.*\. \w/i);
  expect(asked).toEqual([]);
});

test('a Header Prefix that cannot be part of a header name is named, and nothing is sent', async () => {
  const { status, message, asked } = await runTest({ ...keys, headerPrefix: 'My Service' });
  expect(status).toBe('Error');
  expect(message).toMatch(/^The Header Prefix cannot be "My Service"\. .*without spaces\.$/);
  expect(asked).toEqual([]);
});

test('answers are read from their streams', async () => {
  const answers = [active, { statusCode: 200, body: { token: 't' } }].map(({ statusCode, body }) => {
    const text = JSON.stringify(body);
    return {
      statusCode,
      body: Readable.from([text.slice(0, 5), text.slice(5)].map((part) => Buffer.from(part))),
    };
  });
  expect(await runTest(user, ...answers)).toMatchObject({ status: 'OK', message: 'The keys are good' });
});

describe.each<[string, Answer[]]>([
  ['the keys', []],
  ['the login', [active]],
])('an answer about %s', (_what, before) => {
  const runWith = (body: Readable) => runTest(user, ...before, { statusCode: 200, body });

  test('without an end is not read to its end', async () => {
    const megabyte = Buffer.alloc(1024 * 1024);
    let count = 0;
    const body = new Readable({
      read() {
        this.push(count++ < 200 ? megabyte : null);
      },
    });
    const { status, message } = await runWith(body);
    expect(status).toBe('Error');
    expect(message).toContain('The answer of service.example is too large. It has more than 64 MB');
    expect(body.destroyed).toBe(true);
    expect(count).toBeLessThan(70);
  });

  test('that breaks off is an error', async () => {
    const body = new Readable({ read: () => undefined });
    setImmediate(() => body.destroy(new Error('cut')));
    expect((await runWith(body)).message).toContain('The connection to service.example failed. cut');
  });
});
