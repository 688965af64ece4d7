import { getTable, type PayloadEntries, updateRecord } from '../../nodes/records';
import type { ServiceOptions } from '../service';
import { ClientEnvironment } from './support';

/**
 * Updates that write nothing read many records of one table by ID: one by one or in pages, whichever takes fewer requests.
 */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000, sample: 'empty' }));
afterAll(() => env.stop());
beforeEach(() => {
  env.service.faults.clear();
  Object.assign(env.service.options, { maxPageSize: 200 } satisfies Partial<ServiceOptions>);
});

let count = 0;
/** A table of `size` records, a function that reads one, and a function that reads IDs and counts the requests. */
async function open(size: number) {
  const fields = [{ name: 'Title', type: 'Text' as const }];
  const stored = env.service.addTable({ name: `Rows ${++count}`, fields });
  const ids = Array.from({ length: size }, (_, n) => stored.insert({ title: `row ${n}` }).id);
  const client = env.createClient();
  const table = await getTable(client, stored.id);
  const read = async (id: string, peers: string[]) => {
    const entries: PayloadEntries = [['title', String(stored.records.get(id)?.title)]];
    const change = { table, recordId: id, entries, timeZone: 'UTC', listNextIds: () => peers };
    const { action, record } = await updateRecord(client, change);
    expect(action).toBe('unchanged');
    return record;
  };
  const countRequests = async (wanted: string[], peers = wanted) => {
    const requests = await env.record(async () => {
      expect(await Promise.all(wanted.map((id) => read(id, peers)))).toMatchObject(
        wanted.map((id) => ({ id, title: stored.records.get(id)!.title })),
      );
    });
    return requests.length;
  };
  return { ids, stored, countRequests, read };
}

test.each<[ids: number, size: number, requests: number]>([
  [1, 25, 1],
  [2, 25, 2],
  [3, 25, 1],
  [20, 25, 1],
  [25, 25, 1],
  [3, 5_000, 4],
  [600, 600, 3],
  // Three of them are on the first page, which shows that there are ten pages.
  [9, 2_000, 7],
  // Too many pages: half of the requests of a minute would read.
  [40, 6_400, 40],
])('%d records of a table of %d: %d requests', async (wanted, size, requests) => {
  const { ids, countRequests } = await open(size);
  const step = Math.floor(size / wanted);
  const spread = Array.from(
    { length: wanted },
    (_, n) => ids[wanted === 9 ? (n < 3 ? n : 199 * n) : (n + 1) * step - 1]!,
  );
  expect(await countRequests(spread)).toBe(requests);
});

test('pages of 100 are understood', async () => {
  env.service.options.maxPageSize = 100;
  const { ids, countRequests } = await open(350);
  expect(await countRequests(ids)).toBe(4);
});

test('batches share the pages while they are recent', async () => {
  const { ids, countRequests } = await open(150);
  expect(await countRequests(ids.slice(0, 50))).toBe(1);
  expect(await countRequests(ids.slice(50, 100))).toBe(0);
  expect(await countRequests([ids[0]!], ids.slice(0, 50))).toBe(0);
  await env.time.sleep(60_001);
  expect(await countRequests(ids.slice(100))).toBe(1);
  expect(await countRequests(ids.slice(0, 3))).toBe(0);
});

test('a record that is gone is a 404, and the others are read', async () => {
  const { ids, stored, read, countRequests } = await open(30);
  stored.delete(ids[5]!);
  const others = ids.filter((id) => id !== ids[5]);
  await expect(read(ids[5]!, ids)).rejects.toMatchObject({ status: 404 });
  expect(await countRequests(others)).toBe(0);
});

test('a list that cannot be read makes no reading fail', async () => {
  const { ids, countRequests } = await open(10);
  const list = { method: 'GET', pattern: /records$/ };
  env.service.faults.add({ when: list, fault: { type: 'status', status: 403 } });
  expect(await countRequests(ids)).toBe(11);
});
