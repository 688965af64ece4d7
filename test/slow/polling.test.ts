import { addTasksTable, createRecordWorkflow } from '../engine/polling/support';
import { TestEnvironment } from '../engine/support/testEnvironment';
import { scaleRuns } from '../randomness';

/**
 * 100,000 records in a full run. Each record comes once. A poll returns about 5,000: it ends with a whole page of 200, and
 * the records of a second come together.
 */
const RECORDS = scaleRuns(100_000);

let env: TestEnvironment;
afterEach(() => env.stop());

const START = Date.now();

const format = (secondsAgo: number) =>
  new Date(START - secondsAgo * 1000).toISOString().slice(0, 19).replace('T', ' ');

test.each([
  ['of one second', () => 3600],
  ['of two seconds', (index: number) => (index < 0.6 * RECORDS ? 3601 : 3600)],
  ['of 100 seconds', (index: number) => 3600 + (index % 100)],
  ['of a second each', (index: number) => 3600 + index],
])(`${RECORDS} records %s`, async (_what, getAge) => {
  env = await TestEnvironment.start({ sample: 'empty' });
  const table = addTasksTable(env);
  const dates = Array.from({ length: RECORDS }, (_, index) => format(getAge(index)));
  for (const changed_at of dates) table.insert({ changed_at });
  const trigger = await env.engine.activate(
    createRecordWorkflow(table, {
      triggerOn: 'recordCreatedOrUpdated',
      dateField: 'changed_at',
      options: { returnExisting: true },
    }),
  );
  const sizes: number[] = [];
  const ids = new Set<string>();
  let seen = 0;
  for (let poll = 0; poll < 60; poll++) {
    await trigger.poll();
    const runs = await trigger.waitUntilIdle();
    for (const run of runs.slice(seen)) {
      const items = run.getJson('Poll');
      sizes.push(items.length);
      for (const { id } of items) ids.add(String(id));
    }
    seen = runs.length;
    if (ids.size === RECORDS) break;
  }
  expect(ids.size).toBe(RECORDS);
  const counts = new Map<string, number>();
  for (const date of dates) counts.set(date, (counts.get(date) ?? 0) + 1);
  const perSecond = Math.max(...counts.values());
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5200 + perSecond);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(RECORDS);

  // What the process kept of its reading is lost with it, and nothing comes again.
  await trigger.kill();
  await trigger.restart({ callCheckExists: false });
  await trigger.poll();
  expect(await trigger.waitUntilIdle()).toHaveLength(seen);
  await trigger.deactivate();
});
