import { chain, node } from '../harness';
import { runOperation } from './cases';
import { byId, outputOf, START, until, World } from './support';

const [TASKS, FILES] = ['RecordDatabaseTasks', 'RecordDatabaseImportExport'] as const;

/** Rules of a fault: an answer that the service itself would not give. */
const answer = (pattern: string, body: object, times = 1) => ({
  when: { pattern },
  times,
  fault: { type: 'status' as const, status: 200, body },
});

let world: World;
beforeEach(async () => {
  world = await World.start({ jobMs: 700 });
});
afterEach(async () => {
  expect(world.violations()).toEqual([]);
  await world.stop();
});

const details = (run: { error?: unknown }) => String((run.error as { description?: string }).description);
const runTask = (more: object = {}, options: object = {}) =>
  runOperation(world, TASKS, {
    resource: 'task',
    operation: 'run',
    taskId: byId(world.service.tasks[0]!.id),
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
      world.service.options.finishedExecutions = finishedExecutions;
      const [entry] = outputOf(await runTask());
      expect(entry).toMatchObject({ status: 'complete', _completion: 'finished' });
      expect(entry!.total_record_proceed).toBe(entry!.total_records);
      expect(world.service.executions).toHaveLength(1);
    },
  );

  test('works for automations, whose answers are not shown in the specification', async () => {
    const automationId = byId(world.service.automations[0]!.id);
    const run = { resource: 'automation', operation: 'run', automationId, wait: true };
    expect(outputOf(await runOperation(world, TASKS, run))).toMatchObject([
      { status: 'complete', _completion: 'finished' },
    ]);
  });

  test('has failed where the history says so, in whatever words', async () => {
    const ended = { task_queue_id: 'q1', status: 'Failed: disk full' };
    world.service.faults.add(answer('POST /api/v1/tasks/run/{taskId}', { task_queue_id: 'q1' }));
    world.service.faults.add(answer(STATUS, { type: 'success', tasks: [] }));
    world.service.faults.add(answer(HISTORY, { type: 'success', tasks: [ended] }));
    expect(outputOf(await runTask())).toEqual([{ ...ended, _completion: 'failed' }]);
  });

  test('ends when somebody else terminates it, as an entry or as an error', async () => {
    world.service.options.jobMs = 60_000;
    for (const [ifFails, expected] of [
      ['return', undefined],
      ['error', /ended with the status "terminated"/],
    ] as const) {
      const running = runTask({}, { ifFails });
      await until(() => world.service.executions.some(({ status }) => status === 'start'));
      const { queueId } = world.service.executions.find(({ status }) => status === 'start')!;
      const stop = { resource: 'task', operation: 'terminateExecution', taskQueueId: queueId };
      outputOf(await runOperation(world, TASKS, stop));
      const run = await running;
      if (expected) expect(run.error?.message).toMatch(expected);
      else expect(outputOf(run)).toMatchObject([{ status: 'terminated', _completion: 'stopped' }]);
    }
  });

  test('is not started with a choice that there is not', async () => {
    for (const ifFails of ['={{ $json.no }}', 'Return an Error']) {
      expect((await runTask({}, { ifFails })).error?.message).toContain('If the Run Fails cannot be');
    }
    expect(world.service.executions).toHaveLength(0);
  });

  test('goes on looking while the answers mean nothing to it', async () => {
    world.service.faults.add(answer(STATUS, { type: 'success', tasks: [{ status: 'Phase 7' }] }, 2));
    expect(outputOf(await runTask())).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
    world.service.faults.add(answer(STATUS, { status: 'success', msg: 'Look elsewhere' }, 99));
    expect(outputOf(await runTask())).toMatchObject([{ status: 'complete', _completion: 'finished' }]);
  });

  test('never calls a run finished that no answer shows any more', async () => {
    const gone = { status: 404, body: { type: 'error', msg: 'Not Found', status: 404 } };
    world.service.faults.add({ when: { pattern: STATUS }, times: 99, fault: { type: 'status', ...gone } });
    world.service.faults.add(answer(HISTORY, { type: 'success' }, 99));
    const since = world.service.requests.length;
    const [entry] = outputOf(await runTask({}, { maximumWait: 6 }));
    // Looked for as long as it may take, not only a few times at the start.
    expect(world.seen(since).filter((one) => one === HISTORY).length).toBeGreaterThan(3);
    expect(entry).toMatchObject({ _completion: 'notShown', task_queue_id: expect.any(String) });
    expect(entry).not.toHaveProperty('status');
  });

  test('says what to do when the time is over, and that it was started', async () => {
    world.service.options.jobMs = 60_000;
    const run = await runTask({}, { maximumWait: 1 });
    expect(run.error?.message).toBe('The task did not end within 1 second');
    expect(details(run)).toContain(world.service.executions[0]!.queueId);
    expect(details(run)).toMatch(/Get Execution.*do not start it a second time.*Maximum Wait/);
  });

  test('a time that is no number is the usual one, and what failed may be run again', async () => {
    const since = world.service.requests.length;
    outputOf(await runTask({}, { maximumWait: '={{ "10 min" }}' }));
    expect(world.seen(since).filter((one) => one === STATUS).length).toBeLessThan(10);
    world.service.faults.add(answer(STATUS, { tasks: [{ task_queue_id: 'q1', status: 'failed' }] }));
    const failed = await runTask({}, { ifFails: 'error' });
    expect(failed.error?.message).toBe('The task ended with the status "failed"');
    expect(details(failed)).toMatch(/^See "Get Execution" \(queue ID \w+\).* then run it again\.$/);
  });

  test('an answer that is empty and says so is a whole one', async () => {
    const TERMINATE = 'POST /api/v1/tasks/terminate/queue/{taskQueueId}';
    world.service.faults.add({ when: { pattern: TERMINATE }, fault: { type: 'status', status: 204 } });
    const since = world.service.requests.length;
    const terminate = { resource: 'task', operation: 'terminateExecution', taskQueueId: 'q1' };
    expect(outputOf(await runOperation(world, TASKS, terminate))).toEqual([{}]);
    expect(world.seen(since)).toEqual([TERMINATE]);
    const START = 'POST /api/v1/automations/run/{automationId}';
    const run = {
      resource: 'automation',
      operation: 'run',
      automationId: byId(world.service.automations[0]!.id),
    };
    const empty = () =>
      world.service.faults.add({ when: { pattern: START }, fault: { type: 'status', status: 204 } });
    empty();
    expect(outputOf(await runOperation(world, TASKS, run))).toEqual([{}]);
    empty();
    const waited = await runOperation(world, TASKS, { ...run, wait: true });
    expect(waited.error?.message).toMatch(/^The automation was started, but the service did not say/);
  });

  test('is given up at once when the execution is cancelled', async () => {
    world.service.options.jobMs = 3_600_000;
    const task = { resource: 'task', operation: 'run', taskId: byId(world.service.tasks[0]!.id), wait: true };
    const cancel = new AbortController();
    const running = world.engine.run(
      chain(START, node('Node', 'n8n-nodes-record-database.recordDatabaseTasks', task)),
      { abortSignal: cancel.signal },
    );
    await until(() => world.service.requests.some(({ pattern, status }) => pattern === STATUS && status > 0));
    cancel.abort();
    expect((await running).error?.message).toMatch(/cancelled/);
    expect(world.service.executions).toMatchObject([{ status: 'start' }]);
    // Long enough for the next look, which does not come.
    const asked = world.service.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(world.service.requests).toHaveLength(asked);
  });

  test('tells that it was started when looking fails', async () => {
    const broken = { status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } };
    world.service.faults.add({ when: { pattern: STATUS }, times: 1, fault: { type: 'status', ...broken } });
    const run = await runTask();
    expect(run.error?.message).toMatch(/^The task was started, but waiting for it failed/);
    expect(details(run)).toContain(world.service.executions[0]!.queueId);
  });

  test('is not waited for without a queue ID, and not started again', async () => {
    world.service.faults.add(answer('POST /api/v1/tasks/run/{taskId}', { type: 'success', msg: 'ok' }));
    const run = await runTask();
    expect(run.error?.message).toMatch(/was started, but the service did not say under which queue ID/);
    expect(world.seen().filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('a lost answer is never followed by a second run', async () => {
    world.service.faults.add({
      when: { pattern: 'POST /api/v1/tasks/run/{taskId}' },
      fault: { type: 'reset', when: 'after' },
    });
    const run = await runTask();
    expect(run.error?.message).toMatch(/^Outcome unknown/);
    expect(world.service.executions).toHaveLength(1);
  });
});

describe('executions', () => {
  test('active, one, all of a task, ended, terminated', async () => {
    world.service.options.jobMs = 60_000;
    const [task] = world.service.tasks;
    const [{ task_queue_id: taskQueueId }] = outputOf(await runTask({ wait: false })) as [
      { task_queue_id: string },
    ];
    const list = async (operation: string, more: object = {}) =>
      outputOf(await runOperation(world, TASKS, { resource: 'task', operation, ...more })).map(
        (one) => one.task_queue_id,
      );
    expect(await list('getActive')).toEqual([taskQueueId]);
    // As text, as workflows had it before it could be picked from a list.
    expect(await list('getExecution', { taskQueueId })).toEqual([taskQueueId]);
    expect(await list('getExecution', { taskQueueId: byId(taskQueueId) })).toEqual([taskQueueId]);
    expect(await list('getExecutions', { taskId: byId(task!.id) })).toEqual([taskQueueId]);
    expect(await list('getHistory')).toEqual([]);
    outputOf(
      await runOperation(world, TASKS, {
        resource: 'task',
        operation: 'terminateAll',
        taskId: byId(task!.id),
      }),
    );
    expect(await list('getActive')).toEqual([]);
    expect(await list('getHistory')).toEqual([taskQueueId]);
  });
});

test('a termination whose answer was lost is done when the repeat finds nothing to stop', async () => {
  const TERMINATE = 'POST /api/v1/tasks/terminate/queue/{taskQueueId}';
  const gone = { type: 'error', msg: 'Task Queue Not Found', status: 404 };
  const refuse = () =>
    world.service.faults.add({
      when: { pattern: TERMINATE },
      fault: { type: 'status', status: 404, body: gone },
    });
  const terminate = { resource: 'task', operation: 'terminateExecution', taskQueueId: 'q1' };
  world.service.faults.add({ when: { pattern: TERMINATE }, fault: { type: 'reset', when: 'after' } });
  refuse();
  expect(outputOf(await runOperation(world, TASKS, terminate))).toEqual([{}]);
  refuse();
  expect((await runOperation(world, TASKS, terminate)).error?.message).toMatch(/does not know/);
});

describe('one execution', () => {
  const get = (taskQueueId: string) =>
    runOperation(world, TASKS, { resource: 'task', operation: 'getExecution', taskQueueId });

  test.each([200, 404])('is looked for in the history once it has ended (hidden by %i)', async (status) => {
    world.service.options.finishedExecutions = 'hidden';
    const [entry] = outputOf(await runTask());
    const id = String(entry!.task_queue_id);
    if (status === 404) {
      const body = { type: 'error', msg: 'Task Queue Not Found', status };
      world.service.faults.add({ when: { pattern: STATUS }, fault: { type: 'status', status, body } });
    }
    expect(outputOf(await get(id))).toMatchObject([{ task_queue_id: id, status: 'complete' }]);
  });

  test.each([
    [TASKS, STATUS, { resource: 'task', operation: 'getExecution', taskQueueId: 'q1' }, 'tasks'],
    [
      TASKS,
      'GET /api/v1/automations/status/queue/{automationQueueId}',
      { resource: 'automation', operation: 'getExecution', automationQueueId: 'q1' },
      'automation',
    ],
    [
      FILES,
      'GET /api/v1.1/{appId}/imports/status/{queueId}',
      { resource: 'import', operation: 'getStatus', queueId: byId('q1') },
      'item',
    ],
  ])('that comes as an object is put out as in a list: %s %s', async (folder, endpoint, operation, key) => {
    const entry = { task_queue_id: 'q1', status: 'start' };
    for (const value of [entry, [entry]]) {
      world.service.faults.add(answer(endpoint, { type: 'success', total_tasks: 1, [key]: value }));
      expect(outputOf(await runOperation(world, folder, operation))).toEqual([entry]);
    }
  });

  test('is told by its own ID, whatever lists it holds', async () => {
    const entry = { task_queue_id: 'q1', status: 'start', logs: [], steps: [{ a: 1 }] };
    for (const body of [entry, { ...entry, logs: undefined }]) {
      world.service.faults.add(answer(STATUS, body));
      expect(outputOf(await get('q1'))).toEqual([JSON.parse(JSON.stringify(body))]);
    }
  });

  test("that a proxy's 404 hides is not said to be gone", async () => {
    const page = { type: 'status', status: 404, body: '<html>Not Found</html>' } as const;
    for (const pattern of [STATUS, HISTORY]) world.service.faults.add({ when: { pattern }, fault: page });
    expect((await get('q1')).error?.message).toBe('The service does not know what was asked for');
  });

  test('that the service does not show at all is named, with what to do', async () => {
    world.service.faults.add(answer(STATUS, { type: 'success', total_tasks: 0, tasks: [] }));
    for (const id of ['empty', 'unknown']) {
      const run = await get(id);
      expect(run.error?.message).toContain(`no execution ${id}`);
      expect(details(run)).toContain('task_queue_id');
    }
  });
});

describe('imports and exports', () => {
  const csv = (text: string, fileName = 'new.csv') => ({
    json: {},
    binary: { data: { data: Buffer.from(text).toString('base64'), mimeType: 'text/csv', fileName } },
  });
  const TRIGGER = 'POST /api/v1.1/{appId}/imports/{importId}/trigger';
  const importInto = async (table: string) => {
    const dataTableId = byId(world.table(table).id);
    const [one] = outputOf(
      await runOperation(world, FILES, { resource: 'import', operation: 'getAll', dataTableId }),
    );
    return { resource: 'import', operation: 'run', importId: byId(String(one!.id)), wait: true };
  };

  test.each(['queue_id', 'id', 'import_queue_id', 'queueId', 'queue'])(
    'an import ends with its final entry (%s)',
    async (queueIdKey) => {
      world.service.options.queueIdKey = queueIdKey;
      const products = world.table('Products');
      const before = products.records.size;
      const name = products.fields.find(({ type }) => type === 'Text')!.name;
      const run = await runOperation(world, FILES, await importInto('Products'), [
        csv(`${name}\r\nOne\r\nTwo\r\n`),
      ]);
      expect(outputOf(run)).toMatchObject([{ status: 'Complete', total_rows: 2, _completion: 'finished' }]);
      const [{ error_rows: refused }] = outputOf(run) as [{ error_rows: number }];
      expect(world.table('Products').records.size).toBe(before + 2 - refused);
    },
  );

  test('a file is uploaded once more after a new login', async () => {
    const { baseUrl, keys, user } = world.service;
    let now = Date.now();
    const clock = { now: () => now };
    const aged = await World.start({ clock, tokenMs: 60_000 });
    await aged.engine.setCredential(
      'recordDatabaseApi',
      { baseUrl: aged.service.baseUrl, ...aged.service.keys, userLogin: true, ...aged.service.user },
      { id: 'user', name: 'User' },
    );
    void [baseUrl, keys, user];
    const login = { credentials: { recordDatabaseApi: { id: 'user', name: 'User' } } };
    const dataTableId = byId(aged.table('Products').id);
    const [one] = outputOf(
      await runOperation(
        aged,
        FILES,
        { resource: 'import', operation: 'getAll', dataTableId },
        undefined,
        login,
      ),
    );
    now += 120_000;
    const run = { resource: 'import', operation: 'run', importId: byId(String(one!.id)) };
    outputOf(await runOperation(aged, FILES, run, [csv('Name\r\nOne\r\n')], login));
    const uploads = aged.service.requests.filter(({ pattern }) => pattern.endsWith('/trigger'));
    expect(uploads.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(uploads.at(-1)!.body).toMatchObject({
      file: { filename: 'new.csv', bytes: Buffer.from('Name\r\nOne\r\n') },
    });
    expect(aged.violations()).toEqual([]);
    await aged.stop();
  });

  test('a file without a name goes under that of its binary field', async () => {
    const run = { ...(await importInto('Products')), wait: false };
    outputOf(await runOperation(world, FILES, run, [csv('Name\r\nOne\r\n', '')]));
    const { body } = world.service.requests.findLast(({ pattern }) => pattern.endsWith('/trigger'))!;
    expect(body).toMatchObject({ file: { filename: 'data' } });
  });

  test('the names of the form can be changed, and fields added', async () => {
    const options = { fileField: 'upload', formFields: { fields: [{ name: 'mode', value: 'append' }] } };
    outputOf(
      await runOperation(world, FILES, { ...(await importInto('Products')), wait: false, options }, [
        csv('Name\r\nOne\r\n'),
      ]),
    );
    const { body, headers } = world.service.requests.findLast(({ pattern }) => pattern.endsWith('/trigger'))!;
    expect(body).toMatchObject({ upload: { filename: 'new.csv' }, mode: 'append' });
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  });

  test('a data source goes under the name asked for, whatever is left of a file', async () => {
    const run = { ...(await importInto('Products')), wait: false, source: 'dataSource', dataSource: 'Name' };
    for (const [dataSourceField, expected] of [
      ['rows', { rows: 'Name' }],
      [' ', { data_source: 'Name' }],
    ] as const) {
      world.service.faults.add(answer(TRIGGER, { type: 'success' }));
      const options = { dataSourceField, fileField: 'upload', ifFails: '={{ $json.no }}', maximumWait: 0 };
      outputOf(await runOperation(world, FILES, { ...run, options }));
      expect(world.service.requests.at(-1)!.body).toEqual(expected);
    }
  });

  test.each<[object, string]>([
    [
      { source: 'dataSource', dataSource: '={{ $json.no }}' },
      'Data Source is empty: there is nothing to import',
    ],
    [
      { source: 'dataSource', dataSource: 'x', options: { formFields: { fields: [{ value: 'a' }] } } },
      'Additional Form Fields cannot hold ""',
    ],
    [
      {
        source: 'dataSource',
        dataSource: 'x',
        options: { formFields: { fields: [{ name: 'a', value: '={{ ({}) }}' }] } },
      },
      'Additional Form Fields cannot hold {}',
    ],
    [{ source: '={{ $json.no }}', dataSource: 'x' }, 'Source cannot be undefined'],
    [
      {
        source: 'dataSource',
        dataSource: 'x',
        options: { formFields: { fields: [{ name: 'a', value: '={{ $json.no }}' }] } },
      },
      'Additional Form Fields cannot hold undefined',
    ],
  ])('%j imports nothing', async (more, message) => {
    const parameters = { ...(await importInto('Products')), ...more };
    const before = world.service.requests.length;
    expect((await runOperation(world, FILES, parameters)).error?.message).toBe(message);
    expect(world.service.requests).toHaveLength(before);
  });

  test('an import with errors in all of its rows has failed', async () => {
    const entry = { id: 'q', status: 'Complete', total_rows: 5, processed_rows: 5, error_rows: 5 };
    world.service.faults.add(
      answer('GET /api/v1.1/{appId}/imports/status/{queueId}', { type: 'success', items: [entry] }),
    );
    const options = { ifFails: 'error' };
    const run = await runOperation(world, FILES, { ...(await importInto('Products')), options }, [
      csv('Name\r\nOne'),
    ]);
    expect(run.error?.message).toBe('The import ended with the status "Complete", and errors in 5 rows');
  });

  test('a missing file is named before anything is sent', async () => {
    const parameters = await importInto('Products');
    const before = world.service.requests.length;
    const run = await runOperation(world, FILES, parameters);
    expect(run.error?.message).toBe('The input has no binary field "data"');
    expect(world.service.requests).toHaveLength(before);
  });
});
