import { type INode, NodeHelpers, sleep } from 'n8n-workflow';
import { skipWaits } from '../../environment/skipWaits';
import { createNode } from '../../harness';
import { findSampleIds, toNodeType } from '../support/runOperation';
import { getOutput, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment();

const LIST = 'GET /api/v1/data-tables/{dataTableId}/records';
const FILTERED = 'POST /api/v1/data-tables/{dataTableId}/records';

const search = (table: string, filter?: string, paginationToken?: string, more: object = {}) => {
  const parameters = {
    resource: 'record',
    operation: 'get',
    dataTableId: toLocator(env.getTable(table).id),
    ...more,
  };
  return env.engine.listSearch(createNode('Node', TYPE, parameters), 'searchRecords', {
    filter,
    paginationToken,
  });
};

/** Requests for records: the fields of the table are shared with the other lists of the form. */
const listRecordRequests = (since: number) =>
  env.listRequests(since).filter((pattern) => !pattern.endsWith('full-fields-info'));

test('a record is shown by its first short texts', async () => {
  const [first] = [...env.getTable('Customers').records.values()];
  const { first_name, last_name } = first!.name as Record<string, string>;
  const { results } = await search('Customers');
  expect(results[0]).toEqual({
    name: `${first_name} ${last_name} (${String(first!.company)}, ${String(first!.email)})`,
    value: first!.id,
  });
});

test('one request opens the list, and each further page is one request', async () => {
  const ids = [...env.getTable('Customers').records.keys()];
  const before = env.service.requests.length;
  const found: unknown[] = [];
  let token: string | undefined;
  do {
    const page = await search('Customers', undefined, token);
    found.push(...page.results.map(({ value }) => value));
    token = page.paginationToken as string | undefined;
  } while (token);
  expect(found).toEqual(ids);
  expect(listRecordRequests(before)).toEqual(Array(3).fill(LIST));
});

test('typed words are searched by the service, in any of the label fields', async () => {
  const wanted = [...env.getTable('Customers').records.values()][211]!;
  const { last_name } = wanted.name as Record<string, string>;
  await search('Customers');
  const before = env.service.requests.length;
  const { results } = await search('Customers', ` CUSTOMER212@ ${last_name}`);
  expect(results.map(({ value }) => value)).toEqual([wanted.id]);
  expect(listRecordRequests(before)).toEqual([FILTERED]);
  const more = env.service.requests.length;
  expect((await search('Customers', 'customer212@ nobody')).results).toEqual([]);
  expect(listRecordRequests(more)).toEqual([FILTERED]);
});

test('a search in a list that is known as a whole sends no request', async () => {
  const [first] = [...env.getTable('Print Jobs').records.values()];
  const { results } = await search('Print Jobs');
  expect(results).toHaveLength(5);
  const before = env.service.requests.length;
  for (const letters of ['l', 'la', 'labels', 'labels 3']) await search('Print Jobs', letters);
  expect((await search('Print Jobs', 'labels 3')).results).toEqual([results[2]]);
  expect((await search('Print Jobs', first!.id)).results).toEqual([results[0]]);
  expect(env.service.requests.length).toBe(before);
  env.getTable('Print Jobs').insert({ title: 'Labels 3 again' });
  await search('Print Jobs');
  expect((await search('Print Jobs', 'labels 3')).results).toHaveLength(2);
});

test('records that do not contain the words are not shown if the service ignores the filter', async () => {
  const body = { type: 'success', items: [{ id: 'r1', company: 'Beta' }], total_items: 1 };
  env.service.faults.add({ when: { pattern: FILTERED }, fault: { type: 'status', status: 200, body } });
  expect((await search('Customers', 'alpha')).results).toEqual([]);
});

test('records with the same label also show their ID', async () => {
  const table = env.getTable('Products');
  const [a, b] = [1, 2].map(() => table.insert({ name: 'Same Name' }));
  const { results } = await search('Products', 'same name');
  expect(results).toEqual([a, b].map((one) => ({ name: `Same Name [${one!.id}]`, value: one!.id })));
});

test('a table without short texts is shown by numbers and dates', async () => {
  env.service.faults.add({
    when: { pattern: 'GET /api/v1/data-tables/{dataTableId}/full-fields-info' },
    fault: {
      type: 'status',
      status: 200,
      body: {
        type: 'success',
        fields: [
          { slug: 'page', fieldId: 'f1', name: 'Page', type: 'Number' },
          { slug: 'limit', fieldId: 'f2', name: 'Limit', type: 'Number' },
        ],
      },
    },
  });
  const node = createNode('Node', TYPE, {
    resource: 'record',
    operation: 'get',
    dataTableId: toLocator(env.getTable('Print Jobs').id),
  });
  // Another key has a table cache of its own.
  const keys = env.service.addKey({});
  await env.engine.setCredential(
    'recordDatabaseApi',
    { baseUrl: env.service.baseUrl, ...keys },
    { id: 'other', name: 'Other' },
  );
  node.credentials = { recordDatabaseApi: { id: 'other', name: 'Other' } };
  const { results } = await env.engine.listSearch(node, 'searchRecords', {});
  expect(results[1]!.name).toMatch(/^2 \(10, \d{4}-\d\d-\d\d .*\)$/);
  const found = await env.engine.listSearch(node, 'searchRecords', { filter: '2 10' });
  expect(found.results.map(({ value }) => value)).toContain(results[1]!.value);
});

test('without a table the list is empty', async () => {
  const node = createNode('Node', TYPE, { resource: 'record', operation: 'get' });
  const before = env.service.requests.length;
  expect((await env.engine.listSearch(node, 'searchRecords', {})).results).toEqual([]);
  expect(env.service.requests.length).toBe(before);
});

test('a component lists the records of its table, and a PDF those of the chosen table', async () => {
  const ids = await findSampleIds(env);
  const component = { pageId: toLocator(ids.pageId!), componentId: toLocator(ids.componentId!) };
  const save = createNode('Node', toNodeType('RecordDatabasePages'), {
    resource: 'component',
    operation: 'save',
    ...component,
  });
  const [first] = [...env.getTable('Customers').records.keys()];
  expect((await env.engine.listSearch(save, 'searchRecords', {})).results[0]!.value).toBe(first);
  const pdf = createNode('Node', toNodeType('RecordDatabasePdf'), {
    resource: 'pdfPage',
    operation: 'create',
    dataTableId: toLocator(env.getTable('Invoices').id),
  });
  expect((await env.engine.listSearch(pdf, 'searchRecords', {})).results[0]!.name).toMatch(/^INV-/);
});

test('a service that does not answer fails the list', async () => {
  await search('Orders');
  env.service.faults.add({ when: { pattern: LIST }, times: 9, fault: { type: 'stall', ms: 3_600_000 } });
  const found = env.withSettings({ requestTimeout: 1 }, () => search('Orders'));
  await expect(found).rejects.toThrow('did not answer in time');
});

test('the error of a list that waited for the limit of the minute names the limit', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    void sleep(200).then(() => controller.abort());
    return controller.signal;
  });
  env.service.faults.add({
    when: { pattern: LIST },
    times: 9,
    fault: { type: 'rateLimit', scope: 'minute', retryAfter: 50 },
  });
  await expect(search('Invoices')).rejects.toMatchObject({
    message: 'The list could not be loaded within 30 seconds',
    description: expect.stringMatching(/request limit of the minute may be used up.*\.$/) as string,
  });
  timeout.mockRestore();
});

test.each([
  ['a text', (id: string) => id],
  ['an expression', () => '={{ $json.id }}'],
  ['an ID', (id: string) => toLocator(id)],
  ['an expression in the mode By ID', () => toLocator('={{ $json.id }}')],
  ['a picked entry', (id: string) => ({ __rl: true, mode: 'list', value: id, cachedResultName: 'Ada' })],
])('a stored record ID can be %s', async (_title, toStored) => {
  const table = env.getTable('Print Jobs');
  const { id } = table.insert({ title: 'Stored' });
  const run = async (operation: string, more: object = {}) =>
    getOutput(await env.runRecordOperation(operation, table, { recordId: toStored(id), ...more }, [{ id }]));
  expect(await run('get')).toMatchObject([{ id, title: 'Stored' }]);
  const columns = { mappingMode: 'defineBelow', value: { title: 'Changed' }, matchingColumns: [] };
  await run('update', { columns });
  expect(table.records.get(id)).toMatchObject({ title: 'Changed' });
  expect(await run('delete')).toEqual([{ _action: 'deleted', deleted: true, id }]);
});

test.each([
  ['', ['Parameter "Record ID" is required.']],
  [' k7pq2xw9lm ', undefined],
])('the form of the ID "%s" reports %j', (id, issues) => {
  const dataTableId = toLocator(env.getTable('Orders').id);
  const node = createNode('Node', TYPE, {
    resource: 'record',
    operation: 'get',
    dataTableId,
    recordId: toLocator(id),
  });
  const { description } = env.engine.nodeTypes.getByNameAndVersion(TYPE);
  const found = NodeHelpers.getNodeParametersIssues(
    description.properties,
    node as unknown as INode,
    description,
  );
  expect(found?.parameters?.recordId).toEqual(issues);
});
