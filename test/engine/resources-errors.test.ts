import { runOperation } from './cases';
import { byId, columns, outputOf, World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => {
  world.service.options.lockedFeatures = [];
  expect(world.violations()).toEqual([]);
});

const details = (one: { error?: unknown }) => String((one.error as { description?: string }).description);

/** Runs with a key that lacks these permissions. */
async function without(names: string[], folder: string, parameters: object, input?: object[]) {
  const keys = world.service.addKey({ permissions: Object.fromEntries(names.map((name) => [name, false])) });
  const reference = { id: `no ${names.join()}`, name: 'Limited' };
  await world.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: world.service.baseUrl, ...keys },
    reference,
  );
  return runOperation(world, folder, parameters, input, { credentials: { recordDatabaseApi: reference } });
}

const [TASKS, FILES, PAGES, LOGS, RECORDS] = [
  'RecordDatabaseTasks',
  'RecordDatabaseImportExport',
  'RecordDatabasePages',
  'RecordDatabaseLogs',
  'RecordDatabase',
] as const;
const source = { source: 'dataSource', dataSource: 'a' };

test('a refusal names the permission that the key lacks', async () => {
  const taskId = byId(world.service.tasks[0]!.id);
  const customers = world.table('Customers');
  const dataTableId = byId(customers.id);
  const [recordId] = [...customers.records.keys()];
  const [imported] = outputOf(await runOperation(world, FILES, { resource: 'import', operation: 'getAll' }));
  const [template] = outputOf(await runOperation(world, FILES, { resource: 'export', operation: 'getAll' }));
  const cases: Array<[string, string, object]> = [
    ['allow_task', TASKS, { resource: 'task', operation: 'run', taskId }],
    [
      'allow_import',
      FILES,
      { resource: 'import', operation: 'run', importId: byId(String(imported!.id)), ...source },
    ],
    ['allow_export', FILES, { resource: 'export', operation: 'run', templateId: byId(String(template!.id)) }],
    ['allow_page', PAGES, { resource: 'layout', operation: 'getAll' }],
    ['allow_log', LOGS, { resource: 'log', operation: 'getLogins' }],
    ['allow_get', RECORDS, { resource: 'record', operation: 'getAll', dataTableId }],
    ['allow_delete', RECORDS, { resource: 'record', operation: 'delete', dataTableId, recordId }],
  ];
  for (const [name, folder, parameters] of cases) {
    const run = await without([name], folder, parameters);
    expect(run.error?.message).toMatch(new RegExp(`^The API key lacks the permission ${name} \\(`));
    expect(details(run)).toMatch(/Give the key the permission in the service/);
  }
});

test('a refusal does not blame what only other calls of the operation need', async () => {
  const list = async (resource: string, more: object = {}) =>
    outputOf(await runOperation(world, PAGES, { resource, operation: 'getAll', ...more }));
  const named = (all: Array<Record<string, unknown>>, wanted: string) =>
    byId(String(all.find(({ name }) => name === wanted)!.id));
  const pageId = named(await list('page'), 'Customers');
  const componentId = named(await list('component', { pageId }), 'New Customer');
  const save = { resource: 'component', operation: 'save', pageId, componentId };
  const values = { columns: columns({ company: 'x', email: 'refused@example.com' }) };
  const refusal = { type: 'error', msg: 'Permission Denied', status: 403 };
  world.service.faults.add({
    when: { pattern: /save$/ },
    fault: { type: 'status', status: 403, body: refusal },
  });
  const created = await without(['allow_get'], PAGES, { ...save, ...values });
  expect(created.error?.message).toBe('The service does not permit this');
  const [recordId] = [...world.table('Customers').records.keys()];
  const updated = await without(['allow_get'], PAGES, { ...save, ...values, recordId });
  expect(updated.error?.message).toMatch(/^The API key lacks the permission allow_get \(/);
});

test('what the status does not show is told as well', async () => {
  const run = await without(['allow_api_access'], LOGS, { resource: 'log', operation: 'getLogins' });
  expect(run.error?.message).toBe('The service does not permit this');
  expect(details(run)).toMatch(/allow_api_access/);
  const pages = outputOf(await runOperation(world, PAGES, { resource: 'page', operation: 'getAll' }));
  const pageId = byId(String(pages.find(({ name }) => name === 'Customers')!.id));
  const hidden = await runOperation(world, PAGES, { resource: 'component', operation: 'getAll', pageId });
  expect(outputOf(hidden).map(({ name }) => name)).not.toContain('Forecast');
});

test('the status is asked once, however many items are refused', async () => {
  const taskId = byId(world.service.tasks[0]!.id);
  const before = world.service.requests.length;
  const keys = world.service.addKey({ permissions: { allow_task: false } });
  await world.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: world.service.baseUrl, ...keys },
    { id: 'many', name: 'Many' },
  );
  const extra = {
    onError: 'continueRegularOutput',
    credentials: { recordDatabaseApi: { id: 'many', name: 'Many' } },
  };
  const input = Array.from({ length: 10 }, () => ({ json: {} }));
  const run = await runOperation(world, TASKS, { resource: 'task', operation: 'run', taskId }, input, extra);
  expect(run.jsonOf('Node').every(({ error }) => String(error).includes('allow_task'))).toBe(true);
  const asked = world.service.requests
    .slice(before)
    .filter(({ pattern }) => pattern === 'GET /api/v1/status');
  expect(asked).toHaveLength(1);
});

test('a plan limit and a wrong ID say what to do', async () => {
  world.service.options.lockedFeatures = ['exports'];
  const locked = await runOperation(world, FILES, { resource: 'export', operation: 'getAll' });
  expect(locked.error?.message).toBe("This is not part of the app's plan, or its limit is reached");
  expect(details(locked)).toMatch(/Upgrade the plan/);
  const wrong = await runOperation(world, TASKS, {
    resource: 'task',
    operation: 'run',
    taskId: byId('nope'),
  });
  expect(wrong.error?.message).toBe('The service does not know what was asked for');
  expect(details(wrong)).toMatch(/Task Not Found/);
  const empty = await runOperation(world, TASKS, {
    resource: 'task',
    operation: 'run',
    taskId: byId('={{ $json.none }}'),
  });
  expect(empty.error?.message).toBe('Task ID is missing');
});

test('subscriptions are made, listed and removed by hand', async () => {
  const dataTableId = byId(world.table('Customers').id);
  const hook = (operation: string, more: object = {}) =>
    runOperation(world, RECORDS, { resource: 'webhook', operation, ...more });
  const made = { dataTableId, type: 'UPDATE', hookUrl: 'https://example.com/hook', platform: 'elsewhere' };
  const [{ id }] = outputOf(await hook('subscribe', made)) as [{ id: string }];
  expect(outputOf(await hook('getAll', { dataTableId }))).toMatchObject([
    { id, type: 'UPDATE', platform: 'elsewhere' },
  ]);
  for (const key of ['subscriptions', 'data']) {
    world.service.options.webhooksKey = key;
    expect(outputOf(await hook('getAll'))).toHaveLength(1);
  }
  expect(outputOf(await hook('unsubscribe', { subscriptionId: id }))).toEqual([{ deleted: true, id }]);
  expect(world.service.subscriptions).toEqual([]);
  expect((await hook('unsubscribe', { subscriptionId: id })).error?.message).toBe(
    'The service does not know what was asked for',
  );
  expect((await hook('subscribe', { ...made, hookUrl: 'example.com' })).error?.message).toMatch(
    /^The Hook URL cannot be/,
  );
});

test('the status of the key has permissions and both limits as flat fields', async () => {
  const [status] = outputOf(
    await runOperation(world, RECORDS, { resource: 'apiKey', operation: 'getStatus' }),
  );
  expect(status).toMatchObject({
    api_key_status: 'Active',
    permissions_read: true,
    permissions_tasks: true,
    per_minute_limit_allowed: expect.any(Number),
    per_minute_limit_remaining: expect.any(Number),
    per_day_limit_resets_in_seconds: expect.any(Number),
  });
  expect(Object.values(status!).some((value) => typeof value === 'object')).toBe(false);
});

test.each([
  ['GET /api/v1/tasks', 'tasks', TASKS, 'task', 'getAll'],
  ['GET /api/v1/roles', 'items', 'RecordDatabaseUsers', 'role', 'getAll'],
  ['GET /api/v1/web-hooks/list', 'items', RECORDS, 'webhook', 'getAll'],
  ['GET /api/v1/logs/logins', 'items', LOGS, 'log', 'getLogins'],
  ['GET /api/v1.1/{appId}/imports', 'items', FILES, 'import', 'getAll'],
  ['GET /api/v1.1/{appId}/exports/queues', 'items', FILES, 'export', 'getQueue'],
  ['GET /api/v1.1/{appId}/pages', 'pages', PAGES, 'page', 'getAll'],
  ['GET /api/v1.1/{appId}/pages/{pageId}/components', 'components', PAGES, 'component', 'getAll'],
  [/components\/c\/records/, 'records', PAGES, 'component', 'getRecords'],
])('a list that is null is an empty one: %s', async (pattern, key, folder, resource, operation) => {
  const body = { type: 'success', [key]: null };
  world.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
  const which = { pageId: byId('p'), componentId: byId('c') };
  expect(outputOf(await runOperation(world, folder, { resource, operation, ...which }))).toEqual([]);
});

test.each([
  ['GET /api/v1/logs/logins', { items: null, total_pages: 3 }, LOGS, 'log', 'getLogins'],
  [/components\/c\/records/, { records: null, total: 5 }, PAGES, 'component', 'getRecords'],
])(
  'a list that is null and said to hold something is none: %s',
  async (pattern, body, folder, resource, operation) => {
    world.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
    const which = { pageId: byId('p'), componentId: byId('c') };
    const run = await runOperation(world, folder, { resource, operation, ...which });
    expect(run.error?.message).toMatch(/did not answer with a (log|list of records)/);
  },
);

test('formulas: all, of a table, of a field', async () => {
  const table = world.service.tables.find(({ fields }) => fields.some(({ type }) => type === 'Formula'))!;
  const field = table.fields.find(({ type }) => type === 'Formula')!;
  const work = (operation: string, more: object = {}) =>
    runOperation(world, RECORDS, { resource: 'formula', operation, ...more });
  outputOf(await work('recalculateAll'));
  outputOf(await work('recalculateTable', { dataTableId: byId(table.id) }));
  outputOf(await work('recalculateField', { fieldSlug: byId(field.slug), force: true }));
  expect(world.service.requests.at(-1)!.path).toBe(
    `/api/v1/update-field-formula-by-slug/${field.slug}/force`,
  );
  outputOf(await work('recalculateField', { fieldBy: 'id', fieldId: byId(field.fieldId) }));
  expect(world.service.requests.at(-1)!.path).toBe(`/api/v1/update-field-formula-by-id/${field.fieldId}`);
});

test('a recalculation that takes longer than the timeout is not started again', async () => {
  const before = world.service.requests.length;
  const pattern = 'POST /api/v1/update-all-formula';
  world.service.faults.add({ when: { pattern }, times: 4, fault: { type: 'stall', ms: 3_600_000 } });
  const all = { resource: 'formula', operation: 'recalculateAll' };
  const run = await runOperation(world, RECORDS, { ...all, requests: { timeout: 1 } });
  world.service.faults.clear();
  expect(run.error?.message).toMatch(/^Outcome unknown: .* did not answer in time$/);
  expect(details(run)).toMatch(/may still be at it, so it was not sent again\. Do not repeat it at once/);
  expect(world.seen(before)).toEqual([pattern]);
});
