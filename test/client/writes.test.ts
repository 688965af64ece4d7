import { omit } from 'lodash';
import {
  createRecord,
  encodeRecordValues,
  getTable,
  selectValuesToWrite,
  updateRecord,
} from '../../nodes/records';
import type { Fault, RecordedRequest } from '../service';
import { ClientEnvironment } from './support';

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

/** Answers to a write that was carried out. */
const LOST: Array<[string, Fault]> = [
  ['cut off', { type: 'reset', when: 'after' }],
  ['incomplete', { type: 'truncate' }],
  ['empty', { type: 'status', status: 200, body: '', when: 'after' }],
  ['a 502', { type: 'status', status: 502, body: '<html>', when: 'after' }],
];

let count = 0;
const createSku = () => `write-${++count}`;
const UPDATE = { method: 'POST', pattern: /records\/\w+$/ };
const findBySku = (sku: string) => [...env.products.values()].filter((product) => product.sku === sku);

const { record } = env;
const listWrites = (requests: RecordedRequest[]) => requests.filter(({ method }) => method !== 'GET');

const NO_RECORD: Fault = { type: 'status', status: 200, body: {}, when: 'after' };

describe.each<[string, Fault]>([...LOST, ['without a record', NO_RECORD]])(
  'an answer that is %s',
  (_, fault) => {
    test('leaves open whether a create happened, and it is not sent again', async () => {
      const { client, table, encode } = await env.openProducts();
      const sku = createSku();
      env.service.faults.add({ when: { method: 'POST' }, fault });
      const entries = encode({ name: 'A', sku });
      const requests = await record(() =>
        expect(createRecord(client, { table, entries })).rejects.toMatchObject({ isOutcomeUnknown: true }),
      );
      expect(requests).toHaveLength(1);
      expect(findBySku(sku)).toHaveLength(1);
    });

    test('does not make an update fail that the record shows', async () => {
      const { client, table, encode } = await env.openProducts();
      const { id: recordId } = env.service
        .getTable('Products')
        .insert({ name: 'A', sku: createSku(), price: 1 });
      env.service.faults.add({ when: { method: 'POST' }, fault });
      const update = { table, recordId, entries: encode({ price: 8 }), timeZone: 'UTC' };
      expect(await updateRecord(client, update)).toMatchObject({ action: 'updated' });
      expect(env.products.get(recordId)).toMatchObject({ price: 8 });
    });
  },
);

describe('an update', () => {
  /** Updates the price of a product. */
  async function update() {
    const client = env.createClient();
    const table = await getTable(client, env.service.getTable('Products').id);
    const { id: recordId } = env.service
      .getTable('Products')
      .insert({ name: 'A', sku: createSku(), price: 1 });
    const entries = encodeRecordValues({ price: 8 }, table, { timeZone: 'UTC' });
    return { recordId, run: () => updateRecord(client, { table, recordId, entries, timeZone: 'UTC' }) };
  }

  test('an update that the service never carries out is an error', async () => {
    const { recordId, run } = await update();
    env.service.faults.add({
      when: UPDATE,
      times: 20,
      fault: { type: 'reset', when: 'before' },
    });
    await expect(run()).rejects.toThrow(`Record ${recordId}: `);
    expect(env.products.get(recordId)).toMatchObject({ price: 1 });
  });

  test('an answer that shows another record is an error', async () => {
    const { recordId, run } = await update();
    const body = { type: 'success', item: { id: 'another', price: 8 } };
    env.service.faults.add({
      when: UPDATE,
      fault: { type: 'status', status: 200, body, when: 'after' },
    });
    await expect(run()).rejects.toThrow(`Record ${recordId}: the service's answer shows another record`);
  });

  test('a refusal is an error and changes nothing', async () => {
    const { recordId, run } = await update();
    env.service.faults.add({
      when: UPDATE,
      fault: { type: 'status', status: 422 },
    });
    await expect(run()).rejects.toMatchObject({ status: 422 });
    expect(env.products.get(recordId)).toMatchObject({ price: 1 });
  });
});

test('an answer that shows the old value of the changed column is an error', async () => {
  const { client, table, encode } = await env.openProducts();
  const { id: recordId, sku } = env.service
    .getTable('Products')
    .insert({ name: 'A', sku: createSku(), price: 1 });
  const item = { ...env.products.get(recordId), price: 1, sku };
  env.service.faults.add({
    when: { method: 'POST' },
    fault: { type: 'status', status: 200, body: { type: 'success', item } },
  });
  const update = { table, recordId, entries: encode({ price: 8 }), timeZone: 'UTC' };
  await expect(updateRecord(client, update)).rejects.toThrow(`Record ${recordId} was not changed`);
});

describe('connections that are added or removed', () => {
  /** An order of one product, and the change of its products. */
  async function openOrder() {
    const client = env.createClient();
    const orders = env.service.getTable('Orders');
    const table = await getTable(client, orders.id);
    const [kept, other] = [...env.products.keys()];
    const { id: recordId } = orders.insert({ number: createSku(), products: [kept!], quantity: 1 });
    const change = (connectionChange: 'add' | 'remove', given: object) =>
      updateRecord(client, {
        table,
        recordId,
        entries: encodeRecordValues({ ...given }, table, { timeZone: 'UTC' }),
        connectionChange,
        timeZone: 'UTC',
      });
    return { change, kept: kept!, other: other!, read: () => orders.records.get(recordId) };
  }

  test('leave the others in place, and the result names them', async () => {
    const { change, kept, other, read } = await openOrder();
    expect(await change('add', { products: [kept, other] })).toMatchObject({
      action: 'updated',
      changedConnections: { products: [other] },
    });
    expect(read()).toMatchObject({ products: [kept, other], quantity: 1 });
    expect(await change('remove', { products: [kept], quantity: 2 })).toMatchObject({
      action: 'updated',
      changedConnections: { products: [kept] },
    });
    expect(read()).toMatchObject({ products: [other], quantity: 2 });
    expect(await change('remove', { products: [kept] })).toMatchObject({
      action: 'unchanged',
      changedConnections: { products: [] },
    });
  });

  test('a change of other columns has no result of connections', async () => {
    const { change } = await openOrder();
    expect(await change('add', { quantity: 9 })).not.toHaveProperty('changedConnections');
  });

  test('several updates of one record at once lose nothing', async () => {
    const { change, read } = await openOrder();
    const products = [...env.products.keys()].slice(0, 5);
    await Promise.all(products.map((id) => change('add', { products: [id] })));
    expect(read()).toMatchObject({ products });
  });

  /** Adds a product. The first attempt is cut off, and the record is read without its list from then on. */
  async function addAfterCutOff(when: 'before' | 'after') {
    const { change, kept, other, read } = await openOrder();
    const hidden = omit(read(), 'products');
    env.service.faults.add({ when: UPDATE, fault: { type: 'reset', when } });
    env.service.faults.add({
      when: { method: 'GET', pattern: /records\/\w+$/, skip: 1 },
      times: 2,
      fault: { type: 'status', status: 200, body: { item: hidden } },
    });
    const result = change('add', { products: [other] }).catch((error: unknown) => error);
    return { result: await result, stored: read()?.products, kept, other };
  }

  test('an attempt that was cut off is not reported as not sent, when the list cannot be read again', async () => {
    const { result, stored, kept } = await addAfterCutOff('before');
    expect(stored).toEqual([kept]);
    expect(result).toMatchObject({
      name: 'ApiError',
      isOutcomeUnknown: true,
      description: expect.not.stringContaining('Nothing was sent'),
    });
  });

  test('nor is one that was carried out', async () => {
    const { result, stored, kept, other } = await addAfterCutOff('after');
    expect(stored).toEqual([kept, other]);
    expect(result).toMatchObject({
      name: 'ApiError',
      isOutcomeUnknown: true,
      description: expect.not.stringContaining('Nothing was sent'),
    });
  });
});

describe('a user who does not see all connections', () => {
  /** An order of two products, and a client of a user. */
  async function openOrder() {
    const client = env.createClient({ userLogin: 'password', ...env.service.user });
    const table = await getTable(client, env.service.getTable('Orders').id);
    const customers = [...env.service.getTable('Customers').records.values()];
    const customer = customers.find(({ account_owner: owner }) =>
      (owner as string[]).includes(env.service.user.userId),
    );
    const products = [...env.products.keys()].slice(0, 2);
    const orders = env.service.getTable('Orders');
    const values = { number: createSku(), customer: [customer!.id], products, quantity: 1, unit_price: 2 };
    const { id: recordId } = orders.insert(values);
    const change = (given: object) =>
      updateRecord(client, {
        table,
        recordId,
        entries: encodeRecordValues({ ...given }, table, { timeZone: 'UTC' }),
        timeZone: 'UTC',
      });
    return { change, products, read: () => orders.records.get(recordId) };
  }

  test('keeps those that the user does not see, unless the list is given', async () => {
    const kept = await openOrder();
    expect(await kept.change({ quantity: 3 })).toMatchObject({ action: 'updated' });
    expect(kept.read()).toMatchObject({ quantity: 3, products: kept.products });
    const given = await openOrder();
    const [product] = given.products;
    expect(await given.change({ quantity: 3, products: [product] })).toMatchObject({ action: 'updated' });
    expect(given.read()).toMatchObject({ quantity: 3, products: [product] });
  });

  test('writes a list again that looks the same, because it may hold more', async () => {
    const { change, products } = await openOrder();
    expect(await change({ products })).toMatchObject({ action: 'updated' });
  });

  test('an answer that does not show a sent connection is no error', async () => {
    const { change, products, read } = await openOrder();
    const item = { ...read(), products: [], quantity: 3 };
    env.service.faults.add({
      when: UPDATE,
      fault: { type: 'status', status: 200, body: { type: 'success', item }, when: 'after' },
    });
    expect(await change({ quantity: 3, products })).toMatchObject({ action: 'updated' });
  });
});

describe('the start of an import', () => {
  const start = () => env.runImport(createSku());
  const TRIGGER = { method: 'POST' };

  test.each(LOST)(
    'whose answer is %s is not sent again, and the error says where to look',
    async (_, fault) => {
      env.service.faults.add({ when: TRIGGER, fault });
      const requests = await record(() =>
        expect(start().run).rejects.toMatchObject({
          isOutcomeUnknown: true,
          description: expect.stringContaining('"Get Runs" shows whether the import was started'),
        }),
      );
      expect(listWrites(requests)).toHaveLength(1);
    },
  );

  test('that the service refuses has no run', async () => {
    env.service.faults.add({ when: TRIGGER, fault: { type: 'status', status: 422 } });
    const { run, starts } = start();
    await expect(run).rejects.toMatchObject({ status: 422, isOutcomeUnknown: false });
    expect(starts).toEqual([]);
  });
});

describe('a field of a type that no documentation names', () => {
  async function open() {
    const fields = [
      { name: 'Sign', type: 'Text' as const },
      { name: 'Note', type: 'Text' as const },
    ];
    const stored = env.service.addTable({ name: `Signed ${++count}`, fields });
    stored.fields[0]!.type = 'Signature' as never;
    const { id: recordId } = stored.insert({ sign: 'Ada', note: 'a' });
    const client = env.createClient();
    const table = await getTable(client, stored.id);
    const encode = (item: object, allowsRefused?: boolean) => {
      const given = selectValuesToWrite({ ...item }, table, { as: 'item', notation: 'detect' });
      return encodeRecordValues(given, table, { timeZone: 'UTC', allowsRefused });
    };
    const update = (item: object) =>
      updateRecord(client, { table, recordId, entries: encode(item, true), timeZone: 'UTC' });
    return { client, table, encode, update, stored, read: () => stored.records.get(recordId) };
  }

  test('is emptied by null and by an empty text', async () => {
    const { update, read } = await open();
    await update({ sign: null });
    expect(read()).toMatchObject({ sign: '', note: 'a' });
    await update({ sign: 'Eve' });
    await update({ sign: '' });
    expect(read()).toMatchObject({ sign: '' });
  });

  test('refuses a list and an object, and nothing of the item is written', async () => {
    const { client, table, encode, update, stored, read } = await open();
    for (const sign of [['a', 'b'], { stars: 5 }]) {
      await expect(update({ sign, note: 'b' })).rejects.toThrow('"Sign" cannot take');
      expect(() => encode({ sign, note: 'b' })).toThrow('"Sign" cannot take');
    }
    expect(read()).toMatchObject({ sign: 'Ada', note: 'a' });
    await createRecord(client, { table, entries: encode({ sign: null, note: 'c' }) });
    expect([...stored.records.values()].at(-1)).toMatchObject({ sign: '', note: 'c' });
  });

  test('keeps a list that the record shows', async () => {
    const { update, read } = await open();
    Object.assign(read()!, { sign: ['a', 'b'] });
    await update({ sign: ['a', 'b'], note: 'b' });
    expect(read()).toMatchObject({ sign: ['a', 'b'], note: 'b' });
  });
});
