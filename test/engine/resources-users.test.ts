import { inspect } from 'node:util';
import { chain, node } from '../harness';
import { runOperation } from './cases';
import { outputOf, START, World } from './support';

const USERS = 'RecordDatabaseUsers';
const TYPE = 'n8n-nodes-record-database.recordDatabaseUsers';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => {
  world.service.faults.clear();
  expect(world.violations()).toEqual([]);
});

const run = (operation: string, more: object = {}, extra: object = {}) =>
  runOperation(world, USERS, { resource: 'session', operation, ...more }, undefined, extra);

const details = (one: { error?: unknown }) => String((one.error as { description?: string }).description);

test('a user logs in, is logged in, and logs out', async () => {
  const { email, password, userId } = world.service.user;
  const [session] = outputOf(await run('login', { email, password }));
  expect(session).toMatchObject({
    user_id: userId,
    token: expect.any(String),
    expires_at: expect.any(String),
  });
  const { token } = session as { token: string };
  expect(outputOf(await run('getStatus', { token }))).toMatchObject([
    { valid: true, time_remaining: expect.any(String) },
  ]);
  outputOf(await run('logout', { token }));
  expect(outputOf(await run('getStatus', { token }))).toMatchObject([{ valid: false }]);
  const twice = await run('logout', { token });
  expect(twice.error?.message).toBe('The token is not valid, or has expired');
  expect(details(twice)).toMatch(/Log In/);
});

test('a logout whose answer was lost is done when the repeat finds the token invalid', async () => {
  const { email, password } = world.service.user;
  const [{ token }] = outputOf(await run('login', { email, password })) as [{ token: string }];
  world.service.faults.add({ when: { pattern: /logout/ }, fault: { type: 'reset', when: 'after' } });
  expect(outputOf(await run('logout', { token }))).toEqual([{}]);
  expect(outputOf(await run('getStatus', { token }))).toMatchObject([{ valid: false }]);
});

test('auto-login and magic link name the user by e-mail or ID', async () => {
  const { email, userId } = world.service.user;
  expect(outputOf(await run('autoLogin', { email }))).toMatchObject([{ token: expect.any(String) }]);
  const link = outputOf(
    await run('createMagicLink', { email: '', userId, redirectUrl: 'https://example.com/in' }),
  );
  expect(link).toMatchObject([{ magicLinkUrl: expect.stringMatching(/^http/) }]);
  expect(world.service.requests.at(-1)!.body).toEqual({
    user_id: userId,
    redirect_url: 'https://example.com/in',
  });
  expect((await run('createMagicLink', { email: '' })).error?.message).toBe('Nobody is named');
  for (const [operation, more] of [
    ['autoLogin', { email: 'nobody@example.com' }],
    ['createMagicLink', { email: '', userId: 'nobody' }],
  ] as const) {
    const unknown = await run(operation, more);
    expect(unknown.error?.message).toBe('No user has this e-mail address or ID');
  }
});

test('what an expression did not find is told before anything is sent', async () => {
  const before = world.service.requests.length;
  const { email } = world.service.user;
  const nothing = '={{ $json.no }}';
  for (const [operation, more, message] of [
    ['login', { email: nothing, password: 'x' }, 'Email is missing'],
    ['autoLogin', { email: "={{ ' ' }}" }, 'Email is missing'],
    ['createMagicLink', { email: nothing, userId: nothing }, 'Nobody is named'],
    ['createMagicLink', { email, redirectUrl: nothing }, 'Redirect URL: the expression has found nothing'],
  ] as const) {
    expect((await run(operation, more)).error?.message).toBe(message);
  }
  expect(world.service.requests).toHaveLength(before);
});

test('a password of digits is text, and a token may come with its word', async () => {
  const { email, password } = world.service.user;
  const numeric = await run('login', { email, password: '={{ 123456 }}' });
  expect(numeric.error?.message).toBe('The e-mail or password of the user is wrong');
  expect(world.service.requests.at(-1)!.body).toMatchObject({ password: '123456' });
  const [{ token }] = outputOf(await run('login', { email, password })) as [{ token: string }];
  expect(outputOf(await run('getStatus', { token: `Bearer ${token}` }))).toMatchObject([{ valid: true }]);
});

test('a token that the service refuses is not valid; a key that it refuses is an error', async () => {
  expect(outputOf(await run('getStatus', { token: 'unknown' }))).toEqual([{ valid: false }]);
  world.service.faults.add({
    when: { pattern: 'POST /api/v1.1/{appId}/auth/status' },
    fault: { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  });
  const disabled = await run('getStatus', { token: 'unknown' });
  expect(disabled.error?.message).toBe('This API key is disabled');
  world.service.faults.clear();
});

test('what is wrong is told: the password, the key, or the kind of key', async () => {
  const { email } = world.service.user;
  const wrong = await run('login', { email, password: 'not it' });
  expect(wrong.error?.message).toBe('The e-mail or password of the user is wrong');
  const plain = await World.start();
  const { appId, appKey, appSecret } = plain.service.addKey();
  await plain.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: plain.service.baseUrl, appId, appKey, appSecret },
    { id: 'plain', name: 'Plain' },
  );
  const login = { credentials: { recordDatabaseApi: { id: 'plain', name: 'Plain' } } };
  const refused = await runOperation(
    plain,
    USERS,
    { resource: 'session', operation: 'autoLogin', email: plain.service.user.email },
    undefined,
    login,
  );
  expect(refused.error?.message).toBe('The API key is not set up for logins without a password');
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

test('a refusal says what to check: the user, the password, or what stands in between', async () => {
  const parameters: Record<string, object> = {
    autoLogin: { email: 'a@example.com' },
    createMagicLink: { email: 'a@example.com' },
    login: { email: 'a@example.com', password: 'x' },
    getStatus: { token: 'x' },
  };
  const refused = async (operation: string, status: number, msg: string, errors?: object) => {
    const own = msg.startsWith('{') ? JSON.parse(msg) : { type: 'error', msg, status, errors };
    const body: unknown = msg === '' ? '<html>Sign in</html>' : own;
    world.service.faults.add({ fault: { type: 'status', status, body } });
    const one = await run(operation, parameters[operation]);
    return `${one.error?.message} | ${details(one)}`;
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
    expect(await refused(operation, 401, '')).toMatch(/^Something before the service refused .*proxy/);
  }
});

test("the credential's own login stays out of it", async () => {
  const other = await World.start();
  const { service, engine } = other;
  const { email, password } = service.user;
  await engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: service.baseUrl, ...service.keys, userLogin: true, email, password },
    { id: 'user', name: 'User' },
  );
  const login = { credentials: { recordDatabaseApi: { id: 'user', name: 'User' } } };
  const as = (operation: string, more: object) =>
    runOperation(other, USERS, { resource: 'session', operation, ...more }, undefined, login);
  const wrong = await as('login', { email, password: 'not it' });
  expect(wrong.error?.message).toBe('The e-mail or password of the user is wrong');
  const [{ token }] = outputOf(await as('login', { email, password })) as [{ token: string }];
  const logins = service.requests.filter(({ pattern }) => pattern.endsWith('/auth/login'));
  // One of the credential, one refused and not tried again, one that succeeded.
  expect(logins.map(({ status }) => status)).toEqual([200, 401, 200]);
  expect(logins.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
  outputOf(await as('logout', { token }));
  expect(service.requests.at(-1)!.headers.authorization).toBe(`Bearer ${token}`);
  // The credential's session is still good.
  outputOf(await runOperation(other, USERS, { resource: 'role', operation: 'getAll' }, undefined, login));
  expect(service.requests.at(-1)!.status).toBe(200);
  expect(service.violations).toEqual([]);
  await other.stop();
});

test('roles, all or some', async () => {
  const all = outputOf(await runOperation(world, USERS, { resource: 'role', operation: 'getAll' }));
  expect(all.length).toBeGreaterThan(1);
  const some = { resource: 'role', operation: 'getAll', roles: [all[1]!.id] };
  expect(outputOf(await runOperation(world, USERS, some))).toEqual([all[1]]);
  const listed = { ...some, roles: `={{ "${String(all[0]!.id)}, ${String(all[1]!.id)}" }}` };
  expect(outputOf(await runOperation(world, USERS, listed))).toEqual([all[0], all[1]]);
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
  /** A service that repeats what it was sent. */
  const echo = (status: number, secret: string) => ({
    type: 'status' as const,
    status,
    body: { type: 'error', status, msg: `No: ${secret} Bearer ${secret}`, errors: { password: [secret] } },
  });
  const faults = (secret: string) => [
    ...[400, 401, 403, 404, 412, 422, 500, 503].map((status) => echo(status, secret)),
    { type: 'reset' as const, when: 'before' as const },
    { type: 'reset' as const, when: 'after' as const },
    { type: 'truncate' as const },
    { type: 'html' as const },
    {
      type: 'redirect' as const,
      status: 302,
      location: `https://example.com/?secret=${secret}`,
    },
    // A day that is used up ends all calls of the key, so it comes last.
    { type: 'rateLimit' as const, scope: 'day' as const },
  ];

  test.each(OPERATIONS)(
    'of %s are in no error, error item or log, however it fails',
    async (operation, parameters) => {
      const { service, engine } = await World.start();
      const input = [{ json: { password: PASSWORD, token: TOKEN } }] as never;
      for (const fault of faults(operation === 'login' ? PASSWORD : TOKEN)) {
        // Those that are repeated take their time: the error item holds the error as well.
        const isSlow = fault.type !== 'status' || fault.status >= 500;
        const modes = isSlow
          ? (['continueRegularOutput'] as const)
          : (['stopWorkflow', 'continueRegularOutput'] as const);
        for (const onError of modes) {
          service.faults.clear();
          service.faults.add({ when: { pattern: /auth/ }, times: 20, fault: fault as never });
          const workflow = chain(
            START,
            node('Node', TYPE, { resource: 'session', operation, ...parameters }, { onError }),
          );
          const done = await engine.run(workflow, { input });
          const shown = [
            inspect(done.error, { depth: Infinity }),
            inspect(done.itemsOf('Node'), { depth: Infinity }),
            JSON.stringify(done.jsonOf('Node')),
          ];
          const [told] = done.jsonOf('Node');
          // That a token is refused is no error to Get Status, but its answer.
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
    ['password', { a: PASSWORD }],
    ['token', { a: TOKEN }],
    ['token', 'two\nlines canary-token'],
  ])('a %s that is no text is not shown', async (name, value) => {
    const parameters = { email: 'ada@example.com', [name]: `={{ $json.secret }}` };
    const workflow = chain(
      START,
      node('Node', TYPE, {
        resource: 'session',
        operation: name === 'token' ? 'logout' : 'login',
        ...parameters,
      }),
    );
    const done = await world.engine.run(workflow, { input: [{ json: { secret: value } }] as never });
    expect(done.error?.message).toBe(`The ${name} is missing or no plain text`);
    expect(inspect(done.error, { depth: Infinity })).not.toMatch(/canary-/);
  });
});
