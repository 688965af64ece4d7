import { omit } from 'lodash';
import { createRecord, encodeRecordValues, getTable, updateRecord } from '../../nodes/records';
import type { RecordedRequest } from '../service';
import { ClientEnvironment } from './support';

/** What an update and a create make of an answer that shows other values than those that were sent. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000, createAnswer: 'item', updateAnswer: 'item' }));
afterAll(() => env.stop());
beforeEach(() => (env.hints.length = 0));
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

let count = 0;
const createSku = () => `answer-${++count}`;
const UPDATE = { method: 'POST', pattern: /records\/\w+$/ };
const READ = { method: 'GET', pattern: /records\/\w+$/ };
/** As long as the IDs of the service. */
const UNKNOWN = 'x9Unknown0';

/** A record, and a function that updates it. */
async function open(name: string, values: object, settings: object = {}) {
  const client = env.createClient(settings);
  const stored = env.service.getTable(name);
  const table = await getTable(client, stored.id);
  const { id: recordId } = stored.insert({ ...values });
  const encode = (given: object) => encodeRecordValues({ ...given }, table, { timeZone: 'UTC' });
  const update = (given: object, more: object = {}) =>
    updateRecord(client, { table, recordId, entries: encode(given), timeZone: 'UTC', ...more }).finally(() =>
      client.notices.showUsageHints(),
    );
  return { client, stored, table, recordId, encode, update, read: () => stored.records.get(recordId)! };
}

const openProduct = (settings?: object) =>
  open('Products', { name: 'A', sku: createSku(), price: 1, stock: 2 }, settings);

function openOrder(settings?: object) {
  // The user of the service sees the orders of this customer.
  const customers = [...env.service.getTable('Customers').records.values()];
  const customer = customers.find(({ account_owner: owner }) =>
    (owner as string[]).includes(env.service.user.userId),
  )!.id;
  const products = [...env.products.keys()].slice(0, 2);
  return open('Orders', { number: createSku(), customer: [customer], products, quantity: 1 }, settings);
}

/** The update is carried out, and its answer shows `item`. */
const answer = (body: object) =>
  env.service.faults.add({
    when: UPDATE,
    fault: { type: 'status', status: 200, body: { type: 'success', ...body }, when: 'after' },
  });

const { record } = env;

describe('an answer to an update', () => {
  test.each([{ price: 8 }, { id: null, price: 8 }, { price: '8' }])(
    'an answer that does not say which record it shows is accepted: %j',
    async (item) => {
      const { update } = await openProduct();
      answer({ item });
      expect(await update({ price: 8 })).toMatchObject({ action: 'updated' });
      expect(env.hints).toEqual([]);
    },
  );

  test.each([
    () => ({ id: 'another', type: 'success' }),
    () => ({ item: { id: 'another' } }),
    (id: string) => ({ type: 'success', item: { id }, recordId: 'another' }),
  ])('an answer about another record is an error: %p', async (createBody) => {
    const { update, recordId } = await openProduct();
    answer(createBody(recordId));
    await expect(update({ price: 8 })).rejects.toThrow(
      `Record ${recordId}: the service's answer shows another record, another`,
    );
  });

  test('an answer that lacks a column is accepted while the table has the column', async () => {
    const { update, recordId } = await openProduct();
    answer({ item: { id: recordId } });
    expect(await update({ price: 8 })).toMatchObject({ action: 'updated' });
  });

  test('an answer without a record is accepted, and nothing is read after it', async () => {
    const { update } = await openProduct();
    answer({ type: 'success' });
    const requests = await record(async () =>
      expect(await update({ price: 8 })).toMatchObject({ action: 'updated' }),
    );
    expect(requests.at(-1)?.method).toBe('POST');
    expect(env.hints).toEqual([]);
  });

  test('values that the record has are written where formulas are to run', async () => {
    const { update } = await openProduct();
    const requests = await record(async () =>
      expect(await update({ price: 1 }, { writesUnchanged: true })).toMatchObject({ action: 'updated' }),
    );
    expect(requests.at(-1)?.method).toBe('POST');
  });

  describe('an update whose answers are all lost', () => {
    const lose = () =>
      env.service.faults.add({ when: UPDATE, times: 20, fault: { type: 'reset', when: 'before' } });
    const fail = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);

    test('is sent once more, and says what the record shows', async () => {
      const { update } = await openProduct();
      lose();
      const requests = await record(async () =>
        expect(await fail(update({ price: 8 }))).toMatchObject({
          isOutcomeUnknown: true,
          isRepeatable: true,
          description: expect.stringMatching(/^The record shows "Price": 1\. The service may have done this/),
        }),
      );
      expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'POST', 'GET']);
    });

    test('says that the record could not be read', async () => {
      const { update, read, client } = await openProduct();
      const before = { record: { ...read(), id: String(read().id) }, readAt: client.clock.now() };
      env.service.faults.add({ when: READ, times: 20, fault: { type: 'status', status: 403 } });
      lose();
      const requests = await record(async () =>
        expect(await fail(update({ price: 8 }, { before }))).toMatchObject({
          isOutcomeUnknown: true,
          description: expect.stringMatching(/^The record could not be read\. /),
        }),
      );
      expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    });

    test.each([{ price: 1 }, { price: 8 }])('is not sent again where rules run: %j', async (given) => {
      const { update } = await openProduct();
      lose();
      const requests = await record(async () =>
        expect(await fail(update(given, { writesUnchanged: true }))).toMatchObject({
          isOutcomeUnknown: true,
          isRepeatable: false,
        }),
      );
      expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
    });
  });

  test('an update whose answer is lost, and which somebody overwrites, is not sent again', async () => {
    const { update, read, recordId } = await openProduct();
    env.service.faults.add({ when: UPDATE, fault: { type: 'reset', when: 'before' } });
    const seen = { ...read(), id: recordId, price: 5 };
    const body = { type: 'success', item: seen };
    env.service.faults.add({ when: { ...READ, skip: 1 }, fault: { type: 'status', status: 200, body } });
    const requests = await record(() =>
      expect(update({ price: 8, stock: 3 })).rejects.toMatchObject({
        message: expect.stringMatching(`^Record ${recordId}: outcome unknown: `),
        description: expect.stringMatching(/^The record shows "Price": 5, "Stock": 2\. /),
        isRepeatable: false,
      }),
    );
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
    expect(read()).toMatchObject({ price: 1, stock: 2 });
  });

  describe('with a field that the service never shows', () => {
    /** Neither the record before the update nor the answer shows `hidden`. */
    const hide = ({ recordId, read }: Awaited<ReturnType<typeof openOrder>>, ...hidden: string[]) => {
      const item = omit({ ...read(), id: recordId }, hidden);
      env.service.faults.add({
        when: READ,
        fault: { type: 'status', status: 200, body: { type: 'success', item } },
      });
      answer({ item });
    };
    test.each<[string, () => object]>([
      ['number', () => ({ number: createSku() })],
      ['quantity', () => ({ quantity: 7 })],
      ['products', () => ({ products: [...env.products.keys()].slice(0, 1) })],
    ])('%s: the update is made, and a hint names the field', async (hidden, createValues) => {
      const order = await openOrder();
      const values = createValues();
      hide(order, hidden);
      expect(await order.update(values)).toMatchObject({ action: 'updated' });
      expect(order.read()).toMatchObject(values);
      expect(env.hints).toEqual([
        expect.stringMatching(new RegExp(`does not show the value that was sent in "${hidden}"`, 'i')),
      ]);
    });

    test('the old value of every other changed field is an error', async () => {
      const order = await openOrder();
      hide(order, 'number');
      await expect(order.update({ number: createSku(), quantity: 7 })).rejects.toThrow(
        `the service's answer shows the old value of "Quantity"`,
      );
    });
  });

  test('a text in another form is a hint that names the form, and hides no other field', async () => {
    const { update, recordId } = await openProduct();
    answer({ item: { id: recordId, name: 'new name', price: 8 } });
    expect(await update({ name: 'New Name', price: 8 })).toMatchObject({ action: 'updated' });
    expect(env.hints).toEqual([
      expect.stringMatching(/^The service stores "Name" in another form.* each run updates the record again/),
    ]);
    const other = await openProduct();
    answer({ item: { id: other.recordId, name: 'new name', price: 1 } });
    await expect(other.update({ name: 'New Name', price: 8 })).rejects.toThrow('the old value of "Price"');
  });

  test('a value that is neither the old one nor the one that was sent is a hint', async () => {
    const { update, recordId } = await openProduct();
    answer({ item: { id: recordId, price: 9 } });
    expect(await update({ price: 8 })).toMatchObject({ action: 'updated' });
    expect(env.hints).toEqual([
      'The service\'s answer does not show the value that was sent in "Price". A rule or a formula may have changed it, or the service hides it.',
    ]);
  });

  test('a list that replaces another one shows that the update was made, though a rule set a text back', async () => {
    const { update, recordId } = await openOrder();
    const [product] = [...env.products.keys()];
    answer({ item: { id: recordId, products: [product], quantity: 1 } });
    expect(await update({ products: [product], quantity: 7 })).toMatchObject({ action: 'updated' });
    expect(env.hints.join()).toContain('not show the value that was sent in "Quantity"');
  });

  test('a list that the service did not replace is an error for a logged-in user too', async () => {
    const { update, recordId } = await openOrder({ userLogin: 'password', ...env.service.user });
    const [first, second, other] = [...env.products.keys()];
    answer({ item: { id: recordId, products: [first, second] } });
    await expect(update({ products: [other] })).rejects.toThrow('shows the old value of "Products"');
  });

  test('a connection that the service did not store is an error that names it', async () => {
    const { update, recordId, read } = await openOrder();
    const [product] = [...env.products.keys()];
    env.service.options.unknownConnection = 'dropped';
    const failure = await update({ products: [product, UNKNOWN] }).catch((error: unknown) => error);
    env.service.options.unknownConnection = 'refused';
    expect(failure).toMatchObject({
      message: `"Products" does not hold "${UNKNOWN}": the service did not store it`,
      description: expect.stringContaining(`Record ${recordId} was updated with the other values.`),
      details: { recordId },
    });
    expect(read().products).toEqual([product]);
    expect(env.hints).toEqual([]);
  });

  test('a user that the service did not store is an error that names the ID', async () => {
    const unknown = 'Kbdegjkl29';
    const { client, table, encode, update, read } = await open('Customers', {
      email: createSku(),
      company: 'A',
    });
    env.service.options.unknownConnection = 'dropped';
    const failure = await update({ account_owner: unknown, company: 'B' }).catch((error: unknown) => error);
    const entries = encode({ account_owner: unknown, email: `${createSku()}@example.com` });
    const failedCreate = await createRecord(client, { table, entries }).catch((error: unknown) => error);
    env.service.options.unknownConnection = 'refused';
    const message = `"Account Owner" does not hold "${unknown}": the service did not store it`;
    expect([failure, failedCreate]).toMatchObject([{ message }, { message }]);
    expect(read()).toMatchObject({ company: 'B', account_owner: [] });
    expect(env.hints).toEqual([]);
  });

  test('connections that the answer shows as texts are not compared', async () => {
    const { update, recordId } = await openOrder();
    const [product] = [...env.products.keys()];
    answer({ item: { id: recordId, products: ['A product with a long name'], quantity: 3 } });
    expect(await update({ products: [product], quantity: 3 })).toMatchObject({ action: 'updated' });
  });
});

describe('a list that is added to or removed from', () => {
  /** An order of two products, and the function that changes them. `other` is a third product. */
  async function openList(settings: object = {}) {
    const opened = await openOrder(settings);
    const { recordId, update } = opened;
    const [first, second, other] = [...env.products.keys()] as [string, string, string];
    const change = (connectionChange: 'add' | 'remove', products: string[], more: object = {}) =>
      update({ products, ...more }, { connectionChange });
    const show = (products: string[], more: object = {}) => ({ item: { id: recordId, products, ...more } });
    return { ...opened, first, second, other, change, show };
  }
  const listMethods = (requests: RecordedRequest[]) => requests.map(({ method }) => method);

  test('is an error if the answer shows that an ID was not added', async () => {
    const { change, show, first, second, other } = await openList();
    answer(show([first, second]));
    const requests = await record(() =>
      expect(change('add', [other])).rejects.toThrow(`"Products" does not hold "${other}"`),
    );
    expect(listMethods(requests)).toEqual(['GET', 'POST']);
  });

  test('is an error if the answer shows that an ID was not removed', async () => {
    const { change, show, first, second } = await openList();
    answer(show([first, second]));
    await expect(change('remove', [first])).rejects.toMatchObject({
      message: `"Products" still holds "${first}": the service did not remove it`,
      details: { recordId: expect.anything() },
    });
  });

  test('is not read again if the answer does not show it', async () => {
    const { change, first, second, other, read } = await openList();
    const requests = await record(() => change('add', [other]));
    expect(listMethods(requests)).toEqual(['GET', 'POST']);
    expect(read().products).toEqual([first, second, other]);
  });

  test('that stays as it is is neither sent nor read again', async () => {
    const { change, first, second, read } = await openList();
    answer({ type: 'success' });
    const requests = await record(() => change('add', [first], { quantity: 7 }));
    expect(listMethods(requests)).toEqual(['GET', 'POST']);
    expect(requests[1]!.body).toEqual({ quantity: 7 });
    expect(read()).toMatchObject({ products: [first, second], quantity: 7 });
    expect(env.hints).toEqual([]);
  });

  test('does not hide that the other columns were not written', async () => {
    const { change, show, first, second, other } = await openList();
    answer(show([first, second, other], { quantity: 1 }));
    await expect(change('add', [other], { quantity: 7 })).rejects.toThrow(
      `the service's answer shows the old value of "Quantity"`,
    );
  });

  test('of a user who may not see all of it is refused', async () => {
    const { change, first, read } = await openList({ userLogin: 'password', ...env.service.user });
    const before = { ...read() };
    await expect(change('remove', [first])).rejects.toThrow(
      '"Products" may connect to records that this user cannot see',
    );
    expect(read()).toEqual(before);
  });
});

test('a list that stays as it is sends nothing alone', async () => {
  const { update, read } = await openOrder();
  const { products } = read();
  const more = { connectionChange: 'add', writesUnchanged: true };
  const requests = await record(async () =>
    expect(await update({ products }, more)).toMatchObject({ action: 'unchanged' }),
  );
  expect(requests.map(({ method }) => method)).toEqual(['GET']);
});

describe('an update', () => {
  test('the old value of the only changed column is an error, although others are stored', async () => {
    const { update, recordId } = await openProduct();
    const shown = { id: recordId, price: 1, stock: 2, name: 'A' };
    answer({ item: shown });
    await expect(update({ price: 8, name: 'A' })).rejects.toThrow(
      `Record ${recordId} was not changed: the service's answer shows the old value of "Price"`,
    );
    answer({ item: { ...shown, price: 8, stock: 7 } });
    expect(await update({ price: 7, stock: 7 })).toMatchObject({ action: 'updated' });
    expect(env.hints.join()).toContain('in "Price"');
  });

  test.each([{}, { userLogin: 'password' }])(
    'the old value of the only changed column is an error, although a list is sent again (%j)',
    async (login) => {
      const { update, recordId, read } = await openOrder({ ...env.service.user, ...login });
      const { products } = read();
      answer({ item: { id: recordId, products, quantity: 1 } });
      await expect(update({ products, quantity: 7 })).rejects.toThrow('shows the old value of "Quantity"');
    },
  );

  test('a reading that is cut off is not reported as a write', async () => {
    const { update } = await openProduct();
    env.service.faults.add({ when: READ, times: 20, fault: { type: 'reset', when: 'before' } });
    await expect(update({ price: 8 })).rejects.toMatchObject({
      description: expect.not.stringContaining('The change may have been made'),
    });
  });

  test('a column that was deleted meanwhile is an error before anything is sent', async () => {
    const name = `Notes ${++count}`;
    const fields = ['Title', 'Text', 'Extra'].map((one) => ({ name: one, type: 'Text' as const }));
    const stored = env.service.addTable({ name, fields });
    await getTable(env.createClient(), stored.id);
    const { update, read, recordId } = await open(name, { title: 'a', text: 'b', extra: 'c' });
    stored.fields.pop();
    delete read().extra;
    const requests = await record(() =>
      expect(update({ extra: 'new' })).rejects.toThrow('the table no longer has the field "extra"'),
    );
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(await update({ title: 'z' })).toMatchObject({ action: 'updated' });
    expect(stored.records.get(recordId)).toMatchObject({ title: 'z', text: 'b' });
  });

  test('a part of a composite keeps the other parts', async () => {
    const name = `Guests ${++count}`;
    env.service.addTable({ name, fields: [{ name: 'Full Name', type: 'Name' }] });
    const full = { first_name: 'Ada', last_name: 'King' };
    const { update, read } = await open(name, { full_name: full });
    await update({ full_name: { first_name: 'Eve' } });
    expect(read().full_name).toMatchObject({ first_name: 'Eve', last_name: 'King' });
  });

  test('a record that was read just before is not read again', async () => {
    const { update, read, client } = await openProduct();
    const before = { record: { ...read(), id: String(read().id) }, readAt: client.clock.now() };
    const requests = await record(() => update({ price: 8 }, { before }));
    expect(requests.map(({ method }) => method)).toEqual(['POST']);
    const outdated = { ...before, readAt: client.clock.now() - 60_000 };
    const again = await record(() => update({ price: 9 }, { before: outdated }));
    expect(again.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });
});

test('at one request a minute, updates are sent after a bounded number of readings', async () => {
  const slow = new ClientEnvironment();
  await slow.start({ perMinute: 1 });
  const stored = slow.service.addTable({ name: 'Slow', fields: [{ name: 'Title', type: 'Text' }] });
  const [id, other] = [stored.insert({ title: 'a' }).id, stored.insert({ title: 'b' }).id];
  const client = slow.createClient();
  const table = await getTable(client, stored.id);
  const encode = (title: string) => encodeRecordValues({ title }, table, { timeZone: 'UTC' });
  const timeZone = 'UTC';
  const update = { table, recordId: id, timeZone, entries: encode('c'), listNextIds: () => [id, other] };
  const requests = await slow.record(async () => {
    await Promise.all([
      updateRecord(client, update),
      updateRecord(client, { ...update, recordId: other, entries: encode('d') }),
    ]);
  });
  expect([...stored.records.values()].map(({ title }) => title)).toEqual(['c', 'd']);
  // A page, then each record is read and written.
  expect(requests.length).toBeLessThanOrEqual(9);
  await slow.stop();
});

test('a column that was deleted meanwhile is an error, and nothing of an update is written', async () => {
  const name = `Gone ${++count}`;
  const fields = ['Title', 'Extra'].map((one) => ({ name: one, type: 'Text' as const }));
  const stored = env.service.addTable({ name, fields });
  await getTable(env.createClient(), stored.id);
  const { client, table, update, encode, read } = await open(name, { title: 'a' });
  stored.fields.pop();
  delete read().extra;
  const message = 'the table no longer has the field "extra"';
  await expect(update({ title: 'b', extra: 'x' })).rejects.toThrow(message);
  expect(read()).toMatchObject({ title: 'a' });
  const entries = encode({ title: 'c', extra: 'x' });
  await expect(createRecord(client, { table, entries })).rejects.toThrow(message);
  const other = env.createClient();
  await expect(createRecord(other, { table, entries })).rejects.toThrow(message);
  const unknown = `payload key "extra" names no writable field of ${name}`;
  expect(env.service.violations.splice(0).map((one) => one.message)).toEqual([unknown]);
});

describe('a created record', () => {
  test('that lacks a connection is an error that names it', async () => {
    const { client, table, encode } = await openOrder();
    const entries = encode({ number: createSku(), products: [UNKNOWN] });
    env.service.options.unknownConnection = 'dropped';
    let created = '';
    const onCreated = (id: string) => void (created = id);
    await expect(createRecord(client, { table, entries, onCreated })).rejects.toMatchObject({
      message: `"Products" does not hold "${UNKNOWN}": the service did not store it`,
      description: expect.stringMatching(/^Record \w+ was created with the other values\./),
      details: { recordId: expect.stringMatching(/^\w+$/) },
    });
    expect(env.service.getTable('Orders').records.has(created)).toBe(true);
    // A user may not see all connections.
    const user = env.createClient({ userLogin: 'password', ...env.service.user });
    await createRecord(user, { table, entries: encode({ number: createSku(), products: [UNKNOWN] }) });
    env.service.options.unknownConnection = 'refused';
  });

  const FILE = [{ fileName: 'a.txt', mimeType: 'text/plain', data: Buffer.from('a') }];
  const PART = { filename: 'a.txt' };

  test.each<[string, object, Record<string, unknown> | undefined, object]>([
    ['values', { title: 'a' }, undefined, { title: 'a' }],
    ['a link', { title: 'a' }, { id: 'r1' }, { title: 'a', connected_to: { id: 'r1' } }],
    ['a file', { title: 'a', doc: FILE }, undefined, { title: 'a', doc: PART }],
    [
      'a file and a link',
      { title: 'a', doc: FILE },
      { id: 'r1' },
      { title: 'a', doc: PART, 'connected_to[id]': 'r1' },
    ],
  ])('is sent with %s', async (_, values, link, sent) => {
    const name = `Sent ${++count}`;
    const fields = (['Text', 'File'] as const).map((type, n) => ({ name: ['Title', 'Doc'][n]!, type }));
    env.service.addTable({ name, fields });
    const { client, table, encode } = await open(name, {});
    const body = { type: 'success', id: 'r1' };
    env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'status', status: 200, body } });
    const creation = { table, entries: encode(values), link, showsEquations: link !== undefined };
    const [request, ...others] = await record(() => createRecord(client, creation));
    expect(others).toEqual([]);
    expect(request).toMatchObject({ body: sent, query: link ? { showequationlog: 'true' } : {} });
    expect(Object.keys(request!.body as object).sort()).toEqual(Object.keys(sent).sort());
  });
});
