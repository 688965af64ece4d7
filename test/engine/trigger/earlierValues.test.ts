import { sleep } from 'n8n-workflow';
import type { Table } from '../../service';
import { TestEnvironment, waitUntil } from '../support/testEnvironment';
import { createTriggerWorkflow } from './support';

const RECORD = '/api/v1/data-tables/{dataTableId}/records/{recordId}';

/** `_before`: what the watched fields held before an update, whatever a delivery looks like. */
describe.each(['documented', 'met'] as const)('on a service as %s', (profile) => {
  const env = new TestEnvironment();
  let orders: Table;
  beforeAll(() => env.start({ profile }));
  afterAll(() => env.stop());
  beforeEach(() => {
    orders = env.service.addTable({
      name: `Orders ${env.service.requests.length}`,
      fields: [
        { name: 'Title', type: 'Text' },
        { name: 'State', type: 'Select', options: ['Open', 'Paid'] },
        { name: 'Customer', type: 'Connection', to: 'Customers', many: false },
      ],
    });
  });

  test('an update has the values that were received before, and null for those that were not', async () => {
    const parameters = { changedFields: ['state', 'customer'] };
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, [orders.name], ['INSERT', 'UPDATE'], parameters),
    );
    const customers = env.getTable('Customers');
    const [first, second] = ['First', 'Second'].map((company) => customers.insert({ company }).id);
    const { id } = orders.insert({ title: 'a', state: 'Open' });
    for (const values of [{ customer: [first] }, { state: 'Paid' }, { title: 'b' }, { customer: [second] }]) {
      await env.service.waitForDeliveries();
      orders.update(id, values);
    }
    await env.service.waitForDeliveries();
    const runs = await trigger.waitForExecutions(4);
    const before = runs.map((run) => run.getJson('Trigger')[0]!._before as Record<string, unknown>);
    expect(before[0]).toEqual({ state: null, customer: null, customer_id: null });
    expect(before[2]).toEqual({ state: 'Open' });
    // As in the record: the text, and the ID.
    expect(before[3]).toMatchObject({ customer: expect.any(String) as string, customer_id: first });
    expect(Object.keys(before[3]!)).not.toContain('state');
    await trigger.deactivate();
  });

  test('a value that is set back while its first delivery is still read starts the workflow twice', async () => {
    env.service.options.deliveryFields = 'saved';
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, [orders.name], ['INSERT', 'UPDATE'], { changedFields: ['state'] }),
    );
    const { id } = orders.insert({ title: 'a', state: 'Open' });
    await env.service.waitForDeliveries();
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const before = env.service.requests.length;
    env.service.faults.add({ when: { method: 'GET', pattern: RECORD }, fault: { type: 'hold', until } });
    orders.update(id, { state: 'Paid' });
    await waitUntil(() => env.service.requests.length > before);
    orders.update(id, { state: 'Open' });
    await sleep(100);
    release();
    await env.service.waitForDeliveries();
    const runs = await trigger.waitForExecutions(3);
    expect(runs.slice(1).map((run) => run.getJson('Trigger')[0])).toMatchObject([
      { state: 'Paid', _before: { state: 'Open' } },
      { state: 'Open', _before: { state: 'Paid' } },
    ]);
    await trigger.deactivate();
  });
});
