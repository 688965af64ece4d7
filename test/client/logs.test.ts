import { readLog } from '../../nodes/service';
import type { ServiceOptions } from '../service';
import { ClientEnvironment } from './support';

/** Answers to a page of a log that hold no entries. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => expect(env.service.violations).toEqual([]));

function readFirstPage(body: object) {
  const log = { method: 'GET', pattern: /logs/ };
  env.service.faults.add({ when: log, fault: { type: 'status', status: 200, body } });
  return readLog(env.createClient(), { log: 'logins', limit: 100 });
}

test.each([
  { items: null, total_items: 120, total_pages: 3 },
  { items: [], total_items: '', total_pages: '' },
  { items: [] },
])('an answer that is no page of a log is an error: %j', async (body) => {
  await expect(readFirstPage(body)).rejects.toMatchObject({
    message: expect.stringContaining('does not have the documented form') as string,
  });
});

test.each([120, 0])(
  'a log of %i entries may have none on its page, and totals may be text',
  async (total) => {
    const body = { items: [], total_items: String(total), total_pages: '1' };
    expect(await readFirstPage(body)).toEqual({ entries: [], total });
  },
);

describe.each<ServiceOptions['logOrder']>(['newestFirst', 'oldestFirst'])('%s', (logOrder) => {
  const log = 'emails';
  const newest = '2031-01-02 00:00:00';
  const ordered = new ClientEnvironment();
  beforeAll(async () => {
    await ordered.start({ perMinute: 100_000, logOrder });
    // At least one page has entries of one second alone. Such a page is sorted in both orders.
    const together = Array.from({ length: 100 }, (_, id) => ({ created_at: '2031-01-01 00:00:00', id }));
    ordered.service.addLogEntries(log, ...together, { created_at: newest });
  });
  afterAll(() => ordered.stop());

  const read = async (reading: object) =>
    (await readLog(ordered.createClient(), { log, limit: Infinity, ...reading })).entries;

  test.each([{ newestOnly: true }, { since: '2031-01-01 12:00:00' }])(
    'the newest entry is found behind many of one second: %j',
    async (reading) => expect(await read(reading)).toContainEqual({ created_at: newest }),
  );

  test('the first page is enough in a log that is sorted newest first alone', async () => {
    const requests = await ordered.record(() => read({ newestOnly: true }));
    expect(requests.length === 1).toBe(logOrder === 'newestFirst');
  });
});
