import fc from 'fast-check';
import type { RecordEvent } from '../../../nodes/RecordDatabaseTrigger/staticData';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { createSeed, scaleRuns } from '../../randomness';
import { READINGS } from '../../service/readings';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { ALL_EVENTS, createTriggerWorkflow, listSubscriptions } from './support';

/**
 * Random lifecycle sequences of a published trigger over HTTP. Every change starts one execution while the trigger
 * is active, and none afterwards. The larger number of sequences without HTTP is in
 * test/unit/RecordDatabaseTrigger/subscriptions.
 */
const SEQUENCES = scaleRuns(40);

const TABLES = ['Customers', 'Orders', 'Print Jobs'];
const version = fc.record({
  tables: fc.subarray(TABLES, { minLength: 1 }),
  events: fc.subarray(ALL_EVENTS, { minLength: 1 }),
});
const step = fc.oneof(
  fc.record({ do: fc.constant('publish' as const), version, fault: fc.constantFrom(undefined, 403, 412) }),
  fc.record({
    do: fc.constantFrom('restart' as const, 'lose' as const, 'listen' as const, 'refuse' as const),
    version,
    fault: fc.constant(undefined),
  }),
);

const reading = fc.constantFrom(...READINGS.webhooksOfAllTables.values);

const env = useTestEnvironment();

const listExpected = (tables: string[], events: RecordEvent[]) =>
  tables.flatMap((table) => events.map((event) => `${event} ${table}`)).sort();

/** One change of each kind in each table; returns how many of them the version listens to. */
async function changeAll(tables: string[], events: RecordEvent[]): Promise<number> {
  for (const name of TABLES) {
    const table = env.getTable(name);
    const { id } = table.insert();
    table.update(id, { title: 'x' });
    table.delete(id);
  }
  await env.service.waitForDeliveries();
  expect(env.service.deliveries.filter(({ status }) => status !== 200)).toEqual([]);
  return tables.length * events.length;
}

test(`${SEQUENCES} sequences: each change starts one execution while active, and no subscription remains`, async () => {
  const seed = createSeed();
  let published = 0;
  await fc.assert(
    fc.asyncProperty(version, fc.array(step, { maxLength: 6 }), reading, async (first, steps, allTables) => {
      env.service.options.webhooksOfAllTables = allTables;
      let current = first;
      const createWorkflow = () =>
        createTriggerWorkflow(env, current.tables, current.events, {}, { webhookId: `w${published}` });
      published++;
      const trigger: ActiveTrigger = await env.engine.activate(createWorkflow());
      let heard = 0;
      const foreignStatuses: number[] = [];
      for (const one of steps) {
        if (one.do === 'publish') {
          current = one.version;
          if (one.fault) {
            env.service.faults.add({
              when: { pattern: /subscribe/, nth: 2 },
              fault: { type: 'status', status: one.fault },
            });
          }
          await env.engine.republish(trigger, { ...createWorkflow(), id: trigger.workflowId });
        } else if (one.do === 'restart') await trigger.restart({ callCheckExists: true });
        else if (one.do === 'lose') trigger.replaceStaticData('Trigger');
        else if (one.do === 'listen') {
          const listener = await env.engine.listenForTest({ ...createWorkflow(), id: trigger.workflowId });
          await listener.stop();
        } else foreignStatuses.push((await trigger.post({ event_type: 'INSERT' })).status);
        env.service.faults.clear();
        expect(listSubscriptions(env)).toEqual(listExpected(current.tables, current.events));
        heard += await changeAll(current.tables, current.events);
        const runs = await trigger.waitForExecutions(heard);
        expect(runs.filter(({ error }) => error)).toEqual([]);
      }
      await trigger.deactivate();
      expect(foreignStatuses.filter((status) => status !== 401)).toEqual([]);
      expect(listSubscriptions(env)).toEqual([]);
      await changeAll([], []);
      expect(await trigger.waitUntilIdle()).toHaveLength(heard);
    }),
    // A failed sequence leaves its subscriptions behind, so that a smaller one would fail for another reason.
    { numRuns: SEQUENCES, seed, endOnFailure: true },
  );
});
