import { runOperation } from './cases';
import { byId, columns, outputOf, World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => {
  world.service.options.pagesShape = 'items';
  world.service.faults.clear();
  expect(world.violations()).toEqual([]);
});

const run = (resource: string, operation: string, more: object = {}, input?: object[]) =>
  runOperation(world, 'RecordDatabasePages', { resource, operation, ...more }, input);
const found = async (resource: string, operation: string, more: object = {}) =>
  outputOf(await run(resource, operation, more));

async function component(page: string, name: string) {
  const pages = await found('page', 'getAll');
  const pageId = byId(String(pages.find((one) => one.name === page)!.id));
  const all = await found('component', 'getAll', { pageId });
  return { pageId, componentId: byId(String(all.find((one) => one.name === name)!.id)) };
}

describe('pages', () => {
  test.each(['items', 'pages'] as const)('are listed from under "%s", also by layout', async (pagesShape) => {
    world.service.options.pagesShape = pagesShape;
    expect((await found('page', 'getAll')).map(({ name }) => name)).toEqual(['Shop', 'Customers']);
    const layouts = await found('layout', 'getAll');
    const named = (name: string) => layouts.find((one) => one.name === name)!.id;
    expect(await found('page', 'getAll', { layout: named('Standard') })).toHaveLength(2);
    expect(await found('page', 'getAll', { layout: named('Blank') })).toHaveLength(0);
  });

  test('by layout, where pages hold theirs as an object', async () => {
    const [standard] = await found('layout', 'getAll');
    const pages = [
      { id: 'p1', layout: { id: standard!.id, name: standard!.name } },
      { id: 'p2', layout: { id: 'other', name: 'Other' } },
    ];
    const when = { pattern: 'GET /api/v1.1/{appId}/pages' };
    world.service.faults.add({
      when,
      fault: { type: 'status', status: 200, body: { type: 'success', pages } },
    });
    expect(await found('page', 'getAll', { layout: standard!.id })).toEqual([pages[0]]);
  });

  test('by layout, for many items: the layouts are asked for once', async () => {
    const [standard] = await found('layout', 'getAll');
    const before = world.service.requests.length;
    const items = Array.from({ length: 10 }, () => ({ json: {} }));
    const all = outputOf(await run('page', 'getAll', { layout: standard!.id }, items));
    expect(all).toHaveLength(20);
    const asked = world.seen(before).filter((one) => one === 'GET /api/v1.1/{appId}/layouts');
    expect(asked).toHaveLength(1);
  });

  test('one, its children, and some of its children', async () => {
    const [, customers] = await found('page', 'getAll');
    const pageId = byId(String(customers!.id));
    expect(await found('page', 'get', { pageId })).toMatchObject([{ id: customers!.id, name: 'Customers' }]);
    const children = await found('page', 'getChildren', { pageId });
    const ids = children.map(({ id }) => String(id));
    expect(children.map(({ name }) => name)).toEqual(['Customer Details', 'Customer Orders']);
    expect(await found('page', 'getChildren', { pageId, childIds: [ids[1]] })).toMatchObject([
      { name: 'Customer Orders' },
    ]);
    expect(await found('page', 'getChildren', { pageId, childIds: ids })).toHaveLength(2);
    expect(await found('page', 'getChildren', { pageId, childIds: ids.join(', ') })).toHaveLength(2);
    expect(world.service.requests.at(-1)!.path).toMatch(new RegExp(`/childs/${ids.join(',')}$`));
    const away = await run('page', 'getChildren', { pageId, childIds: ['../../status'] });
    expect(away.error?.message).toBe('The service does not know what was asked for');
    expect(world.service.requests.at(-1)!.path).toMatch(/\/childs\/\.\.%2F\.\.%2Fstatus$/);
  });
});

describe('records of a component', () => {
  const active = () =>
    [...world.table('Customers').records.values()].filter(({ status }) => status === 'active');

  test('all of them by GET, filtered by POST, both on top of its own filter', async () => {
    const which = await component('Customers', 'Active Customers');
    const all = await found('component', 'getRecords', { ...which, returnAll: true });
    expect(all.map(({ id }) => id)).toEqual(active().map(({ id }) => id));
    const filter = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'credit_limit|number', operator: 'higher than', numberValue: 10000 }] },
    };
    const rich = await found('component', 'getRecords', { ...which, returnAll: true, ...filter });
    expect(rich.map(({ id }) => id)).toEqual(
      active()
        .filter(({ credit_limit: limit }) => Number(limit) > 10000)
        .map(({ id }) => id),
    );
    expect(rich.length).toBeGreaterThan(0);
    expect(world.service.requests.at(-1)!.method).toBe('POST');
  });

  test('sorted, and sorted with a filter, by GET: only there sorting is documented', async () => {
    const which = await component('Customers', 'Active Customers');
    const sort = { rules: [{ field: 'credit_limit', direction: 'desc' }] };
    const filter = {
      filterMode: 'manual',
      match: 'any',
      conditions: {
        items: [
          { field: 'company|text', operator: 'contains', value: 'a' },
          { field: 'company|text', operator: 'contains', value: 'e' },
        ],
      },
    };
    for (const more of [{}, filter]) {
      const sorted = await found('component', 'getRecords', { ...which, returnAll: true, sort, ...more });
      const limits = sorted.map(({ credit_limit: limit }) => Number(limit));
      expect(limits).toEqual([...limits].sort((a, b) => b - a));
      expect(limits.length).toBeGreaterThan(3);
      expect(world.service.requests.at(-1)!.method).toBe('GET');
    }
  });

  test('a filter too long to go with a sort rule says what to do', async () => {
    const which = await component('Customers', 'Active Customers');
    const value = Array.from({ length: 400 }, (_, index) => `Company number ${index}`).join(', ');
    const many = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'company|text', operator: 'is any of', value }] },
    };
    const sort = { rules: [{ field: 'company', direction: 'asc' }] };
    const refused = await run('component', 'getRecords', { ...which, ...many, sort });
    expect(refused.error?.message).toBe('The request is too long for the service');
    expect((refused.error as { description?: string }).description).toMatch(/n8n's Sort node/);
    expect(await found('component', 'getRecords', { ...which, ...many })).toEqual([]);
  });

  test('an unknown field is refused before anything is asked', async () => {
    const which = await component('Customers', 'Active Customers');
    const refused = await run('component', 'getRecords', {
      ...which,
      filterMode: 'manual',
      conditions: { items: [{ field: 'compny|text', operator: 'is', value: 'x' }] },
    });
    expect(refused.error?.message).toBe('Filter: the table has no field "compny"');
  });

  test('without a known table there is no filter, rather than one that is dropped', async () => {
    const which = await component('Customers', 'Active Customers');
    world.service.faults.add({
      when: { pattern: 'GET /api/v1.1/{appId}/pages/{pageId}/components' },
      fault: {
        type: 'status',
        status: 200,
        body: { type: 'success', components: [{ id: which.componentId.value }] },
      },
    });
    const filter = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'company|text', operator: 'is', value: 'x' }] },
    };
    expect((await run('component', 'getRecords', { ...which, ...filter })).error?.message).toBe(
      'The service does not say which table this component shows',
    );
  });

  test.each([
    ['as the service says how many', { total: 3 }],
    ['as it does not', {}],
  ])('rows without an ID that are alike are all put out, %s', async (_how, told) => {
    const records = [
      { label: 'Open', value: 1 },
      { label: 'Open', value: 1 },
      { label: 'Done', value: 2 },
    ];
    const pattern = 'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records';
    const body = { type: 'success', ...told, records };
    world.service.faults.add({ when: { pattern }, times: 2, fault: { type: 'status', status: 200, body } });
    const which = { pageId: byId('p'), componentId: byId('c') };
    expect(await found('component', 'getRecords', { ...which, returnAll: true })).toEqual(records);
  });

  test('details are the component itself', async () => {
    const which = await component('Shop', 'Catalogue');
    expect(await found('component', 'getDetails', which)).toMatchObject([
      { name: 'Catalogue', type: 'gallery', table_id: expect.any(String) },
    ]);
  });
});

test('details with more beside the component are kept whole', async () => {
  const body = { type: 'success', component: { id: 'c', name: 'Card' }, record: { id: 'r', company: 'A' } };
  world.service.faults.add({ when: { pattern: /details$/ }, fault: { type: 'status', status: 200, body } });
  const which = { pageId: byId('p'), componentId: byId('c') };
  expect(await found('component', 'getDetails', which)).toEqual([body]);
});

describe('saving through a component', () => {
  test('creates, with the codecs of the table', async () => {
    const which = await component('Customers', 'New Customer');
    const values = {
      company: 'Saved',
      email: 'saved@example.com',
      newsletter: true,
      'name[first_name]': 'Ada',
      customer_since: '2025-03-31T12:00:00Z',
    };
    const [{ id }] = (await found('component', 'save', { ...which, columns: columns(values) })) as [
      { id: string },
    ];
    const saved = world.table('Customers').records.get(id)!;
    expect(saved).toMatchObject({
      company: 'Saved',
      newsletter: 1,
      customer_since: '2025-03-31',
      name: { first_name: 'Ada' },
    });
  });

  test.each(['keep', 'blank'] as const)(
    'updates by ID and loses nothing (the service: %s)',
    async (omittedOnUpdate) => {
      const other = await World.start({ omittedOnUpdate });
      const mine = world;
      world = other;
      const which = await component('Customers', 'New Customer');
      const [before] = [...other.table('Customers').records.values()];
      const copy = structuredClone(before!);
      await found('component', 'save', {
        ...which,
        recordId: copy.id,
        columns: columns({ company: 'Renamed' }),
      });
      await found('component', 'save', {
        ...which,
        recordId: copy.id,
        columns: columns({ phone: '+1 555 0100' }),
      });
      expect(other.table('Customers').records.get(copy.id)).toEqual({
        ...copy,
        company: 'Renamed',
        phone: '+1 555 0100',
      });
      expect(other.violations()).toEqual([]);
      world = mine;
      await other.stop();
    },
  );

  test('clears columns', async () => {
    const which = await component('Customers', 'New Customer');
    const [before] = [...world.table('Customers').records.values()].filter(({ notes }) => notes);
    const options = { clear: ['notes'] };
    await found('component', 'save', { ...which, recordId: before!.id, columns: columns({}), options });
    expect(world.table('Customers').records.get(before!.id)!.notes).toBe('');
  });

  test('what a record update taught is not believed of a component', async () => {
    const other = await World.start({ omittedOnUpdate: 'keep' });
    const mine = world;
    world = other;
    const which = await component('Customers', 'New Customer');
    const customers = other.table('Customers');
    const before = structuredClone([...customers.records.values()][0]!);
    await other.records('update', customers, { recordId: before.id, columns: columns({ company: 'New' }) });
    other.service.options.omittedOnUpdate = 'blank';
    await found('component', 'save', { ...which, recordId: before.id, columns: columns({ notes: 'new' }) });
    expect(customers.records.get(before.id)).toEqual({ ...before, company: 'New', notes: 'new' });
    expect(other.violations()).toEqual([]);
    world = mine;
    await other.stop();
  });

  test.each(['={{ $json.no }}', '={{ null }}', "={{ '' }}"])(
    'makes no new record for the ID %s',
    async (recordId) => {
      const which = await component('Customers', 'New Customer');
      const count = world.table('Customers').records.size;
      const failed = await run('component', 'save', {
        ...which,
        recordId,
        columns: columns({ company: 'x' }),
      });
      expect(failed.error?.message).toBe('Record ID: the expression has found nothing');
      expect(world.table('Customers').records.size).toBe(count);
    },
  );

  test('refuses unknown columns and empty saves before anything is sent', async () => {
    const which = await component('Customers', 'New Customer');
    expect(
      (await run('component', 'save', { ...which, columns: columns({ compny: 'x' }) })).error?.message,
    ).toBe('Columns: the table has no field "compny"');
    expect((await run('component', 'save', { ...which, columns: columns({}) })).error?.message).toBe(
      'Nothing to save: no column has a value',
    );
  });

  test('is never repeated when the answer to a creation is lost', async () => {
    const which = await component('Customers', 'New Customer');
    world.service.faults.add({ when: { pattern: /save$/ }, fault: { type: 'reset', when: 'after' } });
    const lost = await run('component', 'save', {
      ...which,
      columns: columns({ company: 'Once', email: 'once@example.com' }),
    });
    expect(lost.error?.message).toMatch(/^Outcome unknown/);
    expect(
      [...world.table('Customers').records.values()].filter(({ company }) => company === 'Once'),
    ).toHaveLength(1);
  });
});
