import type { Table } from '../../service';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { addTasksTable, createRecordWorkflow, pollOnce, TestClock } from './support';

/**
 * An n8n whose polls are jobs of its scheduler (N8N_SCHEDULER_POLL_TRIGGERS_ENABLED), without durable cursors: each poll
 * gets the static data of the database, which holds what the last poll with items has left.
 */
const clock = new TestClock();
const env = useTestEnvironment({ sample: 'empty', clock, missingRecord: 'emptyObject' }, { pollJobs: true });
let table: Table;

let tables = 0;
beforeEach(() => {
  table = addTasksTable(env, `Tasks ${++tables}`);
});

const bySnapshot = (parameters: object = {}) =>
  createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted', ...parameters });

const describeItems = (items: Array<Record<string, unknown>> | undefined) =>
  items?.map(({ _event, id }) => [_event, id]);

test('what a poll has seen without returning it counts for the next one', async () => {
  const trigger = await env.engine.activate(bySnapshot({ events: ['UPDATE'] }));
  const { id } = table.insert({ title: 'a' });
  expect(await pollOnce(trigger)).toBeUndefined();
  table.update(id, { title: 'b' });
  expect(describeItems(await pollOnce(trigger))).toEqual([['UPDATE', id]]);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});

test('another state of the database, as of another process, has priority', async () => {
  const trigger = await env.engine.activate(bySnapshot({ events: ['UPDATE'] }));
  const before = trigger.getStaticData('Poll');
  const { id } = table.insert({ title: 'a' });
  expect(await pollOnce(trigger)).toBeUndefined();
  table.update(id, { title: 'b' });
  expect(await pollOnce(trigger)).toHaveLength(1);
  trigger.replaceStaticData('Poll', before);
  expect(await pollOnce(trigger)).toBeUndefined();
  await trigger.deactivate();
});
