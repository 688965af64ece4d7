import { createHash } from 'node:crypto';
import type { ActiveTrigger } from '../harness/webhooks/activeTrigger';
import { newSeed, runs } from '../randomness';
import { World } from './support';
import { ALL_EVENTS, listening } from './trigger-support';

let world: World;
let trigger: ActiveTrigger;
beforeEach(async () => {
  world = await World.start();
});
afterEach(async () => {
  const violations = world.violations();
  await world.stop();
  expect(violations).toEqual([]);
});

const LIST = 'GET /api/v1/web-hooks/list';
const listsSince = (since: number) => world.seen(since).filter((one) => one === LIST).length;

async function start(parameters: object = {}, tables = ['Customers'], events = ALL_EVENTS) {
  trigger = await world.engine.activate(listening(world, tables, events, parameters));
}

/**
 * What the trigger put out, run by run, once every delivery is through. Where it answers before it has read
 * the record, the answer is no sign that the run has started: `atLeast` so many are waited for.
 */
async function items(atLeast = 0) {
  await world.service.deliveriesSettled();
  await trigger.waitForExecutions(atLeast);
  const runs = await trigger.idle();
  expect(runs.map(({ error }) => error?.message)).toEqual(runs.map(() => undefined));
  return runs.map((run) => run.jsonOf('Trigger'));
}

const tokenFor = (type: string, table = 'Customers') => {
  const { id } = world.table(table);
  const found = world.service.subscriptions.find((one) => one.type === type && one.data_table_id === id);
  return new URL(found!.hookUrl).searchParams.get('token')!;
};

const body = (more: object = {}) => ({
  event_type: 'INSERT',
  table_id: world.table('Customers').id,
  table_name: 'Customers',
  record: { id: 'r1', company: 'Posted', created_at: '2025-01-01 10:00:00' },
  timestamp: '2025-01-01T10:00:00Z',
  ...more,
});

const post = (payload: unknown, token?: string) =>
  trigger.post(payload, { query: token === undefined ? {} : { token } });

test('the event and its record, for each kind of change', async () => {
  await start();
  const customers = world.table('Customers');
  const { id } = customers.insert({ company: 'One' });
  customers.update(id, { company: 'Two' });
  customers.delete(id);
  const found = (await items()).flat();
  expect(found.map(({ event }) => event).sort()).toEqual(['DELETE', 'INSERT', 'UPDATE']);
  expect(found.find(({ event }) => event === 'UPDATE')).toEqual({
    event: 'UPDATE',
    tableId: customers.id,
    tableName: 'Customers',
    record: expect.objectContaining({ id, company: 'Two' }) as object,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
  });
  expect(world.service.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('record only, chosen fields, display names, full record', async () => {
  await start(
    { output: 'record', options: { columns: ['customer', 'status'], fullRecord: true, displayNames: true } },
    ['Orders'],
  );
  const orders = world.table('Orders');
  const [customer] = [...world.table('Customers').records.keys()];
  const { id } = orders.insert({ number: 'N-1', status: 'open', customer: [customer] });
  expect(await items(1)).toEqual([
    [
      {
        id,
        Customer: [customer],
        Customer_val: [{ id: customer, val: world.table('Customers').display(customer!) }],
        Status: 'open',
      },
    ],
  ]);
});

test('the text "false" of an expression is off', async () => {
  const off = '={{ "false" }}';
  await start({
    output: 'record',
    options: { fullRecord: off, displayNames: off, verify: off, ignoreDuplicates: off },
  });
  expect((await post(body(), tokenFor('INSERT'))).status).toBe(200);
  expect((await post(body(), tokenFor('INSERT'))).status).toBe(200);
  expect(await items(2)).toMatchObject([[{ company: 'Posted' }], [{ company: 'Posted' }]]);
});

test('a record that is gone before it could be read again comes as delivered, and says so', async () => {
  await start({ options: { fullRecord: true } });
  expect((await post(body(), tokenFor('INSERT'))).status).toBe(200);
  expect(await items(1)).toMatchObject([[{ record: { company: 'Posted' }, _notChecked: ['fullRecord'] }]]);
});

test('the filter form decides what starts the workflow', async () => {
  await start({
    filterMode: 'manual',
    match: 'any',
    conditions: {
      items: [
        { field: 'credit_limit|number', operator: 'higher than', numberValue: 100 },
        { field: 'name-first|text', operator: 'is', value: 'ada' },
      ],
    },
  });
  const since = world.service.requests.length;
  const customers = world.table('Customers');
  customers.insert({ company: 'rich', credit_limit: 101 });
  customers.insert({ company: 'poor', credit_limit: 100 });
  customers.insert({ company: 'named', name: { first_name: 'Ada' } });
  const found = (await items()).flat().map(({ record }) => (record as { company: string }).company);
  expect(found.sort()).toEqual(['named', 'rich']);
  // The fields are remembered from the activation: no delivery waits for a call.
  expect(world.seen(since)).toEqual([]);
  trigger.replaceStaticData('Trigger');
  customers.insert({ company: 'after a loss', credit_limit: 500 });
  expect((await items()).flat()).toHaveLength(3);
});

test('verification: the record must be there, and comes as the service holds it', async () => {
  await start({
    options: { verify: true },
    filterMode: 'json',
    filterJson: '[{"field_id":"company","operator":"is","val":"True"}]',
  });
  const customers = world.table('Customers');
  const { id, created_at } = customers.insert({ company: 'True' });
  expect(await items()).toMatchObject([[{ record: { id, company: 'True', account_owner_val: [] } }]]);
  const record = (more: object) => body({ record: { id, company: 'True', created_at, ...more } });
  const token = tokenFor('INSERT');
  expect((await post(record({ id: 'r1' }), token)).status).toBe(410);
  expect((await post(record({ created_at: '2020-01-01 00:00:00' }), token)).status).toBe(410);
  customers.update(id, { company: 'Changed' });
  await items();
  expect((await post(record({ phone: '1' }), token)).status).toBe(200);
  expect(await items()).toHaveLength(1);
});

test('an event that cannot be verified just now shows as a failed run, and may come again', async () => {
  await start({ options: { verify: true } });
  world.service.faults.add({
    when: { method: 'GET', pattern: /records/ },
    fault: { type: 'status', status: 403 },
  });
  world.service.options.deliveryRetries = 1;
  world.table('Customers').insert({ company: 'Again' });
  await world.service.deliveriesSettled();
  const [failed, passed] = await trigger.idle();
  expect(failed!.error?.message).toContain('The API key lacks the permission');
  expect((failed!.error as { description?: string }).description).toMatch(
    /The event was INSERT of record \w+/,
  );
  expect(passed!.jsonOf('Trigger')).toMatchObject([{ record: { company: 'Again' } }]);
  expect(world.service.deliveries.map(({ status }) => status)).toEqual([500, 200]);
});

test('an event that is ahead of its record is refused, and welcome when it comes again', async () => {
  await start({ options: { verify: true } });
  world.service.faults.add({
    when: { method: 'GET', pattern: /records/ },
    fault: { type: 'status', status: 404 },
  });
  world.service.options.deliveryRetries = 1;
  world.table('Customers').insert({ company: 'Early' });
  expect(await items(1)).toMatchObject([[{ record: { company: 'Early' } }]]);
  expect(world.service.deliveries.map(({ status }) => status)).toEqual([410, 200]);
});

test('a repetition that comes during the verification waits for what becomes of it', async () => {
  await start({ options: { verify: true } });
  const { id, created_at } = world.table('Customers').insert({ company: 'Twice' });
  await items(1);
  world.service.faults.add({
    when: { method: 'GET', pattern: /records/ },
    fault: { type: 'status', status: 403 },
  });
  const event = body({ record: { id, company: 'Twice', created_at } });
  const token = tokenFor('INSERT');
  const statuses = await Promise.all([1, 2, 3].map(async () => (await post(event, token)).status));
  expect(statuses.sort()).toEqual([200, 200, 500]);
  const runs = await trigger.idle();
  expect(runs.slice(1).map(({ error }) => error !== undefined)).toEqual([true, false]);
});

test('fields to keep may be named by their IDs', async () => {
  const { fieldId } = world.table('Customers').fields.find(({ slug }) => slug === 'company')!;
  await start({ output: 'record', options: { columns: [fieldId] } });
  const { id } = world.table('Customers').insert({ company: 'Named by ID', phone: '1' });
  expect(await items()).toEqual([[{ id, company: 'Named by ID' }]]);
});

test('a token opens one event of one table, and nothing is taken without it', async () => {
  await start({}, ['Customers', 'Orders'], ['INSERT', 'UPDATE']);
  const good = tokenFor('INSERT');
  const wrong = [
    undefined,
    '',
    'x',
    good.slice(1),
    `${good}x`,
    good.toUpperCase(),
    tokenFor('UPDATE'),
    tokenFor('INSERT', 'Orders'),
  ];
  for (const token of wrong) expect((await post(body(), token)).status).toBe(401);
  const twice = await fetch(`${trigger.localUrls[0]}?token=${good}&token=${good}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body()),
  });
  expect(twice.status).toBe(401);
  expect((await post(body({ event_type: 'DELETE' }), good)).status).toBe(401);
  expect(await items()).toEqual([]);
  expect((await post(body(), good)).status).toBe(200);
  expect(await items()).toHaveLength(1);
});

test('after the App Secret was changed, the list vouches for the tokens it shows', async () => {
  await start({}, ['Customers'], ['INSERT']);
  const { baseUrl } = world.service;
  const { id } = (await world.engine.setCredential('recordDatabaseApi', {})) as { id: string };
  expect(id).toMatch(/\S/);
  const workflowCredential = trigger as unknown as {
    stored: { nodes: Array<{ credentials: Record<string, { id: string }> }> };
  };
  const used = workflowCredential.stored.nodes[0]!.credentials.recordDatabaseApi!.id;
  await world.engine.setCredential('recordDatabaseApi', { baseUrl, ...world.service.addKey() }, { id: used });
  world.table('Customers').insert({ company: 'Still heard' });
  expect(await items()).toMatchObject([[{ record: { company: 'Still heard' } }]]);
  expect((await post(body(), 'forged')).status).toBe(401);
});

test('a service that drops the query string is heard, and each item says what was not checked', async () => {
  const list = world.service.subscriptions;
  const push = list.push.bind(list);
  list.push = (...rows) => push(...rows.map((row) => ({ ...row, hookUrl: row.hookUrl.split('?')[0]! })));
  await start({}, ['Customers'], ['INSERT']);
  world.table('Customers').insert({ company: 'Bare' });
  expect(await items()).toMatchObject([[{ record: { company: 'Bare' }, _notChecked: ['token'] }]]);
  expect(world.engine.logs.some(({ text }) => text.includes('drops the query string'))).toBe(true);
  // With the static data lost the list is asked; a wrong token is still refused.
  trigger.replaceStaticData('Trigger');
  world.table('Customers').insert({ company: 'Bare again' });
  expect(await items()).toHaveLength(2);
  expect((await post(body({ timestamp: '2' }), 'forged')).status).toBe(401);
});

test('large and odd bodies are refused without a failed execution', async () => {
  await start({ options: { maximumSize: 0.01 } });
  const token = tokenFor('INSERT');
  const odd: Array<[unknown, number]> = [
    [body({ record: { id: 'r1', notes: 'x'.repeat(11_000) } }), 413],
    [{}, 400],
    [[], 400],
    ['text', 400],
    ['', 400],
    [body({ event_type: 'insert' }), 400],
    [body({ event_type: ['INSERT'] }), 400],
    [body({ table_id: null }), 400],
    [body({ record: [] }), 400],
    [body({ record: {} }), 400],
    [body({ record: { id: { $ne: 1 } } }), 400],
  ];
  for (const [payload, status] of odd)
    expect([payload, (await post(payload, token)).status]).toEqual([payload, status]);
  expect(await trigger.idle()).toEqual([]);
  // JSON that comes under another content type is still the service's event.
  expect((await post(JSON.stringify(body()), token)).status).toBe(200);
  expect(await items()).toHaveLength(1);
});

test('changes that differ in anything are all taken, repetitions once; without a timestamp all are', async () => {
  await start();
  const token = tokenFor('INSERT');
  for (const company of ['A', 'B', 'A', 'B']) await post(body({ record: { id: 'r1', company } }), token);
  expect(await items()).toHaveLength(2);
  for (let i = 0; i < 2; i++) await post(body({ timestamp: undefined }), token);
  const found = (await items()).flat();
  expect(found.slice(2)).toMatchObject([{ _notChecked: ['duplicates'] }, { _notChecked: ['duplicates'] }]);
});

test('duplicates are let through where the option says so', async () => {
  await start({ options: { ignoreDuplicates: false } });
  for (let i = 0; i < 3; i++) await post(body(), tokenFor('INSERT'));
  expect(await items()).toHaveLength(3);
});

test('what was seen survives in the static data, although deliveries overwrite each other there', async () => {
  await start();
  const token = tokenFor('INSERT');
  await Promise.all([...Array(50).keys()].map((n) => post(body({ record: { id: `r${n}` } }), token)));
  await post(body({ record: { id: 'last' } }), token);
  expect(await items()).toHaveLength(51);
  expect(new Set((trigger.staticData('Trigger').seen as string).split(' ')).size).toBe(51);
});

const COUNT = runs(10_000);

test(`${COUNT} forged bodies: no execution, no crash, and the service is hardly asked`, async () => {
  await start({}, ['Customers'], ['INSERT', 'UPDATE']);
  const seed = newSeed();
  const [since, began] = [world.service.requests.length, Date.now()];
  const good = tokenFor('INSERT');
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
    const whole = { ...body(), ...(a % 2 ? odd : {}) };
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
  const worker = async () => {
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
  await Promise.all(Array.from({ length: 16 }, worker));
  console.log(`answers: ${JSON.stringify([...statuses])}`);
  // 422 is n8n's own answer to JSON that is none.
  expect([...statuses.keys()].sort()).toEqual([400, 401, 422]);
  expect([...statuses.values()].reduce((a, b) => a + b)).toBe(COUNT);
  expect(statuses.get(401)).toBeGreaterThan(COUNT / 5);
  expect(await trigger.idle()).toEqual([]);
  // The list is read once a minute, with and without the table.
  const minutes = Math.ceil((Date.now() - began) / 60_000);
  expect(listsSince(since)).toBeLessThanOrEqual(2 * (minutes + 1));
  expect((await post(body(), good)).status).toBe(200);
  expect(await items()).toHaveLength(1);
});

test(`${COUNT} deliveries sent 1 to 3 times, shuffled: none lost, none twice`, async () => {
  await start({}, ['Customers'], ['UPDATE']);
  const seed = newSeed();
  const token = tokenFor('UPDATE');
  const random = (n: number) => createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE();
  const deliveries = [...Array(COUNT).keys()].map((n) =>
    // A few records and seconds only: most differ in their values alone.
    body({
      event_type: 'UPDATE',
      record: { id: `r${n % 50}`, number: n },
      timestamp: `2025-01-01T10:00:0${n % 10}Z`,
    }),
  );
  const sent = deliveries
    .flatMap((delivery, n) => Array.from({ length: 1 + (random(n) % 3) }, () => delivery))
    .map((delivery, n) => ({ delivery, order: random(-1 - n) }))
    .sort((a, b) => a.order - b.order);
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < sent.length; n = next++) {
      const { status } = await post(sent[n]!.delivery, token);
      if (status !== 200) throw new Error(`answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const numbers = (await items()).map(([item]) => (item!.record as { number: number }).number);
  console.log(`${sent.length} sent, ${numbers.length} executions`);
  expect(sent.length).toBeGreaterThan(1.5 * COUNT);
  expect(numbers).toHaveLength(COUNT);
  expect(new Set(numbers).size).toBe(COUNT);
});

test('an event that lacks what the filter names is worth more than the latest fields', async () => {
  const named = (field: string, value: string) => ({ field: `${field}|text`, operator: 'is', value });
  const items = [named('company', 'Posted'), named('phone', 'none')];
  await start({ filterMode: 'manual', match: 'any', conditions: { items } });
  const real = performance.now.bind(performance);
  const now = jest.spyOn(performance, 'now').mockImplementation(() => real() + 31_000);
  world.service.faults.add({
    when: { pattern: /full-fields-info$/ },
    fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Permission Denied' } },
  });
  expect((await post(body(), tokenFor('INSERT'))).status).toBe(200);
  await trigger.waitForExecutions(1);
  const runs = await trigger.idle();
  now.mockRestore();
  expect(runs.map(({ error }) => error)).toEqual([undefined]);
});

test('a filter on a field that was renamed is a failed execution, not silence', async () => {
  const condition = { field: 'company|text', operator: 'is', value: 'X' };
  await start({ filterMode: 'manual', match: 'all', conditions: { items: [condition] } });
  const customers = world.table('Customers');
  Object.assign(
    customers.fields.find(({ slug }) => slug === 'company')!,
    { slug: 'firm' },
  );
  // The fields read at activation are believed for half a minute.
  const real = performance.now.bind(performance);
  const now = jest.spyOn(performance, 'now').mockImplementation(() => real() + 31_000);
  customers.insert({ firm: 'X' });
  await world.service.deliveriesSettled();
  await trigger.waitForExecutions(1);
  const runs = await trigger.idle();
  now.mockRestore();
  expect(runs.map(({ error }) => error?.message)).toEqual([expect.stringContaining('"company"')]);
});
