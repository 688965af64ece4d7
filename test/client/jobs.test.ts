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

const ONE = { method: 'GET', pattern: /\/status\/|\/queues\/\w/ };
const GONE = { type: 'error', msg: 'Not Found', status: 404 };
const answer = (body: unknown, status = 200) => ({ type: 'status', status, body }) as const;

const IMPORT = { kind: 'import', id: 'i1', body: new FormBody([]) } as const;

const entry = (id: string, more: object = {}) => ({ queue_id: id, status: 'start', ...more });

test('a start whose answer has no queue ID is an error, and counts as started', async () => {
  env.service.faults.add({ when: { method: 'POST' }, fault: answer({ status: 'success' }) });
  const starts: string[] = [];
  const run = runToEnd(env.createClient(), IMPORT, WAIT, () => void starts.push('start'));
  await expect(run).rejects.toMatchObject({
    message: 'The import was started, but the service did not return its queue ID',
    description: expect.stringContaining('Do not start the import a second time.'),
  });
  expect(starts).toEqual(['start']);
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

  test('goes on when no endpoint shows the run for a moment', async () => {
    show(GONE, 4, 404);
    show({ item: entry('q1', { status: 'Complete' }) });
    expect(await wait()).toMatchObject({ status: 'Complete', _completion: 'finished' });
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
    expect(await wait({ throwsOnFailure: false })).toMatchObject({ ...values, _completion: state });
  });

  test('ends at its limit with an error, or with the last entry', async () => {
    show({ item: entry('q1', { processed_rows: 3 }) });
    await expect(wait({ limitSeconds: 0 })).rejects.toMatchObject({
      message: 'The import did not end within 0 seconds',
      details: { queueId: 'q1' },
    });
    show({ item: entry('q1', { processed_rows: 3 }) });
    const last = await wait({ limitSeconds: 0, throwsOnTimeout: false });
    expect(last).toMatchObject({ processed_rows: 3, _completion: 'running' });
  });

  test('lasts as long as its limit by the clock of the client', async () => {
    show({ item: entry('q1') }, 100);
    const [from, sent] = [env.time.now(), env.service.requests.length];
    await expect(wait()).rejects.toThrow('The import did not end within 10 minutes');
    expect(env.time.now() - from).toBeGreaterThanOrEqual(600_000);
    // After 0.5 s, then at intervals that grow to 15 s.
    const reads = env.service.requests.length - sent;
    expect(reads).toBeGreaterThan(40);
    expect(reads).toBeLessThan(55);
  });

  test('ends 30 seconds after the run was last shown, by the clock of the client', async () => {
    show({ item: entry('q1') }, 3);
    show(GONE, 100, 404);
    const from = env.time.now();
    expect(await wait()).toMatchObject({ queue_id: 'q1', _completion: 'notShown' });
    expect(env.time.now() - from).toBeGreaterThanOrEqual(30_000);
  });

  test('ends when nothing shows the run any more, and says so', async () => {
    show(GONE, 2, 404);
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
      const { _completion } = await wait({ throwsOnFailure: false }, { target, onStart });
      const paths = env.service.requests.slice(sent).map(({ path }) => path.replace(/^.*\/tasks\//, ''));
      return { _completion, paths };
    };
    const ONE_TASK = 'status/queue/q1';

    test('goes on while the status says that it is running, without the lists', async () => {
      showTask(ONE_TASK, { item: task('start') }, { times: 2 });
      showTask(ONE_TASK, { item: task('complete') });
      expect(await waitForTask()).toEqual({ _completion: 'finished', paths: Array(3).fill(ONE_TASK) });
    });

    test('goes on while the status is unknown, until the list of ended runs has the run', async () => {
      showTask(ONE_TASK, { item: task('phase 7') }, { times: Infinity });
      showTask('history', { tasks: [] }, { times: 20 });
      showTask('history', { tasks: [task('phase 8')] });
      const { _completion, paths } = await waitForTask();
      expect(_completion).toBe('finished');
      expect(paths.filter((path) => path === 'history')).toHaveLength(21);
    });

    test.each([
      ['stopped', 'terminate'],
      ['finished', 'phase 8'],
      ['failed', 'failed: disk full'],
    ])('ends as %s when the list of ended runs has it with the status "%s"', async (state, status) => {
      showTask(ONE_TASK, GONE, { status: 404 });
      showTask('history', { tasks: [task(status)] });
      expect(await waitForTask()).toEqual({ _completion: state, paths: [ONE_TASK, 'history'] });
    });
  });

  test('does not take the entry of another run for its own', async () => {
    show({ item: entry('q2', { status: 'Complete', dataTable: { id: 'q1', status: 'Complete' } }) }, 2);
    expect(await wait({ limitSeconds: 0 })).toMatchObject({ queue_id: 'q1', _completion: 'notShown' });
  });
});
