import type { ServiceOptions } from '../..';
import { createClients, ManualClock, openService } from '../client';

const NO_RECORD = 'none';

/** Runs `work` against a service with these options alone. */
const withService = async <T>(
  options: Partial<ServiceOptions>,
  work: (opened: Awaited<ReturnType<typeof openService>>) => Promise<T>,
): Promise<T> => {
  const opened = await openService(options);
  try {
    return await work(opened);
  } finally {
    await opened.service.stop();
  }
};

test.each([
  ['recordId', ['msg', 'recordId', 'type']],
  ['id', ['id', 'msg', 'type']],
  ['none', ['msg', 'type']],
] as const)('createAnswer %s', async (createAnswer, keys) => {
  await withService({ createAnswer }, async ({ service, api, at }) => {
    const { data } = await api.post(`${at('Customers')}/records`, { email: 'create@example.com' });
    expect(Object.keys(data).sort()).toEqual(keys);
    const id = [...service.getTable('Customers').records.keys()].at(-1);
    expect(data[createAnswer]).toBe(createAnswer === 'none' ? undefined : id);
  });
});

test.each([
  ['recordId', ['msg', 'recordId', 'type']],
  ['bare', ['msg', 'type']],
] as const)('updateAnswer %s', async (updateAnswer, keys) => {
  await withService({ updateAnswer }, async ({ service, api, at }) => {
    const [record] = service.getTable('Customers').records.values();
    const { data } = await api.post(`${at('Customers')}/records/${record!.id}`, { notes: 'changed' });
    expect(Object.keys(data).sort()).toEqual(keys);
    expect(data[updateAnswer]).toBe(updateAnswer === 'bare' ? undefined : record!.id);
    expect(service.getTable('Customers').records.get(record!.id)!.notes).toBe('changed');
  });
});

test('getDisplayValues hidden: one record has IDs alone, a list the texts as well', async () => {
  await withService({ getDisplayValues: 'hidden' }, async ({ api, at }) => {
    const [listed] = (await api.get(`${at('Orders')}/records`)).data.items;
    expect(listed.customer_val).toEqual([{ id: listed.customer[0], val: expect.any(String) }]);
    const { item } = (await api.get(`${at('Orders')}/records/${listed.id}`)).data;
    expect(item).toMatchObject({ id: listed.id, customer: listed.customer });
    expect(item).not.toHaveProperty('customer_val');
  });
});

test.each([
  ['met', ['id', 'auto_increment', 'created_at', 'title'], [2, 3]],
  ['idOnly', ['id', 'title'], [undefined, undefined]],
] as const)('systemKeys %s', async (systemKeys, keys, rowNumbers) => {
  await withService({ systemKeys, sample: 'empty' }, async ({ service, api, at }) => {
    const table = service.addTable({ name: 'Things', fields: [{ name: 'Title', type: 'Text' }] });
    const records = ['a', 'b', 'c'].map((title) => table.insert({ title }));
    table.delete(records[0]!.id);
    const { items } = (await api.get(`${at('Things')}/records`)).data;
    expect(Object.keys(items[0])).toEqual(keys);
    expect(items.map((item: Record<string, unknown>) => item.auto_increment)).toEqual(rowNumbers);
    const { item } = (await api.get(`${at('Things')}/records/${records[1]!.id}`)).data;
    expect(Object.keys(item)).toEqual(['id', 'title']);
  });
});

test.each([
  ['emptyList', []],
  ['emptyObject', {}],
  ['zero', 0],
  ['null', null],
] as const)('missingRecord %s: a read succeeds without a record', async (missingRecord, item) => {
  await withService({ missingRecord }, async ({ api, at }) => {
    const url = `${at('Customers')}/records/${NO_RECORD}`;
    const answer = await api.get(url);
    expect([answer.status, answer.data]).toEqual([200, { type: 'success', item }]);
    expect((await api.post(url, { notes: 'x' })).status).toBe(404);
    expect((await api.delete(url)).status).toBe(404);
  });
});

test('listLimit hidden: a list has its totals and the number of the page', async () => {
  await withService({ listLimit: 'hidden' }, async ({ api, at }) => {
    const { items, ...rest } = (await api.get(`${at('Customers')}/records`)).data;
    expect(items).toHaveLength(100);
    expect(rest).toEqual({ type: 'success', total_items: 300, total_pages: 3, current_page: 1 });
  });
});

test('errorStatus ok: an error is told by its body, except for 429', async () => {
  await withService({ errorStatus: 'ok', perMinute: 2 }, async ({ api, at }) => {
    const missing = await api.get(`${at('Customers')}/records/${NO_RECORD}`);
    expect([missing.status, missing.data]).toEqual([
      200,
      { type: 'error', msg: 'Record Not Found', status: 404 },
    ]);
    const invalid = await api.post(`${at('Customers')}/records`, { email: 'x' });
    expect([invalid.status, invalid.data.type, invalid.data.errors]).toEqual([
      200,
      'error',
      { email: ['Email must be valid'] },
    ]);
    expect((await api.get('/tasks')).status).toBe(429);
  });
});

test('sessionAnswers status: login, status and logout have no type', async () => {
  const clock = new ManualClock();
  const options: Partial<ServiceOptions> = { sessionAnswers: 'status', clock, tokenMs: 3600_000 };
  await withService(options, async ({ service, app }) => {
    const { email, password, userId } = service.user;
    const times = { expires_at: '2025-06-15 13:00:00', logged_in_since: '2025-06-15 12:00:00' };
    const { token, ...login } = (await app.post('/auth/login', { email, password })).data;
    expect(login).toEqual({ status: 'success', user_id: userId, ...times });
    const user = createClients(service, service.keys, { Authorization: `Bearer ${token}` });
    expect((await user.app.post('/auth/status')).data).toEqual({
      status: 'success',
      msg: expect.any(String),
      user_id: userId,
      ...times,
    });
    const { data } = await user.app.post('/auth/logout');
    expect(data).toEqual({ status: 'success', msg: expect.any(String) });
    expect((await user.app.post('/auth/status')).status).toBe(401);
  });
});

test('timeZone of the profile: created_at is no UTC', async () => {
  const clock = new ManualClock();
  await withService({ profile: 'met', clock }, async ({ service, api, at }) => {
    const { id } = service.getTable('Customers').insert({ email: 'now@example.com' });
    const { items } = (await api.get(`${at('Customers')}/records`, { params: { page: 4 } })).data;
    expect(items).toContainEqual(expect.objectContaining({ id, created_at: '2025-06-15 08:00:00' }));
  });
});

test('a single option overrides that of the profile', async () => {
  await withService({ profile: 'met', createAnswer: 'id' }, async ({ service }) => {
    expect(service.options).toMatchObject({ profile: 'met', createAnswer: 'id', updateAnswer: 'bare' });
  });
});
