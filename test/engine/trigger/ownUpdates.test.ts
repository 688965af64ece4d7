import fc from 'fast-check';
import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { loadExample } from '../../examples';
import { type WorkflowJson, chainNodes, createNode } from '../../harness';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { createSeed, scaleRuns, scaleSize } from '../../randomness';
import type { FaultRule, Table } from '../../service';
import { TYPE, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { TRIGGER } from './support';

/** Workflows that update the record that started them. */

/** More updates than any of these workflows makes between two changes of others. */
const TOO_MANY = 30;

let ticks = Date.now();
/** Each event of the service has a timestamp of its own. */
const env = useTestEnvironment({ clock: { now: () => ++ticks } });

/** Starts when a record is updated, and updates that record. */
function createWorkflow({ id }: Table, written: object, watched: string[] = []): WorkflowJson {
  return chainNodes(
    createNode(
      'Trigger',
      TRIGGER,
      { tables: [id], events: ['UPDATE'], output: 'event', changedFields: watched },
      { webhookId: 'own' },
    ),
    createNode('Update', TYPE, {
      resource: 'record',
      operation: 'update',
      dataTableId: toLocator(id),
      recordId: toLocator('={{ $json.record.id }}'),
      columns: toColumns(written),
    }),
  );
}

/** Runs `work` when the service receives such a request, before it answers. */
function workAt(rule: Omit<FaultRule, 'fault'>, work: () => void): () => void {
  const until = { then: (resolve: () => void) => (work(), resolve()) };
  return env.service.faults.add({
    ...rule,
    fault: { type: 'hold', until: until as unknown as Promise<void> },
  });
}

/** Waits until no delivery and no execution is left, and returns the executions. */
async function settle(trigger: ActiveTrigger) {
  let updates = 0;
  const ignore = workAt({ when: { method: 'POST', pattern: /\/records\/\w+$/ }, times: Infinity }, () => {
    // Ends a workflow that would start itself for ever.
    if (++updates > TOO_MANY) env.service.options.deliveryCopies = 0;
  });
  for (let seen = -1; env.service.deliveries.length > seen;) {
    seen = env.service.deliveries.length;
    await env.service.waitForDeliveries();
    await trigger.waitUntilIdle();
  }
  ignore();
  const runs = await trigger.waitUntilIdle();
  expect(runs.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
  return runs;
}

let customerCount = 0;
const insertCustomer = () => env.getTable('Customers').insert({ email: `own${++customerCount}@example.com` });

test('a workflow that writes the same value each time starts once more', async () => {
  const { id } = insertCustomer();
  const trigger = await env.engine.activate(createWorkflow(env.getTable('Customers'), { status: 'active' }));
  env.getTable('Customers').update(id, { company: 'Renamed' });
  const runs = await settle(trigger);
  expect(runs.map((run) => run.getJson('Update')[0]?._action)).toEqual(['updated', 'unchanged']);
  await trigger.deactivate();
});

const SERVICES = [
  { deliveryFields: 'touched' },
  { deliveryFields: 'saved', deliveryForm: 'flatForm' },
  { deliveryFields: 'all' },
  { deliveryFields: 'saved', deliveryForm: 'flatJson' },
  { deliveryFields: 'all', deliveryForm: 'flatForm' },
] as const;

test.each(SERVICES.slice(0, scaleSize(2, 5)))(
  'the example starts once for each change of a watched field; %j',
  async (options) => {
    Object.assign(env.service.options, { deliveryForm: 'documented' }, options);
    const customers = env.getTable('Customers');
    const { id } = insertCustomer();
    const trigger = await env.engine.activate(loadExample('update-own-record', env.service));
    const changes = [{ company: 'New Name' }, { phone: '+1 555 0100' }, { credit_limit: 5 }, { company: '' }];
    const counts: number[] = [];
    for (const change of changes) {
      customers.update(id, change);
      counts.push((await settle(trigger)).length);
    }
    expect(counts).toEqual([1, 2, 2, 3]);
    expect(customers.records.get(id)?.notes).toMatch(/^Changed at \d{4}-/);
    await trigger.deactivate();
  },
);

const toRecordId = ({ record }: IDataObject) => String((record as IDataObject).id);

/** Five fields, of which a workflow watches some and writes the others. */
const FIELDS = ['title', 'owner', 'stage', 'note', 'round'];
const RECORDS = 2;

/** What somebody changes in one record, between two executions or while the workflow updates the record. */
const change = fc.record({
  fields: fc.subarray(FIELDS, { minLength: 1, maxLength: 2 }),
  /** To the values that they had before the last change, instead of new ones. */
  restores: fc.boolean(),
  /** A further change of these fields, when the service receives the update of the workflow. */
  meanwhile: fc.option(fc.subarray(FIELDS, { minLength: 1, maxLength: 2 }), { nil: undefined }),
});
const scene = fc.record({
  shuffled: fc.shuffledSubarray(FIELDS, { minLength: FIELDS.length }),
  watchedCount: fc.integer({ min: 1, max: FIELDS.length - 1 }),
  deliveryFields: fc.constantFrom('all' as const, 'touched' as const),
  deliveryCopies: fc.constantFrom(1, 1, 2),
  /** One change of each record in each step. */
  steps: fc.array(fc.array(change, { minLength: RECORDS, maxLength: RECORDS }), {
    minLength: 1,
    maxLength: 3,
  }),
});

const RUNS = scaleRuns(300);

test(`${RUNS} random workflows with Watched Fields: each change of others starts one execution, no own update does`, async () => {
  const table = env.service.addTable({
    name: 'Tickets',
    fields: FIELDS.map((name) => ({ name, type: 'Text' }) as const),
  });
  let number = 0;
  const createNewValues = (fields: string[]) =>
    Object.fromEntries(fields.map((field) => [field, `value ${++number}`]));
  await fc.assert(
    fc.asyncProperty(scene, async ({ shuffled, watchedCount, steps, deliveryFields, deliveryCopies }) => {
      Object.assign(env.service.options, { deliveryForm: 'documented', deliveryFields, deliveryCopies });
      const [watched, written] = [shuffled.slice(0, watchedCount), shuffled.slice(watchedCount)];
      const values = Object.fromEntries(written.map((field) => [field, '={{ String(Math.random()) }}']));
      const trigger = await env.engine.activate(createWorkflow(table, values, watched));
      const records = Array.from({ length: RECORDS }, () => ({
        id: table.insert().id,
        before: undefined as Record<string, unknown> | undefined,
        isReceived: false,
      }));
      for (const changes of steps) {
        const since = trigger.executions.length;
        /** The record of each change that must start an execution. */
        const genuine: string[] = [];
        /** Records whose first update changes no watched field. It starts an execution: no earlier values are known. */
        const first = new Set<string>();
        const update = (record: (typeof records)[number], next: Record<string, unknown>) => {
          const { id } = record;
          const before = { ...table.records.get(id) };
          table.update(id, next);
          const isGenuine = watched.some((field) => field in next && next[field] !== before[field]);
          if (isGenuine) genuine.push(id);
          else if (!record.isReceived) first.add(id);
          record.isReceived = true;
          return before;
        };
        changes.forEach(({ fields, restores, meanwhile }, index) => {
          const record = records[index]!;
          const old = restores ? record.before : undefined;
          record.before = update(record, old ? pick(old, fields) : createNewValues(fields));
          if (meanwhile)
            workAt({ when: { method: 'POST', pattern: new RegExp(`/records/${record.id}$`) } }, () => {
              update(record, createNewValues(meanwhile));
            });
        });
        const started = (await settle(trigger)).slice(since).map((run) => run.getJson('Trigger')[0]!);
        env.service.faults.clear();
        expect(started.map(toRecordId).sort()).toEqual([...genuine, ...first].sort());
      }
      await trigger.deactivate();
    }),
    { numRuns: RUNS, seed: createSeed(), endOnFailure: true },
  );
  // The full number of runs takes minutes.
}, 900_000);
