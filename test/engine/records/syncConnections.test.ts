import { omit } from 'lodash';
import type { Table } from '../../service';
import { AUTO_MAP, getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Sync of items that name connected records which do not exist yet. */

const env = useTestEnvironment();
let orders: Table;
let count = 0;
beforeEach(() => {
  orders = env.service.addTable({
    name: `Shipments ${++count}`,
    fields: [
      { name: 'Number', type: 'Text' },
      { name: 'Note', type: 'Text' },
      { name: 'Products', type: 'Connection', to: 'Products' },
      { name: 'Main Product', type: 'Connection', to: 'Products', many: false },
    ],
  });
});

const sync = (input: object[], options: object = {}, more: object = {}) =>
  env.runRecordOperation(
    'sync',
    orders,
    {
      columns: { ...AUTO_MAP, matchingColumns: ['number'] },
      options: { connectedRecords: 'detectOrCreate', ...options },
      ...more,
    },
    input,
  );
const findProducts = (name: string) =>
  [...env.getTable('Products').records.values()].filter((record) => record.name === name).map(({ id }) => id);
const listOrders = () => [...orders.records.values()].map(({ number, products }) => [number, products]);

test('creates each missing record once, for new and for changed records', async () => {
  orders.insert({ number: 'o1', note: 'kept' });
  const input = ['o1', 'o2', 'o3'].map((number) => ({ number, products: ['New', `Only ${number}`] }));
  expect(getOutput(await sync(input)).map(({ _action }) => _action)).toEqual([
    'updated',
    'created',
    'created',
  ]);
  expect(findProducts('New')).toHaveLength(1);
  expect(new Map(listOrders() as Array<[string, string[]]>)).toEqual(
    new Map(input.map(({ number, products }) => [number, products.flatMap(findProducts)])),
  );
  expect([...orders.records.values()][0]!.note).toBe('kept');
  expect(getOutput(await sync(input))).toEqual([]);
  expect(findProducts('New')).toHaveLength(1);
});

test('a dry run shows the names and creates nothing', async () => {
  const kept = env.getTable('Products').insert({ name: 'Kept' }).id;
  const { id } = orders.insert({ number: 'o1', main_product: [kept] });
  const input = ['o1', 'o2'].map((number) => ({ number, products: ['Dry'] }));
  expect(getOutput(await sync(input, { dryRun: true }))).toMatchObject([
    { number: 'o2', products: ['Dry'], _action: 'create', _dryRun: true },
    { id, products: ['Dry'], main_product: 'Kept', _action: 'update', _dryRun: true },
  ]);
  expect(findProducts('Dry')).toEqual([]);
  expect(orders.records.size).toBe(1);
});

describe('the form of a dry run', () => {
  /** Plans the changes of a sync that updates, creates and deletes a record, and makes them. */
  async function planAndSync(simplify: string) {
    const products = env.getTable('Products');
    // A name with a comma stands for one record.
    const names = ['Lamp', 'Chair', 'Missing, red'].map((name) => `${name} ${simplify}`);
    const [lampName, chairName, missing] = names as [string, string, string];
    const [lamp, chair] = [lampName, chairName].map((name) => products.insert({ name }).id);
    orders.insert({ number: 'o1', note: 'kept', products: [lamp], main_product: [lamp] });
    orders.insert({ number: 'old' });
    const input = [
      { number: 'o1', products: [lamp, chair], main_product: chairName },
      { number: 'o2', products: [lampName, missing], main_product: missing },
    ];
    const more = {
      simplify,
      deleteMissing: true,
      maximumDeletions: '100%',
      filterMode: 'manual',
      conditions: { items: [{ field: 'number|text', operator: 'is not blank' }] },
    };
    const planned = getOutput(await sync(input, { dryRun: true }, more));
    expect(findProducts(missing)).toEqual([]);
    const done = getOutput(await sync(input, { dryRun: false }, more));
    const find = (items: object[], action: string) => {
      const isFound = (item: object) => (item as { _action: string })._action.startsWith(action);
      return omit(items.find(isFound), '_action', '_tableId', '_dryRun');
    };
    return {
      names,
      ids: [lamp, chair, ...findProducts(missing)],
      getPlanned: (action: string) => find(planned, action),
      getDone: (action: string) => find(done, action),
    };
  }

  test.each(['slugs', 'names'])('is that of the items of the sync, with Simplify %s', async (simplify) => {
    const { names, ids, getPlanned, getDone } = await planAndSync(simplify);
    for (const action of ['update', 'delete'])
      expect(JSON.stringify(getPlanned(action))).toBe(JSON.stringify(getDone(action)));
    const created = getPlanned('create');
    // Nothing stands for the IDs that the new records will have.
    expect(Object.values(created)).toEqual(['o2', [names[0], names[2]], names[2]]);
    expect(getDone('create')).toMatchObject(created);
    expect(Object.values(getDone('create'))).toContain(ids[2]);
  });

  test('shows IDs, and names where there is no ID yet, without Simplify', async () => {
    const { names, ids, getPlanned } = await planAndSync('off');
    expect(getPlanned('update')).toMatchObject({
      _before: { products: [ids[0]], main_product: [ids[0]] },
      note: 'kept',
      products: ids.slice(0, 2),
      main_product: [ids[1]],
    });
    expect(getPlanned('create')).toEqual({
      number: 'o2',
      products: [{ id: ids[0], val: names[0] }, { val: names[2] }],
      main_product: [{ val: names[2] }],
    });
  });
});

test('a plan that is refused creates nothing', async () => {
  const input = [{ number: 'o1', products: ['Refused'] }];
  expect((await sync(input, { maximumChanges: 0 })).error?.message).toMatch(/more than Maximum Changes/);
  expect((await sync([...input, { number: '' }])).error?.message).toMatch(/1 of 2 items cannot be synced/);
  expect(findProducts('Refused')).toEqual([]);
});

test('Maximum Changes counts the connected records that would be created, each once', async () => {
  const input = ['o1', 'o2'].map((number) => ({ number, products: ['Counted', 'Counted too'] }));
  expect((await sync(input, { maximumChanges: 3 })).error?.message).toMatch(
    /^There are 4 changes, .*: 2 to create, 0 to update, 0 to delete, 2 connected records to create$/,
  );
  expect(listOrders()).toEqual([]);
  expect(findProducts('Counted')).toEqual([]);
  expect(getOutput(await sync(input, { maximumChanges: 4 }))).toHaveLength(2);
});

test('an item whose record already has the connections creates nothing', async () => {
  const product = env.getTable('Products').insert({ name: 'There' });
  orders.insert({ number: 'o1', products: [product.id] });
  expect(getOutput(await sync([{ number: 'o1', products: ['There'] }]))).toEqual([]);
});

test('a create whose answer was lost is looked up by its key, also if the key is a connected record', async () => {
  env.service.faults.add({
    when: { pattern: new RegExp(`^POST .*${orders.id}/records$`) },
    fault: { type: 'reset', when: 'after' },
  });
  const columns = { ...AUTO_MAP, matchingColumns: ['main_product'] };
  const run = await sync([{ note: 'n1', main_product: 'Lost' }], {}, { columns });
  expect(getOutput(run)).toMatchObject([{ _action: 'created', main_product: 'Lost' }]);
  expect(orders.records.size).toBe(1);
});

test('two items whose keys name a new connected record in two spellings write one record', async () => {
  const columns = { ...AUTO_MAP, matchingColumns: ['main_product'] };
  const input = ['Two Spellings', 'two  spellings'].map((main_product) => ({ main_product }));
  getOutput(await sync(input, {}, { columns }));
  expect([...orders.records.values()].map((record) => record.main_product)).toEqual([
    findProducts('Two Spellings'),
  ]);
});

test('keys that name new connected records are not looked up one by one', async () => {
  const columns = { ...AUTO_MAP, matchingColumns: ['number', 'main_product'] };
  const input = Array.from({ length: 20 }, (_, at) => ({ number: `o${at}`, main_product: 'In Many Keys' }));
  const since = env.service.requests.length;
  expect(getOutput(await sync(input, {}, { columns }))).toHaveLength(20);
  const requests = env.service.requests
    .slice(since)
    .filter(({ path }) => path.endsWith(`${orders.id}/records`));
  expect(requests.length).toBeLessThan(20 + 5);
});

test('an item that fails after its connected record was created says so', async () => {
  env.service.faults.add({
    when: { pattern: new RegExp(`^POST .*${orders.id}/records$`) },
    fault: { type: 'status', status: 422, body: { type: 'error', msg: 'Validation failed', status: 422 } },
  });
  const run = await sync([{ number: 'o1', products: ['Made before'] }]);
  const [id] = findProducts('Made before');
  expect((run.error as { description?: string }).description).toContain(
    `Created the record "Made before" (${id})`,
  );
});
