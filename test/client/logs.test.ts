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
  [{ items: null, total_items: 120, total_pages: 3 }, 3],
  [{ items: null, total_pages: 3 }, 1],
])('null in place of a page that exists is an error: %j', async (body, page) => {
  await expect(readPage(body, page)).rejects.toMatchObject({
    message: `The service returned no entries for page ${page} of 3`,
  });
});

test.each([
  ['beyond the last page', { items: null, total_items: 120, total_pages: 3 }, 4],
  ['of a log without entries', { items: null, total_items: 0, total_pages: 1 }, 1],
  ['without totals', { items: null }, 1],
  ['and an empty list of a page', { items: [], total_items: 120, total_pages: 3 }, 3],
])('null %s is the end of the log', async (_, body, page) => {
  expect(await readPage(body, page)).toMatchObject({ items: [] });
});
