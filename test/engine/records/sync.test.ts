import { chainNodes, createNode, type WorkflowJson } from '../../harness';
import { scaleSize } from '../../randomness';
import type { Table } from '../../service';
import { createToolWorkflow } from '../agents/tools';
import {
  AUTO_MAP,
  getOutput,
  START,
  TestEnvironment,
  toColumns,
  toLocator,
  TYPE,
} from '../support/testEnvironment';

let env: TestEnvironment;
let table: Table;
let tableCount = 0;
beforeAll(async () => {
  env = await TestEnvironment.start();
});
beforeEach(() => {
  table = env.service.addTable({
    name: `Parts ${++tableCount}`,
    fields: [
      { name: 'SKU', type: 'Text' },
      { name: 'Name', type: 'Text' },
      { name: 'Price', type: 'Currency' },
      { name: 'Stock', type: 'Number' },
    ],
  });
});
afterAll(() => env.stop());
afterEach(() => {
  env.service.faults.clear();
  expect(env.takeViolations()).toEqual([]);
});

const CONTINUE = { onError: 'continueErrorOutput' };
const WRITES = /^(POST .*\{recordId\}|DELETE)/;

const columns = { ...AUTO_MAP, matchingColumns: ['sku'] };
const sync = (input: object[], parameters: object = {}, extra: object = {}) =>
  env.runRecordOperation('sync', table, { columns, ...parameters }, input, extra);

const insert = (...rows: object[]) => rows.map((row) => table.insert(row as Record<string, unknown>));
const part = (n: number, more: object = {}) => ({
  sku: `p${n}`,
  name: `Part ${n}`,
  price: n,
  stock: 0,
  ...more,
});
const listTable = () =>
  [...table.records.values()].map(({ sku, name, price, stock }) => ({ sku, name, price, stock }));
const bySku = <T extends { sku?: unknown }>(rows: T[]) =>
  [...rows].sort((a, b) => String(a.sku).localeCompare(String(b.sku)));

/** Requests that changed something, as `METHOD intent`. */
const listWrites = (since: number) =>
  env.service.requests
    .slice(since)
    .filter(
      ({ method, pattern, intent }) =>
        intent === 'create' || WRITES.test(`${method} ${pattern.split(' ').at(-1)}`),
    );

const SKU_STARTS = (value: string) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'sku|text', operator: 'starts with', value }] },
});

test('creates, updates and deletes what differs, and returns one item for each change', async () => {
  const [first, , old] = insert(part(1), part(2), part(9, { name: 'Old' }));
  const since = env.service.requests.length;
  const run = await sync([part(1, { price: 5 }), part(2), part(3)], { deleteMissing: true });
  expect(getOutput(run).map(({ _action, sku, price, name }) => [_action, sku, price, name])).toEqual([
    ['updated', 'p1', 5, 'Part 1'],
    ['created', 'p3', 3, 'Part 3'],
    ['deleted', 'p9', 9, 'Old'],
  ]);
  expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }, []]);
  expect(bySku(listTable())).toEqual([part(1, { price: 5 }), part(2), part(3)]);
  expect(table.records.has(first!.id)).toBe(true);
  expect(table.records.has(old!.id)).toBe(false);
  const update = env.service.requests.slice(since).filter(({ path }) => path.endsWith(first!.id));
  expect(update.map(({ method }) => method)).toEqual(['POST']);
});

test('a repeated run writes nothing and returns nothing', async () => {
  insert(part(1), part(9));
  const input = [part(1, { stock: 7 }), part(2, { price: null })];
  getOutput(await sync(input, { deleteMissing: true }));
  const since = env.service.requests.length;
  expect(getOutput(await sync(input, { deleteMissing: true }))).toEqual([]);
  expect(listWrites(since)).toEqual([]);
});

test('without Delete Missing Records, other records stay', async () => {
  insert(part(1), part(9));
  expect(getOutput(await sync([part(1)]))).toEqual([]);
  expect(table.records.size).toBe(2);
});

test('records of every kind of field that are written back need no write', async () => {
  const customers = env.getTable('Customers');
  const records = getOutput(await env.runRecordOperation('getAll', customers, { limit: 100 }));
  const since = env.service.requests.length;
  const parameters = { columns: { ...AUTO_MAP, matchingColumns: ['email'] }, output: 'summary' };
  const run = await env.runRecordOperation('sync', customers, parameters, records);
  expect(getOutput(run)).toEqual([
    { created: 0, updated: 0, deleted: 0, unchanged: records.length, failed: 0 },
  ]);
  expect(listWrites(since)).toEqual([]);
});

test('a dry run returns the plan and writes nothing', async () => {
  const [first, old] = insert(part(1), part(9));
  const since = env.service.requests.length;
  const run = await sync([part(1, { price: 5 }), part(3)], {
    deleteMissing: true,
    options: { dryRun: true },
  });
  expect(getOutput(run)).toMatchObject([
    { _action: 'create', _dryRun: true, ...part(3) },
    { _action: 'update', _dryRun: true, _before: { price: first!.price }, id: first!.id, price: 5 },
    { _action: 'delete', _dryRun: true, id: old!.id, name: 'Part 9' },
  ]);
  expect(listWrites(since)).toEqual([]);
});

test('a filter limits what may be deleted; keys are looked up in the whole table', async () => {
  insert(part(1), part(2), { ...part(3), sku: 'x3' }, { ...part(4), sku: 'x4' });
  const input = [part(1), { ...part(3), sku: 'x3', price: 8 }];
  const changes = getOutput(await sync(input, { deleteMissing: true, ...SKU_STARTS('p') }));
  expect(changes.map(({ _action, sku }) => [_action, sku])).toEqual([
    ['updated', 'x3'],
    ['deleted', 'p2'],
  ]);
  expect(listTable().map(({ sku }) => sku)).toEqual(['p1', 'x3', 'x4']);
});

test.each([
  [
    { options: { maximumChanges: 2 } },
    /^There are 3 changes, more than Maximum Changes \(2\): 1 to create, 1 to update, 1 to delete/,
  ],
  [{ maximumDeletions: '0' }, /^1 of 2 records would be deleted, and Maximum Deletions allows 0 \(as set\)$/],
  [{ maximumDeletions: 0 }, /Maximum Deletions allows 0 \(as set\)$/],
  [{ maximumDeletions: '49.9%' }, /Maximum Deletions allows 0 \(49\.9%\)$/],
  [{ maximumDeletions: 'few' }, /^Maximum Deletions cannot be "few"$/],
  [{ maximumDeletions: '101%' }, /^Maximum Deletions cannot be "101%"$/],
  [{ maximumDeletions: '0.2' }, /^Maximum Deletions cannot be "0\.2"$/],
])('%j stops before anything is sent', async (parameters, message) => {
  insert(part(1), part(9));
  const since = env.service.requests.length;
  const run = await sync([part(1, { price: 5 }), part(3)], { deleteMissing: true, ...parameters });
  expect(run.error?.message).toMatch(message);
  expect(listWrites(since)).toEqual([]);
});

test.each([
  [1, 0],
  [3, 2],
  [4, 3],
])('without a value, %i records in scope: at most %i are deleted, never all', async (count, allowed) => {
  insert(...Array.from({ length: count }, (_, n) => part(n)));
  const since = env.service.requests.length;
  const refused = await sync([part(100)], { deleteMissing: true });
  expect(refused.error?.message).toBe(
    `${count} of ${count} records would be deleted, and Maximum Deletions allows ${allowed} (${count > 3 ? 'the larger of 3 records and 20%' : 'never all of them'})`,
  );
  expect(listWrites(since)).toEqual([]);
  getOutput(await sync([part(100)], { deleteMissing: true, maximumDeletions: '100%' }));
  expect(listTable()).toEqual([part(100)]);
});

test('a dry run shows a plan that Maximum Deletions refuses, with both numbers and what allows it', async () => {
  insert(...Array.from({ length: 60 }, (_, n) => part(n)));
  const input = Array.from({ length: 47 }, (_, n) => part(n));
  const since = env.service.requests.length;
  const numbers =
    '13 of 60 records would be deleted, and Maximum Deletions allows 12 (the larger of 3 records and 20%)';
  const allow = 'To allow these deletions, set Maximum Deletions to 13 or 22%.';
  const dry = await sync(input, { deleteMissing: true, output: 'summary', options: { dryRun: true } });
  expect(getOutput(dry)).toEqual([
    {
      created: 0,
      updated: 0,
      deleted: 13,
      unchanged: 47,
      failed: 0,
      inScope: 60,
      allowedDeletions: 12,
      _dryRun: true,
    },
  ]);
  expect(dry.getHints('Node').map(({ message }) => message)).toEqual([
    `${numbers}. Without "Dry Run", nothing would be changed. The input may lack items: check it. ${allow}`,
  ]);
  const { error } = await sync(input, { deleteMissing: true });
  expect(error).toMatchObject({
    message: numbers,
    description: `Nothing was changed. "Dry Run" returns the plan. The input may lack items: check it. ${allow}`,
  });
  expect(listWrites(since)).toEqual([]);
  expect(getOutput(await sync(input, { deleteMissing: true, maximumDeletions: '22 %' }))).toHaveLength(13);
});

test.each([
  [
    'items without a key',
    [part(1), part(2, { sku: ' \t' }), part(3, { sku: null })],
    /^2 of 3 items cannot be synced: item 2: The match field "SKU" has no value; item 3: /,
  ],
  [
    'invalid values',
    [part(1, { price: 'dear' })],
    /^1 of 1 items cannot be synced: item 1: "Price" cannot take/,
  ],
  [
    'items with one key',
    [part(1), part(2), part(1)],
    /^Several items or records have the same values to match on: \["p1"\]: items 1, 3$/,
  ],
])('%s are an error that lists them; nothing is written', async (_, input, message) => {
  insert(part(9));
  const since = env.service.requests.length;
  const run = await sync(input, { deleteMissing: true });
  expect(run.error?.message).toMatch(message);
  expect(listWrites(since)).toEqual([]);
});

test('records with one key are an error that lists them, unless no item has the key', async () => {
  const [a, b] = insert(part(1), part(1), part(9), part(9));
  const run = await sync([part(1)]);
  expect(run.error?.message).toBe(
    `Several items or records have the same values to match on: ["p1"]: items 1, records ${a!.id}, ${b!.id}`,
  );
  expect(getOutput(await sync([part(2)], { output: 'summary' }))).toMatchObject([{ created: 1 }]);
});

test('with Continue On Fail, an item that cannot be planned fails every item', async () => {
  const run = await sync([part(1), part(2, { sku: '' })], {}, CONTINUE);
  expect(run.getJson('Node', 0)).toEqual([]);
  expect(run.getItems('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
});

test('a failed change is an error item, and nothing is deleted', async () => {
  insert(part(1), part(9));
  env.service.faults.add({
    when: { pattern: /\{recordId\}/, method: 'POST' },
    times: 9,
    fault: { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } },
  });
  const parameters = { deleteMissing: true, options: {} };
  const run = await sync([part(1, { price: 2 }), part(2)], parameters, CONTINUE);
  expect(run.getJson('Node', 0).map(({ _action, sku }) => [_action, sku])).toEqual([['created', 'p2']]);
  expect(run.getItems('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
  expect(listTable().map(({ sku }) => sku)).toEqual(['p1', 'p9', 'p2']);
  env.service.faults.clear();
  const changes = getOutput(await sync([part(1, { price: 2 }), part(2)], parameters));
  expect(changes.map(({ _action, sku }) => [_action, sku])).toEqual([
    ['updated', 'p1'],
    ['deleted', 'p9'],
  ]);
});

test('a lost answer to a create is looked up, so the record is not doubled', async () => {
  env.service.faults.add({
    // The first POST looks up the key.
    when: { pattern: /records$/, method: 'POST', nth: 2 },
    fault: { type: 'reset', when: 'after' },
  });
  expect(getOutput(await sync([part(1)]))).toMatchObject([{ _action: 'created', sku: 'p1' }]);
  expect(table.records.size).toBe(1);
});

test('a File column is refused for every item, and nothing is sent', async () => {
  const showcase = env.getTable('Showcase');
  const parameters = { columns: { ...AUTO_MAP, matchingColumns: ['unique_text'] } };
  const binary = { data: { data: 'eA==', mimeType: 'text/plain', fileName: 'x.txt' } };
  const input = [1, 2].map((n) => ({ json: { unique_text: `file ${n}`, file: 'data' }, binary }));
  const before = env.service.requests.length;
  const { error } = await env.runRecordOperation('sync', showcase, parameters, input);
  expect(error).toMatchObject({
    message: '2 of 2 items cannot be synced: item 1: "File" is a File field; item 2: "File" is a File field',
    description:
      'Nothing was sent. Correct these items, or remove them from the input. For item 1: Files cannot be compared. Leave the field out, and write files with Create or Update.',
  });
  expect(listWrites(before)).toEqual([]);
});

test('an unknown column is one error for the whole run', async () => {
  const { error } = await sync([part(1, { skuu: 'x' })], {
    columns: toColumns({ sku: 'p1', skuu: 'x' }, ['sku']),
  });
  expect(error?.message).toBe('Fields: the table has no field "skuu"');
});

describe('with the setting Execute Once', () => {
  const ONCE = { executeOnce: true };

  test('deletions are refused before anything is sent', async () => {
    insert(part(1), part(2), part(9));
    const since = env.service.requests.length;
    const { error } = await sync([part(1), part(2)], { deleteMissing: true, maximumDeletions: 100 }, ONCE);
    expect(error).toMatchObject({
      message: expect.stringMatching(/has the setting "Execute Once"/) as string,
      description: expect.stringMatching(/^Nothing was sent/) as string,
    });
    expect(listWrites(since)).toEqual([]);
    expect(table.records.size).toBe(3);
  });

  test('without deletions, the first item is synced', async () => {
    expect(getOutput(await sync([part(1), part(2)], {}, ONCE))).toMatchObject([{ sku: 'p1' }]);
  });
});

test('two syncs at the same time create each key once', async () => {
  const input = Array.from({ length: 20 }, (_, n) => part(n));
  const runs = await Promise.all([sync(input), sync(input)]);
  expect(runs.flatMap(getOutput)).toHaveLength(20);
  expect(table.records.size).toBe(20);
});

test('items for several tables and a match column with several values are refused', async () => {
  const locator = { __rl: true, mode: 'id', value: '={{ $json.table }}' };
  const input = [
    { ...part(1), table: table.id },
    { ...part(2), table: env.getTable('Orders').id },
  ];
  const parameters = { resource: 'record', operation: 'sync', dataTableId: locator, columns };
  expect((await env.run(parameters, input)).error?.message).toMatch(
    /^Table: item 2 has "\w+", but the first item has /,
  );
  const orders = { columns: { ...AUTO_MAP, matchingColumns: ['products'] } };
  const run = await env.runRecordOperation('sync', env.getTable('Orders'), orders, [{ products: 'x' }]);
  expect(run.error?.message).toBe('Fields to Match On: "Products" can hold several records');
});

describe('a value of a unique field that moves to another record', () => {
  let users: Table;
  let old: string[];
  const syncUsers = (input: object[], parameters: object = {}, extra: object = {}) =>
    env.runRecordOperation(
      'sync',
      users,
      { columns: { ...AUTO_MAP, matchingColumns: ['code'] }, ...parameters },
      input,
      extra,
    );
  const listUsers = () => [...users.records.values()].map(({ code, mail }) => [code, mail]);
  const user = (code: string, mail: string) => ({ code, mail });
  const DELETE = { deleteMissing: true };

  beforeEach(() => {
    users = env.service.addTable({
      name: `Users ${++tableCount}`,
      fields: [
        { name: 'Code', type: 'Text' },
        { name: 'Mail', type: 'Email', unique: true },
      ],
    });
    old = ['a', 'b', 'c'].map((code) => users.insert(user(code, `${code}@example.com`)).id);
  });

  test.each([
    ['from a deleted record to a new one', [['a'], ['b'], ['d', 'c']], DELETE],
    ['from a deleted record to an updated one', [['a'], ['b', 'c']], DELETE],
    ['from an updated record to a new one', [['d', 'a'], ['a', 'x'], ['b'], ['c']], {}],
  ])('%s', async (_, rows, parameters) => {
    const input = rows.map(([code = '', mail = code]) => user(code, `${mail}@example.com`));
    const [summary] = getOutput(await syncUsers(input, { ...parameters, output: 'summary' }));
    expect(summary).toMatchObject({ failed: 0 });
    expect(listUsers().sort()).toEqual(input.map(({ code, mail }) => [code, mail]).sort());
    const since = env.service.requests.length;
    expect(getOutput(await syncUsers(input, parameters))).toEqual([]);
    expect(listWrites(since)).toEqual([]);
  });

  test.each([
    [
      'two records exchange their values',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      [0, 1],
      DELETE,
    ],
    ['a record keeps the value', [['a'], ['d', 'a']], [1], DELETE],
    [
      'two items have the value',
      [
        ['d', 'x'],
        ['e', 'x'],
      ],
      [1],
      {},
    ],
  ])('%s: these items fail, and no record is deleted', async (_, rows, failed, parameters) => {
    const input = rows.map(([code = '', mail = code]) => user(code, `${mail}@example.com`));
    const run = await env.withSettings({ parallelRequests: 1 }, () => syncUsers(input, parameters, CONTINUE));
    const errors = run.getItems('Node', 1);
    expect(errors.map(({ pairedItem }) => pairedItem)).toEqual(failed.map((item) => ({ item })));
    for (const { json } of errors) expect(json.error).toMatch(/^Another record already has the Mail/);
    expect(listUsers().map(([code]) => code)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('gives its record back to Undo in the order of the writes', async () => {
    const input = [user('a', 'b@example.com'), user('b', 'x@example.com')];
    const changes = getOutput(await syncUsers(input));
    expect(changes.map(({ code }) => code)).toEqual(['b', 'a']);
    const undone = getOutput(await env.runRecordOperation('undo', users, { dryRun: false }, changes));
    expect(undone.map(({ _action }) => _action)).toEqual(['updated', 'updated']);
    expect(listUsers()).toEqual(['a', 'b', 'c'].map((code) => [code, `${code}@example.com`]));
  });

  test('after a failed change no record is deleted, and writes that need a deletion are reported', async () => {
    env.service.faults.add({
      // The first POST looks the keys up.
      when: { pattern: /records$/, method: 'POST', skip: 1 },
      fault: { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } },
    });
    const input = [user('a', 'a@example.com'), user('e', 'e@example.com'), user('d', 'c@example.com')];
    const run = await syncUsers(input, DELETE, CONTINUE);
    expect(run.getJson('Node', 0)).toEqual([]);
    expect(run.getItems('Node', 1).map(({ json, pairedItem }) => [pairedItem, json.error])).toEqual([
      [{ item: 1 }, expect.any(String)],
      [{ item: 2 }, expect.any(String)],
    ]);
    expect(listUsers().map(([code]) => code)).toEqual(['a', 'b', 'c']);
    const changes = getOutput(await syncUsers(input, DELETE));
    expect(changes.map(({ _action, code }) => [_action, code]).sort()).toEqual([
      ['created', 'd'],
      ['created', 'e'],
      ['deleted', 'b'],
      ['deleted', 'c'],
    ]);
  });

  test('the error of a run that stopped holds all records that it deleted, also those that freed a value', async () => {
    users.insert(user('x', 'x@example.com'));
    env.service.faults.add({ when: { method: 'DELETE', skip: 2 }, fault: { type: 'status', status: 422 } });
    const input = [user('a', 'a@example.com'), user('d', 'c@example.com')];
    const run = await env.withSettings({ parallelRequests: 1 }, () =>
      syncUsers(input, { ...DELETE, maximumDeletions: '100%' }),
    );
    const { data } = (run.error as unknown as { context: { data: { oldRecords: object[] } } }).context;
    expect(data.oldRecords).toMatchObject([
      { id: old[1], ...user('b', 'b@example.com') },
      { id: old[2], ...user('c', 'c@example.com') },
    ]);
    expect(listUsers().map(([code]) => code)).toEqual(['a', 'x']);
  });

  test('a value that a record outside of the look-up has is an error that says what to do', async () => {
    // More pages than look-ups, so only the keys are looked up.
    for (let n = 0; n < 600; n++) users.insert(user(`u${n}`, `u${n}@example.com`));
    const input = [user('d', 'd@example.com'), user('e', 'u500@example.com'), user('f', 'f@example.com')];
    const stopped = await env.withSettings({ parallelRequests: 1 }, () => syncUsers(input));
    expect(stopped.error?.message).toContain('Another record already has the Mail ');
    expect(stopped.error).toMatchObject({
      description: expect.stringContaining(
        '2 of 3 changes were made. A repeated run makes the others. To go on after a failure, set "On Error"',
      ),
    });
    const continued = await syncUsers(input, {}, CONTINUE);
    expect(continued.getJson('Node', 0)).toEqual([]);
    expect(continued.getItems('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
    expect(listUsers().filter(([code]) => 'def'.includes(String(code)))).toHaveLength(2);
  });

  test('Maximum Deletions counts deletions that free a value', async () => {
    const since = env.service.requests.length;
    const run = await syncUsers(
      [user('a', 'a@example.com'), user('b', 'b@example.com'), user('d', 'c@example.com')],
      {
        ...DELETE,
        maximumDeletions: 0,
      },
    );
    expect(run.error?.message).toMatch(/^1 of 3 records would be deleted/);
    expect(listWrites(since)).toEqual([]);
  });
});

describe('the cheaper look-up', () => {
  beforeEach(() => {
    for (let n = 0; n < 1_200; n++) table.insert(part(n));
  });
  const listReads = (since: number) =>
    env.service.requests
      .slice(since)
      .filter(({ pattern, intent }) => pattern.endsWith('/records') && intent !== 'create');

  test('few items are looked up by their keys', async () => {
    const since = env.service.requests.length;
    const input = Array.from({ length: 120 }, (_, n) => part(n * 7));
    expect(getOutput(await sync(input))).toEqual([]);
    // One page shows the size of the table; each further request looks 50 keys up.
    expect(listReads(since)).toHaveLength(1 + 3);
  });

  test('when the service refuses a key, all records are read', async () => {
    env.service.faults.add({
      when: { pattern: /records$/, method: 'POST', nth: 1 },
      fault: { type: 'status', status: 422, body: { type: 'error', msg: 'No', status: 422 } },
    });
    expect(getOutput(await sync([part(1, { price: -1 })]))).toMatchObject([
      { _action: 'updated', sku: 'p1' },
    ]);
  });

  test('many items are compared with all records', async () => {
    const since = env.service.requests.length;
    const input = Array.from({ length: 1_200 }, (_, n) => part(n));
    expect(getOutput(await sync(input))).toEqual([]);
    // Six pages. Look-ups would take 24 requests.
    expect(listReads(since).length).toBeLessThanOrEqual(9);
  });
});

/** One of 100 changed. */
const ROWS = scaleSize(1_600, 10_000);

test(`${ROWS} rows: at most 1.7 requests for each that changed`, async () => {
  for (let n = 0; n < ROWS; n++) table.insert(part(n));
  const since = env.service.requests.length;
  const input = Array.from({ length: ROWS }, (_, n) => part(n, n % 100 === 0 ? { price: -1 } : {}));
  expect(getOutput(await sync(input, { output: 'summary' }))).toEqual([
    { created: 0, updated: ROWS / 100, deleted: 0, unchanged: 0.99 * ROWS, failed: 0 },
  ]);
  // A slow machine reads records again whose values are older than two seconds.
  const isReadAgain = (pattern: string) => /^GET .*\{recordId\}$/.test(pattern);
  expect(env.listRequests(since).filter((one) => !isReadAgain(one)).length).toBeLessThanOrEqual(
    (1.7 * ROWS) / 100,
  );
});

describe('columns by the keys of the input', () => {
  const syncKeys = (input: object[], matchingColumns = ['sku'], more: object = {}) =>
    env.runRecordOperation(
      'sync',
      table,
      { columns: { ...AUTO_MAP, matchingColumns }, deleteMissing: true, ...more },
      input,
    );

  test('creates, updates and deletes by names of columns in any spelling', async () => {
    insert(part(1), part(2, { name: 'Keep' }), part(9));
    const input = [
      { SKU: 'p1', Price: '5.00', Stock: null },
      { sku: 'p2', price: 2 },
      { Sku: 'p3', name: 'Part 3' },
    ];
    const changes = getOutput(await syncKeys(input));
    expect(changes.map(({ _action, sku, price = null }) => [_action, sku, price])).toEqual([
      ['updated', 'p1', 5],
      ['created', 'p3', null],
      ['deleted', 'p9', 9],
    ]);
    expect(bySku(listTable())[1]).toEqual(part(2, { name: 'Keep' }));
    const since = env.service.requests.length;
    expect(getOutput(await syncKeys(input))).toEqual([]);
    expect(listWrites(since)).toEqual([]);
  });

  test('the columns to match on may be given by name', async () => {
    insert(part(1), part(2));
    const run = await syncKeys([{ SKU: 'p1', Name: 'Part 2' }], ['SKU'], { output: 'summary' });
    expect(getOutput(run)).toMatchObject([{ updated: 1, deleted: 1 }]);
  });

  test.each([
    [
      'no key',
      [{ Name: 'x' }],
      ['sku'],
      /^1 of 1 items cannot be synced: item 1: The match field "SKU" has no value/,
    ],
    [
      'a field twice',
      [{ SKU: 'p1' }, { SKU: 'p1', sku: 'p2' }],
      ['sku'],
      /^1 of 2 items cannot be synced: item 2: Fields: "SKU" is given twice/,
    ],
    ['an unknown field', [{ SKU: 'p1', Colour: 'red' }], ['sku'], /Colour/],
    ['no field to match on', [{ SKU: 'p1' }], [], /^There is no field to match on/],
  ])('%s: an error, and nothing is written', async (_, input, matchingColumns, message) => {
    insert(part(1), part(9));
    const since = env.service.requests.length;
    expect((await syncKeys(input, matchingColumns)).error?.message).toMatch(message);
    expect(listWrites(since)).toEqual([]);
  });

  test('a tool gives the values of a record as JSON', async () => {
    insert(part(1));
    const parameters = {
      resource: 'record',
      operation: 'sync',
      dataTableId: toLocator(table.id),
      columnsJson: "={{ $fromAI('columns') }}",
      matchColumns: '={{ ["SKU"] }}',
    };
    const call = async (columns: unknown) => {
      const run = await env.engine.run(createToolWorkflow('tool', parameters), {
        input: [{ json: { columns } }] as never,
      });
      return run.getJson('Agent')[0] as { answer?: string; error?: string };
    };
    expect((await call({ Sku: 'p1', Price: '5.00' })).answer).toContain('"updated"');
    expect(bySku(listTable())[0]).toMatchObject({ price: 5, name: part(1).name });
    expect((await call([1])).error).toContain('Fields (JSON) cannot be [1]');
  });
});

describe('deletions are refused when the node runs more than once', () => {
  const createSync = (more: object = {}) =>
    createNode('Sync', TYPE, {
      resource: 'record',
      operation: 'sync',
      dataTableId: toLocator(table.id),
      columns,
      deleteMissing: true,
      ...more,
    });
  const createLoop = () => createNode('Loop', 'n8n-nodes-base.splitInBatches', { batchSize: 1 });
  const noOp = (name: string) => createNode(name, 'n8n-nodes-base.noOp');
  const to = (...names: string[]) => names.map((node) => ({ node, type: 'main', index: 0 }));

  const run = (workflow: WorkflowJson, records = [part(1), part(2), part(9)]) => {
    insert(...records);
    return env.engine.run(workflow, { input: [{ json: part(1) }, { json: part(2) }] as never });
  };

  test('in a loop', async () => {
    const nodes = [START, createLoop(), createSync()];
    const connections = {
      Start: { main: [to('Loop')] },
      Loop: { main: [[], to('Sync')] },
      Sync: { main: [to('Loop')] },
    };
    const { error } = await run({ nodes, connections } as WorkflowJson);
    expect(error?.message).toBe('Delete Missing Records: the node is in a loop');
    expect(table.records.size).toBe(3);
  });

  test('on a side branch of a loop, from the second run on', async () => {
    const nodes = [START, createLoop(), noOp('Inside'), createSync({ maximumDeletions: '1' })];
    const connections = {
      Start: { main: [to('Loop')] },
      Loop: { main: [[], to('Inside')] },
      Inside: { main: [to('Sync', 'Loop')] },
    };
    insert(part(9));
    const done = await run({ nodes, connections } as WorkflowJson, []);
    expect(done.error?.message).toMatch(/the node ran before in this execution, and Undo takes/);
    expect(table.records.size).toBe(1);
  });

  test('behind two nodes, in the second run', async () => {
    const nodes = [START, noOp('One'), noOp('Two'), createSync()];
    const connections = {
      Start: { main: [to('One', 'Two')] },
      One: { main: [to('Sync')] },
      Two: { main: [to('Sync')] },
    };
    const { error } = await run({ nodes, connections } as WorkflowJson);
    expect(error).toMatchObject({
      message: expect.stringMatching(/the node ran before in this execution, and Undo takes/) as string,
      description: expect.stringMatching(/^Nothing was sent.* with a Merge node\.$/) as string,
    });
  });

  test('in a second run, where the first one deleted nothing', async () => {
    const nodes = [START, createLoop(), createSync({ deleteMissing: '={{ $runIndex > 0 }}' })];
    const connections = {
      Start: { main: [to('Loop')] },
      Loop: { main: [[], to('Sync')] },
      Sync: { main: [to('Loop')] },
    };
    const workflow = { nodes, connections } as WorkflowJson;
    // Without an output item, the loop would end after the first pass.
    nodes[2]!.alwaysOutputData = true;
    const { error } = await run(workflow);
    expect(error?.message).toMatch(/the node ran before in this execution, and Undo takes/);
    expect(table.records.size).toBe(3);
  });

  test('but not behind the end of a loop', async () => {
    const nodes = [START, createLoop(), noOp('Inside'), createSync({ output: 'summary' })];
    const connections = {
      Start: { main: [to('Loop')] },
      Loop: { main: [to('Sync'), to('Inside')] },
      Inside: { main: [to('Loop')] },
    };
    const done = await run({ nodes, connections } as WorkflowJson);
    expect(done.error?.message).toBeUndefined();
    expect(done.getJson('Sync')).toMatchObject([{ deleted: 1, unchanged: 2 }]);
  });

  test('nor in a chain', async () => {
    const done = await run(chainNodes(START, noOp('One'), createSync({ output: 'summary' })));
    expect(done.getJson('Sync')).toMatchObject([{ deleted: 1, unchanged: 2 }]);
  });
});
