/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import {
  applySync,
  createMatchKey,
  createRecord,
  encodeRecordValues,
  getTable,
  planTableSync,
  prepareEntries,
  type Table,
  updateRecord,
  upsertRecord,
} from '../../nodes/records';
import type { Client } from '../../nodes/service';
import type { RecordedRequest } from '../service';
import { ClientEnvironment, findColumns, isList } from './support';

const env = new ClientEnvironment();
/** Another service, whose tables have the same IDs. */
const other = new ClientEnvironment();

/** Tables with the same columns, neither of which is unique, and one whose names are unique. */
function addTables({ service }: ClientEnvironment): void {
  for (const name of ['Left', 'Right', 'Pages'])
    service.addTable({
      name,
      fields: [
        { name: 'Code', type: 'Text' },
        { name: 'Code 2', type: 'Text' },
        { name: 'Note', type: 'Text' },
      ],
    });
  service.addTable({
    name: 'Links',
    fields: [{ name: 'Left', type: 'Connection', to: 'Left', many: false }],
  });
  service.addTable({
    name: 'Owned',
    policy: { canSee: ({ note }) => note === 'visible', mayDelete: true },
    fields: [
      { name: 'Code', type: 'Text', unique: true },
      { name: 'Note', type: 'Text' },
    ],
  });
}

beforeAll(async () => {
  for (const one of [env, other]) {
    await one.start({ perMinute: 100_000 });
    addTables(one);
  }
});
afterAll(() => Promise.all([env.stop(), other.stop()]));
afterEach(() => {
  expect([...env.service.violations, ...other.service.violations]).toEqual([]);
  env.service.faults.clear();
});

interface Options {
  client?: Client;
  environment?: ClientEnvironment;
  columns?: string[];
  /** Called between the look-up and the write. */
  prepare?: () => unknown;
  /** Values of the items that share a look-up. */
  batch?: object[];
  batchName?: number;
}

/** Creates or updates the record of a code. */
async function upsert(tableName: string, values: Record<string, string>, options: Options = {}) {
  const { environment = env, columns = ['code'], prepare, batch, batchName = 0 } = options;
  const client = options.client ?? environment.createClient();
  const table: Table = await getTable(client, environment.service.getTable(tableName).id);
  const encode = (given: object) => encodeRecordValues({ ...given }, table, { timeZone: 'UTC' });
  const createKey = (given: object) => createMatchKey(findColumns(table, ...columns), encode(given));
  const [result = ''] = await upsertRecord(client, async () => ({
    table,
    key: createKey(values),
    ...(batch && { batch: { name: batchName, listKeys: async () => batch.map(createKey) } }),
    prepare: async () => {
      await prepare?.();
      return encode(values);
    },
    update: async (recordId, change) => {
      const { action } = await updateRecord(client, { table, recordId, ...change, timeZone: 'UTC' });
      return `${action} ${recordId}`;
    },
    create: async (creation) => `created ${(await createRecord(client, creation)).record.id}`,
  }));
  return result;
}

let count = 0;
/** A code that no record has. */
const createCode = () => `code-${++count}`;

const list = (tableName: string, code: string, { service } = env) =>
  [...service.getTable(tableName).records.values()].filter((record) => record.code === code);

const { record } = env;
const listSearches = (requests: RecordedRequest[]) => requests.filter(isList);
const listCreates = (requests: RecordedRequest[]) => requests.filter(({ intent }) => intent === 'create');

/** The look-up of one key. That of several keys is a POST. */
const LOOK_UP = { method: 'GET', pattern: /records$/ };

test('an item whose key cannot be read fails alone, also while an earlier one is not ready', async () => {
  const client = env.createClient();
  const code = createCode();
  let fail: (error: Error) => void = () => undefined;
  // Node.js ends a process for a failure that nobody waits for when it happens.
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const first = upsertRecord(client, () => new Promise<never>((_, reject) => (fail = reject)));
  const second = upsertRecord(client, () => Promise.reject(new Error('no key')));
  await new Promise((resolve) => setImmediate(resolve));
  fail(new Error('not ready'));
  await expect(first).rejects.toThrow('not ready');
  await expect(second).rejects.toThrow('no key');
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(await upsert('Left', { code }, { client })).toMatch(/^created/);
});

describe('another client changes the record between the look-up and the write', () => {
  test('a record that was created is updated', async () => {
    const code = createCode();
    let id = '';
    const prepare = () => void ({ id } = env.service.getTable('Owned').insert({ code, note: 'theirs' }));
    const requests = await record(async () =>
      expect(await upsert('Owned', { code, note: 'ours' }, { prepare })).toBe(`updated ${id}`),
    );
    expect(list('Owned', code)).toMatchObject([{ id, note: 'ours' }]);
    expect(listCreates(requests)).toHaveLength(1);
  });

  test('a record that was deleted is created again', async () => {
    const code = createCode();
    const { id } = env.service.getTable('Left').insert({ code });
    const prepare = () => env.service.getTable('Left').delete(id);
    expect(await upsert('Left', { code, note: 'new' }, { prepare })).toMatch(/^created /);
    expect(list('Left', code)).toMatchObject([{ note: 'new' }]);
  });

  test('one of several records that was deleted is an error, and nothing is created', async () => {
    const code = createCode();
    const [first] = [1, 2].map(() => env.service.getTable('Left').insert({ code }));
    const prepare = () => env.service.getTable('Left').delete(first!.id);
    const requests = await record(() =>
      expect(upsert('Left', { code, note: 'new' }, { prepare })).rejects.toMatchObject({ status: 404 }),
    );
    expect(listCreates(requests)).toEqual([]);
  });
});

test('a record that has one of two searched values is another record', async () => {
  const [code, other] = [createCode(), createCode()];
  const ids = [
    { code, code_2: other },
    { code: other, code_2: code },
    { code, code_2: '' },
  ].map((values) => env.service.getTable('Left').insert(values).id);
  const before = ids.map((id) => ({ ...env.service.getTable('Left').records.get(id) }));
  const columns = ['code', 'code_2'];
  const values = { code, code_2: code, note: 'new' };
  // The look-up of the batch returns a record that has one of the values.
  const batch = [values, { code, code_2: other }];
  expect(await upsert('Left', values, { columns, batch })).toMatch(/^created /);
  expect(await upsert('Left', { ...values, note: 'later' }, { columns })).toMatch(/^updated /);
  expect(ids.map((id) => env.service.getTable('Left').records.get(id))).toEqual(before);
  expect(list('Left', code).filter(({ note }) => note === 'later')).toHaveLength(1);
});

describe('a unique value of a record that the look-up does not show', () => {
  test('is a refusal after one look-up more and one create', async () => {
    const code = createCode();
    env.service.getTable('Owned').insert({ code, note: 'of another user' });
    const client = env.createClient({ userLogin: 'password', ...env.service.user });
    const requests = await record(() =>
      expect(upsert('Owned', { code, note: 'visible' }, { client })).rejects.toMatchObject({
        status: 422,
        fieldErrors: { code: expect.anything() },
      }),
    );
    expect(listCreates(requests)).toHaveLength(1);
    expect(list('Owned', code)).toMatchObject([{ note: 'of another user' }]);
  });

  test('in another column than the match column is a refusal without a second look-up', async () => {
    const code = createCode();
    env.service.getTable('Owned').insert({ code });
    const note = createCode();
    const requests = await record(() =>
      expect(upsert('Owned', { code, note }, { columns: ['note'] })).rejects.toMatchObject({ status: 422 }),
    );
    expect(listSearches(requests)).toHaveLength(1);
  });
});

describe('one execution', () => {
  test('keeps the keys of two tables apart: those that it created', async () => {
    const client = env.createClient();
    const code = createCode();
    const left = await upsert('Left', { code }, { client });
    const right = await upsert('Right', { code }, { client });
    expect([left, right]).toEqual([expect.stringMatching(/^created/), expect.stringMatching(/^created/)]);
    expect([list('Left', code), list('Right', code)].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('keeps the keys of two tables apart: those that one look-up found for a batch', async () => {
    const client = env.createClient();
    const code = createCode();
    const { id } = env.service.getTable('Left').insert({ code });
    const batch = [{ code }, { code: createCode() }];
    expect(await upsert('Right', { code, note: 'a' }, { client, batch })).toMatch(/^created/);
    expect(await upsert('Left', { code, note: 'a' }, { client, batch })).toBe(`updated ${id}`);
    expect(list('Right', code)).toHaveLength(1);
  });

  test('keeps the keys of two columns apart', async () => {
    const client = env.createClient();
    const code = createCode();
    expect(await upsert('Left', { code }, { client })).toMatch(/^created/);
    const second = await upsert('Left', { code_2: code }, { client, columns: ['code_2'] });
    expect(second).toMatch(/^created/);
  });

  test('looks a batch up once, and updates the record that it created for the same key', async () => {
    const client = env.createClient();
    const codes = [createCode(), createCode(), createCode()];
    const batch = codes.map((code) => ({ code }));
    const results: string[] = [];
    const requests = await record(async () => {
      for (const code of [...codes, codes[0]!])
        results.push(await upsert('Left', { code, note: `n${results.length}` }, { client, batch }));
    });
    expect(listSearches(requests)).toHaveLength(1);
    expect(results[3]).toBe(results[0]!.replace('created', 'updated'));
    expect(codes.flatMap((code) => list('Left', code))).toHaveLength(3);
  });

  test('does not compare an item with values that an earlier item has replaced', async () => {
    const client = env.createClient();
    const code = createCode();
    const { id } = env.service.getTable('Left').insert({ code, note: 'first' });
    const batch = [{ code }, { code }];
    const results = [];
    for (const note of ['second', 'first'])
      results.push(await upsert('Left', { code, note }, { client, batch }));
    expect(results).toEqual([`updated ${id}`, `updated ${id}`]);
    expect(list('Left', code)).toMatchObject([{ note: 'first' }]);
  });

  test('looks each key up alone when the service refuses the batch', async () => {
    const client = env.createClient();
    const codes = [createCode(), createCode()];
    const batch = codes.map((code) => ({ code }));
    codes.forEach((code) => env.service.getTable('Left').insert({ code }));
    env.service.faults.add({
      when: { method: 'POST', pattern: /records$/ },
      fault: { type: 'status', status: 422 },
    });
    const results = await Promise.all(
      codes.map((code) => upsert('Left', { code, note: 'x' }, { client, batch })),
    );
    expect(results).toEqual(codes.map((code) => `updated ${list('Left', code)[0]!.id}`));
  });

  test('creates the record of a key whose create was refused for an earlier item', async () => {
    const client = env.createClient();
    const code = createCode();
    const fault = { type: 'status', status: 403 } as const;
    env.service.faults.add({ when: { method: 'POST', pattern: /records$/ }, fault });
    await expect(upsert('Left', { code }, { client })).rejects.toMatchObject({ status: 403 });
    expect(await upsert('Left', { code }, { client })).toMatch(/^created/);
  });

  test('does not create for any other failure of the look-up', async () => {
    const code = createCode();
    env.service.faults.add({ when: LOOK_UP, fault: { type: 'status', status: 403 } });
    await expect(upsert('Left', { code }, { batch: [{ code }] })).rejects.toMatchObject({ status: 403 });
    expect(list('Left', code)).toEqual([]);
  });
});

test('a key that another execution has created meanwhile is looked up again', async () => {
  const [first, second] = [env.createClient(), env.createClient()];
  const [code, early] = [createCode(), createCode()];
  const batch = [{ code }, { code: early }];
  await upsert('Left', { code: early }, { client: first, batch });
  const created = await upsert('Left', { code, note: 'a' }, { client: second });
  expect(await upsert('Left', { code, note: 'b' }, { client: first, batch })).toBe(
    created.replace('created', 'updated'),
  );
  expect(list('Left', code)).toMatchObject([{ note: 'b' }]);
});

test.each(['a sync', 'a missing connected record'])(
  'a key that %s has created is looked up again',
  async (by) => {
    const [first, second] = [env.createClient(), env.createClient()];
    const [code, early] = [createCode(), createCode()];
    const batch = [{ code }, { code: early }];
    await upsert('Left', { code: early }, { client: first, batch });
    const timeZone = 'UTC';
    const [left, links] = await Promise.all(
      ['Left', 'Links'].map((name) => getTable(second, env.service.getTable(name).id)),
    );
    if (by === 'a sync') {
      const entries = encodeRecordValues({ code }, left!, { timeZone });
      const inputs = [{ index: 0, read: () => ({ entries }) }];
      const plan = await planTableSync(second, { table: left!, columns: findColumns(left!, 'code'), inputs });
      await applySync(second, { plan, timeZone });
    } else {
      const options = { timeZone, createsMissing: true };
      await (await prepareEntries(second, links!, { left: code }, options)).complete();
    }
    expect(await upsert('Left', { code, note: 'b' }, { client: first, batch })).toMatch(/^updated/);
    expect(list('Left', code)).toMatchObject([{ note: 'b' }]);
  },
);

test('a key that was looked up while another execution created it is looked up again', async () => {
  const [first, second] = [env.createClient(), env.createClient()];
  const [code, early] = [createCode(), createCode()];
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  env.service.faults.add({
    when: { method: 'POST', pattern: /records$/ },
    fault: { type: 'hold', until },
  });
  const creating = upsert('Left', { code, note: 'a' }, { client: first });
  const since = env.service.requests.length;
  const isSent = () => env.service.requests.slice(since).some(({ method }) => method === 'POST');
  while (!isSent()) await new Promise((resolve) => setImmediate(resolve));
  const batch = [{ code }, { code: early }];
  const updating = upsert('Left', { code, note: 'b' }, { client: second, batch });
  await upsert('Left', { code: early }, { client: second, batch });
  release();
  expect(await updating).toBe((await creating).replace('created', 'updated'));
  expect(list('Left', code)).toMatchObject([{ note: 'b' }]);
});

/** Syncs records of new codes. @param meanwhile called between the plan and its changes */
async function syncCodes(client: Client, codes: string[], { name = 'Left', meanwhile = () => {} } = {}) {
  const table = await getTable(client, env.service.getTable(name).id);
  const encode = (code: string) => encodeRecordValues({ code, note: 'sync' }, table, { timeZone: 'UTC' });
  const inputs = codes.map((code, index) => ({ index, read: () => ({ entries: encode(code) }) }));
  const plan = await planTableSync(client, { table, columns: findColumns(table, 'code'), inputs });
  meanwhile();
  const results = await applySync(client, { plan, timeZone: 'UTC' });
  return results.map(({ action }) => action).join();
}

test.each(['item', 'sync'])(
  'an item and a sync with one new key make one record: the %s is first',
  async (by) => {
    const [first, second] = [env.createClient(), env.createClient()];
    const code = createCode();
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    env.service.faults.add({
      when: { method: 'POST', pattern: /records$/ },
      fault: { type: 'hold', until },
    });
    const since = env.service.requests.length;
    const isSent = () => env.service.requests.slice(since).some(({ method }) => method === 'POST');
    const writeItem = (client: Client) => upsert('Left', { code, note: 'item' }, { client });
    const creating: Promise<unknown> = by === 'item' ? writeItem(first) : syncCodes(first, [code]);
    while (!isSent()) await new Promise((resolve) => setImmediate(resolve));
    const updating: Promise<unknown> = by === 'item' ? syncCodes(second, [code]) : writeItem(second);
    setTimeout(release, 100);
    expect(await creating).toMatch(/^created/);
    expect(await updating).toMatch(/^updated/);
    expect(list('Left', code)).toMatchObject([{ note: by === 'item' ? 'sync' : 'item' }]);
  },
);

test('pages that were read before another execution created a key do not answer for it', async () => {
  const [first, second] = [env.createClient(), env.createClient()];
  // Each of these keys is looked up alone, and the pages of the table take fewer requests than two of them.
  const [one, two, code, other] = Array.from({ length: 4 }, () => `${'long '.repeat(80)}${createCode()}`) as [
    string,
    string,
    string,
    string,
  ];
  await upsert('Pages', { code: one }, { client: first, batch: [{ code: one }, { code: two }] });
  const created = await upsert('Pages', { code, note: 'a' }, { client: second });
  const batch = [{ code }, { code: other }];
  expect(await upsert('Pages', { code, note: 'b' }, { client: first, batch, batchName: 1 })).toBe(
    created.replace('created', 'updated'),
  );
  expect(list('Pages', code)).toMatchObject([{ note: 'b' }]);
});

test('pages that a sync read for its plan do not answer for the keys that it creates', async () => {
  const codes = Array.from({ length: 2 }, () => `${'long '.repeat(80)}${createCode()}`);
  const meanwhile = () => void env.service.getTable('Pages').insert({ code: codes[1], note: 'other' });
  expect(await syncCodes(env.createClient(), codes, { name: 'Pages', meanwhile })).toBe('created,updated');
  expect(list('Pages', codes[1]!)).toMatchObject([{ note: 'sync' }]);
});

test('a table that changes while its pages are read is asked for each key', async () => {
  const { records } = env.service.getTable('Pages');
  while (records.size < 250) env.service.getTable('Pages').insert({ code: createCode() });
  const [code, other] = [1, 2].map(() => `${'long '.repeat(80)}${createCode()}`) as [string, string];
  const { id } = env.service.getTable('Pages').insert({ code });
  const insert = {
    then(resolve: () => void) {
      env.service.getTable('Pages').insert({});
      resolve();
    },
  };
  env.service.faults.add({
    when: { method: 'GET', pattern: /records$/ },
    times: Infinity,
    fault: { type: 'hold', until: insert as unknown as Promise<void> },
  });
  const batch = [{ code }, { code: other }];
  expect(await upsert('Pages', { code, note: 'new' }, { batch })).toBe(`updated ${id}`);
});

test('keys of another service neither wait nor count as created', async () => {
  const code = createCode();
  let ended = '';
  const prepare = async () => {
    ended = await upsert('Left', { code }, { environment: other });
  };
  expect(await upsert('Left', { code }, { prepare })).toMatch(/^created/);
  expect(ended).toMatch(/^created/);
  expect([list('Left', code), list('Left', code, other)].map(({ length }) => length)).toEqual([1, 1]);
});

test('records that none of the keys have are no match, and nothing is created', async () => {
  const code = createCode();
  const body = { items: [{ id: 'stray', code: 'quite another code' }], total_items: 1 };
  env.service.faults.add({
    when: LOOK_UP,
    times: 2,
    fault: { type: 'status', status: 200, body },
  });
  await expect(upsert('Left', { code })).rejects.toThrow('It is not clear whether a record has');
  expect(list('Left', code)).toEqual([]);
});

test('a refusal that names no column is thrown, and a record that another client has created is no result', async () => {
  const code = createCode();
  const prepare = () => void env.service.getTable('Left').insert({ code, note: 'theirs' });
  env.service.faults.add({
    when: { method: 'POST', pattern: /records$/ },
    fault: { type: 'status', status: 422 },
  });
  await expect(upsert('Left', { code, note: 'ours' }, { prepare })).rejects.toMatchObject({ status: 422 });
  expect(list('Left', code)).toMatchObject([{ note: 'theirs' }]);
});

describe('an answer of a create that is lost', () => {
  const CREATE = { method: 'POST', pattern: /records$/ };

  test.each([
    ['cut off', { type: 'reset', when: 'after' }],
    ['incomplete', { type: 'truncate' }],
    ['empty', { type: 'status', status: 200, body: '', when: 'after' }],
    ['a page of a proxy', { type: 'status', status: 502, body: '<html>', when: 'after' }],
  ] as const)('is looked up: %s', async (_, fault) => {
    const code = createCode();
    env.service.faults.add({ when: CREATE, fault });
    const result = await upsert('Left', { code });
    const [stored, ...more] = list('Left', code);
    expect(more).toEqual([]);
    expect(result).toBe(`created ${stored!.id}`);
  });

  test('is looked up again while no look-up shows the record', async () => {
    const code = createCode();
    env.service.faults.add({ when: CREATE, fault: { type: 'reset', when: 'after' } });
    const body = { type: 'success', items: [], total_items: 0 };
    for (const nth of [2, 3])
      env.service.faults.add({ when: { ...LOOK_UP, nth }, fault: { type: 'status', status: 200, body } });
    const result = await upsert('Left', { code });
    expect(list('Left', code).map(({ id }) => `created ${id}`)).toEqual([result]);
  });

  test('and cannot be found is an error, and later items of the key send nothing', async () => {
    const client = env.createClient();
    const code = createCode();
    env.service.faults.add({ when: CREATE, fault: { type: 'reset', when: 'before' } });
    await expect(upsert('Left', { code }, { client })).rejects.toMatchObject({ isOutcomeUnknown: true });
    const requests = await record(() =>
      expect(upsert('Left', { code }, { client })).rejects.toMatchObject({
        message: expect.stringContaining('Outcome unknown: an earlier item may have created the record with'),
        isOutcomeUnknown: true,
      }),
    );
    expect(listCreates(requests)).toEqual([]);
    expect(await upsert('Left', { code: createCode() }, { client })).toMatch(/^created/);
    expect(await upsert('Right', { code }, { client })).toMatch(/^created/);
  });

  test('of a missing connected record is an error, and items of its key send nothing', async () => {
    const client = env.createClient();
    const code = createCode();
    const table = await getTable(client, env.service.getTable('Links').id);
    const options = { timeZone: 'UTC', createsMissing: true };
    const { complete } = await prepareEntries(client, table, { left: code }, options);
    env.service.faults.add({ when: CREATE, fault: { type: 'reset', when: 'before' } });
    await expect(complete()).rejects.toMatchObject({ isOutcomeUnknown: true });
    const requests = await record(() =>
      expect(upsert('Left', { code }, { client, batch: [{ code }] })).rejects.toMatchObject({
        isOutcomeUnknown: true,
      }),
    );
    expect(listCreates(requests)).toEqual([]);
  });
});

describe('a key that the service takes for that of another record', () => {
  afterEach(() => Object.assign(env.service.options, { uniqueText: 'exact', storedText: [] }));

  test('is an error that names both, if they differ in case alone', async () => {
    env.service.options.uniqueText = 'ignoresCase';
    const code = createCode();
    const { id } = env.service.getTable('Owned').insert({ code, note: 'visible' });
    const error = await upsert('Owned', { code: code.toUpperCase(), note: 'ours' }).catch((thrown) => thrown);
    expect(error).toMatchObject({
      message: `Record ${id} has "${code}" in "Code", and the item has ["${code.toUpperCase()}"]: they differ in case alone`,
      description: expect.stringContaining('Correct the record or the item'),
    });
    expect(list('Owned', code)).toMatchObject([{ note: 'visible' }]);
  });

  test('is found with outer and double blanks, with characters without a width, and in another composition', async () => {
    const code = `${createCode()} café`;
    const { id } = env.service.getTable('Left').insert({ code });
    for (const spelled of [` ${code}`, code.replace(' ', '  '), `${code}\u200b`, code.normalize('NFD')])
      expect(await upsert('Left', { code: spelled, note: spelled })).toBe(`updated ${id}`);
    expect([...env.service.getTable('Left').records.values()].filter((one) => one.id === id)).toHaveLength(1);
  });

  test('of 100 creates: two look-ups, and no reading', async () => {
    const client = env.createClient();
    const values = Array.from({ length: 100 }, () => ({ code: createCode() }));
    const requests = await record(async () => {
      for (const [index, one] of values.entries()) {
        const batch = values.slice(index < 50 ? 0 : 50, index < 50 ? 50 : 100);
        await upsert('Left', one, { client, batch, batchName: index < 50 ? 0 : 1 });
      }
    });
    expect(requests.filter(({ method, path }) => method === 'GET' && /records\/\w+$/.test(path))).toEqual([]);
    expect(listSearches(requests)).toHaveLength(2);
    expect(listCreates(requests)).toHaveLength(100);
  });
});
