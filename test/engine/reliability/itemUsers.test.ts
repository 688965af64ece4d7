import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';
import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode, type Run } from '../../harness';
import type { Table } from '../../service';
import type { RecordedRequest } from '../../service/http/recorder';
import { getOutput, START, TestEnvironment, toColumns, toLocator, TYPE } from '../support/testEnvironment';
import { listOperationCases } from './operationCases';

/**
 * Each item runs as the user that the expressions in the credential name for it. Users see and change only their own
 * notes (Row Level Security).
 */
skipWaits();

const USERS = 3;
const NOTES_PER_USER = 20;
const NOTES = USERS * NOTES_PER_USER;
const HALF = NOTES / 2;
const USERS_NODE = 'n8n-nodes-record-database.recordDatabaseUsers';

/** One input item: a note, its record and its user. */
interface NoteItem {
  note: string;
  recordId: string;
  userId: string;
  email: string;
  password: string;
}

let env: TestEnvironment;
let notes: Table;
let items: NoteItem[];

const BY_PASSWORD = { userLogin: 'password', email: '={{ $json.email }}', password: '={{ $json.password }}' };

async function setLogin(login: object, id = 'recordDatabaseApi-id', target = env) {
  const { baseUrl, keys } = target.service;
  const data = { baseUrl, ...keys, ...login } as ICredentialDataDecryptedObject;
  await target.engine.setCredential('recordDatabaseApi', data, { id, name: id });
  return { credentials: { recordDatabaseApi: { id, name: id } } };
}

/** Adds the table, and returns an item for each note. The users take turns, so neighbours have different users. */
function addNotes({ service }: TestEnvironment): { table: Table; items: NoteItem[] } {
  const table = service.addTable({
    name: 'Notes',
    fields: [
      { name: 'Note', type: 'Text', unique: true },
      { name: 'Owner', type: 'Text' },
      { name: 'Writer', type: 'Text' },
    ],
    policy: { canSee: ({ owner }, userId) => owner === userId, mayDelete: true },
  });
  const users = service.users.slice(0, USERS);
  const all = Array.from({ length: NOTES }, (_, n) => {
    const { id: userId, email, password } = users[(n * 7 + Math.floor(n / 10)) % USERS]!;
    const note = `note ${n} .`;
    return { note, userId, email, password, recordId: table.insert({ note, owner: userId }).id };
  });
  return { table, items: all };
}

async function start(target: TestEnvironment): Promise<void> {
  ({ table: notes, items } = addNotes(target));
  await setLogin(BY_PASSWORD, undefined, target);
}

beforeEach(async () => {
  env = await TestEnvironment.start();
  await start(env);
});
afterEach(() => env.stop());

const listLogins = (since = 0, target = env) =>
  target.listRequests(since).filter((one) => one.endsWith('/auth/login'));

/** Requests of users, or with the keys alone: all but logins. */
const listDataRequests = (since = 0, target = env): RecordedRequest[] =>
  target.service.requests.slice(since).filter(({ path }) => !path.includes('/auth/'));

const getToken = ({ headers }: RecordedRequest) => headers.authorization;

const runOnItems = (operation: string, parameters: object, input: object[] = items, extra = {}) =>
  env.run({ resource: 'record', operation, dataTableId: toLocator(notes.id), ...parameters }, input, extra);

/** The outputs with their input items. */
function pairOutputs(run: Run, input = items): Array<[INodeExecutionData['json'], NoteItem]> {
  getOutput(run);
  const outputs = run.getItems('Node');
  return outputs.map(({ json, pairedItem }) => [json, input[(pairedItem as { item: number }).item]!]);
}

/** The number of outputs, of which none belongs to another user than its item. */
function countOwnRows(run: Run, input = items): number {
  const pairs = pairOutputs(run, input);
  expect(pairs.filter(([{ owner }, { userId }]) => owner !== userId)).toEqual([]);
  return pairs.length;
}

const filterBy = (value: string) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'note|text', operator: 'is', value }] },
});
const OWN = '={{ $json.note }}';
/** The note of another user: the items take turns. */
const FOREIGN = '={{ $json.foreign }}';
const withForeign = () =>
  items.map((item, index) => {
    const other = items
      .slice(index)
      .concat(items)
      .find(({ userId }) => userId !== item.userId)!;
    return { ...item, foreign: other.note, foreignId: other.recordId };
  });

describe(`${NOTES} items of ${USERS} users: no foreign row is read or changed, and each user logs in once`, () => {
  test('reading', async () => {
    const record = { recordId: { __rl: true, mode: 'id', value: '={{ $json.recordId }}' } };
    expect(countOwnRows(await runOnItems('get', record))).toBe(items.length);
    expect(countOwnRows(await runOnItems('getAll', filterBy(OWN)))).toBe(items.length);
    const count = pairOutputs(await runOnItems('count', {}));
    expect(count.map(([{ count: total }]) => total)).toEqual(Array(items.length).fill(NOTES_PER_USER));
    // Without a filter, each item gets the notes of its user, and only these.
    const three = items.slice(0, 3);
    const all = await runOnItems('getAll', { returnAll: true }, three);
    expect(countOwnRows(all, three)).toBe(3 * NOTES_PER_USER);
    expect(listLogins()).toHaveLength(USERS);
    expect(env.takeViolations()).toEqual([]);
  });

  test('reading what belongs to another user', async () => {
    const input = withForeign();
    const skip = { onError: 'continueRegularOutput' } as const;
    const record = { recordId: { __rl: true, mode: 'id', value: '={{ $json.foreignId }}' } };
    const found = getOutput(await runOnItems('get', record, input, skip));
    expect(found.filter(({ error }) => !/does not exist/.test(String(error)))).toEqual([]);
    expect(found).toHaveLength(items.length);
    expect(getOutput(await runOnItems('getAll', filterBy(FOREIGN), input))).toEqual([]);
    expect(listLogins()).toHaveLength(USERS);
  });

  test('writing', async () => {
    const before = new Map([...notes.records].map(([id, { owner }]) => [id, owner]));
    const record = { recordId: { __rl: true, mode: 'id', value: '={{ $json.recordId }}' } };
    const writer = toColumns({ writer: '={{ $json.userId }}' });
    expect(countOwnRows(await runOnItems('update', { ...record, columns: writer }))).toBe(items.length);

    const upserted = toColumns({ note: OWN, writer: '={{ "again " + $json.userId }}' }, ['note']);
    const updates = await runOnItems('upsert', { columns: upserted });
    expect(countOwnRows(updates)).toBe(items.length);
    expect(getOutput(updates).every(({ _action: action }) => action === 'updated')).toBe(true);

    const values = { note: '={{ "new " + $json.note }}', owner: '={{ $json.userId }}' };
    expect(countOwnRows(await runOnItems('create', { columns: toColumns(values) }))).toBe(items.length);
    const batch = { ...filterBy(OWN), columns: toColumns({ writer: 'batch' }) };
    expect(getOutput(await runOnItems('batchUpdate', batch, items.slice(0, 30)))).toHaveLength(30);

    for (const { id, owner, writer: by } of notes.records.values()) {
      expect(['batch', `again ${String(owner)}`, '', null, undefined]).toContain(by);
      expect(before.get(id) ?? owner).toBe(owner);
    }
    expect(notes.records.size).toBe(2 * items.length);
    expect(listLogins()).toHaveLength(USERS);
    expect(env.takeViolations()).toEqual([]);
  });

  test('deleting', async () => {
    const half = items.slice(0, HALF);
    const record = { recordId: { __rl: true, mode: 'id', value: '={{ $json.recordId }}' } };
    getOutput(await runOnItems('delete', record, half));
    const skip = { onError: 'continueRegularOutput' } as const;
    const foreign = { recordId: { __rl: true, mode: 'id', value: '={{ $json.foreignId }}' } };
    await runOnItems('delete', foreign, withForeign().slice(HALF + 2, HALF + 12), skip);
    getOutput(
      await runOnItems(
        'deleteMany',
        { ...filterBy(FOREIGN), dryRun: false },
        withForeign().slice(HALF + 2, HALF + 12),
      ),
    );
    expect([...notes.records.keys()].sort()).toEqual(
      items
        .slice(HALF)
        .map(({ recordId }) => recordId)
        .sort(),
    );
    getOutput(await runOnItems('deleteMany', { ...filterBy(OWN), dryRun: false }, items.slice(HALF)));
    expect(notes.records.size).toBe(0);
    expect(listLogins()).toHaveLength(USERS);
  });

  test('records that one user creates do not count as found for another', async () => {
    const columns = toColumns({ note: 'shared', owner: '={{ $json.userId }}' }, ['note']);
    const input = [
      items[0]!,
      ...items.filter(({ userId }) => userId !== items[0]!.userId).slice(0, 1),
      items[0]!,
    ];
    const run = await runOnItems('upsert', { columns }, input, { onError: 'continueRegularOutput' });
    const [first, second, third] = getOutput(run);
    expect([first!._action, third!._action]).toEqual(['created', 'unchanged']);
    // The other user does not see the record, and the service refuses a second one with the unique value.
    expect(String(second!.error)).toMatch(/Another record already has the Note/);
    expect([...notes.records.values()].filter(({ note }) => note === 'shared')).toHaveLength(1);
  });
});

/** The error of an operation that sends all items in one request. */
const OTHER_VALUES = 'The credential has other values for item 2 than for the first item';

/** Values without which an operation refuses to run. */
const NEEDED = {
  conditions: { items: [{ field: 'company|text', operator: 'contains', value: 'x' }] },
  hookUrl: 'https://example.com/hook',
  source: 'dataSource',
  dataSource: 'Company\r\nExample',
};

test('every operation of every node sends the requests of an item as its user, never with the keys alone', async () => {
  const input = [0, 1, 2].map((user) => items.find(({ email }) => email === env.service.users[user]!.email)!);
  const seen: unknown[] = [];
  const expected: unknown[] = [];
  for (const { name, type, parameters } of listOperationCases(env.engine, env.service)) {
    if (name.includes(' session ')) continue;
    const filled = { ...parameters, ...NEEDED };
    const node = createNode('Node', type, filled, { onError: 'continueRegularOutput' });
    const since = env.service.requests.length;
    const run = await env.engine.run(chainNodes(START, node), {
      input: input.map((json) => ({ json: { ...json } })),
    });
    const tokens = new Set(listDataRequests(since).map(getToken));
    const isForAllItems = / record (sync|undo)| import runItems/.test(name);
    const refusal = isForAllItems && getOutput(run)[0]!.error;
    seen.push([name, tokens.size, tokens.has(undefined), refusal]);
    expected.push([name, isForAllItems ? 0 : USERS, false, isForAllItems && OTHER_VALUES]);
  }
  expect(seen).toEqual(expected);
  expect(seen.length).toBeGreaterThan(50);
  expect(listLogins()).toHaveLength(USERS);
});

test('an operation over all items runs when their credentials are equal', async () => {
  const own = items.filter(({ userId }) => userId === items[0]!.userId);
  const columns = toColumns({ note: OWN, writer: 'sync' }, ['note']);
  const run = await runOnItems('sync', { columns }, own);
  expect(getOutput(run).filter(({ _action: action }) => action === 'updated')).toHaveLength(own.length);
  expect([...notes.records.values()].filter(({ writer }) => writer === 'sync')).toHaveLength(own.length);
  expect(listLogins()).toHaveLength(1);
});

test('a token that expires in the middle of a run is renewed, and every note is created once', async () => {
  // Time passes with the requests: a token lasts for about 20 of them.
  const clock = { now: () => Date.UTC(2026, 0, 1) + (env ? env.service.requests.length : 0) * 1_000 };
  await env.stop();
  env = await TestEnvironment.start({ clock, tokenMs: 20_000 });
  await start(env);
  const values = { note: '={{ "new " + $json.note }}', owner: '={{ $json.userId }}' };
  expect(countOwnRows(await runOnItems('create', { columns: toColumns(values) }))).toBe(items.length);
  expect(notes.records.size).toBe(2 * items.length);
  const refused = listDataRequests().filter(({ status }) => status === 401);
  expect(refused.length).toBeGreaterThan(0);
  // A user logs in again only after a refused call.
  expect(listLogins().length).toBeGreaterThan(USERS);
  expect(listLogins().length).toBeLessThanOrEqual(USERS + refused.length);
});

test('two executions at once with different users', async () => {
  const [one, two] = [items.slice(0, HALF), items.slice(HALF)];
  const [first, second] = await Promise.all([
    runOnItems('getAll', filterBy(OWN), one),
    runOnItems('getAll', filterBy(OWN), two),
  ]);
  expect([countOwnRows(first, one), countOwnRows(second, two)]).toEqual([HALF, HALF]);
  expect(listLogins()).toHaveLength(USERS);

  const [ada, ben] = env.service.users;
  const extras = await Promise.all(
    [ada!, ben!].map(({ email, password }) => setLogin({ userLogin: 'password', email, password }, email)),
  );
  const runs = await Promise.all(
    extras.map((extra) => runOnItems('getAll', { returnAll: true }, [{}], extra)),
  );
  const owners = runs.map((run) => new Set(getOutput(run).map(({ owner }) => owner)));
  expect(owners).toEqual([new Set([ada!.id]), new Set([ben!.id])]);
});

test('a wrong password of one user fails only the items of this user', async () => {
  const wrong = items[1]!.userId;
  const input = items.map((item) => (item.userId === wrong ? { ...item, password: 'not-this-one' } : item));
  const run = await runOnItems('getAll', filterBy(OWN), input, { onError: 'continueRegularOutput' });
  const failed = pairOutputs(run).filter(([{ error }]) => error !== undefined);
  expect(failed).toHaveLength(NOTES_PER_USER);
  expect(
    failed.filter(([{ error }, { userId }]) => userId !== wrong || !/login of .* failed/.test(String(error))),
  ).toEqual([]);
  expect(pairOutputs(run).filter(([{ owner }, { userId }]) => owner === userId)).toHaveLength(
    NOTES - NOTES_PER_USER,
  );
  expect(listLogins()).toHaveLength(USERS);
  expect(JSON.stringify(failed.map(([json]) => json))).not.toContain('not-this-one');
});

test('an item without a usable credential ends the run: no item starts after it', async () => {
  const input = items.map((item, index) => (index === 0 ? { ...item, email: '' } : item));
  const { error } = await runOnItems('getAll', filterBy(OWN), input);
  expect(error?.message).toContain('The Email of the credential has no value');
  // Those that had started with it: as many as Parallel Requests.
  expect(new Set(listDataRequests().map(({ body }) => JSON.stringify(body))).size).toBeLessThan(10);
});

test.each<[string, object, object, string]>([
  ['an e-mail', BY_PASSWORD, { email: '' }, 'The Email of the credential has no value'],
  [
    'a login',
    { ...BY_PASSWORD, userLogin: '={{ $json.how }}' },
    {},
    'The User Login of the credential cannot be',
  ],
  [
    'a token',
    { userLogin: 'token', token: '={{ $json.token }}' },
    {},
    'The Token of the credential has no value',
  ],
])('an item without %s fails, and nothing is sent with the keys alone', async (_, login, more, message) => {
  await setLogin(login);
  const good = { ...items[0], how: 'password', token: 'tok_x' };
  const run = await runOnItems('getAll', {}, [{ ...items[0], ...more }], {
    onError: 'continueRegularOutput',
  });
  expect(getOutput(run)).toEqual([
    expect.objectContaining({ error: expect.stringContaining(message) as string }),
  ]);
  expect(listDataRequests()).toEqual([]);
  await runOnItems('getAll', {}, [good], { onError: 'continueRegularOutput' });
  expect(listDataRequests().length).toBeGreaterThan(0);
  expect(listDataRequests().map(getToken)).not.toContain(undefined);
});

describe('tokens of other operations', () => {
  const runAfterLogin = async (operation: string, parameters: object) => {
    const keys = await setLogin({ userLogin: 'none' }, 'keys');
    const withToken = await setLogin({ userLogin: 'token', token: '={{ $json.token }}' }, 'token');
    const login = { resource: 'session', operation, ...parameters };
    const read = {
      resource: 'record',
      operation: 'getAll',
      dataTableId: toLocator(notes.id),
      ...filterBy("={{ $('Start').item.json.note }}"),
    };
    return env.engine.run(
      chainNodes(
        START,
        createNode('Log In', USERS_NODE, login, keys),
        createNode('Node', TYPE, read, withToken),
      ),
      { input: items.slice(0, 30).map((json) => ({ json: { ...json } })) },
    );
  };

  test.each([
    ['login', { email: '={{ $json.email }}', password: '={{ $json.password }}' }],
    ['autoLogin', { email: '={{ $json.email }}' }],
    ['createMagicLink', { email: '={{ $json.email }}' }],
  ])('the token of %s is used for its item', async (operation, parameters) => {
    const run = await runAfterLogin(operation, parameters);
    expect(countOwnRows(run, items.slice(0, 30))).toBe(30);
    expect(new Set(listDataRequests().map(getToken)).size).toBe(30);
    expect(env.takeViolations()).toEqual([]);
  });

  test('an expired token is an error, and nobody logs in', async () => {
    const extra = await setLogin({ userLogin: 'token', token: 'Bearer tok_of_yesterday' });
    const run = await runOnItems('getAll', {}, [{}], extra);
    expect(run.error?.message).toBe('The token of the credential is not valid, or has expired');
    expect(env.listRequests().filter((one) => one.includes('/auth/'))).toEqual([]);
  });
});

test('auto-login: each user logs in once by e-mail', async () => {
  await setLogin({ userLogin: 'autoLogin', email: '={{ $json.email }}' });
  expect(countOwnRows(await runOnItems('getAll', filterBy(OWN)))).toBe(items.length);
  expect(env.listRequests().filter((one) => one.endsWith('/auth/auto-login'))).toHaveLength(USERS);
  const refused = env.service.addKey();
  await setLogin({ ...refused, userLogin: 'autoLogin', email: '={{ $json.email }}' });
  const run = await runOnItems('getAll', {}, items.slice(0, 1));
  expect(run.error?.message).toContain('The API key is not set up for logins without a password');
});

test('the stored credential keeps its expressions, also after ten executions', async () => {
  const before = await env.engine.getStoredCredential('recordDatabaseApi');
  for (let nth = 0; nth < 10; nth++)
    getOutput(await runOnItems('getAll', { limit: 1 }, items.slice(nth, nth + 3)));
  expect(await env.engine.getStoredCredential('recordDatabaseApi')).toEqual(before);
  expect(before).toMatchObject(BY_PASSWORD);
});

test('a list of the editor has no item: the error says so, and nothing is sent', async () => {
  const node = createNode('Node', TYPE, {});
  await expect(env.engine.listSearch(node, 'searchTables')).rejects.toThrow(
    'The credential has an expression without a value here',
  );
  expect(env.service.requests).toEqual([]);
});

test('the credential test tries each login', async () => {
  const { baseUrl, keys, user } = env.service;
  const test = (login: object) =>
    env.engine.testCredential('recordDatabaseApi', { baseUrl, ...keys, ...login });
  const { email, password } = user;
  const good = [
    { userLogin: 'none' },
    { userLogin: 'password', email, password },
    { userLogin: 'autoLogin', email },
  ];
  for (const login of good) expect(await test(login)).toEqual({ status: 'OK', message: 'The keys are good' });
  await runOnItems('getAll', { limit: 1 }, items.slice(0, 1));
  const token = env.service.requests.at(-1)!.headers.authorization;
  expect(await test({ userLogin: 'token', token })).toEqual({ status: 'OK', message: 'The keys are good' });

  const wrong: Array<[object, string]> = [
    [{ userLogin: 'token', token: 'tok_wrong' }, 'The token of the credential is not valid, or has expired'],
    [{ userLogin: 'token', token: '' }, 'The Token of the credential has no value'],
    [{ userLogin: 'autoLogin', email: 'nobody@example.com' }, 'The login of nobody@example.com failed'],
    [{ userLogin: true }, 'The User Login of the credential cannot be true'],
  ];
  for (const [login, message] of wrong) {
    expect(await test(login)).toMatchObject({
      status: 'Error',
      message: expect.stringContaining(message) as string,
    });
  }
});
