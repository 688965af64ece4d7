import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode, type NodeJson, type Run, type WorkflowJson } from '../../harness';
import type { Fault, Table } from '../../service';
import { createToolWorkflow } from '../agents/tools';
import { startCountingServer } from '../support/countingServer';
import { runOperation } from '../support/runOperation';
import { getOutput, START, toColumns, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { CREATE } from './walk';

/** What is a further try of a run, and what is not; operations over all items; errors of the output. */

skipWaits();
const env = useTestEnvironment();
beforeAll(() => env.setCredentialFields({ parallelRequests: 1 }));

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const REFUSED: Fault = { type: 'status', status: 422, body: { type: 'error', msg: 'Refused' } };
const LOST: Fault = { type: 'reset', when: 'after' };
const to = (...names: string[]) => names.map((node) => ({ node, type: 'main', index: 0 }));

let table: Table;
beforeEach(() => {
  table = env.service.addTable({
    name: `Things ${env.service.tables.length}`,
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'Error', type: 'Text' },
    ],
  });
});

const listKeys = () => [...table.records.values()].map(({ key }) => String(key));
const createItems = (...keys: string[]) => keys.map((key) => ({ json: { key } }));

/** A node that creates one record for each item. */
const createCreator = (name = 'Node', parameters: object = {}, extra: Partial<NodeJson> = {}): NodeJson =>
  createNode(
    name,
    TYPE,
    {
      resource: 'record',
      operation: 'create',
      dataTableId: toLocator(table.id),
      columns: toColumns({ key: '={{ $json.key }}' }),
      ...parameters,
    },
    { ...RETRY, ...extra },
  );

const failCreate = (nth: number, fault: Fault, times = 1) =>
  env.service.faults.add({ when: { method: 'POST', pattern: CREATE, skip: nth - 1 }, times, fault });

const runCreator = (keys: string[], parameters: object = {}, extra: Partial<NodeJson> = {}) =>
  env.engine.run(chainNodes(START, createCreator('Node', parameters, extra)), {
    input: createItems(...keys),
  });

const countCreates = (from: number) =>
  env.service.requests.slice(from).filter(({ pattern }) => pattern === CREATE).length;

const getDescription = (run: Run) => String((run.error as { description?: string } | undefined)?.description);

test('without the setting, n8n does not run the node again', async () => {
  failCreate(2, REFUSED);
  const workflow = chainNodes(START, createCreator('Node', {}, { retryOnFail: false }));
  const first = await env.engine.run(workflow, { input: createItems('a', 'b', 'c') });
  expect(first.error?.message).toMatch(/did not accept the values/);
  expect(listKeys()).toEqual(['a']);
});

test('a further try returns the outputs of finished items in order, with their pairs and files', async () => {
  const { port } = await startCountingServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7'),
  );
  const pattern = 'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}';
  const body = { type: 'success', url: `http://127.0.0.1:${port}/a.pdf` };
  const created: Fault = { type: 'status', status: 200, body };
  env.service.faults.add({ when: { pattern, nth: 2 }, fault: REFUSED });
  env.service.faults.add({ when: { pattern }, times: Infinity, fault: created });
  const from = env.service.requests.length;
  const parameters = {
    resource: 'pdfPage',
    operation: 'create',
    pdfPageId: toLocator('p1'),
    recordId: '={{ $json.id }}',
  };
  const input = ['r1', 'r2', 'r3'].map((id) => ({ json: { id } }));
  const run = await runOperation(env, 'RecordDatabasePdf', parameters, input, RETRY);
  expect(getOutput(run)).toHaveLength(3);
  expect(env.service.requests.slice(from).map(({ path }) => path.slice(-2))).toEqual([
    'r1',
    'r2',
    'r2',
    'r3',
  ]);
  for (const [index, item] of run.getItems('Node').entries()) {
    expect(item.pairedItem).toEqual({ item: index });
    expect((await run.readBinary(item)).toString()).toBe('%PDF-1.7');
  }
});

test('a PDF whose download fails is not created again', async () => {
  const pattern = 'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}';
  const body = { type: 'success', url: 'http://127.0.0.1:1/a.pdf' };
  env.service.faults.add({
    when: { pattern },
    times: Infinity,
    fault: { type: 'status', status: 200, body },
  });
  const from = env.service.requests.length;
  const parameters = { resource: 'pdfPage', operation: 'create', pdfPageId: toLocator('p1'), recordId: 'r1' };
  const run = await runOperation(env, 'RecordDatabasePdf', parameters, [{ json: {} }], RETRY);
  expect(run.error?.message).toMatch(/^The PDF was created, but could not be downloaded/);
  expect(getDescription(run)).toMatch(/Retry On Fail did not run this item again\.$/);
  expect(env.service.requests.length - from).toBe(1);
});

test('a started task whose end is not seen is not started again, and the error has its queue ID', async () => {
  const [task] = env.service.tasks;
  const from = env.service.requests.length;
  const fault: Fault = { type: 'status', status: 403, body: { type: 'error', msg: 'Refused' } };
  env.service.faults.add({ when: { pattern: /tasks\/status\/queue/ }, times: Infinity, fault });
  const parameters = { resource: 'task', operation: 'run', taskId: toLocator(task!.id), wait: true };
  const run = await runOperation(env, 'RecordDatabaseTasks', parameters, [{ json: {} }], RETRY);
  const starts = env.service.requests.slice(from).filter(({ pattern }) => pattern.includes('/tasks/run/'));
  expect(starts).toHaveLength(1);
  expect(run.error?.message).toMatch(/^The task was started, but waiting for it failed/);
  expect(getDescription(run)).toMatch(/queue ID is \w+: get its state later with the operation "Get Runs"/);
});

test.each([1, 3])(
  'an update with an unknown outcome is told, although try %s could only read',
  async (maxTries) => {
    const ids = ['a', 'b'].map((key) => table.insert({ key, error: 'old' }).id);
    let isSent = false;
    const isDue = (request: string) => (isSent ||= /^POST .*records\/\w+$/.test(request));
    env.service.faults.add({
      when: { pattern: { test: isDue } as unknown as RegExp },
      times: Infinity,
      fault: { type: 'status', status: 500, when: 'after' },
    });
    const parameters = { recordId: toLocator('={{ $json.id }}'), columns: toColumns({ error: 'new' }) };
    const input = ids.map((id) => ({ id }));
    const extra = { ...RETRY, retryOnFail: maxTries > 1, maxTries };
    const run = await env.runRecordOperation('update', table, parameters, input, extra);
    expect([...table.records.values()].map(({ error }) => error)).toEqual(['new', 'old']);
    expect(run.error?.message).toMatch(/^Item 1 of 2: Record \w+: outcome unknown/);
    expect(getDescription(run)).not.toContain('None of');
  },
);

test('the error of the last try holds what earlier tries have created', async () => {
  failCreate(1, LOST);
  const parallel = await env.withSettings({ parallelRequests: 3 }, () => runCreator(['a', 'b', 'c', 'd']));
  await env.setCredentialFields({ parallelRequests: 1 });
  expect(listKeys()).toEqual(['a', 'b', 'c']);
  expect(parallel.error?.message).toMatch(/^Item 1 of 4: Outcome unknown/);
  expect(getDescription(parallel)).toMatch(/holds 2 records .* 2 of 4 items were processed: items 2 to 3\./);
});

test('the error of a refused item names a later one whose outcome is unknown', async () => {
  failCreate(1, REFUSED);
  failCreate(1, LOST);
  const run = await env.withSettings({ parallelRequests: 2 }, () =>
    runCreator(['a', 'b'], {}, { retryOnFail: false }),
  );
  await env.setCredentialFields({ parallelRequests: 1 });
  expect(listKeys()).toHaveLength(1);
  expect(getDescription(run)).toMatch(
    /It is not known whether item [12] was processed\. Item 2 failed too\.$/,
  );
});

test('the error of a try that cannot read the fields any more holds what earlier tries have created', async () => {
  let isDown = false;
  const isDue = () => {
    if (!isDown && listKeys().length === 2) jest.advanceTimersByTime(60_000);
    return (isDown ||= listKeys().length === 2);
  };
  const pattern = { test: isDue } as unknown as RegExp;
  env.service.faults.add({ when: { pattern }, times: Infinity, fault: REFUSED });
  const run = await runCreator(['a', 'b', 'c', 'd']);
  expect(listKeys()).toEqual(['a', 'b']);
  expect(getDescription(run)).toMatch(/holds 2 records .* 2 of 4 items were processed: items 1 to 2\./);
});

describe('Continue On Fail', () => {
  test.each(['continueRegularOutput', 'continueErrorOutput'])(
    '%s: a try whose first item failed is repeated, its finished items are not',
    async (onError) => {
      failCreate(1, REFUSED, 2);
      const from = env.service.requests.length;
      const run = await runCreator(['a', 'b', 'c'], {}, { onError });
      expect(run.error).toBeUndefined();
      expect(run.getJson('Node').map(({ key }) => key)).toEqual(['a', 'b', 'c']);
      expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual([
        { item: 0 },
        { item: 1 },
        { item: 2 },
      ]);
      expect(countCreates(from)).toBe(5);
      expect(listKeys().sort()).toEqual(['a', 'b', 'c']);
    },
  );

  test('an unknown first item stays unknown in each try', async () => {
    failCreate(1, LOST);
    const from = env.service.requests.length;
    const run = await runCreator(['a', 'b'], {}, { onError: 'continueErrorOutput' });
    expect(run.getJson('Node', 1)).toMatchObject([{ error: expect.stringMatching(/^Outcome unknown/) }]);
    expect(run.getJson('Node').map(({ key }) => key)).toEqual(['b']);
    expect(countCreates(from)).toBe(2);
  });

  test('a record with a column "error" is created once, although n8n repeats the node', async () => {
    const columns = toColumns({ key: '={{ $json.key }}', error: 'none' });
    const from = env.service.requests.length;
    const run = await runCreator(['a', 'b'], { columns });
    expect(getOutput(run)).toMatchObject([{ key: 'a', error: 'none' }, { key: 'b' }]);
    expect(countCreates(from)).toBe(2);
  });
});

describe('what is not a further try', () => {
  test('the rounds of a loop, also with equal items and after a failed try', async () => {
    failCreate(1, REFUSED);
    const loop = createNode('Loop', 'n8n-nodes-base.splitInBatches', { batchSize: 2 });
    const workflow: WorkflowJson = {
      nodes: [START, loop, createCreator()],
      connections: {
        Start: { main: [to('Loop')] },
        Loop: { main: [[], to('Node')] },
        Node: { main: [to('Loop')] },
      },
    };
    const run = await env.engine.run(workflow, { input: createItems('a', 'a', 'a', 'a', 'a') });
    expect(run.error).toBeUndefined();
    expect(listKeys()).toEqual(['a', 'a', 'a', 'a', 'a']);
  });

  test('two branches into one node, and two nodes with equal items', async () => {
    failCreate(2, REFUSED);
    const noOp = (name: string) => createNode(name, 'n8n-nodes-base.noOp');
    const workflow: WorkflowJson = {
      nodes: [START, noOp('One'), noOp('Two'), createCreator(), createCreator('Other')],
      connections: {
        Start: { main: [to('One', 'Two', 'Other')] },
        One: { main: [to('Node')] },
        Two: { main: [to('Node')] },
      },
    };
    const run = await env.engine.run(workflow, { input: createItems('a', 'b') });
    expect(run.error).toBeUndefined();
    expect(listKeys().sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });

  test('another execution, at the same time or later', async () => {
    const workflow = chainNodes(START, createCreator());
    const run = () => env.engine.run(workflow, { input: createItems('a', 'b', 'c') });
    failCreate(2, REFUSED, 2);
    const runs = await Promise.all([run(), run()]);
    failCreate(2, REFUSED);
    runs.push(await run());
    expect(runs.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(listKeys().sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c']);
  });

  test('pinned data of the node is returned, and pinned data before it is an input as any other', async () => {
    failCreate(2, REFUSED);
    const pinned = { ...chainNodes(START, createCreator()), pinData: { Node: createItems('p') } };
    expect((await env.engine.run(pinned, { input: createItems('a') })).getJson('Node')).toEqual([
      { key: 'p' },
    ]);
    const before = chainNodes(START, createNode('Before', 'n8n-nodes-base.noOp'), createCreator());
    const run = await env.engine.run({ ...before, pinData: { Before: createItems('a', 'b') } });
    expect(run.error).toBeUndefined();
    expect(listKeys()).toEqual(['a', 'b']);
  });
});

describe('a tool of an agent', () => {
  const callTool = (keys: string[], hasSignal = true) => {
    const parameters = {
      ...createCreator().parameters,
      columnsMode: 'form',
      columns: toColumns({ key: "={{ $fromAI('key') }}" }),
    };
    const workflow = createToolWorkflow('Tool', parameters, `${TYPE}Tool`);
    const [, agent, tool] = workflow.nodes;
    Object.assign(tool!, RETRY);
    agent!.parameters = { hasSignal };
    return env.engine.run(workflow, { input: createItems(...keys) });
  };

  test('two calls with equal arguments that succeed are two calls', async () => {
    await callTool(['a', 'a']);
    expect(listKeys()).toEqual(['a', 'a']);
  });

  test('a refused call is repeated', async () => {
    failCreate(1, REFUSED);
    const run = await callTool(['a', 'b']);
    expect(run.getJson('Agent').map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(listKeys()).toEqual(['a', 'b']);
  });

  test('an unknown call is not sent again, neither by n8n nor by the model with the same arguments', async () => {
    failCreate(1, LOST);
    const from = env.service.requests.length;
    const run = await callTool(['a', 'a', 'b']);
    const unknown = expect.stringMatching(/^Outcome unknown: .*Retry On Fail did not run this item again/s);
    expect(run.getJson('Agent').map(({ error }) => error)).toEqual([unknown, unknown, undefined]);
    expect(countCreates(from)).toBe(2);
    expect(listKeys()).toEqual(['a', 'b']);
  });

  test('a tool without a cancel signal, as of an MCP Server Trigger, does not send an unknown call again', async () => {
    failCreate(1, LOST);
    const from = env.service.requests.length;
    const run = await callTool(['a', 'b'], false);
    expect(run.getJson('Agent').map(({ error }) => error)).toEqual([
      expect.stringMatching(/^Outcome unknown: /),
      undefined,
    ]);
    expect(countCreates(from)).toBe(2);
  });
});

describe('a failed execution that somebody repeats (mode "retry")', () => {
  const repeat = (keys: string[], node: NodeJson) =>
    env.engine.run(chainNodes(START, node), { input: createItems(...keys), mode: 'retry' });

  test('several creations are refused before anything is sent, with the ways out', async () => {
    const from = env.service.requests.length;
    const run = await repeat(['a', 'b'], createCreator('Node', {}, { retryOnFail: false }));
    expect(run.error?.message).toBe(
      'This execution repeats a failed execution, which may already have made some of the 2 records',
    );
    expect(getDescription(run)).toMatch(
      /^Nothing was sent\..*"Dedupe Field Name or ID".*run the workflow anew/,
    );
    expect(env.service.requests.length).toBe(from);
  });

  test('one item, a Dedupe Field and an update are not refused', async () => {
    expect((await repeat(['a'], createCreator())).error).toBeUndefined();
    const unique = env.service.addTable({
      name: `Unique ${table.id}`,
      fields: [{ name: 'Key', type: 'Text', unique: true }],
    });
    const options = { dedupeField: 'key' };
    const node = createCreator('Node', { dataTableId: toLocator(unique.id), options });
    expect(getOutput(await repeat(['a', 'b'], node))).toHaveLength(2);
    expect(getOutput(await repeat(['a', 'b', 'c'], node)).map(({ _action }) => _action)).toEqual([
      'found',
      'found',
      'created',
    ]);
    const update = {
      operation: 'update',
      recordId: [...table.records.keys()][0],
      columns: toColumns({ key: 'z' }),
    };
    expect((await repeat(['a', 'b'], createCreator('Node', update))).error).toBeUndefined();
  });

  test.each([
    [
      'RecordDatabaseTasks',
      { resource: 'task', operation: 'run', taskId: toLocator('t') },
      'runs of the task',
    ],
    [
      'RecordDatabaseImportExport',
      { resource: 'import', operation: 'run', importId: toLocator('i') },
      'imports',
    ],
    [
      'RecordDatabaseImportExport',
      { resource: 'import', operation: 'runItems', importId: toLocator('i') },
      'imports',
    ],
  ])('%s %j is refused', async (folder, parameters, noun) => {
    const type = `n8n-nodes-record-database.${folder.charAt(0).toLowerCase()}${folder.slice(1)}`;
    const run = await repeat(['a', 'b'], createNode('Node', type, parameters));
    expect(run.error?.message).toContain(`may already have made some of the 2 ${noun}`);
  });
});

describe('operations over all items, and those that change many records', () => {
  const runRecords = (operation: string, parameters: object, keys: string[], extra: Partial<NodeJson> = {}) =>
    env.runRecordOperation(
      operation,
      table,
      parameters,
      keys.map((key) => ({ key })),
      { ...RETRY, ...extra },
    );

  const columns = toColumns({ key: '={{ $json.key }}' }, ['key']);
  const listActions = (run: Run) =>
    getOutput(run).map(({ key, _action }) => `${String(_action)} ${String(key)}`);

  test('Sync makes what is left, and its output has the changes of all tries', async () => {
    table.insert({ key: 'old' });
    failCreate(3, REFUSED);
    const from = env.service.requests.length;
    const parameters = { columns, deleteMissing: true, maximumDeletions: '10' };
    const run = await runRecords('sync', parameters, ['a', 'b', 'c']);
    expect(listActions(run).sort()).toEqual(['created a', 'created b', 'created c', 'deleted old']);
    expect(listKeys().sort()).toEqual(['a', 'b', 'c']);
    const creates = env.service.requests
      .slice(from)
      .filter(({ intent, pattern }) => intent === 'create' || pattern === CREATE);
    expect(creates.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3);
  });

  test('the error of a Sync whose later tries cannot read the table holds the changes of the first', async () => {
    for (const key of ['a', 'b']) table.insert({ key, error: 'old' });
    env.service.faults.add({
      when: { pattern: /^POST .*records\/\w+$/, nth: 2 },
      fault: REFUSED,
    });
    env.service.faults.add({
      when: { pattern: /^(GET|POST) .*records$/, skip: 1 },
      times: Infinity,
      fault: REFUSED,
    });
    const all = toColumns({ key: '={{ $json.key }}', error: 'new' }, ['key']);
    const run = await runRecords('sync', { columns: all }, ['a', 'b']);
    expect([...table.records.values()].map(({ error }) => error)).toEqual(['new', 'old']);
    expect(getDescription(run)).toMatch(/This error holds 1 record \(\w+\) as "oldRecords"/);
  });

  test('the summary of a Sync counts the changes of all tries', async () => {
    table.insert({ key: 'same' });
    env.service.faults.add({ when: { method: 'POST', pattern: CREATE, nth: 3 }, fault: REFUSED });
    const run = await runRecords('sync', { columns, output: 'summary' }, ['a', 'b', 'c', 'same']);
    expect(getOutput(run)).toEqual([{ created: 3, updated: 0, deleted: 0, unchanged: 1, failed: 0 }]);
  });

  test('Delete Many returns the records that any of the tries deleted', async () => {
    for (const key of ['a', 'b', 'c', 'd']) table.insert({ key });
    env.service.faults.add({ when: { method: 'DELETE', pattern: /records/, nth: 3 }, fault: REFUSED });
    const parameters = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'key|text', operator: 'is not blank' }] },
      maximum: 10,
    };
    const run = await runRecords('deleteMany', parameters, ['x']);
    expect(listActions(run).sort()).toEqual(['deleted a', 'deleted b', 'deleted c', 'deleted d']);
    expect(table.records.size).toBe(0);
  });

  test('a Batch Update whose answer was lost is not sent again, and its error holds the old values', async () => {
    for (const key of ['a', 'b', 'c']) table.insert({ key });
    const fault: Fault = { type: 'status', status: 500, when: 'after' };
    env.service.faults.add({ when: { pattern: /batch-update$/ }, fault });
    const parameters = {
      filterMode: 'manual',
      conditions: { items: [{ field: 'key|text', operator: 'is not blank' }] },
      columns: toColumns({ key: 'z' }),
      maximum: 10,
    };
    const since = env.service.requests.length;
    const { error } = await runRecords('batchUpdate', parameters, ['x']);
    const sent = env.service.requests.slice(since).filter(({ path }) => path.endsWith('/batch-update'));
    expect(sent).toHaveLength(1);
    const { data } = (error as unknown as { context: { data: { oldRecords: object[] } } }).context;
    expect(data.oldRecords.map((one) => (one as { _before: { key: string } })._before.key).sort()).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(listKeys()).toEqual(['z', 'z', 'z']);
  });
});

describe('Run With Items', () => {
  const TRIGGER = 'POST /api/v1.1/{appId}/imports/{importId}/trigger';
  const importItems = async (parameters: object, extra: object = {}) => {
    const importId = env.service.addImport(table);
    const from = env.service.requests.length;
    const run = await runOperation(
      env,
      'RecordDatabaseImportExport',
      {
        resource: 'import',
        operation: 'runItems',
        importId: toLocator(importId),
        ...parameters,
      },
      createItems('a', 'b', 'c', 'd', 'e'),
      { ...RETRY, ...extra },
    );
    const uploads = env.service.requests.slice(from).filter(({ pattern }) => pattern === TRIGGER).length;
    return { run, uploads };
  };

  test('uploads again what was refused', async () => {
    env.service.faults.add({ when: { pattern: TRIGGER }, fault: REFUSED });
    const { run, uploads } = await importItems({});
    expect(getOutput(run)).toMatchObject([{ _imported: 5 }]);
    expect(uploads).toBe(2);
    expect(listKeys()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([
    ['the answer to an upload is lost', { when: { pattern: TRIGGER }, fault: LOST }, /^Outcome unknown/],
    [
      'its end is not seen',
      { when: { pattern: /imports\/status/ }, times: Infinity, fault: REFUSED },
      /^The import was started, but waiting for it failed/,
    ],
  ])('when %s, nothing more is uploaded', async (_name, rule, message) => {
    env.service.faults.add(rule);
    const { run, uploads } = await importItems({});
    expect(run.error?.message).toMatch(message);
    expect(getDescription(run)).toContain('did not run this item again');
    expect(uploads).toBe(1);
  });

  test('with Continue On Fail, an item that was left out keeps its error when the answer is lost', async () => {
    env.service.faults.add({ when: { pattern: TRIGGER }, fault: LOST });
    const columns = toColumns({ key: '={{ $json.key === "c" ? "" : $json.key }}' });
    const { run, uploads } = await importItems({ columns }, { onError: 'continueErrorOutput' });
    expect(run.getJson('Node', 1).map(({ key }) => key)).toEqual(['a', 'b', 'd', 'e', 'c']);
    expect(uploads).toBe(1);
  });
});
