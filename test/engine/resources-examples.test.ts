import { loadExample } from '../examples';
import type { Run } from '../harness';
import { pickFromLists } from './pickFromLists';
import { World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

async function run(name: string): Promise<Run> {
  const workflow = loadExample(name, world.service);
  const asSaved = structuredClone(workflow);
  // The ids in the file are those of the sample data, and the names those of the lists.
  expect(await pickFromLists(world.engine, workflow)).toEqual(asSaved);
  const done = await world.engine.run(workflow);
  expect(done.error?.message).toBeUndefined();
  return done;
}

test('run a task and wait', async () => {
  const done = await run('task-run-and-wait');
  expect(done.jsonOf('Close Old Orders')).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
  expect(done.jsonOf('Show All Runs')).toHaveLength(1);
});

test('import and export', async () => {
  const before = world.table('Products').records.size;
  const active = [...world.table('Customers').records.values()].filter(({ status }) => status === 'active');
  const done = await run('import-and-export');
  expect(done.jsonOf('Import Products')).toMatchObject([
    { total_rows: 2, error_rows: 0, _completion: 'finished' },
  ]);
  expect(world.table('Products').records.size).toBe(before + 2);
  const csv = (await done.binaryOf(done.itemsOf('Export Active Customers')[0])).toString();
  expect(csv.trim().split('\r\n')).toHaveLength(active.length + 1);
});

test('PDFs of invoices', async () => {
  const done = await run('pdf-of-invoices');
  const items = done.itemsOf('Invoice as PDF');
  expect(items).toHaveLength(3);
  for (const item of items) {
    expect((await done.binaryOf(item, 'invoice')).subarray(0, 5).toString()).toBe('%PDF-');
  }
  expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
});

test('logs of the week', async () => {
  const found = (await run('logs-of-the-week')).jsonOf('Failed Logins');
  expect(found.length).toBeGreaterThan(10);
  expect(found[0]).toMatchObject({ username: expect.any(String), created_at: expect.any(String) });
});

test('records of a page', async () => {
  const limits = (await run('page-records'))
    .jsonOf('Active Customers')
    .map(({ credit_limit: limit }) => Number(limit));
  expect(limits.length).toBeGreaterThan(1);
  expect(limits).toEqual([...limits].sort((a, b) => b - a));
});

test('a session', async () => {
  const done = await run('user-session');
  expect(done.jsonOf('Session Status')).toMatchObject([{ valid: true }]);
  expect(done.jsonOf('Log Out')).toMatchObject([{ type: 'success' }]);
});
