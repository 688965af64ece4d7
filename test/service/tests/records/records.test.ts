import type { ServiceOptions, StoredRecord } from '../..';
import { openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getFirstRecord = (table: string) => [...service.getTable(table).records.values()][0] as StoredRecord;
const getCustomersPath = () => `${at('Customers')}/records`;

describe('one record', () => {
  test('get: connections come as ids and as display values', async () => {
    const order = getFirstRecord('Orders');
    const [customer] = order.customer as string[];
    const { data } = await api.get(`${at('Orders')}/records/${order.id}`);
    expect(data).toMatchObject({
      type: 'success',
      item: { id: order.id, number: 'ORD-00001', customer: [customer] },
    });
    expect(data.item.customer_val).toEqual([
      { id: customer, val: service.getTable('Customers').getDisplayText(String(customer)) },
    ]);
  });

  test('get: columns and display names', async () => {
    const { id } = getFirstRecord('Orders');
    const query = { columns: 'number,customer', display_names: true };
    const { data } = await api.get(`${at('Orders')}/records/${id}`, { params: query });
    expect(Object.keys(data.item)).toEqual(['id', 'Number', 'Customer', 'Customer_val', 'created_at']);
  });

  test.each([
    ['get', '/data-tables/none/records/x', 'Table Not Found'],
    ['get', 'Customers', 'Record Not Found'],
    ['post', 'Customers', 'Record Not Found'],
    ['delete', 'Customers', 'Record Not Found'],
  ])('%s of what is not there: %s → %s', async (method, path, msg) => {
    const url = path.startsWith('/') ? path : `${at(path)}/records/12`;
    expect((await api.request({ method, url })).data).toEqual({ type: 'error', msg, status: 404 });
  });

  test('delete takes it away, also from the connections to it', async () => {
    const product = service.getTable('Products').insert({ name: 'Short-lived' });
    const order = service.getTable('Orders').insert({ number: 'D-1', products: [product.id] });
    const url = `${at('Products')}/records/${product.id}`;
    expect((await api.delete(url)).data).toEqual({ type: 'success', msg: expect.any(String) });
    expect((await api.get(url)).status).toBe(404);
    expect((await api.get(`${at('Orders')}/records/${order.id}`)).data.item.products).toEqual([]);
  });
});

describe('update', () => {
  const update = async (options: Partial<ServiceOptions>, payload: unknown) => {
    Object.assign(service.options, options);
    const { id } = service.getTable('Customers').insert({
      email: `u${service.requests.length}@example.com`,
      company: 'Before',
      newsletter: 1,
      name: { title: 'Dr', first_name: 'A', middle_name: '', last_name: 'B' },
    });
    const { status, data } = await api.post(`${getCustomersPath()}/${id}`, payload);
    Object.assign(service.options, { omittedOnUpdate: 'keep' });
    expect([status, data.type]).toEqual([200, 'success']);
    return service.getTable('Customers').records.get(id);
  };

  test('keeps what was left out, part by part', async () => {
    const record = await update({}, { 'name[first_name]': 'Z' });
    expect(record).toMatchObject({
      company: 'Before',
      newsletter: 1,
      name: { title: 'Dr', first_name: 'Z', last_name: 'B' },
    });
  });

  test('or blanks it, under the other reading of the spec', async () => {
    const record = await update({ omittedOnUpdate: 'blank' }, { 'name[first_name]': 'Z' });
    expect(record).toMatchObject({
      company: '',
      newsletter: 0,
      email: '',
      name: { title: '', first_name: 'Z' },
    });
  });

  test('checks the fields it is given, and only those', async () => {
    const [one, two] = [...service.getTable('Customers').records.values()] as [StoredRecord, StoredRecord];
    const url = `${getCustomersPath()}/${one.id}`;
    expect((await api.post(url, { email: two.email })).data.errors).toEqual({
      email: ['This field is unique'],
    });
    expect((await api.post(url, { email: '' })).data.errors).toEqual({ email: ['This field is required'] });
    expect((await api.post(url, { email: one.email })).status).toBe(200);
    expect((await api.post(url, { notes: 'x' })).status).toBe(200);
  });
});
