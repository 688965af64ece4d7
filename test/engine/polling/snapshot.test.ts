import { sleep } from 'n8n-workflow';
import type { Table } from '../../service';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { addTasksTable, createRecordWorkflow, pollOnce, TestClock } from './support';

/** By Snapshot, over HTTP. */
const clock = new TestClock();
// A deletion is certain after one poll where the service answers 404.
const env = useTestEnvironment({ sample: 'empty', clock, missingRecord: 404 });
let table: Table;

let tables = 0;
beforeEach(() => {
  table = addTasksTable(env, `Tasks ${++tables}`);
});

const bySnapshot = (parameters: object = {}) =>
  createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted', ...parameters });

const openOnly = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'stage|text', operator: 'is', value: 'open' }] },
};

const describeItems = (items: Array<Record<string, unknown>> | undefined) =>
  items?.map(({ _event, id, _changedFields }) => [_event, id, _changedFields]);

test('created, updated and deleted records are returned once, with the changed fields', async () => {
  const [kept, changed, removed] = ['a', 'b', 'c'].map((title) => table.insert({ title }));
  const trigger = await env.engine.activate(bySnapshot());
  expect(await pollOnce(trigger)).toBeUndefined();

  const created = table.insert({ title: 'd' });
  table.update(changed!.id, { title: 'B', stage: 'open' });
  table.delete(removed!.id);
  const items = await pollOnce(trigger);
  expect(describeItems(items)).toEqual([
    ['UPDATE', changed!.id, ['title', 'stage']],
    ['INSERT', created.id, null],
    ['DELETE', removed!.id, null],
  ]);
  // Of a deleted record only the ID is known.
  expect(Object.keys(items![2]!)).toEqual(['_event', '_table', '_changedFields', '_eventId', 'id']);
  expect(items![2]).toMatchObject({ _table: table.name, id: removed!.id });
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(table.records.has(kept!.id)).toBe(true);
  await trigger.deactivate();
});

test.each([
  ['is', 'renamed'],
  ['is', 'deleted'],
  ['is not', 'renamed'],
  ['is not', 'deleted'],
  ['is blank', 'renamed'],
  ['is blank', 'deleted'],
])('a field of the filter (%s) that was %s is an error, and starts nothing', async (operator, change) => {
  for (const stage of ['open', 'open', 'closed', '']) table.insert({ title: stage, stage });
  const conditions = { items: [{ field: 'stage|text', operator, value: 'closed' }] };
  const trigger = await env.engine.activate(bySnapshot({ filterMode: 'manual', conditions }));
  expect(await pollOnce(trigger)).toBeUndefined();
  const index = table.fields.findIndex(({ slug }) => slug === 'stage');
  if (change === 'deleted') table.fields.splice(index, 1);
  else Object.assign(table.fields[index]!, { slug: 'state', name: 'State' });
  for (const [id, { stage, ...others }] of table.records)
    table.records.set(id, { ...others, ...(change === 'renamed' && { state: stage }) });
  await expect(pollOnce(trigger)).rejects.toThrow('the table has no field "stage"');
  env.takeViolations();
  await trigger.kill();
});

test('a record that leaves the filter comes out as that, and as created when it returns', async () => {
  const { id } = table.insert({ title: 'a', stage: 'open' });
  const gone = table.insert({ title: 'b', stage: 'open' });
  const trigger = await env.engine.activate(bySnapshot(openOnly));
  table.update(id, { stage: 'done' });
  table.delete(gone.id);
  const items = await pollOnce(trigger);
  expect(describeItems(items)).toEqual([
    ['LEFT_FILTER', id, null],
    ['DELETE', gone.id, null],
  ]);
  expect(items![0]).toMatchObject({ title: 'a', stage: 'done' });
  expect(await pollOnce(trigger)).toBeUndefined();
  table.update(id, { stage: 'open' });
  expect(describeItems(await pollOnce(trigger))).toEqual([['INSERT', id, null]]);
  await trigger.deactivate();
});

test('only the chosen fields and changes count', async () => {
  const { id } = table.insert({ title: 'a' });
  const trigger = await env.engine.activate(bySnapshot({ changedFields: ['stage'], events: ['UPDATE'] }));
  table.update(id, { title: 'b' });
  table.insert({ title: 'created' });
  expect(await pollOnce(trigger)).toBeUndefined();
  table.update(id, { stage: 'open' });
  expect(describeItems(await pollOnce(trigger))).toEqual([['UPDATE', id, ['stage']]]);
  await trigger.deactivate();
});

test('a value that changes back is a new change with another ID', async () => {
  const { id } = table.insert({ title: 'a' });
  const trigger = await env.engine.activate(bySnapshot());
  const ids = new Set<unknown>();
  for (const title of ['b', 'a', 'b']) {
    table.update(id, { title });
    ids.add((await pollOnce(trigger))![0]!._eventId);
  }
  expect(ids.size).toBe(3);
  await trigger.deactivate();
});

test('after a restart, what happened while n8n was off is returned, and nothing twice', async () => {
  const [changed, removed, later] = ['a', 'b', 'c'].map((title) => table.insert({ title }));
  const trigger = await env.engine.activate(bySnapshot());
  table.update(changed!.id, { title: 'A' });
  table.delete(removed!.id);
  expect(await pollOnce(trigger)).toHaveLength(2);
  await trigger.kill();
  const created = table.insert({ title: 'd' });
  table.delete(later!.id);
  const runs = trigger.executions.length;
  await trigger.restart({ callCheckExists: false });
  const [run] = (await trigger.waitForExecutions(runs + 1)).slice(runs);
  expect(describeItems(run!.getJson('Poll'))).toEqual([
    ['INSERT', created.id, null],
    ['DELETE', later!.id, null],
  ]);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('an outage during a restart does not end the trigger', async () => {
  const trigger = await env.engine.activate(bySnapshot());
  await trigger.kill();
  const { id } = table.insert({ title: 'while n8n was off' });
  env.service.faults.add({ times: Infinity, fault: { type: 'status', status: 403 } });
  const runs = trigger.executions.length;
  await trigger.restart({ callCheckExists: false });
  expect(trigger.executions).toHaveLength(runs);
  await trigger.poll();
  const [failed] = (await trigger.waitForExecutions(runs + 1)).slice(runs);
  expect(failed!.error?.message).toMatch(/permission/);
  env.service.faults.clear();
  expect(describeItems(await pollOnce(trigger))).toEqual([['INSERT', id, null]]);
  await trigger.deactivate();
});

test('of 120 deletions at once, a poll reads and returns 50', async () => {
  const ids = Array.from({ length: 130 }, (_, i) => table.insert({ title: String(i) }).id);
  const trigger = await env.engine.activate(bySnapshot());
  for (const id of ids.slice(0, 120)) table.delete(id);
  const before = env.service.requests.length;
  expect((await pollOnce(trigger))!.map(({ _event }) => _event)).toEqual(Array(50).fill('DELETE'));
  // One request reads the list, one the fields again, and one the name of the table.
  expect(env.service.requests.length - before).toBe(53);
  await trigger.deactivate();
});

describe('a filter that is another at each poll', () => {
  test('is followed: records enter and leave it', async () => {
    const [before, after] = ['a0', 'a1'].map((title) => table.insert({ title }));
    const turn = Date.now() + 3_000;
    const filterJson = `={{ { Title: "a" + ($now.toMillis() < ${turn} ? 0 : 1) } }}`;
    const trigger = await env.engine.activate(bySnapshot({ filterMode: 'json', filterJson }));
    while (Date.now() <= turn) await sleep(turn + 50 - Date.now());
    expect(describeItems(await pollOnce(trigger))).toEqual([
      ['INSERT', after!.id, null],
      ['LEFT_FILTER', before!.id, null],
    ]);
    expect(await pollOnce(trigger)).toBeUndefined();
    await trigger.deactivate();
  });

  test('may have "Is Within", and an expression of a constant', async () => {
    const within = {
      field: 'changed_at|dateTime',
      operator: 'is within',
      period: 'last',
      amount: 7,
      unit: 'day',
    };
    const { id } = table.insert({ title: 'a', changed_at: clock.format() });
    const trigger = await env.engine.activate(
      bySnapshot({
        filterMode: 'manual',
        conditions: { items: [within, { field: 'title|text', operator: 'is not', value: '={{ "b" }}' }] },
      }),
    );
    table.update(id, { stage: 'open' });
    expect(describeItems(await pollOnce(trigger))).toEqual([['UPDATE', id, ['stage']]]);
    await trigger.deactivate();
  });
});

test.each(['emptyList', 'emptyObject', 'zero', 'null'] as const)(
  'a record that is answered with %p in place of a 404 is deleted while the list has records',
  async (missingRecord) => {
    env.service.options.missingRecord = missingRecord;
    const [removed, last] = ['a', 'b'].map((title) => table.insert({ title }));
    const trigger = await env.engine.activate(bySnapshot());
    table.delete(removed!.id);
    expect(describeItems(await pollOnce(trigger))).toEqual([['DELETE', removed!.id, null]]);
    table.delete(last!.id);
    expect(await pollOnce(trigger)).toBeUndefined();
    const { id } = table.insert({ title: 'c' });
    expect(describeItems(await pollOnce(trigger))).toEqual([
      ['INSERT', id, null],
      ['DELETE', last!.id, null],
    ]);
    await trigger.deactivate();
  },
);

test('empty answers in place of a list and its record delete nothing', async () => {
  const { id } = table.insert({ title: 'a' });
  const trigger = await env.engine.activate(bySnapshot());
  const page = { type: 'success', items: [], total_items: 0, total_pages: 0, current_page: 1, limit: 200 };
  for (const body of [page, { type: 'success', item: [] }])
    env.service.faults.add({ fault: { type: 'status', status: 200, body } });
  for (let polls = 0; polls < 3; polls++) expect(await pollOnce(trigger)).toBeUndefined();
  table.update(id, { title: 'b' });
  expect(describeItems(await pollOnce(trigger))).toEqual([['UPDATE', id, ['title']]]);
  await trigger.deactivate();
});

test('an empty answer of the service deletes nothing', async () => {
  for (const title of ['a', 'b']) table.insert({ title });
  const trigger = await env.engine.activate(bySnapshot());
  const body = { type: 'success', items: [], total_items: 0, total_pages: 0, current_page: 1, limit: 200 };
  env.service.faults.add({ fault: { type: 'status', status: 200, body } });
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('more records than allowed are an error with the number', async () => {
  for (let i = 0; i < 1000; i++) table.insert({ title: String(i) });
  const trigger = await env.engine.activate(bySnapshot());
  const before = env.service.requests.length;
  expect(await pollOnce(trigger)).toBeUndefined();
  expect(env.service.requests.length - before).toBe(5);
  for (let i = 0; i < 4001; i++) table.insert();
  await trigger.poll();
  expect((await trigger.waitForExecutions(1))[0]!.error!.message).toBe(
    'Created, Updated or Deleted works with up to 5000 records, and 5001 match',
  );
  await trigger.deactivate();
});

test.each([undefined, []])(
  'without a choice (%j), each kind of change starts the workflow',
  async (events) => {
    const [changed, left, removed] = ['a', 'b', 'c'].map((title) => table.insert({ title, stage: 'open' }));
    const trigger = await env.engine.activate(bySnapshot({ ...openOnly, events }));
    table.update(changed!.id, { title: 'A' });
    table.update(left!.id, { stage: 'done' });
    table.delete(removed!.id);
    const created = table.insert({ title: 'd', stage: 'open' });
    expect(describeItems(await pollOnce(trigger))).toEqual([
      ['UPDATE', changed!.id, ['title']],
      ['INSERT', created.id, null],
      ['LEFT_FILTER', left!.id, null],
      ['DELETE', removed!.id, null],
    ]);
    await trigger.deactivate();
  },
);
