import { encodeRecordValues, getTable, planTableSync } from '../../nodes/records';
import type { Client } from '../../nodes/service';
import type { RecordedRequest, Table } from '../service';
import { applyCounted, ClientEnvironment, findColumns, getFilters, isList } from './support';

/** Syncs without n8n: the plan, its writes and its deletions. */

const env = new ClientEnvironment();
let table: Table;
let tableCount = 0;
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
beforeEach(() => (table = addTable()));
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

const addTable = (isUnique = false) =>
  env.service.addTable({
    name: `Parts ${++tableCount}`,
    fields: [
      { name: 'Key', type: 'Text', unique: isUnique },
      { name: 'Serial', type: 'Text', unique: true },
      { name: 'Note', type: 'Text' },
    ],
  });

type Row = Record<'key' | 'serial' | 'note', string>;
const row = (n: number, note = 'new'): Row => ({ key: `k${n}`, serial: `s${n}`, note });
const listRows = () =>
  [...table.records.values()].map(({ key, serial, note }) => ({ key, serial, note })).sort(byKey);
const byKey = (a: { key: unknown }, b: { key: unknown }) => String(a.key).localeCompare(String(b.key));

async function plan(client: Client, rows: Partial<Row>[], deletes = true) {
  const fields = await getTable(client, table.id);
  const inputs = rows.map((values, index) => ({
    index,
    read: () => ({ entries: encodeRecordValues({ ...values }, fields, { timeZone: 'UTC' }) }),
  }));
  return planTableSync(client, {
    table: fields,
    columns: findColumns(fields, 'key'),
    inputs,
    deletes,
  });
}

interface Options {
  deletes?: boolean;
  continuesOnFail?: boolean;
  /** Called between the plan and its changes. */
  meanwhile?: () => unknown;
}

async function sync(rows: Partial<Row>[], { deletes, continuesOnFail, meanwhile }: Options = {}) {
  const client = env.createClient();
  const planned = await plan(client, rows, deletes);
  await meanwhile?.();
  return applyCounted(client, { plan: planned, timeZone: 'UTC', continuesOnFail });
}

const listFailures = ({ results }: Awaited<ReturnType<typeof sync>>) =>
  results.flatMap((result) =>
    result.action === 'failed' ? [{ index: result.index, error: result.error }] : [],
  );

/** What the service was asked for records during `run`. */
const record = async (run: () => Promise<unknown>): Promise<RecordedRequest[]> =>
  (await env.record(run)).filter(({ path }) => path.includes('/records'));
const isSearch = (request: RecordedRequest) => isList(request) && getFilters(request) !== undefined;
const CREATE = { method: 'POST', pattern: /records$/ };
const REFUSAL = { type: 'status', status: 422 } as const;

test('makes the table equal to the inputs, and a second run changes nothing', async () => {
  const [first] = [row(1, 'old'), row(2), row(3)].map((values) => table.insert(values).id);
  const rows = [row(1), row(2), row(4)];
  const { counts, results } = await sync(rows);
  expect(counts).toEqual({ created: 1, updated: 1, deleted: 1 });
  expect(results).toMatchObject([
    { action: 'updated', index: 0, record: { id: first } },
    { action: 'created', index: 2, record: row(4) },
    { action: 'deleted', record: row(3) },
  ]);
  expect(listRows()).toEqual(rows);
  const requests = await record(async () => expect((await sync(rows)).results).toEqual([]));
  expect(requests.map(({ method }) => method)).toEqual(['GET']);
});

describe.each([true, false])('a failed write (continuesOnFail: %s)', (continuesOnFail) => {
  test('keeps every deletion, and a later run makes it', async () => {
    [row(1, 'old'), row(8), row(9)].forEach((values) => table.insert(values));
    env.service.faults.add({ when: { method: 'POST', pattern: /records\/\w+$/ }, fault: REFUSAL });
    const hints = env.hints.length;
    const outcome = await sync([row(1)], { continuesOnFail });
    expect(listFailures(outcome)).toMatchObject([{ index: 0, error: { status: 422 } }]);
    expect(outcome.counts).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(listRows()).toEqual([row(1, 'old'), row(8), row(9)]);
    expect(env.hints.slice(hints).join()).toContain(
      '2 records were not deleted, because other changes failed',
    );
    expect((await sync([row(1)])).counts).toEqual({ created: 0, updated: 1, deleted: 2 });
  });

  test('keeps a record whose deletion would free a unique value, and the write that needs it is not made', async () => {
    [row(1, 'old'), row(8)].forEach((values) => table.insert(values));
    env.service.faults.add({ when: { method: 'POST', pattern: /records\/\w+$/ }, fault: REFUSAL });
    const rows = [row(1), { ...row(2), serial: 's8' }];
    const failures = listFailures(await sync(rows, { continuesOnFail }));
    expect(failures[0]).toMatchObject({ index: 0, error: { status: 422 } });
    expect(listRows()).toEqual([row(1, 'old'), row(8)]);
  });

  test('whose unique value a record outside of the look-up has is refused by the service', async () => {
    // More pages than look-ups, so only the keys are looked up.
    for (let n = 100; n < 700; n++) table.insert(row(n));
    const rows = [row(1), { ...row(2), serial: 's500' }, row(3)];
    const outcome = await sync(rows, { deletes: false, continuesOnFail });
    const [failure, ...others] = listFailures(outcome);
    expect(others).toEqual([]);
    expect(failure).toMatchObject({
      index: 1,
      error: { status: 422, fieldErrors: { serial: expect.anything() } },
    });
    const made = listRows().filter(({ key }) => ['k1', 'k2', 'k3'].includes(String(key)));
    // The changes of one round are sent at the same time.
    expect(made).toEqual([row(1), row(3)]);
  });
});

test('a created record that lacks a column which was renamed meanwhile is an error of its input', async () => {
  // Another execution has read the columns before.
  await getTable(env.createClient(), table.id);
  const meanwhile = () =>
    Object.assign(
      table.fields.find(({ slug }) => slug === 'note')!,
      { slug: 'remark', name: 'Remark' },
    );
  // Only an answer with the record shows it.
  const { createAnswer } = env.service.options;
  env.service.options.createAnswer = 'item';
  const outcome = await sync([row(1)], { meanwhile, continuesOnFail: true });
  env.service.options.createAnswer = createAnswer;
  // The create names a column that the service does not have.
  env.service.violations.length = 0;
  const { error } = listFailures(outcome)[0]!;
  expect((error as Error).message).toContain('the table no longer has the field "note"');
  expect(listRows()).toHaveLength(1);
});

test('a deletion that fails leaves the others to a later run, unless it continues', async () => {
  for (const n of [1, 2, 3]) table.insert(row(n));
  const refuse = () => env.service.faults.add({ when: { method: 'DELETE', nth: 1 }, fault: REFUSAL });
  refuse();
  const continued = await sync([row(0)], { continuesOnFail: true });
  expect(continued.results.map(({ action }) => action).sort()).toEqual([
    'created',
    'deleted',
    'deleted',
    'failed',
  ]);
  expect(table.records.size).toBe(2);
});

test.each([
  ['cut off', { type: 'reset', when: 'after' }],
  ['incomplete', { type: 'truncate' }],
] as const)('a create whose answer is %s is looked up by its key', async (_, fault) => {
  // The first POST looks up the key.
  env.service.faults.add({ when: { ...CREATE, nth: 2 }, fault });
  const { results } = await sync([row(1)]);
  const { id } = [...table.records.values()][0]!;
  expect(results).toMatchObject([{ action: 'created', index: 0, record: { id } }]);
  expect(listRows()).toEqual([row(1)]);
});

describe('another client creates the same key', () => {
  const theirs = { key: 'k1', serial: 'x', note: 'theirs' };

  test('before the create: its record is updated', async () => {
    const outcome = await sync([row(1), row(2)], { meanwhile: () => table.insert(theirs) });
    expect(outcome.counts).toEqual({ created: 1, updated: 1, deleted: 0 });
    expect(listRows()).toEqual([row(1), row(2)]);
  });

  test('twice before the create: an error names both records, and nothing is created', async () => {
    const ids: string[] = [];
    const meanwhile = () => {
      for (const serial of ['x', 'y']) ids.push(table.insert({ ...theirs, serial }).id);
    };
    const [failure] = listFailures(await sync([row(1)], { meanwhile, continuesOnFail: true }));
    const { message } = failure!.error as Error;
    expect(message).toContain('Several records match ["k1"]: ');
    expect(ids.filter((id) => !message.includes(id))).toEqual([]);
    expect(table.records.size).toBe(2);
  });

  test('is looked for together where several creates were refused', async () => {
    // Records that are deleted have the serial numbers, so each create is sent three times.
    for (const n of [1, 2, 3]) table.insert({ ...row(n), key: `old ${n}` });
    const rows = [row(1), row(2), row(3)];
    const requests = await record(() => sync(rows));
    expect(listRows()).toEqual(rows);
    const isCreate = ({ intent }: RecordedRequest) => intent === 'create';
    const creates = requests.filter(isCreate).length;
    expect(creates).toBe(9);
    // Before each of the three rounds, and before the deletions.
    expect(requests.filter(isSearch).length).toBe(4);
  });

  test('is updated where the service keeps the key unique', async () => {
    table = addTable(true);
    const { results } = await sync([row(1)], { meanwhile: () => void table.insert(row(1, 'theirs')) });
    expect(results).toMatchObject([{ action: 'updated', index: 0 }]);
    expect(listRows()).toEqual([row(1)]);
  });
});

test('a record that an input names when its deletion is due is kept', async () => {
  const { id } = table.insert(row(7));
  const meanwhile = () => table.update(id, { key: 'k1' });
  table.insert(row(1));
  const { results } = await sync([row(1)], {
    meanwhile: async () => {
      // The plan is older than a reading may be.
      await env.time.sleep(6_000);
      meanwhile();
    },
  });
  expect(results).toMatchObject([{ action: 'kept', record: { id, key: 'k1' } }]);
  expect(table.records.get(id)).toMatchObject({ key: 'k1' });
});

test('120 keys are looked up with 3 requests, and each record is found', async () => {
  for (let n = 0; n < 1_000; n++) table.insert(row(n, 'old'));
  const rows = Array.from({ length: 120 }, (_, n) => row(8 * n));
  const client = env.createClient();
  const requests = await record(async () => {
    const { creates, updates } = await plan(client, rows, false);
    expect(creates).toEqual([]);
    expect(updates.map(({ record: found }) => found.key)).toEqual(rows.map(({ key }) => key));
  });
  expect(requests.filter(isSearch)).toHaveLength(3);
  expect(requests).toHaveLength(4);
});

test('of values that records exchange, the items fail, and the others are written', async () => {
  [row(1), row(2), row(3, 'old')].forEach((values) => table.insert(values));
  const rows = [{ ...row(1), serial: 's2' }, { ...row(2), serial: 's1' }, row(3)];
  const outcome = await sync(rows);
  expect(listFailures(outcome).map(({ index }) => index)).toEqual([0, 1]);
  expect(listRows()).toEqual([row(1), row(2), row(3)]);
});

test('a record that a reading missed, because one was deleted while another was created, is neither doubled nor deleted', async () => {
  for (let n = 100; n < 700; n++) table.insert(row(n));
  const [first, ...others] = [...table.records.keys()];
  const { requests } = env.service;
  const push = requests.push.bind(requests);
  let pages = 0;
  requests.push = (...arrived) => {
    if (arrived.some(isList) && ++pages === 2) {
      table.delete(first!);
      table.insert(row(700));
    }
    return push(...arrived);
  };
  const rows = Array.from({ length: 601 }, (_, n) => row(100 + n));
  const lists = (await record(async () => expect((await sync(rows)).results).toEqual([]))).filter(isList);
  requests.push = push;
  // The first record of the second page moved to the first one, which was read already. Its key is asked for before a create.
  expect(lists.filter(isSearch).map((request) => getFilters(request)!.items)).toMatchObject([
    [{ val: 'k300' }],
  ]);
  expect([...table.records.keys()]).toEqual([...others, expect.any(String)]);
  expect(listRows()).toEqual(rows.slice(1));
});
