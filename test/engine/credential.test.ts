/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { skipWaits } from '../environment/skipWaits';
import { mockInvalidHosts, reserveClosedPort } from '../harness/unreachable';
import type { Fault } from '../service';
import { getOutput, TestEnvironment, toColumns } from './support/testEnvironment';

skipWaits();
let env: TestEnvironment;
let good: ICredentialDataDecryptedObject;
beforeAll(async () => {
  env = await TestEnvironment.start();
  good = { baseUrl: env.service.baseUrl, ...env.service.keys };
});
afterAll(() => env.stop());

const runTest = (data: ICredentialDataDecryptedObject) =>
  env.engine.testCredential('recordDatabaseApi', { ...good, ...data });

describe('credential test', () => {
  test('accepts valid keys, with and without a trailing slash in the Base URL', async () => {
    expect(await runTest({})).toEqual({ status: 'OK', message: 'The keys are good' });
    expect((await runTest({ baseUrl: `${env.service.baseUrl}/` })).status).toBe('OK');
    expect(env.takeViolations()).toEqual([]);
  });

  test.each([
    ['an unknown App ID', { appId: 'nobody' }, /App ID is not known/],
    ['a wrong key', { appKey: 'key_wrong' }, /App Key or App Secret is wrong/],
    ['a wrong secret', { appSecret: 'sec_wrong' }, /App Key or App Secret is wrong/],
    ['no address', { baseUrl: '' }, /Base URL cannot be ""/],
    ['an address that is none', { baseUrl: 'ftp://app.example.com' }, /Base URL cannot be "ftp:/],
  ])('refuses %s in plain words', async (_, data, message) => {
    const { status, message: said } = await runTest(data);
    expect(status).toBe('Error');
    expect(said).toMatch(message);
    env.takeViolations();
  });

  test('names the Header Prefix of the service to a new user whose keys are right', async () => {
    const other = await TestEnvironment.start({ headerPrefix: 'Example' });
    try {
      const keys = { baseUrl: other.service.baseUrl, ...other.service.keys };
      const { status, message } = await runTest(keys);
      expect(status).toBe('Error');
      expect(message).toMatch(
        /^Change the Header Prefix to Example: .* X-Example-App-id, .* sent in X-Service-App-id\./,
      );
      expect(
        other.service.requests.map(({ method, headers }) => [method, 'x-service-app-key' in headers]),
      ).toEqual([
        ['GET', true],
        ['OPTIONS', false],
      ]);
      expect(await runTest({ ...keys, headerPrefix: 'Example' })).toMatchObject({ status: 'OK' });
      // Header names have no case.
      expect(await runTest({ ...keys, headerPrefix: 'EXAMPLE' })).toMatchObject({ status: 'OK' });
    } finally {
      await other.stop();
    }
  });

  test('does not speak of the Header Prefix where it fits and the keys are wrong', async () => {
    const { message } = await runTest({ appKey: 'key_wrong' });
    expect(message).toMatch(/ is wrong\. /);
    expect(message).not.toContain('Prefix');
    env.takeViolations();
  });

  test('refuses a port where nothing listens, and an unknown host', async () => {
    mockInvalidHosts();
    const port = await reserveClosedPort();
    const closed = await runTest({ baseUrl: `http://127.0.0.1:${port}` });
    const unknown = await runTest({ baseUrl: 'http://no-such-host.invalid' });
    expect([closed.status, unknown.status]).toEqual(['Error', 'Error']);
    expect(closed.message).toContain(`Nothing answers at 127.0.0.1:${port}`);
    expect(unknown.message).toContain('host no-such-host.invalid was not found');
  });

  test('refuses a disabled and an inactive key', async () => {
    const disabled = await runTest({ ...env.service.addKey({ disabled: true }) });
    const inactive = await runTest({ ...env.service.addKey({ status: 'Inactive' }) });
    expect([disabled.status, inactive.status]).toEqual(['Error', 'Error']);
    expect(disabled.message).toMatch(/disabled/);
    expect(inactive.message).toMatch(/inactive/);
  });

  test('names the address for a Base URL with another path at the service', async () => {
    const baseUrl = `${env.service.baseUrl}/other`;
    const { status, message } = await runTest({ baseUrl });
    expect(status).toBe('Error');
    expect(message).toContain(`Nothing of the service is at ${baseUrl} (404). Check the address`);
    env.takeViolations();
  });

  test('tries the user login when the credential has one', async () => {
    const { email, password } = env.service.user;
    expect((await runTest({ userLogin: 'password', email, password })).status).toBe('OK');
    const wrong = await runTest({ userLogin: 'password', email, password: 'not-the-password' });
    expect(wrong).toMatchObject({ status: 'Error', message: expect.stringContaining(email) });
    expect(wrong.message).not.toContain('not-the-password');
  });

  describe('against something else', () => {
    let other: Server;
    let answer: { status: number; headers: Record<string, string>; body: string };
    beforeAll(async () => {
      other = createServer((_, response) =>
        response.writeHead(answer.status, answer.headers).end(answer.body),
      );
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => new Promise((resolve) => other.close(resolve)));

    test.each([
      [
        'a web page',
        { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
        /not as a Record Database/,
      ],
      [
        'another API',
        { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
        /not as a Record Database/,
      ],
      [
        'a redirect',
        { status: 302, headers: { location: 'https://elsewhere.example/login' }, body: '' },
        /redirects/,
      ],
      [
        'a refusal without the names of the headers',
        { status: 401, headers: {}, body: '{"type":"error","msg":"API Not Found"}' },
        /App Key or App Secret is wrong.* If they are right, the Header Prefix may be wrong: with "Service" the first header is X-Service-App-id/,
      ],
      [
        'a refusal with the HTTP status 200',
        {
          status: 200,
          headers: {
            'access-control-allow-headers': 'Content-Type,X-Auth-Token,x-acme-db-app-id,x-acme-db-app-key',
          },
          body: '{"type":"error","status":401,"msg":"API Not Found"}',
        },
        /^Change the Header Prefix to Acme-db/,
      ],
      ['a broken server', { status: 502, headers: {}, body: 'Bad Gateway' }, /failed while answering/],
    ])('says so for %s', async (_, given, message) => {
      answer = given;
      const { port } = other.address() as AddressInfo;
      const { status, message: said } = await runTest({ baseUrl: `http://127.0.0.1:${port}` });
      expect(status).toBe('Error');
      expect(said).toMatch(message);
    });
  });
});

describe('a user login', () => {
  test('logs in once for many parallel items, and again as another user after an edit', async () => {
    const own = await TestEnvironment.start();
    try {
      const { email, password } = own.service.user;
      const data = {
        baseUrl: own.service.baseUrl,
        ...own.service.keys,
        userLogin: 'password',
        email,
        password,
      };
      await own.engine.setCredential('recordDatabaseApi', data);
      const customers = own.getTable('Customers');
      const items = Array.from({ length: 12 }, (_, n) => ({ n }));
      const countLogins = (since: number) =>
        own.listRequests(since).filter((one) => one.endsWith('/auth/login')).length;
      const read = () => own.runRecordOperation('getAll', customers, { limit: 1 }, items);

      expect(getOutput(await read()).length).toBeGreaterThan(0);
      expect(countLogins(0)).toBe(1);
      const everyRequest = own.service.requests.filter(({ path }) => !path.includes('/auth/'));
      expect(everyRequest.every(({ headers }) => /^Bearer ./.test(String(headers.authorization)))).toBe(true);

      const before = own.service.requests.length;
      expect(getOutput(await read()).length).toBeGreaterThan(0);
      expect(countLogins(before)).toBe(0);
      expect(await own.engine.getStoredCredential('recordDatabaseApi')).toEqual(data);
      const [other] = own.service.users.filter((one) => one.email !== email);
      await own.engine.setCredential('recordDatabaseApi', { ...data, ...other });
      getOutput(await read());
      expect(countLogins(before)).toBe(1);
      expect(own.takeViolations()).toEqual([]);
    } finally {
      await own.stop();
    }
  });

  test('renews an expired token once and continues every waiting call', async () => {
    const clock = { at: Date.now(), now: () => clock.at };
    const own = await TestEnvironment.start({ clock });
    try {
      const { email, password } = own.service.user;
      const data = {
        baseUrl: own.service.baseUrl,
        ...own.service.keys,
        userLogin: 'password',
        email,
        password,
      };
      await own.engine.setCredential('recordDatabaseApi', data);
      const items = Array.from({ length: 12 }, (_, n) => ({ n }));
      const read = () => own.runRecordOperation('getAll', own.getTable('Customers'), { limit: 1 }, items);
      expect(getOutput(await read())).toHaveLength(12);
      clock.at += 400 * 24 * 3600 * 1000;
      const before = own.service.requests.length;
      expect(getOutput(await read())).toHaveLength(12);
      expect(own.listRequests(before).filter((one) => one.endsWith('/auth/login'))).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  test.each<[string, Fault]>([
    ['is refused for the limit', { type: 'rateLimit', scope: 'minute', retryAfter: 1 }],
    ['fails', { type: 'status', status: 503 }],
    ['meets a page of a proxy', { type: 'html', status: 502 }],
    ['is cut off', { type: 'reset', when: 'before' }],
  ])('that %s once is made again, and a create happens once', async (_what, fault) => {
    const clock = { at: Date.now(), now: () => clock.at };
    const own = await TestEnvironment.start({ clock });
    try {
      const { email, password } = own.service.user;
      const data = {
        baseUrl: own.service.baseUrl,
        ...own.service.keys,
        userLogin: 'password',
        email,
        password,
      };
      await own.engine.setCredential('recordDatabaseApi', data);
      const customers = own.getTable('Customers');
      // Without a token the login comes before the call; with an expired token it comes after the 401.
      for (const state of ['none', 'expired']) {
        own.service.faults.add({ when: { pattern: /auth\/login/ }, times: 1, fault });
        const before = customers.records.size;
        const values = { company: 'Once', email: `once.${state}@example.com` };
        getOutput(await own.runRecordOperation('create', customers, { columns: toColumns(values) }));
        expect(customers.records.size).toBe(before + 1);
        clock.at += 400 * 24 * 3600 * 1000;
      }
    } finally {
      await own.stop();
    }
  });

  test('does not log in for every item when calls still return 401 after a successful login', async () => {
    const own = await TestEnvironment.start();
    try {
      const { email, password } = own.service.user;
      const data = {
        baseUrl: own.service.baseUrl,
        ...own.service.keys,
        userLogin: 'password',
        email,
        password,
      };
      await own.engine.setCredential('recordDatabaseApi', data);
      const fault: Fault = {
        type: 'status',
        status: 401,
        body: { type: 'error', msg: 'Unauthorized', status: 401 },
      };
      own.service.faults.add({ when: { pattern: /\/records$/ }, times: Infinity, fault });
      const items = Array.from({ length: 40 }, (_, n) => ({ n }));
      const run = await own.runRecordOperation('getAll', own.getTable('Customers'), { limit: 1 }, items, {
        onError: 'continueRegularOutput',
      });
      expect(getOutput(run)).toHaveLength(40);
      // One initial login and three renewals.
      expect(own.listRequests().filter((one) => one.endsWith('/auth/login'))).toHaveLength(4);
    } finally {
      await own.stop();
    }
  });

  test('reports a wrong password without showing the password', async () => {
    const own = await TestEnvironment.start();
    try {
      const data = { baseUrl: own.service.baseUrl, ...own.service.keys, userLogin: 'password' };
      await own.engine.setCredential('recordDatabaseApi', {
        ...data,
        email: own.service.user.email,
        password: 'wrong-password',
      });
      const run = await own.runRecordOperation('getAll', own.getTable('Customers'), { limit: 1 });
      expect(run.error?.message).toMatch(/login of .* failed/);
      expect(JSON.stringify(run.data)).not.toContain('wrong-password');
    } finally {
      await own.stop();
    }
  });
});
