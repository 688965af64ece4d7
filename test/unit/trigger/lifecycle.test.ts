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
  await n8n.create({ tables: ['t1'], events: ['INSERT'] }, {});
  const [kept] = service.rows;
  service.faults = third('refused');
  await expect(n8n.create(VERSION, {})).rejects.toThrow('A fault');
  expect(service.rows).toEqual([kept]);
});

test.each<[Fault, number]>([
  ['lostAfter', 4],
  ['lostBefore', 5],
])('an answer that was lost (%s) is looked up in the list', async (fault, subscriptions) => {
  service.faults = third(fault);
  let asked = 0;
  const subscribe = service.subscribe.bind(service);
  service.subscribe = (wanted) => {
    asked++;
    return subscribe(wanted);
  };
  await n8n.create(VERSION, {});
  expect(listed()).toEqual(ALL);
  expect(asked).toBe(subscriptions);
});

test('a list that lags behind leads to no second subscription', async () => {
  const list = service.list.bind(service);
  let looks = 0;
  service.list = async (tables) => (looks++ < 2 ? [] : list(tables));
  await n8n.create(VERSION, {});
  expect(listed()).toEqual(ALL);
});

test('a list that never shows what is wanted ends with an explanation', async () => {
  service.subscribe = async () => undefined as never;
  await expect(n8n.create(VERSION, {})).rejects.toThrow('does not become what was asked for');
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
