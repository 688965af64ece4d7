import { omit, range } from 'lodash';
import { scaleSize } from '../../randomness';
import type { Table } from '../../service';
import { getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();

const LIST = 'POST /api/v1/data-tables/{dataTableId}/records';

const getProducts = () => [...env.getTable('Products').records.values()];
const byExpression = (key: string) => ({ [key]: `={{ $json.${key} }}` });
const columns = toColumns(byExpression('connection_many'));

/** Creates one Showcase record for each value of the connection to several products. */
const connect = (values: unknown[], options: object = {}) => {
  const input = values.map((connection_many) => ({ connection_many }));
  return env.runRecordOperation('create', env.getTable('Showcase'), { columns, options }, input);
};

/** Requests to the records of a table since `before`, by their meaning. */
const countRequests = (table: Table, before: number) => {
  const sent = env.service.requests.slice(before).filter(({ path }) => path.includes(`${table.id}/records`));
  const count = (intent: string) => sent.filter((request) => request.intent === intent).length;
  return {
    lists: count('list'),
    creates: count('create'),
    reads: sent.length - count('list') - count('create'),
  };
};

describe('writing connections by name', () => {
  test('names, IDs and both together are stored as IDs', async () => {
    const [first, second, third] = getProducts();
    const values = [
      [first!.name, second!.name],
      `${String(first!.name)}, ${second!.id}`,
      [{ name: second!.name }, { id: third!.id, val: third!.name }],
      JSON.stringify([first!.id, third!.name]),
      null,
    ];
    const before = env.service.requests.length;
    const created = getOutput(await connect(values));
    expect(created.map(({ connection_many_id: ids }) => ids)).toEqual([
      [first!.id, second!.id],
      [first!.id, second!.id],
      [second!.id, third!.id],
      [first!.id, third!.id],
      [],
    ]);
    expect(countRequests(env.getTable('Products'), before)).toEqual({ lists: 1, creates: 0, reads: 2 });
  });

  test('IDs are read before the first answer shows whether the service stores them', async () => {
    const ids = getProducts().map(({ id }) => id);
    const before = env.service.requests.length;
    const created = getOutput(await connect([ids, ids.slice(0, 2).join(','), [{ id: ids[0] }]]));
    expect(created.map(({ connection_many_id: shown }) => shown)).toEqual([ids, ids.slice(0, 2), [ids[0]]]);
    const { lists, creates, reads } = countRequests(env.getTable('Products'), before);
    expect([creates, lists + reads <= ids.length]).toEqual([0, true]);
  });

  test('the names of 50 items share one request, and a name is looked up once', async () => {
    const table = env.getTable('Products');
    const made = range(60).map((index) => table.insert({ name: `Bulk product ${index}` }));
    const twice = [...made, ...made.slice(0, 10)];
    const values = twice.map(({ name }) => name);
    const before = env.service.requests.length;
    const created = getOutput(await connect(values));
    expect(created.map(({ connection_many_id: ids }) => ids)).toEqual(twice.map(({ id }) => [id]));
    expect(countRequests(table, before)).toEqual({ lists: 2, creates: 0, reads: 0 });
    for (const { id } of made) table.delete(id);
  });

  test('a name that no record has is an error with the table; nothing is written', async () => {
    const table = env.getTable('Showcase');
    const count = table.records.size;
    const name = String(getProducts()[0]!.name);
    const run = await connect([`${name}x`]);
    expect(run.error?.message).toBe(`"Connection Many": Products has no record "${name}x"`);
    const id = await connect(['AAAA000011112222']);
    expect(id.error?.message).toBe('"Connection Many": Products has no record "AAAA000011112222"');
    expect(table.records.size).toBe(count);
  });

  test('a name that several records have is an error with their IDs and what tells them apart', async () => {
    const table = env.getTable('Products');
    const label = table.fields.find(({ type, slug }) => type === 'Text' && slug !== 'name')!.slug;
    const twins = [1, 2].map((nth) => table.insert({ name: 'Twin product', [label]: `Kind ${nth}` }));
    const labels = twins.map((twin) => `"Twin product (${String(twin[label])})" (${twin.id})`);
    const run = await connect(['Twin product']);
    expect(run.error?.message).toBe('"Connection Many": 2 records of Products have the name "Twin product"');
    expect(run.error).toMatchObject({ description: expect.stringContaining(labels.join(', ')) });
    for (const { id } of twins) table.delete(id);
  });

  test('an item whose value is no connection fails alone', async () => {
    const { id, name } = getProducts()[0]!;
    const input = [{ connection_many: name }, { connection_many: { amount: 1 } }];
    const more = { onError: 'continueRegularOutput' } as const;
    const run = await env.runRecordOperation('create', env.getTable('Showcase'), { columns }, input, more);
    expect(run.getJson('Node')).toEqual([
      expect.objectContaining({ connection_many_id: [id] }),
      expect.objectContaining({ error: expect.stringContaining('"Connection Many" cannot take') as string }),
    ]);
  });

  test('a service that ignores the filter connects no other record', async () => {
    const body = { type: 'success', items: [{ id: 'r1', name: 'Other' }], total_items: 1 };
    env.service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 200, body } });
    const run = await connect(['Any name']);
    expect(run.error?.message).toBe('"Connection Many": Products has no record "Any name"');
  });

  test('a text with a comma is one name for a field with one record, and several for a field with many', async () => {
    const columns = toColumns({ connection_one: 'Byron, Ada' });
    const one = await env.runRecordOperation('create', env.getTable('Showcase'), { columns });
    expect(one.error?.message).toBe('"Connection One": Customers has no record "Byron, Ada"');
    expect((await connect(['Byron, Ada'])).error?.message).toBe(
      '"Connection Many": Products has no record "Byron"',
    );
  });

  test('an ID that no record has is an error, and one that the service leaves out names the created record', async () => {
    env.service.options.unknownConnection = 'dropped';
    const { id } = getProducts()[0]!;
    const unknown = `0${id.slice(1, -1)}9`;
    expect((await connect([[id, unknown]])).error?.message).toContain(`Products has no record "${unknown}"`);
    expect((await connect([{ id: unknown }])).error?.message).toContain(`has no record "${unknown}"`);
    // Where an answer has shown the record, the next one shows what was stored.
    const run = await env.withSettings({ parallelRequests: 1 }, () => connect([id, [id, { id: unknown }]]));
    env.service.options.unknownConnection = 'refused';
    const [last] = [...env.getTable('Showcase').records.values()].slice(-1);
    expect(run.error?.message).toContain(`"Connection Many" does not hold "${unknown}"`);
    expect(run.error).toMatchObject({
      description: expect.stringContaining(`Record ${last!.id} was created`),
    });
  });

  test('the option decides how a text is read', async () => {
    const table = env.getTable('Products');
    const [first] = getProducts();
    const named = table.insert({ name: first!.id });
    const byName = getOutput(await connect([first!.id], { connectedRecords: 'names' }));
    expect(byName[0]!.connection_many_id).toEqual([named.id]);
    expect(getOutput(await connect([first!.id], { connectedRecords: 'ids' }))[0]!.connection_many_id).toEqual(
      [first!.id],
    );
    const refused = await connect([first!.name], { connectedRecords: 'ids' });
    expect(refused.error?.message).toBe(`"Connection Many": Products has no record "${String(first!.name)}"`);
    table.delete(named.id);
  });

  test('a name field with parts is compared as the service shows it', async () => {
    const name = { title: 'Dr', first_name: 'Ada', middle_name: '', last_name: 'Byron-Smith' };
    const customer = env.getTable('Customers').insert({ name, email: 'ada.byron@example.com' });
    const shown = 'Dr Ada Byron-Smith';
    const parameters = { columns: toColumns({ connection_one: shown }) };
    const [created] = getOutput(await env.runRecordOperation('create', env.getTable('Showcase'), parameters));
    expect(created).toMatchObject({ connection_one: shown, connection_one_id: customer.id });
  });
});

test('a connected table without a field with names is connected by ID only', async () => {
  const readings = env.service.addTable({ name: 'Readings', fields: [{ name: 'Value', type: 'Number' }] });
  const sensors = env.service.addTable({
    name: 'Sensors',
    fields: [{ name: 'Readings', type: 'Connection', to: 'Readings', many: true }],
  });
  const ids = [1, 2].map((value) => readings.insert({ value }).id);
  const run = (value: unknown) =>
    env.runRecordOperation('create', sensors, { columns: toColumns(byExpression('readings')) }, [
      { readings: value },
    ]);
  for (const value of [ids, ids.join(', '), [{ id: ids[0] }, ids[1]]])
    expect(getOutput(await run(value))[0]!.readings_id).toEqual(ids);
  const unknown = await run([ids[0], 'some reading']);
  expect(unknown.error).toMatchObject({
    message: '"Readings": Readings has no record "some reading"',
    description: expect.stringMatching(/^Nothing was sent\. Give the ID or the "name" of a record/),
  });
  expect((await run([{ name: 'some reading' }])).error).toMatchObject({
    message: '"Readings" cannot take names: the service names no field by which to find them',
    description: 'Nothing was sent. Give IDs, and choose IDs Only under "Connected Records".',
  });
  expect(sensors.records.size).toBe(3);
});

/** Names that a careless look-up confuses, and the form in which each is written. */
const NAMES = [
  'constructor',
  '__proto__',
  'toString',
  'a|b',
  'Smith, Jones',
  '😀 emoji 👩‍👩‍👧',
  'Case',
  'CASE',
  'ünïcödé',
  '{"id": "x"}',
  '[bracket',
  'null',
  '0',
  'O\'Brien \\ "quoted"',
  'page',
  '$1',
  'K7pQ2xW9Lm',
  'x'.repeat(10_000),
];
/** Writing uses all names: they are looked up in the same way for a filter. */
const SOME_NAMES = NAMES.filter((_, index) => index % scaleSize(2, 1) === 0);

const OPERATIONS = ['create', 'update', 'upsert'];

describe.each(OPERATIONS)('%s', (operation) => {
  const FORMS: Array<[string, (name: string) => unknown]> = [
    ['a text', (name) => name],
    ['a list', (name) => [name]],
    ['JSON text', (name) => JSON.stringify([name])],
    ['an object', (name) => ({ name })],
  ];

  test.each(FORMS)('stores every name given as %s', async (_form, write) => {
    const [products, table] = [env.getTable('Products'), env.getTable('Showcase')];
    // Each form with a third of the names, and each name with one or two forms of each operation.
    const first = OPERATIONS.indexOf(operation) + FORMS.findIndex(([form]) => form === _form);
    const names = NAMES.filter((_, index) => (first + index) % scaleSize(3, 1) === 0);
    const made = names.map((name) => products.insert({ name }));
    const targets = made.map((_, index) => table.insert({ unique_text: `target ${index}` }));
    const input = names.map((name, index) => ({
      connection_many: write(name),
      unique_text: `${operation} ${_form} ${index}`,
      target: targets[index]!.id,
    }));
    const values = { ...byExpression('connection_many'), ...byExpression('unique_text') };
    const run = await env.runRecordOperation(
      operation,
      table,
      {
        columns: toColumns(values, ['unique_text']),
        recordId: '={{ $json.target }}',
        options: { connectedRecords: 'names' },
      },
      input,
    );
    expect(getOutput(run).map(({ connection_many_id: ids }) => ids)).toEqual(made.map(({ id }) => [id]));
    for (const { id } of made) products.delete(id);
    for (const { id } of targets) table.delete(id);
  });
});

describe('Connected Records, created if missing', () => {
  const options = { connectedRecords: 'detectOrCreate' };
  const findByName = (name: string) => getProducts().filter((product) => product.name === name);

  test('creates each name once for items that run in parallel, and in two executions at once', async () => {
    const names = range(20).map((index) => `Missing ${index % 4}`);
    const runs = await Promise.all([connect(names, options), connect(names, options)]);
    for (const run of runs) {
      const created = getOutput(run);
      names.forEach((name, index) => {
        expect(findByName(name)).toHaveLength(1);
        expect(created[index]!.connection_many_id).toEqual([findByName(name)[0]!.id]);
      });
    }
  });

  test('creates one record for a name in capital and small letters', async () => {
    const names = ['Project Three', 'project three', 'PROJECT THREE', 'Project Three'];
    const found = getOutput(await connect(names, options));
    const made = getProducts().filter(({ name }) => String(name).toLowerCase() === 'project three');
    expect(made).toHaveLength(1);
    expect(found.map(({ connection_many_id: ids }) => ids)).toEqual(names.map(() => [made[0]!.id]));
    const again = getOutput(await connect(['pROJECT tHREE'], options));
    expect(again).toMatchObject([{ connection_many_id: [made[0]!.id] }]);
    expect(getProducts().filter(({ name }) => String(name).toLowerCase() === 'project three')).toEqual(made);
  });

  test('takes a text with the form of an ID for a name only if it is given as one', async () => {
    const { id } = getProducts()[0]!;
    expect(getOutput(await connect([id], options))).toMatchObject([{ connection_many_id: [id] }]);
    expect(findByName(id)).toEqual([]);
    // A record that was deleted.
    expect((await connect(['Zz9QqV7xWk'], options)).error?.message).toContain('has no record "Zz9QqV7xWk"');
    expect(findByName('Zz9QqV7xWk')).toEqual([]);
    const run = await connect([id], { connectedRecords: 'names' });
    expect(run.error?.message).toContain(`has no record "${id}"`);
    const created = getOutput(await connect([{ name: id }], options));
    expect(findByName(id)).toHaveLength(1);
    expect(created).toMatchObject([{ connection_many_id: [findByName(id)[0]!.id] }]);
  });

  test('creates nothing when another value of the item is invalid', async () => {
    const table = env.getTable('Showcase');
    const parameters = {
      columns: toColumns({ connection_many: 'Never made', number: '={{ "twelve" }}' }),
      options,
    };
    const run = await env.runRecordOperation('create', table, parameters);
    expect(run.error?.message).toContain('Number');
    expect(findByName('Never made')).toEqual([]);
  });

  test('creates nothing without the option', async () => {
    expect((await connect(['Never made either'])).error?.message).toContain('has no record');
    expect(findByName('Never made either')).toEqual([]);
  });

  test('finds the record of a create whose answer was lost', async () => {
    env.service.faults.add({ when: { pattern: LIST }, fault: { type: 'reset', when: 'after' } });
    const before = env.service.requests.length;
    const run = await connect(['Lost answer'], options);
    const creates = env.service.requests.slice(before).filter(({ intent }) => intent === 'create');
    expect(run.error?.message).toBeUndefined();
    expect(creates.length).toBeGreaterThanOrEqual(2);
    expect(findByName('Lost answer')).toHaveLength(1);
  });

  test('a create that the service refuses names the missing record, and the item is not written', async () => {
    const body = { type: 'error', msg: 'Validation failed', errors: { name: ['Too long'] }, status: 422 };
    env.service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 422, body } });
    const before = env.getTable('Showcase').records.size;
    const run = await connect(['Refused product'], options);
    expect(run.error).toMatchObject({
      message: expect.stringMatching(
        /^"Connection Many": the missing record "Refused product" was not created in Products \(.*Too long.*\)$/,
      ),
      description: expect.stringMatching(
        /^The record of this item was not written\. Correct the values named here/,
      ),
    });
    expect(findByName('Refused product')).toEqual([]);
    expect(env.getTable('Showcase').records.size).toBe(before);
    // The failure is not kept.
    expect(getOutput(await connect(['Refused product'], options))).toHaveLength(1);
  });

  test('a name that the connected table cannot take is named with its connection and table', async () => {
    const columns = toColumns({ connection_one: 'Ada Byron' });
    const run = await env.runRecordOperation('create', env.getTable('Showcase'), { columns, options });
    expect(run.error).toMatchObject({
      message:
        '"Connection One": the missing record "Ada Byron" was not created in Customers ("Name" cannot take "Ada Byron")',
      description: expect.stringMatching(/^The record of this item was not written\. .*"first_name"/),
    });
  });

  test('Batch Update creates it once, and only when records are changed', async () => {
    const table = env.getTable('Orders');
    const orders = [1, 2].map((index) => table.insert({ number: `batch ${index}` }));
    const run = (number: string, name: string, more: object = {}) =>
      env.runRecordOperation('batchUpdate', table, {
        filterMode: 'json',
        filterJson: JSON.stringify([{ field_id: 'number', condition: 'startswith', value: number }]),
        columns: toColumns({ products: name }),
        maximum: 2,
        options,
        ...more,
      });
    expect(getOutput(await run('batch', 'Not made', { options: { ...options, dryRun: true } }))).toEqual([
      { dryRun: true, total: 2 },
    ]);
    expect(getOutput(await run('no such order', 'Not made'))[0]!.total).toBe(0);
    expect((await run('batch', 'Not made', { maximum: 1 })).error?.message).toMatch(/more than Maximum/);
    expect(findByName('Not made')).toEqual([]);
    expect(getOutput(await run('batch', 'Made by a batch'))[0]!.total).toBe(2);
    const made = findByName('Made by a batch').map(({ id }) => id);
    expect(made).toHaveLength(1);
    for (const { id } of orders) {
      expect(table.records.get(id)!.products).toEqual(made);
      table.delete(id);
    }
  });

  test('without the option, the error of every operation names it', async () => {
    const table = env.getTable('Showcase');
    const { id } = table.insert({ unique_text: 'names the option' });
    for (const operation of ['create', 'update', 'upsert', 'batchUpdate', 'sync']) {
      const run = await env.runRecordOperation(operation, table, {
        recordId: id,
        filterMode: 'json',
        filterJson: '[{"field_id": "unique_text", "condition": "=", "value": "names the option"}]',
        columns: toColumns({ connection_many: 'No such', unique_text: 'names the option' }, ['unique_text']),
      });
      const { message, description } = run.error as unknown as Record<string, string>;
      expect([operation, message, description]).toEqual([
        operation,
        expect.stringContaining('has no record "No such"'),
        expect.stringContaining('choose "Look Up, Create Missing" under "Connected Records"'),
      ]);
    }
    table.delete(id);
    expect(findByName('No such')).toEqual([]);
  });

  test('a failed item says which record it created', async () => {
    const table = env.getTable('Showcase');
    const taken = table.insert({ unique_text: 'taken' });
    const parameters = {
      columns: toColumns({ connection_many: 'Made first', unique_text: 'taken' }),
      options,
    };
    const run = await env.runRecordOperation('create', table, parameters);
    const [made] = findByName('Made first');
    expect(run.error).toMatchObject({
      description: expect.stringContaining(`Created the record "Made first" (${made!.id})`),
    });
    table.delete(taken.id);
  });
});

describe('Change of Connections', () => {
  const orders = () => env.getTable('Orders');
  const change = (parameters: object, input?: object[]) =>
    env.runRecordOperation('update', orders(), { recordId: '={{ $json.order }}', ...parameters }, input);

  test('Add keeps the other connections; items of one record, in two executions, lose nothing', async () => {
    const products = range(24).map((index) => env.getTable('Products').insert({ name: `Part ${index}` }));
    const [kept, ...others] = products;
    const order = orders().insert({ number: 'A-1', products: [kept!.id], quantity: 3 });
    const input = others.map(({ name }) => ({ order: order.id, name }));
    const parameters = {
      columns: toColumns({ products: '={{ $json.name }}' }),
      options: { connectionChange: 'add' },
    };
    const runs = await Promise.all([
      change(parameters, input.slice(0, 12)),
      change(parameters, input.slice(12)),
    ]);
    const added = runs.flatMap((run) => getOutput(run)).map(({ _connectionsAdded }) => _connectionsAdded);
    expect(added).toEqual(others.map(({ id }) => ({ products: [id] })));
    const stored = orders().records.get(order.id)!;
    expect([...(stored.products as string[])].sort()).toEqual(products.map(({ id }) => id).sort());
    expect(stored).toMatchObject({ number: 'A-1', quantity: 3 });
  });

  test('what is connected already, or not connected, changes nothing and sends no write', async () => {
    const [first, second] = getProducts();
    const order = orders().insert({ number: 'A-2', products: [first!.id] });
    const cases = [
      ['add', first!.id, '_connectionsAdded'],
      ['remove', second!.id, '_connectionsRemoved'],
    ];
    for (const [connectionChange, product, key] of cases) {
      const before = env.service.requests.length;
      const parameters = { columns: toColumns({ products: product }), options: { connectionChange } };
      const [output] = getOutput(await change(parameters, [{ order: order.id }]));
      expect(output).toMatchObject({ id: order.id, products_id: [first!.id], [key!]: { products: [] } });
      const writes = env.service.requests.slice(before).filter(({ method }) => method === 'POST');
      expect(writes).toEqual([]);
    }
  });

  test('Remove keeps the others, and other columns are written', async () => {
    const [first, second, third] = getProducts();
    const order = orders().insert({ number: 'A-3', products: [first!.id, second!.id, third!.id] });
    const parameters = {
      columns: toColumns({ products: [second!.name], quantity: 7 }),
      options: { connectionChange: 'remove' },
    };
    const [output] = getOutput(await change(parameters, [{ order: order.id }]));
    expect(output).toMatchObject({
      products_id: [first!.id, third!.id],
      quantity: 7,
      _connectionsRemoved: { products: [second!.id] },
    });
  });

  const UPDATE = 'POST /api/v1/data-tables/{dataTableId}/records/{recordId}';
  test('an answer that shows the old list is an error', async () => {
    const [first, second] = getProducts();
    for (const [connectionChange, product, problem] of [
      ['remove', first!.id, `still holds "${first!.id}": the service did not remove it`],
      ['add', second!.id, `does not hold "${second!.id}": the service did not store it`],
    ]) {
      const order = orders().insert({ number: `A-7-${connectionChange}`, products: [first!.id] });
      const fault = { type: 'status', status: 200, body: { type: 'success', item: { ...order } } } as const;
      env.service.faults.add({ when: { pattern: UPDATE }, fault });
      const options = { connectionChange };
      const run = await change({ columns: toColumns({ products: product }), options }, [{ order: order.id }]);
      expect(run.error?.message).toBe(`"Products" ${problem}`);
      expect(run.error).toMatchObject({ description: expect.stringContaining(order.id) });
    }
  });

  test.each(['add', 'remove'])(
    'with a user login, %s is refused: the list may be partly hidden',
    async (mode) => {
      const [first, second] = getProducts();
      const { email, password } = env.service.user;
      const order = orders().insert({ number: `A-9-${mode}`, products: [first!.id] });
      const { baseUrl, keys } = env.service;
      const data = { baseUrl, ...keys, userLogin: 'password', email, password };
      const details = { id: 'with a login', name: 'With a Login' };
      const recordDatabaseApi = await env.engine.setCredential('recordDatabaseApi', data, details);
      const before = env.service.requests.length;
      const run = await env.runRecordOperation(
        'update',
        orders(),
        {
          recordId: order.id,
          columns: toColumns({ quantity: 1, products: second!.id }),
          options: { connectionChange: mode },
        },
        undefined,
        { credentials: { recordDatabaseApi } },
      );
      expect(run.error).toMatchObject({
        message: '"Products" may connect to records that this user cannot see',
        description: expect.stringMatching(
          /^Nothing was sent: .* Choose Replace under "Change of Connections"/,
        ),
      });
      expect(
        env
          .listRequests(before)
          .filter((pattern) => pattern.startsWith('POST') && pattern.includes('/records')),
      ).toEqual([]);
      expect(orders().records.get(order.id)!.products).toEqual([first!.id]);
    },
  );

  test('a list that the service does not show is not overwritten', async () => {
    const [first, second] = getProducts();
    const order = orders().insert({ number: 'A-10', products: [first!.id] });
    env.service.faults.add({
      when: { method: 'GET', pattern: new RegExp(`${orders().id}/records/`) },
      fault: { type: 'status', status: 200, body: { type: 'success', item: omit(order, 'products') } },
    });
    const options = { connectionChange: 'add' };
    const run = await change({ columns: toColumns({ products: second!.id }), options }, [
      { order: order.id },
    ]);
    expect(run.error).toMatchObject({
      message: '"Products": the service does not show the connected records',
      description: 'Nothing was sent. Choose Replace under "Change of Connections", and give the whole list.',
    });
    expect(orders().records.get(order.id)!.products).toEqual([first!.id]);
  });

  test('Create or Update with Remove creates a record without the list', async () => {
    const [first, second] = getProducts();
    orders().insert({ number: 'A-11', products: [first!.id, second!.id] });
    const parameters = {
      columns: toColumns({ number: '={{ $json.number }}', quantity: 4, products: second!.id }, ['number']),
      options: { connectionChange: 'remove' },
    };
    const input = [{ number: 'A-11' }, { number: 'A-12' }];
    expect(getOutput(await env.runRecordOperation('upsert', orders(), parameters, input))).toMatchObject([
      { _action: 'updated', products_id: [first!.id], _connectionsRemoved: { products: [second!.id] } },
      { _action: 'created', quantity: 4, products: [] },
    ]);
  });

  test('Create or Update with Remove does not give a new record what it removes as a default', async () => {
    const [product] = getProducts();
    const fields = [
      { name: 'Number', type: 'Text' as const },
      { name: 'Parts', type: 'Connection' as const, to: 'Products', many: true, defaultValue: product!.id },
    ];
    const kits = env.service.addTable({ name: 'Kits', fields });
    const parameters = {
      columns: toColumns({ number: 'K-1', parts: product!.id }, ['number']),
      options: { connectionChange: 'remove', applyDefaults: true },
    };
    expect(getOutput(await env.runRecordOperation('upsert', kits, parameters))).toMatchObject([
      { _action: 'created', parts: [] },
    ]);
  });

  test('Create or Update adds to the record that it finds, and creates with the given list', async () => {
    const [first, second] = getProducts();
    orders().insert({ number: 'A-4', products: [first!.id] });
    const parameters = {
      columns: toColumns({ number: '={{ $json.number }}', products: second!.name }, ['number']),
      options: { connectionChange: 'add' },
    };
    const run = await env.runRecordOperation('upsert', orders(), parameters, [
      { number: 'A-4' },
      { number: 'A-5' },
    ]);
    expect(getOutput(run)).toMatchObject([
      {
        _action: 'updated',
        products_id: [first!.id, second!.id],
        _connectionsAdded: { products: [second!.id] },
      },
      { _action: 'created', products_id: [second!.id] },
    ]);
  });

  test.each([1, 2, 3])('a failure of request %d leaves the list whole', async (nth) => {
    const [first, second] = getProducts();
    const order = orders().insert({ number: `A-6-${nth}`, products: [first!.id], quantity: 2 });
    env.service.faults.add({
      when: { pattern: new RegExp(`${orders().id}/records/`), skip: nth - 1 },
      times: 100,
      fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } },
    });
    const parameters = { columns: toColumns({ products: second!.id }), options: { connectionChange: 'add' } };
    const run = await change(parameters, [{ order: order.id }]);
    const { products, quantity } = orders().records.get(order.id)!;
    expect(products).toEqual(run.error ? [first!.id] : [first!.id, second!.id]);
    expect(quantity).toBe(2);
    expect(run.error !== undefined).toBe(nth < 3);
  });
});

describe('filters by name', () => {
  const createFilter = (operator: string, value: unknown) => ({
    filterMode: 'manual',
    conditions: {
      items: [{ field: 'products|connection', operator, value }],
    },
  });
  const createJson = (operator: string, val: unknown) => ({
    filterMode: 'json',
    filterJson: JSON.stringify([{ field_id: 'products', operator, val: '$1' }]),
    options: { filterParameters: JSON.stringify([val]) },
  });
  const createSymbolic = (condition: string, value: unknown) => ({
    filterMode: 'json',
    filterJson: JSON.stringify([{ field_id: 'products', condition, value: '$1' }]),
    options: { filterParameters: JSON.stringify([value]) },
  });

  test.each(SOME_NAMES.map((name) => [name.slice(0, 40), name]))(
    'each form finds the orders of the product %s',
    async (_title, name) => {
      const product = env.getTable('Products').insert({ name });
      const order = env
        .getTable('Orders')
        .insert({ number: `F ${NAMES.indexOf(name)}`, products: [product.id] });
      const forms: Array<[operation: string, parameters: object]> = [
        ['getAll', createFilter('is', name)],
        ['getAll', createFilter('is', `={{ ${JSON.stringify({ name })} }}`)],
        ['getAll', createFilter('is', `={{ ${JSON.stringify({ id: product.id })} }}`)],
        ['getAll', createFilter('is', product.id)],
        ['getAll', createFilter('is any of', `={{ ${JSON.stringify([name])} }}`)],
        ['getAll', createJson('is', name)],
        ['getAll', createJson('contains', { name })],
        ['getAll', createJson('is', { id: product.id })],
        ['getAll', createJson('is any of', [name])],
      ];
      // Each name in a third of the forms, and each form with a third of the names.
      const chosen = forms.filter((_, at) => (at + NAMES.indexOf(name)) % scaleSize(3, 1) === 0);
      for (const [operation, parameters] of chosen) {
        const run = await env.runRecordOperation(operation, env.getTable('Orders'), parameters);
        expect([parameters, getOutput(run).map(({ id }) => id)]).toEqual([parameters, [order.id]]);
      }
      const all = await env.runRecordOperation('count', env.getTable('Orders'), createFilter('is not', name));
      expect(getOutput(all)[0]!.count).toBe(env.getTable('Orders').records.size - 1);
      const dryRun = {
        ...createSymbolic('=', name),
        columns: toColumns({ quantity: 1 }),
        options: { dryRun: true, filterParameters: JSON.stringify([name]) },
      };
      const batch = await env.runRecordOperation('batchUpdate', env.getTable('Orders'), dryRun);
      expect(getOutput(batch)[0]!.total).toBe(1);
      env.getTable('Orders').delete(order.id);
      env.getTable('Products').delete(product.id);
    },
  );

  test('a name that no record has is an error, and no list of orders is requested', async () => {
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('getAll', env.getTable('Orders'), createFilter('is', 'Nobody'));
    expect(run.error?.message).toBe('"Products": Products has no record "Nobody"');
    expect(countRequests(env.getTable('Orders'), before)).toEqual({ lists: 0, creates: 0, reads: 0 });
  });

  test('Batch Update sets a connection by name, and checks IDs before', async () => {
    const [first] = getProducts();
    const order = env.getTable('Orders').insert({ number: 'B-1' });
    const run = (products: unknown) =>
      env.runRecordOperation('batchUpdate', env.getTable('Orders'), {
        filterMode: 'json',
        filterJson: '[{"field_id": "number", "condition": "=", "value": "B-1"}]',
        columns: toColumns({ products }),
      });
    getOutput(await run(first!.name));
    expect(env.getTable('Orders').records.get(order.id)!.products).toEqual([first!.id]);
    const unknown = `0${first!.id.slice(1, -1)}9`;
    expect((await run(unknown)).error?.message).toBe(`"Products": Products has no record "${unknown}"`);
    expect(env.getTable('Orders').records.get(order.id)!.products).toEqual([first!.id]);
  });
});
