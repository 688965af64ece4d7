import fc from 'fast-check';
import { sleep } from 'n8n-workflow';
import { loadExample } from '../../examples';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { createSeed } from '../../randomness';
import type { TestEnvironment } from '../support/testEnvironment';

/** The example *Never miss a change*, which keeps a copy of each customer. */

const sortById = (rows: unknown[][]) => rows.sort(([a], [b]) => String(a).localeCompare(String(b)));

export const listCopies = (env: TestEnvironment) =>
  sortById(
    [...env.getTable('Customer Copies').records.values()].map(({ source_id, company, email, phone }) => [
      source_id,
      company,
      email,
      phone,
    ]),
  );

export const listCustomers = (env: TestEnvironment) =>
  sortById(
    [...env.getTable('Customers').records.values()].map(({ id, company, email, phone }) => [
      id,
      company,
      email,
      phone,
    ]),
  );

/** Leaves only this number of customers. */
export function limitCustomers(env: TestEnvironment, count: number): string[] {
  const customers = env.getTable('Customers');
  for (const id of [...customers.records.keys()].slice(count)) customers.delete(id);
  while (customers.records.size < count) {
    const number = customers.records.size;
    customers.insert({ company: `Company ${number}`, email: `c${number}@example.com` });
  }
  return [...customers.records.keys()];
}

export const publishExample = (env: TestEnvironment): Promise<ActiveTrigger> =>
  env.engine.activate(loadExample('never-miss-a-change', env.service));

/** Waits for deliveries and their executions. */
export async function settle(env: TestEnvironment, trigger: ActiveTrigger): Promise<void> {
  await env.service.waitForDeliveries();
  await trigger.waitUntilIdle();
}

/**
 * Errors that are no failure. A killed process cancels its executions. With a poll every few seconds and a used-up limit,
 * polls end before their reading, and a later poll returns what it finds (docs/polling-trigger.md).
 */
const EXPECTED_ERROR = /cancelled|^\d+ polls in a row have ended before the reading/;

const listFailures = (trigger: ActiveTrigger) =>
  trigger.executions.flatMap(({ error }) =>
    error && !EXPECTED_ERROR.test(error.message)
      ? [`${error.message} | ${String((error as { description?: string }).description)}`]
      : [],
  );

/** An e-mail address that the table of the copies refuses. */
const REFUSED = 'not an address';

/** Changes a random customer. The delivery is incomplete in 30 %, dropped in 5 % and doubled in 5 % of the cases. */
function changeCustomer(env: TestEnvironment, random: () => number, number: number): void {
  const { options } = env.service;
  options.deliveryFields = random() < 0.3 ? 'touched' : 'all';
  const luck = random();
  options.deliveryCopies = luck < 0.05 ? 0 : luck < 0.1 ? 2 : 1;
  const customers = env.getTable('Customers');
  const ids = [...customers.records.keys()];
  // Some customers change often, so that executions with older values of them still work.
  const id = ids[Math.floor(random() ** 3 * ids.length)]!;
  const kind = random();
  if (kind < 0.15) customers.insert({ company: `New ${number}`, email: `n${number}@example.com` });
  else if (kind < 0.3) customers.delete(id);
  else if (kind < 0.35) customers.update(id, { email: REFUSED });
  else if (kind < 0.7) customers.update(id, { company: `Company ${number}` });
  else customers.update(id, { email: `u${number}@example.com`, phone: `+1 555 ${1000 + number}` });
}

interface RandomChanges {
  customers: number;
  changes: number;
  /** Changes between two pauses. */
  changesPerRound: number;
}

/**
 * Publishes the example, and makes random changes while executions work, overlap, and are killed: the first load too.
 * When the changes and their executions have ended, runs the nightly branch and compares. Call it with `skipWaits`.
 * @returns what happened, so that a test can show that it did
 */
export async function copyUnderRandomChanges(
  env: TestEnvironment,
  { customers, changes, changesPerRound }: RandomChanges,
): Promise<{ kills: number; refusals: number; overlaps: number; requests: number }> {
  const [generator] = fc.sample(fc.infiniteStream(fc.nat({ max: 999 })), {
    seed: createSeed(),
    numRuns: 1,
  });
  const random = () => (generator!.next().value as number) / 1000;
  limitCustomers(env, customers);
  const trigger = await publishExample(env);
  const counts = { kills: 0, refusals: 0, overlaps: 0, requests: 0 };
  const killAndRestart = async () => {
    counts.kills++;
    await trigger.kill();
    await trigger.restart({ callCheckExists: false });
  };
  const copies = env.getTable('Customer Copies');

  const firstLoad = trigger.runFrom('Every Night');
  while (copies.records.size < customers / 2) await sleep(1_000);
  await killAndRestart();
  await firstLoad;
  for (let number = 0; number < changes;) {
    const running = trigger.runningCount;
    if (running > 1) counts.overlaps++;
    for (let i = 0; i < changesPerRound; i++) changeCustomer(env, random, number++);
    const luck = random();
    if (luck < 0.5) await trigger.poll();
    else if (luck < 0.6) await killAndRestart();
    else if (luck < 0.65) void trigger.runFrom('Every Night');
    await sleep(random() * 20_000);
  }

  // One refused change at least, whatever was drawn.
  env.getTable('Customers').insert({ company: 'Refused', email: REFUSED });
  await trigger.poll();
  await settle(env, trigger);
  const refused = [...env.getTable('Customers').records.values()].filter(({ email }) => email === REFUSED);
  counts.refusals = refused.length;
  for (const { id } of refused) env.getTable('Customers').update(id, { email: `${id}@example.com` });
  await settle(env, trigger);
  const { error } = await trigger.runFrom('Every Night');
  expect(error).toBeUndefined();
  expect({ failures: listFailures(trigger), copies: listCopies(env) }).toEqual({
    failures: [],
    copies: listCustomers(env),
  });
  await trigger.deactivate();
  counts.requests = env.service.requests.length;
  return counts;
}
