import { skipWaits } from '../../environment/skipWaits';
import { READINGS } from '../../service/readings';
import { runOperation } from '../support/runOperation';
import { getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();

const env = useTestEnvironment();
afterEach(() => {
  env.service.options.lockedFeatures = [];
});

const getDescription = (one: { error?: unknown }) =>
  String((one.error as { description?: string }).description);

/** Runs with a key that lacks these permissions. */
async function runWithoutPermissions(names: string[], folder: string, parameters: object, input?: object[]) {
  const keys = env.service.addKey({ permissions: Object.fromEntries(names.map((name) => [name, false])) });
  const reference = { id: `no ${names.join()}`, name: 'Limited' };
  await env.engine.setCredential('recordDatabaseApi', { baseUrl: env.service.baseUrl, ...keys }, reference);
  return runOperation(env, folder, parameters, input, { credentials: { recordDatabaseApi: reference } });
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
  const taskId = toLocator(env.service.tasks[0]!.id);
  const customers = env.getTable('Customers');
  const dataTableId = toLocator(customers.id);
  const [recordId] = [...customers.records.keys()];
  const [imported] = getOutput(await runOperation(env, FILES, { resource: 'import', operation: 'getAll' }));
  const [template] = getOutput(await runOperation(env, FILES, { resource: 'export', operation: 'getAll' }));
  const cases: Array<[string, string, object]> = [
    ['allow_task', TASKS, { resource: 'task', operation: 'run', taskId }],
    [
      'allow_import',
      FILES,
      { resource: 'import', operation: 'run', importId: toLocator(String(imported!.id)), ...source },
    ],
    [
      'allow_export',
      FILES,
      { resource: 'export', operation: 'run', templateId: toLocator(String(template!.id)) },
    ],
    ['allow_page', PAGES, { resource: 'layout', operation: 'getAll' }],
    ['allow_log', LOGS, { resource: 'log', operation: 'getAll' }],
    ['allow_get', RECORDS, { resource: 'record', operation: 'getAll', dataTableId }],
    ['allow_delete', RECORDS, { resource: 'record', operation: 'delete', dataTableId, recordId }],
  ];
  for (const [name, folder, parameters] of cases) {
    const run = await runWithoutPermissions([name], folder, parameters);
    expect(run.error?.message).toMatch(new RegExp(`^The API key lacks the permission ${name} \\(`));
    expect(getDescription(run)).toMatch(/Give the key the permission in the service/);
  }
});

test('a refusal by a firewall is not reported as a missing permission of the key', async () => {
  env.service.faults.add({ times: Infinity, fault: { type: 'html', status: 403 } });
  const run = await runOperation(env, TASKS, { resource: 'task', operation: 'run', taskId: toLocator('t') });
  expect(run.error?.message).toBe('A proxy in front of the service refused the call');
  expect(getDescription(run)).toMatch(/does not come from the Record Database Service/);
});

test('a refusal of one of several deletions names its record', async () => {
  const table = env.service.addTable({ name: 'Kept', fields: [{ name: 'Code', type: 'Text' }] });
  const [first, second] = ['a', 'a'].map((code) => table.insert({ code }).id);
  const parameters = {
    resource: 'record',
    operation: 'deleteMany',
    dryRun: false,
    dataTableId: toLocator(table.id),
    filterMode: 'json',
    filterJson: '{"code": "a"}',
  };
  const lacking = await runWithoutPermissions(['allow_delete'], RECORDS, parameters);
  expect(lacking.error?.message).toMatch(
    new RegExp(`^Record (${first}|${second}): The API key lacks the permission allow_delete \\(`),
  );
  env.service.faults.add({
    when: { method: 'DELETE', pattern: /records/ },
    times: 2,
    fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } },
  });
  const { error } = await runOperation(env, RECORDS, parameters);
  expect(error?.message).toMatch(/^Record \w+: The service does not permit this$/);
});

test('a refusal does not name permissions that only other calls of the operation need', async () => {
  const listEntries = async (resource: string, more: object = {}) =>
    getOutput(await runOperation(env, PAGES, { resource, operation: 'getAll', ...more }));
  const findByName = (all: Array<Record<string, unknown>>, wanted: string) =>
    toLocator(String(all.find(({ name }) => name === wanted)!.id));
  const pageId = findByName(await listEntries('page'), 'Customers');
  const componentId = findByName(await listEntries('component', { pageId }), 'New Customer');
  const save = { resource: 'component', operation: 'save', pageId, componentId };
  const values = { columns: toColumns({ company: 'x', email: 'refused@example.com' }) };
  const refusal = { type: 'error', msg: 'Permission Denied', status: 403 };
  env.service.faults.add({
    when: { pattern: /save$/ },
    fault: { type: 'status', status: 403, body: refusal },
  });
  const created = await runWithoutPermissions(['allow_get'], PAGES, { ...save, ...values });
  expect(created.error?.message).toBe('The service does not permit this');
});

test('explains a refusal whose reason the key status does not show', async () => {
  const run = await runWithoutPermissions(['allow_api_access'], LOGS, {
    resource: 'log',
    operation: 'getAll',
  });
  expect(run.error?.message).toBe('The service does not permit this');
  expect(getDescription(run)).toMatch(/allow_api_access/);
  const pages = getOutput(await runOperation(env, PAGES, { resource: 'page', operation: 'getAll' }));
  const pageId = toLocator(String(pages.find(({ name }) => name === 'Customers')!.id));
  const hidden = await runOperation(env, PAGES, { resource: 'component', operation: 'getAll', pageId });
  expect(getOutput(hidden).map(({ name }) => name)).not.toContain('Forecast');
});

test('reads the key status once for any number of refused items', async () => {
  const taskId = toLocator(env.service.tasks[0]!.id);
  const before = env.service.requests.length;
  const keys = env.service.addKey({ permissions: { allow_task: false } });
  await env.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: env.service.baseUrl, ...keys },
    { id: 'many', name: 'Many' },
  );
  const extra = {
    onError: 'continueRegularOutput',
    credentials: { recordDatabaseApi: { id: 'many', name: 'Many' } },
  };
  const input = Array.from({ length: 10 }, () => ({ json: {} }));
  const run = await runOperation(env, TASKS, { resource: 'task', operation: 'run', taskId }, input, extra);
  expect(run.getJson('Node').every(({ error }) => String(error).includes('allow_task'))).toBe(true);
  const asked = env.service.requests.slice(before).filter(({ pattern }) => pattern === 'GET /api/v1/status');
  expect(asked).toHaveLength(1);
});

test('the errors for a plan limit and a wrong ID have a remedy', async () => {
  env.service.options.lockedFeatures = ['exports'];
  const locked = await runOperation(env, FILES, { resource: 'export', operation: 'getAll' });
  expect(locked.error?.message).toBe("This is not part of the app's plan, or its limit is reached");
  expect(getDescription(locked)).toMatch(/Upgrade the plan/);
  const wrong = await runOperation(env, TASKS, {
    resource: 'task',
    operation: 'run',
    taskId: toLocator('nope'),
  });
  expect(wrong.error?.message).toBe('The task "nope" does not exist');
  expect(getDescription(wrong)).toMatch(/Task Not Found/);
  const empty = await runOperation(env, TASKS, {
    resource: 'task',
    operation: 'run',
    taskId: toLocator('={{ $json.none }}'),
  });
  expect(empty.error?.message).toBe('Task: the expression has found nothing');
});

test('the token of a trigger is masked in the list of subscriptions', async () => {
  const run = (operation: string, more: object = {}) =>
    runOperation(env, RECORDS, { resource: 'webhook', operation, ...more });
  const dataTableId = toLocator(env.getTable('Customers').id);
  const hookUrl = 'https://n8n.example/webhook/w1/webhook?a=1&token=secret-token#x';
  const [{ id }] = getOutput(await run('subscribe', { dataTableId, type: 'INSERT', hookUrl })) as [
    { id: string },
  ];
  expect(getOutput(await run('getAll'))).toMatchObject([
    { id, hookUrl: 'https://n8n.example/webhook/w1/webhook?a=1&token=•••#x' },
  ]);
  await run('unsubscribe', { subscriptionId: id });
});

test.each(READINGS.webhooksOfAllTables.values)(
  'the subscriptions of all tables are read by one call for each (without a table: %s)',
  async (webhooksOfAllTables) => {
    env.service.options.webhooksOfAllTables = webhooksOfAllTables;
    const run = (operation: string, more: object = {}) =>
      runOperation(env, RECORDS, { resource: 'webhook', operation, ...more });
    const subscribe = async (name: string) => {
      const dataTableId = toLocator(env.getTable(name).id);
      const hook = { dataTableId, type: 'INSERT', hookUrl: 'https://example.com/hook' };
      return String(getOutput(await run('subscribe', hook))[0]!.id);
    };
    const ids = [await subscribe('Customers'), await subscribe('Orders')];
    const before = env.service.requests.length;
    expect(getOutput(await run('getAll')).map(({ id }) => id)).toEqual(ids);
    const tables = env.service.requests.slice(before).flatMap(({ query }) => query.data_table_id ?? []);
    expect(tables.sort()).toEqual(env.service.tables.map(({ id }) => id).sort());
    for (const subscriptionId of ids) getOutput(await run('unsubscribe', { subscriptionId }));
    env.service.options.webhooksOfAllTables = 'listed';
  },
);

test('the operations create, list and remove subscriptions', async () => {
  const dataTableId = toLocator(env.getTable('Customers').id);
  const runWebhookOperation = (operation: string, more: object = {}) =>
    runOperation(env, RECORDS, { resource: 'webhook', operation, ...more });
  const made = { dataTableId, type: 'UPDATE', hookUrl: 'https://example.com/hook' };
  const [{ id }] = getOutput(await runWebhookOperation('subscribe', made)) as [{ id: string }];
  expect(getOutput(await runWebhookOperation('getAll', { dataTableId }))).toMatchObject([
    { id, type: 'UPDATE', platform: 'n8n' },
  ]);
  const ofOrders = { dataTableId: toLocator(env.getTable('Orders').id) };
  expect(getOutput(await runWebhookOperation('getAll', ofOrders))).toEqual([]);
  for (const key of ['subscriptions', 'data']) {
    env.service.options.webhooksKey = key;
    expect(getOutput(await runWebhookOperation('getAll'))).toHaveLength(1);
  }
  expect(getOutput(await runWebhookOperation('unsubscribe', { subscriptionId: id }))).toEqual([
    { deleted: true, id },
  ]);
  expect(env.service.subscriptions).toEqual([]);
  expect((await runWebhookOperation('unsubscribe', { subscriptionId: id })).error?.message).toBe(
    'The webhook subscription does not exist',
  );
  for (const hookUrl of [
    'example.com',
    'see https://example.com/hook',
    'ftp://example.com/hook',
    'https:///',
  ])
    expect((await runWebhookOperation('subscribe', { ...made, hookUrl })).error).toMatchObject({
      message: `URL to Call cannot be "${hookUrl}"`,
      description: 'Give an address such as https://example.com/hook.',
    });
  getOutput(await runWebhookOperation('subscribe', { ...made, hookUrl: 'http://example.com/hook' }));
  env.service.subscriptions.splice(0);
});

test('the status of the key has permissions and both limits as flat fields', async () => {
  const [status] = getOutput(
    await runOperation(env, RECORDS, { resource: 'apiKey', operation: 'getStatus' }),
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

test('a list that is null is no list: the error names the key', async () => {
  const body = { type: 'success', tasks: null };
  const fault = { type: 'status', status: 200, body } as const;
  env.service.faults.add({ when: { pattern: 'GET /api/v1/tasks' }, fault });
  const { error } = await runOperation(env, TASKS, { resource: 'task', operation: 'getAll' });
  expect(error?.message).toBe("The service's answer to GET /api/v1/tasks does not have the documented form");
  expect(error?.description).toContain('Expected a list under "tasks"');
});

test('formulas: all, of a table, of a field', async () => {
  const table = env.service.tables.find(({ fields }) => fields.some(({ type }) => type === 'Formula'))!;
  const field = table.fields.find(({ type }) => type === 'Formula')!;
  const dataTableId = toLocator(table.id);
  const recalculate = async (more: object) => {
    const parameters = { resource: 'formula', operation: 'recalculate', dataTableId, ...more };
    getOutput(await runOperation(env, RECORDS, parameters));
    return env.service.requests.at(-1)!.path;
  };
  const [bySlug, byId, fromList] = [
    { __rl: true, mode: 'slug', value: field.slug },
    toLocator(field.fieldId),
    { __rl: true, mode: 'list', value: field.fieldId },
  ];
  const options = { force: true };
  expect(await recalculate({ scope: 'all' })).toBe('/api/v1/update-all-formula');
  expect(await recalculate({ scope: 'table' })).toBe(`/api/v1/update-all-formula/${table.id}`);
  const [slugPath, idPath] = [
    `/api/v1/update-field-formula-by-slug/${field.slug}`,
    `/api/v1/update-field-formula-by-id/${field.fieldId}`,
  ];
  expect(await recalculate({ scope: 'field', fieldId: bySlug })).toBe(slugPath);
  expect(await recalculate({ scope: 'field', fieldId: bySlug, options })).toBe(`${slugPath}/force`);
  expect(await recalculate({ fieldId: fromList })).toBe(idPath);
  expect(await recalculate({ fieldId: byId, options })).toBe(`${idPath}/force`);
  expect(await recalculate({ fieldId: byId, options: { force: false } })).toBe(idPath);
});

test('a recalculation that takes longer than the timeout is not started again', async () => {
  const before = env.service.requests.length;
  const pattern = 'POST /api/v1/update-all-formula';
  env.service.faults.add({ when: { pattern }, times: 4, fault: { type: 'stall', ms: 3_600_000 } });
  const all = { resource: 'formula', operation: 'recalculate', scope: 'all' };
  const run = await env.withSettings({ requestTimeout: 1 }, () => runOperation(env, RECORDS, all));
  env.service.faults.clear();
  expect(run.error?.message).toMatch(/^Outcome unknown: .* did not answer in time$/);
  expect(getDescription(run)).toMatch(/may still be doing it\. Check in the service before you repeat it/);
  expect(env.listRequests(before)).toEqual([pattern]);
});
