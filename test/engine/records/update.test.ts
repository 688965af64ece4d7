import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/** The request bodies of updates, and the errors for values that can neither be sent nor left out. */

const PARAMETERS = { recordId: '={{ $json.id }}', columns: toColumns({ notes: '={{ "Note " + $json.n }}' }) };
const READ = 'GET /api/v1/data-tables/{dataTableId}/records/{recordId}';
const WRITE = 'POST /api/v1/data-tables/{dataTableId}/records/{recordId}';
const READINGS = ['keep', 'blank'] as const;

async function withEnvironment(options: object, work: (env: TestEnvironment) => Promise<void>) {
  const env = await TestEnvironment.start(options);
  try {
    await work(env);
    expect(env.takeViolations()).toEqual([]);
  } finally {
    await env.stop();
  }
}

const setCredential = (env: TestEnvironment, more: object) =>
  env.engine.setCredential('recordDatabaseApi', {
    baseUrl: env.service.baseUrl,
    ...env.service.keys,
    ...more,
  });

const listWrites = (env: TestEnvironment, since: number) =>
  env.listRequests(since).filter((one) => one === READ || one === WRITE);

const listItems = (env: TestEnvironment, count: number) =>
  [...env.getTable('Customers').records.keys()].slice(0, count).map((id, n) => ({ id, n }));

test('after detection takes one request if the service keeps omitted values, and two if it clears them', async () => {
  for (const [omittedOnUpdate, requests] of [
    ['keep', [WRITE]],
    ['blank', [READ, WRITE]],
  ] as const) {
    await withEnvironment({ omittedOnUpdate }, async (env) => {
      const table = env.getTable('Customers');
      getOutput(await env.runRecordOperation('update', table, PARAMETERS, listItems(env, 20)));
      const before = env.service.requests.length;
      getOutput(await env.runRecordOperation('update', table, PARAMETERS, listItems(env, 1)));
      expect([omittedOnUpdate, listWrites(env, before)]).toEqual([omittedOnUpdate, requests]);
    });
  }
});

test('only one of several concurrent updates detects how the service treats omitted fields', async () => {
  await withEnvironment({}, async (env) => {
    const count = 8;
    const before = env.service.requests.length;
    const run = await env.runRecordOperation(
      'update',
      env.getTable('Customers'),
      PARAMETERS,
      listItems(env, count),
    );
    expect(getOutput(run)).toHaveLength(count);
    // The detection takes at most three writes; each of the others takes one.
    const writes = listWrites(env, before).filter((one) => one === WRITE);
    expect(writes.length).toBeLessThanOrEqual(count + 2);
  });
});

test.each(READINGS)(
  'cannot detect anything from a record without other values (service: %s)',
  async (omittedOnUpdate) => {
    await withEnvironment({ omittedOnUpdate, sample: 'empty' }, async (env) => {
      const table = env.service.addTable({
        name: 'Notes',
        fields: [
          { name: 'Notes', type: 'Text' },
          { name: 'Label', type: 'Text' },
        ],
      });
      const bare = table.insert({ notes: 'old' });
      const full = table.insert({ notes: 'old', label: 'kept' });
      const items = [
        { id: bare.id, n: 1 },
        { id: full.id, n: 2 },
      ];
      getOutput(await env.runRecordOperation('update', table, PARAMETERS, items));
      expect(table.records.get(full.id)).toMatchObject({ notes: 'Note 2', label: 'kept' });
      expect(table.records.get(bare.id)).toMatchObject({ notes: 'Note 1', label: '' });
    });
  },
);

describe('Columns Not Given', () => {
  test.each([
    [{}, 'keeps', [WRITE]],
    [{ options: { unlisted: 'blanks' } }, 'keeps', [READ, WRITE]],
    [{ options: { unlisted: 'keeps' } }, 'blanks', [WRITE]],
    [{}, 'blanks', [READ, WRITE]],
  ])('with the options %j on a credential that says %s', async (options, columnsNotGiven, requests) => {
    await withEnvironment({}, async (env) => {
      await setCredential(env, { columnsNotGiven });
      const before = env.service.requests.length;
      const table = env.getTable('Customers');
      getOutput(
        await env.runRecordOperation('update', table, { ...PARAMETERS, ...options }, listItems(env, 1)),
      );
      expect(listWrites(env, before)).toEqual(requests);
    });
  });

  test('the error for a key without read permission explains how to update without a read', async () => {
    await withEnvironment({}, async (env) => {
      const table = env.getTable('Customers');
      await setCredential(env, env.service.addKey({ permissions: { allow_get: false } }));
      const refused = await env.runRecordOperation('update', table, PARAMETERS, listItems(env, 1));
      expect(refused.error?.message).toContain('allow_get');
      expect((refused.error as { description?: string }).description).toContain('"Service Keeps Them"');
      const options = { unlisted: 'keeps' };
      getOutput(await env.runRecordOperation('update', table, { ...PARAMETERS, options }, listItems(env, 1)));
    });
  });
});

test.each(READINGS)(
  'with a user login refuses to overwrite connections that may be partly hidden (service: %s)',
  async (omittedOnUpdate) => {
    await withEnvironment({ omittedOnUpdate }, async (env) => {
      const [{ email, password, userId }, orders] = [env.service.user, env.getTable('Orders')];
      await setCredential(env, { userLogin: true, email, password });
      const customer = [...env.getTable('Customers').records.values()][0]!;
      customer.account_owner = [userId];
      const order = [...orders.records.values()][0]!;
      order.customer = [customer.id];
      const before = structuredClone(order);
      const update = (options: object) =>
        env.runRecordOperation('update', orders, {
          recordId: order.id,
          columns: toColumns({ quantity: 99 }),
          options,
        });
      const refused = await update({});
      expect(refused.error?.message).toBe('"Products" may hold values that this user cannot see');
      expect((refused.error as { description?: string }).description).toContain('Columns Not Given');
      expect(orders.records.get(order.id)).toEqual(before);
      if (omittedOnUpdate === 'blank') return;
      getOutput(await update({ unlisted: 'keeps' }));
      expect(orders.records.get(order.id)).toMatchObject({ quantity: 99, products: before.products });
    });
  },
);

test.each([
  ['blank', [expect.stringContaining('the service emptied "File"')]],
  ['keep', []],
] as const)('a file that the service empties is reported (service: %s)', async (omittedOnUpdate, hints) => {
  await withEnvironment({ omittedOnUpdate }, async (env) => {
    const table = env.getTable('Showcase');
    const { id } = table.insert({ text: 'old', file: 'https://files.example/a.txt', unique_text: 'file' });
    const run = await env.runRecordOperation('update', table, {
      recordId: id,
      columns: toColumns({ text: 'new' }),
    });
    getOutput(run);
    expect(run.getHints('Node').map(({ message }) => message)).toEqual(hints);
    expect(table.records.get(id)).toMatchObject({ text: 'new', unique_text: 'file' });
  });
});

test.each(READINGS)(
  'an update of one part of a composite keeps the other parts (service: %s)',
  async (omittedOnUpdate) => {
    await withEnvironment({ omittedOnUpdate }, async (env) => {
      const table = env.getTable('Customers');
      const [record] = [...table.records.values()];
      const before = structuredClone(record!);
      Object.assign(table.records.get(record!.id)!.address as object, { latitude: 53.8 });
      getOutput(
        await env.runRecordOperation('update', table, {
          recordId: record!.id,
          columns: toColumns({ 'name[first_name]': 'New' }),
        }),
      );
      expect(table.records.get(record!.id)).toMatchObject({
        ...before,
        name: { ...(before.name as object), first_name: 'New' },
      });
    });
  },
);
