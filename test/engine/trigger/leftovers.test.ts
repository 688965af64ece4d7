import { skipWaits } from '../../environment/skipWaits';
import { listReadings } from '../../service/readings';
import { TestEnvironment } from '../support/testEnvironment';
import { createTriggerWorkflow, listSubscriptions } from './support';

const LIST = 'GET /api/v1/web-hooks/list';
const SUBSCRIBE = 'POST /api/v1/web-hooks/subscribe';
const UNSUBSCRIBE = 'DELETE /api/v1/web-hooks/unsubscribe';

skipWaits();

describe.each(listReadings('webhooksOfAllTables'))('%s', (_, options) => {
  let env: TestEnvironment;
  beforeEach(async () => {
    env = await TestEnvironment.start(options);
  });
  afterEach(() => env.stop());

  test('an event that is no longer selected starts no workflow', async () => {
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Customers'], ['INSERT', 'UPDATE']),
    );
    const left = env.service.subscriptions.find(({ type }) => type === 'UPDATE')!;
    await env.engine.republish(trigger, createTriggerWorkflow(env, ['Customers'], ['INSERT']));
    expect(listSubscriptions(env)).toEqual(['INSERT Customers']);
    // A subscription that remained, for example restored from a backup of the service. Its token is valid.
    env.service.subscriptions.push(left);
    const { id } = env.getTable('Customers').insert({ company: 'Selected' });
    env.getTable('Customers').update(id, { company: 'Not selected' });
    await env.service.waitForDeliveries();
    await trigger.waitUntilIdle();
    expect(trigger.executions.flatMap((run) => run.getJson('Trigger'))).toMatchObject([{ _event: 'INSERT' }]);
  });

  test('finds a subscription of a failed activation after the address of n8n has changed', async () => {
    const workflow = { ...createTriggerWorkflow(env, ['Customers'], ['INSERT']), id: 'moved' };
    const trigger = await env.engine.activate(workflow);
    await trigger.deactivate();
    // The subscription is created, but its response and all later lists are lost.
    env.service.faults.add({ when: { pattern: SUBSCRIBE }, fault: { type: 'reset', when: 'after' } });
    env.service.faults.add({
      when: { pattern: LIST, skip: 4 },
      times: Infinity,
      fault: { type: 'status', status: 403 },
    });
    await expect(trigger.activate({ attempts: 1 })).rejects.toThrow();
    env.service.faults.clear();
    expect(listSubscriptions(env)).toEqual(['INSERT Customers']);
    env.engine.instanceUrl = 'https://moved.example/below/';
    await trigger.activate();
    expect(env.service.subscriptions.map(({ hookUrl }) => new URL(hookUrl).host)).toEqual(['moved.example']);
  });

  test('an unsubscription whose response was lost counts as successful', async () => {
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers']));
    env.service.faults.add({
      when: { pattern: UNSUBSCRIBE },
      times: 2,
      fault: { type: 'reset', when: 'after' },
    });
    await trigger.deactivate({ attempts: 1 });
    expect(listSubscriptions(env)).toEqual([]);
  });

  test('republishing with other tables and events leaves only the wanted subscriptions', async () => {
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Customers', 'Orders'], ['INSERT']),
    );
    expect(listSubscriptions(env)).toEqual(['INSERT Customers', 'INSERT Orders']);
    await env.engine.republish(trigger, createTriggerWorkflow(env, ['Orders'], ['DELETE']));
    expect(listSubscriptions(env)).toEqual(['DELETE Orders']);
    await trigger.deactivate();
    expect(listSubscriptions(env)).toEqual([]);
  });
});
