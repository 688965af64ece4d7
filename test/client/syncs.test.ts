import { encodeRecordValues, getTable, parseFilterJson, planTableSync } from '../../nodes/records';
import { InputError } from '../../nodes/service';
import type { RecordedRequest } from '../service';
import { applyCounted, ClientEnvironment, findColumns, isList } from './support';

/** The plan of a sync: what is read for it, and what it refuses before anything is written. */

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 100_000 });
  env.service.addTable({
    name: 'Keys',
    fields: [
      { name: 'Code', type: 'Text' },
      { name: 'Email', type: 'Email' },
      { name: 'Tag', type: 'Text' },
    ],
  });
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

/** The columns to match on, and further options of the comparison. */
type Options = { matchColumns?: readonly string[] } & Record<string, unknown>;

async function open(name: string, settings: object = {}) {
  const client = env.createClient(settings);
  const table = await getTable(client, env.service.getTable(name).id);
  const toInputs = (rows: Row[]) =>
    rows.map((row, index) => {
      const entries = encodeRecordValues(row, table, { timeZone: 'UTC' });
      return { index, read: () => ({ entries }) };
    });
  const plan = async (rows: Row[], { matchColumns = ['code'], ...more }: Options = {}) =>
    planTableSync(client, {
      table,
      columns: findColumns(table, ...matchColumns),
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

  test('a look-up that is refused, or that finds other records, ends the sync', async () => {
    const stray = { items: [{ id: 'stray', code: 'quite another' }], total_items: 1 };
    // The first page is read before.
    const when = { method: 'GET', pattern: /records$/, skip: 1 };
    for (const [fault, error] of [
      [{ type: 'status', status: 422 }, { status: 422 }],
      [{ type: 'status', status: 403 }, { status: 403 }],
      [
        { type: 'status', status: 200, body: stray },
        { message: expect.stringContaining('the service returned record stray') },
      ],
    ] as const) {
      const { plan } = await open('Large');
      env.service.faults.add({ when, fault });
      await expect(plan([{ code: 'L7', tag: 'new' }])).rejects.toMatchObject(error);
    }
  });

  test('a key is found as a person types it, and its record is not deleted', async () => {
    const { plan } = await open('Keys');
    for (const id of [...env.service.getTable('Keys').records.keys()])
      env.service.getTable('Keys').delete(id);
    const stored = insert('Keys', { email: 'Ada@Example.com', code: 'A-1 ' });
    for (const [matchColumns, row] of [
      [['email'], { email: 'ada@example.com', tag: 'new' }],
      [['code'], { code: 'A-1', tag: 'new' }],
      [['code'], { code: ' A-1', tag: 'new' }],
    ] as const) {
      const found = await plan([row], { matchColumns, deletes: true });
      expect([found.creates, found.deletes]).toEqual([[], []]);
      expect(found.updates.map(({ record }) => record.id)).toEqual([stored]);
    }
    await expect(plan([{ code: 'a-1' }], { deletes: true })).rejects.toThrow(
      `It is not clear whether a record belongs to these items: item 1: record ${stored} has "A-1 " in "Code"`,
    );
  });

  test('records that hold exactly the values of items count before those with equal keys', async () => {
    const { plan } = await open('Keys');
    for (const id of [...env.service.getTable('Keys').records.keys()])
      env.service.getTable('Keys').delete(id);
    const ids = ['b 2', 'b  2', ' b 2'].map((code) => insert('Keys', { code }));
    const rows = [' b 2', 'b 2', 'b  2'].map((code) => ({ code, tag: 'new' }));
    const all = await plan(rows, { deletes: true });
    expect(all.updates.map(({ record }) => record.id)).toEqual([ids[2], ids[0], ids[1]]);
    expect([all.creates, all.deletes]).toEqual([[], []]);
    // The others have the key of the item, so none of them is deleted.
    expect((await plan(rows.slice(0, 1), { deletes: true })).deletes).toEqual([]);
    await expect(plan([{ code: 'b 2 ' }], { deletes: true })).rejects.toThrow(
      'Several items or records have the same values',
    );
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
    expect(all.deletableCount).toBe(3);
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

  test.each<['Text' | 'Number', string, (stored: Row) => void]>([
    ['Text', 'does not show', (stored) => delete stored.amount],
    ['Number', 'shows as a text that is no number', (stored) => void (stored.amount = '1,250')],
  ])('a deletion of a record whose key (%s) the service %s', async (type, _title, hide) => {
    const name = createCode();
    const fields = ['Amount', 'Rank'].map((field) => ({ name: field, type }));
    const { records } = env.service.addTable({ name, fields });
    const first = insert(name, { amount: 1250 });
    insert(name, { rank: 1 });
    hide(records.get(first)!);
    const { plan } = await open(name);
    const rows = [{ amount: 1250 }];
    await expect(plan(rows, { matchColumns: ['amount'], deletes: true })).rejects.toThrow(
      `1 records to delete may belong to items: ${first}`,
    );
    // No item has the key of a record of which another field to match on is blank.
    const { deletes } = await plan([{ amount: 1250, rank: 1 }], {
      matchColumns: ['amount', 'rank'],
      deletes: true,
    });
    expect(deletes).toHaveLength(2);
  });

  test('two inputs, and two records, of one key', async () => {
    const { plan } = await open('Small');
    const code = createCode();
    await expect(plan([{ code }, { code }])).rejects.toThrow(
      /^Several items or records have the same values to match on: .*items 1, 2/,
    );
    const ids = [insert('Small', { code }), insert('Small', { code })];
    await expect(plan([{ code, tag: 'x' }])).rejects.toThrow(
      `Several items or records have the same values to match on: ["${code}"]: items 1, records ${ids.join(', ')}`,
    );
    // Records that no input has are not compared with each other.
    await expect(plan([{ code: createCode() }])).resolves.toMatchObject({ creates: [{ index: 0 }] });
  });
});

describe('values of a unique field that other records have', () => {
  const clear = () => {
    const table = env.service.getTable('Unique');
    for (const id of [...table.records.keys()]) table.delete(id);
  };
  const listTags = () =>
    [...env.service.getTable('Unique').records.values()].map(({ code, tag }) => `${code} ${tag}`).sort();

  test('are written when an update or a deletion has freed them', async () => {
    clear();
    for (const tag of ['a', 'b', 'c']) insert('Unique', { code: tag, tag });
    const { client, plan } = await open('Unique');
    const rows = [
      { code: 'new', tag: 'a' },
      { code: 'other', tag: 'b' },
      { code: 'b', tag: 'free' },
    ];
    const { counts, results } = await applyCounted(client, {
      plan: await plan(rows, { deletes: true }),
      timeZone: 'UTC',
    });
    expect(results.filter(({ action }) => action === 'failed')).toEqual([]);
    expect([counts, listTags()]).toEqual([
      { created: 2, updated: 1, deleted: 2 },
      ['b free', 'new a', 'other b'],
    ]);
  });

  test('that records exchange, and that another record keeps, are errors of their items', async () => {
    clear();
    for (const tag of ['p', 'q', 'kept']) insert('Unique', { code: tag, tag });
    const { client, plan } = await open('Unique');
    const rows = [
      { code: 'p', tag: 'q' },
      { code: 'q', tag: 'p' },
      { code: 'more', tag: 'kept' },
      { code: 'fine', tag: 'fine' },
    ];
    const { counts, results } = await applyCounted(client, { plan: await plan(rows), timeZone: 'UTC' });
    expect(counts).toEqual({ created: 1, updated: 0, deleted: 0 });
    const failed = results.flatMap((one) => (one.action === 'failed' ? [one] : []));
    expect(failed.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
    expect(failed[0]!.error).toMatchObject({
      status: 422,
      description: expect.stringContaining(
        'If records exchange values of a unique field, run Sync with other',
      ),
    });
    expect(listTags()).toEqual(['fine fine', 'kept kept', 'p p', 'q q']);
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
