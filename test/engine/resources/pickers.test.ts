import { skipWaits } from '../../environment/skipWaits';
import { createNode } from '../../harness';
import { findSampleIds, toNodeType } from '../support/runOperation';
import { toLocator, waitUntil } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment();
let ids: Record<string, string>;
beforeAll(async () => {
  ids = await findSampleIds(env);
  // An execution is listed as active until it has ended.
  await waitUntil(() => env.service.executions.every(({ status }) => status === 'ended'));
});

const [TASKS, FILES, PDF, PAGES, RECORDS] = [
  'RecordDatabaseTasks',
  'RecordDatabaseImportExport',
  'RecordDatabasePdf',
  'RecordDatabasePages',
  'RecordDatabase',
] as const;

const search = async (folder: string, method: string, parameters: object = {}, filter?: string) =>
  (
    await env.engine.listSearch(createNode('Node', toNodeType(folder), parameters), method, { filter })
  ).results.map(({ name, value }) => [name, value]);
const searchNames = async (...args: Parameters<typeof search>) =>
  (await search(...args)).map(([name]) => name);

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
  [PAGES, 'searchPages', ['Customers', 'Shop']],
])('%s: %s', async (folder, method, expected) => {
  expect(await searchNames(folder, method)).toEqual(expected);
  const [first] = expected;
  const alike = expected.filter((one) => one.startsWith(first!));
  expect(await searchNames(folder, method, {}, first!.toUpperCase())).toEqual(alike);
  expect(await searchNames(folder, method, {}, 'no such thing')).toEqual([]);
  const [, id] = (await search(folder, method, {}, first))[0]!;
  expect(await searchNames(folder, method, {}, String(id))).toEqual([first]);
});

test('lists the fields and records of the table that a picked template names', async () => {
  const find = async (folder: string, method: string) => {
    const [first] = await search(folder, method);
    return toLocator(String(first![1]));
  };
  const listFields = async (parameters: object) => {
    const node = createNode('Node', toNodeType(FILES), parameters);
    return (await env.engine.loadOptions(node, 'getFields')).map(({ value }) => value);
  };
  const [templateId, importId] = [
    await find(FILES, 'searchExportTemplates'),
    await find(FILES, 'searchImports'),
  ];
  expect(await listFields({ resource: 'export', operation: 'run', templateId })).toContain('company');
  expect(await listFields({ resource: 'export', operation: 'run' })).toEqual([]);
  const form = createNode('Node', toNodeType(FILES), { resource: 'import', operation: 'runItems', importId });
  const { fields } = await env.engine.getResourceMapperFields(form, 'getColumns', {
    path: 'parameters.columns',
  });
  expect(fields.map(({ id }) => id)).toContain('company');
  const pdfPageId = await find(PDF, 'searchPdfPages');
  const pdf = { resource: 'pdfPage', operation: 'create', pdfPageId };
  const [invoice] = [...env.getTable('Invoices').records.keys()];
  expect((await search(PDF, 'searchRecords', pdf)).map(([, id]) => id)).toContain(invoice);
});

test('a search uses the list that was opened, and never that of another credential', async () => {
  const countRequests = async (filter?: string) => {
    const from = env.service.requests.length;
    await search(PAGES, 'searchPages', {}, filter);
    return env.service.requests.length - from;
  };
  expect(await countRequests()).toBe(1);
  expect(await countRequests('shop')).toBe(0);
  const { appKey, appSecret } = env.service.addKey();
  const login = { userLogin: 'password', ...env.service.user };
  for (const settings of [{ appKey, appSecret }, login])
    await env.withSettings(settings, async () => expect(await countRequests('shop')).toBeGreaterThan(0));
  expect(await countRequests('shop')).toBe(0);
  expect(await countRequests()).toBe(1);
});

test('lists the automations that have run, and the runs in the queues', async () => {
  expect((await search(TASKS, 'searchAutomations')).map(([, id]) => id)).toEqual([ids.automationId]);
  expect((await search(FILES, 'searchExportRuns')).map(([, id]) => id)).toEqual([ids.exportQueue]);
  expect((await search(FILES, 'searchImportRuns')).map(([, id]) => id)).toEqual([ids.importQueue]);
});

test('all pages of a list are read', async () => {
  const { templates } = (env.service as unknown as { app: { imports: { templates: object[] } } }).app.imports;
  const own = templates.length;
  for (let index = 0; index < 150; index++) {
    templates.push({ ...templates[0], id: `more${index}`, name: `Template ${index}` });
  }
  expect(await search(FILES, 'searchImports')).toHaveLength(own + 150);
  templates.length = own;
});

test('runs are listed newest first', async () => {
  const entries = ['1', '3', '2'].map((day) => ({ id: `q${day}`, created_at: `2025-03-0${day} 08:00:00` }));
  env.service.faults.add({
    when: { pattern: 'GET /api/v1.1/{appId}/imports/queues' },
    fault: { type: 'status', status: 200, body: { type: 'success', items: entries } },
  });
  expect((await search(FILES, 'searchImportRuns')).map(([, id]) => id)).toEqual(['q3', 'q2', 'q1']);
});

test('lists running and ended executions', async () => {
  const found = await search(TASKS, 'searchTaskRuns');
  expect(found.map(([, id]) => id)).toEqual([ids.taskQueueId]);
  expect(found[0]![0]).toMatch(/^\d{4}-\d\d-\d\d .*\((start|complete)\)$/);
  expect((await search(TASKS, 'searchAutomationRuns')).map(([, id]) => id)).toEqual([ids.automationQueueId]);
});

test('lists the components and child pages of the picked page', async () => {
  expect(await search(PAGES, 'searchComponents')).toEqual([]);
  const pageId = toLocator(ids.pageId!);
  const components = { resource: 'component', operation: 'getDetails', pageId };
  expect(await searchNames(PAGES, 'searchComponents', components)).toEqual([
    'Active Customers (table)',
    'New Customer (form)',
  ]);
  const children = { resource: 'page', operation: 'getChildren', pageId };
  const pages = await env.engine.loadOptions(
    createNode('Node', toNodeType(PAGES), children),
    'getChildPages',
  );
  expect(pages.map(({ name }) => name)).toEqual(['Customer Details', 'Customer Orders']);
});

test('lists the formulas of the table, and the fields of the table or the component', async () => {
  const table = env.getTable('Orders');
  const slugs = table.fields.filter(({ type }) => type === 'Formula').map(({ slug }) => slug);
  expect(slugs.length).toBeGreaterThan(0);
  const listed = await search(RECORDS, 'searchFormulaFields', { dataTableId: toLocator(table.id) });
  const formulas = slugs.map((slug) => table.findField(slug)!.fieldId);
  expect(listed.map(([, id]) => id).sort()).toEqual(formulas.sort());
  const component = { pageId: toLocator(ids.pageId!), componentId: toLocator(ids.componentId!) };
  const inPage = createNode('Node', toNodeType(PAGES), {
    resource: 'component',
    operation: 'getRecords',
    ...component,
  });
  const fields = await env.engine.loadOptions(inPage, 'getFilterFields');
  expect(fields.map(({ value }) => value)).toContain('credit_limit|number');
  const { fields: columns } = await env.engine.getResourceMapperFields(inPage, 'getColumns');
  expect(columns.map(({ id }) => id)).toEqual(expect.arrayContaining(['company', 'name[first_name]']));
  expect(await env.engine.loadOptions(createNode('Node', toNodeType(PAGES), {}), 'getFilterFields')).toEqual(
    [],
  );
});

test('the error for a list that cannot be read gives the reason', async () => {
  env.service.options.lockedFeatures = ['pdf-pages'];
  await expect(search(PDF, 'searchPdfPages')).rejects.toThrow("This is not part of the app's plan");
  env.service.options.lockedFeatures = [];
});

test('opening a list sends one request, searching it sends none', async () => {
  const pages = env.service.requests.length;
  await search(PAGES, 'searchPages');
  for (const letters of ['c', 'cu', 'cus']) await search(PAGES, 'searchPages', {}, letters);
  expect(env.listRequests(pages)).toEqual(['GET /api/v1.1/{appId}/pages']);
  const tables = env.service.requests.length;
  await search(RECORDS, 'searchTables');
  for (const letters of ['c', 'cu']) await search(RECORDS, 'searchTables', {}, letters);
  expect(env.listRequests(tables)).toEqual(['GET /api/v1/data-tables']);
});

test('lists the components of the child page if one is picked', async () => {
  const onPage = { resource: 'component', operation: 'getDetails', pageId: toLocator(ids.pageId!) };
  const [[, childId]] = (await search(PAGES, 'searchChildPages', onPage)) as [[string, string]];
  const onChild = { ...onPage, childPageId: toLocator(childId) };
  const before = env.service.requests.length;
  const components = await search(PAGES, 'searchComponents', onChild);
  expect(env.service.requests.slice(before).map(({ path }) => path)).toEqual([
    expect.stringContaining(`/pages/${childId}/components`),
  ]);
  expect(components).not.toEqual(await search(PAGES, 'searchComponents', onPage));
});

test('a missing permission is named', async () => {
  const keys = env.service.addKey({ permissions: { allow_page: false } });
  const credential = { baseUrl: env.service.baseUrl, ...keys };
  await env.engine.setCredential('recordDatabaseApi', credential, { id: 'no-pages', name: 'No Pages' });
  const node = createNode(
    'Node',
    toNodeType(PAGES),
    {},
    {
      credentials: { recordDatabaseApi: { id: 'no-pages', name: 'No Pages' } },
    },
  );
  await expect(env.engine.listSearch(node, 'searchPages', {})).rejects.toThrow(
    'The API key lacks the permission allow_page',
  );
});

test('a service that does not answer fails the list', async () => {
  const pattern = 'GET /api/v1.1/{appId}/pages';
  env.service.faults.add({ when: { pattern }, times: 9, fault: { type: 'stall', ms: 3_600_000 } });
  const found = env.withSettings({ requestTimeout: 1 }, () => search(PAGES, 'searchPages'));
  await expect(found).rejects.toThrow('did not answer in time');
  env.service.faults.clear();
});

test('an expression without a value is not sent as an ID', async () => {
  const dataTableId = { __rl: true, mode: 'id', value: '={{ $json.table }}' };
  const before = env.service.requests.length;
  await expect(search(RECORDS, 'searchFormulaFields', { dataTableId })).rejects.toThrow('has no value yet');
  expect(env.service.requests).toHaveLength(before);
});

test('a table without a name is shown by its ID', async () => {
  env.service.faults.add({
    when: { pattern: 'GET /api/v1/data-tables' },
    fault: {
      type: 'status',
      status: 200,
      body: { type: 'success', data_tables: [{ id: 'T1', name: null }] },
    },
  });
  expect(await search(RECORDS, 'searchTables')).toEqual([['T1', 'T1']]);
});
