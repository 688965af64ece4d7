import { loadExample } from '../examples';
import { World } from './support';

/** Each example workflow is published and run by deliveries that the service sends over HTTP. */
let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

async function published(name: string) {
  const { service, engine } = world;
  const trigger = await engine.activate(loadExample(name, service));
  return {
    /** What `node` put out in each run, once `count` runs have ended. */
    async outputs(node: string, count: number) {
      await service.deliveriesSettled();
      const runs = await trigger.waitForExecutions(count);
      expect(runs.map(({ error }) => error?.message)).toEqual(Array(count).fill(undefined));
      return runs.map((run) => run.jsonOf(node));
    },
    async end() {
      await trigger.deactivate();
      expect(service.subscriptions).toEqual([]);
    },
  };
}

test('a created customer is greeted', async () => {
  const workflow = await published('trigger-insert');
  expect(world.service.subscriptions).toMatchObject([{ type: 'INSERT', platform: 'n8n' }]);
  const { id } = world.table('Customers').insert({ company: 'New Here' });
  world.table('Customers').update(id, { company: 'Not Greeted Again' });
  expect(await workflow.outputs('Write Greeting', 1)).toEqual([
    [{ greeting: 'Welcome, New Here!', customer: id }],
  ]);
  await workflow.end();
});

test('an updated customer is noted, with the names of the fields', async () => {
  const workflow = await published('trigger-update');
  const customers = world.table('Customers');
  const { id } = customers.insert({ company: 'Before' });
  customers.update(id, { company: '' });
  customers.update(id, { company: 'After', email: 'after@example.com' });
  expect(await workflow.outputs('Write Note', 1)).toEqual([[{ note: 'After has changed', customer: id }]]);
  expect(await workflow.outputs('Customer Updated', 1)).toEqual([
    [{ id, Company: 'After', Email: 'after@example.com' }],
  ]);
  await workflow.end();
});

test('deleted records of two tables leave a trace', async () => {
  const workflow = await published('trigger-delete');
  expect(world.service.subscriptions).toHaveLength(2);
  const traces = ['Customers', 'Orders'].map((name) => {
    const { id } = world.table(name).insert();
    world.table(name).delete(id);
    return `${name} ${id} was deleted at `;
  });
  const found = (await workflow.outputs('Write Trace', 2)).map(([item]) => String(item?.trace));
  expect(found.map((text) => text.replace(/\d{4}-.*Z$/, '')).sort()).toEqual(traces);
  await workflow.end();
});
