/* eslint-disable no-console -- not shipped: runs on Node */
import { createHash } from 'node:crypto';
import { omit } from 'lodash';
import { advanceClock } from '../../environment/advanceClock';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { eventOutput } from '../../outputs';
import { createSeed, scaleRuns } from '../../randomness';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { ALL_EVENTS, createTriggerWorkflow } from './support';

/** The documented deliveries. Those of other forms are in `forms.test.ts`. */
const env = useFreshTestEnvironment({
  deliveryForm: 'documented',
  deliveryFields: 'all',
  systemKeys: 'documented',
  getDisplayValues: 'shown',
});
let trigger: ActiveTrigger;

/** Milliseconds after which the fields that were read when the workflow was published are read again. */
const FIELDS_MS = 31_000;

async function startTrigger(parameters: object = {}, tables = ['Customers'], events = ALL_EVENTS) {
  trigger = await env.engine.activate(createTriggerWorkflow(env, tables, events, parameters));
}

/**
 * Returns the trigger's items of each run after all deliveries have ended. If the trigger responds before it has
 * read the record, the run may start after the response; `atLeast` is the number of runs to wait for.
 */
async function collectItems(atLeast = 0) {
  await env.service.waitForDeliveries();
  await trigger.waitForExecutions(atLeast);
  const runs = await trigger.waitUntilIdle();
  expect(runs.map(({ error }) => error?.message)).toEqual(runs.map(() => undefined));
  return runs.map((run) => run.getJson('Trigger'));
}

const findToken = (type: string, table = 'Customers') => {
  const { id } = env.getTable(table);
  const found = env.service.subscriptions.find((one) => one.type === type && one.data_table_id === id);
  return new URL(found!.hookUrl).searchParams.get('token')!;
};

const createBody = (more: object = {}) => ({
  event_type: 'INSERT',
  table_id: env.getTable('Customers').id,
  table_name: 'Customers',
  record: { id: 'r1', company: 'Posted', created_at: '2025-01-01 10:00:00' },
  timestamp: '2025-01-01T10:00:00Z',
  ...more,
});

const postDelivery = (payload: unknown, token?: string) =>
  trigger.post(payload, { query: token === undefined ? {} : { token } });

test('returns the event and its record for each kind of change', async () => {
  await startTrigger();
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'One' });
  customers.update(id, { company: 'Two' });
  customers.delete(id);
  const found = (await collectItems()).flat();
  expect(found.map(({ _event }) => _event).sort()).toEqual(['DELETE', 'INSERT', 'UPDATE']);
  const shape = eventOutput.partial({ created_at: true });
  for (const item of found) expect(item).toMatchObject(shape.parse(item));
  const updated = found.find(({ _event }) => _event === 'UPDATE')!;
  // In some services, the deleted record cannot be read any more.
  expect(Object.keys(omit(updated, '_notChecked')).slice(0, 3)).toEqual(['_event', '_table', 'id']);
  expect(updated).toMatchObject({ _table: 'Customers', id, company: 'Two' });
  expect(env.service.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('Event returns the event as it was sent', async () => {
  await startTrigger({ output: 'event' }, ['Orders'], ['INSERT']);
  const orders = env.getTable('Orders');
  const [customer] = [...env.getTable('Customers').records.keys()];
  const { id } = orders.insert({ number: 'N-1', customer: [customer] });
  expect((await collectItems()).flat()).toEqual([
    {
      event: 'INSERT',
      tableId: orders.id,
      tableName: 'Orders',
      record: expect.objectContaining({ id, number: 'N-1', customer: [customer] }) as object,
      timestamp: expect.stringMatching(/^(\d{4}-\d\d-\d\dT|$)/) as string,
    },
  ]);
});

test('of a delivered connection, which has IDs alone, the text is read once', async () => {
  env.service.options.deliveryFields = 'all';
  await startTrigger({}, ['Orders'], ['INSERT']);
  const before = env.service.requests.length;
  const [customer] = [...env.getTable('Customers').records.keys()];
  const { id: customerId, name } = env.getTable('Customers').records.get(customer!)!;
  const insert = (number: string) => env.getTable('Orders').insert({ number, customer: [customerId] });
  insert('N-1');
  insert('N-2');
  const shown = {
    customer: Object.values(name as object)
      .filter(Boolean)
      .join(' '),
    customer_id: customerId,
    products: [],
    products_id: [],
  };
  expect((await collectItems(2)).flat()).toMatchObject([
    { number: 'N-1', ...shown },
    { number: 'N-2', ...shown },
  ]);
  // The fields of Orders were stored when the workflow was published.
  expect(env.listRequests(before)).toEqual([
    'GET /api/v1/data-tables/{dataTableId}/full-fields-info',
    'GET /api/v1/data-tables/{dataTableId}/records/{recordId}',
  ]);
});

test('chosen fields and display names of a record that is delivered in part', async () => {
  Object.assign(env.service.options, { deliveryFields: 'touched', getDisplayValues: 'shown' });
  await startTrigger({ output: 'namedRecord', options: { columns: ['customer', 'status'] } }, ['Orders']);
  const orders = env.getTable('Orders');
  const [customer] = [...env.getTable('Customers').records.keys()];
  const { id } = orders.insert({ number: 'N-1', status: 'open', customer: [customer] });
  expect(await collectItems(1)).toEqual([
    [
      {
        _event: 'INSERT',
        _table: 'Orders',
        id,
        Customer: env.getTable('Customers').getDisplayText(customer!),
        Customer_id: customer,
        Status: 'open',
      },
    ],
  ]);
});

test('the text "false" of an expression is off', async () => {
  const off = '={{ "false" }}';
  await startTrigger({
    output: 'record',
    options: { fullRecord: off, ignoreDuplicates: off },
  });
  expect((await postDelivery(createBody(), findToken('INSERT'))).status).toBe(200);
  expect((await postDelivery(createBody(), findToken('INSERT'))).status).toBe(200);
  expect(await collectItems(2)).toMatchObject([[{ company: 'Posted' }], [{ company: 'Posted' }]]);
});

test('returns the delivered fields with a note if the record no longer exists', async () => {
  await startTrigger({ options: { fullRecord: true } });
  expect((await postDelivery(createBody(), findToken('INSERT'))).status).toBe(200);
  expect(await collectItems(1)).toMatchObject([[{ company: 'Posted', _notChecked: ['fullRecord'] }]]);
});

test('the filter form decides what starts the workflow', async () => {
  env.service.options.deliveryFields = 'all';
  await startTrigger({
    filterMode: 'any',
    conditions: {
      items: [
        { field: 'credit_limit|number', operator: 'higher than', numberValue: 100 },
        { field: 'name-first|text', operator: 'is', value: 'ada' },
      ],
    },
  });
  const since = env.service.requests.length;
  const customers = env.getTable('Customers');
  customers.insert({ company: 'rich', credit_limit: 101 });
  customers.insert({ company: 'poor', credit_limit: 100 });
  customers.insert({ company: 'named', name: { first_name: 'Ada' } });
  const found = (await collectItems()).flat().map(({ company }) => company);
  expect(found.sort()).toEqual(['named', 'rich']);
  // The fields are stored at activation, so no delivery waits for a request.
  expect(env.listRequests(since)).toEqual([]);
  trigger.replaceStaticData('Trigger');
  customers.insert({ company: 'after a loss', credit_limit: 500 });
  expect((await collectItems()).flat()).toHaveLength(3);
});

describe('a delivery that holds a part of the fields', () => {
  const filterBy = (operator: string) => ({
    filterMode: 'manual',
    conditions: { items: [{ field: 'company|text', operator, value: 'True' }] },
  });
  const postPart = (id: string, more: object = {}) =>
    postDelivery(createBody({ record: { id, phone: '1' }, ...more }), findToken('INSERT'));

  test.each([
    ['is', 1],
    ['is not', 0],
  ])('the filter reads a field that it lacks: "%s" starts %i', async (operator, started) => {
    await startTrigger(filterBy(operator), ['Customers'], ['INSERT', 'DELETE']);
    const { id } = env.getTable('Customers').insert({ company: 'True' });
    await collectItems();
    expect((await postPart(id, { timestamp: '2025-01-01T10:00:01Z' })).status).toBe(200);
    expect(await collectItems()).toHaveLength(2 * started);
  });

  test('a deletion starts the workflow, since its record cannot be read any more', async () => {
    await startTrigger(filterBy('is'), ['Customers'], ['DELETE']);
    const since = env.service.requests.length;
    const body = createBody({ event_type: 'DELETE', record: { id: 'r1', phone: '1' } });
    expect((await postDelivery(body, findToken('DELETE'))).status).toBe(200);
    expect(await collectItems()).toMatchObject([[{ phone: '1', _notChecked: ['filter'] }]]);
    expect(env.listRequests(since)).toEqual([]);
  });

  test('fails while a record that the filter needs cannot be read, and accepts the repeated delivery', async () => {
    await startTrigger(filterBy('is'), ['Customers'], ['INSERT']);
    const { id } = env.getTable('Customers').insert({ company: 'True' });
    await collectItems();
    env.service.faults.add({
      when: { method: 'GET', pattern: /records/ },
      fault: { type: 'status', status: 403 },
    });
    const timestamp = '2025-01-01T10:00:01Z';
    expect((await postPart(id, { timestamp })).status).toBe(500);
    const [, failed] = await trigger.waitUntilIdle();
    expect((failed!.error as { description?: string }).description).toContain(`of record ${id} in table`);
    expect((await postPart(id, { timestamp })).status).toBe(200);
    expect(await trigger.waitUntilIdle()).toHaveLength(3);
  });
});

test('Read Full Record is on, and the workflow starts without the reading if the limit does not allow it', async () => {
  await startTrigger({}, ['Customers'], ['INSERT']);
  env.service.options.perDay = 0;
  expect((await postDelivery(createBody(), findToken('INSERT'))).status).toBe(200);
  expect(await collectItems()).toMatchObject([[{ company: 'Posted', _notChecked: ['fullRecord'] }]]);
});

test.each([
  ['slugs', ['company', 'phone']],
  ['names', ['Company', 'PHONE']],
])('only changes of the chosen fields (%s) start the workflow, and the item lists them', async (_, names) => {
  await startTrigger({ changedFields: names }, ['Customers'], ['UPDATE']);
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'One' });
  const update = async (values: object, second: number) => {
    const record = { ...customers.records.get(id), ...values };
    const timestamp = `2025-01-01T10:00:0${second}Z`;
    await postDelivery(createBody({ event_type: 'UPDATE', record, timestamp }), findToken('UPDATE'));
  };
  await update({ company: 'One' }, 0);
  await update({ company: 'One', email: 'new@example.com' }, 1);
  await update({ company: 'Two' }, 2);
  const changes = (await collectItems()).map(([item]) => item!._changedFields);
  expect(changes).toEqual([null, ['company']]);
  // A restart of n8n keeps the static data: a line for each field, with its hash and its value.
  const lines = String(trigger.getStaticData('Trigger').values).split('\n');
  expect(lines.map((line) => line.slice(line.indexOf('{')))).toEqual([
    expect.stringContaining('Two'),
    expect.stringContaining('{'),
  ]);
});

test('with Start Without Earlier Values off, the first update of a record starts nothing', async () => {
  const options = { startWithoutEarlierValues: false };
  await startTrigger({ changedFields: ['company'], options }, ['Customers'], ['UPDATE']);
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'One' });
  for (const company of ['Two', 'Three']) {
    const record = { ...customers.records.get(id), company };
    const timestamp = `2025-01-01T10:00:0${company.length}Z`;
    await postDelivery(createBody({ event_type: 'UPDATE', record, timestamp }), findToken('UPDATE'));
  }
  expect(await collectItems()).toMatchObject([[{ company: 'Three', _changedFields: ['company'] }]]);
});

test('accepts field IDs in the fields to keep', async () => {
  const { fieldId } = env.getTable('Customers').fields.find(({ slug }) => slug === 'company')!;
  await startTrigger({ output: 'record', options: { columns: [fieldId] } });
  const { id } = env.getTable('Customers').insert({ company: 'Named by ID', phone: '1' });
  expect(await collectItems()).toEqual([
    [{ _event: 'INSERT', _table: 'Customers', id, company: 'Named by ID' }],
  ]);
});

test('a token is valid for one event of one table, and deliveries without it are refused', async () => {
  await startTrigger({}, ['Customers', 'Orders'], ['INSERT', 'UPDATE']);
  const good = findToken('INSERT');
  const wrong = [
    undefined,
    '',
    'x',
    good.slice(1),
    `${good}x`,
    good.toUpperCase(),
    findToken('UPDATE'),
    findToken('INSERT', 'Orders'),
  ];
  for (const token of wrong) expect((await postDelivery(createBody(), token)).status).toBe(401);
  const twice = await fetch(`${trigger.localUrls[0]}?token=${good}&token=${good}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(createBody()),
  });
  expect(twice.status).toBe(401);
  expect((await postDelivery(createBody({ event_type: 'DELETE' }), good)).status).toBe(401);
  expect(await collectItems()).toEqual([]);
  expect((await postDelivery(createBody(), good)).status).toBe(200);
  expect(await collectItems()).toHaveLength(1);
});

test('after a change of the App Secret, accepts the tokens of the subscriptions', async () => {
  await startTrigger({}, ['Customers'], ['INSERT']);
  const { baseUrl } = env.service;
  const { id } = (await env.engine.setCredential('recordDatabaseApi', {})) as { id: string };
  expect(id).toMatch(/\S/);
  const workflowCredential = trigger as unknown as {
    stored: { nodes: Array<{ credentials: Record<string, { id: string }> }> };
  };
  const used = workflowCredential.stored.nodes[0]!.credentials.recordDatabaseApi!.id;
  await env.engine.setCredential('recordDatabaseApi', { baseUrl, ...env.service.addKey() }, { id: used });
  env.getTable('Customers').insert({ company: 'Still heard' });
  expect(await collectItems()).toMatchObject([[{ company: 'Still heard' }]]);
  expect((await postDelivery(createBody(), 'forged')).status).toBe(401);
});

test('a service that drops the token from the listed addresses is an error when publishing', async () => {
  env.service.options.hookQuery = 'dropped';
  const workflow = createTriggerWorkflow(env, ['Customers'], ['INSERT']);
  await expect(env.engine.activate(workflow, { attempts: 1 })).rejects.toThrow(
    'does not list the subscriptions',
  );
  expect(env.service.subscriptions).toHaveLength(0);
});

test('a service that drops the token from its deliveries starts nothing', async () => {
  env.service.options.hookQuery = 'droppedOnDelivery';
  await startTrigger({}, ['Customers'], ['INSERT']);
  env.getTable('Customers').insert({ company: 'Bare' });
  expect(await collectItems()).toEqual([]);
  expect(env.service.deliveries.map(({ status }) => status)).toEqual([401]);
});

test('a subscription without a token that another key holder created starts no workflow', async () => {
  await startTrigger({}, ['Customers'], ['INSERT']);
  trigger.replaceStaticData('Trigger');
  const [own] = env.service.subscriptions;
  env.service.subscriptions.push({ ...own!, id: 'foreign', hookUrl: own!.hookUrl.split('?')[0]! });
  expect((await postDelivery(createBody())).status).toBe(401);
  expect(await collectItems()).toEqual([]);
});

test('refuses large and malformed bodies without a failed execution', async () => {
  await startTrigger();
  const token = findToken('INSERT');
  const odd: Array<[unknown, number]> = [
    [createBody({ record: { id: 'r1', notes: 'x'.repeat(11 * 1024 * 1024) } }), 413],
    [{}, 400],
    [[], 400],
    ['text', 400],
    ['', 400],
    [createBody({ event_type: 'insert' }), 400],
    [createBody({ event_type: 'UPDATE' }), 401],
    [createBody({ table_id: env.getTable('Orders').id }), 401],
    [createBody({ table_id: [env.getTable('Orders').id] }), 401],
    [createBody({ table_id: { id: env.getTable('Customers').id } }), 401],
    [createBody({ table_id: '' }), 401],
    [createBody({ event_type: ['INSERT'] }), 400],
    [createBody({ record: [] }), 400],
    [createBody({ record: {} }), 400],
    [createBody({ record: { id: { $ne: 1 } } }), 400],
  ];
  for (const [payload, status] of odd)
    expect([payload, (await postDelivery(payload, token)).status]).toEqual([payload, status]);
  expect(await trigger.waitUntilIdle()).toEqual([]);
  // JSON with another content type is still accepted as an event.
  expect((await postDelivery(JSON.stringify(createBody()), token)).status).toBe(200);
  expect(await collectItems()).toHaveLength(1);
});

test('a delivery that equals the last one of its record starts nothing', async () => {
  await startTrigger();
  const token = findToken('INSERT');
  for (const second of [0, 0, 1, 1, 0])
    await postDelivery(createBody({ timestamp: `2025-01-01T10:00:0${second}Z` }), token);
  expect(await collectItems()).toHaveLength(3);
});

test('without a timestamp: saved, changed and saved again are three starts', async () => {
  await startTrigger();
  const post = async (event: string, ...companies: string[]) => {
    for (const company of companies) await postDelivery({ id: 'r1', company }, findToken(event));
  };
  await post('INSERT', 'A', 'A');
  await post('UPDATE', 'A', 'A', 'B', 'B', 'A', 'A');
  await post('DELETE', 'A', 'A');
  await post('INSERT', 'A');
  const items = (await collectItems()).flat().map(({ _event, company }) => `${_event} ${company}`);
  expect(items).toEqual(['INSERT A', 'UPDATE A', 'UPDATE B', 'UPDATE A', 'DELETE A', 'INSERT A']);
});

test('a record that changes from A to B and back within one second starts three executions', async () => {
  await startTrigger();
  const token = findToken('UPDATE');
  for (const company of ['A', 'A', 'B', 'B', 'A', 'A'])
    await postDelivery(createBody({ event_type: 'UPDATE', record: { id: 'r1', company } }), token);
  const companies = (await collectItems()).map(([item]) => item!.company);
  expect(companies).toEqual(['A', 'B', 'A']);
});

test('a repetition with other JSON formatting is the same event', async () => {
  await startTrigger({}, ['Customers'], ['INSERT']);
  const token = findToken('INSERT');
  const { record, ...rest } = createBody();
  await postDelivery({ ...rest, record }, token);
  await postDelivery(JSON.stringify({ record, ...rest }, null, 2), token);
  expect(await collectItems()).toHaveLength(1);
});

test('accepts duplicates if the option is set', async () => {
  await startTrigger({ options: { ignoreDuplicates: false } });
  for (let i = 0; i < 3; i++) await postDelivery(createBody(), findToken('INSERT'));
  expect(await collectItems()).toHaveLength(3);
});

const COUNT = scaleRuns(3_000);

test(`${COUNT} forged bodies: no execution, no crash, and no request to the service`, async () => {
  await startTrigger({}, ['Customers'], ['INSERT', 'UPDATE']);
  const seed = createSeed();
  const since = env.service.requests.length;
  const good = findToken('INSERT');
  const values = [
    null,
    true,
    0,
    -1,
    '',
    'x',
    'INSERT',
    [],
    {},
    [[[]]],
    { id: 'r1' },
    '../..',
    '\u0000',
    'é'.repeat(50),
  ];
  const pick = <T>(n: number, from: T[]): T => from[n % from.length]!;
  const forge = (n: number) => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = createHash('sha256').update(`${seed} ${n}`).digest();
    const token = pick(a, [
      undefined,
      '',
      'x',
      createHash('sha256').update(`${n}`).digest('base64url'),
      good.slice(0, b % 43),
    ]);
    const keys = [
      'event_type',
      'table_id',
      'table_name',
      'record',
      'timestamp',
      '__proto__',
      'constructor',
      'id',
    ];
    const odd = { [pick(c, keys)]: pick(d, values), [pick(e, keys)]: pick(b, values) };
    const whole = { ...createBody(), ...(a % 2 ? odd : {}) };
    const text = JSON.stringify(whole);
    const deep = `{"event_type":"INSERT","record":${'['.repeat(2000)}${']'.repeat(2000)}}`;
    const payload = pick(e, [
      text,
      text,
      text,
      text.slice(0, d),
      `${text}x`,
      deep,
      '{"__proto__":{"x":1}}',
      'null',
      `"${n}"`,
    ]);
    const type = pick(b, [
      'application/json',
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data',
    ]);
    return { token, payload, type };
  };
  const statuses = new Map<number, number>();
  let next = 0;
  const runWorker = async () => {
    for (let n = next++; n < COUNT; n = next++) {
      const { token, payload, type } = forge(n);
      const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
      const { status } = await fetch(`${trigger.localUrls[0]}${query}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: payload,
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 16 }, runWorker));
  console.log(`answers: ${JSON.stringify([...statuses])}`);
  // 422 is n8n's own answer to a body that is not valid JSON.
  expect([...statuses.keys()].sort()).toEqual([401, 422]);
  expect([...statuses.values()].reduce((a, b) => a + b)).toBe(COUNT);
  expect(statuses.get(401)).toBeGreaterThan(COUNT / 10);
  expect(await trigger.waitUntilIdle()).toEqual([]);
  expect(env.listRequests(since)).toEqual([]);
  expect((await postDelivery(createBody(), good)).status).toBe(200);
  expect(await collectItems()).toHaveLength(1);
});

test(`${COUNT} deliveries sent 1 to 3 times, each right after the other: none lost, none twice`, async () => {
  await startTrigger({}, ['Customers'], ['UPDATE']);
  const seed = createSeed();
  const token = findToken('UPDATE');
  const countCopies = (n: number) =>
    1 + (createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE() % 3);
  const RECORDS = 8;
  let sent = 0;
  const sendAll = async (record: number) => {
    for (let n = record; n < COUNT; n += RECORDS) {
      const timestamp = new Date(Date.UTC(2025, 0, 1) + Math.floor(n / 50) * 1000).toISOString();
      const body = createBody({ event_type: 'UPDATE', record: { id: `r${record}`, number: n }, timestamp });
      for (let copy = 0; copy < countCopies(n); copy++, sent++)
        expect((await postDelivery(body, token)).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: RECORDS }, (_, record) => sendAll(record)));
  const numbers = (await collectItems()).map(([item]) => item!.number);
  console.log(`${sent} sent, ${numbers.length} executions`);
  expect(sent).toBeGreaterThan(1.5 * COUNT);
  expect(numbers).toHaveLength(COUNT);
  expect(new Set(numbers).size).toBe(COUNT);
});

test('an event without a field of the filter starts the workflow if the fields cannot be read', async () => {
  const createCondition = (field: string, value: string) => ({
    field: `${field}|text`,
    operator: 'is',
    value,
  });
  const items = [createCondition('company', 'Posted'), createCondition('phone', 'none')];
  await startTrigger({ filterMode: 'any', conditions: { items } });
  advanceClock(FIELDS_MS);
  env.service.faults.add({
    when: { pattern: /full-fields-info$/ },
    fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Permission Denied' } },
  });
  expect((await postDelivery(createBody(), findToken('INSERT'))).status).toBe(200);
  expect(await collectItems(1)).toHaveLength(1);
});

test('a filter on a renamed field is a failed execution', async () => {
  const condition = { field: 'company|text', operator: 'is', value: 'X' };
  await startTrigger({ filterMode: 'manual', match: 'all', conditions: { items: [condition] } });
  const customers = env.getTable('Customers');
  Object.assign(
    customers.fields.find(({ slug }) => slug === 'company')!,
    { slug: 'firm', name: 'Firm' },
  );
  advanceClock(FIELDS_MS);
  customers.insert({ firm: 'X' });
  await env.service.waitForDeliveries();
  expect(env.service.deliveries.map(({ status }) => status)).toEqual([500]);
  const runs = await trigger.waitUntilIdle();
  expect(runs.map(({ error }) => error?.message)).toEqual([expect.stringContaining('"company"')]);
});
