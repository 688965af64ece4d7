import { isEqual, omitBy } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { scaleSize } from '../../randomness';
import { PROFILES } from '../../service/profiles';
import { createToolWorkflow } from '../agents/tools';
import { TestEnvironment, getOutput, toColumns } from '../support/testEnvironment';

skipWaits();

/** Look Up: each item gets its record, and many items take few requests. */

const BY_EMAIL = { columns: toColumns({ email: '={{ $json.email }}' }) };

describe.each(Object.keys(PROFILES) as Array<keyof typeof PROFILES>)('profile %s', (profile) => {
  const env = new TestEnvironment();
  beforeAll(() => env.start({ profile }));
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.faults.clear();
    expect(env.takeViolations()).toEqual([]);
  });

  const lookUp = (input: object[], parameters: object = BY_EMAIL, extra: object = {}) =>
    env.runRecordOperation('lookUp', env.getTable('Customers'), parameters, input, extra);
  const find = async (input: object[], parameters?: object) => getOutput(await lookUp(input, parameters));
  const listCustomers = () => [...env.getTable('Customers').records.values()];
  /** Runs `work` and returns its requests. */
  const count = async (work: () => Promise<unknown>) => {
    const since = env.service.requests.length;
    await work();
    return env.listRequests(since);
  };

  describe('what is returned', () => {
    const createInput = () => {
      const [first, second] = listCustomers();
      return [
        { email: first!.email, company: 'of the input' },
        { email: 'nobody@example.com', company: 'unknown' },
        { email: second!.email, company: 'of the input too' },
      ];
    };

    test('all items with their records: the fields of the input stay', async () => {
      const input = createInput();
      const [first, second] = listCustomers();
      const run = await lookUp(input);
      expect(getOutput(run)).toMatchObject([
        { ...input[0], record: { id: first!.id, email: first!.email, company: first!.company } },
        { ...input[1], record: null },
        { ...input[2], record: { id: second!.id, email: second!.email } },
      ]);
      expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual([
        { item: 0 },
        { item: 1 },
        { item: 2 },
      ]);
    });

    test('only those found, or only those not found, which stay as they were', async () => {
      const input = createInput();
      const found = await find(input, { ...BY_EMAIL, returnedItems: 'found' });
      expect(found.map(({ company }) => company)).toEqual(['of the input', 'of the input too']);
      const run = await lookUp(input, { ...BY_EMAIL, returnedItems: 'notFound' });
      expect(getOutput(run)).toEqual([input[1]]);
      expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
    });

    // A later node may change the record of one item.
    test.each(['slugs', 'off'])(
      'items with one record have each a copy of it (Simplify: %s)',
      async (simplify) => {
        const { email } = listCustomers()[0]!;
        const [first, second] = await find([{ email }, { email }], { ...BY_EMAIL, simplify });
        expect(first!.record).toEqual(second!.record);
        expect(first!.record).not.toBe(second!.record);
      },
    );

    test('the record as Get Many returns it, without empty fields, in the chosen form, with the chosen fields', async () => {
      const orders = env.getTable('Orders');
      const [order] = orders.records.values();
      const filter = {
        filterMode: 'manual',
        conditions: { items: [{ field: 'number|text', operator: 'is exact', value: order!.number }] },
      };
      const columns = toColumns({ number: order!.number });
      for (const simplify of ['slugs', 'names', 'off']) {
        const [read] = getOutput(await env.runRecordOperation('getAll', orders, { ...filter, simplify }));
        const parameters = { columns, simplify };
        const [found] = getOutput(await env.runRecordOperation('lookUp', orders, parameters, [{}]));
        const isEmpty = (value: unknown) => value === null || value === '' || isEqual(value, []);
        expect(found).toEqual({ record: simplify === 'off' ? read : omitBy(read as object, isEmpty) });
      }
      const options = { columns: ['number', 'customer'] };
      const [few] = getOutput(await env.runRecordOperation('lookUp', orders, { columns, options }, [{}]));
      expect(Object.keys(few!.record as object).sort()).toEqual(['customer', 'customer_id', 'id', 'number']);
    });

    test('files of the input stay', async () => {
      const binary = { data: { data: 'QQ==', mimeType: 'text/plain' } };
      const input = [{ json: { email: 'nobody@example.com' }, binary }];
      for (const returnedItems of ['all', 'notFound']) {
        const run = await lookUp(input, { ...BY_EMAIL, returnedItems });
        expect(run.getItems('Node')).toMatchObject([{ binary: { data: { mimeType: 'text/plain' } } }]);
      }
    });

    test('the record stands under another name where the input has the field', async () => {
      const [customer] = listCustomers();
      const item = { email: customer!.email, record: 'of the input' };
      const run = await lookUp([item]);
      expect(run.error?.message).toBe('The input already has a field "record"');
      const options = { recordField: 'customer' };
      expect(await find([item], { ...BY_EMAIL, options })).toMatchObject([
        { record: 'of the input', customer: { id: customer!.id } },
      ]);
    });
  });

  describe('keys', () => {
    test('are compared as in Create or Update: numbers as text, choices by label, connections by name', async () => {
      const orders = env.getTable('Orders');
      const customers = env.getTable('Customers');
      const company = 'Only One Works';
      const customer = customers.insert({ company, email: 'only@example.com', name: { first_name: 'Only' } });
      const order = orders.insert({
        number: '000777',
        customer: [customer.id],
        status: 'shipped',
        quantity: 777_123,
      });
      for (const key of [
        { quantity: '777123' },
        { quantity: 777_123, status: '={{ "Shipped" }}' },
        { customer: customer.id },
        { customer: 'Only' },
      ]) {
        const parameters = { columns: toColumns(key) };
        const [found] = getOutput(await env.runRecordOperation('lookUp', orders, parameters, [{}]));
        expect([key, found!.record]).toEqual([key, expect.objectContaining({ id: order.id })]);
      }
      // A connected record that does not exist: no order has it, and nothing is asked for.
      for (const name of ['Nobody', 'Nobody Else']) {
        const parameters = { columns: toColumns({ customer: name }) };
        const since = env.service.requests.length;
        expect(getOutput(await env.runRecordOperation('lookUp', orders, parameters, [{}]))).toEqual([
          { record: null },
        ]);
        expect(
          env.service.requests.slice(since).filter(({ path }) => path.includes(orders.id + '/rec')),
        ).toEqual([]);
      }
      const unequal = { columns: toColumns({ number: '777' }) };
      expect(getOutput(await env.runRecordOperation('lookUp', orders, unequal, [{}]))).toEqual([
        { record: null },
      ]);
    });

    test('may be values that the service maintains', async () => {
      const orders = env.getTable('Orders');
      const order = orders.insert({ number: 'F-1', quantity: 3, unit_price: 1_234_567 });
      const columns = toColumns({ total: 3_703_701 });
      const [found] = getOutput(await env.runRecordOperation('lookUp', orders, { columns }, [{}]));
      expect(found).toMatchObject({ record: { id: order.id } });
    });

    test('a key of several records is an error, or returns each of them, or the first one', async () => {
      const customers = env.getTable('Customers');
      const ids = ['a', 'b'].map(
        (name) => customers.insert({ company: 'Twins', email: `twin-${name}@example.com` }).id,
      );
      const columns = toColumns({ company: 'Twins' });
      const run = await lookUp([{ n: 1 }], { columns });
      expect(run.error?.message).toBe('2 records match ["Twins"]');
      const all = await find([{ n: 1 }], { columns, options: { onSeveral: 'all' } });
      expect(all.map(({ n, record }) => [n, (record as { id: string }).id])).toEqual(
        ids.map((id) => [1, id]),
      );
      const first = await find([{ n: 1 }], { columns, options: { onSeveral: 'first' } });
      expect(first).toMatchObject([{ record: { id: ids[0] } }]);
      // Such an item is not a new one.
      expect(await find([{ n: 1 }], { columns, returnedItems: 'notFound' })).toEqual([]);
    });

    test.each([undefined, null, ''])(
      'the value %j is no key: the item fails, the others do not',
      async (email) => {
        const [customer] = listCustomers();
        const input = [{ email }, { email: customer!.email }];
        const extra = { onError: 'continueErrorOutput' };
        const run = await lookUp(input, BY_EMAIL, extra);
        expect(run.getJson('Node', 0)).toMatchObject([{ record: { id: customer!.id } }]);
        expect(run.getJson('Node', 1)).toMatchObject([
          { error: expect.stringContaining('"Email" has no value') as string },
        ]);
        expect((await lookUp(input)).error?.message).toContain('"Email" has no value');
      },
    );

    test('a blank Decision Box is no key', async () => {
      const table = env.service.addTable({
        name: 'Keyed by Decision Box',
        fields: [
          { name: 'Key', type: 'Decision Box' },
          { name: 'Owner', type: 'Connection', to: 'Customers', many: false },
          { name: 'Note', type: 'Text' },
        ],
      });
      table.insert({ key: 0, note: 'kept' });
      const count = () => table.records.size;
      for (const key of ['', ' ', null]) {
        const found = await env.runRecordOperation(
          'lookUp',
          table,
          { columns: toColumns({ key: '={{ $json.key }}' }) },
          [{ key }],
        );
        expect(found.error?.message).toContain('"Key"');
        for (const operation of ['upsert', 'sync']) {
          const columns = toColumns({ key: '={{ $json.key }}', note: 'new' }, ['key']);
          const written = await env.runRecordOperation(operation, table, { columns }, [{ key }]);
          expect(written.error?.message).toContain('"Key" has no value');
        }
      }
      expect(count()).toBe(1);
      expect([...table.records.values()]).toMatchObject([{ note: 'kept' }]);
    });

    test('false is a key of a Decision Box', async () => {
      const table = env.service.addTable({
        name: 'Boxes',
        fields: [
          { name: 'Box', type: 'Decision Box' },
          { name: 'Note', type: 'Text' },
        ],
      });
      const { id } = table.insert({ box: 0 });
      const columns = toColumns({ box: '={{ $json.box }}' });
      const found = await env.runRecordOperation('lookUp', table, { columns }, [
        { box: false },
        { box: 'no' },
      ]);
      expect(getOutput(found)).toMatchObject([{ record: { id } }, { record: { id } }]);
      for (const operation of ['upsert', 'sync']) {
        const written = await env.runRecordOperation(
          operation,
          table,
          { columns: toColumns({ box: '={{ $json.box }}', note: operation }, ['box']) },
          [{ box: false }],
        );
        expect(written.error).toBeUndefined();
        expect([...table.records.values()]).toMatchObject([{ note: operation }]);
      }
    });

    test('a blank field is an error also beside a connection that names nobody', async () => {
      const columns = toColumns({ customer: 'Nobody', number: '={{ $json.number }}' });
      const orders = env.getTable('Orders');
      const run = await env.runRecordOperation('lookUp', orders, { columns }, [{ number: '' }]);
      expect(run.error?.message).toContain('has no value');
      const named = await env.runRecordOperation('lookUp', orders, { columns }, [{ number: 'x' }]);
      expect(getOutput(named)).toMatchObject([{ record: null }]);
    });

    test('a key of two fields needs both', async () => {
      const [customer] = listCustomers();
      const columns = toColumns({ email: '={{ $json.email }}', company: '={{ $json.company }}' });
      const { email, company } = customer!;
      expect(await find([{ email, company }], { columns })).toMatchObject([{ record: { email } }]);
      expect(await find([{ email, company: 'Other' }], { columns })).toMatchObject([{ record: null }]);
      expect((await lookUp([{ email }], { columns })).error?.message).toContain('"Company" has no value');
    });

    test.each([
      [{ columns: toColumns({}) }, 'no field to match on'],
      [{ columns: toColumns({ shoe_size: 43 }) }, 'shoe_size'],
    ])('%j is an error before any record is requested', async (parameters, message) => {
      const since = env.service.requests.length;
      const run = await lookUp([{ email: 'a@example.com' }], parameters);
      expect(run.error?.message).toContain(message);
      expect(env.listRequests(since).filter((one) => one.endsWith('/records'))).toEqual([]);
    });

    test('a value that the service refuses fails its own item only', async () => {
      const [customer] = listCustomers();
      env.service.faults.add({
        when: { pattern: 'POST /api/v1/data-tables/{dataTableId}/records' },
        fault: {
          type: 'status',
          status: 422,
          body: { type: 'error', msg: 'Validation failed', status: 422 },
        },
      });
      const input = [{ email: customer!.email }, { email: 'nobody@example.com' }];
      expect(await find(input)).toMatchObject([{ record: { id: customer!.id } }, { record: null }]);
    });
  });

  test('the table and the fields may be given by name', async () => {
    const [customer] = listCustomers();
    const parameters = {
      resource: 'record',
      operation: 'lookUp',
      dataTableId: { __rl: true, mode: 'name', value: 'customers' },
      columns: toColumns({ Email: '={{ $json.email }}' }),
    };
    const run = await env.run(parameters, [{ email: customer!.email }]);
    expect(getOutput(run)).toMatchObject([{ record: { id: customer!.id } }]);
  });

  test('items take one request for 50 of them, and one for the fields', async () => {
    const size = scaleSize(100, 1_000);
    const customers = env.getTable('Customers');
    for (let n = customers.records.size; n < 1_000; n++)
      customers.insert({ company: `Company ${n}`, email: `company${n}@example.com` });
    const emails = listCustomers().map(({ email }) => String(email));
    // Every second one is unknown, and the known ones come in any order.
    const input = Array.from({ length: size }, (_, n) => ({
      n,
      email: n % 2 === 0 ? emails[(n * 7) % 1_000] : `nobody${n}@example.com`,
    }));
    let found: object[] = [];
    const requests = await count(async () => void (found = await find(input)));
    expect(requests.length).toBeLessThanOrEqual(size / 50 + 5);
    expect(requests.filter((one) => one.endsWith('/records'))).toHaveLength(size / 50);
    expect(found.map((one) => (one as { record: { email: string } | null }).record?.email)).toEqual(
      input.map(({ email }, n) => (n % 2 === 0 ? email : undefined)),
    );
  });
});

describe('a service that makes a record when a list is requested by POST', () => {
  const env = new TestEnvironment();
  beforeAll(() => env.start({ profile: 'met', listingPost: 'creates' }));
  afterAll(() => env.stop());

  test('gets one request for each key', async () => {
    const customers = env.getTable('Customers');
    const input = [...customers.records.values()].slice(0, 5).map(({ email }) => ({ email }));
    const run = async () => env.runRecordOperation('lookUp', customers, BY_EMAIL, input);
    // The first request of several keys shows what the service does. It names the record.
    expect((await run()).error?.message).toContain('made the record');
    const since = env.service.requests.length;
    expect(getOutput(await run()).map(({ record }) => (record as { email: string }).email)).toEqual(
      input.map(({ email }) => email),
    );
    expect(env.listRequests(since).filter((one) => one.endsWith('/records'))).toHaveLength(2);
  });
});

describe('beside the ways without Look Up', () => {
  const env = new TestEnvironment();
  beforeAll(() => env.start());
  afterAll(() => env.stop());

  /** What docs/cookbook.md says for a table of 2,100 records. The 20 requests for 1,000 items are tested above. */
  test.each(
    [
      [10, { lookUp: 1, getMany: 10, getManyAndMerge: 11 }] as const,
      [100, { lookUp: 2, getMany: 100, getManyAndMerge: 11 }] as const,
    ].slice(0, scaleSize(1, 2)),
  )('requests for the records of %i items', async (size, expected) => {
    const customers = env.getTable('Customers');
    for (let n = customers.records.size; n < 2_100; n++)
      customers.insert({ email: `company${n}@example.com` });
    const input = [...customers.records.values()].slice(-size).map(({ email }) => ({ email }));
    const count = async (operation: string, parameters: object, items: object[] = input) => {
      const since = env.service.requests.length;
      const found = getOutput(await env.runRecordOperation(operation, customers, parameters, items));
      expect(found.length).toBeGreaterThanOrEqual(size);
      return env.listRequests(since).filter((one) => one.endsWith('/records')).length;
    };
    const byEmail = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'email|email', operator: 'is', value: '={{ $json.email }}' }] },
    };
    expect({
      lookUp: await count('lookUp', BY_EMAIL),
      // One Get Many for each item, or in a loop.
      getMany: await count('getAll', byEmail),
      // The whole table, and n8n's node Merge.
      getManyAndMerge: await count('getAll', { returnAll: true }, [{}]),
    }).toEqual(expected);
  });
});

test('a model gives the key as JSON, and gets the record without the input', async () => {
  const env = await TestEnvironment.start();
  const [order] = env.getTable('Orders').records.values();
  const call = async (json: string, more: object = {}) => {
    const parameters = {
      resource: 'record',
      operation: 'lookUp',
      dataTableId: { __rl: true, mode: 'name', value: 'Orders' },
      columnsMode: 'json',
      columnsJson: json,
      ...more,
    };
    const run = await env.engine.run(createToolWorkflow('tool', parameters), { input: [{ json: {} }] });
    const { answer, error } = run.getJson('Agent')[0] as { answer?: string; error?: string };
    return answer === undefined ? String(error) : (JSON.parse(answer) as object[]);
  };
  const [found] = (await call(JSON.stringify({ Number: order!.number }))) as Array<Record<string, object>>;
  expect(Object.keys(found!)).toEqual(['record']);
  // Ten fields, as in Get Many.
  expect(found!.record).toMatchObject({
    id: order!.id,
    number: order!.number,
    _moreColumns: expect.arrayContaining(['express']) as string[],
  });
  for (const more of [{}, { returnedItems: 'notFound' }])
    expect(await call('{"Number": "none"}', more)).toEqual([{ record: null }]);
  const options = { columns: ['status'] };
  expect(await call(JSON.stringify({ number: order!.number }), { options })).toEqual([
    { record: { id: order!.id, status: order!.status } },
  ]);
  expect(await call('{"Nmber": "1"}')).toContain('Number');
  await env.stop();
});
