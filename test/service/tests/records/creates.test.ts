import type { StoredRecord } from '../..';
import { listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api, at }: Opened = {} as Opened;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getFirstRecord = (table: string) => [...service.getTable(table).records.values()][0] as StoredRecord;
const getCustomersPath = () => `${at('Customers')}/records`;

/** axios drops `__proto__` and `constructor` from objects. */
const postJson = (url: string, body: object) =>
  api.post(url, JSON.stringify(body), { headers: { 'content-type': 'application/json' } });

describe('create', () => {
  test('answers the record, which is then listed last', async () => {
    const { data } = await api.post(getCustomersPath(), { email: 'create@example.com', newsletter: 1 });
    expect(data).toMatchObject({
      type: 'success',
      msg: 'Record saved successfully',
      item: { newsletter: 1 },
    });
    expect([...service.getTable('Customers').records.keys()].at(-1)).toBe(data.item.id);
    expect(service.requests.at(-1)?.intent).toBe('create');
  });

  test.each(['constructor', 'prototype', '__proto__', 'toString'])(
    'a field may be called %s',
    async (slug) => {
      const fields = [{ name: slug, slug, type: 'Text', unique: true } as const];
      const url = `/data-tables/${service.addTable({ name: `Table of ${slug}`, fields }).id}/records`;
      const { item } = (await postJson(url, { [slug]: 'a' })).data;
      expect(Object.entries(item)).toContainEqual([slug, 'a']);
      const { errors } = (await postJson(url, { [slug]: 'a' })).data;
      expect(Object.entries(errors)).toEqual([[slug, ['This field is unique']]]);
      await postJson(`${url}/${item.id}`, { [slug]: 'b' });
      const filters = { items: [{ field_id: slug, operator: 'is', val: 'B' }] };
      expect((await api.post(url, { filters })).data.total_items).toBe(1);
      expect(listViolations(service)).toEqual([]);
    },
  );

  test('required, unique and all errors at once', async () => {
    expect((await api.post(getCustomersPath(), { phone: 'x' })).data.errors).toEqual({
      phone: ['Phone must be valid'],
      email: ['This field is required'],
    });
    const taken = await api.post(getCustomersPath(), { email: getFirstRecord('Customers').email });
    expect([taken.status, taken.data.errors]).toEqual([422, { email: ['This field is unique'] }]);
  });

  test('a table rule refuses, unless the header switches rules off', async () => {
    const values = { number: 'RULE-1', issued_on: '2025-02-01', due_on: '2025-01-01' };
    const url = `${at('Invoices')}/records`;
    expect((await api.post(url, values)).data.errors).toEqual({ due_on: [expect.any(String)] });
    const headers = { 'X-Service-Table-Rules': '0' };
    expect((await api.post(url, values, { headers })).status).toBe(200);
  });

  test('connected_to links by a field of the new record or of the parent', async () => {
    const createLink = (field_id: string, record_id: string) => ({
      join_type: 'joinTo',
      field_id,
      record_id,
    });
    const [customer, order] = [getFirstRecord('Customers'), getFirstRecord('Orders')];
    const own = service.getTable('Orders').findField('customer')?.fieldId ?? '';
    const { data } = await api.post(`${at('Orders')}/records`, {
      number: 'L-1',
      connected_to: createLink(own, customer.id),
    });
    expect(data.item.customer).toEqual([customer.id]);

    const parents = service.getTable('Orders').findField('products')?.fieldId ?? '';
    const child = await api.post(`${at('Products')}/records`, {
      name: 'Linked',
      connected_to: createLink(parents, order.id),
    });
    const linked = [...(order.products as string[]), child.data.item.id];
    expect(service.getTable('Orders').records.get(order.id)?.products).toEqual(linked);

    const [one, two] = order.products as [string, string];
    const values = { number: 'L-4', products: [one], connected_to: createLink(parents, two) };
    expect((await api.post(`${at('Orders')}/records`, values)).data.item.products).toEqual([one, two]);

    const form = new FormData();
    form.append('number', 'L-2');
    for (const [key, value] of Object.entries(createLink(own, customer.id)))
      form.append(`connected_to[${key}]`, value);
    expect((await api.post(`${at('Orders')}/records`, form)).data.item.customer).toEqual([customer.id]);
    expect(listViolations(service)).toEqual([]);
  });

  test('connected_to that leads nowhere writes nothing', async () => {
    const before = service.getTable('Orders').records.size;
    const own = service.getTable('Orders').findField('customer')?.fieldId;
    for (const connected_to of [
      { join_type: 'joinTo', field_id: own, record_id: '12' },
      { join_type: 'joinTo', field_id: 'customer', record_id: getFirstRecord('Customers').id },
      { join_type: 'other', field_id: own, record_id: getFirstRecord('Customers').id },
    ]) {
      expect((await api.post(`${at('Orders')}/records`, { number: 'L-3', connected_to })).status).toBe(422);
    }
    expect(service.getTable('Orders').records.size).toBe(before);
  });

  test('a JSON body with a list key lists, even where a field has that slug; a form creates', async () => {
    const url = `${at('Print Jobs')}/records`;
    const before = service.getTable('Print Jobs').records.size;
    expect((await api.post(url, { title: 'Poster', page: 3 })).data.items).toEqual([]);
    expect(service.requests.at(-1)?.intent).toBe('list');
    expect(service.getTable('Print Jobs').records.size).toBe(before);
    const form = new FormData();
    form.append('page', '3');
    expect((await api.post(url, form)).data.item).toMatchObject({ page: 3, limit: null });
  });
});
