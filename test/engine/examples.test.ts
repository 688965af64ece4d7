import { listExamples, loadExample } from '../examples';
import type { Run } from '../harness';
import { useTestEnvironment } from './support/useTestEnvironment';

const env = useTestEnvironment();

async function runExample(name: string): Promise<Run> {
  const done = await env.engine.run(loadExample(name, env.service));
  expect(done.error?.message).toBeUndefined();
  return done;
}

test('create, read back, update and delete', async () => {
  const customers = env.getTable('Customers');
  const before = customers.records.size;
  const done = await runExample('create-read-update-delete');
  expect(done.getJson('Find It')).toMatchObject([
    { company: 'Example Workshop', credit_limit: 2500, newsletter: 1 },
  ]);
  expect(done.getJson('Read It Back')).toMatchObject([
    { company: 'Example Workshop', credit_limit: 5000, newsletter: 1 },
  ]);
  expect(done.getJson('Delete It')).toEqual([{ deleted: true, id: done.getJson('Create Customer')[0]!.id }]);
  expect(customers.records.size).toBe(before);
});

test('page through orders', async () => {
  const orders = [...env.getTable('Orders').records.values()];
  const found = (await runExample('page-through-orders')).getJson('All Orders');
  expect(new Set(found.map(({ id }) => id)).size).toBe(orders.length);
  expect(found[0]!._total).toBe(orders.length);
  const dates = found.map(({ created_at: at }) => String(at));
  expect(dates).toEqual([...dates].sort().reverse());
});

test('read a table in pages', async () => {
  const pages = Math.ceil(env.getTable('Orders').records.size / 200);
  expect(pages).toBeGreaterThan(2);
  const before = env.service.requests.length;
  const done = await runExample('read-in-pages');
  expect(done.getJson('Process One Page')).toEqual(
    Array.from({ length: pages }, (_, index) => ({ page: index + 1, pages })),
  );
  expect(env.listRequests(before).filter((pattern) => pattern.endsWith('/records'))).toHaveLength(pages);
  // The records stay in the executions that read them.
  expect(done.executedNodes).not.toContain('Read Page');
});

test('nested filter', async () => {
  const matches = [...env.getTable('Customers').records.values()].filter((one) => {
    const { city } = one.address as { city: string };
    return (
      one.email !== '' &&
      (['Northtown', 'Southport'].includes(city) || Number(one.credit_limit) >= 20000) &&
      (one.status === 'active' || one.newsletter === 1)
    );
  });
  const found = (await runExample('nested-filter')).getJson('Find Customers');
  expect(found.map(({ id }) => id).sort()).toEqual(matches.map(({ id }) => id).sort());
  expect(found.length).toBeGreaterThan(0);
});

test('upsert', async () => {
  const found = (await runExample('upsert')).getJson('Create or Update');
  expect(found.map(({ _action, company }) => [_action, company])).toEqual([
    ['created', 'One'],
    ['created', 'Two'],
    ['updated', 'One Renamed'],
  ]);
});

test('batch update', async () => {
  const done = await runExample('batch-update');
  const partners = [...env.getTable('Customers').records.values()].filter((one) =>
    /partners/i.test(String(one.company)),
  );
  expect(done.getJson('How Many')[0]!.total).toBe(partners.length);
  expect(done.getJson('Subscribe Them')[0]!.total).toBe(partners.length);
  expect(partners.every(({ newsletter }) => newsletter === 1)).toBe(true);
});

test('delete many, after a dry run', async () => {
  const products = env.getTable('Products');
  const before = products.records.size;
  const done = await runExample('delete-many');
  const ids = done.getJson('Add Products').map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(done.getJson('What Would Go').map(({ id, _dryRun }) => [id, _dryRun])).toEqual(
    ids.map((id) => [id, true]),
  );
  expect(done.getJson('Delete Them').map(({ id, _action }) => [id, _action])).toEqual(
    ids.map((id) => [id, 'deleted']),
  );
  expect(products.records.size).toBe(before);
});

test('no example runs one of the nodes with Execute Once, which drops the other items', () => {
  const nodes = listExamples().flatMap((name) => loadExample(name, env.service).nodes);
  const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-record-database.'));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter(({ executeOnce }) => executeOnce).map(({ name }) => name)).toEqual([]);
});

test('nightly sync', async () => {
  const products = env.getTable('Products');
  const stale = products.insert({ name: 'No longer sold', sku: 'PART-9' });
  const listActions = async () =>
    (await runExample('nightly-sync')).getJson('Sync Products').map(({ _action, sku }) => [_action, sku]);
  expect(await listActions()).toEqual([
    ['created', 'PART-1'],
    ['created', 'PART-2'],
    ['created', 'PART-3'],
    ['deleted', 'PART-9'],
  ]);
  expect(products.records.has(stale.id)).toBe(false);
  expect(await listActions()).toEqual([]);
});

test('files', async () => {
  const [record] = (await runExample('files')).getJson('Store File');
  expect(String(record!.file)).toContain('note.txt');
});
