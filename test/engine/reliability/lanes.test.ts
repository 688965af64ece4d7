import { sleep } from 'n8n-workflow';
import { skipWaits } from '../../environment/skipWaits';
import { createNode } from '../../harness';
import { AUTO_MAP, TYPE } from '../support/testEnvironment';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

skipWaits();

/** Deliveries, dropdowns and short runs beside a bulk run that has used up the calls of the minute. */

const CREATE = 'POST /api/v1/data-tables/{dataTableId}/records';
const PER_MINUTE = 60;
const COUNT = 100;

const env = useFreshTestEnvironment({ perMinute: PER_MINUTE });

const countCreates = (since: number) => env.listRequests(since).filter((one) => one === CREATE).length;

/** Starts a run that creates more records than a minute allows, and waits until it pauses for lack of calls. */
async function startBulkRun() {
  const since = env.service.requests.length;
  const input = Array.from({ length: COUNT }, (_, n) => ({
    company: `Bulk ${n}`,
    email: `bulk${n}@example.com`,
  }));
  const done = env.runRecordOperation('create', env.getTable('Customers'), { columns: AUTO_MAP }, input);
  let [count, last] = [0, -1];
  while (count < (2 / 3) * PER_MINUTE || count > last) {
    await sleep(2_000);
    [last, count] = [count, countCreates(since)];
  }
  return { done, isWaiting: () => countCreates(since) < PER_MINUTE };
}

test('a delivery that needs a read is accepted in the same minute', async () => {
  const trigger = await env.engine.activate(
    createTriggerWorkflow(env, ['Orders'], ['INSERT'], { options: { fullRecord: true } }),
  );
  const bulk = await startBulkRun();
  const { id } = env.getTable('Orders').insert({ number: 'Beside a bulk run' });
  await env.service.waitForDeliveries();
  expect(bulk.isWaiting()).toBe(true);
  expect(env.service.deliveries.map(({ status }) => status)).toEqual([200]);
  const [run] = await trigger.waitUntilIdle();
  expect(run?.getJson('Trigger')).toMatchObject([{ id }]);
  expect((await bulk.done).getJson('Node')).toHaveLength(COUNT);
});

test('a dropdown and a short run get their answer in the same minute', async () => {
  const bulk = await startBulkRun();
  const form = createNode('Node', TYPE, { resource: 'record', operation: 'getAll' });
  const tables = await env.engine.listSearch(form, 'searchTables');
  expect(tables.results).not.toEqual([]);
  const run = await env.run({ resource: 'apiKey', operation: 'getStatus' });
  expect(run.getJson('Node')).toHaveLength(1);
  expect(bulk.isWaiting()).toBe(true);
  expect((await bulk.done).getJson('Node')).toHaveLength(COUNT);
});
