import { chain, node } from '../harness';
import { byId, columns, START, TYPE, until, World } from './support';

/** How the item loop runs: side by side, in order, within the limit, and saying so. */

let world: World;
beforeAll(async () => void (world = await World.start({ latencyMs: 20 })));
afterAll(() => world.stop());

const created = { columns: columns({ company: '={{ $json.company }}', email: '={{ $json.email }}' }) };
const customers = (count: number, tag: string) =>
  Array.from({ length: count }, (_, index) => ({
    company: `${tag} ${index}`,
    email: `${tag}${index}@example.com`,
  }));

test('items run side by side and come out in the order and pairing in which they came in', async () => {
  const input = customers(60, 'order');
  const from = performance.now();
  world.service.options.latencyMs = 250;
  const run = await world.records('create', world.table('Customers'), created, input);
  world.service.options.latencyMs = 20;
  // One after the other cannot take less; eight at once take an eighth, which leaves room for a busy machine.
  expect(performance.now() - from).toBeLessThan(60 * 250);
  expect(run.jsonOf('Node').map(({ company }) => company)).toEqual(input.map(({ company }) => company));
  expect(run.itemsOf('Node').map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
});

test('"Parallel Requests" of 1 sends one after the other', async () => {
  const input = customers(10, 'alone');
  const from = performance.now();
  const run = await world.records(
    'create',
    world.table('Customers'),
    { ...created, requests: { parallel: 1 } },
    input,
  );
  expect(performance.now() - from).toBeGreaterThanOrEqual(10 * 20);
  expect(run.jsonOf('Node')).toHaveLength(10);
});

test('updates of one record stay in order', async () => {
  const table = world.table('Customers');
  const record = [...table.records.keys()][0]!;
  const input = Array.from({ length: 20 }, (_, index) => ({ company: `version ${index}` }));
  const run = await world.records(
    'update',
    table,
    { recordId: record, columns: columns({ company: '={{ $json.company }}' }) },
    input,
  );
  expect(run.error).toBeUndefined();
  expect(table.records.get(record)!.company).toBe('version 19');
  expect(run.jsonOf('Node').map(({ company }) => company)).toEqual(input.map(({ company }) => company));
});

test('without Continue On Fail the first failure in input order is thrown, and what follows is not started', async () => {
  const input = customers(100, 'stop').map((one, index) =>
    index === 3 ? { ...one, email: 'no e-mail' } : one,
  );
  const before = world.service.requests.length;
  const run = await world.records('create', world.table('Customers'), created, input);
  expect(run.error?.message).toBe('"Email" cannot take "no e-mail"');
  expect((run.error as { context?: { itemIndex?: number } }).context?.itemIndex).toBe(3);
  expect(world.service.requests.length - before).toBeLessThan(30);
});

test('a field that was added while the node knew the old ones is found', async () => {
  const table = world.table('Customers');
  await world.records('getAll', table, { limit: 1 });
  const before = world.seen().filter((one) => one.endsWith('full-fields-info')).length;
  const field = {
    ...table.fields.find(({ slug }) => slug === 'company')!,
    slug: 'brand_new',
    name: 'Brand New',
    fieldId: 'field_900',
  };
  table.fields.push(field);
  const sort = { rules: [{ field: 'brand_new', direction: 'asc' }] };
  const run = await world.records('getAll', table, { limit: 1, sort }, [{}, {}, {}, {}]);
  expect(run.error).toBeUndefined();
  expect(world.seen().filter((one) => one.endsWith('full-fields-info')).length - before).toBe(1);

  // One that really is not there costs one look as well, not one for each item.
  const wrong = { rules: [{ field: 'no_such_field', direction: 'asc' }] };
  const again = await world.records('getAll', table, { limit: 1, sort: wrong }, [{}, {}, {}, {}]);
  expect(again.error?.message).toContain('no field "no_such_field"');
  expect(world.seen().filter((one) => one.endsWith('full-fields-info')).length - before).toBe(2);
});

test('a run that the limit slowed says so, and how far it was', async () => {
  const slow = await World.start({ perMinute: 40, windowMs: 10_000 });
  try {
    const run = await slow.records('create', slow.table('Customers'), created, customers(70, 'slow'));
    expect(run.jsonOf('Node')).toHaveLength(70);
    expect(slow.service.requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(run.hints('Node').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The request limit of the API key slowed this run: it waited \d+ seconds\./),
    ]);
    const said = run.uiMessages.flatMap(({ messages }) => messages);
    expect(said.length).toBeGreaterThan(0);
    for (const one of said) expect(one).toMatch(/^\d+ of 70 items done$/);
  } finally {
    await slow.stop();
  }
});

test('a run that nothing slowed says nothing', async () => {
  const run = await world.records('create', world.table('Customers'), created, customers(5, 'quick'));
  expect(run.hints('Node')).toEqual([]);
  expect(run.uiMessages).toEqual([]);
});

test('a cancelled run ends, whatever it waited for', async () => {
  const perMinute = 20;
  const slow = await World.start({ perMinute, windowMs: 3_600_000 });
  try {
    const workflow = chain(
      START,
      node('Node', TYPE, {
        resource: 'record',
        operation: 'create',
        dataTableId: byId(slow.table('Customers').id),
        ...created,
      }),
    );
    const input = customers(70, 'cancel').map((json) => ({ json }));
    const cancel = new AbortController();
    const running = slow.engine.run(workflow, { input, abortSignal: cancel.signal });
    // All that the window admits, but for the one that is kept back for the next: from here on the run waits.
    await until(() => slow.service.requests.filter(({ status }) => status === 200).length === perMinute - 1);
    cancel.abort();
    expect((await running).error?.message).toMatch(/cancelled/);
    expect(slow.service.requests).toHaveLength(perMinute - 1);
  } finally {
    await slow.stop();
  }
});

test('drift while reading is said after the run, and nothing is missing', async () => {
  const table = world.service.addTable({ name: 'Busy', fields: [{ name: 'Name', type: 'Text' }] });
  for (let index = 0; index < 1_000; index++) table.insert({ name: `n${index}` });
  const all = [...table.records.keys()];
  const [first, last] = [all.slice(0, 500), all.slice(500)];
  // By the requests and not by a clock: however fast the machine reads, every page finds fewer before it.
  const { requests } = world.service;
  const push = requests.push.bind(requests);
  requests.push = (...arrived) => {
    const isPage = arrived.some(({ path }) => path.endsWith(`/${table.id}/records`));
    if (isPage) for (const id of first.splice(0, 10)) table.delete(id);
    return push(...arrived);
  };
  const run = await world.records('getAll', table, { returnAll: true });
  requests.push = push;
  const ids = new Set(run.jsonOf('Node').map(({ id }) => id));
  expect(last.filter((id) => !ids.has(id))).toEqual([]);
  expect(run.hints('Node').map(({ message }) => message)).toEqual([
    expect.stringContaining('Records were added or removed while they were read'),
  ]);
});
