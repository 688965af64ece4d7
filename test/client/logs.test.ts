import { fetchLogPage, logEndpoints } from '../../nodes/service';
import { ClientEnvironment } from './support';

/** Answers to a page of a log that hold no entries. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => expect(env.service.violations).toEqual([]));

function readPage(body: object, page: number) {
  const log = { method: 'GET', pattern: /logs/ };
  env.service.faults.add({ when: log, fault: { type: 'status', status: 200, body } });
  return fetchLogPage(env.createClient(), logEndpoints.logins, page);
}

test.each([
  { items: null, total_items: 120, total_pages: 3 },
  { items: [], total_items: '', total_pages: '' },
  { items: [] },
])('an answer that is no page of a log is an error: %j', async (body) => {
  await expect(readPage(body, 3)).rejects.toMatchObject({
    message: expect.stringContaining('does not have the documented form') as string,
  });
});

test.each([
  [4, 120],
  [1, 0],
])('page %i of a log with %i entries may be empty, and totals may be text', async (page, total_items) => {
  const body = { items: [], total_items, total_pages: '3' };
  expect(await readPage(body, page)).toMatchObject({ items: [], totalItems: total_items, totalPages: 3 });
});
