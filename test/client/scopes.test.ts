import { readRecordPage, listTables, getTable } from '../../nodes/records';
import { clearMemories, type Client } from '../../nodes/service';
import { ClientEnvironment } from './support';

/** What the process keeps for one credential is not used for another service, application, key or user. */

const env = new ClientEnvironment();
/** Another service, whose tables have the same IDs. */
const other = new ClientEnvironment();
beforeAll(() => Promise.all([env.start({ perMinute: 100_000 }), other.start({ perMinute: 100_000 })]));
afterAll(() => Promise.all([env.stop(), other.stop()]));
afterEach(() => expect([...env.service.violations, ...other.service.violations]).toEqual([]));

/** A secret whose key sees the same application. */
const addKey = () => {
  const { appKey, appSecret } = env.service.addKey();
  return { appKey, appSecret };
};
const logIn = (index = 0) => {
  const { email, password } = env.service.users[index]!;
  return { userLogin: 'password', email, password };
};

/** The paths that the service was asked for during `run`. */
async function listPaths(run: () => Promise<unknown>, { service } = env): Promise<string[]> {
  const from = service.requests.length;
  await run();
  return service.requests.slice(from).map(({ path }) => path);
}

describe.each<[string, (client: Client) => Promise<unknown>]>([
  ['tables', (client) => listTables(client)],
  ['fields', (client) => getTable(client, env.service.getTable('Products').id)],
])('the %s of a dropdown', (_, read) => {
  test('are read once for one credential', async () => {
    await read(env.createClient());
    expect(await listPaths(() => read(env.createClient()))).toEqual([]);
  });

  test.each<[string, () => object]>([
    ['key', addKey],
    ['user', logIn],
    ['user of a token', () => ({ userLogin: 'token', token: 'a-token-of-nobody' })],
    ['application', () => ({ appId: 'another' })],
    ['secret', () => ({ appSecret: 'a-wrong-secret' })],
  ])('are not those of another %s', async (_name, createSettings) => {
    await read(env.createClient());
    const settings = createSettings();
    // Some of these credentials are refused: what counts is that the service is asked.
    const ask = () => read(env.createClient(settings)).catch((error: unknown) => error);
    expect((await listPaths(ask)).length).toBeGreaterThan(0);
  });

  test('are not those of another service', async () => {
    await read(env.createClient());
    expect(await listPaths(() => read(other.createClient()), other)).toHaveLength(1);
  });
});

describe('a login', () => {
  beforeEach(clearMemories);

  const read = (client: Client) =>
    readRecordPage(client, { tableId: env.service.getTable('Customers').id }, 1, 200);
  const readIds = async (client: Client) => (await read(client)).items.map(({ id }) => id);
  const countLogins = async (run: () => Promise<unknown>) =>
    (await listPaths(run)).filter((path) => path.endsWith('/auth/login')).length;

  test('is shared by the executions of one user, and by no other user', async () => {
    const [first, second] = [logIn(0), logIn(1)];
    const seen: string[][] = [];
    const run = async () => {
      for (const login of [first, second, first, second]) seen.push(await readIds(env.createClient(login)));
    };
    expect(await countLogins(run)).toBe(2);
    const [ofFirst, ofSecond, ...again] = seen;
    expect(again).toEqual([ofFirst, ofSecond]);
    expect(ofFirst!.filter((id) => ofSecond!.includes(id))).toEqual([]);
    expect(Math.min(ofFirst!.length, ofSecond!.length)).toBeGreaterThan(0);
  });

  test('that is running is handed over once to all calls that wait for it', async () => {
    const login = { ...logIn(2), remember: true };
    const clients = [env.createClient(login), env.createClient(login)];
    const run = () => Promise.all([...clients, ...clients, ...clients].map(read));
    expect(await countLogins(run)).toBe(1);
  });

  test('is not that of the same user with another password', async () => {
    await read(env.createClient(logIn(0)));
    const wrong = env.createClient({ ...logIn(0), password: 'not the password' });
    expect(await countLogins(() => expect(read(wrong)).rejects.toThrow('The login of'))).toBe(1);
  });

  test('that was refused to one user does not fail another', async () => {
    const wrong = env.createClient({ ...logIn(0), password: 'not the password' });
    const [refused, accepted] = await Promise.allSettled([read(wrong), read(env.createClient(logIn(1)))]);
    expect([refused.status, accepted.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('is not that of the same user of another service', async () => {
    const login = logIn(0);
    await read(env.createClient(login));
    const from = other.service.requests.length;
    await read(other.createClient(login));
    const paths = other.service.requests.slice(from).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith('/auth/login'))).toHaveLength(1);
  });
});
