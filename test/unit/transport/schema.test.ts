import { UnknownField } from '../../../nodes/shared/model/table';
import { forgetOldFields, tableFields, tableNames } from '../../../nodes/shared/transport/schema';
import { FakeN8n, lost, ok, refused, type Sent } from './fakeN8n';

/** A service with one table, whose fields grow. */
let slugs: string[];
const answer = ({ url }: Sent) =>
  url.endsWith('full-fields-info')
    ? ok({ fields: slugs.map((slug) => ({ slug, name: slug, type: 'Text' })) })
    : ok({ data_tables: [{ id: 't1', name: 'One', more: 1 }] });

beforeEach(() => {
  slugs = ['a'];
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => void jest.useRealTimers());

test('many callers at once ask once, and so does who comes within half a minute', async () => {
  const n8n = new FakeN8n(answer);
  const client = await n8n.client();
  const tables = await Promise.all([tableFields(client, 't1'), tableFields(client, 't1'), tableFields(await n8n.client(), 't1')]); // prettier-ignore
  expect(new Set(tables).size).toBe(1);
  expect(tables[0].fields.map(({ slug }) => slug)).toEqual(['a', 'created_at']);
  jest.advanceTimersByTime(29_999);
  await tableFields(client, 't1');
  expect(n8n.sent).toHaveLength(1);
  jest.advanceTimersByTime(1);
  await tableFields(client, 't1');
  expect(n8n.sent).toHaveLength(2);
});

test.each([{ appId: 'app2' }, { appKey: 'another' }, { userLogin: true, email: 'a@example.com' }])(
  'what one may see is not shown to another: %j',
  async (more) => {
    const n8n = new FakeN8n(answer);
    const other = new FakeN8n(answer, { ...n8n.credential, ...more });
    await tableFields(await n8n.client(), 't1');
    await tableFields(await other.client(), 't1');
    expect([n8n.sent.length, other.sent.length]).toEqual([1, 1]);
  },
);

test('tables are kept apart', async () => {
  const n8n = new FakeN8n(answer);
  const client = await n8n.client();
  const [one, two] = [await tableFields(client, 't1'), await tableFields(client, 't2')];
  expect([one.id, two.id]).toEqual(['t1', 't2']);
});

test('a failure is not kept', async () => {
  const n8n = new FakeN8n((request, nth) =>
    nth === 1 ? refused(403, 'Permission Denied') : answer(request),
  );
  const client = await n8n.client();
  await expect(tableFields(client, 't1')).rejects.toThrow('lacks the permission');
  expect((await tableFields(client, 't1')).id).toBe('t1');
});

test('an execution that is cancelled takes nobody along: who shared its look-up asks once', async () => {
  const cancelled: FakeN8n = new FakeN8n(
    () =>
      new Promise((_, reject) =>
        cancelled.cancel.signal.addEventListener('abort', () => reject(lost('ERR_CANCELED'))),
      ),
  );
  const n8n = new FakeN8n(answer, cancelled.credential);
  const [one, other] = [await cancelled.client(), await n8n.client()];
  const first = tableFields(one, 't1');
  const shared = [tableFields(other, 't1'), tableFields(other, 't1')];
  await new Promise(setImmediate);
  cancelled.cancel.abort();
  await expect(first).rejects.toThrow('cancelled');
  for (const table of await Promise.all(shared)) expect(table.id).toBe('t1');
  expect(n8n.sent).toHaveLength(1);
});

test('an answer of another shape is said', async () => {
  const client = await new FakeN8n(() => ok({ fields: 'none' })).client();
  await expect(tableFields(client, 't1')).rejects.toMatchObject({
    explanation: {
      message: 'The fields of the table could not be read',
      description: expect.stringContaining('another shape') as string,
    },
  });
});

test('fields from before this execution are read anew when one is missing, those of this execution are not', async () => {
  const n8n = new FakeN8n(answer);
  const earlier = await tableFields(await n8n.client(), 't1');
  slugs.push('b');
  jest.advanceTimersByTime(1_000);
  const client = await n8n.client();
  expect(() => earlier.field('b', 'Sort')).toThrow(UnknownField);
  expect(forgetOldFields(client, earlier)).toBe(true);
  const now = await tableFields(client, 't1');
  expect(now.field('b', 'Sort').slug).toBe('b');
  expect(forgetOldFields(client, now)).toBe(false);
  // Who still holds the old ones is told to look again, and finds the new ones in the cache.
  expect(forgetOldFields(client, earlier)).toBe(true);
  expect(await tableFields(client, 't1')).toBe(now);
  expect(n8n.sent).toHaveLength(2);
});

test('the tables by name; an answer of another shape has none', async () => {
  expect(await tableNames(await new FakeN8n(answer).client())).toEqual([{ id: 't1', name: 'One' }]);
  expect(await tableNames(await new FakeN8n(() => ok({ tables: [] })).client())).toEqual([]);
});
