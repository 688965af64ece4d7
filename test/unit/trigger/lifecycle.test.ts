import { readState, writeState } from '../../../nodes/RecordDatabaseTrigger/state';
import { FakeN8n, type Version } from './fakeN8n';
import { FakeService, type Fault } from './fakeService';

const VERSION: Version = { tables: ['t1', 't2'], events: ['INSERT', 'DELETE'] };

let service: FakeService;
let n8n: FakeN8n;
beforeEach(() => {
  service = new FakeService();
  n8n = new FakeN8n(service);
});

const listed = () => service.rows.map(({ data_table_id, type }) => `${data_table_id} ${type}`).sort();
const ALL = ['t1 DELETE', 't1 INSERT', 't2 DELETE', 't2 INSERT'];

/** One list, then the fault strikes the third subscription. */
const third = (fault: Fault): Fault[] => ['none', 'none', 'none', fault];

test('checkExists changes nothing, neither at the service nor in the static data', async () => {
  await n8n.activate(VERSION);
  const before = structuredClone({ rows: service.rows, saved: n8n.saved });
  const data = structuredClone(n8n.saved);
  expect(await n8n.checkExists(VERSION, data)).toBe(true);
  expect(await n8n.checkExists({ ...VERSION, tables: ['t1'] }, data)).toBe(false);
  expect(await n8n.checkExists({ ...VERSION, tables: ['t1', 't2', 't3'] }, data)).toBe(false);
  expect({ rows: service.rows, saved: data }).toEqual(before);
});

test('a refusal in the middle takes back all that was made, and nothing else', async () => {
  await n8n.create({ tables: ['t1'], events: ['INSERT', 'DELETE'] }, {});
  const kept = [...service.rows];
  service.faults = ['none', 'none', 'refused'];
  await expect(n8n.create(VERSION, {})).rejects.toThrow('A fault');
  expect(service.subscribed).toBe(4);
  expect(service.rows).toEqual(kept);
});

test('what was made is taken back even where the list cannot be read any more', async () => {
  service.faults = [...third('refused'), 'refused'];
  await expect(n8n.create(VERSION, {})).rejects.toThrow('A fault');
  expect([service.subscribed, service.rows]).toEqual([3, []]);
});

test.each<[Fault, number]>([
  ['lostAfter', 4],
  ['lostBefore', 5],
])('an answer that was lost (%s) is looked up in the list', async (fault, subscriptions) => {
  service.faults = third(fault);
  await n8n.create(VERSION, {});
  expect(listed()).toEqual(ALL);
  expect(service.subscribed).toBe(subscriptions);
});

test.each<[string, number, boolean]>([
  ['shows nothing yet', 0, false],
  ['shows the first only', 1, false],
  ['shows the first only, without its token', 1, true],
])('a list that %s leads to no second subscription', async (_how, shown, dropsQuery) => {
  service.dropsQuery = dropsQuery;
  const list = service.list.bind(service);
  let looks = 0;
  service.list = async (tables) => (looks++ < 2 ? (await list(tables)).slice(0, shown) : list(tables));
  const data = {};
  await n8n.create(VERSION, data);
  expect(listed()).toEqual(ALL);
  expect(service.subscribed).toBe(4);
  expect(data).toMatchObject({ tables: ['t1', 't2'], addresses: [n8n.url], dropsToken: dropsQuery });
});

test('a list that still shows what was removed does not keep the trigger from starting', async () => {
  await n8n.activate(VERSION);
  const list = service.list.bind(service);
  const before = await list(VERSION.tables);
  service.list = async (tables) => {
    const now = await list(tables);
    return [...now, ...before.filter(({ id }) => !now.some((one) => one.id === id))];
  };
  await n8n.create({ ...VERSION, tables: ['t1'] }, structuredClone(n8n.saved));
  expect(listed()).toEqual(['t1 DELETE', 't1 INSERT']);
});

test('a foreign subscription without a token does not mean that the service drops it', async () => {
  service.add({ data_table_id: 't1', type: 'INSERT', hookUrl: 'https://a.example/', by: 'somebody else' });
  await n8n.activate(VERSION);
  expect(n8n.saved).toMatchObject({ dropsToken: false });
  expect(service.rows).toHaveLength(5);
});

test('a table that is no longer wanted is cleared, also where the service lists table by table', async () => {
  service.listsByTable = true;
  await n8n.activate(VERSION);
  await n8n.activate({ ...VERSION, tables: ['t1'] });
  expect(listed()).toEqual(['t1 DELETE', 't1 INSERT']);
  await n8n.activate({ ...VERSION, tables: ['t2'] });
  expect(listed()).toEqual(['t2 DELETE', 't2 INSERT']);
  await n8n.deactivate({ ...VERSION, tables: ['t1'] });
  expect(listed()).toEqual([]);
});

test('the static data holds what is subscribed now, and nothing from before', async () => {
  const { owner } = n8n.hook;
  await n8n.activate(VERSION);
  n8n.host = 'https://moved.example';
  await n8n.activate({ ...VERSION, tables: ['t1'] });
  const ids = service.rows.map(({ id }) => id);
  expect(readState(n8n.saved, owner)).toMatchObject({ ids, tables: ['t1'], addresses: [n8n.url] });
  writeState(n8n.saved, owner, { fields: { t1: [] } });
  await n8n.deactivate(VERSION);
  expect(readState(n8n.saved, owner)).toEqual(readState({}, owner));
});

test('a list that never shows what is wanted ends with an explanation', async () => {
  service.subscribe = async () => undefined as never;
  const failure = n8n.create(VERSION, {});
  await expect(failure).rejects.toThrow('does not become what was asked for');
  await expect(failure).rejects.toMatchObject({
    explanation: { description: expect.stringContaining('a copy of this trigger') as string },
  });
  // Before, after each of four passes, and to take back what was made.
  expect(service.calls).toBe(6);
});

test('a service that drops the query string is noticed, and its list accepted', async () => {
  service.dropsQuery = true;
  expect(await n8n.activate(VERSION)).toBe(1);
  expect(listed()).toEqual(ALL);
  expect(n8n.saved).toMatchObject({ dropsToken: true });
  expect(await n8n.checkExists(VERSION)).toBe(true);
  service.dropsQuery = false;
  n8n.saved = {};
  expect(await n8n.checkExists(VERSION)).toBe(false);
  expect(await n8n.activate(VERSION)).toBe(1);
  expect(service.rows.every(({ hookUrl }) => hookUrl.includes('?token='))).toBe(true);
  expect(listed()).toEqual(ALL);
});

test('a service that was mended is trusted no longer without a token', async () => {
  service.dropsQuery = true;
  await n8n.activate(VERSION);
  expect(n8n.saved).toMatchObject({ dropsToken: true });
  await n8n.deactivate(VERSION);
  expect(n8n.saved).toMatchObject({ dropsToken: false });
  service.dropsQuery = false;
  await n8n.activate(VERSION);
  expect(n8n.saved).toMatchObject({ dropsToken: false });
});

test('delete removes what it remembers even when the list cannot be read, and says so', async () => {
  await n8n.activate(VERSION);
  service.faults = ['refused'];
  await expect(n8n.delete(VERSION, structuredClone(n8n.saved))).rejects.toThrow('A fault');
  expect(service.rows).toEqual([]);
});

test('one that cannot be removed does not keep the others, and is told', async () => {
  await n8n.activate(VERSION);
  service.faults = ['none', 'refused'];
  const data = structuredClone(n8n.saved);
  await expect(n8n.delete(VERSION, data)).rejects.toThrow('A fault');
  expect(service.rows).toHaveLength(1);
  await n8n.delete(VERSION, data);
  expect(service.rows).toEqual([]);
  expect(data).toMatchObject({ ids: [], addresses: [], tables: [] });
});

test('delete removes what it remembers and the list does not show yet', async () => {
  await n8n.activate(VERSION);
  const list = service.list.bind(service);
  service.list = async (tables) => (await list(tables)).slice(0, 1);
  await n8n.deactivate(VERSION);
  expect(service.rows).toEqual([]);
});

test('a remembered id that the service has given to somebody else is theirs', async () => {
  await n8n.activate(VERSION);
  service.rows[0]!.hookUrl = 'https://elsewhere.example/';
  await n8n.deactivate(VERSION);
  expect(service.rows).toHaveLength(1);
});

test('notes of another n8n, come with an imported workflow, count for nothing', async () => {
  const imported = {
    owner: 'another',
    ids: ['theirs'],
    addresses: ['https://other.example/webhook/w1/webhook'],
  };
  service.add({
    data_table_id: 't1',
    type: 'INSERT',
    hookUrl: imported.addresses[0]!,
    by: 'somebody else',
  });
  service.rows[0]!.id = 'theirs';
  n8n.saved = imported as never;
  await n8n.activate(VERSION);
  await n8n.deactivate(VERSION);
  expect(service.rows).toHaveLength(1);
});
