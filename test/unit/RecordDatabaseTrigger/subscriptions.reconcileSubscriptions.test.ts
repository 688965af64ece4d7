import { readStaticData, writeStaticData } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { FakeN8nLifecycle, type Version } from './fakeN8n';
import { type CallFault, FakeSubscriptionApi } from './fakeService';

const VERSION: Version = { tables: ['t1', 't2'], events: ['INSERT', 'DELETE'] };

let service: FakeSubscriptionApi;
let n8n: FakeN8nLifecycle;
beforeEach(() => {
  service = new FakeSubscriptionApi();
  n8n = new FakeN8nLifecycle(service);
});

const listSubscriptions = () =>
  service.rows.map(({ data_table_id, type }) => `${data_table_id} ${type}`).sort();
const ALL = ['t1 DELETE', 't1 INSERT', 't2 DELETE', 't2 INSERT'];

/** The list and two subscriptions succeed; the third subscription fails. */
const failThird = (fault: CallFault): CallFault[] => ['none', 'none', 'none', fault];

test('checkExists changes nothing, neither at the service nor in the static data', async () => {
  await n8n.activate(VERSION);
  const before = structuredClone({ rows: service.rows, saved: n8n.saved });
  const data = structuredClone(n8n.saved);
  expect(await n8n.checkExists(VERSION, data)).toBe(true);
  expect(await n8n.checkExists({ ...VERSION, tables: ['t1'] }, data)).toBe(false);
  expect(await n8n.checkExists({ ...VERSION, tables: ['t1', 't2', 't3'] }, data)).toBe(false);
  expect({ rows: service.rows, saved: data }).toEqual(before);
});

test('a refusal during activation removes only the subscriptions that it created', async () => {
  await n8n.create({ tables: ['t1'], events: ['INSERT', 'DELETE'] }, {});
  const kept = [...service.rows];
  service.faults = ['none', 'none', 'refused'];
  await expect(n8n.create(VERSION, {})).rejects.toThrow('A fault');
  expect(service.subscribed).toBe(4);
  expect(service.rows).toEqual(kept);
});

test('removes the created subscriptions even if the list can no longer be read', async () => {
  service.faults = [...failThird('refused'), 'refused'];
  await expect(n8n.create(VERSION, {})).rejects.toThrow('A fault');
  expect([service.subscribed, service.rows]).toEqual([3, []]);
});

test.each<[CallFault, number]>([
  ['lostAfter', 4],
  ['lostBefore', 5],
])('reads the list after a lost response (%s)', async (fault, subscriptions) => {
  service.faults = failThird(fault);
  await n8n.create(VERSION, {});
  expect(listSubscriptions()).toEqual(ALL);
  expect(service.subscribed).toBe(subscriptions);
});

test("another client's subscription without a token does not mean that the service removes tokens", async () => {
  service.add({ data_table_id: 't1', type: 'INSERT', hookUrl: 'https://a.example/', by: 'somebody else' });
  expect(await n8n.activate(VERSION)).toBe(1);
  expect(service.rows).toHaveLength(5);
});

test('removes the subscriptions of a removed table, also if the service lists one table at a time', async () => {
  service.listsByTable = true;
  await n8n.activate(VERSION);
  await n8n.activate({ ...VERSION, tables: ['t1'] });
  expect(listSubscriptions()).toEqual(['t1 DELETE', 't1 INSERT']);
  await n8n.activate({ ...VERSION, tables: ['t2'] });
  expect(listSubscriptions()).toEqual(['t2 DELETE', 't2 INSERT']);
  await n8n.deactivate({ ...VERSION, tables: ['t1'] });
  expect(listSubscriptions()).toEqual([]);
});

test('the static data holds only the current subscriptions', async () => {
  const { staticDataOwnerId: owner } = n8n.webhookIdentity;
  await n8n.activate(VERSION);
  n8n.host = 'https://moved.example';
  await n8n.activate({ ...VERSION, tables: ['t1'] });
  const ids = service.rows.map(({ id }) => id);
  expect(readStaticData(n8n.saved, owner)).toMatchObject({ ids, tables: ['t1'], addresses: [n8n.url] });
  writeStaticData(n8n.saved, owner, { values: 'v' });
  await n8n.deactivate(VERSION);
  expect(readStaticData(n8n.saved, owner)).toMatchObject({ ...readStaticData({}, owner), values: 'v' });
});

test('a list that never shows the wanted subscriptions is an error with an explanation', async () => {
  service.subscribe = async () => undefined as never;
  const failure = n8n.create(VERSION, {});
  await expect(failure).rejects.toThrow('does not list the subscriptions of this trigger');
  await expect(failure).rejects.toMatchObject({
    description: expect.stringContaining('a copy of this trigger') as string,
  });
  // The list is read before the first pass, after each of the four passes, and for the clean-up.
  expect(service.calls).toBe(6);
});

test('a service that removes the query string is an error, and nothing stays subscribed', async () => {
  service.dropsQuery = true;
  await expect(n8n.create(VERSION, {})).rejects.toThrow('does not list the subscriptions');
  expect(service.rows).toEqual([]);
  // Its answers may have no IDs either.
  const subscribe = service.subscribe.bind(service);
  service.subscribe = async (...call) => (await subscribe(...call), undefined as never);
  await expect(n8n.create(VERSION, {})).rejects.toThrow('does not list the subscriptions');
  expect(service.rows).toEqual([]);
});

test('an address without a token is replaced, unless the user has pasted it', async () => {
  const bare = { data_table_id: 't1', type: 'INSERT', hookUrl: n8n.url, by: 'somebody else' as const };
  service.add(bare);
  await n8n.activate(VERSION);
  expect(listSubscriptions()).toEqual(ALL);
  service.add(bare);
  n8n.keepsPastedAddress = true;
  await n8n.deactivate(VERSION);
  expect(service.rows.map(({ by }) => by)).toEqual(['somebody else']);
});

test('delete removes the stored subscriptions even if the list cannot be read, and throws', async () => {
  await n8n.activate(VERSION);
  service.faults = ['refused'];
  await expect(n8n.delete(VERSION, structuredClone(n8n.saved))).rejects.toThrow('A fault');
  expect(service.rows).toEqual([]);
});

test('a subscription that cannot be removed is reported, and the others are removed', async () => {
  await n8n.activate(VERSION);
  service.faults = ['none', 'refused'];
  const data = structuredClone(n8n.saved);
  await expect(n8n.delete(VERSION, data)).rejects.toThrow('A fault');
  expect(service.rows).toHaveLength(1);
  await n8n.delete(VERSION, data);
  expect(service.rows).toEqual([]);
  expect(data).toMatchObject({ ids: [], addresses: [], tables: [] });
});

test('delete removes stored subscriptions that the list does not show yet', async () => {
  await n8n.activate(VERSION);
  const list = service.list.bind(service);
  service.list = async (tables) => (await list(tables)).slice(0, 1);
  await n8n.deactivate(VERSION);
  expect(service.rows).toEqual([]);
});

test('does not remove a stored id that now belongs to another client', async () => {
  await n8n.activate(VERSION);
  service.rows[0]!.hookUrl = 'https://elsewhere.example/';
  await n8n.deactivate(VERSION);
  expect(service.rows).toHaveLength(1);
});

test('ignores static data of another n8n in an imported workflow', async () => {
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
