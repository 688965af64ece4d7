import { createNode } from '../../harness';
import type { Table } from '../../service';
import { TYPE, getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();

/** Spec: Linked record creation. The connection field belongs to the parent: an order lists its products. */
describe.each(['upsert', 'sync'])('Link to Parent in %s', (operation) => {
  let products: Table;
  let orders: Table;
  beforeAll(() => {
    orders = env.getTable('Orders');
    products = env.getTable('Products');
  });

  const run = (names: string[], parent: object, options: object = {}, extra: object = {}) => {
    const columns = toColumns({ name: '={{ $json.name }}', price: 5 }, ['name']);
    const input = names.map((name) => ({ name }));
    const link = { parent: { field: `${orders.id}|products`, ...parent } };
    const parameters = { columns, options: { link, ...options }, ...extra };
    return env.runRecordOperation(operation, products, parameters, input);
  };
  const findProduct = (name: string) => [...products.records.values()].find((one) => one.name === name);

  test('connects records that are created, and leaves others as they are', async () => {
    const { id } = orders.insert({ number: `Parent ${operation}` });
    products.insert({ name: `Old ${operation}` });
    const names = [`Old ${operation}`, `New ${operation} 1`, `New ${operation} 2`];
    const outputs = getOutput(await run(names, { recordId: id }));
    expect(outputs.map(({ _action }) => _action).sort()).toEqual(['created', 'created', 'updated']);
    const created = names.slice(1).map((name) => findProduct(name)!.id);
    expect((orders.records.get(id)!.products as string[]).sort()).toEqual(created.sort());
  });

  test('with a wrong parent, nothing is written', async () => {
    const count = products.records.size;
    const before = env.service.requests.length;
    const names = [`Unlinked ${operation} 1`, `Unlinked ${operation} 2`];
    const { error } = await run(names, { recordId: 'No such order' });
    expect(error?.message).toBe(
      'Item 1 of 2: Link to Parent: the parent table has no record with the ID "No such order"',
    );
    expect(products.records.size).toBe(count);
    expect(env.service.requests.slice(before).filter(({ intent }) => intent === 'create')).toEqual([]);
  });
});

test('a new record is linked also if the same connection is to be removed from records that exist', async () => {
  const name = { name: 'Name', type: 'Text' } as const;
  const owners = env.service.addTable({ name: 'Removed Owners', fields: [name] });
  const field = { name: 'Owners', type: 'Connection', to: owners.name } as const;
  const table = env.service.addTable({ name: 'Linked And Removed', fields: [name, field] });
  const [parent, other] = ['Parent', 'Other'].map((one) => owners.insert({ name: one }).id);
  const link = { parent: { field: `${table.id}|owners`, recordId: parent } };
  const columns = toColumns({ name: 'New', owners: other }, ['name']);
  const options = { link, connectionChange: 'remove' };
  getOutput(await env.runRecordOperation('upsert', table, { columns, options }));
  expect([...table.records.values()].map((record) => record.owners)).toEqual([[parent]]);
});

test('the list of connections names those that lead to the table, and its own', async () => {
  const [orders, products] = [env.getTable('Orders'), env.getTable('Products')];
  const node = createNode('Node', TYPE, { operation: 'create', dataTableId: toLocator(products.id) });
  const found = await env.engine.loadOptions(node, 'getParentFields');
  const { fieldId } = orders.findField('products')!;
  expect(found).toContainEqual({ name: 'Orders: Products', value: `${orders.id}|${fieldId}` });
  expect(found.filter(({ name }) => /^(Orders|Customers): (Customer|Account Owner)/.test(name))).toEqual([]);
  const { id } = orders.insert({ number: 'Parent from the list' });
  const parent = { field: `${orders.id}|${fieldId}`, recordId: id };
  const columns = toColumns({ name: 'From the list' });
  const [created] = getOutput(
    await env.runRecordOperation('create', products, { columns, options: { link: { parent } } }),
  );
  expect(orders.records.get(id)!.products).toEqual([created!.id]);
});

test('a wrong parent is an error before connected records are created', async () => {
  const [orders, products] = [env.getTable('Orders'), env.getTable('Products')];
  const parent = { field: `${env.getTable('Showcase').id}|connection_many`, recordId: 'nobody' };
  const options = { connectedRecords: 'detectOrCreate', link: { parent } };
  for (const operation of ['create', 'upsert']) {
    const columns = toColumns({ number: `Wrong ${operation}`, products: 'Made for nothing' }, ['number']);
    const run = await env.runRecordOperation(operation, orders, { columns, options });
    expect(run.error?.message).toMatch(/^Link to Parent/);
  }
  expect([...products.records.values()].some(({ name }) => name === 'Made for nothing')).toBe(false);
});

describe('a column connected_to, whose key in a new record means a link', () => {
  let table: Table;
  beforeAll(() => {
    table = env.service.addTable({
      name: 'Devices',
      fields: [
        { name: 'Name', type: 'Text' },
        { name: 'Connected To', type: 'Text' },
      ],
    });
  });
  const columns = toColumns({ name: '={{ $json.name }}', connected_to: 'Printer' }, ['name']);

  test.each(['create', 'upsert', 'sync'])('is refused by %s, with what to do', async (operation) => {
    const input = [{ name: 'one' }, { name: 'two' }];
    const { error } = await env.runRecordOperation(operation, table, { columns }, input);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^(Item 1 of 2: )?A new record cannot take the field "connected_to": the service reads this key as the link to a parent$/,
      ),
      description: expect.stringContaining('write it with Update afterwards'),
    });
    expect(table.records.size).toBe(0);
  });

  test('is written by update, and by Create or Update and Sync to existing records', async () => {
    const { id } = table.insert({ name: 'one' });
    const read = () => table.records.get(id)!.connected_to;
    getOutput(
      await env.runRecordOperation('update', table, {
        recordId: id,
        columns: toColumns({ connected_to: 'Router' }),
      }),
    );
    expect(read()).toBe('Router');
    for (const operation of ['upsert', 'sync']) {
      table.update(id, { connected_to: '' });
      getOutput(await env.runRecordOperation(operation, table, { columns }, [{ name: 'one' }]));
      expect(read()).toBe('Printer');
    }
  });

  test('does not hinder a record without the column', async () => {
    const [created] = getOutput(
      await env.runRecordOperation('create', table, { columns: toColumns({ name: 'three' }) }),
    );
    expect(created).toMatchObject({ name: 'three', connected_to: '' });
  });
});

test.each(['create', 'upsert', 'sync'])(
  '%s: a new record that gives the connection of its parent another value is an error',
  async (operation) => {
    const text = { name: 'Title', type: 'Text' } as const;
    const owners = env.service.addTable({ name: `Owners ${operation}`, fields: [text] });
    const [own, parent] = ['A', 'B'].map((title) => owners.insert({ title }).id);
    const table = env.service.addTable({
      name: `Owned ${operation}`,
      fields: [text, { name: 'Owner', type: 'Connection', to: owners.name, many: false, defaultValue: own }],
    });
    const write = (owner?: string, more: object = {}) =>
      env.runRecordOperation(operation, table, {
        columns: toColumns({ title: 'new', owner }, ['title']),
        options: { link: { parent: { field: 'owner', recordId: parent } }, ...more },
      });
    const { error } = await write(own!);
    expect(error?.message).toMatch(/Link to Parent: "Owner" has a value among the fields too$/);
    const { error: ofDefault } = await write();
    expect(ofDefault).toMatchObject({
      description: expect.stringContaining('"Apply Field Defaults"') as string,
    });
    expect(table.records.size).toBe(0);
    getOutput(await write(undefined, { applyDefaults: false }));
    expect([...table.records.values()]).toMatchObject([{ title: 'new', owner: [parent] }]);
  },
);
