import {
  buildRecordFilter,
  createMatchKey,
  createRecord,
  encodeRecordValues,
  readRecordPage,
  getTable,
  parseFilterJson,
  planTableSync,
  readAllRecords,
  readRecord,
  updateRecord,
  upsertRecord,
} from '../../nodes/records';
import { ApiError, InputError } from '../../nodes/service';
import { getReading, listCases } from './readings';
import { ClientEnvironment, findColumns } from './support';

/** Points on which reading and writing records depends. The final records are the same under each. */
const CASES = listCases(
  'timeZone',
  'omittedNumber',
  'columnsResponse',
  'createAnswer',
  'changeAnswers',
  'readAnswers',
  'unknownConnection',
  'symbolicEquality',
  'brokenFilter',
  'itemKey',
  'missingRecord',
  'systemColumns',
);

describe.each(CASES)('%s', (_, options) => {
  const env = new ClientEnvironment();
  beforeAll(() => env.start({ perMinute: 100_000, ...options }));
  afterAll(() => env.stop());
  afterEach(() => expect(env.service.violations).toEqual([]));
  const zone = getReading(options, 'timeZone');
  const hasId =
    getReading(options, 'createAnswer') !== 'none' && getReading(options, 'changeAnswers') === 'whole';
  // The first answer to a read may be broken. It is asked for once more.
  const readsEach = getReading(options, 'readAnswers') === 'whole' ? 1 : 2;

  test('finds the records that match a filter', async () => {
    const { client, table, tableId } = await env.openProducts();
    const filters = await buildRecordFilter(client, parseFilterJson('{"price": {">": 50}}'), table, 'UTC');
    const found = await readAllRecords(client, { tableId, filters });
    const expected = [...env.products.values()].filter(({ price }) => Number(price) > 50);
    expect(expected.length).toBeGreaterThan(1);
    expect(found.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
  });

  test('a filter on created_at is applied, or an error', async () => {
    const { client, table, tableId } = await env.openProducts();
    const dates = [...env.products.values()].map(({ created_at: date }) => String(date)).sort();
    const bound = dates[3]!;
    expect(dates.at(-1)! > bound).toBe(true);
    const conditions = [
      { created_at: { '<': bound } },
      { created_at: { '>': bound } },
      { created_at: { '>=': bound }, price: { '>': -1 } },
    ];
    const read = async (condition: object) => {
      const filters = await buildRecordFilter(
        client,
        parseFilterJson(JSON.stringify(condition)),
        table,
        zone,
      );
      return (await readAllRecords(client, { tableId, filters })).map(({ created_at: date }) => date).sort();
    };
    const outcomes = await Promise.all(
      conditions.map((condition) => read(condition).catch((error: unknown) => error)),
    );
    const found = [
      dates.filter((date) => date < bound),
      dates.filter((date) => date > bound),
      dates.filter((date) => date >= bound),
    ];
    const refusal = { message: expect.stringMatching(/^Filter: the service did not apply "created_at /) };
    const isKnown = getReading(options, 'systemColumns') !== 'dropped';
    expect(outcomes).toMatchObject(isKnown ? found : found.map(() => refusal));
  });

  test('an unknown field of a filter is an error before the filter is sent', async () => {
    const { client, table } = await env.openProducts();
    const sent = env.service.requests.length;
    const built = buildRecordFilter(client, parseFilterJson('{"pryce": 5}'), table, 'UTC');
    await expect(built).rejects.toBeInstanceOf(InputError);
    expect(env.service.requests).toHaveLength(sent);
  });

  // More than one page. The other readings do not concern a list without a filter.
  const READ_BY_LIST = ['readAnswers', 'systemColumns', 'columnsResponse'];
  const concernsLists = Object.keys(options).every((name) => READ_BY_LIST.includes(name));
  test.each(concernsLists ? ['Customers'] : ['Products'])(
    'reads all of %s, each record once',
    async (name) => {
      const client = env.createClient();
      const table = env.service.getTable(name);
      const read = await readAllRecords(client, { tableId: table.id });
      expect(table.records.size > 200).toBe(concernsLists);
      expect(read.map(({ id }) => id).sort()).toEqual([...table.records.keys()].sort());
    },
  );

  test('reads one page, and one record', async () => {
    const { client, tableId } = await env.openProducts();
    const { items, total_items: total } = await readRecordPage(client, { tableId }, 1, 3);
    expect(items).toHaveLength(3);
    expect(total).toBe(env.products.size);
    const { id, sku } = items[0]!;
    expect(await readRecord(client, tableId, id)).toMatchObject({ id, sku });
  });

  /** Creates a product. Returns the record that the service stores. */
  async function createProduct(values: { name: string; sku: string; price?: number }) {
    const { client, table, encode } = await env.openProducts();
    const entries = encode(values);
    const answer: unknown = await createRecord(client, { table, entries }).then(
      ({ record }) => record,
      (error: unknown) => error,
    );
    const stored = env.listProducts(values.sku);
    expect(stored).toMatchObject([values]);
    // An answer without the ID leaves open whether it was created.
    expect(answer).toMatchObject(hasId ? { id: stored[0]!.id } : { isOutcomeUnknown: true });
    return stored[0]!;
  }

  test('creates a record, and updates one column of it', async () => {
    const { client, table, encode } = await env.openProducts();
    const { id } = await createProduct({ name: 'Lamp', sku: 'create-1', price: 5 });
    const before = { ...env.products.get(id) };
    const update = { table, recordId: id, entries: encode({ price: 7 }), timeZone: 'UTC' };
    expect(await updateRecord(client, update)).toMatchObject({ action: 'updated' });
    expect(env.products.get(id)).toEqual({ ...before, price: 7 });
  });

  test('an update of a value that the record has sends nothing', async () => {
    const { table, encode } = await env.openProducts();
    const { id } = [...env.products.values()][3]!;
    const update = { table, recordId: id, entries: encode({ price: 7 }), timeZone: 'UTC' };
    const client = env.createClient();
    expect(await updateRecord(client, update)).toMatchObject({ action: 'updated' });
    const sent = env.service.requests.length;
    const again = await updateRecord(client, update);
    expect(again).toMatchObject({ action: 'unchanged' });
    // A record that was read after a lost answer is not read again.
    const methods = env.service.requests.slice(sent).map(({ method }) => method);
    expect(methods.filter((method) => method !== 'GET')).toEqual([]);
    expect(methods.length).toBeLessThanOrEqual(readsEach);
  });

  test('an update keeps every other value of a record with all kinds of fields', async () => {
    const client = env.createClient();
    const customers = env.service.getTable('Customers');
    const table = await getTable(client, customers.id);
    for (const { id, ...before } of [...customers.records.values()].slice(0, 5).map((one) => ({ ...one }))) {
      const entries = encodeRecordValues({ notes: 'Called' }, table, { timeZone: 'UTC' });
      await updateRecord(client, { table, recordId: id, entries, timeZone: 'UTC' });
      expect(customers.records.get(id)).toEqual({ ...before, id, notes: 'Called' });
    }
  });

  test('a connection is written by ID, and one of no record is an error', async () => {
    const client = env.createClient();
    const [orders, customers] = [env.service.getTable('Orders'), env.service.getTable('Customers')];
    const table = await getTable(client, orders.id);
    const [order] = orders.records.values();
    const recordId = order!.id;
    const before = { ...order };
    const { id: customer } = [...customers.records.values()].find(
      ({ id }) => !(before.customer as string[]).includes(id),
    )!;
    const link = async (id: string) => {
      const entries = encodeRecordValues({ customer: id }, table, { timeZone: 'UTC' });
      return (await updateRecord(client, { table, recordId, entries, timeZone: 'UTC' })).action;
    };
    expect(await link(customer)).toBe('updated');
    expect(orders.records.get(recordId)).toEqual({ ...before, customer: [customer] });
    // The ID of a record of another table that has more records.
    const foreign = [...orders.records.keys()].at(-1)!;
    await expect(link(foreign)).rejects.toBeInstanceOf(ApiError);
  });

  /** Creates or updates the product of a SKU. */
  async function upsert(values: object) {
    const { client, table, encode } = await env.openProducts();
    const entries = encode(values);
    const [result = ''] = await upsertRecord(client, async () => ({
      table,
      key: createMatchKey(findColumns(table, 'sku'), entries),
      prepare: async () => entries,
      update: async (recordId, change) => {
        const { action } = await updateRecord(client, { table, recordId, ...change, timeZone: 'UTC' });
        return `${action} ${recordId}`;
      },
      create: async (creation) => `created ${(await createRecord(client, creation)).record.id}`,
    }));
    return result;
  }

  test('an upsert creates a record, and updates it the next time', async () => {
    const result = await upsert({ name: 'Chair', sku: 'upsert-1' });
    const { id } = env.listProducts('upsert-1')[0]!;
    expect(result).toBe(`created ${id}`);
    expect(env.products.get(id)).toMatchObject({ name: 'Chair' });
    expect(await upsert({ name: 'Stool', sku: 'upsert-1' })).toBe(`updated ${id}`);
    expect(env.products.get(id)).toMatchObject({ name: 'Stool' });
  });

  test('upserts of one key at the same time create one record', async () => {
    const results = await Promise.all(
      [1, 2, 3].map((price) => upsert({ name: 'Bed', sku: 'upsert-2', price })),
    );
    expect(results.filter((text) => text.startsWith('created'))).toHaveLength(1);
    expect(env.listProducts('upsert-2')).toHaveLength(1);
  });

  test('a sync plan has the records to create and those whose values differ', async () => {
    const { client, table, encode } = await env.openProducts();
    const [known, equal] = [...env.products.values()].slice(0, 2);
    const rows = [
      { sku: 'sync-1', name: 'Table' },
      { sku: known!.sku, name: 'Another name' },
      { sku: equal!.sku, name: equal!.name },
    ];
    const inputs = rows.map(encode).map((entries, index) => ({
      index,
      read: () => ({ entries }),
    }));
    const plan = await planTableSync(client, {
      table,
      columns: findColumns(table, 'sku'),
      inputs,
    });
    expect(plan.creates.map(({ index }) => index)).toEqual([0]);
    const change = { index: 1, record: { id: known!.id }, entries: [['name', 'Another name']] };
    expect(plan.updates).toMatchObject([change]);
    expect(plan.deletes).toEqual([]);
  });

  test('a refusal has its status and the messages by field', async () => {
    const { client, table, encode } = await env.openProducts();
    const { sku } = [...env.products.values()][0]!;
    const creation = createRecord(client, { table, entries: encode({ name: 'Doubled', sku }) });
    const error = await creation.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 422,
      isOutcomeUnknown: false,
      fieldErrors: { sku: expect.anything() },
    });
  });

  test('a missing record is an error with the status of the service, or 404 if it answers 200', async () => {
    const { client, tableId } = await env.openProducts();
    const reading = getReading(options, 'missingRecord');
    await expect(readRecord(client, tableId, 'missing')).rejects.toMatchObject({
      status: typeof reading === 'number' ? reading : 404,
    });
  });
});
