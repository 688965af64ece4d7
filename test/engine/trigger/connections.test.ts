import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from './support';

const env = useFreshTestEnvironment();

const createFilter = (value: unknown, valueAs = 'detect') => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'products|connection', operator: 'is', value, valueAs }] },
});

const start = (parameters: object): Promise<ActiveTrigger> =>
  env.engine.activate(createTriggerWorkflow(env, ['Orders'], ['INSERT'], parameters));

test.each(['detect', 'names'])(
  'a filter names a connected record (%s), which is looked up once for several deliveries',
  async (valueAs) => {
    const [first, second] = [...env.getTable('Products').records.values()];
    const trigger = await start(createFilter(first!.name, valueAs));
    const orders = env.getTable('Orders');
    const wanted = [1, 2, 3].map((index) => orders.insert({ number: `T ${index}`, products: [first!.id] }));
    orders.insert({ number: 'T 4', products: [second!.id] });
    orders.insert({ number: 'T 5', products: [] });
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    const started = runs.flatMap((run) => run.getJson('Trigger'));
    expect(started.map(({ id }) => String(id)).sort()).toEqual(wanted.map(({ id }) => id).sort());
    expect(env.service.deliveries.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const path = `${env.getTable('Products').id}/records`;
    expect(env.service.requests.filter((request) => request.path.includes(path))).toHaveLength(1);
  },
);

test.each([
  ['detect', 1],
  ['ids', 0],
])('an ID (%s) costs %d look-ups, and none for a delivery', async (valueAs, count) => {
  const [first] = [...env.getTable('Products').records.values()];
  const trigger = await start(createFilter(first!.id, valueAs));
  for (const number of ['T 6', 'T 7']) env.getTable('Orders').insert({ number, products: [first!.id] });
  await env.service.waitForDeliveries();
  expect(await trigger.waitUntilIdle()).toHaveLength(2);
  const path = `${env.getTable('Products').id}/records`;
  expect(env.service.requests.filter((request) => request.path.includes(path))).toHaveLength(count);
});

test('a name with the form of an ID is an error when the workflow is published, unless it is given as a name', async () => {
  const { length } = env.getTable('Products').id;
  const name = 'K7pQ2xW9Lm7pQ2xW9Lm'.slice(0, length);
  const product = env.getTable('Products').insert({ name });
  await expect(start(createFilter(name))).rejects.toThrow(
    `Filter: "${name}" has the form of an ID, but is the name of a connected record`,
  );
  expect(env.service.subscriptions).toEqual([]);
  const trigger = await start(createFilter(name, 'names'));
  env.getTable('Orders').insert({ number: 'T 8', products: [product.id] });
  await env.service.waitForDeliveries();
  expect(await trigger.waitUntilIdle()).toHaveLength(1);
});

test('a name that no record has is an error when the workflow is published', async () => {
  await expect(start(createFilter('No such product'))).rejects.toThrow(
    '"Products": Products has no record "No such product"',
  );
  expect(env.service.subscriptions).toEqual([]);
});
