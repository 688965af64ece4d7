import { omit } from 'lodash';
import { polledEventOutput } from '../../outputs';
import type { Table } from '../../service';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { TestClock, addTasksTable, createRecordWorkflow, pollOnce } from './support';

/** By a Date Field, over HTTP. */
const clock = new TestClock();
const env = useTestEnvironment({ sample: 'empty', clock });
let table: Table;

let tables = 0;
beforeEach(() => {
  clock.advance(3600);
  table = addTasksTable(env, `Tasks ${++tables}`);
  for (let i = 0; i < 3; i++) insert(`Old ${i}`, 1000 + i);
});

const insert = (title: string, secondsAgo = 0) =>
  table.insert({ title, changed_at: clock.format(secondsAgo) });

const byDate = (parameters: object = {}) =>
  createRecordWorkflow(table, {
    triggerOn: 'recordCreatedOrUpdated',
    dateField: 'changed_at',
    ...parameters,
  });

const readTitles = (items: Array<Record<string, unknown>> | undefined) =>
  items?.map(({ title }) => String(title));

test('a date field that was renamed is an error at the next poll', async () => {
  const trigger = await env.engine.activate(byDate());
  Object.assign(
    table.fields.find(({ slug }) => slug === 'changed_at')!,
    { slug: 'edited', name: 'Edited' },
  );
  for (const [id, { changed_at: edited, ...others }] of table.records)
    table.records.set(id, { ...others, edited });
  await expect(pollOnce(trigger)).rejects.toThrow('the table has no field "changed_at"');
  env.takeViolations();
  await trigger.kill();
});

test('Record Created is an error where lists show no creation dates', async () => {
  env.service.options.systemKeys = 'idOnly';
  const activation = env.engine.activate(byDate({ triggerOn: 'recordCreated' }));
  await expect(activation.then(pollOnce)).rejects.toThrow('no creation dates in its lists');
  env.service.options.systemKeys = 'documented';
});

test('one record without a creation date does not stop Record Created', async () => {
  Object.assign(insert('Undated'), { created_at: '' });
  const trigger = await env.engine.activate(byDate({ triggerOn: 'recordCreated' }));
  await pollOnce(trigger);
  clock.advance(60);
  insert('New');
  expect(readTitles(await pollOnce(trigger))).toEqual(['New']);
  await trigger.deactivate();
});

test('the first poll returns nothing, a later one each new and changed record once', async () => {
  const trigger = await env.engine.activate(byDate());
  expect(await pollOnce(trigger)).toBeUndefined();

  clock.advance(60);
  const { id } = insert('New');
  const items = await pollOnce(trigger);
  expect(items?.map((item) => omit(item, 'auto_increment'))).toEqual([
    {
      _event: 'UPSERT',
      _table: table.name,
      id,
      title: 'New',
      stage: '',
      changed_at: clock.format(),
      created_at: expect.any(String) as string,
      _eventId: expect.stringMatching(/^[\w-]{16}$/) as string,
    },
  ]);
  expect(await pollOnce(trigger)).toBeUndefined();

  clock.advance(60);
  table.update(id, { title: 'Changed', changed_at: clock.format() });
  expect(readTitles(await pollOnce(trigger))).toEqual(['Changed']);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test.each(['known', 'listed'] as const)(
  'Created At returns created records only: %s',
  async (systemColumns) => {
    env.service.options.systemColumns = systemColumns;
    const trigger = await env.engine.activate(byDate({ triggerOn: 'recordCreated' }));
    const { id } = insert('New');
    table.update(id, { title: 'Changed before the poll' });
    const found = await pollOnce(trigger);
    expect(found).toMatchObject([{ _event: 'INSERT', id, title: 'Changed before the poll' }]);
    // The editor shows these keys before the first run.
    expect(found).toMatchObject([polledEventOutput.parse(found?.[0])]);
    table.update(id, { title: 'Changed again' });
    expect(await pollOnce(trigger)).toBeUndefined();
    await trigger.deactivate();
  },
);

test('a poll without changes sends one request', async () => {
  const trigger = await env.engine.activate(byDate());
  insert('New');
  await pollOnce(trigger);
  const before = env.service.requests.length;
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(env.listRequests(before)).toEqual(['GET /api/v1/data-tables/{dataTableId}/records']);
  await trigger.deactivate();
});

test('records of one second, and a late one within the overlap, are returned once; a later one is not', async () => {
  const trigger = await env.engine.activate(byDate());
  clock.advance(1000);
  insert('First');
  expect(readTitles(await pollOnce(trigger))).toEqual(['First']);
  insert('Same second');
  insert('Late', 200);
  insert('Too late', 400);
  expect(readTitles(await pollOnce(trigger))).toEqual(['Late', 'Same second']);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('a record that changes again in the second of its last change is returned again', async () => {
  const trigger = await env.engine.activate(byDate());
  const { id } = insert('First');
  await pollOnce(trigger);
  table.update(id, { title: 'Second' });
  expect(readTitles(await pollOnce(trigger))).toEqual(['Second']);
  await trigger.deactivate();
});

test('only records that match the filter are returned', async () => {
  const items = [{ field: 'stage|text', operator: 'is', value: 'open' }];
  const trigger = await env.engine.activate(byDate({ filterMode: 'manual', conditions: { items } }));
  clock.advance(10);
  for (const stage of ['open', 'closed']) table.insert({ title: stage, stage, changed_at: clock.format() });
  expect(readTitles(await pollOnce(trigger))).toEqual(['open']);
  await trigger.deactivate();
});

test('several pages are returned in the order of their dates, with 210 records in one second', async () => {
  const trigger = await env.engine.activate(byDate({ options: { returnExisting: true } }));
  const [run] = await trigger.waitForExecutions(1);
  expect(readTitles(run!.getJson('Poll'))).toEqual(['Old 2', 'Old 1', 'Old 0']);
  clock.advance(400);
  for (let i = 0; i < 210; i++) insert(`A ${i}`);
  clock.advance(1);
  for (let i = 0; i < 210; i++) insert(`B ${i}`, -1 - (i % 50));
  const titles = readTitles(await pollOnce(trigger))!;
  expect(new Set(titles).size).toBe(420);
  expect(titles.slice(0, 210).every((title) => title.startsWith('A'))).toBe(true);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('after a restart, what happened while n8n was off is returned, and nothing twice', async () => {
  const trigger = await env.engine.activate(byDate());
  clock.advance(10);
  insert('Before');
  expect(readTitles(await pollOnce(trigger))).toEqual(['Before']);
  await trigger.kill();
  clock.advance(3600);
  insert('While n8n was off');
  const runs = trigger.executions.length;
  await trigger.restart({ callCheckExists: false });
  const [run] = (await trigger.waitForExecutions(runs + 1)).slice(runs);
  expect(readTitles(run!.getJson('Poll'))).toEqual(['While n8n was off']);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('a date field of another type prevents the activation', async () => {
  await expect(env.engine.activate(byDate({ dateField: 'title' }))).rejects.toThrow(
    'Date Field: "Title" is of the type Text',
  );
  await expect(env.engine.activate(byDate({ dateField: 'gone' }))).rejects.toThrow(
    'Date Field: the table has no field "gone"',
  );
});

test('a failed poll is a failed execution, and the next one returns the changes', async () => {
  const trigger = await env.engine.activate(byDate());
  insert('New');
  env.service.faults.add({ fault: { type: 'status', status: 403 } });
  await trigger.poll();
  const [failed] = await trigger.waitForExecutions(1);
  expect(failed!.error?.message).toBe('The service does not permit this');
  env.service.faults.clear();
  expect(readTitles(await pollOnce(trigger))).toEqual(['New']);
  await trigger.deactivate();
});

test('two polls at the same time return a change once', async () => {
  const trigger = await env.engine.activate(byDate());
  insert('New');
  await Promise.all([trigger.poll(), trigger.poll()]);
  expect((await trigger.waitUntilIdle()).flatMap((run) => readTitles(run.getJson('Poll')))).toEqual(['New']);
  await trigger.deactivate();
});
