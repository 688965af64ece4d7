import { createClients, http, listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, app }: Opened = {} as Opened;
beforeAll(async () => ({ service, api, app } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const findPage = async (name: string): Promise<{ id: string; name: string }> =>
  (await app.get('/pages')).data.items.find((each: { name: string }) => each.name === name);
const findComponentUrl = async (pageName: string, name: string, client = app) => {
  const { id } = await findPage(pageName);
  const { components } = (await client.get(`/pages/${id}/components`)).data;
  const found = components.find((each: { name: string }) => each.name === name);
  return `/pages/${id}/components/${found?.id}`;
};
const signIn = async () => {
  const { email, password } = service.user;
  const { token } = (await app.post('/auth/login', { email, password })).data;
  return createClients(service, service.keys, { Authorization: `Bearer ${token}` }).app;
};

test('layouts, pages and both shapes of the list', async () => {
  expect((await app.get('/layouts')).data.items).toHaveLength(2);
  const customers = await findPage('Customers');
  expect(customers).toMatchObject({
    slug: 'customers',
    status: 'Active',
    is_secure: 1,
    total_child_pages: 2,
  });
  expect((await app.get(`/pages/${customers.id}`)).data).toEqual({ type: 'success', page: customers });
  service.options.pagesShape = 'pages';
  const { pages } = (await app.get('/pages')).data;
  service.options.pagesShape = 'items';
  expect(pages).toContainEqual({
    id: customers.id,
    name: 'Customers',
    slug: 'customers',
    type: 'page',
    is_public: false,
    layout: 'Standard',
  });
});

test('child pages, all or chosen', async () => {
  const { id } = await findPage('Customers');
  const all = (await app.get(`/pages/${id}/childs`)).data.items;
  expect(all).toHaveLength(2);
  expect((await app.get(`/pages/${id}/childs/${all[1].id}`)).data.items).toEqual([all[1]]);
  expect((await app.get(`/pages/${id}/childs/${all[0].id},${all[1].id}`)).data.items).toEqual(all);
  expect((await app.get(`/pages/${id}/childs/x`)).status).toBe(404);
});

describe('records of a component', () => {
  const listActive = () =>
    [...service.getTable('Customers').records.values()].filter(({ status }) => status === 'active');

  test('its own filter applies, with filters of the request on top', async () => {
    const url = await findComponentUrl('Customers', 'Active Customers');
    const all = (await app.get(`${url}/records`)).data;
    expect(all).toMatchObject({ type: 'success', total: listActive().length });
    expect(all.records).toHaveLength(25);
    const items = [{ field_id: 'newsletter', operator: 'is checked' }];
    const some = (await app.post(`${url}/records`, { filters: { items }, limit: 200, page: 1 })).data;
    expect(some.records.map(({ id }: { id: string }) => id)).toEqual(
      listActive()
        .filter(({ newsletter }) => newsletter === 1)
        .map(({ id }) => id),
    );
    expect(listViolations(service)).toEqual([]);
  });

  test('GET takes filters as well; groups and sort_by have no notation in a query', async () => {
    const url = await findComponentUrl('Customers', 'Active Customers');
    const query =
      'filters[items][0][field_id]=newsletter&filters[items][0][operator]=is%20checked&limit=3&page=2';
    const read = async (more = '') => (await app.get(`${url}/records?${query}${more}`)).data.records;
    const found = await read();
    expect(found).toHaveLength(3);
    expect(found.every(({ newsletter }: { newsletter: number }) => newsletter === 1)).toBe(true);
    expect(listViolations(service)).toEqual([]);
    expect(await read('&filters[condition]=OR&sort_by[0][sort]=email&sort_by[0][by]=desc')).toEqual(found);
    expect(listViolations(service)).toEqual([
      'query key "filters[condition]", for which the spec has no notation',
      'query key "sort_by" with brackets, for which the spec has no notation',
    ]);
  });

  test('visibility rules: for users only, or for nobody', async () => {
    const user = await signIn();
    const mine = await findComponentUrl('Customers', 'My Customers', user);
    const { total } = (await user.get(`${mine}/records`)).data;
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(300);
    expect((await app.get(`${mine}/records`)).status).toBe(403);
    expect(await findComponentUrl('Customers', 'Forecast', user)).toMatch(/undefined$/);
  });
});

test('details of a component', async () => {
  const url = await findComponentUrl('Customers', 'Active Customers');
  expect((await app.get(`${url}/details`)).data.component).toMatchObject({
    type: 'table',
    table_id: service.getTable('Customers').id,
    settings: { show_search: true, records_per_page: 25 },
  });
});

describe('save', () => {
  test('creates, and updates with an id; keys are slugs or field ids', async () => {
    const url = `${await findComponentUrl('Customers', 'New Customer')}/save`;
    const fieldId = service.getTable('Customers').findField('company')?.fieldId ?? '';
    const { id } = (await app.post(url, { email: 'saved@example.com', [fieldId]: 'Saved' })).data;
    expect(service.getTable('Customers').records.get(id)).toMatchObject({
      email: 'saved@example.com',
      company: 'Saved',
    });
    expect((await app.post(url, { id, notes: 'again' })).data).toEqual({
      type: 'success',
      id,
      msg: expect.any(String),
    });
    expect(service.getTable('Customers').records.get(id)).toMatchObject({ company: 'Saved', notes: 'again' });
    expect((await app.post(url, { email: 'bad' })).data.errors).toEqual({ email: ['Email must be valid'] });
    expect(listViolations(service)).toEqual([]);
  });

  test('records outside the component are not found', async () => {
    const url = `${await findComponentUrl('Customers', 'Active Customers')}/save`;
    const lead = [...service.getTable('Customers').records.values()].find(({ status }) => status === 'lead');
    expect((await app.post(url, { id: lead?.id, notes: 'x' })).status).toBe(404);
    expect((await app.post(url, { id: 'none', notes: 'x' })).status).toBe(404);
  });
});

test('a public page needs keys like any other, unless the option says otherwise', async () => {
  const anonymous = http.create({ baseURL: `${app.defaults.baseURL}`, validateStatus: () => true });
  const shop = await findComponentUrl('Shop', 'Catalogue');
  expect((await anonymous.get(`${shop}/records`)).status).toBe(401);
  expect(service.violations.splice(0)).toHaveLength(3);
  service.options.publicPages = 'withoutKeys';
  const { data } = await anonymous.get(`${shop}/records`);
  expect(data.total).toBe(
    [...service.getTable('Products').records.values()].filter(({ discontinued }) => discontinued === 0)
      .length,
  );
  expect(listViolations(service)).toEqual([]);
  expect(
    (await anonymous.get(`${await findComponentUrl('Customers', 'Active Customers')}/records`)).status,
  ).toBe(401);
  expect((await api.get('/data-tables', { headers: { 'X-Service-App-Key': 'x' } })).status).toBe(401);
});
