import { skipWaits } from '../../environment/skipWaits';
import { loadExample } from '../../examples';
import type { Run } from '../../harness';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { pickFromLists } from './pickFromLists';

skipWaits();

const env = useTestEnvironment();
beforeAll(() => {
  const { records } = env.getTable('Orders');
  for (const id of [...records.keys()].slice(60)) records.delete(id);
});

async function runExample(name: string): Promise<Run> {
  const workflow = loadExample(name, env.service);
  const asSaved = structuredClone(workflow);
  // The ids in the file are those of the sample data, and the names those of the lists.
  expect(await pickFromLists(env.engine, workflow)).toEqual(asSaved);
  const done = await env.engine.run(workflow);
  expect(done.error?.message).toBeUndefined();
  return done;
}

test('run a task and wait', async () => {
  const done = await runExample('task-run-and-wait');
  expect(done.getJson('Close Old Orders')).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
  expect(done.getJson('Show All Runs')).toHaveLength(1);
});

test('import and export', async () => {
  const before = env.getTable('Products').records.size;
  const active = [...env.getTable('Customers').records.values()].filter(({ status }) => status === 'active');
  const done = await runExample('import-and-export');
  expect(done.getJson('Import Products')).toMatchObject([
    { total_rows: 2, error_rows: 0, _completion: 'finished' },
  ]);
  expect(env.getTable('Products').records.size).toBe(before + 2);
  const csv = (await done.readBinary(done.getItems('Export Active Customers')[0])).toString();
  expect(csv.trim().split('\r\n')).toHaveLength(active.length + 1);
});

describe('a long export', () => {
  const runUntilItWaits = (jobMs: number) => {
    env.service.options.jobMs = jobMs;
    return env.engine.run(loadExample('long-export', env.service));
  };
  afterEach(() => {
    env.service.options.jobMs = 150;
  });

  test('is stored between two looks, and its file is downloaded at its end', async () => {
    const since = env.service.requests.length;
    let run = await runUntilItWaits(5 * 60_000);
    let waits = 0;
    while (run.status === 'waiting') {
      const ms = run.data.waitTill!.getTime() - Date.now();
      // From 65 s on, n8n stores the execution and frees the worker.
      expect(ms).toBeGreaterThan(65_000);
      jest.advanceTimersByTime(ms);
      run = await env.engine.resume(run);
      waits++;
    }
    expect(run.error?.message).toBeUndefined();
    expect(waits).toBe(3);
    expect(env.listRequests(since).filter((pattern) => pattern.endsWith('/trigger'))).toHaveLength(1);
    const csv = (await run.readBinary(run.getItems('Get File')[0])).toString();
    expect(csv.trim().split('\r\n')).toHaveLength(env.getTable('Orders').records.size + 1);
  });

  test('that is short does not wait', async () => {
    const run = await runUntilItWaits(150);
    expect(run.status).toBe('success');
    expect(run.getItems('Get File')).toHaveLength(1);
    expect(run.executedNodes).not.toContain('Two Minutes');
  });

  test('that takes longer than three hours is named and goes on', async () => {
    let run = await runUntilItWaits(10 * 3_600_000);
    while (run.status === 'waiting') {
      jest.advanceTimersByTime(run.data.waitTill!.getTime() - Date.now());
      run = await env.engine.resume(run);
    }
    expect(run.error?.message).toBeUndefined();
    expect(run.getItems('Get File')).toEqual([]);
    expect(run.getJson('Still Running')).toMatchObject([{ status: 'Processing' }]);
  });
});

test('import items', async () => {
  const { records } = env.getTable('Products');
  const before = records.size;
  const done = await runExample('import-items');
  expect(done.getJson('Import Products')).toMatchObject([{ error_rows: 0, _imported: 3 }]);
  expect([...records.values()].slice(before)).toMatchObject([
    { name: 'Desk Lamp, "Nova"', sku: 'LAMP-1', price: 24.5, stock: 12 },
    { sku: 'TRAY-1' },
    { sku: 'PEN-1', stock: 0 },
  ]);
});

test('PDFs of invoices', async () => {
  const done = await runExample('pdf-of-invoices');
  const items = done.getItems('Invoice as PDF');
  expect(items).toHaveLength(3);
  for (const item of items) {
    expect((await done.readBinary(item, 'invoice')).subarray(0, 5).toString()).toBe('%PDF-');
  }
  expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
});

test('logs of the week', async () => {
  const found = (await runExample('logs-of-the-week')).getJson('Failed Logins');
  expect(found.length).toBeGreaterThan(10);
  expect(found[0]).toMatchObject({ username: expect.any(String), created_at: expect.any(String) });
});

test('records of a page', async () => {
  const found = (await runExample('page-records')).getJson('Active Customers');
  expect(found.length).toBeGreaterThan(1);
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['active']));
});

test('a session', async () => {
  const done = await runExample('user-session');
  expect(done.getJson('Session Status')).toMatchObject([{ valid: true }]);
  expect(done.getJson('Log Out')).toEqual([{ msg: 'Logged out successfully' }]);
});
