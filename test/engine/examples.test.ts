import { loadExample } from '../examples';
import type { Run } from '../harness';
import { World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

async function run(name: string): Promise<Run> {
  const done = await world.engine.run(loadExample(name, world.service));
  expect(done.error?.message).toBeUndefined();
  return done;
}

test('create, read back, update and delete', async () => {
  const customers = world.table('Customers');
  const before = customers.records.size;
  const done = await run('create-read-update-delete');
  expect(done.jsonOf('Find It')).toMatchObject([
    { company: 'Example Workshop', credit_limit: 2500, newsletter: 1 },
  ]);
  expect(done.jsonOf('Read It Back')).toMatchObject([
    { company: 'Example Workshop', credit_limit: 5000, newsletter: 1 },
  ]);
  expect(done.jsonOf('Delete It')).toEqual([{ deleted: true, id: done.jsonOf('Create Customer')[0]!.id }]);
  expect(customers.records.size).toBe(before);
});

test('page through orders', async () => {
  const orders = [...world.table('Orders').records.values()];
  const found = (await run('page-through-orders')).jsonOf('All Orders');
  expect(new Set(found.map(({ id }) => id)).size).toBe(orders.length);
  expect(found[0]!._total).toBe(orders.length);
  const dates = found.map(({ created_at: at }) => String(at));
  expect(dates).toEqual([...dates].sort().reverse());
});

test('nested filter', async () => {
  const matches = [...world.table('Customers').records.values()].filter((one) => {
    const { city } = one.address as { city: string };
    return (
      one.email !== '' &&
      (['Northtown', 'Southport'].includes(city) || Number(one.credit_limit) >= 20000) &&
      (one.status === 'active' || one.newsletter === 1)
    );
  });
  const found = (await run('nested-filter')).jsonOf('Find Customers');
  expect(found.map(({ id }) => id).sort()).toEqual(matches.map(({ id }) => id).sort());
  expect(found.length).toBeGreaterThan(0);
});

test('upsert', async () => {
  const found = (await run('upsert')).jsonOf('Create or Update');
  expect(found.map(({ _action, company }) => [_action, company])).toEqual([
    ['created', 'One'],
    ['created', 'Two'],
    ['updated', 'One Renamed'],
  ]);
});

test('batch update', async () => {
  const done = await run('batch-update');
  const partners = [...world.table('Customers').records.values()].filter((one) =>
    /partners/i.test(String(one.company)),
  );
  expect(done.jsonOf('How Many')[0]!.total).toBe(partners.length);
  expect(done.jsonOf('Subscribe Them')[0]!.total).toBe(partners.length);
  expect(partners.every(({ newsletter }) => newsletter === 1)).toBe(true);
});

test('files', async () => {
  const [record] = (await run('files')).jsonOf('Store File');
  expect(String(record!.file)).toContain('note.txt');
});
