import { DateTime } from 'luxon';
import { runOperation } from '../support/runOperation';
import { getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const LOGS = [
  ['blockedIps', 55],
  ['blockedUsers', 60],
  ['builderActivities', 150],
  ['emails', 160],
  ['failedLogins', 180],
  ['logins', 230],
  ['pageViews', 420],
] as const;

const env = useTestEnvironment();

const getAll = { resource: 'log', operation: 'getAll' };

async function read(log: string, more: object = {}) {
  const before = env.service.requests.length;
  const run = await runOperation(env, 'RecordDatabaseLogs', { ...getAll, log, ...more });
  return { entries: getOutput(run), calls: env.service.requests.length - before };
}

test.each(LOGS)('%s returns all %i entries, 50 a page', async (log, count) => {
  const { entries, calls } = await read(log, { returnAll: true });
  expect(entries).toHaveLength(count);
  expect(calls).toBe(Math.ceil(count / 50));
  expect(new Set(entries.map(({ created_at: at }) => at)).size).toBe(count);
});

test('returns the sessions of the last 13 hours', async () => {
  const { entries } = await read('sessions', { returnAll: true });
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
  const { entries, calls } = await read('pageViews', { returnAll: false, limit });
  expect([entries.length, calls]).toEqual([limit, expected]);
});

test('"since" stops at the first older page, for a date in any time zone', async () => {
  const { entries: all } = await read('logins', { returnAll: true });
  const readSince = DateTime.utc().minus({ days: 3 });
  const text = readSince.toFormat('yyyy-MM-dd HH:mm:ss');
  const expected = all.filter(({ created_at: at }) => String(at) >= text).length;
  for (const given of [readSince.toISO(), readSince.setZone('Asia/Tokyo').toISO()]) {
    const { entries, calls } = await read('logins', { returnAll: true, options: { since: given } });
    expect(entries).toHaveLength(expected);
    expect(calls).toBe(1);
  }
});

test('"since" in the format of "created_at" uses the zone of the service, a picked date that of the workflow', async () => {
  // In New York, noon is 17:00 UTC.
  const createItems = [18, 17, 13, 12, 11].map((hour) => ({ created_at: `2025-01-02 ${hour}:00:00` }));
  const body = { type: 'success', createPage: 1, total_pages: 1, total_items: 5, items: createItems };
  env.service.faults.add({ times: 2, fault: { type: 'status', status: 200, body } });
  const since = async (text: string) => (await read('logins', { options: { since: text } })).entries;
  expect(await since('2025-01-02 12:00:00')).toEqual(createItems.slice(0, 4));
  expect(await since('2025-01-02T12:00:00')).toEqual(createItems.slice(0, 2));
});

test.each(['={{ $json.no }}', '={{ null }}', '={{ "12" }}'])(
  '"since" as %s does not mean all',
  async (since) => {
    const run = await runOperation(env, 'RecordDatabaseLogs', { ...getAll, options: { since } });
    expect(run.error?.message).toMatch(/^Since cannot be /);
  },
);

test('"since" is converted to the Service Time Zone of the credential', async () => {
  const items = [18, 17, 13, 12, 11].map((hour) => ({ created_at: `2025-01-02 ${hour}:00:00` }));
  const body = { type: 'success', page: 1, total_pages: 1, total_items: 5, items };
  env.service.faults.add({ fault: { type: 'status', status: 200, body } });
  await env.setCredentialFields({ serviceTimeZone: 'America/New_York' });
  // The workflow is in New York too, so noon stays noon.
  const { entries } = await read('logins', { options: { since: '2025-01-02T12:00:00' } });
  await env.setCredentialFields({});
  expect(entries).toEqual(items.slice(0, 4));
});

test('returns entries that are not objects', async () => {
  const items = [...Array.from({ length: 49 }, (_, i) => ({ ip: String(i) })), null];
  const body = { type: 'success', page: 1, total_pages: 1, total_items: 50, items };
  env.service.faults.add({ fault: { type: 'status', status: 200, body } });
  const { entries } = await read('logins', { returnAll: true, simplify: 'on' });
  expect(entries).toHaveLength(50);
  expect(entries[49]).toEqual({ value: null });
});

test('"since" reads all pages of a log that is not sorted newest first', async () => {
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
  env.service.faults.add(page(1, 1));
  env.service.faults.add(page(2, 51));
  const options = { since: '2026-01-01T00:00:00Z' };
  expect((await read('failedLogins', { returnAll: true, options })).calls).toBe(2);
});

test('entries that are added during reading neither repeat nor replace other entries', async () => {
  const createEntry = (n: number) => ({
    created_at: `2025-01-01 00:${String(n).padStart(4, '0')}`,
    ip: 'same',
  });
  const log = Array.from({ length: 120 }, (_, i) => createEntry(200 - i));
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
  const newer = [createEntry(203), createEntry(202), createEntry(201), ...log];
  env.service.faults.add(page(1, log));
  env.service.faults.add(page(2, newer));
  env.service.faults.add(page(3, newer));
  expect((await read('blockedIps', { returnAll: true })).entries).toEqual(log);
});

test('simplify leaves one level of plain values', async () => {
  const readFirst = async (log: string) => (await read(log, { limit: 3, simplify: 'on' })).entries;
  expect((await readFirst('builderActivities'))[0]).toMatchObject({
    user_name: expect.any(String),
    metas: { Name: expect.any(String) },
  });
  const mails = await readFirst('emails');
  expect(Object.keys(mails[0]!)).not.toContain('body');
  for (const entry of await readFirst('pageViews')) expect(entry).not.toHaveProperty('user');
});

test('an answer of another shape is an error', async () => {
  env.service.faults.add({ fault: { type: 'status', status: 200, body: { type: 'success' } } });
  await expect(read('logins')).rejects.toThrow('GET /api/v1/logs/logins does not have the documented form');
});

describe('Start Page', () => {
  const readPage = (startPage: number, limit = 50, more: object = {}) =>
    read('logins', { returnAll: false, limit, options: { startPage, ...more } });

  test('every page is one request, and together they are the log', async () => {
    const { entries: all } = await read('logins', { returnAll: true });
    const pages = [];
    for (const page of [1, 2, 3, 4, 5]) pages.push(await readPage(page));
    expect(pages.flatMap(({ entries }) => entries)).toEqual(all);
    expect(pages.map(({ calls }) => calls)).toEqual([1, 1, 1, 1, 1]);
    expect((await readPage(6)).entries).toEqual([]);
    expect((await readPage(2, 100)).entries).toEqual(all.slice(100, 200));
  });

  test('Include Total adds the page and the number of pages', async () => {
    const { entries } = await readPage(2, 100, { includeTotal: true });
    expect(entries[0]).toMatchObject({ _total: 230, _page: 2, _pages: 3 });
  });

  test('needs a limit of whole pages', async () => {
    await expect(readPage(2, 60)).rejects.toThrow('Limit cannot be 60 with Start Page');
  });
});
