import { READINGS } from '../../service/readings';
import { createToolWorkflow } from '../agents/tools';
import { runOperation } from '../support/runOperation';
import { getOutput, TestEnvironment, toColumns, toLocator } from '../support/testEnvironment';

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
afterEach(() => {
  env.service.options.pagesShape = 'items';
  env.service.options.latencyMs = 0;
  env.service.faults.clear();
  expect(env.takeViolations()).toEqual([]);
});

const run = (resource: string, operation: string, more: object = {}, input?: object[]) =>
  runOperation(env, 'RecordDatabasePages', { resource, operation, ...more }, input);
const getOutputs = async (resource: string, operation: string, more: object = {}) =>
  getOutput(await run(resource, operation, more));

async function findPage(name: string) {
  const pages = await getOutputs('page', 'getAll');
  return toLocator(String(pages.find((one) => one.name === name)!.id));
}

async function findComponent(page: string, name: string) {
  const pageId = await findPage(page);
  const all = await getOutputs('component', 'getAll', { pageId });
  return { pageId, componentId: toLocator(String(all.find((one) => one.name === name)!.id)) };
}

/** The component of a child page that shows the orders. */
async function findOrdersComponent() {
  const pageId = await findPage('Customers');
  const [, child] = await getOutputs('page', 'getChildren', { pageId });
  const childPageId = toLocator(String(child!.id));
  const [orders] = await getOutputs('component', 'getAll', { pageId, childPageId });
  return { pageId, childPageId, componentId: toLocator(String(orders!.id)) };
}

test.each(READINGS.publicPages.values)(
  'a component of a public page is read with the keys: %s',
  async (publicPages) => {
    env.service.options.publicPages = publicPages;
    const found = await findComponent('Shop', 'Catalogue');
    const from = env.service.requests.length;
    const records = await getOutputs('component', 'getRecords', found);
    env.service.options.publicPages = 'withKeys';
    expect(records.length).toBeGreaterThan(0);
    const { appKey } = env.service.keys;
    for (const { headers } of env.service.requests.slice(from))
      expect(headers).toMatchObject({ 'x-service-app-key': appKey });
  },
);

describe('pages', () => {
  test.each(['items', 'pages'] as const)('are listed from under "%s"', async (pagesShape) => {
    env.service.options.pagesShape = pagesShape;
    expect((await getOutputs('page', 'getAll')).map(({ name }) => name)).toEqual(['Shop', 'Customers']);
    const layouts = await getOutputs('layout', 'getAll');
    expect(layouts.map(({ name }) => name)).toEqual(['Standard', 'Blank']);
  });

  test('returns one page, all of its children, and a limited number of them', async () => {
    const [, customers] = await getOutputs('page', 'getAll');
    const pageId = toLocator(String(customers!.id));
    expect(await getOutputs('page', 'get', { pageId })).toMatchObject([
      { id: customers!.id, name: 'Customers' },
    ]);
    const children = await getOutputs('page', 'getChildren', { pageId });
    const ids = children.map(({ id }) => String(id));
    expect(children.map(({ name }) => name)).toEqual(['Customer Details', 'Customer Orders']);
    expect(await getOutputs('page', 'getChildren', { pageId, childIds: [ids[1]] })).toMatchObject([
      { name: 'Customer Orders' },
    ]);
    expect(await getOutputs('page', 'getChildren', { pageId, childIds: ids })).toHaveLength(2);
    expect(await getOutputs('page', 'getChildren', { pageId, childIds: ids.join(', ') })).toHaveLength(2);
    expect(env.service.requests.at(-1)!.path).toMatch(new RegExp(`/childs/${ids.join(',')}$`));
    const away = await run('page', 'getChildren', { pageId, childIds: ['../../status'] });
    expect(away.error?.message).toBe(
      `The page "${pageId.value}" or child page "../../status" does not exist`,
    );
    expect(env.service.requests.at(-1)!.path).toMatch(/\/childs\/\.\.%2F\.\.%2Fstatus$/);
  });
});

describe('records of a component', () => {
  const listActive = () =>
    [...env.getTable('Customers').records.values()].filter(({ status }) => status === 'active');

  test("reads all records and filtered ones by GET, both within the component's own filter", async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const all = await getOutputs('component', 'getRecords', { ...which, returnAll: true });
    expect(all.map(({ id }) => id)).toEqual(listActive().map(({ id }) => id));
    const filter = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'credit_limit|number', operator: 'higher than', numberValue: 10000 }] },
    };
    const rich = await getOutputs('component', 'getRecords', { ...which, returnAll: true, ...filter });
    expect(rich.map(({ id }) => id)).toEqual(
      listActive()
        .filter(({ credit_limit: limit }) => Number(limit) > 10000)
        .map(({ id }) => id),
    );
    expect(rich.length).toBeGreaterThan(0);
    expect(env.service.requests.at(-1)!.method).toBe('GET');
  });

  test('a filter with OR and groups goes by POST', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const contains = (value: string) => ({ items: [{ field: 'company|text', operator: 'contains', value }] });
    const found = await getOutputs('component', 'getRecords', {
      ...which,
      returnAll: true,
      filterMode: 'groups',
      match: 'any',
      conditions: contains('a'),
      groups: { items: [{ match: 'any', conditions: contains('e') }] },
    });
    const meant = listActive().filter(({ company }) => /[ae]/i.test(String(company)));
    expect(found.map(({ id }) => id)).toEqual(meant.map(({ id }) => id));
    expect(found.length).toBeGreaterThan(3);
    expect(env.service.requests.at(-1)!.method).toBe('POST');
  });

  test('Simplify returns the same records as Get Many with Simplify', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const simplified = { returnAll: true, simplify: 'slugs' };
    const found = await getOutputs('component', 'getRecords', { ...which, ...simplified });
    const records = getOutput(await env.runRecordOperation('getAll', env.getTable('Customers'), simplified));
    const byId = new Map(records.map((record) => [record.id, record]));
    expect(found.length).toBeGreaterThan(3);
    expect(found).toEqual(found.map(({ id }) => byId.get(id)));
    expect(found.some(({ account_owner_id }) => typeof account_owner_id === 'string')).toBe(true);
  });

  test('without the table of the component, records are returned as they are, without Simplify', async () => {
    const pattern = 'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records';
    const record = { id: 'r', customer: ['c'], customer_val: [{ id: 'c', val: 'Acme' }], notes: '' };
    const body = { type: 'success', total: 1, records: [record] };
    const { pageId } = await findComponent('Customers', 'Active Customers');
    const which = { pageId, componentId: toLocator('unknown') };
    const refused = await run('component', 'getRecords', which);
    expect(refused.error?.message).toBe('The service does not return the table of this component');
    expect((refused.error as { description?: string }).description).toContain('turn off Simplify');
    env.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
    expect(await getOutputs('component', 'getRecords', { ...which, simplify: 'off' })).toEqual([record]);
  });

  test('records of another table are an error', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const body = { type: 'success', total: 1, records: [{ id: 'r', subject: 'Call' }] };
    env.service.faults.add({
      when: { pattern: /components\/\{componentId\}\/records$/ },
      fault: { type: 'status', status: 200, body },
    });
    const { error } = await run('component', 'getRecords', which);
    expect(error?.message).toContain('The service returned a record without any field of the table');
  });

  test('fewer records than are counted are returned with a hint', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const body = { type: 'success', total: 2, records: [{ id: 'r', company: 'Mill' }] };
    env.service.faults.add({
      when: { pattern: /components\/\{componentId\}\/records$/ },
      times: 99,
      fault: { type: 'status', status: 200, body },
    });
    const result = await run('component', 'getRecords', which);
    env.service.faults.clear();
    expect(getOutput(result)).toMatchObject([{ id: 'r', company: 'Mill' }]);
    expect(result.getHints('Node')).toMatchObject([
      { message: expect.stringContaining('some may be missing') },
    ]);
  });

  test('if no record matches, there is no item', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const conditions = { items: [{ field: 'company|text', operator: 'is exact', value: 'Nobody' }] };
    const filter = { filterMode: 'manual', conditions };
    expect(getOutput(await run('component', 'getRecords', { ...which, ...filter }))).toEqual([]);
  });

  test('refuses an unknown field before sending a request for records', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    const refused = await run('component', 'getRecords', {
      ...which,
      filterMode: 'manual',
      conditions: { items: [{ field: 'compny|text', operator: 'is', value: 'x' }] },
    });
    expect(refused.error?.message).toBe('Filter: the table has no field "compny"');
  });

  test('refuses a filter if the table is unknown, because the service would ignore it', async () => {
    const which = await findComponent('Customers', 'Active Customers');
    env.service.faults.add({
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
      'The service does not return the table of this component',
    );
  });

  test('details return the component without its envelope', async () => {
    const which = await findComponent('Shop', 'Catalogue');
    expect(await getOutputs('component', 'getDetails', which)).toMatchObject([
      { name: 'Catalogue', type: 'gallery', table_id: expect.any(String) },
    ]);
  });
});

test('details with other values beside the component are returned completely', async () => {
  const body = { component: { id: 'c', name: 'Card' }, record: { id: 'r', company: 'A' } };
  const answer = { type: 'success', ...body };
  env.service.faults.add({
    when: { pattern: /details$/ },
    fault: { type: 'status', status: 200, body: answer },
  });
  const which = { pageId: toLocator('p'), componentId: toLocator('c') };
  expect(await getOutputs('component', 'getDetails', which)).toEqual([body]);
});

test('a filter by a column that was removed meanwhile is an error, and no records are requested', async () => {
  const which = await findComponent('Customers', 'Active Customers');
  const conditions = { items: [{ field: 'notes|text', operator: 'contains', value: 'x' }] };
  const filtered = { ...which, filterMode: 'manual', conditions };
  getOutput(await run('component', 'getRecords', filtered));
  const { fields } = env.getTable('Customers');
  const at = fields.findIndex(({ slug }) => slug === 'notes');
  const [notes] = fields.splice(at, 1);
  const since = env.service.requests.length;
  const { error } = await run('component', 'getRecords', filtered);
  fields.splice(at, 0, notes!);
  expect(error?.message).toContain('"notes"');
  expect(env.service.requests.slice(since).filter(({ path }) => /records/.test(path))).toEqual([]);
});

describe('saving through a component', () => {
  const listSaves = (since: number) =>
    env.service.requests.slice(since).filter(({ path }) => path.endsWith('/save'));

  test('creates a record with values encoded by the types of the table', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const values = {
      company: 'Saved',
      email: 'saved@example.com',
      newsletter: 'true',
      'name[first_name]': 'Ada',
      customer_since: '2025-03-31T12:00:00Z',
    };
    const [{ id }] = (await getOutputs('component', 'save', { ...which, columns: toColumns(values) })) as [
      { id: string },
    ];
    const saved = env.getTable('Customers').records.get(id)!;
    expect(saved).toMatchObject({
      company: 'Saved',
      newsletter: 1,
      customer_since: '2025-03-31',
      name: { first_name: 'Ada' },
    });
  });

  test('as a tool, takes the values as JSON, by the names of the columns', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const save = async (values: object) => {
      const columnsJson = JSON.stringify(values);
      const parameters = { resource: 'component', operation: 'save', ...which, columnsJson };
      const workflow = createToolWorkflow(
        'tool',
        parameters,
        'n8n-nodes-record-database.recordDatabasePagesTool',
      );
      const run = await env.engine.run(workflow, { input: [{ json: {} }] });
      return run.getJson('Agent')[0] as { answer?: string; error?: string };
    };
    const { answer } = await save({ Company: 'JSON', 'E-mail': 'json@example.com', Newsletter: true });
    const [{ id }] = JSON.parse(answer!) as [{ id: string }];
    expect(env.getTable('Customers').records.get(id)).toMatchObject({ company: 'JSON', newsletter: 1 });
    expect((await save({ Compny: 'x' })).error).toContain('the table has no field "Compny"');
  });

  test('updates by ID and loses nothing', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const customers = env.getTable('Customers');
    const copy = structuredClone([...customers.records.values()][0]!);
    const changes = { company: 'Renamed', phone: '+1 555 0100' };
    for (const [slug, value] of Object.entries(changes)) {
      const columns = toColumns({ [slug]: value });
      await getOutputs('component', 'save', { ...which, recordId: copy.id, columns });
    }
    expect(customers.records.get(copy.id)).toEqual({ ...copy, ...changes });
  });

  test('changes a field beside one whose value it no longer takes', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const customers = env.getTable('Customers');
    const [first, second] = [...customers.records.values()].slice(20);
    for (const one of [first!, second!]) Object.assign(one, { status: 'retired' });
    const save = (...statuses: string[]) =>
      run(
        'component',
        'save',
        {
          ...which,
          recordId: { ...toLocator(''), value: '={{ $json.id }}' },
          columns: toColumns({ status: '={{ $json.status }}', notes: 'kept' }),
        },
        [first!, second!].map(({ id }, index) => ({ json: { id, status: statuses[index] } })),
      );
    getOutput(await save('retired', 'retired'));
    const stored = [first!, second!].map(({ id }) => customers.records.get(id));
    expect(stored).toMatchObject(Array(2).fill({ status: 'retired', notes: 'kept' }));
    const since = env.service.requests.length;
    expect((await save('retired', 'other')).error?.message).toContain('Item 2 of 2: "Status"');
    expect(listSaves(since)).toEqual([]);
  });

  test('clears columns', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const [before] = [...env.getTable('Customers').records.values()].filter(({ notes }) => notes);
    const options = { clear: ['notes'] };
    await getOutputs('component', 'save', {
      ...which,
      recordId: before!.id,
      columns: toColumns({}),
      options,
    });
    expect(env.getTable('Customers').records.get(before!.id)!.notes).toBe('');
  });

  test.each(['={{ $json.no }}', '={{ null }}', "={{ '' }}"])(
    'creates no record for the ID %s',
    async (recordId) => {
      const which = await findComponent('Customers', 'New Customer');
      const count = env.getTable('Customers').records.size;
      const failed = await run('component', 'save', {
        ...which,
        recordId,
        columns: toColumns({ company: 'x' }),
      });
      expect(failed.error?.message).toBe('Record ID: the expression has found nothing');
      expect(env.getTable('Customers').records.size).toBe(count);
    },
  );

  test('is refused without the table of the component, and nothing is sent', async () => {
    const { pageId } = await findComponent('Customers', 'New Customer');
    const since = env.service.requests.length;
    const which = { pageId, componentId: toLocator('unknown'), recordId: 'K7pQ2xW9Lm' };
    const saved = await run('component', 'save', { ...which, columns: toColumns({ company: 'x' }) });
    expect(saved.error?.message).toBe('The service does not return the table of this component');
    expect(listSaves(since)).toEqual([]);
  });

  test('refuses the ID of a record that does not exist, and saves nothing', async () => {
    const which = await findOrdersComponent();
    const { id } = env.getTable('Orders').insert({ number: 'Unknown product' });
    const [product] = env.getTable('Products').records.keys();
    const unknown = [...product!].reverse().join('');
    const since = env.service.requests.length;
    const columns = toColumns({ products: unknown });
    const { error } = await run('component', 'save', { ...which, recordId: id, columns });
    expect(error?.message).toContain(unknown);
    expect(listSaves(since)).toEqual([]);
  });

  test('refuses unknown columns and empty saves before anything is sent', async () => {
    const which = await findComponent('Customers', 'New Customer');
    expect(
      (await run('component', 'save', { ...which, columns: toColumns({ compny: 'x' }) })).error?.message,
    ).toBe('Fields: the table has no field "compny"');
    expect((await run('component', 'save', { ...which, columns: toColumns({}) })).error?.message).toBe(
      'Nothing to save: no field has a value',
    );
  });

  test('does not repeat a create whose response was lost', async () => {
    const which = await findComponent('Customers', 'New Customer');
    env.service.faults.add({ when: { pattern: /save$/ }, fault: { type: 'reset', when: 'after' } });
    const lost = await run('component', 'save', {
      ...which,
      columns: toColumns({ company: 'Once', email: 'once@example.com' }),
    });
    expect(lost.error?.message).toMatch(/^Outcome unknown/);
    expect(
      [...env.getTable('Customers').records.values()].filter(({ company }) => company === 'Once'),
    ).toHaveLength(1);
  });

  const FROM_ITEM = toColumns({
    company: 'Row',
    email: '={{ $json.email }}',
    customer_since: '={{ $json.since }}',
  });
  const createRows = (...dates: string[]) =>
    dates.map((since, n) => ({ json: { email: `${since}.${n}@example.com`, since } }));

  test('sends nothing if one of the items has a wrong value', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const count = env.getTable('Customers').records.size;
    const rows = createRows('2025-01-01', 'never');
    const { error } = await run('component', 'save', { ...which, columns: FROM_ITEM }, rows);
    expect((error as { description?: string }).description).toContain('so no item was written');
    expect(env.getTable('Customers').records.size).toBe(count);
  });

  test('creates several records at once', async () => {
    const which = await findComponent('Customers', 'New Customer');
    env.service.options.latencyMs = 50;
    const since = env.service.requests.length;
    const rows = createRows('2025-02-01', '2025-02-02', '2025-02-03');
    getOutput(await run('component', 'save', { ...which, columns: FROM_ITEM }, rows));
    const saves = listSaves(since);
    expect(saves).toHaveLength(3);
    expect(Math.max(...saves.map(({ inFlight }) => inFlight))).toBeGreaterThan(0);
  });

  test('updates one record in the order of the items', async () => {
    const which = await findComponent('Customers', 'New Customer');
    const id = [...env.getTable('Customers').records.keys()][0]!;
    const rows = ['First', 'Second'].map((company) => ({ json: { company } }));
    const columns = toColumns({ company: '={{ $json.company }}' });
    env.service.options.latencyMs = 50;
    const since = env.service.requests.length;
    getOutput(await run('component', 'save', { ...which, recordId: id, columns }, rows));
    const saves = listSaves(since);
    expect(saves.map(({ inFlight }) => inFlight)).toEqual([0, 0]);
    expect(env.getTable('Customers').records.get(id)).toMatchObject({ company: 'Second' });
  });
});
