import * as core from 'n8n-core';
import { copyUnderRandomChanges } from '../engine/polling/copies';
import { addTasksTable, createRecordWorkflow, pollOnce, TestClock } from '../engine/polling/support';
import { waitUntil } from '../engine/support/testEnvironment';
import { useFreshTestEnvironment } from '../engine/support/useTestEnvironment';
import { skipWaits } from '../environment/skipWaits';
import type { Table } from '../service';

/**
 * Both triggers in an n8n with N8N_POLLER_DURABLE_CURSORS_ENABLED: each poll gets a copy of the node's static data, which
 * n8n saves with the execution, or after a poll that returned nothing. It does not save what the poll at publication
 * leaves in it.
 */
const describeCursors = 'runPollInStagingScope' in core ? describe : describe.skip;

const FAR = 100_000;
const CHOICES = [
  { triggerOn: 'recordCreated' },
  { triggerOn: 'recordCreatedOrUpdated', dateField: 'changed_at' },
  { triggerOn: 'recordCreatedUpdatedOrDeleted' },
];

describeCursors('durable poll cursors', () => {
  const clock = new TestClock();
  // A deletion is certain after one poll where the service answers 404.
  const env = useFreshTestEnvironment(
    { sample: 'empty', clock, missingRecord: 404 },
    { durableCursors: true },
  );
  let table: Table;
  beforeEach(() => {
    table = addTasksTable(env);
    insert('Old');
    clock.advance(FAR / 1000);
  });

  const insert = (title: string) => table.insert({ title, changed_at: clock.format() });
  const readTitles = (items: Array<Record<string, unknown>> | undefined) =>
    items?.map(({ title }) => String(title));

  test.each(CHOICES)(
    'each change after the publication is returned once ($triggerOn)',
    async (parameters) => {
      const trigger = await env.engine.activate(createRecordWorkflow(table, parameters));
      insert('a');
      expect(readTitles(await pollOnce(trigger))).toEqual(['a']);
      expect(await pollOnce(trigger)).toBeUndefined();
      insert('b');
      env.service.faults.add({ fault: { type: 'status', status: 403 } });
      await expect(pollOnce(trigger)).rejects.toThrow('The service does not permit this');
      env.service.faults.clear();
      expect(readTitles(await pollOnce(trigger))).toEqual(['b']);
      await trigger.kill();
      insert('c');
      await trigger.restart({ callCheckExists: false });
      expect(readTitles(await pollOnce(trigger))).toEqual(['c']);
      expect(await pollOnce(trigger)).toBeUndefined();
      await trigger.deactivate();
    },
  );

  test('a restart before the second poll hides nothing', async () => {
    const trigger = await env.engine.activate(createRecordWorkflow(table, CHOICES[2]!));
    insert('a');
    await trigger.kill();
    await trigger.restart({ callCheckExists: false });
    expect(readTitles(await pollOnce(trigger))).toEqual(['a']);
    await trigger.deactivate();
  });

  test('what a poll finds and does not return is remembered, also after a restart', async () => {
    const parameters = { ...CHOICES[2], events: ['DELETE'] };
    const trigger = await env.engine.activate(createRecordWorkflow(table, parameters));
    const { id } = insert('a');
    expect(await pollOnce(trigger)).toBeUndefined();
    await trigger.kill();
    await trigger.restart({ callCheckExists: false });
    table.delete(id);
    // Without a 404, the next poll confirms that a record is gone.
    const found = (await pollOnce(trigger)) ?? (await pollOnce(trigger));
    expect(found).toMatchObject([{ _event: 'DELETE', id }]);
    await trigger.deactivate();
  });

  test('another table, and then the first one again, begin anew when they are published', async () => {
    const workflow = createRecordWorkflow(table, CHOICES[2]!);
    const other = createRecordWorkflow(addTasksTable(env, 'Other'), CHOICES[2]!);
    const trigger = await env.engine.activate(workflow);
    insert('a');
    await pollOnce(trigger);
    await env.engine.republish(trigger, other);
    expect(await pollOnce(trigger)).toBeUndefined();
    insert('b');
    await env.engine.republish(trigger, workflow);
    insert('c');
    expect(readTitles(await pollOnce(trigger))).toEqual(['c']);
    await trigger.deactivate();
  });

  test('a reading that lasts longer than its poll is returned by a later poll, once', async () => {
    const trigger = await env.engine.activate(createRecordWorkflow(table, CHOICES[2]!));
    insert('a');
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    env.service.faults.add({ when: { pattern: /\/records$/ }, fault: { type: 'hold', until } });
    const before = env.service.requests.length;
    env.engine.pollBudgetMs = 100;
    expect(await pollOnce(trigger)).toBeUndefined();
    await waitUntil(() => env.service.requests.length > before);
    release();
    env.engine.pollBudgetMs = 45_000;
    expect(readTitles(await pollOnce(trigger))).toEqual(['a']);
    expect(await pollOnce(trigger)).toBeUndefined();
    await trigger.deactivate();
  });
});

describeCursors('durable poll cursors, and both triggers in one workflow', () => {
  skipWaits();
  const env = useFreshTestEnvironment({ perMinute: 240 }, { durableCursors: true });

  test('after random changes and kills, the copies equal the table', async () => {
    const { kills } = await copyUnderRandomChanges(env, {
      customers: 30,
      changes: 100,
      changesPerRound: 10,
    });
    expect(kills).toBeGreaterThan(0);
  });
});
