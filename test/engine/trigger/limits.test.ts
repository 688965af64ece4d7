/* eslint-disable no-console -- not shipped: runs on Node */
import { chunk } from 'lodash';
import { sleep } from 'n8n-workflow';
import { skipWaits } from '../../environment/skipWaits';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { scaleRuns } from '../../randomness';
import type { ServiceOptions } from '../../service';
import { AUTO_MAP } from '../support/testEnvironment';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from './support';

skipWaits();

/** Deliveries that hold a part of their record are read. The request limits of small plans cost no event. */
const PARTIAL: Partial<ServiceOptions> = { deliveryFields: 'saved', deliveryTimeoutMs: 60_000 };

/** Returns the items of all executions, and how many of them have the whole record. */
async function collectItems(trigger: ActiveTrigger) {
  const runs = await trigger.waitUntilIdle();
  expect(runs.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
  const items = runs.flatMap((run) => run.getJson('Trigger'));
  const whole = items.filter(({ _notChecked: notChecked }) => notChecked === undefined).length;
  expect(items.filter(({ phone }) => phone === 'Asked for').length).toBe(whole);
  return { items, whole };
}

describe('60 requests a minute', () => {
  const env = useFreshTestEnvironment({ ...PARTIAL, perMinute: 60 });

  test('120 deliveries in a minute beside a bulk run: none is refused, each starts the workflow', async () => {
    const customers = env.getTable('Customers');
    const records = Array.from({ length: 120 }, (_record, n) =>
      customers.insert({ email: `r${n}@example.com`, phone: 'Asked for' }),
    );
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['UPDATE']));
    const input = Array.from({ length: 100 }, (_item, n) => ({ number: `Bulk ${n}` }));
    const bulk = env.runRecordOperation('create', env.getTable('Orders'), { columns: AUTO_MAP }, input);
    const start = Date.now();
    for (const some of chunk(records, 10)) {
      for (const { id } of some) customers.update(id, { company: 'Changed' });
      await sleep(5_000);
    }
    const seconds = (Date.now() - start) / 1000;
    await env.service.waitForDeliveries();
    expect(env.service.deliveries.filter(({ status }) => status !== 200)).toEqual([]);
    const { items, whole } = await collectItems(trigger);
    expect(items.map(({ id }) => id).sort()).toEqual(records.map(({ id }) => id).sort());
    expect(items.every(({ company }) => company === 'Changed')).toBe(true);
    expect(env.service.requests.filter(({ status }) => status === 429)).toEqual([]);
    expect((await bulk).getJson('Node')).toHaveLength(100);
    console.log(`${Math.round(seconds)} s; ${whole} of 120 items have the whole record`);
    expect(whole).toBeGreaterThan(20);
  });
});

/** 1,500 with `RUNS_SHARE=1`. */
const COUNT = Math.max(150, scaleRuns(1_500));
const PER_DAY = (COUNT * 2) / 3;

describe('1,000 requests a day', () => {
  const env = useFreshTestEnvironment({ ...PARTIAL, perDay: PER_DAY });

  test(`${COUNT} deliveries at ${PER_DAY} requests a day: each starts the workflow`, async () => {
    const customers = env.getTable('Customers');
    const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['UPDATE']));
    const { id } = customers.insert({ email: 'one@example.com', phone: 'Asked for' });
    for (let n = 0; n < COUNT; n++) {
      customers.update(id, { company: `Change ${n}` });
      if (n % 20 === 19) await env.service.waitForDeliveries();
    }
    await env.service.waitForDeliveries();
    expect(env.service.deliveries.map(({ status }) => status)).toEqual(Array(COUNT).fill(200));
    const { items, whole } = await collectItems(trigger);
    expect(items).toHaveLength(COUNT);
    expect(env.service.requests.filter(({ status }) => status !== 429).length).toBeLessThanOrEqual(PER_DAY);
    console.log(`${whole} of ${COUNT} items have the whole record`);
    expect(whole).toBeGreaterThanOrEqual(PER_DAY * 0.9);
    expect(items.filter(({ _notChecked: notChecked }) => notChecked !== undefined)).toEqual(
      Array(COUNT - whole).fill(
        expect.objectContaining({ _event: 'UPDATE', id, _notChecked: ['fullRecord'] }),
      ),
    );
  });
});
