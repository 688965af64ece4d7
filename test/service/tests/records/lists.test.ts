import { listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getInvoicesPath = () => `${at('Invoices')}/records`;
const listNumbers = (data: { items: { number: string }[] }) => data.items.map(({ number }) => number);

test('defaults: page 1 of 100, in order of creation', async () => {
  const { data } = await api.get(getInvoicesPath());
  expect(data).toMatchObject({
    type: 'success',
    total_items: 2400,
    total_pages: 24,
    current_page: 1,
    limit: 100,
  });
  expect(listNumbers(data).slice(0, 2)).toEqual(['INV-00001', 'INV-00002']);
});

test.each(['GET', 'POST'])('%s: all pages together hold every record once', async (method) => {
  const seen: string[] = [];
  for (let page = 1; page <= 13; page++) {
    const request = { page, limit: 200 };
    const { data } =
      method === 'GET'
        ? await api.get(getInvoicesPath(), { params: request })
        : await api.post(getInvoicesPath(), request);
    expect(data.current_page).toBe(page);
    seen.push(...listNumbers(data));
  }
  expect(seen).toHaveLength(2400);
  expect(new Set(seen).size).toBe(2400);
  expect(listViolations(service)).toEqual([]);
});

test('the largest page is 200, and one past the end is empty', async () => {
  const { data } = await api.get(`${getInvoicesPath()}?limit=500`);
  expect([data.limit, data.items.length]).toEqual([200, 200]);
  expect((await api.get(`${getInvoicesPath()}?limit=200&page=13`)).data).toMatchObject({
    items: [],
    total_items: 2400,
  });
});

test('order and order_by; equal values by id', async () => {
  const url = `${getInvoicesPath()}?limit=200&order=due_on&order_by=desc`;
  const items: { id: string; due_on: string }[] = (await api.get(url)).data.items;
  const sorted = items.toSorted((a, b) =>
    a.due_on === b.due_on ? compare(a.id, b.id) : compare(b.due_on, a.due_on),
  );
  expect(items).toEqual(sorted);
  expect(items[0]?.due_on).not.toBe(items.at(-1)?.due_on);
});

test('sort_by sorts by several fields, numbers by size', async () => {
  const sort_by = [
    { sort: 'paid', by: 'desc' },
    { sort: 'amount', by: 'asc' },
  ];
  const { data } = await api.post(getInvoicesPath(), { sort_by, limit: 200, page: 12 });
  const rows: [number, number][] = data.items.map((row: Record<string, number>) => [row.paid, row.amount]);
  expect(rows).toEqual(rows.toSorted((a, b) => b[0] - a[0] || a[1] - b[1]));
});

test('columns and fields select, display_names renames', async () => {
  const listKeys = async (query: string) =>
    Object.keys((await api.get(`${getInvoicesPath()}?limit=1&${query}`)).data.items[0]);
  expect(await listKeys('columns=amount,number')).toEqual(['id', 'number', 'amount', 'created_at']);
  expect(await listKeys('fields=paid')).toEqual(['id', 'paid', 'created_at']);
  expect(await listKeys('display_names=true&columns=due_on')).toEqual(['id', 'Due On', 'created_at']);
  const { data } = await api.post(getInvoicesPath(), {
    page: 1,
    limit: 1,
    columns: 'number',
    display_names: true,
  });
  expect(Object.keys(data.items[0])).toEqual(['id', 'Number', 'created_at']);
});

test('columns select exactly what they name under the other reading', async () => {
  service.options.columnsResponse = 'exact';
  const listKeys = async (path: string) => {
    const { items, item } = (await api.get(path)).data;
    return Object.keys(item ?? items[0]);
  };
  const [id] = service.getTable('Invoices').records.keys();
  expect(await listKeys(`${getInvoicesPath()}?columns=amount`)).toEqual(['amount']);
  expect(await listKeys(`${getInvoicesPath()}/${id}?columns=amount,id`)).toEqual(['id', 'amount']);
  expect(await listKeys(getInvoicesPath())).toEqual(expect.arrayContaining(['id', 'created_at']));
  service.options.columnsResponse = 'withId';
  expect(listViolations(service)).toEqual([]);
});

test('tables, basic fields, full fields and roles', async () => {
  const { data } = await api.get('/data-tables');
  expect(data.total_items).toBe(service.tables.length);
  expect(data.data_tables).toContainEqual({ id: service.getTable('Orders').id, name: 'Orders' });

  const basic = (await api.get(`${at('Orders')}/fields`)).data;
  expect(basic.fields[0]).toEqual({ slug: 'number', name: 'Number', type: 'Text' });
  expect(basic.total_items).toBe(service.getTable('Orders').fields.length);

  const full = (await api.get(`${at('Orders')}/full-fields-info`)).data.fields;
  expect(full[0]).toMatchObject({
    slug: 'number',
    fieldId: expect.stringMatching(/^field_\d+$/),
    is_unique: 'Yes',
  });
  expect(
    full.map((field: { join?: { join_type: string } }) => field.join?.join_type).filter(Boolean),
  ).toEqual(['1-to-1', '1-to-N']);
  const customers = (await api.get(`${at('Customers')}/full-fields-info`)).data.fields;
  expect(customers.find(({ slug }: { slug: string }) => slug === 'status')).toMatchObject({
    default_value: 'lead',
    options: expect.arrayContaining([{ label: 'Active', value: 'active' }]),
  });
  expect((await api.get('/roles')).data).toMatchObject({
    total_items: 3,
    items: [{ enable_stripe: 'Yes' }, {}, {}],
  });
});

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
