import { loadExample } from '../../examples';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Each example workflow is published and run by deliveries that the service sends over HTTP. */
const env = useTestEnvironment();

async function publish(name: string) {
  const { service, engine } = env;
  const trigger = await engine.activate(loadExample(name, service));
  return {
    /** The output of `node` in each run, after `count` runs have ended. */
    async outputs(node: string, count: number) {
      await service.waitForDeliveries();
      const runs = await trigger.waitForExecutions(count);
      expect(runs.map(({ error }) => error?.message)).toEqual(Array(count).fill(undefined));
      return runs.map((run) => run.getJson(node));
    },
    async end() {
      await trigger.deactivate();
      expect(service.subscriptions).toEqual([]);
    },
  };
}

test('a created customer is greeted', async () => {
  const workflow = await publish('trigger-insert');
  expect(env.service.subscriptions).toMatchObject([{ type: 'INSERT', platform: 'n8n' }]);
  const { id } = env.getTable('Customers').insert({ company: 'New Here' });
  env.getTable('Customers').update(id, { company: 'Not Greeted Again' });
  expect(await workflow.outputs('Write Greeting', 1)).toEqual([
    [{ greeting: 'Welcome, New Here!', customer: id }],
  ]);
  await workflow.end();
});

test('an updated customer is noted, with the names of the fields', async () => {
  const workflow = await publish('trigger-update');
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'Before' });
  customers.update(id, { company: '' });
  // The trigger reads the record before it filters, so the field must still be blank at that time.
  await env.service.waitForDeliveries();
  customers.update(id, { company: 'After', email: 'after@example.com' });
  expect(await workflow.outputs('Write Note', 1)).toEqual([[{ note: 'After has changed', customer: id }]]);
  expect(await workflow.outputs('Customer Updated', 1)).toEqual([
    [{ _event: 'UPDATE', _table: 'Customers', id, Company: 'After', Email: 'after@example.com' }],
  ]);
  await workflow.end();
});

test('only a status that changed from lead to active passes the condition', async () => {
  const workflow = await publish('status-changed');
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'New Customer', status: 'former' });
  for (const status of ['lead', 'active', 'former', 'active']) {
    customers.update(id, { status });
    await env.service.waitForDeliveries();
  }
  const changes = await workflow.outputs('Status Changed', 4);
  expect(changes.map(([item]) => [(item!._before as { status: unknown }).status, item!.status])).toEqual([
    [null, 'lead'],
    ['lead', 'active'],
    ['active', 'former'],
    ['former', 'active'],
  ]);
  const written = await workflow.outputs('Write Welcome', 4);
  expect(written.flat()).toEqual([{ text: 'Welcome as a customer, New Customer!', customer: id }]);
  await workflow.end();
});

test('deleted records of two tables leave a trace', async () => {
  const workflow = await publish('trigger-delete');
  expect(env.service.subscriptions).toHaveLength(2);
  const traces = ['Customers', 'Orders'].map((name) => {
    const { id } = env.getTable(name).insert();
    env.getTable(name).delete(id);
    return `${name} ${id} was deleted at `;
  });
  const found = (await workflow.outputs('Write Trace', 2)).map(([item]) => String(item?.trace));
  expect(found.map((text) => text.replace(/\d{4}-.*Z$/, '')).sort()).toEqual(traces);
  await workflow.end();
});
