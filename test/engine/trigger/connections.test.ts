import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from './support';

const env = useFreshTestEnvironment();

const createFilter = (value: unknown) => ({
  filterMode: 'manual',
  conditions: {
    items: [{ field: 'products|connection', operator: 'is', value: `={{ ${JSON.stringify(value)} }}` }],
  },
});

const start = (parameters: object): Promise<ActiveTrigger> =>
  env.engine.activate(createTriggerWorkflow(env, ['Orders'], ['INSERT'], parameters));

test.each([
  ['a text', (name: unknown) => name],
  ['a name', (name: unknown) => ({ name })],
])(
  'a filter names a connected record by %s, which is looked up once for several deliveries',
  async (_, toValue) => {
    const [first, second] = [...env.getTable('Products').records.values()];
    const trigger = await start(createFilter(toValue(first!.name)));
    const orders = env.getTable('Orders');
    const wanted = [1, 2, 3].map((index) => orders.insert({ number: `T ${index}`, products: [first!.id] }));
    orders.insert({ number: 'T 4', products: [second!.id] });
    orders.insert({ number: 'T 5', products: [] });
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    const started = runs.flatMap((run) => run.getJson('Trigger'));
    expect(started.map(({ id }) => String(id)).sort()).toEqual(wanted.map(({ id }) => id).sort());
    expect(env.service.deliveries.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    // One look-up, and one reading of the text that is delivered: it may have changed since.
    const path = `${env.getTable('Products').id}/records`;
    expect(env.service.requests.filter((request) => request.path.includes(path)).length).toBeLessThanOrEqual(
      2,
    );
  },
);

test.each([
  ['a text', (id: string) => id],
  ['{id}', (id: string) => ({ id })],
])('an ID (%s) costs no look-up', async (_, toValue) => {
  const [first] = [...env.getTable('Products').records.values()];
  const trigger = await start(createFilter(toValue(first!.id)));
  for (const number of ['T 6', 'T 7']) env.getTable('Orders').insert({ number, products: [first!.id] });
  await env.service.waitForDeliveries();
  expect(await trigger.waitUntilIdle()).toHaveLength(2);
  const path = `${env.getTable('Products').id}/records`;
  expect(env.service.requests.filter((request) => request.path.endsWith(path))).toEqual([]);
  // The ID is read when the workflow is published, and the text of the record once.
  expect(
    env.service.requests.filter((request) => request.path.includes(`${path}/`)).length,
  ).toBeLessThanOrEqual(2);
});

test('a name with the form of an ID is given as a name', async () => {
  const { length } = env.getTable('Products').id;
  const name = 'K7pQ2xW9Lm7pQ2xW9Lm'.slice(0, length);
  const product = env.getTable('Products').insert({ name });
  const trigger = await start(createFilter({ name }));
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
