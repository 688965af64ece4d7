import { createRecord, encodeRecordValues, getTable, updateRecord } from '../../nodes/records';
import type { ServiceOptions } from '../service';
import { ClientEnvironment } from './support';

/** What a create and an update make of each form of an answer, on both services. */

const env = new ClientEnvironment();
afterEach(() => env.service.faults.clear());
afterAll(() => env.stop());

let count = 0;
const createSku = () => `answered-${++count}`;
const UPDATE = { method: 'POST', pattern: /records\/\w+$/ };

async function insertProduct(client = env.createClient()) {
  const stored = env.service.getTable('Products');
  const table = await getTable(client, stored.id);
  const { id: recordId } = stored.insert({ name: 'Lamp', sku: createSku(), price: 1, stock: 2 });
  const encode = (values: object) => encodeRecordValues({ ...values }, table, { timeZone: 'UTC' });
  const update = (values: object) =>
    updateRecord(client, { table, recordId, entries: encode(values), timeZone: 'UTC' });
  return { client, table, stored, recordId, encode, update };
}

type Case = Pick<ServiceOptions, 'profile' | 'createAnswer' | 'updateAnswer'>;

describe.each<Case>([
  { profile: 'documented', createAnswer: 'item', updateAnswer: 'item' },
  { profile: 'documented', createAnswer: 'id', updateAnswer: 'recordId' },
  { profile: 'met', createAnswer: 'recordId', updateAnswer: 'bare' },
  { profile: 'met', createAnswer: 'item', updateAnswer: 'recordId' },
])('%j', (options) => {
  beforeAll(async () => {
    if (env.service) await env.stop();
    await env.start({ perMinute: 100_000, ...options });
  });

  test('a create gives the ID, and the values that were sent', async () => {
    const { table, stored, encode } = await insertProduct();
    const entries = encode({ name: 'Chair', sku: createSku(), price: 12.5 });
    // An execution that starts after the fields were read.
    const later = env.createClient();
    const requests = await env.record(async () => {
      const { record } = await createRecord(later, { table, entries });
      expect(stored.records.get(record.id)).toMatchObject(Object.fromEntries(entries));
      expect(record).toMatchObject(Object.fromEntries(entries));
      expect(Object.keys(record)[0]).toBe('id');
    });
    expect(requests).toHaveLength(1);
  });

  test('an update gives the record as it was read, with the values that were sent', async () => {
    const { update, recordId, stored } = await insertProduct();
    const { action, record } = await update({ price: 8 });
    expect(action).toBe('updated');
    const { name, sku, stock } = stored.records.get(recordId)!;
    expect(record).toMatchObject({ id: recordId, name, sku, stock, price: 8 });
  });

  test.each([{ type: 'success' }, { status: 'success', msg: 'Saved' }, { type: 'success', recordId: null }])(
    'an update is a success if its answer says so: %j',
    async (body) => {
      const { update } = await insertProduct();
      env.service.faults.add({ when: UPDATE, fault: { type: 'status', status: 200, body, when: 'after' } });
      expect(await update({ price: 8 })).toMatchObject({ action: 'updated' });
    },
  );

  test('an answer without success is none, whatever else it has', async () => {
    const { client, table, encode, update } = await insertProduct();
    const body = { msg: 'Saved', recordId: 'x', item: { id: 'x' } };
    env.service.faults.add({
      when: { method: 'POST' },
      times: 9,
      fault: { type: 'status', status: 200, body },
    });
    const entries = encode({ name: 'Chair', sku: createSku() });
    const created = createRecord(client, { table, entries });
    await expect(created).rejects.toMatchObject({ isOutcomeUnknown: true });
    await expect(update({ price: 8 })).rejects.toMatchObject({ isOutcomeUnknown: true });
  });

  test('an answer about another record is an error', async () => {
    const { update, recordId } = await insertProduct();
    const body = { type: 'success', recordId: 'another' };
    env.service.faults.add({ when: UPDATE, fault: { type: 'status', status: 200, body, when: 'after' } });
    const message = `Record ${recordId}: the service's answer shows another record, another`;
    await expect(update({ price: 8 })).rejects.toThrow(message);
  });

  test('a create whose answer has no ID is not sent again', async () => {
    const { client, table, encode, stored } = await insertProduct();
    const sku = createSku();
    env.service.options.createAnswer = 'none';
    const requests = await env.record(() =>
      expect(createRecord(client, { table, entries: encode({ name: 'Chair', sku }) })).rejects.toMatchObject({
        isOutcomeUnknown: true,
        description: expect.stringContaining('recordId'),
      }),
    );
    env.service.options.createAnswer = options.createAnswer;
    expect(requests).toHaveLength(1);
    expect([...stored.records.values()].filter((record) => record.sku === sku)).toHaveLength(1);
  });
});
