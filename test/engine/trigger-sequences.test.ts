import fc from 'fast-check';
import type { ActiveTrigger } from '../harness/webhooks/activeTrigger';
import type { RecordEvent } from '../../nodes/shared/model/subscription';
import { newSeed, runs } from '../randomness';
import { World } from './support';
import { ALL_EVENTS, listening, subscribed } from './trigger-support';

/**
 * A few random lives of a published trigger over real HTTP, where deliveries show what matters: every change
 * starts one execution while it is active, none afterwards. The many without HTTP are in
 * test/unit/trigger/lifecycle.property.test.ts.
 */
const SEQUENCES = runs(40);

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

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const expected = (tables: string[], events: RecordEvent[]) =>
  tables.flatMap((table) => events.map((event) => `${event} ${table}`)).sort();

/** One change of each kind in each table; returns how many of them the version listens to. */
async function changeAll(tables: string[], events: RecordEvent[]): Promise<number> {
  for (const name of TABLES) {
    const table = world.table(name);
    const { id } = table.insert();
    table.update(id, { title: 'x' });
    table.delete(id);
  }
  await world.service.deliveriesSettled();
  return tables.length * events.length;
}

test(`${SEQUENCES} lives: while active every change is heard once, afterwards nothing is left`, async () => {
  const seed = newSeed();
  let published = 0;
  await fc.assert(
    fc.asyncProperty(version, fc.array(step, { maxLength: 6 }), async (first, steps) => {
      let current = first;
      const workflow = () =>
        listening(world, current.tables, current.events, {}, { webhookId: `w${published}` });
      published++;
      const trigger: ActiveTrigger = await world.engine.activate(workflow());
      let heard = 0;
      for (const one of steps) {
        if (one.do === 'publish') {
          current = one.version;
          if (one.fault) {
            world.service.faults.add({
              when: { pattern: /subscribe/, nth: 2 },
              fault: { type: 'status', status: one.fault },
            });
          }
          await world.engine.republish(trigger, { ...workflow(), id: trigger.workflowId });
        } else if (one.do === 'restart') await trigger.restart({ callCheckExists: true });
        else if (one.do === 'lose') trigger.replaceStaticData('Trigger');
        else if (one.do === 'listen') {
          const listener = await world.engine.listenForTest({ ...workflow(), id: trigger.workflowId });
          await listener.stop();
        } else expect((await trigger.post({ event_type: 'INSERT' })).status).toBe(400);
        world.service.faults.clear();
        expect(subscribed(world)).toEqual(expected(current.tables, current.events));
        heard += await changeAll(current.tables, current.events);
        const runs = await trigger.waitForExecutions(heard);
        expect(runs.filter(({ error }) => error)).toEqual([]);
      }
      await trigger.deactivate();
      expect(subscribed(world)).toEqual([]);
      await changeAll([], []);
      expect(await trigger.idle()).toHaveLength(heard);
    }),
    { numRuns: SEQUENCES, seed },
  );
});
