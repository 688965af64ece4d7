import type { Table } from '../../service';
import { createRecordWorkflow, pollOnce } from '../polling/support';
import { AUTO_MAP, TestEnvironment } from '../support/testEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/**
 * "Today" is that of the service, in reading, in the check before a deletion and in both triggers. The workflow
 * is in UTC; the service is in a zone in which it is another day now: +14 from 10:00 UTC on, else -12.
 */

const now = new Date();
const isTomorrowThere = now.getUTCHours() >= 10;
const timeZone = isTomorrowThere ? 'Pacific/Kiritimati' : 'Etc/GMT+12';
const offsetHours = isTomorrowThere ? 14 : -12;
const formatDay = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString().slice(0, 10);
/** The service's today, and today in UTC. */
const THERE = formatDay(offsetHours);
const HERE = formatDay(0);
/** Which operator the service's today satisfies if it is compared with today in UTC. */
const WRONG = isTomorrowThere ? 'is after today' : 'is before today';
/** The same the other way round: today in UTC, compared with the service's today. */
const RIGHT = isTomorrowThere ? 'is before today' : 'is after today';

const env = new TestEnvironment();
let table: Table;
beforeAll(() => env.start({ timeZone }, { timezone: 'UTC' }));
afterAll(() => env.stop());
beforeEach(() => {
  table = env.service.addTable({
    name: `Due ${env.service.requests.length}`,
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'Due', type: 'Date' },
    ],
  });
  table.insert({ key: 'there', due: THERE });
  table.insert({ key: 'here', due: HERE });
});

const filterBy = (operator: string) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'due|date', operator }] },
});
const listKeys = () => [...table.records.values()].map(({ key }) => key);

test('the days differ', () => {
  expect(THERE).not.toBe(HERE);
});

test.each([
  [WRONG, ['there', 'here']],
  [RIGHT, ['there']],
])('Delete Many: "%s" leaves %j', async (operator, left) => {
  const run = await env.runRecordOperation('deleteMany', table, { ...filterBy(operator), maximum: 10 });
  expect(run.error).toBeUndefined();
  expect(listKeys()).toEqual(left);
});

test.each([
  [WRONG, ['there', 'here', 'new']],
  [RIGHT, ['there', 'new']],
])('Sync: deletions within "%s" leave %j', async (operator, left) => {
  const run = await env.runRecordOperation(
    'sync',
    table,
    {
      columns: { ...AUTO_MAP, matchingColumns: ['key'] },
      deleteMissing: true,
      maximumDeletions: '100%',
      ...filterBy(operator),
    },
    [{ key: 'new', due: THERE }],
  );
  expect(run.error).toBeUndefined();
  expect(listKeys()).toEqual(left);
});

test.each([
  [WRONG, []],
  [RIGHT, ['here']],
])('webhook trigger: "%s" starts for %j', async (operator, started) => {
  const trigger = await env.engine.activate(
    createTriggerWorkflow(env, [table.name], ['INSERT'], filterBy(operator)),
  );
  table.insert({ key: 'there', due: THERE });
  table.insert({ key: 'here', due: HERE });
  await env.service.waitForDeliveries();
  const runs = await trigger.waitUntilIdle();
  await trigger.deactivate();
  expect(runs.flatMap((run) => run.getJson('Trigger'))).toEqual(
    started.map((key) => expect.objectContaining({ key })),
  );
});

test.each([
  [WRONG, []],
  [RIGHT, ['here']],
])(
  'polling trigger: "%s" finds %j, in one request without changes, and their deletion at once',
  async (operator, found) => {
    const trigger = await env.engine.activate(
      createRecordWorkflow(table, {
        triggerOn: 'recordCreatedUpdatedOrDeleted',
        options: { returnExisting: true },
        ...filterBy(operator),
      }),
    );
    const runs = await trigger.waitUntilIdle();
    const existing = runs.flatMap((run) => run.getJson('Poll'));
    expect(existing.map(({ key }) => key)).toEqual(found);
    const since = env.service.requests.length;
    expect(await pollOnce(trigger)).toBeUndefined();
    expect(env.listRequests(since)).toHaveLength(1);
    for (const id of table.records.keys()) table.delete(id);
    expect((await pollOnce(trigger))?.map(({ _event }) => _event)).toEqual(
      found.length > 0 ? found.map(() => 'DELETE') : undefined,
    );
    await trigger.deactivate();
  },
);
