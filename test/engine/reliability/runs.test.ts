import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode } from '../../harness';
import { START, TestEnvironment, toColumns, toLocator, TYPE, waitUntil } from '../support/testEnvironment';

/** The item loop: parallel requests, output order, rate limit, progress messages and hints. */

let env: TestEnvironment;
beforeAll(async () => void (env = await TestEnvironment.start({ latencyMs: 20 })));
afterAll(() => env.stop());

const created = { columns: toColumns({ company: '={{ $json.company }}', email: '={{ $json.email }}' }) };
const createCustomers = (count: number, tag: string) =>
  Array.from({ length: count }, (_, index) => ({
    company: `${tag} ${index}`,
    email: `${tag}${index}@example.com`,
  }));

test('items run in parallel, and the output keeps their order and pairing', async () => {
  const input = createCustomers(60, 'order');
  const since = env.service.requests.length;
  env.service.options.latencyMs = 100;
  const run = await env.runRecordOperation('create', env.getTable('Customers'), created, input);
  env.service.options.latencyMs = 20;
  // Requests that were open when a request arrived: the default of Parallel Requests is 8.
  const open = Math.max(...env.service.requests.slice(since).map(({ inFlight }) => inFlight));
  expect(open).toBeGreaterThan(0);
  expect(open).toBeLessThan(8);
  expect(run.getJson('Node').map(({ company }) => company)).toEqual(input.map(({ company }) => company));
  expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual(
    input.map((_, item) => ({ item })),
  );
});

test('"Parallel Requests" of 1 sends one after the other', async () => {
  const input = createCustomers(10, 'alone');
  const since = env.service.requests.length;
  const run = await env.withSettings({ parallelRequests: 1 }, () =>
    env.runRecordOperation('create', env.getTable('Customers'), created, input),
  );
  expect(env.service.requests.slice(since).map(({ inFlight }) => inFlight)).toEqual(
    env.service.requests.slice(since).map(() => 0),
  );
  expect(run.getJson('Node')).toHaveLength(10);
});

test('updates of one record stay in order', async () => {
  const table = env.getTable('Customers');
  const record = [...table.records.keys()][0]!;
  const input = Array.from({ length: 20 }, (_, index) => ({ company: `version ${index}` }));
  const run = await env.runRecordOperation(
    'update',
    table,
    { recordId: record, columns: toColumns({ company: '={{ $json.company }}' }) },
    input,
  );
  expect(run.error).toBeUndefined();
  expect(table.records.get(record)!.company).toBe('version 19');
  expect(run.getJson('Node').map(({ company }) => company)).toEqual(input.map(({ company }) => company));
});

test('without Continue On Fail, throws the first failure in input order and does not start later items', async () => {
  const input = createCustomers(100, 'stop').map((one, index) =>
    index === 3 ? { ...one, email: 'no e-mail' } : one,
  );
  const before = env.service.requests.length;
  const run = await env.runRecordOperation('create', env.getTable('Customers'), created, input);
  expect(run.error?.message).toBe('Item 4 of 100: "Email" cannot take "no e-mail"');
  // n8n would add "[item 3]" to the message.
  expect((run.error as { context?: { itemIndex?: number } }).context?.itemIndex).toBeUndefined();
  expect(env.service.requests.length - before).toBeLessThan(30);
});

test('finds a field that was added after the fields were cached', async () => {
  const table = env.getTable('Customers');
  await env.runRecordOperation('getAll', table, { limit: 1 });
  const before = env.listRequests().filter((one) => one.endsWith('full-fields-info')).length;
  const field = {
    ...table.fields.find(({ slug }) => slug === 'company')!,
    slug: 'brand_new',
    name: 'Brand New',
    fieldId: 'field_900',
  };
  table.fields.push(field);
  const sort = { rules: [{ field: 'brand_new', direction: 'asc' }] };
  const run = await env.runRecordOperation('getAll', table, { limit: 1, sort }, [{}, {}, {}, {}]);
  expect(run.error).toBeUndefined();
  expect(env.listRequests().filter((one) => one.endsWith('full-fields-info')).length - before).toBe(1);

  // A field that does not exist also takes one more request, not one for each item.
  const wrong = { rules: [{ field: 'no_such_field', direction: 'asc' }] };
  const again = await env.runRecordOperation('getAll', table, { limit: 1, sort: wrong }, [{}, {}, {}, {}]);
  expect(again.error?.message).toContain('no field "no_such_field"');
  expect(env.listRequests().filter((one) => one.endsWith('full-fields-info')).length - before).toBe(2);
});

test('a run that does not wait for the rate limit reports nothing', async () => {
  const run = await env.runRecordOperation(
    'create',
    env.getTable('Customers'),
    created,
    createCustomers(5, 'quick'),
  );
  expect(run.getHints('Node')).toEqual([]);
  expect(run.uiMessages).toEqual([]);
});

describe('the rate limit', () => {
  skipWaits();

  test('a run that waits for the rate limit reports its progress and the wait', async () => {
    const slow = await TestEnvironment.start({ perMinute: 40, windowMs: 10_000 });
    try {
      const run = await slow.runRecordOperation(
        'create',
        slow.getTable('Customers'),
        created,
        createCustomers(70, 'slow'),
      );
      expect(run.getJson('Node')).toHaveLength(70);
      expect(slow.service.requests.filter(({ status }) => status === 429)).toEqual([]);
      expect(run.getHints('Node').map(({ message }) => message)).toEqual([
        expect.stringMatching(/^This run took 70 requests\./),
        expect.stringMatching(
          /^The request limit of the API key slowed this run: it waited [\w, ]+ seconds?\./,
        ),
      ]);
      const said = run.uiMessages.flatMap(({ messages }) => messages);
      expect(said.length).toBeGreaterThan(0);
      for (const one of said) expect(one).toMatch(/^\d+ of 70 items done$/);
    } finally {
      await slow.stop();
    }
  });

  test('a cancelled run ends while it waits for the rate limit', async () => {
    const perMinute = 20;
    const slow = await TestEnvironment.start({ perMinute, windowMs: 3_600_000 });
    try {
      const workflow = chainNodes(
        START,
        createNode('Node', TYPE, {
          resource: 'record',
          operation: 'create',
          dataTableId: toLocator(slow.getTable('Customers').id),
          ...created,
        }),
      );
      const input = createCustomers(70, 'cancel').map((json) => ({ json }));
      const cancel = new AbortController();
      const running = slow.engine.run(workflow, { input, abortSignal: cancel.signal });
      // A run leaves two tenths of the limit to others, and sends them only as the window passes: it waits from here on.
      const shared = perMinute * 0.2;
      await waitUntil(
        () => slow.service.requests.filter(({ status }) => status === 200).length >= perMinute - shared,
      );
      cancel.abort();
      expect((await running).error?.message).toMatch(/cancelled/);
      expect(slow.service.requests.length).toBeLessThan(perMinute);
    } finally {
      await slow.stop();
    }
  });
});

describe('a table that changes while it is read', () => {
  /** Deletes ten of the first records when a page of these is requested. Requests trigger it, not a timer. */
  async function readBusyTable(changesAt: (page: number) => boolean) {
    const table = env.service.addTable({ name: 'Busy', fields: [{ name: 'Name', type: 'Text' }] });
    for (let index = 0; index < 1_000; index++) table.insert({ name: `n${index}` });
    const all = [...table.records.keys()];
    const [first, last] = [all.slice(0, 500), all.slice(500)];
    const { requests } = env.service;
    const push = requests.push.bind(requests);
    let pages = 0;
    requests.push = (...arrived) => {
      const isPage = arrived.some(({ path }) => path.endsWith(`/${table.id}/records`));
      if (isPage && changesAt(++pages)) for (const id of first.splice(0, 10)) table.delete(id);
      return push(...arrived);
    };
    const run = await env.withSettings({ parallelRequests: 1 }, () =>
      env.runRecordOperation('getAll', table, { returnAll: true }),
    );
    requests.push = push;
    const ids = new Set(run.getJson('Node').map(({ id }) => id));
    return {
      missing: last.filter((id) => !ids.has(id)),
      hints: run.getHints('Node').map((hint) => hint.message),
      pages,
    };
  }

  test('is read twice; records may be missing, and a hint says so', async () => {
    const { missing, hints, pages } = await readBusyTable(() => true);
    expect(missing.length).toBeGreaterThan(0);
    expect(hints).toEqual([expect.stringContaining('so some may be missing')]);
    expect(pages).toBe(10);
  });

  test('is read again if it changed once, without a hint', async () => {
    expect(await readBusyTable((page) => page === 3)).toEqual({ missing: [], hints: [], pages: 10 });
  });
});
