import fc from 'fast-check';
import { loadExample } from '../../examples';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { createSeed } from '../../randomness';
import type { TestEnvironment } from '../support/testEnvironment';
import { forgetProcess } from './support';

/**
 * The example with both triggers keeps a copy of each customer: under random changes while the workflow is on, off and
 * killed, with deliveries that hold a part of the fields, are dropped, or come twice.
 */
const MAX_CUSTOMERS = 40;

interface RandomChanges {
  changes: number;
  /** Changes between two polls. */
  changesPerRound: number;
}

const listCopies = (env: TestEnvironment) =>
  [...env.getTable('Customer Copies').records.values()]
    .map(({ source_id, company, email, phone }) => [source_id, company, email, phone])
    .sort(([a], [b]) => String(a).localeCompare(String(b)));

const listCustomers = (env: TestEnvironment) =>
  [...env.getTable('Customers').records.values()]
    .map(({ id, company, email, phone }) => [id, company, email, phone])
    .sort(([a], [b]) => String(a).localeCompare(String(b)));

/** The errors of executions that ran to their end. Those of a killed process were cancelled. */
const listFailures = (trigger: ActiveTrigger) =>
  trigger.executions.flatMap(({ error }) =>
    error && !/cancelled/.test(error.message)
      ? [`${error.message} | ${String((error as { description?: string }).description)}`]
      : [],
  );

/** Waits for deliveries and their executions. */
async function settle(env: TestEnvironment, trigger: ActiveTrigger): Promise<void> {
  await env.service.waitForDeliveries();
  await trigger.waitUntilIdle();
}

/** Changes a random customer. The delivery is incomplete in 30 %, dropped in 5 % and doubled in 5 % of the cases. */
function changeCustomer(env: TestEnvironment, random: () => number, number: number): void {
  const { options } = env.service;
  options.deliveryFields = random() < 0.3 ? 'touched' : 'all';
  const luck = random();
  options.deliveryCopies = luck < 0.05 ? 0 : luck < 0.1 ? 2 : 1;
  const customers = env.getTable('Customers');
  const ids = [...customers.records.keys()];
  const id = ids[Math.floor(random() * ids.length)]!;
  const kind = random();
  if (kind < 0.2) customers.insert({ company: `New ${number}`, email: `n${number}@example.com` });
  else if (kind < 0.35) customers.delete(id);
  else if (kind < 0.7) customers.update(id, { company: `Company ${number}` });
  else customers.update(id, { email: `u${number}@example.com`, phone: `+1 555 ${1000 + number}` });
}

/** Makes random changes while the workflow of the example is on, off and killed, and compares the copies at the end. */
export async function copyUnderRandomChanges(
  env: TestEnvironment,
  { changes, changesPerRound }: RandomChanges,
): Promise<void> {
  const [generator] = fc.sample(fc.infiniteStream(fc.nat({ max: 999 })), {
    seed: createSeed(),
    numRuns: 1,
  });
  const random = () => (generator!.next().value as number) / 1000;
  const customers = env.getTable('Customers');
  for (const id of [...customers.records.keys()].slice(MAX_CUSTOMERS)) customers.delete(id);

  const trigger = await env.engine.activate(loadExample('never-miss-a-change', env.service));
  await settle(env, trigger);
  expect(listCopies(env)).toEqual(listCustomers(env));

  for (let number = 0; number < changes;) {
    const mode = random();
    if (mode < 0.15) await trigger.kill();
    for (let i = 0; i < changesPerRound; i++) changeCustomer(env, random, number++);
    if (mode < 0.15) {
      await env.service.waitForDeliveries();
      forgetProcess(trigger, 'Customers at Intervals');
      await trigger.restart({ callCheckExists: false });
    } else if (mode < 0.3) {
      // The process ends while the executions of a poll and of deliveries run.
      await trigger.poll();
      await trigger.kill();
      forgetProcess(trigger, 'Customers at Intervals');
      await trigger.restart({ callCheckExists: false });
    }
    await settle(env, trigger);
    if (random() < 0.5) await trigger.poll();
    await settle(env, trigger);
  }
  await trigger.poll();
  await settle(env, trigger);
  expect({ failures: listFailures(trigger), copies: listCopies(env) }).toEqual({
    failures: [],
    copies: listCustomers(env),
  });
  await trigger.deactivate();
}
