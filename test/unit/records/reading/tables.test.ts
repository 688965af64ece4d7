/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { listTables, getTable, UnknownFieldError } from '../../../../nodes/records';
import { recordEndpoints } from '../../../../nodes/service';
import {
  FakeN8n,
  type SentRequest,
  createErrorAnswer,
  createLostError,
  createOkAnswer,
} from '../../service/http/fakeN8n';

/** A service with one table, whose fields grow. */
let slugs: string[];
const answer = ({ url }: SentRequest) =>
  url.endsWith('full-fields-info')
    ? createOkAnswer({ fields: slugs.map((slug) => ({ slug, name: slug, type: 'Text' })) })
    : createOkAnswer({ data_tables: [{ id: 't1', name: 'One', more: 1 }] });

beforeEach(() => {
  slugs = ['a'];
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => void jest.useRealTimers());

test('concurrent callers and callers within 30 s share one request', async () => {
  const n8n = new FakeN8n(answer);
  const client = await n8n.createClient();
  const tables = await Promise.all([getTable(client, 't1'), getTable(client, 't1'), getTable(await n8n.createClient(), 't1')]); // prettier-ignore
  expect(new Set(tables).size).toBe(1);
  expect(tables[0].fields.map(({ slug }) => slug)).toEqual(['a', 'created_at']);
  jest.advanceTimersByTime(29_999);
  await getTable(client, 't1');
  expect(n8n.sent).toHaveLength(1);
  jest.advanceTimersByTime(2);
  await getTable(client, 't1');
  expect(n8n.sent).toHaveLength(2);
});

test('a caller may take an older answer', async () => {
  const n8n = new FakeN8n(answer);
  await getTable(await n8n.createClient(), 't1');
  jest.advanceTimersByTime(3_000_000);
  await getTable(await n8n.createClient(), 't1', { maxAgeMs: 3_600_000 });
  expect(n8n.sent).toHaveLength(1);
});

test.each([
  { appId: 'app2' },
  { appKey: 'another' },
  { appSecret: 'another' },
  { userLogin: 'password', email: 'a@example.com', password: 'p' },
  { userLogin: 'token', token: 'abc' },
])('does not share the cache with another credential: %j', async (more) => {
  const n8n = new FakeN8n(answer);
  const other = new FakeN8n(answer, { ...n8n.credential, ...more });
  await getTable(await n8n.createClient(), 't1');
  await getTable(await other.createClient(), 't1');
  expect([n8n.sent.length, other.sent.length]).toEqual([1, 1]);
});

test('fields and tables, which executions share, do not wait behind the calls of one of them', async () => {
  const limits = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '8', 'x-retry-after': '60' };
  const n8n = new FakeN8n((request) => ({ ...answer(request), headers: limits }));
  // The context of a node that runs: its calls leave a tenth of the limit to others.
  Object.assign(n8n.context, { getInputData: () => [] });
  const client = await n8n.createClient();
  await getTable(client, 't1');
  const call = client.call(recordEndpoints.get, { path: { dataTableId: 't1', recordId: 'r1' } });
  await Promise.all([getTable(client, 't2'), listTables(client)]);
  expect(n8n.sent.map(({ url }) => url.split('/api/v1/')[1])).toEqual([
    'data-tables/t1/full-fields-info',
    'data-tables/t2/full-fields-info',
    'data-tables',
  ]);
  n8n.cancel.abort();
  await expect(call).rejects.toThrow('cancelled');
});

test('tables are kept apart', async () => {
  const n8n = new FakeN8n(answer);
  const client = await n8n.createClient();
  const [one, two] = [await getTable(client, 't1'), await getTable(client, 't2')];
  expect([one.id, two.id]).toEqual(['t1', 't2']);
});

test('a failure is not kept', async () => {
  const n8n = new FakeN8n((request, nth) =>
    nth === 1 ? createErrorAnswer(403, 'Permission Denied') : answer(request),
  );
  const client = await n8n.createClient();
  await expect(getTable(client, 't1')).rejects.toThrow('lacks the permission');
  expect((await getTable(client, 't1')).id).toBe('t1');
});

test('callers that share a request share its failure', async () => {
  const n8n = new FakeN8n(() => createErrorAnswer(403, 'Permission Denied'));
  const client = await n8n.createClient();
  const results = await Promise.allSettled([getTable(client, 't1'), getTable(client, 't1')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(n8n.sent).toHaveLength(1);
});

test('a cancelled execution does not cancel others that share its look-up; they send one request', async () => {
  const cancelled: FakeN8n = new FakeN8n(
    () =>
      new Promise((_, reject) =>
        cancelled.cancel.signal.addEventListener('abort', () => reject(createLostError('ERR_CANCELED'))),
      ),
  );
  const n8n = new FakeN8n(answer, cancelled.credential);
  const [one, other] = [await cancelled.createClient(), await n8n.createClient()];
  const first = getTable(one, 't1');
  const shared = [getTable(other, 't1'), getTable(other, 't1')];
  await new Promise(setImmediate);
  cancelled.cancel.abort();
  await expect(first).rejects.toThrow('cancelled');
  for (const table of await Promise.all(shared)) expect(table.id).toBe('t1');
  expect(n8n.sent).toHaveLength(1);
});

test('an answer without fields is an error that names the endpoint', async () => {
  const client = await new FakeN8n(() => createOkAnswer({ fields: 'none' })).createClient();
  await expect(getTable(client, 't1')).rejects.toMatchObject({
    message: expect.stringContaining('full-fields-info does not have the documented form') as string,
    description: expect.stringContaining('Expected a list under "fields"') as string,
  });
});

test('fields from before this execution are read anew when one is missing, those of this execution are not', async () => {
  const n8n = new FakeN8n(answer);
  const earlier = await getTable(await n8n.createClient(), 't1');
  slugs.push('b');
  jest.advanceTimersByTime(1_000);
  const client = await n8n.createClient();
  expect(() => earlier.requireField('b', 'Sort')).toThrow(UnknownFieldError);
  const now = await getTable(client, 't1', { isFresh: true });
  expect(now.requireField('b', 'Sort').slug).toBe('b');
  // A caller with the old fields gets the new ones from the cache.
  expect(await getTable(client, 't1', { isFresh: true })).toBe(now);
  expect(await getTable(client, 't1')).toBe(now);
  expect(n8n.sent).toHaveLength(2);
});

test('the tables by name; an answer of another shape has none', async () => {
  expect(await listTables(await new FakeN8n(answer).createClient(), { isFresh: true })).toEqual([
    { id: 't1', name: 'One' },
  ]);
  expect(await listTables(await new FakeN8n(() => createOkAnswer({ tables: [] })).createClient())).toEqual(
    [],
  );
});

describe('the cached list of tables', () => {
  test('is requested once in 30 s', async () => {
    const n8n = new FakeN8n(answer);
    const client = await n8n.createClient();
    expect(await listTables(client)).toEqual([{ id: 't1', name: 'One' }]);
    jest.advanceTimersByTime(29_999);
    // A later execution uses it as well, unless it asks for a fresh list.
    await listTables(await n8n.createClient());
    expect(n8n.sent).toHaveLength(1);
    jest.advanceTimersByTime(2);
    await listTables(client);
    expect(n8n.sent).toHaveLength(2);
  });

  test('a fresh list is one that was requested during this execution', async () => {
    const n8n = new FakeN8n(answer);
    await listTables(await n8n.createClient());
    jest.advanceTimersByTime(1_000);
    const client = await n8n.createClient();
    const fresh = await listTables(client, { isFresh: true });
    expect(n8n.sent).toHaveLength(2);
    jest.advanceTimersByTime(1_000);
    expect(await listTables(client, { isFresh: true })).toBe(fresh);
    expect(n8n.sent).toHaveLength(2);
  });

  test('a list that was requested when the execution started is fresh', async () => {
    const n8n = new FakeN8n(answer);
    const client = await n8n.createClient();
    const tables = await listTables(client, { isFresh: true });
    expect(await listTables(client, { isFresh: true })).toBe(tables);
    expect(n8n.sent).toHaveLength(1);
  });
});
