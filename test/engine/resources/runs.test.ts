/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { skipWaits } from '../../environment/skipWaits';
import { chainNodes, createNode } from '../../harness';
import { READINGS } from '../../service/readings';
import { runOperation } from '../support/runOperation';
import { getOutput, START, TestEnvironment, toLocator, waitUntil } from '../support/testEnvironment';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';

const [TASKS, FILES] = ['RecordDatabaseTasks', 'RecordDatabaseImportExport'] as const;

/** Rules of a fault: an answer that the service itself would not give. */
const createAnswerRule = (pattern: string, body: object, times = 1) => ({
  when: { pattern },
  times,
  fault: { type: 'status' as const, status: 200, body },
});

skipWaits();
const env = useFreshTestEnvironment({ jobMs: 700 });

const getDescription = (run: { error?: unknown }) =>
  String((run.error as { description?: string }).description);
const runTask = (more: object = {}, options: object = {}) =>
  runOperation(env, TASKS, {
    resource: 'task',
    operation: 'run',
    taskId: toLocator(env.service.tasks[0]!.id),
    wait: true,
    options,
    ...more,
  });

const STATUS = 'GET /api/v1/tasks/status/queue/{taskQueueId}';
const HISTORY = 'GET /api/v1/tasks/history';

describe('a run that is waited for', () => {
  test.each(['shown', 'hidden'] as const)(
    'returns its final entry (ended runs %s)',
    async (finishedExecutions) => {
      env.service.options.finishedExecutions = finishedExecutions;
      const [entry] = getOutput(await runTask());
      expect(entry).toMatchObject({ status: 'complete', _completion: 'finished' });
      expect(entry!.total_record_proceed).toBe(entry!.total_records);
      expect(env.service.executions).toHaveLength(1);
    },
  );

  test.each(READINGS.automationWord.values)(
    'works for automations, whose responses the specification does not define: %s',
    async (automationWord) => {
      env.service.options.automationWord = automationWord;
      const automationId = toLocator(env.service.automations[0]!.id);
      const run = { resource: 'automation', operation: 'run', automationId, wait: true };
      expect(getOutput(await runOperation(env, TASKS, run))).toMatchObject([
        { status: 'complete', _completion: 'finished' },
      ]);
    },
  );

  test('fails if the history shows a failure status with additional text', async () => {
    const ended = { task_queue_id: 'q1', status: 'Failed: disk full' };
    env.service.faults.add(createAnswerRule('POST /api/v1/tasks/run/{taskId}', { task_queue_id: 'q1' }));
    env.service.faults.add(createAnswerRule(STATUS, { type: 'success', tasks: [] }));
    env.service.faults.add(createAnswerRule(HISTORY, { type: 'success', tasks: [ended] }));
    expect(getOutput(await runTask({ options: { ifFails: 'return' } }))).toEqual([
      { ...ended, _completion: 'failed' },
    ]);
  });

  test('ends with an entry or an error when another client terminates it', async () => {
    env.service.options.jobMs = 60_000;
    for (const [ifFails, expected] of [
      ['return', '[{"status":"terminated","_completion":"stopped"}]'],
      ['error', 'ended with the status "terminated"'],
    ] as const) {
      const running = runTask({ options: { ifFails } });
      await waitUntil(() => env.service.executions.some(({ status }) => status === 'running'));
      const { queueId } = env.service.executions.find(({ status }) => status === 'running')!;
      const stop = { resource: 'task', operation: 'stop', taskQueueId: queueId };
      getOutput(await runOperation(env, TASKS, stop));
      const run = await running;
      const listEnds = () => getOutput(run).map(({ status, _completion }) => ({ status, _completion }));
      expect(run.error?.message ?? JSON.stringify(listEnds())).toContain(expected);
    }
  });

  test('is not started if an option has an unknown value', async () => {
    for (const ifFails of ['={{ $json.no }}', 'Return an Error']) {
      expect((await runTask({ options: { ifFails } })).error?.message).toContain(
        'If the Run Fails cannot be',
      );
    }
    expect(env.service.executions).toHaveLength(0);
  });

  test('continues polling while the status in the responses is unknown', async () => {
    const entry = { task_queue_id: 'q1', status: 'Phase 7' };
    env.service.faults.add(createAnswerRule('POST /api/v1/tasks/run/{taskId}', { task_queue_id: 'q1' }));
    env.service.faults.add(createAnswerRule(STATUS, { type: 'success', tasks: [entry] }, 2));
    env.service.faults.add(createAnswerRule(STATUS, { tasks: [{ ...entry, status: 'complete' }] }));
    expect(getOutput(await runTask())).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
    env.service.faults.add(createAnswerRule(STATUS, { status: 'success', msg: 'Look elsewhere' }, 99));
    expect(getOutput(await runTask())).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
  });

  test('does not report a run as finished if no response shows it any more', async () => {
    const gone = { status: 404, body: { type: 'error', msg: 'Not Found', status: 404 } };
    env.service.faults.add({ when: { pattern: STATUS }, times: 99, fault: { type: 'status', ...gone } });
    env.service.faults.add(createAnswerRule(HISTORY, { type: 'success' }, 99));
    const since = env.service.requests.length;
    const [entry] = getOutput(await runTask({}, { maximumWait: 6 }));
    // The node polls until the maximum wait ends, not only a few times at the start.
    expect(env.listRequests(since).filter((one) => one === HISTORY).length).toBeGreaterThan(3);
    expect(entry).toMatchObject({ _completion: 'notShown', task_queue_id: expect.any(String) });
    expect(entry).not.toHaveProperty('status');
  });

  test('the error after the maximum wait has the queue ID and a remedy', async () => {
    env.service.options.jobMs = 60_000;
    const run = await runTask({}, { maximumWait: 1 });
    expect(run.error?.message).toBe('The task did not end within 1 second');
    expect(getDescription(run)).toContain(env.service.executions[0]!.queueId);
    expect(getDescription(run)).toMatch(/Get Runs.*do not start it a second time.*Maximum Wait/);
  });

  test.each([0, -5, 'abc', '={{ "10 min" }}'])(
    'is not started with a Maximum Wait of %j',
    async (maximumWait) => {
      const run = await runTask({}, { maximumWait });
      expect(run.error?.message).toContain('Maximum Wait (Seconds) cannot be');
      expect(env.service.executions).toHaveLength(0);
    },
  );

  test('the error of a failed run suggests running it again', async () => {
    env.service.faults.add(createAnswerRule(STATUS, { tasks: [{ task_queue_id: 'q1', status: 'failed' }] }));
    env.service.faults.add(createAnswerRule('POST /api/v1/tasks/run/{taskId}', { task_queue_id: 'q1' }));
    const failed = await runTask();
    expect(failed.error?.message).toBe('The task ended with the status "failed"');
    expect(getDescription(failed)).toMatch(/"Get Runs" \(queue ID \w+\).* then run it again\./);
  });

  test('an empty answer to a change is no success, unless something else shows the outcome', async () => {
    const TERMINATE = 'POST /api/v1/tasks/terminate/queue/{taskQueueId}';
    env.service.faults.add({ when: { pattern: TERMINATE }, fault: { type: 'status', status: 204 } });
    const since = env.service.requests.length;
    const terminate = { resource: 'task', operation: 'stop', taskQueueId: 'q1' };
    expect((await runOperation(env, TASKS, terminate)).error?.message).toMatch(/^Outcome unknown: /);
    expect(env.listRequests(since)).toEqual([TERMINATE]);
    const START = 'POST /api/v1/automations/run/{automationId}';
    const run = {
      resource: 'automation',
      operation: 'run',
      automationId: toLocator(env.service.automations[0]!.id),
    };
    const addEmptyAnswer = () =>
      env.service.faults.add({ when: { pattern: START }, fault: { type: 'status', status: 204 } });
    addEmptyAnswer();
    expect((await runOperation(env, TASKS, run)).error?.message).toMatch(/^Outcome unknown: /);
    addEmptyAnswer();
    const lost = await runOperation(env, TASKS, { ...run, wait: true });
    expect(lost.error?.message).toMatch(/^Outcome unknown: /);
  });

  test('stops waiting immediately when the execution is cancelled', async () => {
    env.service.options.jobMs = 3_600_000;
    const task = {
      resource: 'task',
      operation: 'run',
      taskId: toLocator(env.service.tasks[0]!.id),
      wait: true,
    };
    const cancel = new AbortController();
    const running = env.engine.run(
      chainNodes(START, createNode('Node', 'n8n-nodes-record-database.recordDatabaseTasks', task)),
      { abortSignal: cancel.signal },
    );
    await waitUntil(() =>
      env.service.requests.some(({ pattern, status }) => pattern === STATUS && status > 0),
    );
    cancel.abort();
    expect((await running).error?.message).toMatch(/cancelled/);
    expect(env.service.executions).toMatchObject([{ status: 'running' }]);
    // Wait longer than the polling interval: no further request arrives.
    const asked = env.service.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(env.service.requests).toHaveLength(asked);
  });

  test('does not end because the service fails for a short time', async () => {
    env.service.faults.add({ when: { pattern: STATUS }, times: 12, fault: { type: 'html', status: 502 } });
    expect(getOutput(await runTask())).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
    expect(env.service.executions).toHaveLength(1);
  });

  test('ends after Maximum Wait while the service fails, and the error says why', async () => {
    const fault = { type: 'html', status: 502 } as const;
    env.service.faults.add({ when: { pattern: STATUS }, times: Infinity, fault });
    const run = await runTask({}, { maximumWait: 20 });
    expect(run.error?.message).toMatch(
      /^The task was started, but waiting for it failed: The service failed/,
    );
  });

  test('the error of a failed poll states that the run was started', async () => {
    const broken = { status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } };
    env.service.faults.add({ when: { pattern: STATUS }, times: 1, fault: { type: 'status', ...broken } });
    const run = await runTask();
    expect(run.error?.message).toMatch(/^The task was started, but waiting for it failed/);
    expect(getDescription(run)).toContain(env.service.executions[0]!.queueId);
  });

  test('whose queue ID is missing in the response is an error, and not started again', async () => {
    const RUN = 'POST /api/v1/tasks/run/{taskId}';
    const body = { type: 'success', msg: 'ok' };
    env.service.faults.add({
      when: { pattern: RUN },
      fault: { type: 'status', status: 200, body, when: 'after' },
    });
    const run = await runTask();
    expect(run.error?.message).toBe('The task was started, but the service did not return its queue ID');
    expect(getDescription(run)).toMatch(/"Get Runs".*Do not start the task a second time/);
    expect(env.service.executions).toHaveLength(1);
  });

  test.each([
    ['task', 'Tasks'],
    ['automation', 'Tasks'],
    ['import', 'ImportExport'],
    ['export', 'ImportExport'],
  ] as const)('whose answer to the start is lost is not started again: %s', async (resource, node) => {
    const folder = `RecordDatabase${node}` as const;
    const listed =
      node === 'ImportExport'
        ? getOutput(await runOperation(env, folder, { resource, operation: 'getAll' }))
        : env.service[`${resource as 'task' | 'automation'}s`];
    const name = resource === 'export' ? 'templateId' : `${resource}Id`;
    const source = { source: 'dataSource', dataSource: 'Name\r\nOne' };
    const id = toLocator(String(listed[0]!.id));
    env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });
    const run = await runOperation(env, folder, {
      resource,
      operation: 'run',
      [name]: id,
      wait: true,
      ...source,
    });
    expect(run.error?.message).toMatch(/^Outcome unknown/);
    expect(getDescription(run)).toContain(`"Get Runs" shows whether the ${resource} was started`);
    expect(env.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('is waited for also where its table has the same ID: IDs follow from the row number', async () => {
    const run = { id: 'q1', dataTable: { id: 'q1', name: 'Orders' }, exportTemplate: { id: 'q1' } };
    const TRIGGER = 'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger';
    const ENTRY = 'GET /api/v1.1/{appId}/exports/queues/{queueId}';
    env.service.faults.add(createAnswerRule(TRIGGER, { export_queue_id: 'q1' }));
    env.service.faults.add(createAnswerRule(ENTRY, { item: { ...run, status: 'Processing' } }));
    env.service.faults.add(createAnswerRule(ENTRY, { item: { ...run, status: 'Complete' } }));
    const parameters = { resource: 'export', operation: 'run', templateId: toLocator('q1'), wait: true };
    const ended = await runOperation(env, FILES, { ...parameters, download: false, simplify: 'off' });
    expect(getOutput(ended)).toEqual([{ ...run, status: 'Complete', _completion: 'finished' }]);
  });

  test.each(['terminate', 'cancel', 'Stopped'])('has ended with the status %s', async (status) => {
    const entry = { task_queue_id: 'q1', status };
    env.service.faults.add(createAnswerRule('POST /api/v1/tasks/run/{taskId}', { task_queue_id: 'q1' }));
    env.service.faults.add(createAnswerRule(STATUS, { tasks: [entry] }));
    const run = await runTask();
    expect(run.error?.message).toBe(`The task ended with the status "${status}"`);
    expect(getDescription(run)).toContain('"If the Run Fails"');
  });

  test('with an unknown status is searched in the list of ended runs', async () => {
    const entry = { task_queue_id: 'q1', status: 'Phase 7' };
    env.service.faults.add(createAnswerRule('POST /api/v1/tasks/run/{taskId}', { task_queue_id: 'q1' }));
    env.service.faults.add(createAnswerRule(STATUS, { tasks: [entry] }, 99));
    env.service.faults.add(createAnswerRule(HISTORY, { tasks: [] }));
    env.service.faults.add(createAnswerRule(HISTORY, { tasks: [entry] }));
    const since = env.service.requests.length;
    expect(getOutput(await runTask())).toEqual([{ ...entry, _completion: 'finished' }]);
    expect(env.listRequests(since).filter((one) => one === HISTORY)).toHaveLength(2);
  });

  test('that does not end in time returns its last entry, or fails with its ID as a field', async () => {
    env.service.options.jobMs = 60_000;
    const [entry] = getOutput(await runTask({}, { maximumWait: 1, ifTimeRunsOut: 'return' }));
    const { queueId } = env.service.executions[0]!;
    expect(entry).toMatchObject({ task_queue_id: queueId, status: 'start', _completion: 'running' });
    const taskId = toLocator(env.service.tasks[0]!.id);
    const run = { resource: 'task', operation: 'run', taskId, wait: true, options: { maximumWait: 1 } };
    const [failed] = getOutput(
      await runOperation(env, TASKS, run, undefined, { onError: 'continueRegularOutput' }),
    );
    expect(failed).toMatchObject({
      error: 'The task did not end within 1 second',
      details: { taskQueueId: env.service.executions[1]!.queueId },
    });
  });

  test('is not started again after a lost response', async () => {
    env.service.faults.add({
      when: { pattern: 'POST /api/v1/tasks/run/{taskId}' },
      fault: { type: 'reset', when: 'after' },
    });
    const run = await runTask();
    expect(run.error?.message).toMatch(/^Outcome unknown/);
    expect(env.service.executions).toHaveLength(1);
  });
});

describe('Get Runs and Stop', () => {
  test('active, one, all of a task, ended, stopped', async () => {
    env.service.options.jobMs = 60_000;
    const [task] = env.service.tasks;
    const [{ task_queue_id: taskQueueId }] = getOutput(await runTask({ wait: false })) as [
      { task_queue_id: string },
    ];
    const get = { resource: 'task', operation: 'getRuns' };
    const listQueueIds = async (which: string, more: object = {}) =>
      getOutput(await runOperation(env, TASKS, { ...get, which, ...more })).map((one) => one.task_queue_id);
    expect(await listQueueIds('active')).toEqual([taskQueueId]);
    expect(await listQueueIds('oneRun', { taskQueueId: toLocator(taskQueueId) })).toEqual([taskQueueId]);
    expect(await listQueueIds('ofOne', { taskId: toLocator(task!.id) })).toEqual([taskQueueId]);
    expect(await listQueueIds('finished')).toEqual([]);
    getOutput(
      await runOperation(env, TASKS, {
        resource: 'task',
        operation: 'stop',
        which: 'allRuns',
        taskId: toLocator(task!.id),
      }),
    );
    expect(await listQueueIds('active')).toEqual([]);
    expect(await listQueueIds('finished')).toEqual([taskQueueId]);
  });
});

test('a termination whose response was lost succeeds if the repeated request finds no running execution', async () => {
  const TERMINATE = 'POST /api/v1/tasks/terminate/queue/{taskQueueId}';
  const gone = { type: 'error', msg: 'Task Queue Not Found', status: 404 };
  const addRefusal = () =>
    env.service.faults.add({
      when: { pattern: TERMINATE },
      fault: { type: 'status', status: 404, body: gone },
    });
  const terminate = { resource: 'task', operation: 'stop', taskQueueId: 'q1' };
  env.service.faults.add({ when: { pattern: TERMINATE }, fault: { type: 'reset', when: 'after' } });
  addRefusal();
  expect(getOutput(await runOperation(env, TASKS, terminate))).toEqual([{}]);
  addRefusal();
  expect((await runOperation(env, TASKS, terminate)).error?.message).toBe('The run "q1" does not exist');
});

describe('one run', () => {
  const getRun = (taskQueueId: string, more: object = {}) =>
    runOperation(env, TASKS, {
      resource: 'task',
      operation: 'getRuns',
      which: 'oneRun',
      taskQueueId,
      ...more,
    });

  test.each([200, 404])('is searched in the history after it has ended (hidden by %i)', async (status) => {
    env.service.options.finishedExecutions = 'hidden';
    const [entry] = getOutput(await runTask());
    const id = String(entry!.task_queue_id);
    if (status === 404) {
      const body = { type: 'error', msg: 'Task Queue Not Found', status };
      env.service.faults.add({ when: { pattern: STATUS }, fault: { type: 'status', status, body } });
    }
    expect(getOutput(await getRun(id))).toMatchObject([{ task_queue_id: id, status: 'complete' }]);
  });

  test.each([
    [TASKS, STATUS, { resource: 'task', operation: 'getRuns', which: 'oneRun', taskQueueId: 'q1' }, 'tasks'],
    [
      TASKS,
      'GET /api/v1/automations/status/queue/{automationQueueId}',
      { resource: 'automation', operation: 'getRuns', which: 'oneRun', automationQueueId: 'q1' },
      'automation',
    ],
    [
      FILES,
      'GET /api/v1.1/{appId}/imports/status/{queueId}',
      { resource: 'import', operation: 'getRuns', which: 'progress', queueId: toLocator('q1') },
      'item',
    ],
  ])('that comes as an object is put out as in a list: %s %s', async (folder, endpoint, operation, key) => {
    const entry = { task_queue_id: 'q1', status: 'start' };
    for (const value of [entry, [entry]]) {
      env.service.faults.add(createAnswerRule(endpoint, { type: 'success', total_tasks: 1, [key]: value }));
      expect(getOutput(await runOperation(env, folder, operation))).toEqual([entry]);
    }
  });

  test('is identified by its own ID even if it contains lists', async () => {
    const entry = { task_queue_id: 'q1', status: 'start', logs: [], steps: [{ a: 1 }] };
    for (const body of [entry, { ...entry, logs: undefined }]) {
      env.service.faults.add(createAnswerRule(STATUS, body));
      expect(getOutput(await getRun('q1', { simplify: 'off' }))).toEqual([JSON.parse(JSON.stringify(body))]);
    }
  });

  test("is not reported as missing after a proxy's 404", async () => {
    const page = { type: 'status', status: 404, body: '<html>Not Found</html>' } as const;
    for (const pattern of [STATUS, HISTORY]) env.service.faults.add({ when: { pattern }, fault: page });
    expect((await getRun('q1')).error?.message).toBe('The address of this call was not found');
  });

  test('that the service does not show is an error with its ID and a remedy', async () => {
    env.service.faults.add(createAnswerRule(STATUS, { type: 'success', total_tasks: 0, tasks: [] }));
    for (const id of ['empty', 'unknown']) {
      const run = await getRun(id);
      expect(run.error?.message).toContain(`no run with the ID ${id}`);
      expect(getDescription(run)).toContain('task_queue_id');
    }
  });
});

describe('imports and exports', () => {
  const createCsvItem = (text: string, fileName = 'new.csv') => ({
    json: {},
    binary: { data: { data: Buffer.from(text).toString('base64'), mimeType: 'text/csv', fileName } },
  });
  const TRIGGER = 'POST /api/v1.1/{appId}/imports/{importId}/trigger';
  const createImportParameters = async (table: string) => {
    const dataTableId = toLocator(env.getTable(table).id);
    const [one] = getOutput(
      await runOperation(env, FILES, { resource: 'import', operation: 'getAll', dataTableId }),
    );
    return { resource: 'import', operation: 'run', importId: toLocator(String(one!.id)), wait: true };
  };

  test.each(['queue_id', 'id', 'import_queue_id', 'queueId'])(
    'an import ends with its final entry (%s)',
    async (queueIdKey) => {
      env.service.options.queueIdKey = queueIdKey;
      const products = env.getTable('Products');
      const before = products.records.size;
      const name = products.fields.find(({ type }) => type === 'Text')!.name;
      const run = await runOperation(env, FILES, await createImportParameters('Products'), [
        createCsvItem(`${name}\r\nOne\r\nTwo\r\n`),
      ]);
      expect(getOutput(run)).toMatchObject([{ status: 'Complete', total_rows: 2, _completion: 'finished' }]);
      const [{ error_rows: refused }] = getOutput(run) as [{ error_rows: number }];
      expect(env.getTable('Products').records.size).toBe(before + 2 - refused);
    },
  );

  test('a file is uploaded again after a new login', async () => {
    const { baseUrl, keys, user } = env.service;
    let now = Date.now();
    const clock = { now: () => now };
    const aged = await TestEnvironment.start({ clock, tokenMs: 60_000 });
    await aged.engine.setCredential(
      'recordDatabaseApi',
      { baseUrl: aged.service.baseUrl, ...aged.service.keys, userLogin: 'password', ...aged.service.user },
      { id: 'user', name: 'User' },
    );
    void [baseUrl, keys, user];
    const login = { credentials: { recordDatabaseApi: { id: 'user', name: 'User' } } };
    const dataTableId = toLocator(aged.getTable('Products').id);
    const [one] = getOutput(
      await runOperation(
        aged,
        FILES,
        { resource: 'import', operation: 'getAll', dataTableId },
        undefined,
        login,
      ),
    );
    now += 120_000;
    const importId = toLocator(String(one!.id));
    const run = { resource: 'import', operation: 'run', importId, wait: false };
    getOutput(await runOperation(aged, FILES, run, [createCsvItem('Name\r\nOne\r\n')], login));
    const uploads = aged.service.requests.filter(({ pattern }) => pattern.endsWith('/trigger'));
    expect(uploads.map(({ status }) => status)).toEqual([401, 200]);
    expect(uploads.at(-1)!.body).toMatchObject({
      file: { filename: 'new.csv', bytes: Buffer.from('Name\r\nOne\r\n') },
    });
    expect(aged.takeViolations()).toEqual([]);
    await aged.stop();
  });

  test('a file without a name is uploaded under the name of its binary field', async () => {
    const run = { ...(await createImportParameters('Products')), wait: false };
    getOutput(await runOperation(env, FILES, run, [createCsvItem('Name\r\nOne\r\n', '')]));
    const { body } = env.service.requests.findLast(({ pattern }) => pattern.endsWith('/trigger'))!;
    expect(body).toMatchObject({ file: { filename: 'data' } });
  });

  test.each<[object, object, object[]]>([
    [{ source: 'file' }, { file: { filename: 'new.csv' } }, [createCsvItem('Name\r\nOne\r\n')]],
    [{ source: 'dataSource', dataSource: 'Name' }, { data_source: 'Name' }, [{ json: {} }]],
  ])('%j has the part %j', async (source, part, items) => {
    const parameters = { ...(await createImportParameters('Products')), wait: false, ...source };
    getOutput(await runOperation(env, FILES, parameters, items as never));
    const { body, headers } = env.service.requests.findLast(({ pattern }) => pattern.endsWith('/trigger'))!;
    expect(body).toMatchObject(part);
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  });

  test.each<[object, string]>([
    [
      { source: 'dataSource', dataSource: '={{ $json.no }}' },
      'Data Source: the expression has found nothing',
    ],
    [{ source: '={{ $json.no }}', dataSource: 'x' }, 'Source cannot be undefined'],
  ])('%j imports nothing', async (more, message) => {
    const parameters = { ...(await createImportParameters('Products')), ...more };
    const before = env.service.requests.length;
    expect((await runOperation(env, FILES, parameters)).error?.message).toBe(message);
    expect(env.service.requests).toHaveLength(before);
  });

  test('an import with errors in all of its rows has failed', async () => {
    const entry = { id: 'q', status: 'Complete', total_rows: 5, processed_rows: 5, error_rows: 5 };
    env.service.faults.add(createAnswerRule(TRIGGER, { queue_id: 'q' }));
    env.service.faults.add(
      createAnswerRule('GET /api/v1.1/{appId}/imports/status/{queueId}', { type: 'success', items: [entry] }),
    );
    const run = await runOperation(env, FILES, await createImportParameters('Products'), [
      createCsvItem('Name\r\nOne'),
    ]);
    expect(run.error?.message).toBe('The import ended with the status "Complete", and errors in 5 rows');
  });

  test('a missing file is named before anything is sent', async () => {
    const parameters = await createImportParameters('Products');
    const before = env.service.requests.length;
    const run = await runOperation(env, FILES, parameters);
    expect(run.error?.message).toBe('The input has no binary field "data"');
    expect(env.service.requests).toHaveLength(before);
  });
});
