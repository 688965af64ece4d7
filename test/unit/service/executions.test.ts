import { ManualClock, messages, open } from './client';

type Opened = Awaited<ReturnType<typeof open>>;
let { service, api }: Opened = {} as Opened;
const clock = new ManualClock();
beforeEach(async () => ({ service, api } = await open({ clock, jobMs: 10_000 })));
afterEach(() => service.stop());

test('the list of tasks', async () => {
  const { data } = await api.get('/tasks');
  expect(data).toMatchObject({ type: 'success', total_tasks: 3 });
  expect(data.tasks[0]).toEqual({
    task_id: service.tasks[0]?.id,
    name: 'Close old orders',
    status: 'Active',
    data_table_id: service.table('Orders').id,
    occurrence: 'Daily',
    next_run_at: '2025-06-16 00:00:00',
    type: 'Schedule',
  });
});

describe.each(['task', 'automation'] as const)('%s', (noun) => {
  const all = `${noun}s`;
  const definition = () => (noun === 'task' ? service.tasks : service.automations)[0]?.id;
  const run = async (): Promise<string> =>
    (await api.post(`/${all}/run/${definition()}`)).data[`${noun}_queue_id`];
  const entries = async (path: string) => (await api.get(`/${all}/${path}`)).data[all];
  const ids = async (path: string) =>
    (await entries(path)).map((entry: Record<string, string>) => entry[`${noun}_queue_id`]);

  test('runs, proceeds and ends', async () => {
    const id = await run();
    clock.advance(5_000);
    const [entry] = await entries(`status/queue/${id}`);
    expect(entry).toMatchObject({ run_type: 'API', status: 'start', [`${noun}_id`]: definition() });
    expect(entry.total_record_proceed).toBe(Math.floor(entry.total_records / 2));
    expect(await ids('status')).toEqual([id]);
    expect(await ids('history')).toEqual([]);
    clock.advance(5_000);
    expect(await ids('status')).toEqual([]);
    expect(await ids('history')).toEqual([id]);
    expect(await entries(`status/queue/${id}`)).toMatchObject([{ status: 'complete' }]);
    service.options.finishedExecutions = 'hidden';
    expect(await entries(`status/queue/${id}`)).toEqual([]);
    expect(messages(service)).toEqual([]);
  });

  test('terminates one, or all of a definition', async () => {
    const [first, second, third] = [await run(), await run(), await run()];
    await api.post(`/${all}/terminate/queue/${first}`);
    expect(await ids('status')).toEqual([second, third]);
    await api.post(`/${all}/terminate/${noun}/${definition()}`);
    expect(await ids('status')).toEqual([]);
    clock.advance(20_000);
    const ended = await entries(`status/${noun}/${definition()}`);
    expect(ended.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('terminated'));
    expect(service.executions).toHaveLength(3);
  });

  test.each(['run/x', 'terminate/queue/x', `terminate/${noun}/x`])('POST %s is not found', async (path) => {
    expect((await api.post(`/${all}/${path}`)).status).toBe(404);
  });
});
