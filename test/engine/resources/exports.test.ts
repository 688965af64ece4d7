import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode } from '../../harness';
import { startCountingServer } from '../support/countingServer';
import { runOperation, toNodeType } from '../support/runOperation';
import { getOutput, START, toLocator, waitUntil } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** The file of a finished export, on a host that fails. */

const FILES = 'RecordDatabaseImportExport';
const ENTRY = 'GET /api/v1.1/{appId}/exports/queues/{queueId}';
const TEMPLATE = 'GET /api/v1.1/{appId}/exports/templates/{templateId}';
const TRIGGER = 'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger';
const parameters = {
  resource: 'export',
  operation: 'run',
  templateId: toLocator('t1'),
  wait: true,
  download: true,
};

skipWaits();
const env = useTestEnvironment();

/** The next export has the queue ID q1, and its file lies on this port. */
function runExport(port: number) {
  const entry = { id: 'q1', status: 'Complete', download_url: `http://127.0.0.1:${port}/Customer list.csv` };
  for (const [pattern, body] of [
    [TRIGGER, { type: 'success', queue_id: 'q1' }],
    [ENTRY, { type: 'success', item: entry }],
  ] as const) {
    env.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
  }
}

test('retries the download after an error response and after no response', async () => {
  const file = await startCountingServer((request, response) => {
    if (file.count() === 1) response.writeHead(503).end();
    else if (file.count() === 2) request.socket.destroy();
    else response.end('a,b');
  });
  runExport(file.port);
  const run = await runOperation(env, FILES, parameters);
  getOutput(run);
  const [item] = run.getItems('Node');
  expect((await run.readBinary(item)).toString()).toBe('a,b');
  expect(item!.binary!.data!.fileName).toBe('Customer list.csv');
  expect(file.count()).toBe(3);
});

test.each([503, 429])(
  'if %i does not go away, the error states that the export has ended',
  async (status) => {
    const file = await startCountingServer((_, response) => response.writeHead(status).end());
    runExport(file.port);
    const { error } = await runOperation(env, FILES, parameters);
    expect(error?.message).toBe(
      `The export has ended, but its file could not be downloaded. The file could not be fetched (${status})`,
    );
    const { description } = error as { description?: string };
    expect(description).toMatch(
      /queue ID is q1\. Download the file later with the operation "Get Runs": choose One Run/,
    );
    expect(description).toMatch(/The server that holds the file failed/);
    expect(file.count()).toBe(4);
  },
);

describe('an export without a file', () => {
  function endExport(entry: object) {
    for (const [pattern, body] of [
      [TRIGGER, { type: 'success', queue_id: 'q1' }],
      [ENTRY, { type: 'success', item: { id: 'q1', ...entry } }],
    ] as const) {
      env.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
    }
  }

  test('that ended is an error with the queue ID as a field', async () => {
    endExport({ status: 'Complete' });
    const run = await runOperation(env, FILES, parameters, undefined, { onError: 'continueErrorOutput' });
    expect(run.getJson('Node', 1)).toEqual([
      {
        error: 'The export has no file (status "Complete")',
        message: 'If it has not ended, get its file later with the operation "Get Runs". The queue ID is q1.',
        details: { queueId: 'q1' },
      },
    ]);
  });

  test('is returned if no file is wanted, and without a download of one that exists', async () => {
    endExport({ status: 'Complete' });
    const wanted = { ...parameters, download: false };
    expect(getOutput(await runOperation(env, FILES, wanted))).toMatchObject([{ status: 'Complete' }]);
    endExport({ status: 'Complete', download_url: 'http://127.0.0.1:1/list.csv' });
    const run = await runOperation(env, FILES, wanted);
    expect(getOutput(run)).toMatchObject([{ download_url: 'http://127.0.0.1:1/list.csv' }]);
    expect(run.getItems('Node')[0]!.binary).toBeUndefined();
  });

  test('that failed is returned if the form says so', async () => {
    endExport({ status: 'Failed' });
    const run = await runOperation(env, FILES, { ...parameters, options: { ifFails: 'return' } });
    expect(getOutput(run)).toMatchObject([{ status: 'Failed', _completion: 'failed' }]);
  });
});

test.each([
  ['a filter', { filterMode: 'json', filterJson: '[{"field_id":"company","operator":"is","val":"x"}]' }],
  ['columns', { options: { columns: ['company'] } }],
])('%s without the table of the export is refused before it starts', async (_, more) => {
  const body = { type: 'success', item: { id: 't1', name: 'List' } };
  env.service.faults.add({ when: { pattern: TEMPLATE }, fault: { type: 'status', status: 200, body } });
  const before = env.service.requests.length;
  const { error } = await runOperation(env, FILES, { ...parameters, ...more });
  expect(error).toMatchObject({
    message: 'The template does not name its table, by whose fields the values are checked',
    description: 'Nothing was sent. Pick the table of the template under "Table".',
  });
  expect(env.listRequests(before)).toEqual([TEMPLATE]);
});

test.each([
  (id: string) => ({ dataTable: { id, name: 'Customers' } }),
  (id: string) => ({ data_table_id: id }),
  (id: string) => ({ dataTableId: id }),
])('the table of the export is that of the template: %#', async (toTable) => {
  const item = { id: 't1', ...toTable(env.getTable('Customers').id) };
  const answer = (pattern: string, body: object) =>
    env.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
  answer(TEMPLATE, { type: 'success', item });
  answer(TRIGGER, { type: 'success', queue_id: 'q1' });
  const options = { columns: ['Company', 'email'] };
  getOutput(await runOperation(env, FILES, { ...parameters, wait: false, options }));
  expect(env.service.requests.at(-1)!.body).toEqual({ columns: ['company', 'email'] });
});

test('a run of several items reads the template once', async () => {
  const item = { id: 't1', dataTableId: env.getTable('Customers').id };
  const answer = (pattern: string, body: object) =>
    env.service.faults.add({
      when: { pattern },
      times: Infinity,
      fault: { type: 'status', status: 200, body },
    });
  answer(TEMPLATE, { type: 'success', item });
  answer(TRIGGER, { type: 'success', queue_id: 'q1' });
  const since = env.service.requests.length;
  const given = { ...parameters, wait: false, options: { columns: ['Company'] } };
  getOutput(await runOperation(env, FILES, given, [{}, {}, {}]));
  env.service.faults.clear();
  const read = env.service.requests.slice(since).filter(({ pattern }) => pattern === TEMPLATE);
  expect(read).toHaveLength(1);
});

test('a cancelled execution does not retry', async () => {
  const file = await startCountingServer((_, response) => response.writeHead(503).end());
  runExport(file.port);
  const cancel = new AbortController();
  const running = env.engine.run(chainNodes(START, createNode('Node', toNodeType(FILES), parameters)), {
    abortSignal: cancel.signal,
  });
  await waitUntil(() => file.count() > 0);
  cancel.abort();
  // The rest of the message depends on whether the cancellation ends the call or the wait after it.
  expect((await running).error?.message).toMatch(
    /^The export has ended, but its file could not be downloaded\. /,
  );
  expect(file.count()).toBe(1);
});

test('the queue is flat unless Simplify is off', async () => {
  const entry = {
    id: 'q1',
    dataTable: { id: 't1', name: 'Customers' },
    exportTemplate: { id: 'e1', name: 'List' },
    status: 'Complete',
    complete: 0,
    end_date: '',
  };
  const read = async (simplify: object) => {
    const fault = { type: 'status' as const, status: 200, body: { type: 'success', items: [entry] } };
    env.service.faults.add({ when: { pattern: 'GET /api/v1.1/{appId}/exports/queues' }, fault });
    const queue = { resource: 'export', operation: 'getRuns', ...simplify };
    return getOutput(await runOperation(env, FILES, queue));
  };
  expect(await read({ simplify: 'off' })).toEqual([entry]);
  expect(await read({})).toEqual([
    {
      id: 'q1',
      dataTable_id: 't1',
      dataTable_name: 'Customers',
      exportTemplate_id: 'e1',
      exportTemplate_name: 'List',
      status: 'Complete',
      complete: 0,
    },
  ]);
});

test('a filter on a field of another table is refused, also if that table is picked', async () => {
  // The service would drop the condition, and export all records of the table of the template.
  const item = { id: 't1', dataTable: { id: env.getTable('Customers').id, name: 'Customers' } };
  const body = { type: 'success', item };
  env.service.faults.add({ when: { pattern: TEMPLATE }, fault: { type: 'status', status: 200, body } });
  const picked = { dataTableId: toLocator(env.getTable('Orders').id) };
  const filter = { filterMode: 'json', filterJson: '{"Number": "ORD-00001"}' };
  const before = env.service.requests.length;
  const { error } = await runOperation(env, FILES, { ...parameters, ...picked, ...filter });
  expect(error?.message).toBe('Filter: the table has no field "Number"');
  expect(env.listRequests(before)).not.toContain(TRIGGER);
});
