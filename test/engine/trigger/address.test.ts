import { createHash } from 'node:crypto';
import type { RecordEvent } from '../../../nodes/RecordDatabaseTrigger/staticData';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { createSeed, scaleRuns, scaleSize } from '../../randomness';
import type { ServiceOptions } from '../../service';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { ALL_EVENTS, createTriggerWorkflow } from './support';

/** *Start By: Address to Paste*: the user enters the Production URL in the webhook settings of the service. */

const SERVICES: Array<Partial<ServiceOptions>> = [
  {},
  { deliveryForm: 'flatForm', deliveryFields: 'saved', missingRecord: 'emptyObject' },
  { profile: 'met' },
  { deliveryForm: 'flatJson', deliveryFields: 'saved' },
];

describe.each(SERVICES.slice(0, scaleSize(3, 4)))('%j', (options) => {
  const env = useFreshTestEnvironment(options);
  let trigger: ActiveTrigger;

  async function startTrigger(event: RecordEvent, parameters: object = {}) {
    trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Customers'], [event], { startBy: 'address', ...parameters }),
    );
    const { id } = env.getTable('Customers');
    env.service.subscriptions.push({
      id: 'pasted',
      data_table_id: id,
      type: event,
      hookUrl: trigger.urls[0]!,
      platform: '',
    });
  }

  async function collectItems() {
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    expect(runs.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    return runs.flatMap((run) => run.getJson('Trigger'));
  }

  test.each(ALL_EVENTS)('%s of a record starts the workflow once', async (event) => {
    await startTrigger(event);
    const customers = env.getTable('Customers');
    const { id } = customers.insert({ company: 'Lamp' });
    customers.update(id, { company: 'Lamps' });
    if (event !== 'DELETE') await collectItems();
    customers.delete(id);
    expect(await collectItems()).toMatchObject([
      { _event: event, id, company: expect.stringMatching(/^Lamps?$/) as string },
    ]);
    expect(env.service.deliveries.map(({ status }) => status)).toEqual([200]);
  });

  test('a deletion of a record that is there starts nothing, and the real one starts the workflow', async () => {
    await startTrigger('DELETE');
    const customers = env.getTable('Customers');
    const [id] = customers.records.keys();
    for (let count = 0; count < 2; count++)
      expect((await trigger.post({ id, company: 'Forged' })).status).toBe(409);
    expect(await collectItems()).toEqual([]);
    customers.delete(id!);
    expect(await collectItems()).toMatchObject([{ _event: 'DELETE', id }]);
  });

  test('a record that the service does not have starts nothing; its deletion does', async () => {
    await startTrigger('UPDATE');
    expect((await trigger.post({ id: 'b6WQk9NrBZ', company: 'Forged' })).status).toBe(410);
    expect(await collectItems()).toEqual([]);
    await env.engine.republish(
      trigger,
      createTriggerWorkflow(env, ['Customers'], ['DELETE'], { startBy: 'address' }),
    );
    expect((await trigger.post({ id: 'b6WQk9NrBZ', company: 'Gone' })).status).toBe(200);
    expect(await collectItems()).toMatchObject([{ _event: 'DELETE', company: 'Gone' }]);
  });

  test('starts nothing for a record of another table, although it has the same ID', async () => {
    await startTrigger('INSERT');
    const [customer] = env.getTable('Customers').records.keys();
    const body = { id: customer, sku: 'L-1', price: 5 };
    expect((await trigger.post(body)).status).toBe(410);
    expect((await trigger.post({ ...body, company: 'Known' })).status).toBe(200);
    expect(await collectItems()).toMatchObject([{ id: customer }]);
  });

  const COUNT = scaleRuns(1_000);

  test(`${COUNT} forged bodies start nothing`, async () => {
    await startTrigger('UPDATE');
    const seed = createSeed();
    const statuses = new Set<number>();
    for (let n = 0; n < COUNT; n++) {
      const hash = createHash('sha256').update(`${seed} ${n}`).digest('base64url');
      const record = { id: hash.slice(0, 10), company: hash };
      const form = new URLSearchParams(record).toString();
      const bodies = [
        record,
        form,
        form.slice(3),
        { event_type: 'UPDATE', table_id: hash, record },
        `{"id":"${hash}`,
      ];
      statuses.add((await trigger.post(bodies[n % bodies.length])).status);
    }
    expect([...statuses].sort()).toEqual([400, 401, 410]);
    expect(await collectItems()).toEqual([]);
  });

  test('makes and removes no subscription, and keeps the pasted one', async () => {
    const since = env.service.requests.length;
    await startTrigger('INSERT');
    await trigger.restart({ callCheckExists: true });
    await trigger.deactivate();
    expect(env.listRequests(since).filter((request) => request.includes('web-hooks'))).toEqual([]);
    expect(env.service.subscriptions).toHaveLength(1);
  });
});
