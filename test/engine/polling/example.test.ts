import { skipWaits } from '../../environment/skipWaits';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import { scaleRuns } from '../../randomness';
import { waitUntil } from '../support/testEnvironment';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import {
  copyUnderRandomChanges,
  limitCustomers,
  listCopies,
  listCustomers,
  publishExample,
  settle,
} from './copies';

/** The example *Never miss a change*. Its notes promise what these tests check. */

skipWaits();

/** A deletion is certain after one poll where the service answers 404. */
const EXACT = { missingRecord: 404 } as const;

describe('one change', () => {
  const env = useFreshTestEnvironment(EXACT);
  let trigger: ActiveTrigger;

  /** Publishes the example with this number of customers, and makes the first copies. */
  async function start(count: number): Promise<string[]> {
    const ids = limitCustomers(env, count);
    trigger = await publishExample(env);
    const { error } = await trigger.runFrom('Every Night');
    expect(error).toBeUndefined();
    expect(listCopies(env)).toEqual(listCustomers(env));
    return ids;
  }

  /** The items that a node returned, in all executions and runs. */
  const listItems = (node: string) =>
    trigger.executions.flatMap(({ data }) =>
      (data.data.resultData.runData[node] ?? []).flatMap(({ data: outputs }) =>
        (outputs?.main ?? []).flatMap((items) => (items ?? []).map(({ json }) => json)),
      ),
    );

  /** Holds the next request that matches. Resolves when it has arrived, to a function that lets it pass. */
  async function holdRequest(pattern: RegExp, cause: () => void): Promise<() => Promise<void>> {
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    const since = env.service.requests.length;
    env.service.faults.add({ when: { pattern }, fault: { type: 'hold', until } });
    cause();
    const isHeld = () =>
      env.service.requests.slice(since).some((request) => pattern.test(`${request.method} ${request.path}`));
    await waitUntil(isHeld);
    return async () => {
      release();
      await settle(env, trigger);
    };
  }

  const toCopiesPath = () => `/data-tables/${env.getTable('Customer Copies').id}/records`;

  test('each kind of change is copied at once, and not written again by the next poll', async () => {
    const [updated, deleted] = await start(3);
    const customers = env.getTable('Customers');
    customers.update(updated!, { company: 'Renamed' });
    customers.delete(deleted!);
    customers.insert({ company: 'New', email: 'new@example.com' });
    await settle(env, trigger);
    expect(listCopies(env)).toEqual(listCustomers(env));
    const since = env.service.requests.length;
    await trigger.poll();
    await settle(env, trigger);
    expect(listItems('Customers at Intervals')).toHaveLength(3);
    const writes = env.listRequests(since).filter((request) => /DELETE|POST .*\/\{recordId\}/.test(request));
    expect(writes).toEqual([]);
    expect(listCopies(env)).toEqual(listCustomers(env));
    expect(listItems('Not Copied')).toEqual([]);
  });

  test('what no delivery tells is brought by the poll', async () => {
    const [updated, deleted] = await start(3);
    env.service.options.deliveryCopies = 0;
    const customers = env.getTable('Customers');
    customers.update(updated!, { company: 'Renamed' });
    customers.delete(deleted!);
    customers.insert({ company: 'New', email: 'new@example.com' });
    await trigger.poll();
    await settle(env, trigger);
    expect(listCopies(env)).toEqual(listCustomers(env));
  });

  test('a change that arrives while an execution with older values still works wins', async () => {
    const [id, other] = await start(2);
    const customers = env.getTable('Customers');
    env.service.options.deliveryCopies = 0;
    for (const one of [id, other]) customers.update(one!, { company: 'Older' });
    // The execution of the poll has read the first customer, and waits for the second one.
    const pattern = new RegExp(`^GET .*/records/${other}$`);
    const release = await holdRequest(pattern, () => void trigger.poll());
    env.service.options.deliveryCopies = 1;
    customers.update(id!, { company: 'Newer' });
    await env.service.waitForDeliveries();
    await trigger.waitForExecutions(2);
    const writes = [expect.objectContaining({ company: 'Newer', _action: 'updated' }) as object];
    expect(listItems('Write Copy')).toEqual(expect.arrayContaining(writes));
    await release();
    const older = expect.objectContaining({ source_id: id, company: 'Older', _action: 'updated' }) as object;
    expect(listItems('Write Copy')).toContainEqual(older);
    expect(listCopies(env)).toEqual(listCustomers(env));
  });

  test('a deletion that arrives while an execution creates the copy wins', async () => {
    await start(1);
    const customers = env.getTable('Customers');
    let id = '';
    // The look-up before the create.
    const release = await holdRequest(new RegExp(`^POST .*${toCopiesPath()}$`), () => {
      ({ id } = customers.insert({ company: 'Short-lived' }));
    });
    customers.delete(id);
    await env.service.waitForDeliveries();
    await trigger.waitForExecutions(2);
    await release();
    const created = expect.objectContaining({ source_id: id, _action: 'created' }) as object;
    expect(listItems('Write Copy')).toContainEqual(created);
    expect(listCopies(env)).toEqual(listCustomers(env));
  });

  test('what changes during the nightly run wins', async () => {
    const [id] = await start(2);
    const customers = env.getTable('Customers');
    env.service.options.deliveryCopies = 0;
    customers.update(id!, { company: 'Older' });
    let night: Promise<unknown> = Promise.resolve();
    const release = await holdRequest(new RegExp(`^POST .*${toCopiesPath()}/`), () => {
      night = trigger.runFrom('Every Night');
    });
    customers.update(id!, { company: 'Newer' });
    await release();
    await night;
    expect(listCopies(env)).toEqual(listCustomers(env));
  });

  describe.each(['poll', 'nightly run'])('a refused customer in a %s', (cause) => {
    test.each(['by a field of the copies', 'by a rule of the service'])(
      '%s stops no other, is named, and is copied by the next nightly run after it is corrected',
      async (refusal) => {
        const [refused, deleted, ...others] = await start(4);
        env.service.options.deliveryCopies = 0;
        const customers = env.getTable('Customers');
        const copies = env.getTable('Customer Copies');
        const copyOf = (id: string) => [...copies.records.values()].find((copy) => copy.source_id === id)!;
        if (refusal === 'by a field of the copies') customers.update(refused!, { email: 'not an address' });
        else {
          customers.update(refused!, { company: 'Refused' });
          const pattern = new RegExp(`^POST .*/records/${copyOf(refused!).id}$`);
          const errors = { company: ['This name is not allowed'] };
          const body = { type: 'error', status: 422, msg: 'Validation failed', errors };
          env.service.faults.add({
            when: { pattern },
            times: Infinity,
            fault: { type: 'status', status: 422, body },
          });
        }
        for (const id of others) customers.update(id, { company: `Renamed ${id}` });
        // Sync deletes nothing while a write fails.
        customers.delete(deleted!);
        await (cause === 'poll' ? trigger.poll() : trigger.runFrom('Every Night'));
        await trigger.waitUntilIdle();
        expect(others.map((id) => copyOf(id).company)).toEqual(others.map((id) => `Renamed ${id}`));
        expect(listItems('Not Copied')).toContainEqual(
          expect.objectContaining({ id: refused, error: expect.any(String) as string }),
        );

        env.service.faults.clear();
        customers.update(refused!, { email: 'right@example.com' });
        const before = listItems('Not Copied').length;
        await trigger.runFrom('Every Night');
        expect(listCopies(env)).toEqual(listCustomers(env));
        expect(listItems('Not Copied')).toHaveLength(before);
      },
    );
  });

  test('too many deletions change nothing at night, and are named', async () => {
    const ids = await start(30);
    env.service.options.deliveryCopies = 0;
    for (const id of ids.slice(0, 11)) env.getTable('Customers').delete(id);
    await trigger.runFrom('Every Night');
    expect(env.getTable('Customer Copies').records.size).toBe(30);
    expect(listItems('Not Copied')[0]).toMatchObject({
      error: expect.stringContaining('Maximum Deletions allows 6') as string,
    });
    await trigger.poll();
    await trigger.waitUntilIdle();
    expect(listCopies(env)).toEqual(listCustomers(env));
  });

  test('a customer that cannot be read is not taken for deleted', async () => {
    const [id] = await start(2);
    const customers = env.getTable('Customers');
    const pattern = new RegExp(`^GET .*/data-tables/${customers.id}/records/`);
    const body = { type: 'error', status: 403, msg: 'Permission Denied' };
    // The trigger reads what a delivery does not hold, and the workflow reads the customer again.
    env.service.faults.add({
      when: { pattern },
      times: Infinity,
      fault: { type: 'status', status: 403, body },
    });
    customers.update(id!, { company: 'Renamed' });
    await settle(env, trigger);
    expect(listItems('Not Copied')).toMatchObject([{ id }]);
    expect(listCopies(env)).toHaveLength(2);
  });

  test('a kill in the first load loses nothing after the nightly run', async () => {
    limitCustomers(env, 100);
    trigger = await publishExample(env);
    const { records } = env.getTable('Customer Copies');
    const load = trigger.runFrom('Every Night');
    await waitUntil(() => records.size >= 30);
    await trigger.kill();
    await load;
    expect(records.size).toBeLessThan(100);
    await trigger.restart({ callCheckExists: false });
    await trigger.runFrom('Every Night');
    expect(listCopies(env)).toEqual(listCustomers(env));
  });

  test('a copy whose values the service changes is written five times, not for ever', async () => {
    const [id] = await start(1);
    const copies = env.getTable('Customer Copies');
    const update = copies.update.bind(copies);
    const changing = jest.spyOn(copies, 'update').mockImplementation((...given) => {
      const [record, values, ...more] = given;
      return update(record, { ...values, company: `By a rule ${changing.mock.calls.length}` }, ...more);
    });
    env.getTable('Customers').update(id!, { company: 'Renamed' });
    await settle(env, trigger);
    expect(changing).toHaveBeenCalledTimes(5);
  });
});

describe('with a user login', () => {
  const env = useFreshTestEnvironment(EXACT);

  test('a customer that is no longer visible is named, and its copy stays until the nightly run', async () => {
    const hidden = new Set<string>();
    const customers = env.getTable('Customers');
    const canSee = ({ id }: { id: string }) => !hidden.has(id);
    Object.assign(customers, { policy: { canSee } });
    const { email, password } = env.service.user;
    await env.setCredentialFields({ userLogin: 'password', email, password });
    const [id] = limitCustomers(env, 3);
    const trigger = await publishExample(env);
    await trigger.runFrom('Every Night');
    const copies = env.getTable('Customer Copies').records;
    hidden.add(id!);
    await trigger.poll();
    const [, run] = await trigger.waitUntilIdle();
    expect(run!.getJson('Not Copied')).toMatchObject([{ id, event: 'NOT_VISIBLE' }]);
    expect(copies.size).toBe(3);
    await trigger.runFrom('Every Night');
    expect([...copies.values()].map(({ source_id }) => source_id)).not.toContain(id);
    expect(copies.size).toBe(2);
  });
});

describe('240 requests a minute', () => {
  const env = useFreshTestEnvironment({ ...EXACT, perMinute: 240 });
  const customers = scaleRuns(300);

  test(`${customers} customers: after random changes and kills, the copies equal the table`, async () => {
    const { requests, ...counts } = await copyUnderRandomChanges(env, {
      customers,
      changes: customers * 2,
      changesPerRound: 10,
    });
    expect(requests).toBeGreaterThan(customers);
    expect(counts.kills).toBeGreaterThan(0);
  });
});
