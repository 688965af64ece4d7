import { reserveClosedPort } from '../../../harness/unreachable';
import { listViolations, openService, startReceiver } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
let hook: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => {
  ({ service, api, at } = await openService());
  hook = await startReceiver();
});
afterEach(async () => {
  await service.stop();
  await hook.close();
});

const subscribe = async (type: string, table = 'Products', hookUrl = hook.url) =>
  (
    await api.post('/web-hooks/subscribe', {
      data_table_id: service.getTable(table).id,
      type,
      hookUrl,
      platform: 'test',
    })
  ).data;

test('subscribe, list and unsubscribe', async () => {
  const { id } = await subscribe('INSERT');
  await subscribe('INSERT', 'Orders');
  const list = async () =>
    (await api.get('/web-hooks/list', { params: { data_table_id: table.id } })).data.items;
  const table = service.getTable('Products');
  expect(await list()).toEqual([
    { id, data_table_id: table.id, type: 'INSERT', hookUrl: hook.url, platform: 'test' },
  ]);
  expect(service.subscriptions).toHaveLength(2);
  expect((await api.delete('/web-hooks/unsubscribe', { data: { id } })).status).toBe(200);
  expect(await list()).toEqual([]);
  expect((await api.delete('/web-hooks/unsubscribe', { data: { id } })).status).toBe(404);
  expect(listViolations(service)).toEqual([]);
});

test.each([
  [{ type: 'insert' }, 'type'],
  [{ hookUrl: 'nowhere' }, 'hookUrl'],
  [{ platform: undefined }, 'platform'],
])('subscribe refuses %j', async (wrong, key) => {
  const good = {
    data_table_id: service.getTable('Orders').id,
    type: 'INSERT',
    hookUrl: hook.url,
    platform: 'p',
  };
  const { status, data } = await api.post('/web-hooks/subscribe', { ...good, ...wrong });
  expect([status, Object.keys(data.errors)]).toEqual([422, [key]]);
  expect(service.subscriptions).toEqual([]);
});

test('each kind of change is delivered with the body of the spec', async () => {
  for (const type of ['INSERT', 'UPDATE', 'DELETE']) await subscribe(type);
  const url = `${at('Products')}/records`;
  const { id } = (await api.post(url, { name: 'Hooked', stock: 3 })).data.item;
  await api.post(`${url}/${id}`, { stock: 4 });
  await api.delete(`${url}/${id}`);
  await service.waitForDeliveries();
  const table = service.getTable('Products');
  const bodies = Object.fromEntries(hook.bodies.map((body) => [body.event_type, body]));
  expect(Object.keys(bodies).toSorted()).toEqual(['DELETE', 'INSERT', 'UPDATE']);
  expect(bodies.UPDATE).toEqual({
    event_type: 'UPDATE',
    table_id: table.id,
    table_name: 'Products',
    record: expect.objectContaining({ id, name: 'Hooked', stock: 4, created_at: expect.any(String) }),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(bodies.INSERT?.record).toMatchObject({ stock: 3 });
  expect(service.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('changes by somebody else and batch updates are delivered too', async () => {
  await subscribe('INSERT');
  await subscribe('UPDATE');
  service.getTable('Products').insert({ name: 'Elsewhere' });
  const body = {
    conditions: [{ items: [{ field_id: 'name', condition: 'contains', value: 'lamp' }] }],
    values: [{ field_id: 'stock', value: 1, val_type: 'normal' }],
  };
  const { total } = (await api.post(`${at('Products')}/records/batch-update`, body)).data;
  await service.waitForDeliveries();
  expect(hook.bodies).toHaveLength(1 + total);
});

test.each([
  ['kept', '?token=t', '?token=t'],
  ['dropped', '', ''],
  ['droppedOnDelivery', '?token=t', ''],
] as const)('the query of the hook URL: %s', async (hookQuery, listed, delivered) => {
  service.options.hookQuery = hookQuery;
  await subscribe('INSERT', 'Products', `${hook.url}?token=t`);
  service.getTable('Products').insert();
  await service.waitForDeliveries();
  expect(service.subscriptions.map(({ hookUrl }) => hookUrl)).toEqual([hook.url + listed]);
  expect(hook.urls).toEqual([`/hook${delivered}`]);
});

test('deliveries of only the fields that the event touched', async () => {
  service.options.deliveryFields = 'touched';
  for (const type of ['INSERT', 'UPDATE', 'DELETE']) await subscribe(type);
  const products = service.getTable('Products');
  const { id } = products.insert({ name: 'Partial', stock: 3 });
  products.update(id, { name: 'Partial', stock: 4 });
  products.delete(id);
  await service.waitForDeliveries();
  const keys = hook.bodies.map(({ event_type, record }) => [event_type, Object.keys(record as object)]);
  expect(Object.fromEntries(keys)).toEqual({
    INSERT: ['id', 'name', 'stock', 'discontinued', 'created_at'],
    UPDATE: ['id', 'stock', 'created_at'],
    DELETE: ['id', 'created_at'],
  });
});

test('a list without a table: the subscriptions of all tables, or a refusal', async () => {
  for (const table of ['Products', 'Orders']) await subscribe('INSERT', table);
  expect((await api.get('/web-hooks/list')).data.items).toHaveLength(2);
  service.options.webhooksOfAllTables = 'refused';
  const { status, data } = await api.get('/web-hooks/list');
  expect([status, data.errors]).toEqual([422, { data_table_id: ['This field is required'] }]);
  // The spec names the key but does not require it.
  expect(listViolations(service)).toEqual([]);
});

test('a refused write delivers nothing', async () => {
  await subscribe('INSERT', 'Customers');
  await api.post(`${at('Customers')}/records`, { email: 'bad' });
  await service.waitForDeliveries();
  expect(service.deliveries).toEqual([]);
});

test('a failed delivery is logged, and repeated when the option says so', async () => {
  await subscribe('INSERT', 'Products', `http://127.0.0.1:${await reserveClosedPort()}/closed`);
  service.options.deliveryRetries = 2;
  service.getTable('Products').insert();
  await service.waitForDeliveries();
  expect(service.deliveries).toHaveLength(3);
  expect(service.deliveries[0]).toMatchObject({ error: expect.any(String) });
  expect(service.deliveries[0]?.status).toBeUndefined();
  await subscribe('DELETE');
  service.getTable('Products').delete([...service.getTable('Products').records.keys()][0] as string);
  await service.waitForDeliveries();
  expect(hook.bodies).toHaveLength(1);
});

test('an event may arrive more than once', async () => {
  await subscribe('INSERT');
  service.options.deliveryCopies = 3;
  service.getTable('Products').insert();
  await service.waitForDeliveries();
  expect(hook.bodies).toHaveLength(3);
  expect(new Set(hook.bodies.map((body) => JSON.stringify(body))).size).toBe(1);
});
