import { DateTime } from 'luxon';
import { runOperation } from './cases';
import { outputOf, World } from './support';

const LOGS = [
  ['getBlockedIps', 55],
  ['getBlockedUsers', 60],
  ['getBuilderActivities', 150],
  ['getEmails', 160],
  ['getFailedLogins', 180],
  ['getLogins', 230],
  ['getPageViews', 420],
] as const;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => {
  world.service.faults.clear();
  expect(world.violations()).toEqual([]);
});

async function read(operation: string, more: object = {}) {
  const before = world.service.requests.length;
  const run = await runOperation(world, 'RecordDatabaseLogs', { resource: 'log', operation, ...more });
  return { entries: outputOf(run), calls: world.service.requests.length - before };
}

test.each(LOGS)('%s returns all %i entries, 50 a page', async (operation, count) => {
  const { entries, calls } = await read(operation, { returnAll: true });
  expect(entries).toHaveLength(count);
  expect(calls).toBe(Math.ceil(count / 50));
  expect(new Set(entries.map(({ created_at: at }) => at)).size).toBe(count);
});

test('sessions are those of the last 13 hours', async () => {
  const { entries } = await read('getSessions', { returnAll: true });
  expect(entries.length).toBeGreaterThan(20);
  const oldest = DateTime.utc().minus({ hours: 13, minutes: 1 }).toFormat('yyyy-MM-dd HH:mm:ss');
  expect(entries.every(({ created_at: at }) => String(at) > oldest)).toBe(true);
});

test.each([
  [1, 1],
  [50, 1],
  [51, 2],
  [120, 3],
])('a limit of %i takes %i calls', async (limit, expected) => {
  const { entries, calls } = await read('getPageViews', { returnAll: false, limit });
  expect([entries.length, calls]).toEqual([limit, expected]);
});

test('"since" stops at the first page that is older, in whatever zone the date is given', async () => {
  const { entries: all } = await read('getLogins', { returnAll: true });
  const since = DateTime.utc().minus({ days: 3 });
  const text = since.toFormat('yyyy-MM-dd HH:mm:ss');
  const expected = all.filter(({ created_at: at }) => String(at) >= text).length;
  for (const given of [since.toISO(), since.setZone('Asia/Tokyo').toISO()]) {
    const { entries, calls } = await read('getLogins', { returnAll: true, options: { since: given } });
    expect(entries).toHaveLength(expected);
    expect(calls).toBe(1);
  }
  const wrong = { returnAll: true, options: { since: since.toISO(), serviceTimeZone: 'Mars/Base' } };
  await expect(read('getLogins', wrong)).rejects.toThrow('There is no time zone "Mars/Base"');
});

test('"since" as "created_at" has it is the clock of the service, as the picker has it the workflow\'s', async () => {
  // In New York, noon is 17:00 UTC.
  const items = [18, 17, 13, 12, 11].map((hour) => ({ created_at: `2025-01-02 ${hour}:00:00` }));
  const body = { type: 'success', page: 1, total_pages: 1, total_items: 5, items };
  world.service.faults.add({ times: 2, fault: { type: 'status', status: 200, body } });
  const since = async (text: string) => (await read('getLogins', { options: { since: text } })).entries;
  expect(await since('2025-01-02 12:00:00')).toEqual(items.slice(0, 4));
  expect(await since('2025-01-02T12:00:00')).toEqual(items.slice(0, 2));
});

test.each(['={{ $json.no }}', '={{ null }}', '={{ "12" }}'])(
  '"since" as %s does not mean all',
  async (since) => {
    const run = await runOperation(world, 'RecordDatabaseLogs', {
      resource: 'log',
      operation: 'getLogins',
      options: { since },
    });
    expect(run.error?.message).toMatch(/^Since cannot be /);
  },
);

test.each(['={{ $json.no }}', '={{ null }}', "={{ '' }}"])(
  'the time zone of the service as %s is not UTC in silence',
  async (serviceTimeZone) => {
    const options = { since: '2025-01-02T12:00:00', serviceTimeZone };
    await expect(read('getLogins', { options })).rejects.toThrow(
      'Time Zone of the Service: the expression has found nothing',
    );
  },
);

test.each(['UTC', '', "={{ 'UTC' }}"])('the time zone of the service: %j', async (serviceTimeZone) => {
  const since = DateTime.utc().minus({ days: 3 }).toISO();
  const expected = (await read('getLogins', { options: { since } })).entries;
  expect((await read('getLogins', { options: { since, serviceTimeZone } })).entries).toEqual(expected);
});

test('totals that are empty or text, and entries that are none, do not end the reading', async () => {
  const items = (page: number) => [...Array.from({ length: 49 }, (_, i) => ({ ip: `${page}-${i}` })), null];
  for (const page of [1, 2]) {
    const body = { type: 'success', page, total_pages: '', total_items: '', items: items(page) };
    world.service.faults.add({ fault: { type: 'status', status: 200, body } });
  }
  const end = { type: 'success', page: 3, total_pages: '', total_items: '', items: [] };
  world.service.faults.add({ fault: { type: 'status', status: 200, body: end } });
  const { entries } = await read('getLogins', { returnAll: true, options: { simplify: true } });
  expect(entries).toHaveLength(100);
  expect(entries[49]).toEqual({ value: null });
});

test('"since" reads on where a log is not newest first', async () => {
  const items = (from: number) =>
    Array.from({ length: 50 }, (_, i) => ({
      created_at: `2025-01-${String(from + i).padStart(4, '0')}`,
      ip: '',
    }));
  const page = (number: number, from: number) => ({
    fault: {
      type: 'status' as const,
      status: 200,
      body: { type: 'success', page: number, total_pages: 2, total_items: 100, items: items(from) },
    },
  });
  world.service.faults.add(page(1, 1));
  world.service.faults.add(page(2, 51));
  const options = { since: '2026-01-01T00:00:00Z' };
  expect((await read('getFailedLogins', { returnAll: true, options })).calls).toBe(2);
});

test('entries that arrive while it is read come neither twice nor in place of others', async () => {
  const entry = (n: number) => ({ created_at: `2025-01-01 00:${String(n).padStart(4, '0')}`, ip: 'same' });
  const log = Array.from({ length: 120 }, (_, i) => entry(200 - i));
  const page = (number: number, all: object[]) => ({
    fault: {
      type: 'status' as const,
      status: 200,
      body: {
        type: 'success',
        page: number,
        total_pages: Math.ceil(all.length / 50),
        total_items: all.length,
        items: all.slice((number - 1) * 50, number * 50),
      },
    },
  });
  const newer = [entry(203), entry(202), entry(201), ...log];
  world.service.faults.add(page(1, log));
  world.service.faults.add(page(2, newer));
  world.service.faults.add(page(3, newer));
  expect((await read('getBlockedIps', { returnAll: true })).entries).toEqual(log);
});

test('simplify leaves one level of plain values', async () => {
  const one = async (operation: string) =>
    (await read(operation, { limit: 3, options: { simplify: true } })).entries;
  expect((await one('getBuilderActivities'))[0]).toMatchObject({
    user_name: expect.any(String),
    metas: { Name: expect.any(String) },
  });
  const mails = await one('getEmails');
  expect(Object.keys(mails[0]!)).not.toContain('body');
  for (const entry of await one('getPageViews')) expect(entry).not.toHaveProperty('user');
});

test('an answer of another shape is an error', async () => {
  world.service.faults.add({ fault: { type: 'status', status: 200, body: { type: 'success' } } });
  await expect(read('getLogins')).rejects.toThrow('The service did not answer with a log');
});
