import { type ApiError, FormBody, runToEnd, startRun } from '../../nodes/service';
import { ClientEnvironment, WAIT } from './support';

/** Starts of runs whose answers do not name them, and waits for runs that end in every way. */

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100_000 }));
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

const QUEUE = { method: 'GET', pattern: /\/queues$/ };
const ONE = { method: 'GET', pattern: /\/status\/|\/queues\/\w/ };
const answer = (body: unknown, status = 200) => ({ type: 'status', status, body }) as const;

const IMPORT = { kind: 'import', id: 'i1', body: new FormBody([]) } as const;

/** Starts a run with this answer, and does not wait for its end. Returns what it leads to. */
function start(response: unknown, target: Parameters<typeof runToEnd>[1] = IMPORT) {
  env.service.faults.add({ when: { method: 'POST' }, fault: answer(response) });
  const starts: string[] = [];
  const wait = { limitSeconds: 0, failsAsError: false, timesOutAsError: false };
  const run = runToEnd(env.createClient(), target, wait, () => void starts.push('start'));
  return run.then(
    ({ id }) => ({ id, starts }),
    (error: unknown) => ({ error: error as ApiError, starts }),
  );
}

/** Answers the queue before and after a start. */
function showQueue(before: unknown, after: unknown): void {
  env.service.faults.add({ when: QUEUE, fault: answer(before) });
  env.service.faults.add({ when: QUEUE, fault: answer(after) });
}

const entry = (id: string, more: object = {}) => ({ queue_id: id, status: 'start', ...more });

describe('a start whose answer has no queue ID', () => {
  test('has the ID of the run that is new in the queue', async () => {
    showQueue({ items: [entry('a')] }, { items: [entry('a'), entry('b')] });
    expect(await start({ status: 'success' })).toEqual({ id: 'b', starts: ['start'] });
  });

  test('is an error when the queue shows several new runs, and names them', async () => {
    showQueue({ items: [] }, { items: [entry('a'), entry('b')] });
    const { error, starts } = (await start({ status: 'success' })) as { error: ApiError; starts: string[] };
    expect(error.message).toBe('The import was started, but the service did not return its queue ID');
    expect(error.description).toContain('2 runs were started at the same time: a, b.');
    expect(error.description).toContain('Do not start the import a second time.');
    expect(starts).toEqual(['start']);
  });

  test('has the ID of a run that is not in the queue at once', async () => {
    showQueue({ items: [entry('a')] }, { items: [entry('a')] });
    env.service.faults.add({ when: QUEUE, fault: answer({ items: [entry('b'), entry('a')] }) });
    expect(await start({ status: 'success' })).toEqual({ id: 'b', starts: ['start'] });
  });

  test.each<[string, object, number]>([
    ['shows no new run', { items: [entry('a')] }, 200],
    ['cannot be read any more', {}, 403],
  ])('is an error when the queue %s', async (_, after, status) => {
    env.service.faults.add({ when: QUEUE, fault: answer({ items: [entry('a')] }) });
    env.service.faults.add({ when: QUEUE, times: Infinity, fault: answer(after, status) });
    const { error, starts } = (await start({ status: 'success' })) as { error: ApiError; starts: string[] };
    expect(error.description).toContain('The queue shows no new run. Look at the runs with');
    expect(starts).toEqual(['start']);
  });

  test('is an error when the queue could not be read before', async () => {
    env.service.faults.add({ when: QUEUE, fault: answer({}, 403) });
    const { error } = (await start({ status: 'success' })) as { error: ApiError };
    expect(error.description).toContain('The queue could not be read.');
  });

  test('ignores a run of another definition', async () => {
    const others = [entry('a', { exportTemplate: { id: 'other' } })];
    showQueue({ items: [] }, { items: [...others, entry('b', { exportTemplate: { id: 'mine' } })] });
    const mine = { kind: 'export', id: 'mine' } as const;
    expect(await start({ status: 'success' }, mine)).toMatchObject({ id: 'b' });
    showQueue({ items: [] }, { items: [...others, entry('c')] });
    expect(await start({ status: 'success' }, mine)).toMatchObject({ id: 'c' });
  });
});

test('a start that is refused has no run, and its error does not send the user to look for one', async () => {
  const client = env.createClient();
  const importId = env.service.addImport(env.service.getTable('Products'));
  env.service.faults.add({ when: { method: 'POST' }, fault: answer({}, 422) });
  const upload = startRun(client, { ...IMPORT, id: importId });
  const error = (await upload.catch((thrown: unknown) => thrown)) as ApiError;
  expect(error).toMatchObject({ status: 422, isOutcomeUnknown: false });
  expect(error.description).not.toContain('shows whether the import was started');
});

test('a start that is refused does not take the run of another client for its own', async () => {
  const client = env.createClient();
  const importId = env.service.addImport(env.service.getTable('Products'));
  showQueue({ items: [] }, { items: [entry('of-another')] });
  env.service.faults.add({ when: { method: 'POST' }, fault: answer({}, 422) });
  const run = runToEnd(client, { ...IMPORT, id: importId }, WAIT);
  const error = (await run.catch((thrown: unknown) => thrown)) as ApiError;
  expect([error.status, error.details]).toEqual([422, undefined]);
  expect(error.description).not.toContain('of-another');
});

describe('a start whose answer does not show that something was started', () => {
  const upload = (body: unknown, status = 200) => {
    env.service.faults.add({ when: { method: 'POST' }, fault: answer(body, status) });
    const { starts, run } = env.runImport('bare-1');
    return run.then(
      ({ id }) => ({ id, starts }),
      (error: unknown) => ({ error: error as ApiError, starts }),
    );
  };

  test('has the ID of the run that is new in the queue', async () => {
    showQueue({ items: [] }, { items: [entry('a')] });
    expect(await upload({})).toEqual({ id: 'a', starts: ['start'] });
  });

  test('is an error when the queue shows no new run, and counts as started: it is not started again', async () => {
    env.service.faults.add({ when: QUEUE, times: Infinity, fault: answer({ items: [] }) });
    const { error, starts } = (await upload({})) as { error: ApiError; starts: string[] };
    expect(error).toMatchObject({ isOutcomeUnknown: true, status: 200 });
    expect(starts).toEqual(['start']);
  });

  test('is an error with the ID of the new run when the service failed: another client may have started it', async () => {
    showQueue({ items: [] }, { items: [entry('a')] });
    const failed = { type: 'error', msg: 'Failed', status: 500 };
    const { error, starts } = (await upload(failed, 500)) as { error: ApiError; starts: string[] };
    expect(error).toMatchObject({ isOutcomeUnknown: true, status: 500, details: { queueId: 'a' } });
    expect(error.description).toContain('Its queue ID is a.');
    expect(starts).toEqual([]);
  });
});

test('a start whose answer broke off is an error with the ID of the new run', async () => {
  showQueue({ items: [] }, { items: [entry('a')] });
  env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'answer', form: 'half' } });
  const { starts, run } = env.runImport('half-1');
  await expect(run).rejects.toMatchObject({ isOutcomeUnknown: true, details: { queueId: 'a' } });
  expect(starts).toEqual([]);
});

test('a start whose answer has a queue ID does not need the queue', async () => {
  env.service.faults.add({ when: QUEUE, fault: answer({}, 403) });
  expect(await start({ item: { queue_id: 'q' } })).toEqual({ id: 'q', starts: ['start'] });
});

describe('a start whose answer is lost', () => {
  const upload = () => env.runImport('lost-1').run.catch((error: unknown) => error as ApiError);
  const lose = () =>
    env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });

  test('names all new runs when there are several', async () => {
    lose();
    showQueue({ items: [] }, { items: [entry('a'), entry('b')] });
    const { description, details } = (await upload()) as ApiError;
    expect(description).toContain('The queue shows 2 new runs since just before the start: a, b.');
    expect(details).toBeUndefined();
  });

  test('says where to look when the queue shows none', async () => {
    env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'reset', when: 'before' } });
    const { description, details } = (await upload()) as ApiError;
    expect(description).toContain('The operation "Get Runs" shows whether the import was started.');
    expect(details).toBeUndefined();
  });

  test('names none when the queue could not be read before: they may be older', async () => {
    lose();
    env.service.faults.add({ when: QUEUE, fault: answer({}, 403) });
    const { details, isOutcomeUnknown } = (await upload()) as ApiError;
    expect(isOutcomeUnknown).toBe(true);
    expect(details).toBeUndefined();
  });
});

interface WaitOptions {
  target?: Parameters<typeof runToEnd>[1];
  signal?: AbortSignal;
  onStart?: () => void;
}

describe('a wait', () => {
  const STARTED = { queue_id: 'q1', status: 'start' };
  /** Starts a run with the queue ID q1, and waits for it. */
  const wait = async (
    given: object = {},
    { target = IMPORT, signal, onStart }: WaitOptions = {},
  ): Promise<Record<string, unknown>> => {
    env.service.faults.add({ when: { method: 'POST' }, fault: answer(STARTED) });
    const client = env.createClient({}, signal);
    return (await runToEnd(client, target, { ...WAIT, ...given }, onStart)).entry;
  };
  const show = (body: unknown, times = 1, status = 200) =>
    env.service.faults.add({ when: ONE, times, fault: answer(body, status) });

  test('goes on while the run is running, and returns the entry that has ended', async () => {
    show({ item: entry('q1') }, 3);
    show({ item: entry('q1', { status: 'Complete', total_rows: 1 }) });
    expect(await wait()).toEqual({
      queue_id: 'q1',
      status: 'Complete',
      total_rows: 1,
      _completion: 'finished',
    });
  });

  test('asks the second endpoint when the first one does not have the run', async () => {
    const first = { method: 'GET', pattern: /\/status\// };
    env.service.faults.add({ when: first, times: 9, fault: answer({}, 404) });
    show({ item: entry('q1', { status: 'Complete' }) });
    expect(await wait()).toMatchObject({ status: 'Complete' });
    expect(env.service.requests.at(-1)?.path).toMatch(/queues\/q1$/);
  });

  test('goes on when no endpoint shows the run for a moment', async () => {
    show({}, 4, 404);
    show({ item: entry('q1', { status: 'Complete' }) });
    expect(await wait()).toMatchObject({ status: 'Complete', _completion: 'finished' });
  });

  test('takes the only entry in the answer of an endpoint for one run, whatever its ID', async () => {
    show({ item: entry('another', { status: 'Complete' }) });
    expect(await wait()).toMatchObject({ queue_id: 'another', _completion: 'finished' });
  });

  test.each([
    ['failed', { status: 'failed', error_rows: 2, total_rows: 5 }, '"failed", and errors in 2 rows'],
    ['failed', { status: 'failed', error_rows: 0, total_rows: 5 }, '"failed"'],
    ['stopped', { status: 'cancelled' }, '"cancelled"'],
    ['failed', { status: 'Complete', error_rows: 5, total_rows: 5 }, '"Complete", and errors in 5 rows'],
  ])('ends with an error or the entry when the run has %s', async (state, values, words) => {
    show({ item: entry('q1', values) });
    await expect(wait()).rejects.toMatchObject({
      message: `The import ended with the status ${words}`,
      details: { queueId: 'q1' },
    });
    show({ item: entry('q1', values) });
    expect(await wait({ failsAsError: false })).toMatchObject({ ...values, _completion: state });
  });

  test('ends at its limit with an error, or with the last entry', async () => {
    show({ item: entry('q1', { processed_rows: 3 }) });
    await expect(wait({ limitSeconds: 0 })).rejects.toMatchObject({
      message: 'The import did not end within 0 seconds',
      details: { queueId: 'q1' },
    });
    show({ item: entry('q1', { processed_rows: 3 }) });
    const last = await wait({ limitSeconds: 0, timesOutAsError: false });
    expect(last).toMatchObject({ processed_rows: 3, _completion: 'running' });
  });

  test('lasts as long as its limit by the clock of the client', async () => {
    show({ item: entry('q1') }, 100);
    const [from, sent] = [env.time.now(), env.service.requests.length];
    await expect(wait()).rejects.toThrow('The import did not end within 600 seconds');
    expect(env.time.now() - from).toBeGreaterThanOrEqual(600_000);
    // After 0.5 s, then at intervals that grow to 15 s.
    const reads = env.service.requests.length - sent;
    expect(reads).toBeGreaterThan(40);
    expect(reads).toBeLessThan(55);
  });

  test('ends 30 seconds after the run was last shown, by the clock of the client', async () => {
    show({ item: entry('q1') }, 3);
    show({}, 100, 404);
    const from = env.time.now();
    expect(await wait()).toMatchObject({ queue_id: 'q1', _completion: 'notShown' });
    expect(env.time.now() - from).toBeGreaterThanOrEqual(30_000);
  });

  test('ends when nothing shows the run any more, and says so', async () => {
    show({}, 2, 404);
    expect(await wait({ limitSeconds: 0 })).toMatchObject({ queue_id: 'q1', _completion: 'notShown' });
  });

  test('ends with an error that has the queue ID when the state cannot be read', async () => {
    show({}, 1, 403);
    await expect(wait()).rejects.toMatchObject({
      message: expect.stringContaining('The import was started, but waiting for it failed: '),
      details: { queueId: 'q1' },
    });
  });

  test('ends when the execution is cancelled, and reads nothing more', async () => {
    const cancellation = new AbortController();
    let sent = 0;
    const onStart = () => {
      sent = env.service.requests.length;
      cancellation.abort();
    };
    await expect(wait({}, { signal: cancellation.signal, onStart })).rejects.toMatchObject({
      message: 'The execution was cancelled while the import was running',
      details: { queueId: 'q1' },
    });
    expect(env.service.requests).toHaveLength(sent);
  });

  describe('for a run of a task', () => {
    const target = { kind: 'task', id: 't1' } as const;
    const task = (status: string) => ({ task_queue_id: 'q1', status });
    const showTask = (path: string, body: unknown, { times = 1, status = 200 } = {}) =>
      env.service.faults.add({
        when: { method: 'GET', pattern: new RegExp(`/tasks/${path}$`) },
        times,
        fault: answer(body, status),
      });
    const waitForTask = async () => {
      let sent = 0;
      const onStart = () => (sent = env.service.requests.length);
      const { _completion } = await wait({ failsAsError: false }, { target, onStart });
      const paths = env.service.requests.slice(sent).map(({ path }) => path.replace(/^.*\/tasks\//, ''));
      return { _completion, paths };
    };
    const ONE_TASK = 'status/queue/q1';

    test('goes on while the status says that it is running, without the lists', async () => {
      showTask(ONE_TASK, { item: task('start') }, { times: 2 });
      showTask(ONE_TASK, { item: task('complete') });
      expect(await waitForTask()).toEqual({ _completion: 'finished', paths: Array(3).fill(ONE_TASK) });
    });

    test('goes on while a run with an unknown status is in the list of active runs', async () => {
      showTask(ONE_TASK, { item: task('phase 7') }, { times: Infinity });
      showTask('status', { tasks: [task('phase 7')] }, { times: 20 });
      showTask('status', { tasks: [] }, { times: Infinity });
      showTask('history', { tasks: [task('phase 8')] });
      const { _completion, paths } = await waitForTask();
      expect(_completion).toBe('finished');
      expect(paths.filter((path) => path === 'status')).toHaveLength(21);
      expect(paths.filter((path) => path === 'history')).toHaveLength(1);
    });

    test.each([
      ['stopped', 'terminate'],
      ['finished', 'phase 8'],
      ['failed', 'failed: disk full'],
    ])('ends as %s when the list of ended runs has it with the status "%s"', async (state, status) => {
      showTask(ONE_TASK, {}, { status: 404 });
      showTask('history', { tasks: [task(status)] });
      expect(await waitForTask()).toEqual({ _completion: state, paths: [ONE_TASK, 'history'] });
    });
  });

  test('does not take the entry of another run for its own', async () => {
    show({ items: [entry('q2', { status: 'Complete' }), entry('q3', { status: 'Complete' })] }, 2);
    expect(await wait({ limitSeconds: 0 })).toMatchObject({ queue_id: 'q1', _completion: 'notShown' });
  });
});
