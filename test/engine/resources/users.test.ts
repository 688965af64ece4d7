/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { inspect } from 'node:util';
import { RecordDatabaseUsers } from '../../../nodes/RecordDatabaseUsers/RecordDatabaseUsers.node';
import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode } from '../../harness';
import { scaleSize } from '../../randomness';
import { runOperation } from '../support/runOperation';
import { getOutput, START, TestEnvironment, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const USERS = 'RecordDatabaseUsers';
const TYPE = 'n8n-nodes-record-database.recordDatabaseUsers';

skipWaits();
const env = useTestEnvironment();

const runSessionOperation = (operation: string, more: object = {}, extra: object = {}) =>
  runOperation(env, USERS, { resource: 'session', operation, ...more }, undefined, extra);

const getDescription = (one: { error?: unknown }) =>
  String((one.error as { description?: string }).description);

test('a user logs in, is logged in, and logs out', async () => {
  const { email, password, userId } = env.service.user;
  const [session] = getOutput(await runSessionOperation('login', { email, password }));
  expect(session).toMatchObject({
    user_id: userId,
    token: expect.any(String),
    expires_at: expect.any(String),
  });
  const { token } = session as { token: string };
  expect(getOutput(await runSessionOperation('getStatus', { token }))).toMatchObject([
    { valid: true, time_remaining: expect.any(String) },
  ]);
  getOutput(await runSessionOperation('logout', { token }));
  expect(getOutput(await runSessionOperation('getStatus', { token }))).toMatchObject([{ valid: false }]);
  const twice = await runSessionOperation('logout', { token });
  expect(twice.error?.message).toBe('The token is not valid, or has expired');
  expect(getDescription(twice)).toMatch(/Log In/);
});

test('n8n redacts each token and link of an answer in stored executions', async () => {
  const { email, password } = env.service.user;
  const { sensitiveOutputFields } = new RecordDatabaseUsers().description;
  for (const [operation, more] of [
    ['login', { email, password }],
    ['autoLogin', { email }],
    ['createMagicLink', { email }],
  ] as const) {
    const [answer] = getOutput(await runSessionOperation(operation, more));
    const secrets = Object.keys(answer!).filter((key) => /token|link/i.test(key));
    expect(secrets).not.toEqual([]);
    expect(sensitiveOutputFields).toEqual(expect.arrayContaining(secrets));
  }
});

test('the answers about a session may say `status` in place of `type`', async () => {
  env.service.options.sessionAnswers = 'status';
  const { email, password, userId } = env.service.user;
  const [session] = getOutput(await runSessionOperation('login', { email, password }));
  expect(session).toMatchObject({ user_id: userId, token: expect.any(String) });
  expect(session).not.toHaveProperty('status');
  const { token } = session as { token: string };
  expect(getOutput(await runSessionOperation('getStatus', { token }))).toMatchObject([
    { valid: true, user_id: userId, expires_at: expect.any(String) },
  ]);
  expect(getOutput(await runSessionOperation('logout', { token }))).toEqual([{ msg: expect.any(String) }]);
  expect(getOutput(await runSessionOperation('getStatus', { token }))).toEqual([{ valid: false }]);
});

test('a logout that the service refuses with `status: "error"` fails', async () => {
  const refusal = { status: 'error', msg: 'The session has ended' };
  env.service.faults.add({
    when: { pattern: /logout/ },
    fault: { type: 'status', status: 200, body: refusal },
  });
  const refused = await runSessionOperation('logout', { token: 'any' });
  expect(getDescription(refused)).toContain(refusal.msg);
});

test('a magic link without the link is an error', async () => {
  env.service.faults.add({
    when: { pattern: /magic-link/ },
    fault: { type: 'status', status: 200, body: { type: 'success', magicLinkUrl: null } },
  });
  const { email } = env.service.user;
  const unlinked = await runSessionOperation('createMagicLink', { email });
  expect(unlinked.error?.message).toMatch(/^Outcome unknown: .* does not have the documented form/);
  expect(getDescription(unlinked)).toContain('magicLinkUrl');
});

test('a logout whose response was lost succeeds if the repeated request finds the token invalid', async () => {
  const { email, password } = env.service.user;
  const [{ token }] = getOutput(await runSessionOperation('login', { email, password })) as [
    { token: string },
  ];
  env.service.faults.add({ when: { pattern: /logout/ }, fault: { type: 'reset', when: 'after' } });
  expect(getOutput(await runSessionOperation('logout', { token }))).toEqual([{}]);
  expect(getOutput(await runSessionOperation('getStatus', { token }))).toMatchObject([{ valid: false }]);
});

test('auto-login and magic link identify the user by e-mail or ID', async () => {
  const { email, userId } = env.service.user;
  expect(getOutput(await runSessionOperation('autoLogin', { email }))).toMatchObject([
    { token: expect.any(String) },
  ]);
  const link = getOutput(
    await runSessionOperation('createMagicLink', {
      email: '',
      userId,
      redirectUrl: 'https://example.com/in',
      redirectPageId: toLocator('page1'),
    }),
  );
  expect(link).toMatchObject([{ magicLinkUrl: expect.stringMatching(/^http/) }]);
  expect(env.service.requests.at(-1)!.body).toEqual({
    user_id: userId,
    redirect_url: 'https://example.com/in',
    redirect_page_id: 'page1',
  });
  expect((await runSessionOperation('createMagicLink', { email: '' })).error?.message).toBe(
    'Email or User ID is missing',
  );
  for (const [operation, more] of [
    ['autoLogin', { email: 'nobody@example.com' }],
    ['createMagicLink', { email: '', userId: 'nobody' }],
  ] as const) {
    const unknown = await runSessionOperation(operation, more);
    expect(unknown.error?.message).toBe('No user has this e-mail address or ID');
  }
});

test('an expression without a value is an error before anything is sent', async () => {
  const before = env.service.requests.length;
  const { email } = env.service.user;
  const nothing = '={{ $json.no }}';
  for (const [operation, more, message] of [
    ['login', { email: nothing, password: 'x' }, 'Email: the expression has found nothing'],
    ['autoLogin', { email: "={{ ' ' }}" }, 'Email: the expression has found nothing'],
    ['createMagicLink', { email: nothing, userId: nothing }, 'Email or User ID is missing'],
    ['createMagicLink', { email, redirectUrl: nothing }, 'Redirect URL: the expression has found nothing'],
  ] as const) {
    expect((await runSessionOperation(operation, more)).error?.message).toBe(message);
  }
  expect(env.service.requests).toHaveLength(before);
});

test('sends a password of digits as text', async () => {
  const { email } = env.service.user;
  const numeric = await runSessionOperation('login', { email, password: '={{ 123456 }}' });
  expect(numeric.error?.message).toBe('The e-mail or password of the user is wrong');
  expect(env.service.requests.at(-1)!.body).toMatchObject({ password: '123456' });
});

test('a token that the service refuses is not valid; a key that it refuses is an error', async () => {
  expect(getOutput(await runSessionOperation('getStatus', { token: 'unknown' }))).toEqual([{ valid: false }]);
  env.service.faults.add({
    when: { pattern: 'POST /api/v1.1/{appId}/auth/status' },
    fault: { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  });
  const disabled = await runSessionOperation('getStatus', { token: 'unknown' });
  expect(disabled.error?.message).toBe('This API key is disabled');
  env.service.faults.clear();
});

test('the error names the cause: the password, the key, or the kind of key', async () => {
  const { email } = env.service.user;
  const wrong = await runSessionOperation('login', { email, password: 'not it' });
  expect(wrong.error?.message).toBe('The e-mail or password of the user is wrong');
  const plain = await TestEnvironment.start();
  const { appId, appKey, appSecret } = plain.service.addKey();
  await plain.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: plain.service.baseUrl, appId, appKey, appSecret },
    { id: 'plain', name: 'Plain' },
  );
  const login = { credentials: { recordDatabaseApi: { id: 'plain', name: 'Plain' } } };
  const runRefused = await runOperation(
    plain,
    USERS,
    { resource: 'session', operation: 'autoLogin', email: plain.service.user.email },
    undefined,
    login,
  );
  expect(runRefused.error?.message).toBe('The API key is not set up for logins without a password');
  plain.service.faults.add({
    fault: { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  });
  const disabled = await runOperation(
    plain,
    USERS,
    { resource: 'session', operation: 'login', email, password: 'x' },
    undefined,
    login,
  );
  expect(disabled.error?.message).toBe('This API key is disabled');
  await plain.stop();
});

test('the error of a refusal names what to check: the user, the password, or a proxy', async () => {
  const parameters: Record<string, object> = {
    autoLogin: { email: 'a@example.com' },
    createMagicLink: { email: 'a@example.com' },
    login: { email: 'a@example.com', password: 'x' },
    getStatus: { token: 'x' },
  };
  const refused = async (operation: string, status: number, msg: string, errors?: object) => {
    const own = msg.startsWith('{') ? JSON.parse(msg) : { type: 'error', msg, status, errors };
    const body: unknown = msg === '' ? '<html>Sign in</html>' : own;
    env.service.faults.add({ fault: { type: 'status', status, body } });
    const one = await runSessionOperation(operation, parameters[operation]);
    return `${one.error?.message} | ${getDescription(one)}`;
  };
  const wrong = 'The e-mail or password of the user is wrong | Check both in this node';
  expect(await refused('login', 401, 'Unauthorized')).toContain(wrong);
  expect(await refused('login', 401, '{"message":"Unauthenticated."}')).toContain(wrong);
  expect(await refused('login', 422, 'Invalid email or password')).toContain(wrong);
  expect(await refused('login', 404, 'User Not Found')).toMatch(
    /^No user has this e-mail.* Check it in this node/,
  );
  const invalid = { email: ['Email must be valid'] };
  expect(await refused('login', 422, 'Validation failed', invalid)).toContain('email: Email must be valid');
  for (const operation of ['autoLogin', 'createMagicLink']) {
    const text = await refused(operation, 401, 'Unauthorized');
    expect(text).toMatch(/^The service refused to log this user in without a password \| .*key is set up/);
    expect(await refused(operation, 401, 'APP Not Found')).toMatch(/^The App ID is not known/);
  }
  for (const operation of Object.keys(parameters)) {
    expect(await refused(operation, 401, '')).toMatch(/^A proxy in front of the service refused /);
  }
});

test("does not use or change the credential's own login", async () => {
  const other = await TestEnvironment.start();
  const { service, engine } = other;
  const { email, password } = service.user;
  await engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: service.baseUrl, ...service.keys, userLogin: 'password', email, password },
    { id: 'user', name: 'User' },
  );
  const login = { credentials: { recordDatabaseApi: { id: 'user', name: 'User' } } };
  const runAsOther = (operation: string, more: object) =>
    runOperation(other, USERS, { resource: 'session', operation, ...more }, undefined, login);
  const wrong = await runAsOther('login', { email, password: 'not it' });
  expect(wrong.error?.message).toBe('The e-mail or password of the user is wrong');
  const [{ token }] = getOutput(await runAsOther('login', { email, password })) as [{ token: string }];
  const logins = service.requests.filter(({ pattern }) => pattern.endsWith('/auth/login'));
  // One refused and not repeated, one successful. The user of the credential is not logged in for them.
  expect(logins.map(({ status }) => status)).toEqual([401, 200]);
  expect(logins.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  getOutput(await runAsOther('logout', { token }));
  expect(service.requests.at(-1)!.headers.authorization).toBe(`Bearer ${token}`);
  // The credential has a session of its own.
  getOutput(await runOperation(other, USERS, { resource: 'role', operation: 'getAll' }, undefined, login));
  expect(service.requests.at(-1)!.status).toBe(200);
  expect(service.violations).toEqual([]);
  await other.stop();
});

test('roles', async () => {
  const all = getOutput(await runOperation(env, USERS, { resource: 'role', operation: 'getAll' }));
  expect(all.length).toBeGreaterThan(1);
});

describe('secrets', () => {
  const PASSWORD = 'canary-password-61';
  const TOKEN = 'canary-token-62';
  const OPERATIONS: Array<[string, Record<string, string>]> = [
    ['login', { email: 'ada@example.com', password: '={{ $json.password }}' }],
    ['logout', { token: '={{ $json.token }}' }],
    ['getStatus', { token: '={{ $json.token }}' }],
    ['login', { email: 'ada@example.com', password: PASSWORD }],
  ];
  /** A service whose responses contain the request. */
  const createEchoFault = (status: number, secret: string) => ({
    type: 'status' as const,
    status,
    body: { type: 'error', status, msg: `No: ${secret} Bearer ${secret}`, errors: { password: [secret] } },
  });
  const createFaults = (secret: string) => [
    ...scaleSize([400, 401, 422, 500], [400, 401, 403, 404, 412, 422, 500, 503]).map((status) =>
      createEchoFault(status, secret),
    ),
    { type: 'reset' as const, when: 'before' as const },
    { type: 'reset' as const, when: 'after' as const },
    { type: 'truncate' as const },
    { type: 'html' as const },
    {
      type: 'redirect' as const,
      status: 302,
      location: `https://example.com/?secret=${secret}`,
    },
    // This case comes last, because a used-up daily limit stops all calls of the key.
    { type: 'rateLimit' as const, scope: 'day' as const },
  ];

  test.each(OPERATIONS)(
    'of %s are in no error, error item or log after any failure',
    async (operation, parameters) => {
      const { service, engine } = await TestEnvironment.start();
      const input = [{ json: { password: PASSWORD, token: TOKEN } }] as never;
      for (const fault of createFaults(operation === 'login' ? PASSWORD : TOKEN)) {
        // Those that are repeated take their time: the error item holds the error as well.
        const isSlow = fault.type !== 'status' || fault.status >= 500;
        const modes = isSlow
          ? (['continueRegularOutput'] as const)
          : (['stopWorkflow', 'continueRegularOutput'] as const);
        for (const onError of modes) {
          service.faults.clear();
          service.faults.add({ when: { pattern: /auth/ }, times: 20, fault: fault as never });
          const workflow = chainNodes(
            START,
            createNode('Node', TYPE, { resource: 'session', operation, ...parameters }, { onError }),
          );
          const done = await engine.run(workflow, { input });
          const shown = [
            inspect(done.error, { depth: Infinity }),
            inspect(done.getItems('Node'), { depth: Infinity }),
            JSON.stringify(done.getJson('Node')),
          ];
          const [told] = done.getJson('Node');
          // For Get Status a refused token is a result, not an error.
          expect(done.error ?? told?.error ?? told?.valid === false).toBeTruthy();
          for (const text of shown) expect(text).not.toMatch(/canary-/);
        }
      }
      expect(inspect(engine.logs, { depth: Infinity })).not.toMatch(/canary-/);
      await engine.stop();
      await service.stop();
    },
  );

  test.each([
    ['Password', 'is not text', { a: PASSWORD }],
    ['Token', 'is not text', { a: TOKEN }],
    ['Token', 'has a space or another character that no token has', 'two\nlines canary-token'],
  ])('a %s that %s is not shown', async (name, problem, value) => {
    const parameters = { email: 'ada@example.com', [name.toLowerCase()]: `={{ $json.secret }}` };
    const workflow = chainNodes(
      START,
      createNode('Node', TYPE, {
        resource: 'session',
        operation: name === 'Token' ? 'logout' : 'login',
        ...parameters,
      }),
    );
    const done = await env.engine.run(workflow, { input: [{ json: { secret: value } }] as never });
    expect(done.error?.message).toBe(`${name} ${problem}`);
    expect(inspect(done.error, { depth: Infinity })).not.toMatch(/canary-/);
  });
});
