import { omit, omitBy } from 'lodash';
import { runOperation } from '../support/runOperation';
import { getOutput, TestEnvironment, toColumns, toLocator } from '../support/testEnvironment';

/** The item of each operation that writes has the form that Get Many gives the record, whatever the service answers. */

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  beforeAll(() => env.start({ profile }));
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.faults.clear();
    expect(env.takeViolations()).toEqual([]);
  });

  const orders = () => env.getTable('Orders');
  let count = 0;
  const createNumber = () => `written-${++count}`;
  const insert = () => {
    const [customer] = [...env.getTable('Customers').records.keys()];
    return orders().insert({ number: createNumber(), customer: [customer!], quantity: 2, unit_price: 3 });
  };

  /** The record as Get Many returns it. */
  async function readListed(id: unknown, parameters: object = {}) {
    const { number } = orders().records.get(String(id))!;
    const found = getOutput(
      await env.runRecordOperation('getAll', orders(), {
        filterMode: 'json',
        filterJson: JSON.stringify({ number }),
        ...parameters,
      }),
    );
    expect(found).toMatchObject([{ id }]);
    return found[0]!;
  }

  async function findOrdersComponent() {
    const call = async (resource: string, operation: string, more: object = {}) =>
      getOutput(await runOperation(env, 'RecordDatabasePages', { resource, operation, ...more }));
    const pages = await call('page', 'getAll');
    const pageId = toLocator(String(pages.find(({ name }) => name === 'Customers')!.id));
    const [, child] = await call('page', 'getChildren', { pageId });
    const childPageId = toLocator(String(child!.id));
    const [component] = await call('component', 'getAll', { pageId, childPageId });
    return { pageId, childPageId, componentId: toLocator(String(component!.id)) };
  }

  const save = async (parameters: object) =>
    runOperation(env, 'RecordDatabasePages', {
      resource: 'component',
      operation: 'save',
      ...(await findOrdersComponent()),
      ...parameters,
    });

  /** Each writes a new order or the given one, with the quantity 7. `more` is added to the parameters. */
  const WRITES: Record<string, (more: object) => ReturnType<TestEnvironment['run']>> = {
    create: (more) =>
      env.runRecordOperation('create', orders(), {
        columns: toColumns({ number: createNumber(), quantity: 7 }),
        ...more,
      }),
    update: (more) =>
      env.runRecordOperation('update', orders(), {
        recordId: insert().id,
        columns: toColumns({ quantity: 7 }),
        ...more,
      }),
    'update of nothing': (more) =>
      env.runRecordOperation('update', orders(), {
        recordId: insert().id,
        columns: toColumns({ quantity: 2 }),
        ...more,
      }),
    'upsert that creates': (more) =>
      env.runRecordOperation('upsert', orders(), {
        columns: toColumns({ number: createNumber(), quantity: 7 }, ['number']),
        ...more,
      }),
    'upsert that updates': (more) =>
      env.runRecordOperation('upsert', orders(), {
        columns: toColumns({ number: insert().number, quantity: 7 }, ['number']),
        ...more,
      }),
    'sync that creates': (more) =>
      env.runRecordOperation('sync', orders(), {
        columns: toColumns({ number: createNumber(), quantity: 7 }, ['number']),
        ...more,
      }),
    'sync that updates': (more) =>
      env.runRecordOperation('sync', orders(), {
        columns: toColumns({ number: insert().number, quantity: 7 }, ['number']),
        ...more,
      }),
    'save that creates': (more) =>
      save({ columns: toColumns({ number: createNumber(), quantity: 7 }), ...more }),
    'save that updates': (more) =>
      save({ recordId: insert().id, columns: toColumns({ quantity: 7 }), ...more }),
  };
  const isOwnKey = (_value: unknown, key: string) => key.startsWith('_');

  test('save with Remove creates a record without the list', async () => {
    const product = env.getTable('Products').insert({ name: 'Not removed' });
    const columns = toColumns({ number: createNumber(), products: product.id });
    const [output] = getOutput(await save({ columns, options: { connectionChange: 'remove' } }));
    expect(orders().records.get(String(output!.id))!.products ?? []).toEqual([]);
  });

  test.each(Object.keys(WRITES))('%s: keys, values and their order are those of Get Many', async (name) => {
    const [output] = getOutput(await WRITES[name]!({}));
    const item = omitBy(output, isOwnKey);
    const known = await readListed(item.id);
    const keys = Object.keys(item);
    expect(keys.length).toBeGreaterThan(1);
    expect(keys.map((key) => [key, item[key]])).toEqual(
      Object.entries(known).filter(([key]) => keys.includes(key)),
    );
    expect(Object.keys(output!).slice(0, 2)).toEqual(['_action', '_tableId']);
  });

  test.each(Object.keys(WRITES))('%s: with Read Full Record it has all of the record', async (name) => {
    const [output] = getOutput(await WRITES[name]!({ readFullRecord: true, simplify: 'off' }));
    const item = omitBy(output, isOwnKey);
    const known = await readListed(item.id, { simplify: 'off' });
    // Keys that a service as it is met has in lists only.
    const left = profile === 'met' ? ['customer_val', 'products_val', 'created_at', 'auto_increment'] : [];
    expect(omit(item, left)).toEqual(omit(known, left));
    expect(item).toHaveProperty('total');
  });

  test('a record that cannot be read after the write is a success with a hint', async () => {
    env.service.faults.add({
      when: { method: 'GET', pattern: /records\/\w+$/ },
      fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } },
    });
    const run = await WRITES.create!({ readFullRecord: true });
    expect(getOutput(run)).toMatchObject([{ quantity: 7 }]);
    expect(JSON.stringify(run.getHints('Node'))).toContain(
      'Read Full Record: a written record could not be read',
    );
  });
});
