import { chainNodes, createNode } from '../../harness';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import type { Table } from '../../service';
import { TYPE, waitUntil } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { addTasksTable, createRecordWorkflow, pollOnce } from './support';

/** Readings that last longer than a poll may take, and polls while an execution is running. */
const DEFAULT_BUDGET_MS = 45_000;
const RECORDS = '/api/v1/data-tables/{dataTableId}/records';

const env = useTestEnvironment({ sample: 'empty' });
let table: Table;

let tables = 0;
beforeEach(() => {
  env.engine.pollBudgetMs = DEFAULT_BUDGET_MS;
  table = addTasksTable(env, `Tasks ${++tables}`);
});

const bySnapshot = () => createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted' });

const countReadings = (since: number) =>
  env.listRequests(since).filter((request) => request.endsWith(RECORDS)).length;

/** Polls once, with a reading whose answer is held until `release` is called. */
async function pollTooLong(trigger: ActiveTrigger) {
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  env.service.faults.add({ when: { pattern: RECORDS }, fault: { type: 'hold', until } });
  const before = env.service.requests.length;
  env.engine.pollBudgetMs = 100;
  expect(await pollOnce(trigger)).toBeUndefined();
  // On a loaded machine, the poll may end before its request has arrived.
  await waitUntil(() => countReadings(before) > 0);
  return { before, release };
}

test('a reading that lasts longer than its poll continues, and a later poll returns its changes once', async () => {
  const trigger = await env.engine.activate(bySnapshot());
  table.insert({ title: 'New' });
  const { before, release } = await pollTooLong(trigger);
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(countReadings(before)).toBe(1);

  release();
  env.engine.pollBudgetMs = DEFAULT_BUDGET_MS;
  expect(await pollOnce(trigger)).toMatchObject([{ _event: 'INSERT', title: 'New' }]);
  expect(countReadings(before)).toBe(1);
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(countReadings(before)).toBe(2);
  await trigger.deactivate();
});

test('items that take longer than their poll are returned by a later poll', async () => {
  const trigger = await env.engine.activate(bySnapshot());
  table.insert({ title: 'New' });
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  // The items have the name of the table.
  env.service.faults.add({ when: { pattern: '/api/v1/data-tables' }, fault: { type: 'hold', until } });
  env.engine.pollBudgetMs = 1_000;
  expect(await pollOnce(trigger)).toBeUndefined();
  release();
  env.engine.pollBudgetMs = DEFAULT_BUDGET_MS;
  expect(await pollOnce(trigger)).toMatchObject([{ _event: 'INSERT', title: 'New' }]);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('a reading is kept until the next poll, three days later', async () => {
  const trigger = await env.engine.activate(bySnapshot());
  table.insert({ title: 'New' });
  const { before, release } = await pollTooLong(trigger);
  release();
  env.engine.pollBudgetMs = DEFAULT_BUDGET_MS;
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 3 * 86_400_000);
  const items = await pollOnce(trigger);
  jest.restoreAllMocks();
  expect(items).toMatchObject([{ _event: 'INSERT', title: 'New' }]);
  expect(countReadings(before)).toBe(1);
  await trigger.deactivate();
});

test('polls while an execution is running return new changes only', async () => {
  const trigger = await env.engine.activate(
    chainNodes(
      bySnapshot().nodes[0]!,
      createNode('Slow', TYPE, { resource: 'apiKey', operation: 'getStatus' }),
    ),
  );
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  env.service.faults.add({ when: { pattern: /\/status$/ }, times: 2, fault: { type: 'hold', until } });
  const isRunning = (count: number) => () =>
    env.listRequests().filter((request) => request.endsWith('/status')).length >= count;

  table.insert({ title: 'First' });
  await trigger.poll();
  await waitUntil(isRunning(1));
  table.insert({ title: 'Second' });
  await trigger.poll();
  await trigger.poll();
  await waitUntil(isRunning(2));
  expect(trigger.executions).toEqual([]);

  release();
  const runs = await trigger.waitUntilIdle();
  expect(runs.map((run) => run.getJson('Poll'))).toMatchObject([
    [{ _event: 'INSERT', title: 'First' }],
    [{ _event: 'INSERT', title: 'Second' }],
  ]);
  await trigger.deactivate();
});
