import { listViolations, ManualClock, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, api }: Opened = {} as Opened;
const clock = new ManualClock();
beforeEach(async () => ({ service, api } = await openService({ clock, jobMs: 10_000 })));
afterEach(() => service.stop());

test('the list of tasks', async () => {
  const { data } = await api.get('/tasks');
  expect(data).toMatchObject({ type: 'success', total_tasks: 3 });
  expect(data.tasks[0]).toEqual({
    task_id: service.tasks[0]?.id,
    name: 'Close old orders',
    status: 'Active',
    data_table_id: service.getTable('Orders').id,
    occurrence: 'Daily',
    next_run_at: '2025-06-16 00:00:00',
    type: 'Schedule',
  });
});

describe.each(['task', 'automation'] as const)('%s', (noun) => {
  const all = `${noun}s`;
  const getDefinitionId = () => (noun === 'task' ? service.tasks : service.automations)[0]?.id;
  const run = async (): Promise<string> =>
    (await api.post(`/${all}/run/${getDefinitionId()}`)).data[`${noun}_queue_id`];
  const listEntries = async (path: string) => (await api.get(`/${all}/${path}`)).data[all];
  const listIds = async (path: string) =>
    (await listEntries(path)).map((entry: Record<string, string>) => entry[`${noun}_queue_id`]);

  test('runs, proceeds and ends', async () => {
    const id = await run();
    clock.advance(5_000);
    const [entry] = await listEntries(`status/queue/${id}`);
    expect(entry).toMatchObject({ run_type: 'API', status: 'start', [`${noun}_id`]: getDefinitionId() });
    expect(entry.total_record_proceed).toBe(Math.floor(entry.total_records / 2));
    expect(await listIds('status')).toEqual([id]);
    expect(await listIds('history')).toEqual([]);
    clock.advance(5_000);
    expect(await listIds('status')).toEqual([]);
    expect(await listIds('history')).toEqual([id]);
    expect(await listEntries(`status/queue/${id}`)).toMatchObject([{ status: 'complete' }]);
    service.options.finishedExecutions = 'hidden';
    expect(await listEntries(`status/queue/${id}`)).toEqual([]);
    expect(listViolations(service)).toEqual([]);
  });

  test('terminates one, or all of a definition', async () => {
    const [first, second, third] = [await run(), await run(), await run()];
    await api.post(`/${all}/terminate/queue/${first}`);
    expect(await listIds('status')).toEqual([second, third]);
    await api.post(`/${all}/terminate/${noun}/${getDefinitionId()}`);
    expect(await listIds('status')).toEqual([]);
    clock.advance(20_000);
    const ended = await listEntries(`status/${noun}/${getDefinitionId()}`);
    expect(ended.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('terminated'));
    expect(service.executions).toHaveLength(3);
  });

  test('ends with other status words', async () => {
    Object.assign(service.options.statusWords, {
      executionEnded: 'succeed',
      executionTerminated: 'terminate',
    });
    const [first, second] = [await run(), await run()];
    await api.post(`/${all}/terminate/queue/${first}`);
    clock.advance(10_000);
    expect(await listEntries(`status/queue/${first}`)).toMatchObject([{ status: 'terminate' }]);
    expect(await listEntries(`status/queue/${second}`)).toMatchObject([{ status: 'succeed' }]);
  });

  test.each(['run/x', 'terminate/queue/x', `terminate/${noun}/x`])('POST %s is not found', async (path) => {
    expect((await api.post(`/${all}/${path}`)).status).toBe(404);
  });
});

test('an automation that answers like a task', async () => {
  service.options.automationWord = 'task';
  const { data } = await api.post(`/automations/run/${service.automations[0]?.id}`);
  expect(data).toMatchObject({ type: 'success', task_queue_id: service.executions[0]?.queueId });
  const { tasks } = (await api.get('/automations/status')).data;
  expect(tasks).toMatchObject([{ task_queue_id: service.executions[0]?.queueId, status: 'start' }]);
});
