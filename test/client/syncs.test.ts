import { encodeRecordValues, getTable, parseFilterJson, planTableSync } from '../../nodes/records';
import { InputError } from '../../nodes/service';
import type { RecordedRequest } from '../service';
import { ClientEnvironment, isList } from './support';

/** The plan of a sync: what is read for it, and what it refuses before anything is written. */

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 100_000 });
  for (const name of ['Small', 'Large', 'Unique', 'Indexed'])
    env.service.addTable({
      name,
      fields: [
        { name: 'Code', type: 'Text' },
        { name: 'Tag', type: 'Text', unique: ['Unique', 'Indexed'].includes(name) },
        { name: 'Parts', type: 'Connection', to: 'Small' },
      ],
    });
  const large = env.service.getTable('Large');
  for (let n = 0; n < 1_000; n++) large.insert({ code: `L${n}`, tag: 'old' });
});
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

type Row = Record<string, unknown>;

async function open(name: string, settings: object = {}) {
  const client = env.createClient(settings);
  const table = await getTable(client, env.service.getTable(name).id);
  const toInputs = (rows: Row[]) =>
    rows.map((row, index) => {
      const entries = encodeRecordValues(row, table, { timeZone: 'UTC' });
      return { index, read: () => ({ entries }) };
    });
  const plan = (rows: Row[], more: object = {}) =>
    planTableSync(client, {
      table,
      matchColumns: ['code'],
      inputs: toInputs(rows),
      ...more,
    });
  return { client, table, plan };
}

const { record } = env;
const listSearches = (requests: RecordedRequest[]) =>
  requests
    .filter(isList)
    .map(
      ({ method, query, body }) => (method === 'GET' ? query : body) as { filters?: object; limit: number },
    );

/** A code that no record has. */
let count = 0;
const createCode = () => `sync-${++count}`;
const select = (filter: object) => ({ filter: parseFilterJson(filter), timeZone: 'UTC' });
const insert = (name: string, values: Row) => env.service.getTable(name).insert(values).id;

describe('what is read', () => {
  test('few inputs of a long table are looked up, and many are compared with the whole table', async () => {
    const { plan } = await open('Large');
    const few = await record(async () => {
      const { updates, creates } = await plan([
        { code: 'L7', tag: 'new' },
        { code: 'L-none', tag: 'new' },
      ]);
      expect([updates.map(({ record }) => record.code), creates.length]).toEqual([['L7'], 1]);
    });
    expect(listSearches(few).filter(({ filters }) => filters)).toHaveLength(1);
    const rows = Array.from({ length: 300 }, (_, n) => ({ code: `L${n}`, tag: 'new' }));
    const many = await record(async () => expect((await plan(rows)).updates).toHaveLength(300));
    expect(listSearches(many).filter(({ filters }) => filters)).toEqual([]);
  });

  test('a refused look-up, and one that finds strays, is a reading of the whole table', async () => {
    const stray = { items: [{ id: 'stray', code: 'quite another' }], total_items: 1 };
    // The first page is read before the look-up.
    const when = { method: 'GET', pattern: /records$/, skip: 1 };
    for (const fault of [
      { type: 'status', status: 422 },
      { type: 'status', status: 200, body: stray },
    ] as const) {
      const { plan } = await open('Large');
      env.service.faults.add({ when, fault });
      const { updates, creates } = await plan([{ code: 'L7', tag: 'new' }]);
      expect([updates.map(({ record }) => record.code), creates]).toEqual([['L7'], []]);
    }
  });

  test('any other failure of the look-up ends the sync', async () => {
    const { plan } = await open('Large');
    const when = { method: 'GET', pattern: /records$/, skip: 1 };
    env.service.faults.add({ when, fault: { type: 'status', status: 403 } });
    await expect(plan([{ code: 'L7' }])).rejects.toMatchObject({ status: 403 });
  });

  test('all records without an input are deleted of a long table too', async () => {
    const { plan } = await open('Large');
    const { deletes, updates } = await plan([{ code: 'L7', tag: 'new' }], { deletes: true });
    expect([deletes.length, updates.length]).toEqual([999, 1]);
  });

  test('records are deleted only of the whole table, or of the filter', async () => {
    const [, gone, other] = ['a', 'b', 'c'].map((code, n) =>
      insert('Small', { code, tag: n < 2 ? 'in scope' : 'outside' }),
    );
    const { plan } = await open('Small');
    const rows = [{ code: 'a', tag: 'in scope' }];
    expect((await plan(rows)).deletes).toEqual([]);
    const all = await plan(rows, { deletes: true });
    expect(all.deletes.map(({ id }) => id).sort()).toEqual([gone, other].sort());
    expect(all.scope).toBe(3);
    const some = await plan(rows, { deletes: true, selection: select({ tag: 'in scope' }) });
    expect(some.deletes.map(({ id }) => id)).toEqual([gone]);
  });
});

test('a record that the service returns against the filter is not planned for deletion', async () => {
  const { plan } = await open('Small');
  const items = [{ id: 'stray', code: 'stray', tag: 'outside', parts: [] }];
  const fault = { type: 'status', status: 200, body: { items, total_items: 1 } } as const;
  env.service.faults.add({ when: { method: 'GET', pattern: /records$/ }, fault });
  await expect(plan([], { deletes: true, selection: select({ tag: 'in scope' }) })).rejects.toThrow(
    'The service returned 1 records that do not match the filter: stray',
  );
});

describe('what is refused', () => {
  test.each<[string, string[], string]>([
    ['no field', [], 'There is no field to match on'],
    ['a field of several records', ['parts'], 'Fields to Match On: "Parts" can hold several records'],
    ['an unknown field', ['cod'], '"cod"'],
  ])('%s to match on, before the inputs are read', async (_, matchColumns, message) => {
    const { plan } = await open('Small');
    const read = () => {
      throw new Error('The inputs were read');
    };
    const inputs = [{ index: 0, read }];
    const requests = await record(() => expect(plan([], { matchColumns, inputs })).rejects.toThrow(message));
    expect(requests).toEqual([]);
  });

  test('two inputs, and two records, of one key', async () => {
    const { plan } = await open('Small');
    const code = createCode();
    await expect(plan([{ code }, { code }])).rejects.toThrow(
      /^Several items have the same values to match on: .*items 1, 2/,
    );
    const ids = [insert('Small', { code }), insert('Small', { code })];
    await expect(plan([{ code, tag: 'x' }])).rejects.toThrow(
      `Several records have the same values to match on: ["${code}"]: records ${ids.join(', ')}`,
    );
    // Records that no input has are not compared with each other.
    await expect(plan([{ code: createCode() }])).resolves.toMatchObject({ creates: [{ index: 0 }] });
  });

  test('two inputs with one value of a unique column', async () => {
    const { plan } = await open('Unique');
    const rows = [1, 2].map(() => ({ code: createCode(), tag: 'twice' }));
    await expect(plan(rows)).rejects.toThrow(
      'Items 1 and 2 have the same value in a unique field, "Tag": "twice"',
    );
  });

  test('a value of a unique column that another record keeps', async () => {
    const id = insert('Unique', { code: createCode(), tag: 'kept' });
    const { plan } = await open('Unique');
    const deletes = { deletes: true };
    const own = env.service.getTable('Unique').records.get(id)!;
    const rows = [
      { code: own.code, parts: [] },
      { code: createCode(), tag: 'kept' },
    ];
    await expect(plan(rows, deletes)).rejects.toThrow(
      `Item 1 has a value of a unique field that record ${id} keeps, "Tag": "kept"`,
    );
  });
});

describe('the order of the changes', () => {
  test('a deletion frees a value for a write, although only the keys of the items were looked up', async () => {
    const codes = Array.from({ length: 200 }, () => createCode());
    codes.forEach((code) => insert('Indexed', { code, tag: code }));
    const { plan } = await open('Indexed');
    const selection = select({ code: codes[0] });
    const { order } = await plan([{ code: createCode(), tag: codes[0] }], { deletes: true, selection });
    expect(order.writes).toEqual([]);
    expect(order.freeingDeletes.map(({ code }) => code)).toEqual([codes[0]]);
    expect(order.writesAfterDeletes).toMatchObject([[{ create: { index: 0 } }]]);
  });

  test('a deletion, and an update, comes before the write that needs its value', async () => {
    const table = env.service.getTable('Unique');
    for (const id of [...table.records.keys()]) table.delete(id);
    const [a, b] = ['a', 'b'].map((tag) => insert('Unique', { code: tag, tag }));
    const c = insert('Unique', { code: 'c', tag: 'c' });
    const { plan } = await open('Unique');
    const rows = [
      { code: 'new', tag: 'a' },
      { code: 'b', tag: 'free' },
      { code: 'other', tag: 'b' },
    ];
    const { order } = await plan(rows, { deletes: true });
    const list = (rounds: object[][]) =>
      rounds.map((round) =>
        round.map((write) => Object.values(write as Record<string, { index: number }>)[0]!.index),
      );
    expect(list(order.writes)).toEqual([[1], [2]]);
    expect(order.freeingDeletes.map(({ id }) => id)).toEqual([a]);
    expect(list(order.writesAfterDeletes)).toEqual([[0]]);
    expect(order.otherDeletes.map(({ id }) => id)).toEqual([c]);
    expect(order.stuck).toEqual([]);
    expect([...order.freeingDeletes, ...order.otherDeletes].map(({ id }) => id)).not.toContain(b);
  });

  test('values that two records exchange are stuck', async () => {
    const table = env.service.getTable('Unique');
    for (const id of [...table.records.keys()]) table.delete(id);
    const ids = ['p', 'q'].map((tag) => insert('Unique', { code: tag, tag }));
    const { plan } = await open('Unique');
    const rows = [
      { code: 'p', tag: 'q' },
      { code: 'q', tag: 'p' },
    ];
    const { order } = await plan(rows, { continuesOnFail: true });
    expect(order.writes).toEqual([]);
    expect(order.stuck).toHaveLength(2);
    expect(order.stuckReason).toBe(
      `Items 1 (record ${ids[0]}), 2 (record ${ids[1]}) exchange values of a unique field, such as "Tag": "q"`,
    );
  });
});

test('a user who may not see all connections gets them written again', async () => {
  const part = insert('Small', { code: createCode() });
  const code = createCode();
  insert('Small', { code, parts: [part] });
  const row = { code, parts: [part] };
  const { plan } = await open('Small');
  expect((await plan([row])).updates).toEqual([]);
  const asUser = await open('Small', { userLogin: 'password', ...env.service.user });
  expect((await asUser.plan([row])).updates).toMatchObject([{ entries: [['parts', [part]]] }]);
});

test('the error of a refused plan is one of the input', async () => {
  const { plan } = await open('Small');
  await expect(plan([], { matchColumns: [] })).rejects.toBeInstanceOf(InputError);
});
