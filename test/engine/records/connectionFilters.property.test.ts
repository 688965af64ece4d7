import type { Run } from '../../harness';
import { createSeed, scaleRuns } from '../../randomness';
import type { StoredRecord } from '../../service';
import { Random } from '../../service/state/random';
import { runOperation } from '../support/runOperation';
import { getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/**
 * Connection × operator × notation × form: a random condition finds the orders that an oracle finds, which compares
 * the stored IDs and knows neither names nor the notation of the service.
 */

const env = useTestEnvironment();
const ID_LIKE_NAME = 'K7pQ2xW9Lm';
const NAMES = ['Bolt', 'bolt', 'Nut, large', ID_LIKE_NAME, 'Śruba', '"quoted"', '42', 'Bolt 2'];
let products: StoredRecord[];
let customers: StoredRecord[];
let random: Random;

beforeAll(() => {
  random = new Random(createSeed());
  products = NAMES.map((name) => env.getTable('Products').insert({ name }));
  customers = NAMES.slice(0, 5).map((last_name, index) =>
    env.getTable('Customers').insert({ name: { last_name }, email: `${index}@example.com` }),
  );
  const orders = env.getTable('Orders');
  for (const id of [...orders.records.keys()]) orders.delete(id);
  for (let index = 0; index < 24; index++) insertOrder(`R ${index}`);
});

const insertOrder = (number: string): StoredRecord =>
  env.getTable('Orders').insert({
    number,
    customer: random.nextBoolean(0.7) ? [random.pick(customers).id] : [],
    products: products.filter(() => random.nextBoolean(0.3)).map(({ id }) => id),
  });

interface Condition {
  field: 'customer' | 'products';
  operator: string;
  /** IDs of the compared records: one, or several for "is any of". */
  ids: string[];
  /** The same records as the user gives them. */
  value: unknown;
}

const describeRecord = (field: Condition['field'], { id }: StoredRecord): unknown => {
  const name = env.getTable(field === 'products' ? 'Products' : 'Customers').getDisplayText(id);
  return random.pick([id, name, { id }, { name }]);
};

function createCondition(operators: string[]): Condition {
  const field = random.pick(['customer', 'products'] as const);
  const operator = random.pick(operators);
  const isList = operator === 'is any of';
  const all = field === 'products' ? products : customers;
  const records = isList ? [random.pick(all), random.pick(all)] : [random.pick(all)];
  const given = records.map((record) => describeRecord(field, record));
  return { field, operator, ids: records.map(({ id }) => id), value: isList ? given : given[0] };
}

function matches(order: StoredRecord, { field, operator, ids }: Condition): boolean {
  const connected = order[field] as string[];
  if (operator.endsWith('blank')) return (connected.length === 0) === (operator === 'is blank');
  return connected.some((id) => ids.includes(id)) === (operator !== 'is not');
}

const OPERATORS = ['is', 'is not', 'contains', 'is blank', 'is not blank', 'is any of'];
const SYMBOLIC_OPERATORS = ['is', 'is not', 'contains', 'is blank', 'is not blank'];

const takesValue = (operator: string) => !operator.endsWith('blank');

const toExpression = (value: unknown) => `={{ ${JSON.stringify(value)} }}`;
const createRow = ({ field, operator, value }: Condition) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: `${field}|connection`, operator, value: toExpression(value) }] },
});
const createJson = ({ field, operator, value }: Condition) => ({
  filterMode: 'json',
  filterJson: JSON.stringify([{ field_id: field, operator, ...(takesValue(operator) && { val: value }) }]),
});

const runRecords = (operation: string, parameters: object) =>
  env.runRecordOperation(operation, env.getTable('Orders'), { returnAll: true, ...parameters });

const listIds = (run: Run) => getOutput(run).map(({ id }) => String(id)).sort(); // prettier-ignore

/** Each product by its name as text, which a small share of the random conditions would leave out. */
const createNameConditions = (): Condition[] =>
  products.map(({ id, name }) => ({ field: 'products', operator: 'is', ids: [id], value: name }));

/** Expects that each named product and each random condition finds what the oracle finds among `orders`. */
async function expectSame(
  count: number,
  operators: string[],
  find: (condition: Condition) => Promise<string[]>,
  orders = () => [...env.getTable('Orders').records.values()],
) {
  const drawn = Array.from({ length: scaleRuns(count) }, () => createCondition(operators));
  for (const condition of [...createNameConditions(), ...drawn]) {
    const found = await find(condition).catch((error: Error) => [error.message]);
    const meant = orders().filter((order) => matches(order, condition));
    expect([condition, found]).toEqual([condition, meant.map(({ id }) => id).sort()]);
  }
}

test.each([
  ['the form', createRow],
  ['JSON', createJson],
])('Get Many with %s', (_, createFilter) =>
  expectSame(300, OPERATORS, async (condition) =>
    listIds(await runRecords('getAll', createFilter(condition))),
  ),
);

test('Batch Update changes the orders that match, and connects them by ID or name', () =>
  expectSame(150, SYMBOLIC_OPERATORS, async (condition) => {
    const listOrders = () => [...env.getTable('Orders').records.values()];
    const before = new Map(listOrders().map((order) => [order.id, order.products]));
    const wanted = random.pick(products);
    const quantity = random.nextInt(1, 1e9);
    const columns = toColumns({ quantity, products: toExpression([describeRecord('products', wanted)]) });
    const { error } = await runRecords('batchUpdate', { ...createRow(condition), columns });
    if (error) throw error;
    const changed = listOrders().filter((order) => order.quantity === quantity);
    expect(changed.map((order) => order.products)).toEqual(changed.map(() => [wanted.id]));
    const ids = changed.map(({ id }) => id).sort();
    for (const order of changed) order.products = before.get(order.id);
    return ids;
  }));

test('records of a component', async () => {
  const run = (resource: string, operation: string, parameters: object) =>
    runOperation(env, 'RecordDatabasePages', { resource, operation, ...parameters });
  const findId = (outputs: object[], name: string) =>
    toLocator(String((outputs.find((one) => 'name' in one && one.name === name) as { id: string }).id));
  const pageId = findId(getOutput(await run('page', 'getAll', {})), 'Customers');
  const childPageId = findId(getOutput(await run('page', 'getChildren', { pageId })), 'Customer Orders');
  const components = getOutput(await run('component', 'getAll', { pageId, childPageId }));
  const component = { pageId, childPageId, componentId: findId(components, 'Orders'), returnAll: true };
  const shown = listIds(await run('component', 'getRecords', component));
  const orders = () => [...env.getTable('Orders').records.values()].filter(({ id }) => shown.includes(id));
  expect(orders().length).toBeGreaterThan(10);
  await expectSame(
    100,
    OPERATORS,
    async (condition) =>
      listIds(await run('component', 'getRecords', { ...component, ...createRow(condition) })),
    orders,
  );
});

test('the webhook trigger', async () => {
  let made: StoredRecord[] = [];
  let count = 0;
  await expectSame(
    100,
    OPERATORS,
    async (condition) => {
      const { field, operator, value } = condition;
      // A name with the form of an ID must be given as a name.
      const toEntry = (one: unknown) => (one === ID_LIKE_NAME ? { name: one } : one);
      const given = Array.isArray(value) ? value.map(toEntry) : toEntry(value);
      const items = [{ field: `${field}|connection`, operator, value: toExpression(given) }];
      const trigger = await env.engine.activate(
        createTriggerWorkflow(env, ['Orders'], ['INSERT'], { filterMode: 'manual', conditions: { items } }),
      );
      made = Array.from({ length: 8 }, () => insertOrder(`T ${count++}`));
      await env.service.waitForDeliveries();
      const runs = await trigger.waitUntilIdle();
      await trigger.deactivate();
      return runs
        .flatMap((run) => run.getJson('Trigger'))
        .map(({ id }) => String(id))
        .sort();
    },
    () => made,
  );
});
