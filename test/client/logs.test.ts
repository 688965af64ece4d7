import { readLog } from '../../nodes/service';
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
