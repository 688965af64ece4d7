import {
  deleteMatchingRecords,
  deleteRecord,
  encodeRecordValues,
  getTable,
  parseFilterJson,
  planTableSync,
  selectRecords,
} from '../../nodes/records';
import type { Client } from '../../nodes/service';
import type { RecordedRequest } from '../service';
import { applyCounted, ClientEnvironment, findColumns } from './support';

/** The changes of a sync and deletions of many records, while other clients change the same records. */

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 100_000 });
  for (const name of ['Plain', 'Unique'])
    env.service.addTable({
      name,
      fields: [
        { name: 'Code', type: 'Text' },
        { name: 'Tag', type: 'Text', unique: name === 'Unique' },
        { name: 'Parts', type: 'Connection', to: 'Unique' },
      ],
    });
});
afterAll(() => env.stop());
beforeEach(() => {
  env.hints.length = 0;
  for (const name of ['Plain', 'Unique']) {
    const table = env.service.getTable(name);
    for (const id of [...table.records.keys()]) table.delete(id);
  }
});
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

type Row = Record<string, string | string[]>;
interface Options {
  tableName?: string;
  matchColumn?: string;
  deletes?: boolean;
  filter?: string;
  /** Settings of the credential. */
  settings?: object;
}

/** The look-up of one key. That of several keys is a POST, as a create. */
const LOOK_UP = { method: 'GET', pattern: /records$/ };
const insert = (values: Row, name = 'Plain') => env.service.getTable(name).insert(values).id;
const list = (name = 'Plain') =>
  [...env.service.getTable(name).records.values()]
    .map(({ code, tag }) => `${String(code)} ${String(tag)}`)
    .sort();

type Changes = Partial<Parameters<typeof applyCounted>[1]>;

/** Plans a sync. Other clients may change the records before the changes are made. */
async function plan(
  rows: Row[],
  { tableName = 'Plain', matchColumn = 'code', deletes, filter, settings }: Options = {},
) {
  const client = env.createClient(settings);
  const table = await getTable(client, env.service.getTable(tableName).id);
  const inputs = rows.map((row, index) => {
    const entries = encodeRecordValues({ ...row }, table, { timeZone: 'UTC' });
    return { index, read: () => ({ entries }) };
  });
  const selection = filter ? { filter: parseFilterJson(filter), timeZone: 'UTC' } : undefined;
  const question = {
    table,
    columns: findColumns(table, matchColumn),
    inputs,
    deletes,
    selection,
  };
  const planned = await planTableSync(client, question);
  const apply = (more: Changes = {}) =>
    applyCounted(client, { plan: planned, timeZone: 'UTC', ...more }).finally(() =>
      client.notices.showUsageHints(),
    );
  return { client, apply };
}

const describeResult = (result: Awaited<ReturnType<typeof applyCounted>>['results'][number]): string =>
  result.action === 'failed'
    ? `failed: ${(result.error as Error).message}`
    : `${result.action} ${String(result.record?.id)}`;

const { record } = env;
const isCreate = ({ method, path, body }: RecordedRequest) =>
  method === 'POST' && path.endsWith('/records') && !Object.hasOwn(body as object, 'filters');

describe('a key that another client creates', () => {
  test('before the create is updated instead, with what the record lacks', async () => {
    const { apply } = await plan([{ code: 'a', tag: 'ours' }]);
    const id = insert({ code: 'a', tag: 'theirs' });
    const requests = await record(async () => {
      const { results, counts } = await apply();
      expect(results.map(describeResult)).toEqual([`updated ${id}`]);
      expect(counts).toEqual({ created: 0, updated: 1, deleted: 0 });
    });
    expect(list()).toEqual(['a ours']);
    // The record of the look-up may be old when it is written: it is read again.
    const reads = requests.filter(({ method, path }) => method === 'GET' && path.endsWith(id));
    expect(reads).toHaveLength(1);
  });

  test('before the create, with the same values, needs no write', async () => {
    const row = { code: 'a', tag: 'ours', parts: [insert({ code: 'part' }, 'Unique')] };
    const { apply } = await plan([row]);
    insert(row);
    const requests = await record(async () =>
      expect(await apply()).toMatchObject({ results: [], counts: { created: 0, updated: 0 } }),
    );
    expect(requests.map(({ method, query }) => [method, Object.keys(query)])).toEqual([
      ['GET', expect.arrayContaining(['filters'])],
    ]);
  });

  test('before the create, with connections that a user may see in part, is written', async () => {
    const row = { code: 'a', parts: [insert({ code: 'part' }, 'Unique')] };
    const { apply } = await plan([row], { settings: { userLogin: 'password', ...env.service.user } });
    const id = insert(row);
    expect((await apply()).results.map(describeResult)).toEqual([`updated ${id}`]);
  });

  test('twice before the create is an error that names both, and nothing is created', async () => {
    const { apply } = await plan([{ code: 'a', tag: 'ours' }]);
    const ids = [1, 2].map(() => insert({ code: 'a', tag: 'theirs' }));
    const requests = await record(async () =>
      expect((await apply()).results.map(describeResult)).toEqual([
        `failed: Several records match ["a"]: ${ids.join(', ')}`,
      ]),
    );
    expect(requests.filter(isCreate)).toEqual([]);
  });

  test.each(['code', 'tag'])('is looked for where the column tag is unique (%s)', async (matchColumn) => {
    const { apply } = await plan([{ code: 'a', tag: 'ours' }], { tableName: 'Unique', matchColumn });
    const requests = await record(async () => expect((await apply()).counts.created).toBe(1));
    expect(requests.map(isCreate)).toEqual([false, true]);
  });
});

describe('the look-up of the keys to create', () => {
  test('that fails, fails each create, and nothing is created', async () => {
    const { apply } = await plan([{ code: 'a' }, { code: 'b' }]);
    env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'status', status: 403 } });
    const requests = await record(async () => {
      const { results } = await apply({ continuesOnFail: true });
      expect(results).toMatchObject(
        [0, 1].map((index) => ({ action: 'failed', index, error: { status: 403 } })),
      );
    });
    expect(requests.filter(isCreate)).toEqual([]);
  });

  test('fails the create whose key the service refuses', async () => {
    const { apply } = await plan([{ code: 'a' }]);
    env.service.faults.add({ when: LOOK_UP, fault: { type: 'status', status: 422 } });
    const { counts, results } = await apply();
    expect([counts.created, results]).toMatchObject([0, [{ action: 'failed', error: { status: 422 } }]]);
  });

  test('has at most 50 keys', async () => {
    const { apply } = await plan(Array.from({ length: 60 }, (_, n) => ({ code: `many-${n}` })));
    const requests = await record(async () => expect((await apply()).counts.created).toBe(60));
    const sizes = requests.flatMap(({ body }) =>
      Object.hasOwn(body as object, 'filters')
        ? [(body as { filters: { items: unknown[] } }).filters.items.length]
        : [],
    );
    expect(sizes).toEqual([50, 10]);
  });
});

test('a create whose answer is lost is found by its key', async () => {
  const { apply } = await plan([{ code: 'a', tag: 'ours' }]);
  env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });
  const { results, counts } = await apply();
  const [stored] = env.service.getTable('Plain').records.values();
  expect([results.map(describeResult), counts.created]).toEqual([[`created ${stored!.id}`], 1]);
});

test('a record that has the values before its update is sent is unchanged, and does not count', async () => {
  const id = insert({ code: 'a', tag: 'before' });
  const { apply } = await plan([{ code: 'a', tag: 'after' }]);
  env.service.getTable('Plain').update(id, { tag: 'after' });
  // The values of the plan are too old to be sent back.
  await env.time.sleep(61_000);
  const { results, counts } = await apply();
  expect(results.map(describeResult)).toEqual([`unchanged ${id}`]);
  expect(counts).toEqual({ created: 0, updated: 0, deleted: 0 });
});

describe('after a failure', () => {
  /** A sync with an update, a create, and a record to delete. The update fails. */
  async function planWithFailure() {
    insert({ code: 'old', tag: 'x' });
    insert({ code: 'known', tag: 'before' });
    const rows = [{ code: 'known', tag: 'after' }, ...['n1', 'n2'].map((code) => ({ code, tag: 'new' }))];
    const planned = await plan(rows, { deletes: true });
    const when = { method: 'POST', pattern: /records\/\w+$/ };
    env.service.faults.add({ when, fault: { type: 'status', status: 403 } });
    return planned;
  }

  test('no record is deleted, and a hint says so', async () => {
    const { apply } = await planWithFailure();
    const { results, counts } = await apply();
    expect(results).toContainEqual(expect.objectContaining({ action: 'failed', index: 0 }));
    expect(counts.deleted).toBe(0);
    expect(list()).toContain('old x');
    expect(env.hints.join()).toContain('1 records were not deleted, because other changes failed');
  });

  test('nothing is said of deletions if there are none', async () => {
    insert({ code: 'known', tag: 'before' });
    const { apply } = await plan([{ code: 'known', tag: 'after' }], { deletes: true });
    const when = { method: 'POST', pattern: /records\/\w+$/ };
    env.service.faults.add({ when, fault: { type: 'status', status: 403 } });
    expect((await apply()).results).toMatchObject([{ action: 'failed', index: 0 }]);
    expect(env.hints).toEqual([]);
  });

  test('the other items are written if they are to go on, and still no record is deleted', async () => {
    const { apply } = await planWithFailure();
    const { counts } = await apply({ continuesOnFail: true });
    expect(counts).toEqual({ created: 2, updated: 0, deleted: 0 });
    expect(list()).toEqual(['known before', 'n1 new', 'n2 new', 'old x']);
  });

  test('a write whose value a record keeps, because it was not deleted, is not made', async () => {
    insert({ code: 'gone', tag: 'wanted' }, 'Unique');
    insert({ code: 'known', tag: 'before' }, 'Unique');
    const rows = [
      { code: 'known', tag: 'after' },
      { code: 'new', tag: 'wanted' },
    ];
    const { apply } = await plan(rows, { tableName: 'Unique', deletes: true });
    const when = { method: 'POST', pattern: /records\/\w+$/ };
    env.service.faults.add({ when, fault: { type: 'status', status: 403 } });
    const { results } = await apply({ continuesOnFail: true });
    expect(results.map(describeResult)[1]).toBe(
      'failed: The service did not accept the values (tag: This field is unique)',
    );
    expect(list('Unique')).toEqual(['gone wanted', 'known before']);
  });

  test('of a deletion that frees a value, the write is not made', async () => {
    insert({ code: 'gone', tag: 'wanted' }, 'Unique');
    const { apply } = await plan([{ code: 'new', tag: 'wanted' }], { tableName: 'Unique', deletes: true });
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'status', status: 403 } });
    const { results, counts } = await apply();
    expect(results).toMatchObject([
      { action: 'failed', record: { code: 'gone' } },
      { action: 'failed', index: 0, error: { status: 422 } },
    ]);
    expect(counts).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(list('Unique')).toEqual(['gone wanted']);
  });
});

describe('values that two records exchange', () => {
  /** Two records that exchange their values, a new one and one to delete. */
  async function planExchange() {
    for (const tag of ['p', 'q', 'r']) insert({ code: tag, tag }, 'Unique');
    const rows = [
      { code: 'p', tag: 'q' },
      { code: 'q', tag: 'p' },
      { code: 'new', tag: 'n' },
    ];
    return plan(rows, { tableName: 'Unique', deletes: true });
  }

  test.each([true, false])('fail alone, and no record is deleted (continuesOnFail: %s)', async (goesOn) => {
    const { apply } = await planExchange();
    const { results, counts } = await apply({ continuesOnFail: goesOn });
    expect(results.map(({ action }) => action).sort()).toEqual(['created', 'failed', 'failed']);
    expect(counts.deleted).toBe(0);
    expect(list('Unique')).toEqual(['new n', 'p p', 'q q', 'r r']);
  });
});

describe('a record that is to be deleted', () => {
  test('is kept if another client gave it the key of an item, and a hint names it', async () => {
    const id = insert({ code: 'old', tag: 'x' });
    insert({ code: 'a', tag: 'ours' });
    const { apply } = await plan([{ code: 'a', tag: 'ours' }], { deletes: true });
    env.service.getTable('Plain').update(id, { code: 'a' });
    const { results, counts } = await apply();
    expect([results.map(describeResult), counts.deleted]).toEqual([[`kept ${id}`], 0]);
    expect(env.hints.join()).toContain(`1 of 1 records were not deleted, because they changed during the run and match an item now: ${id}`); // prettier-ignore
    expect(list()).toEqual(['a ours', 'a x']);
  });

  test('is kept if it no longer matches the filter', async () => {
    const [first, second] = ['one', 'two'].map((code) => insert({ code, tag: 'scope' }));
    const { apply } = await plan([], { deletes: true, filter: '{"tag": "scope"}' });
    env.service.getTable('Plain').update(first!, { tag: 'other' });
    const { results } = await apply();
    expect(results.map(describeResult).sort()).toEqual([`deleted ${second}`, `kept ${first}`]);
    expect(list()).toEqual(['one other']);
  });

  test('is not found if another client deleted it, and is deleted if the answer is lost', async () => {
    const [first, second] = ['one', 'two'].map((code) => insert({ code, tag: 'x' }));
    const { apply } = await plan([{ code: 'new', tag: 'x' }], { deletes: true });
    env.service.getTable('Plain').delete(first!);
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'after' } });
    const { results, counts } = await apply();
    expect(results.map(describeResult).slice(1).sort()).toEqual([`deleted ${second}`, `notFound ${first}`]);
    expect(counts.deleted).toBe(1);
  });

  test('is not found if another client deleted it after it was read again', async () => {
    const id = insert({ code: 'old', tag: 'x' });
    const { apply } = await plan([{ code: 'new', tag: 'x' }], { deletes: true });
    const body = { type: 'error', msg: 'Record not found', status: 404 };
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'status', status: 404, body } });
    const { results, counts } = await apply();
    expect(results.map(describeResult).slice(1)).toEqual([`notFound ${id}`]);
    expect(counts.deleted).toBe(0);
  });

  test('is read by its ID if the look-up is refused, and stays if it cannot be read', async () => {
    const id = insert({ code: 'old', tag: 'x' });
    insert({ code: 'a', tag: 'ours' });
    const rows = [{ code: 'a', tag: 'ours' }];
    const first = await plan(rows, { deletes: true });
    env.service.faults.add({ when: LOOK_UP, fault: { type: 'status', status: 403 } });
    expect((await first.apply()).results).toMatchObject([{ action: 'failed', error: { status: 403 } }]);
    const second = await plan(rows, { deletes: true });
    env.service.faults.add({ when: LOOK_UP, fault: { type: 'status', status: 422 } });
    const one = { method: 'GET', pattern: new RegExp(`records/${id}$`) };
    env.service.faults.add({ when: one, fault: { type: 'status', status: 403 } });
    expect((await second.apply()).results).toMatchObject([{ action: 'failed', error: { status: 403 } }]);
    const third = await plan(rows, { deletes: true });
    env.service.faults.add({ when: LOOK_UP, fault: { type: 'status', status: 422 } });
    expect((await third.apply()).results.map(describeResult)).toEqual([`deleted ${id}`]);
  });
});

describe('a deletion of which each answer is lost', () => {
  const lose = (when: 'before' | 'after') =>
    env.service.faults.add({ when: { method: 'DELETE' }, times: 20, fault: { type: 'reset', when } });

  test('is made if the record is gone', async () => {
    const id = insert({ code: 'old', tag: 'x' });
    const client = env.createClient();
    lose('after');
    await deleteRecord(client, env.service.getTable('Plain').id, id);
    expect(list()).toEqual([]);
  });

  test('is an error that leaves the outcome open if the record is still there', async () => {
    const id = insert({ code: 'old', tag: 'x' });
    const client = env.createClient();
    lose('before');
    const deletion = deleteRecord(client, env.service.getTable('Plain').id, id);
    await expect(deletion).rejects.toMatchObject({
      description: expect.stringContaining('The change may have been made'),
    });
    expect(list()).toEqual(['old x']);
  });

  test('is not looked for after a refusal', async () => {
    const id = insert({ code: 'old', tag: 'x' });
    const client = env.createClient();
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'status', status: 403 } });
    const requests = await record(() =>
      expect(deleteRecord(client, env.service.getTable('Plain').id, id)).rejects.toMatchObject({
        status: 403,
      }),
    );
    expect(requests.map(({ method }) => method)).toEqual(['DELETE']);
  });
});

describe('a deletion of many records', () => {
  /** Reads the records of a filter. */
  async function readScope(client: Client) {
    const table = await getTable(client, env.service.getTable('Plain').id);
    return selectRecords(client, table, { filter: parseFilterJson('{"tag": "scope"}'), timeZone: 'UTC' });
  }

  /** Reads the records of a filter, and deletes them after `prepare`. */
  async function deleteMany(prepare: (client: Client) => unknown, { age = 0 } = {}) {
    const client = env.createClient();
    const found = await readScope(client);
    await prepare(client);
    await env.time.sleep(age);
    const results = await deleteMatchingRecords(client, found);
    client.notices.showUsageHints();
    return results.map(({ action, record: { code } }) => `${action} ${String(code)}`);
  }

  test('reads the records again after a minute, and keeps those that left the filter', async () => {
    const [first] = ['a', 'b'].map((code) => insert({ code, tag: 'scope' }));
    const leave = () => env.service.getTable('Plain').update(first!, { tag: 'other' });
    expect((await deleteMany(leave, { age: 61_000 })).sort()).toEqual(['deleted b', 'kept a']);
    expect(list()).toEqual(['a other']);
    expect(env.hints.join()).toContain('they changed during the run and no longer match the filter');
  });

  test('takes one request for each 25 records, and one more for those that a minute has passed for', async () => {
    const count = 60;
    for (let n = 0; n < count; n++) insert({ code: `c${n}`, tag: 'scope' });
    const from = env.service.requests.length;
    const client = env.createClient({ parallelRequests: 1 });
    // The third round takes two minutes.
    for (const nth of [52, 54]) {
      const minute = {
        then: (end: () => void) => void env.time.sleep(61_000).then(end),
      } as unknown as Promise<void>;
      env.service.faults.add({ when: { method: 'DELETE', nth }, fault: { type: 'hold', until: minute } });
    }
    const results = await deleteMatchingRecords(client, await readScope(client));
    expect(results.filter(({ action }) => action === 'deleted')).toHaveLength(count);
    const lists = env.service.requests.slice(from).filter(({ path }) => path.endsWith('/records'));
    // The reading before the run is that of the first round.
    expect(lists).toHaveLength(1 + 2 + 2);
    expect(list()).toEqual([]);
  });

  test('reads them by their IDs if the service returns other records', async () => {
    const [id] = ['a'].map((code) => insert({ code, tag: 'scope' }));
    insert({ code: 'stray', tag: 'other' });
    const stray = [...env.service.getTable('Plain').records.values()].find(({ code }) => code === 'stray');
    const change = () => {
      env.service.getTable('Plain').update(id!, { tag: 'other' });
      const body = { items: [stray], total_items: 1 };
      env.service.faults.add({ when: LOOK_UP, fault: { type: 'status', status: 200, body } });
    };
    expect(await deleteMany(change, { age: 61_000 })).toEqual(['kept a']);
  });

  test('does not read them again at once', async () => {
    insert({ code: 'a', tag: 'scope' });
    let from = 0;
    expect(await deleteMany(() => (from = env.service.requests.length))).toEqual(['deleted a']);
    expect(env.service.requests.slice(from).map(({ method }) => method)).toEqual(['DELETE']);
    expect(env.hints).toEqual([]);
  });

  test('ends with the first failure, and a deletion whose outcome is open says so', async () => {
    for (let n = 0; n < 30; n++) insert({ code: `c${n}`, tag: 'scope' });
    const when = { method: 'DELETE' };
    env.service.faults.add({ when, times: 3, fault: { type: 'reset', when: 'before' } });
    const results = await deleteMany(() => undefined);
    expect(results.filter((text) => text.startsWith('failed'))).toHaveLength(0);
    expect(results.filter((text) => text.startsWith('deleted'))).toHaveLength(30);
    for (let n = 0; n < 30; n++) insert({ code: `d${n}`, tag: 'scope' });
    env.service.faults.add({ when, fault: { type: 'status', status: 403 } });
    const stopped = await deleteMany(() => undefined);
    expect(stopped.filter((text) => text.startsWith('failed'))).toHaveLength(1);
    expect(stopped.length).toBeLessThan(30);
    expect(list()).toHaveLength(30 - stopped.filter((text) => text.startsWith('deleted')).length);
  });
});
