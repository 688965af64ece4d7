import { skipWaits } from '../../environment/skipWaits';
import { AUTO_MAP, getOutput, toColumns, waitUntil } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();

/** Create or Update and the Dedupe Field: no duplicate records, and an output that states what was done. */

const CREATE = 'POST /api/v1/data-tables/{dataTableId}/records';
const LOOK_UP = 'GET /api/v1/data-tables/{dataTableId}/records';
const UPDATE = 'POST /api/v1/data-tables/{dataTableId}/records/{recordId}';

const env = useTestEnvironment();

const matchOn = (...names: string[]) => ({ ...AUTO_MAP, matchingColumns: names });
const upsert = (input: object[], column: string, options: object = {}) =>
  env.runRecordOperation('upsert', env.getTable('Customers'), { columns: matchOn(column), options }, input, {
    onError: 'continueErrorOutput',
  });
const listCustomers = (values: object) =>
  [...env.getTable('Customers').records.values()].filter((record) =>
    Object.entries(values).every(([slug, value]) => record[slug] === value),
  );

test('while the outcome of a create is unknown, later items with the same key create nothing', async () => {
  env.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'reset', when: 'before' } });
  const input = [1, 2, 3].map((n) => ({ company: 'Unknown Works', email: `unknown${n}@example.com` }));
  const run = await upsert(input, 'company');
  expect(run.getJson('Node', 0)).toEqual([]);
  expect(run.getJson('Node', 1).map(({ error }) => String(error).slice(0, 15))).toEqual(
    input.map(() => 'Outcome unknown'),
  );
  expect(listCustomers({ company: 'Unknown Works' })).toEqual([]);
});

test('two executions at the same time create each key once', async () => {
  const input = Array.from({ length: 30 }, (_, n) => ({
    company: `Shared ${n}`,
    email: `shared${n}@example.com`,
  }));
  const other = input.map(({ company }) => ({ company, notes: 'second' }));
  const runs = await Promise.all([upsert(input, 'company'), upsert(other, 'company')]);
  const actions = runs.flatMap((run) => run.getJson('Node', 0).map(({ _action }) => _action));
  const created = actions.filter((one) => one === 'created').length;
  const keys = new Set(
    [...env.getTable('Customers').records.values()]
      .map(({ company }) => String(company))
      .filter((company) => company.startsWith('Shared')),
  );
  expect(created).toBe(keys.size);
  expect(input.flatMap(({ company }) => listCustomers({ company }))).toHaveLength(keys.size);
});

test('two executions whose key needs a new connected record create one record', async () => {
  const text = { name: 'Title', type: 'Text' } as const;
  const owners = env.service.addTable({ name: 'New Owners', fields: [text] });
  const owner = { name: 'Owner', type: 'Connection', to: owners.name, many: false } as const;
  const table = env.service.addTable({ name: 'Owned', fields: [text, owner] });
  const write = () => {
    const options = { connectedRecords: 'detectOrCreate' };
    const input = ['a', 'b'].map((title) => ({ title, owner: 'New' }));
    return env.runRecordOperation('upsert', table, { columns: matchOn('owner', 'title'), options }, input);
  };
  const outputs = (await Promise.all([write(), write()])).flatMap(getOutput);
  expect(outputs.map(({ _action }) => _action).sort()).toEqual([
    'created',
    'created',
    'unchanged',
    'unchanged',
  ]);
  expect([owners.records.size, table.records.size]).toEqual([1, 2]);
});

describe('a record that another client deletes after the look-up', () => {
  /** Holds the update until `happens` has run. */
  const holdUpdate = (happens: () => void) => {
    const since = env.service.requests.length;
    const until = waitUntil(() => env.listRequests(since).includes(UPDATE)).then(happens);
    env.service.faults.add({ when: { pattern: UPDATE }, fault: { type: 'hold', until } });
  };

  test('is created again, and the other items are written', async () => {
    const customers = env.getTable('Customers');
    const [gone, stays] = ['gone@example.com', 'stays@example.com'].map((email) =>
      customers.insert({ email }),
    );
    holdUpdate(() => customers.delete(gone!.id));
    const input = ['gone', 'stays'].map((name) => ({ email: `${name}@example.com`, company: 'Written' }));
    const run = await upsert(input, 'email');
    expect(run.getJson('Node', 1)).toEqual([]);
    expect(run.getJson('Node', 0).map(({ _action }) => _action)).toEqual(['created', 'updated']);
    expect(customers.records.get(stays!.id)).toMatchObject({ company: 'Written' });
    expect(listCustomers({ email: 'gone@example.com', company: 'Written' })).toHaveLength(1);
  });

  test('is updated if the other client created it anew', async () => {
    const customers = env.getTable('Customers');
    const { id } = customers.insert({ email: 'renewed@example.com' });
    holdUpdate(() => {
      customers.delete(id);
      customers.insert({ email: 'renewed@example.com' });
    });
    const [found] = getOutput(await upsert([{ email: 'renewed@example.com', company: 'Written' }], 'email'));
    expect(found).toMatchObject({ company: 'Written', _action: 'updated' });
    expect(listCustomers({ email: 'renewed@example.com' })).toHaveLength(1);
  });

  test('fails if the service still lists the record', async () => {
    const customers = env.getTable('Customers');
    customers.insert({ email: 'hidden@example.com' });
    const body = { type: 'error', status: 404, msg: 'Record Not Found' };
    env.service.faults.add({ when: { pattern: UPDATE }, fault: { type: 'status', status: 404, body } });
    const run = await upsert([{ email: 'hidden@example.com', company: 'Written' }], 'email');
    expect(run.getJson('Node', 1)).toMatchObject([
      { error: expect.stringMatching(/does not exist/) as string },
    ]);
    expect(listCustomers({ email: 'hidden@example.com' })).toHaveLength(1);
  });
});

describe('a record that already has the values', () => {
  const item = { email: 'same@example.com', company: 'Same', credit_limit: 0, tags: 'vip, export' };

  test('is not written and comes out as unchanged', async () => {
    getOutput(await upsert([item], 'email'));
    const before = env.service.requests.length;
    const [found] = getOutput(await upsert([{ ...item, tags: ['export', 'vip'] }], 'email'));
    expect(found).toMatchObject({ company: 'Same', _action: 'unchanged' });
    expect(env.listRequests(before).filter((one) => one === UPDATE)).toEqual([]);
  });

  test('is written if formulas or rules are to run', async () => {
    const [found] = getOutput(await upsert([item], 'email', { formulas: ['runTableRulesOn'] }));
    expect(found).toMatchObject({ _action: 'updated' });
  });

  test('0 is not empty, and an earlier item of the run counts', async () => {
    const [record] = listCustomers({ email: 'same@example.com' });
    record!.credit_limit = null;
    const input = [item, { ...item, company: 'Other' }, item];
    const found = getOutput(await upsert(input, 'email'));
    expect(found.map(({ _action }) => _action)).toEqual(['updated', 'updated', 'updated']);
    expect(listCustomers({ email: 'same@example.com' })[0]).toMatchObject({
      company: 'Same',
      credit_limit: 0,
    });
  });
});

describe('Dedupe Field', () => {
  const create = (email: string) =>
    env.runRecordOperation(
      'create',
      env.getTable('Customers'),
      { columns: AUTO_MAP, options: { dedupeField: 'email' } },
      [{ email }],
    );
  const getAction = async (email: string) => getOutput(await create(email))[0]!._action;

  test('says whether the record was created or found', async () => {
    expect(await getAction('once@example.com')).toBe('created');
    expect(await getAction('once@example.com')).toBe('found');
  });

  test('says that the record with a refused value may not be visible', async () => {
    await getAction('hidden@example.com');
    const before = env.service.requests.length;
    env.service.faults.add({
      when: { pattern: LOOK_UP },
      times: 2,
      fault: { type: 'status', status: 200, body: { type: 'success', items: [], total_items: 0 } },
    });
    const run = await create('hidden@example.com');
    expect(run.error).toMatchObject({
      message: 'Another record already has the Email "hidden@example.com"',
      description: expect.stringContaining('No record was found by this field') as string,
    });
    expect(env.listRequests(before).filter((one) => one === CREATE)).toHaveLength(1);
    expect(env.listRequests(before).filter((one) => one === LOOK_UP)).toHaveLength(2);
  });
});

test('the key of an item is evaluated once: the key that is looked up is the one that is created', async () => {
  const since = env.service.requests.length;
  const mapping = {
    mappingMode: 'defineBelow',
    matchingColumns: ['email'],
    value: { email: "={{ 'key' + Math.random() + '@example.com' }}", company: 'Evaluated' },
  };
  const run = await env.runRecordOperation('upsert', env.getTable('Customers'), { columns: mapping }, [{}]);
  const [created] = listCustomers({ company: 'Evaluated' });
  expect(getOutput(run)).toMatchObject([{ _action: 'created', email: created!.email }]);
  const lookUp = env.service.requests.slice(since).find(({ pattern }) => pattern === LOOK_UP);
  expect(JSON.stringify(lookUp)).toContain(String(created!.email));
});

test.each(['upsert', 'sync'])('%s: a list identifies no record', async (operation) => {
  const customers = env.getTable('Customers');
  const { id } = customers.insert({
    email: 'listed@example.com',
    company: 'Listed',
    tags: ['vip', 'export'],
  });
  const parameters = { columns: matchOn('tags') };
  const input = [{ tags: 'vip', company: 'Written' }];
  const { error } = await env.runRecordOperation(operation, customers, parameters, input);
  expect(error?.message).toBe('Fields to Match On: the service cannot find a record by "Tags"');
  expect(customers.records.get(id)).toMatchObject({ company: 'Listed', tags: ['vip', 'export'] });
});

test.each(['upsert', 'sync', 'lookUp'])('%s: a Name is matched by its parts', async (operation) => {
  const name = { first_name: 'Bo', last_name: 'Ash' };
  const columns = toColumns({ name }, operation === 'lookUp' ? [] : ['name']);
  const { error } = await env.runRecordOperation(operation, env.getTable('Customers'), { columns }, [{}]);
  expect(error).toMatchObject({
    message: 'Fields to Match On: the service cannot find a record by "Name"',
    description: expect.stringContaining(
      'Match on its parts: "Name: Title", "Name: First", "Name: Middle", "Name: Last".',
    ) as string,
  });
});
