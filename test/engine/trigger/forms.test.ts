import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { scaleSize } from '../../randomness';
import type { ServiceOptions } from '../../service';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { ALL_EVENTS, createTriggerWorkflow } from './support';

/** Each form of a body starts the workflow: as documented, or the record alone, as JSON or as a form. */

const SERVICES: Array<Partial<ServiceOptions>> = [
  { deliveryFields: 'touched' },
  { deliveryForm: 'flatJson', deliveryFields: 'saved' },
  { profile: 'met' },
  { deliveryFields: 'all' },
  { deliveryForm: 'flatForm', deliveryFields: 'all' },
];

describe.each(SERVICES.slice(0, scaleSize(3, 5)))('%j', (options) => {
  const env = useFreshTestEnvironment(options);
  let trigger: ActiveTrigger;

  async function collectItems() {
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    expect(runs.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    expect(env.service.deliveries.map(({ status }) => status)).toEqual(env.service.deliveries.map(() => 200));
    return runs.flatMap((run) => run.getJson('Trigger'));
  }

  test('each event of each table starts the workflow, with the table and the event of its address', async () => {
    trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers', 'Orders', 'Products']));
    const expected: string[] = [];
    for (const name of ['Customers', 'Products']) {
      const table = env.getTable(name);
      const { id } = table.insert({ company: 'Lamp & Söhne = "1"', name: 'Lamp' });
      table.update(id, { phone: '+44 1', stock: 4 });
      table.delete(id);
      expected.push(...ALL_EVENTS.map((event) => `${event} ${table.id} ${id}`));
    }
    const items = await collectItems();
    const names = new Map(['Customers', 'Products'].map((name) => [name, env.getTable(name).id]));
    expect(
      items.map(({ _event, _table, id }) => `${_event} ${names.get(String(_table)) ?? _table} ${id}`).sort(),
    ).toEqual(expected.sort());
  });

  test('a filter compares the values, whatever their form', async () => {
    const items = [
      { field: 'company|text', operator: 'is', value: 'Lamp & Söhne' },
      { field: 'tags|choices', operator: 'contains', choiceValue: 'vip' },
      { field: 'address-city|text', operator: 'is', value: 'Leeds' },
      { field: 'credit_limit|number', operator: 'higher than', numberValue: 9 },
    ];
    const parameters = { filterMode: 'manual', conditions: { items } };
    trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['INSERT'], parameters));
    const customers = env.getTable('Customers');
    const values = { company: 'Lamp & Söhne', address: { city: 'Leeds' }, credit_limit: 10 };
    const one = customers.insert({ ...values, tags: ['vip'] });
    const two = customers.insert({ ...values, tags: ['export', 'vip'] });
    customers.insert({ ...values, tags: ['export'] });
    customers.insert({ ...values, tags: ['vip'], address: { city: 'Hull' } });
    customers.insert({ ...values, tags: ['vip'], credit_limit: 9 });
    expect((await collectItems()).map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
  });

  test('a delivery that the service repeats starts the workflow once; a value that comes back is a new event', async () => {
    env.service.options.deliveryCopies = 2;
    trigger = await env.engine.activate(createTriggerWorkflow(env, ['Products']));
    const products = env.getTable('Products');
    const { id } = products.insert({ name: 'Lamp' });
    await collectItems();
    for (const name of ['Lamp A', 'Lamp B', 'Lamp A']) {
      products.update(id, { name });
      await collectItems();
    }
    products.delete(id);
    const events = (await collectItems()).map(({ _event, name }) => [
      _event,
      ...(_event === 'DELETE' ? [] : [name]),
    ]);
    const names = ['Lamp A', 'Lamp B', 'Lamp A'].map((name) => ['UPDATE', name]);
    expect(events).toEqual([['INSERT', 'Lamp'], ...names, ['DELETE']]);
  });

  test('the App Secret was changed: the token of the subscription shows table and event', async () => {
    trigger = await env.engine.activate(createTriggerWorkflow(env, ['Products', 'Customers']));
    const { baseUrl } = env.service;
    const { id } = (await env.engine.getStoredCredential('recordDatabaseApi')) as { id?: string };
    await env.engine.setCredential(
      'recordDatabaseApi',
      { baseUrl, ...env.service.addKey() },
      { id, name: 'New' },
    );
    env.getTable('Customers').insert({ company: 'After' });
    expect(await collectItems()).toMatchObject([{ _event: 'INSERT', company: 'After' }]);
  });
});
