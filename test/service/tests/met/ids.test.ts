import type { ServiceOptions } from '../..';
import { createClients, listViolations, openService, startReceiver } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, app, at }: Opened = {} as Opened;
const open = async (options: Partial<ServiceOptions>) => {
  ({ service, api, app, at } = await openService(options));
};
afterEach(() => service.stop());

const MET_ID = /^[0-9ABDEGJKLMNOPQRVWXYZabdegjklmnopqrvwxyz]{10}$/;

test('ids met: of one alphabet, and equal for the same row of each table', async () => {
  await open({ ids: 'met' });
  const tables = (await api.get('/data-tables')).data.data_tables as { id: string; name: string }[];
  const firsts: string[] = [];
  for (const { id } of tables.filter(({ name }) => ['Customers', 'Orders', 'Showcase'].includes(name))) {
    const { items } = (await api.get(`/data-tables/${id}/records`)).data;
    const ids = items.map((item: { id: string }) => item.id);
    expect(new Set(ids).size).toBe(ids.length);
    firsts.push(ids[0]);
    expect([id, ...ids].filter((one: string) => !MET_ID.test(one))).toEqual([]);
  }
  expect(firsts).toHaveLength(3);
  expect(new Set(firsts).size).toBe(1);
  expect(service.keys.appId).toMatch(MET_ID);
  const { fields } = (await api.get(`${at('Orders')}/full-fields-info`)).data;
  expect(fields.filter(({ fieldId }: { fieldId: string }) => !MET_ID.test(fieldId))).toEqual([]);
  expect((await app.get('/pages')).data.items[0].id).toMatch(MET_ID);
});

test('ids met: deleted rows keep their IDs, and a new record has the next one', async () => {
  await open({ ids: 'met', sample: 'empty' });
  const [a, b] = ['A', 'B'].map((name) =>
    service.addTable({ name, fields: [{ name: 'Title', type: 'Text' }] }),
  );
  const ofA = [1, 2, 3].map((n) => a!.insert({ title: `${n}` }).id);
  a!.delete(ofA[1]!);
  ofA.push(a!.insert().id);
  expect([1, 2, 3, 4].map(() => b!.insert().id)).toEqual(ofA);
});

describe('slugs numbered', () => {
  test('in lists of fields, records, writes, filters, sorts, columns, errors and deliveries', async () => {
    await open({ slugs: 'numbered' });
    const hook = await startReceiver();
    const table = service.getTable('Customers');
    const { fields } = (await api.get(`${at('Customers')}/fields`)).data;
    expect(fields.filter(({ slug }: { slug: string }) => !/^field_\d+$/.test(slug))).toEqual([]);
    const slugs = Object.fromEntries(table.fields.map(({ key, slug }) => [key, slug])) as {
      [Key in 'company' | 'email' | 'name' | 'credit_limit']: string;
    };
    await api.post('/web-hooks/subscribe', {
      data_table_id: table.id,
      type: 'INSERT',
      hookUrl: hook.url,
      platform: 'test',
    });
    const url = `${at('Customers')}/records`;
    const { item } = (
      await api.post(url, {
        [slugs.email]: 'numbered@example.com',
        [slugs.company]: 'Numbered Works',
        [`${slugs.name}[first_name]`]: 'Ada',
      })
    ).data;
    expect(item).toMatchObject({
      [slugs.company]: 'Numbered Works',
      [slugs.name]: { first_name: 'Ada' },
    });
    expect(table.records.get(item.id)).toMatchObject({ company: 'Numbered Works' });
    await service.waitForDeliveries();
    expect(hook.bodies[0]!.record).toMatchObject({ [slugs.company]: 'Numbered Works' });
    await hook.close();

    const taken = (await api.post(url, { [slugs.email]: 'numbered@example.com' })).data;
    expect(taken.errors).toEqual({ [slugs.email]: ['This field is unique'] });

    const read = async (params: object) => (await api.get(url, { params })).data;
    const filter = {
      'filters[items][0][field_id]': `${slugs.name}-first`,
      'filters[items][0][operator]': 'is',
      'filters[items][0][val]': 'Ada',
    };
    expect((await read(filter)).total_items).toBe(1);
    const sorted = (await read({ order: slugs.credit_limit, order_by: 'desc', columns: slugs.credit_limit }))
      .items;
    expect(Object.keys(sorted[0])).toEqual(['id', slugs.credit_limit, 'created_at']);
    expect(sorted[0][slugs.credit_limit]).toBe(25_000);
    expect(listViolations(service)).toEqual([]);
    await api.post(url, { company: 'x' });
    expect(listViolations(service)).toEqual(['payload key "company" names no writable field of Customers']);
  });

  test('the table of users has words', async () => {
    await open({ slugs: 'numbered' });
    const { fields } = (await api.get(`${at('Users')}/fields`)).data;
    expect(fields.map(({ slug }: { slug: string }) => slug)).toEqual(['name', 'email', 'status', 'role']);
  });

  test('rules, formulas, row policies and filters of components use the fields all the same', async () => {
    await open({ slugs: 'numbered' });
    const findSlug = (table: string, name: string) =>
      service.getTable(table).fields.find(({ key }) => key === name)!.slug;
    const invoice = await api.post(`${at('Invoices')}/records`, {
      [findSlug('Invoices', 'number')]: 'N-1',
      [findSlug('Invoices', 'issued_on')]: '2031-03-02',
      [findSlug('Invoices', 'due_on')]: '2031-03-01',
    });
    expect(Object.keys(invoice.data.errors)).toEqual([findSlug('Invoices', 'due_on')]);
    const order = await api.post(`${at('Orders')}/records`, {
      [findSlug('Orders', 'number')]: 'N-1',
      [findSlug('Orders', 'quantity')]: 3,
      [findSlug('Orders', 'unit_price')]: 5,
    });
    expect(order.data.item[findSlug('Orders', 'total')]).toBe(15);
    const { email, password } = service.user;
    const { token } = (await app.post('/auth/login', { email, password })).data;
    const user = createClients(service, service.keys, { Authorization: `Bearer ${token}` });
    const { total_items } = (await user.api.get(`${at('Customers')}/records`)).data;
    const owned = [...service.getTable('Customers').records.values()].filter(({ account_owner }) =>
      (account_owner as string[]).includes(service.user.userId),
    );
    expect(total_items).toBe(owned.length);
  });
});

test('listingPost creates: a POST with a filter makes an empty record', async () => {
  await open({ listingPost: 'creates', createAnswer: 'recordId' });
  const before = service.getTable('Customers').records.size;
  const filters = { items: [{ field_id: 'status', operator: 'is', val: 'lead' }] };
  const { data } = await api.post(`${at('Customers')}/records`, { filters, page: 1 });
  expect(data).toEqual({ type: 'success', msg: expect.any(String), recordId: expect.any(String) });
  expect(service.getTable('Customers').records.size).toBe(before + 1);
  expect(service.getTable('Customers').records.get(data.recordId)).toMatchObject({ email: '' });
  expect(service.requests.at(-1)!.intent).toBe('create');
  expect((await api.get(`${at('Customers')}/records`)).data.total_items).toBe(before + 1);
});

test('maxPageSize: a larger limit is answered with as many', async () => {
  await open({ maxPageSize: 100 });
  const { data } = await api.get(`${at('Customers')}/records`, { params: { limit: 200 } });
  expect([data.items.length, data.total_pages, data.total_items]).toEqual([100, 3, 300]);
  expect(listViolations(service)).toEqual([]);
});

test('an unknown query parameter is ignored, and noted', async () => {
  await open({ profile: 'met' });
  const { data } = await api.get(`${at('Customers')}/records`, { params: { depth: 2 } });
  expect([data.type, data.total_items]).toEqual(['success', 300]);
  expect(listViolations(service)).toEqual(['undocumented query key "depth"']);
});
