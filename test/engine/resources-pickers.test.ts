import { node } from '../harness';
import { runOperation, sampleIds, typeOf } from './cases';
import { byId, World } from './support';

let world: World;
let ids: Record<string, string>;
beforeAll(async () => {
  world = await World.start();
  ids = await sampleIds(world);
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const [TASKS, FILES, PDF, PAGES, USERS, RECORDS] = [
  'RecordDatabaseTasks',
  'RecordDatabaseImportExport',
  'RecordDatabasePdf',
  'RecordDatabasePages',
  'RecordDatabaseUsers',
  'RecordDatabase',
] as const;

const search = async (folder: string, method: string, parameters: object = {}, filter?: string) =>
  (await world.engine.listSearch(node('Node', typeOf(folder), parameters), method, { filter })).results.map(
    ({ name, value }) => [name, value],
  );
const names = async (...args: Parameters<typeof search>) => (await search(...args)).map(([name]) => name);

test.each([
  [
    TASKS,
    'searchTasks',
    ['Close old orders (Daily)', 'Remind late payers (Weekly)', 'Tidy customers (Monthly)'],
  ],
  [FILES, 'searchImports', ['Customers from CSV', 'Products from CSV']],
  [FILES, 'searchExportTemplates', ['Customers list', 'Invoices list', 'Orders list']],
  [PDF, 'searchPdfPages', ['Invoice', 'Order']],
  [PDF, 'searchPdfForms', ['Offer']],
  [
    PAGES,
    'searchPages',
    ['Customers', 'Customers > Customer Details', 'Customers > Customer Orders', 'Shop'],
  ],
  [PAGES, 'searchLayouts', ['Blank', 'Standard']],
])('%s: %s', async (folder, method, expected) => {
  expect(await names(folder, method)).toEqual(expected);
  const [first] = expected;
  const alike = expected.filter((one) => one.startsWith(first!));
  expect(await names(folder, method, {}, first!.toUpperCase())).toEqual(alike);
  expect(await names(folder, method, {}, 'no such thing')).toEqual([]);
  const [, id] = (await search(folder, method, {}, first))[0]!;
  expect(await names(folder, method, {}, String(id))).toEqual([first]);
});

test('automations that have run are known, the queues list their runs', async () => {
  expect((await search(TASKS, 'searchAutomations')).map(([, id]) => id)).toEqual([ids.automationId]);
  expect((await search(FILES, 'searchExportQueue')).map(([, id]) => id)).toEqual([ids.exportQueue]);
  expect((await search(FILES, 'searchImportQueue')).map(([, id]) => id)).toEqual([ids.importQueue]);
});

test('one of two lists will do; an error is told where neither can be read', async () => {
  const fails = (pattern: string) =>
    world.service.faults.add({
      when: { pattern },
      times: 9,
      fault: { type: 'status', status: 404, body: { type: 'error', msg: 'Not Found', status: 404 } },
    });
  fails('GET /api/v1/automations/status');
  expect((await search(TASKS, 'searchAutomations')).map(([, id]) => id)).toEqual([ids.automationId]);
  fails('GET /api/v1/automations/history');
  await expect(search(TASKS, 'searchAutomations')).rejects.toThrow('does not know what was asked for');
  world.service.faults.clear();
});

test('all pages of a list are read', async () => {
  const { templates } = (world.service as unknown as { app: { imports: { templates: object[] } } }).app
    .imports;
  const own = templates.length;
  for (let index = 0; index < 150; index++) {
    templates.push({ ...templates[0], id: `more${index}`, name: `Template ${index}` });
  }
  expect(await search(FILES, 'searchImports')).toHaveLength(own + 150);
  templates.length = own;
});

test('runs are listed newest first', async () => {
  const entries = ['1', '3', '2'].map((day) => ({ id: `q${day}`, created_at: `2025-03-0${day} 08:00:00` }));
  world.service.faults.add({
    when: { pattern: 'GET /api/v1.1/{appId}/imports/queues' },
    fault: { type: 'status', status: 200, body: { type: 'success', items: entries } },
  });
  expect((await search(FILES, 'searchImportQueue')).map(([, id]) => id)).toEqual(['q3', 'q2', 'q1']);
});

test('an execution is picked from those under way and those that have ended', async () => {
  const found = await search(TASKS, 'searchTaskExecutions');
  expect(found.map(([, id]) => id)).toEqual([ids.taskQueueId]);
  expect(found[0]![0]).toMatch(/^\d{4}-\d\d-\d\d .*\((start|complete)\)$/);
  expect((await search(TASKS, 'searchAutomationExecutions')).map(([, id]) => id)).toEqual([
    ids.automationQueueId,
  ]);
});

test('components and child pages follow the picked page', async () => {
  expect(await search(PAGES, 'searchComponents')).toEqual([]);
  const pageId = byId(ids.pageId!);
  const components = { resource: 'component', operation: 'getDetails', pageId };
  expect(await names(PAGES, 'searchComponents', components)).toEqual([
    'Active Customers (table)',
    'New Customer (form)',
  ]);
  const children = { resource: 'page', operation: 'getChildren', pageId };
  const pages = await world.engine.loadOptions(node('Node', typeOf(PAGES), children), 'getChildPages');
  expect(pages.map(({ name }) => name)).toEqual(['Customer Details', 'Customer Orders']);
});

test('fields follow the table, or the component', async () => {
  const table = world.table('Customers');
  const slugs = table.fields.map(({ slug }) => slug).sort();
  const listed = await search(RECORDS, 'searchFieldSlugs', { dataTableId: byId(table.id) });
  expect(listed.map(([, slug]) => slug).sort()).toEqual(slugs);
  const byFieldId = await search(RECORDS, 'searchFieldIds', { dataTableId: byId(table.id) }, 'Company');
  expect(byFieldId[0]![1]).toBe(table.field('company')!.fieldId);
  const component = { pageId: byId(ids.pageId!), componentId: byId(ids.componentId!) };
  const inPage = node('Node', typeOf(PAGES), {
    resource: 'component',
    operation: 'getRecords',
    ...component,
  });
  const fields = await world.engine.loadOptions(inPage, 'getFilterFields');
  expect(fields.map(({ value }) => value)).toContain('credit_limit|number');
  const { fields: columns } = await world.engine.resourceMapperFields(inPage, 'getColumns');
  expect(columns.map(({ id }) => id)).toEqual(expect.arrayContaining(['company', 'name[first_name]']));
  expect(await world.engine.loadOptions(node('Node', typeOf(PAGES), {}), 'getFilterFields')).toEqual([]);
});

test('roles and layouts are plain dropdowns', async () => {
  const roles = await world.engine.loadOptions(node('Node', typeOf(USERS)), 'getRoles');
  const [first] = (await runOperation(world, USERS, { resource: 'role', operation: 'getAll' })).jsonOf(
    'Node',
  );
  expect(roles).toContainEqual({ name: first!.name, value: first!.id });
  const layouts = await world.engine.loadOptions(node('Node', typeOf(PAGES)), 'getLayouts');
  expect(layouts.map(({ name }) => name)).toEqual(['Blank', 'Standard']);
});

test('a list that cannot be read says why', async () => {
  world.service.options.lockedFeatures = ['pdf-pages'];
  await expect(search(PDF, 'searchPdfPages')).rejects.toThrow("This is not part of the app's plan");
  world.service.options.lockedFeatures = [];
});
