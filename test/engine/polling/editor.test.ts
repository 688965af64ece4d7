import { createNode } from '../../harness';
import type { Table } from '../../service';
import { toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import {
  addTasksTable,
  createPollingWorkflow,
  createRecordWorkflow,
  POLLING_TRIGGER,
  TestClock,
} from './support';

/** What the editor does with the node: lists, and a test that returns the newest records. */
const clock = new TestClock();
const env = useTestEnvironment({ clock });
let table: Table;
beforeAll(() => {
  table = addTasksTable(env);
});

const runTest = async (workflow: Parameters<typeof env.engine.run>[0]) => env.engine.run(workflow);

test('a test of an empty table is an error that says what to do', async () => {
  const run = await runTest(createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted' }));
  expect(run.error).toMatchObject({
    message: 'Nothing was found that the trigger could return',
    description: 'Create a record in the table, or change the filter so that it matches one.',
  });
});

test('a test returns the five newest records that match, and stores nothing', async () => {
  for (let i = 0; i < 9; i++) {
    clock.advance(10);
    table.insert({ title: String(i), stage: i === 7 ? 'closed' : 'open', changed_at: clock.format() });
  }
  const items = [{ field: 'stage|text', operator: 'is', value: 'open' }];
  for (const parameters of [
    { triggerOn: 'recordCreatedUpdatedOrDeleted' },
    { triggerOn: 'recordCreatedOrUpdated', dateField: 'changed_at' },
    { triggerOn: 'recordCreated' },
  ]) {
    const run = await runTest(
      createRecordWorkflow(table, {
        ...parameters,
        filterMode: 'manual',
        conditions: { items },
        output: 'namedRecord',
        options: { columns: ['title'] },
      }),
    );
    expect(run.error).toBeUndefined();
    expect(run.getJson('Poll').map(({ Title }) => Title)).toEqual(['8', '6', '5', '4', '3']);
    expect(Object.keys(run.getJson('Poll')[0]!)).not.toContain('Stage');
  }
});

test('a test of a log returns its newest entries', async () => {
  const run = await runTest(createPollingWorkflow({ triggerOn: 'logEntryAdded', log: 'pageViews' }));
  expect(run.getJson('Poll')).toHaveLength(5);
  expect(run.getJson('Poll')[0]).toMatchObject({ url: expect.any(String) as string });
});

test('the list of date fields holds the Date-Time fields that an update can change', async () => {
  const node = createNode('Poll', POLLING_TRIGGER, { dataTableId: toLocator(table.id) });
  expect(await env.engine.loadOptions(node, 'getDateFields')).toEqual([
    { name: expect.stringMatching(/^Changed At \(/) as string, value: 'changed_at' },
  ]);
});

test('an expression that finds nothing is an error', async () => {
  const run = await runTest(createPollingWorkflow({ dataTableId: toLocator('={{ [].join() }}') }));
  expect(run.error!.message).toBe('Table: the expression has found nothing');
});
