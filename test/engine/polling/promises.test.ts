import type { ServiceOptions, Table } from '../../service';
import { formatTimestamp } from '../../service/state/time';
import { TestEnvironment } from '../support/testEnvironment';
import { addTasksTable, createPollingWorkflow, createRecordWorkflow, pollOnce } from './support';

/** What the trigger promises about time zones, users, names, settings and limits, over HTTP. */
let env: TestEnvironment;
afterEach(async () => {
  const violations = env.takeViolations();
  await env.stop();
  expect(violations).toEqual([]);
});

async function start(options: Partial<ServiceOptions> = {}): Promise<Table> {
  // A deletion is certain after one poll where the service answers 404.
  env = await TestEnvironment.start({ sample: 'empty', missingRecord: 404, ...options });
  return addTasksTable(env);
}

const readTitles = (items: Array<Record<string, unknown>> | undefined) =>
  items?.map(({ title }) => String(title));

const formatIn = (timeZone: string, hoursAhead = 0): string =>
  formatTimestamp(Date.now() + hoursAhead * 3_600_000, timeZone);

/** In the zone of the service. */
const formatHere = (hoursAhead?: number): string => formatIn(env.service.options.timeZone, hoursAhead);

const FIELD_CHOICES = { triggerOn: 'recordCreatedOrUpdated', dateField: 'changed_at' };

describe.each(['Etc/GMT+12', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati'])(
  'a service in %s',
  (timeZone) => {
    test.each(['own', 'utc', 'timeOfDay'] as const)(
      'changes are found at once beside dates in the future, with current time as %s',
      async (currentTime) => {
        const table = await start({ timeZone, currentTime });
        for (const hours of [1, 14, 9000])
          table.insert({ title: 'future', changed_at: formatIn(timeZone, hours) });
        const trigger = await env.engine.activate(createRecordWorkflow(table, FIELD_CHOICES));
        const created = await env.engine.activate(
          createRecordWorkflow(table, { triggerOn: 'recordCreated' }),
        );
        for (const title of ['a', 'b', 'c']) {
          table.insert({ title, changed_at: formatIn(timeZone) });
          expect(readTitles(await pollOnce(trigger))).toEqual([title]);
          expect(readTitles(await pollOnce(created))).toEqual([title]);
        }
        await trigger.deactivate();
        await created.deactivate();
      },
    );
  },
);

describe('the hours around a clock that is set back', () => {
  // In Berlin, 03:00 becomes 02:00 at this moment.
  const SET_BACK = Date.UTC(2025, 9, 26, 1);
  const MINUTE = 60_000;
  let now = 0;
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test.each([
    [{ triggerOn: 'logEntryAdded', log: 'emails' }, 60],
    [{ triggerOn: 'recordCreated' }, 3],
    [FIELD_CHOICES, 3],
    [{ triggerOn: 'recordCreatedUpdatedOrDeleted' }, 3],
  ])('%j: each of the changes, %d in ten minutes, is found once', async (parameters, count) => {
    const timeZone = 'Europe/Berlin';
    now = SET_BACK - 100 * MINUTE;
    const table = await start({ timeZone, clock: { now: () => now } });
    const trigger = await env.engine.activate(
      parameters.triggerOn === 'logEntryAdded'
        ? createPollingWorkflow(parameters)
        : createRecordWorkflow(table, parameters),
    );
    const expected: string[] = [];
    const found: string[] = [];
    for (; now < SET_BACK + 100 * MINUTE; now += 10 * MINUTE) {
      // Each poll finds those that a page of the log has no room for.
      for (let index = 0; index < count; index++) {
        const title = `${(now - SET_BACK) / MINUTE} ${index}`;
        expected.push(title);
        if (parameters.triggerOn !== 'logEntryAdded') table.insert({ title, changed_at: formatIn(timeZone) });
        else env.service.addLogEntries('emails', { unique_id: title, created_at: formatIn(timeZone) });
      }
      for (const { title, unique_id } of (await pollOnce(trigger)) ?? [])
        found.push(String(unique_id ?? title));
    }
    expect(found.sort()).toEqual(expected.sort());
    await trigger.deactivate();
  });
});

test.each([FIELD_CHOICES, { triggerOn: 'recordCreated' }, { triggerOn: 'recordCreatedUpdatedOrDeleted' }])(
  'a creation date that the Service Time Zone contradicts is an error ($triggerOn)',
  async (parameters) => {
    const table = await start({ timeZone: 'Europe/Berlin' });
    await env.setCredentialFields({ serviceTimeZone: 'UTC' });
    table.insert({ title: 'a', changed_at: formatIn('Europe/Berlin') });
    const workflow = createRecordWorkflow(table, { ...parameters, options: { returnExisting: true } });
    await expect(env.engine.activate(workflow)).rejects.toMatchObject({
      message: expect.stringMatching(
        /creation date, but in the time zone UTC it is.*Service Time Zone/,
      ) as string,
    });
  },
);

test('a user who may no longer see a record gets No Longer Visible, also for a deleted one', async () => {
  await start();
  const hidden = new Set<string>();
  const { email, password } = env.service.user;
  const table = env.service.addTable({
    name: 'Private',
    fields: [{ name: 'Title', type: 'Text' }],
    policy: { canSee: ({ id }) => !hidden.has(id), mayDelete: false },
  });
  const [kept, left, gone] = ['a', 'b', 'c'].map((title) => table.insert({ title }).id);
  await env.setCredentialFields({ userLogin: 'password', email, password });
  const workflow = (events: string[]) =>
    createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted', events });
  await expect(env.engine.activate(workflow(['DELETE']))).rejects.toThrow(
    'cannot be found with a user login',
  );

  const trigger = await env.engine.activate(workflow(['DELETE', 'NOT_VISIBLE']));
  hidden.add(left!);
  table.delete(gone!);
  const items = await pollOnce(trigger);
  expect(items).toMatchObject([
    { _event: 'NOT_VISIBLE', id: left },
    { _event: 'NOT_VISIBLE', id: gone },
  ]);
  expect(table.records.has(kept!)).toBe(true);
  await trigger.deactivate();
});

test('only No Longer Visible without a user login is refused', async () => {
  const table = await start();
  const parameters = { triggerOn: 'recordCreatedUpdatedOrDeleted', events: ['NOT_VISIBLE'] };
  await expect(env.engine.activate(createRecordWorkflow(table, parameters))).rejects.toThrow(
    '"Record No Longer Visible" needs a user login',
  );
});

test('a renamed node returns what has changed since its last poll', async () => {
  const table = await start();
  table.insert({ title: 'old' });
  const workflow = createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted' });
  const trigger = await env.engine.activate(workflow);
  table.insert({ title: 'a' });
  const [node] = workflow.nodes;
  await env.engine.republish(trigger, { ...workflow, nodes: [{ ...node!, name: 'Renamed' }] });
  const [run] = await trigger.waitForExecutions(1);
  expect(readTitles(run!.getJson('Renamed'))).toEqual(['a']);
  await trigger.deactivate();
});

test.each([
  [
    'filter',
    { triggerOn: 'recordCreatedUpdatedOrDeleted' },
    { filterMode: 'json', filterJson: '{"title": "new"}' },
  ],
  ['date field', FIELD_CHOICES, { dateField: 'second_at' }],
])('with a changed %s, the next poll is a first poll', async (_what, parameters, change) => {
  await start();
  const table = env.service.addTable({
    name: 'Dated',
    fields: ['Title', 'Changed At', 'Second At'].map((name) => ({
      name,
      type: name === 'Title' ? 'Text' : 'Date-Time',
    })) as never,
  });
  const insert = (title: string) =>
    table.insert({ title, changed_at: formatHere(-0.5), second_at: formatHere(-0.1) });
  insert('old');
  const workflow = createRecordWorkflow(table, parameters);
  const trigger = await env.engine.activate(workflow);
  expect(await pollOnce(trigger)).toBeUndefined();
  insert('new');
  const [node] = workflow.nodes;
  const changed = { ...workflow, nodes: [{ ...node!, parameters: { ...node!.parameters, ...change } }] };
  // Publishing polls once.
  await env.engine.republish(trigger, changed);
  expect(await trigger.waitUntilIdle()).toEqual([]);
  expect(await pollOnce(trigger)).toBeUndefined();
  table.insert({ title: 'new', changed_at: formatHere(), second_at: formatHere() });
  expect(readTitles(await pollOnce(trigger))).toEqual(['new']);
  await trigger.deactivate();
});

test('another user of the credential is a first poll for a snapshot, because the user sees other records', async () => {
  await start({ sample: 'company' });
  const [one, two] = env.service.users;
  const logIn = ({ email, password }: { email: string; password: string }) =>
    env.setCredentialFields({ userLogin: 'password', email, password });
  const table = env.service.addTable({
    name: 'Private',
    fields: [{ name: 'Owner', type: 'Text' }],
    policy: { canSee: ({ owner }, userId) => owner === userId, mayDelete: false },
  });
  for (const owner of [one!.id, one!.id, two!.id, two!.id]) table.insert({ owner });
  const workflow = createRecordWorkflow(table, {
    triggerOn: 'recordCreatedUpdatedOrDeleted',
    events: ['INSERT', 'UPDATE', 'DELETE', 'NOT_VISIBLE'],
  });
  await logIn(one!);
  const trigger = await env.engine.activate(workflow);
  expect(await pollOnce(trigger)).toBeUndefined();
  // The second user sees none of the records of the first one, and two others.
  await logIn(two!);
  expect(await pollOnce(trigger)).toBeUndefined();
  const { id } = table.insert({ owner: two!.id });
  expect(await pollOnce(trigger)).toMatchObject([{ _event: 'INSERT', id }]);
  await trigger.deactivate();
});

test('a log of 12,000 entries comes at once, and later polls read its end', async () => {
  await start();
  const date = (index: number) => new Date(Date.now() - 86_400_000 + index * 1000).toISOString();
  env.service.addLogEntries(
    'emails',
    ...Array.from({ length: 12_000 }, (_, index) => ({
      unique_id: String(index),
      created_at: date(index).slice(0, 19).replace('T', ' '),
    })),
  );
  const options = { returnExisting: true };
  const log = createPollingWorkflow({ triggerOn: 'logEntryAdded', log: 'emails', options });
  const trigger = await env.engine.activate(log);
  const before = env.service.requests.length;
  for (let poll = 0; poll < 4; poll++) await trigger.poll();
  const runs = await trigger.waitUntilIdle();
  const found = runs.flatMap((run) => run.getJson('Poll')).map(({ unique_id }) => Number(unique_id));
  expect(runs.map((run) => run.getJson('Poll').length)).toEqual([12_000]);
  expect(found).toEqual(Array.from({ length: 12_000 }, (_, index) => index));
  // Each poll reads the 300 entries of the overlap, with 50 to a page.
  expect(env.service.requests.length - before).toBeLessThanOrEqual(30);
  await trigger.deactivate();
});
