import { skipWaits } from '../../environment/skipWaits';
import type { Run } from '../../harness';
import { scaleSize } from '../../randomness';
import type { Fault } from '../../service';
import { getOutput, TestEnvironment, toColumns, waitUntil } from '../support/testEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/** The requests of updates, and their errors. */

const PARAMETERS = { recordId: '={{ $json.id }}', columns: toColumns({ notes: '={{ "Note " + $json.n }}' }) };
const READ = 'GET /api/v1/data-tables/{dataTableId}/records/{recordId}';
const LIST = 'GET /api/v1/data-tables/{dataTableId}/records';
const WRITE = 'POST /api/v1/data-tables/{dataTableId}/records/{recordId}';

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
    advancedSettings: true,
    baseUrl: env.service.baseUrl,
    ...env.service.keys,
    ...more,
  });

const listWrites = (env: TestEnvironment, since: number) =>
  env.listRequests(since).filter((one) => one === READ || one === WRITE);

/** Whether a read was answered, or a write, which a fault holds up, was received. */
const hasArrived = ({ service }: TestEnvironment, pattern: string) =>
  service.requests.some((one) => one.pattern === pattern && (pattern === WRITE || one.status === 200));

const listItems = (env: TestEnvironment, count: number) =>
  [...env.getTable('Customers').records.keys()].slice(0, count).map((id, n) => ({ id, n }));

const getRecord = (env: TestEnvironment, table: string) => [...env.getTable(table).records.values()][0]!;

describe.each(['documented', 'met'] as const)('requests on a service as %s', (profile) => {
  const options = { profile, timeZone: 'UTC' };

  async function countWrites(env: TestEnvironment, run: () => Promise<Run>): Promise<string[]> {
    const since = env.service.requests.length;
    getOutput(await run());
    return env.listRequests(since).filter((one) => one === READ || one === WRITE || one === LIST);
  }

  test('one update takes two, and one if nothing differs', async () => {
    await withEnvironment(options, async (env) => {
      const [item] = listItems(env, 1);
      const update = () =>
        countWrites(env, () =>
          env.runRecordOperation('update', env.getTable('Customers'), PARAMETERS, [item!]),
        );
      expect(await update()).toEqual([READ, WRITE]);
      expect(await update()).toEqual([READ]);
    });
  });

  const SIZES: Array<[count: number, size: number, maximum: number]> = [
    [20, 25, 21],
    [scaleSize(60, 200), 200, scaleSize(67, 207)],
  ];
  test.each(SIZES.slice(0, scaleSize(profile === 'met' ? 2 : 1, 2)))(
    '%d updates of a table of %d records take at most %d',
    async (count, size, maximum) => {
      await withEnvironment({ ...options, perMinute: 100_000 }, async (env) => {
        const table = env.getTable('Customers');
        for (const id of [...table.records.keys()].slice(size)) table.delete(id);
        while (table.records.size < size)
          table.insert({ company: `C ${table.records.size}`, email: `c${table.records.size}@x.example` });
        const requests = await countWrites(env, () =>
          env.runRecordOperation('update', table, PARAMETERS, listItems(env, count)),
        );
        expect(requests.filter((one) => one === WRITE)).toHaveLength(count);
        expect(requests.length).toBeLessThanOrEqual(maximum);
        expect([...table.records.values()].filter(({ notes }) => /^Note /.test(String(notes)))).toHaveLength(
          count,
        );
      });
    },
  );

  test('Create or Update and Sync that have just read the record read it once', async () => {
    await withEnvironment(options, async (env) => {
      const { email } = getRecord(env, 'Customers');
      for (const [operation, notes] of [
        ['upsert', 'first'],
        ['sync', 'second'],
      ] as const) {
        const columns = toColumns({ email: String(email), notes }, ['email']);
        const since = env.service.requests.length;
        const run = await env.runRecordOperation(operation, env.getTable('Customers'), { columns });
        expect(getOutput(run)).toMatchObject([{ notes, _action: 'updated' }]);
        expect(listWrites(env, since)).toEqual([WRITE]);
      }
    });
  });
});

test('only the fields that change are sent, and a composite whole', async () => {
  await withEnvironment({ profile: 'met', timeZone: 'UTC' }, async (env) => {
    const table = env.getTable('Customers');
    const record = getRecord(env, 'Customers');
    const before = structuredClone(record);
    const send = async (values: object) => {
      const since = env.service.requests.length;
      getOutput(
        await env.runRecordOperation('update', table, { recordId: record.id, columns: toColumns(values) }),
      );
      return env.service.requests.slice(since).find(({ method }) => method === 'POST')?.body;
    };
    const { company, status } = before;
    expect(await send({ notes: 'new', company, status })).toEqual({ notes: 'new' });
    expect(Object.keys((await send({ 'address[city]': 'Leeds', company })) as object)).toEqual(
      ['address', 'address2', 'city', 'state', 'zip', 'country'].map((part) => `address[${part}]`),
    );
    expect(table.records.get(record.id)).toMatchObject({
      ...before,
      notes: 'new',
      address: { ...(before.address as object), city: 'Leeds' },
    });
  });
});

test('a record that has the values is written only if formulas or rules are to run', async () => {
  await withEnvironment({}, async (env) => {
    const { id, notes } = getRecord(env, 'Customers');
    const columns = toColumns({ notes: String(notes) });
    const update = (options: object) =>
      env.runRecordOperation('update', env.getTable('Customers'), { recordId: id, columns, options });
    const before = env.service.requests.length;
    expect(getOutput(await update({}))).toMatchObject([{ id, notes, _action: 'unchanged' }]);
    expect(listWrites(env, before)).toEqual([READ]);
    // Formulas and rules may change the record without another value.
    for (const option of ['queueFormulas', 'runFormulas', 'runTableFormulas', 'runTableRules']) {
      const since = env.service.requests.length;
      expect(getOutput(await update({ formulas: [`${option}On`] }))).toMatchObject([
        { id, _action: 'updated' },
      ]);
      expect(listWrites(env, since)).toEqual([READ, WRITE]);
      expect(env.service.requests.at(-1)!.body).toEqual({ notes });
    }
    const since = env.service.requests.length;
    expect(getOutput(await update({ formulas: ['runFormulasOff'] }))).toMatchObject([
      { _action: 'unchanged' },
    ]);
    expect(listWrites(env, since)).toEqual([READ]);
  });
});

test('with a key that may not read records, the values are sent without a comparison', async () => {
  await withEnvironment({}, async (env) => {
    const table = env.getTable('Customers');
    const keys = env.service.addKey({ permissions: { allow_get: false } });
    await setCredential(env, keys);
    getOutput(await env.runRecordOperation('update', table, PARAMETERS, listItems(env, 1)));
    expect(getRecord(env, 'Customers').notes).toBe('Note 0');
  });
});

test('an update starts the workflows of its event once, and none if nothing differs', async () => {
  await withEnvironment({}, async (env) => {
    await env.engine.activate(createTriggerWorkflow(env, ['Customers'], ['UPDATE']));
    const items = listItems(env, 5);
    const update = async () => {
      const before = env.service.deliveries.length;
      getOutput(await env.runRecordOperation('update', env.getTable('Customers'), PARAMETERS, items));
      await env.service.waitForDeliveries();
      return env.service.deliveries.length - before;
    };
    expect(await update()).toBe(5);
    expect(await update()).toBe(0);
  });
});

/** Each change of another client is made after the update has read the record, and before it is sent. */
describe('what another client changes before the values are sent', () => {
  skipWaits();

  const READ_BETWEEN = [READ, WRITE, READ, WRITE];
  test.each<[string, object, Fault | undefined, string[]]>([
    ['the minute is used up', { perMinute: 3 }, undefined, [READ, WRITE]],
    ['the service is busy', {}, { type: 'rateLimit', scope: 'minute', retryAfter: 5 }, [READ, WRITE, WRITE]],
    ['the service fails', {}, { type: 'status', status: 503 }, READ_BETWEEN],
    ['the connection breaks', {}, { type: 'reset', when: 'before' }, READ_BETWEEN],
  ])('survives when %s', async (_what, options, fault, requests) => {
    await withEnvironment(options, async (env) => {
      if (fault) env.service.faults.add({ when: { pattern: WRITE }, fault });
      const { id } = getRecord(env, 'Customers');
      const columns = toColumns({ notes: 'new' });
      const running = env.runRecordOperation('update', env.getTable('Customers'), { recordId: id, columns });
      const isWaitedFor = fault ? WRITE : READ;
      await waitUntil(() => hasArrived(env, isWaitedFor));
      Object.assign(env.getTable('Customers').records.get(id)!, { company: 'Changed meanwhile' });
      getOutput(await running);
      expect(listWrites(env, 0)).toEqual(requests);
      expect(env.getTable('Customers').records.get(id)).toMatchObject({
        notes: 'new',
        company: 'Changed meanwhile',
      });
    });
  });

  test('is not lost to a list of connections that grows', async () => {
    await withEnvironment({}, async (env) => {
      const [first, second, third] = [...env.getTable('Products').records.keys()];
      const orders = env.getTable('Orders');
      const { id } = orders.insert({ number: 'Grows', products: [first!] });
      env.service.faults.add({ when: { pattern: WRITE }, fault: { type: 'status', status: 503 } });
      const running = env.runRecordOperation('update', orders, {
        recordId: id,
        columns: toColumns({ products: second! }),
        options: { connectionChange: 'add' },
      });
      await waitUntil(() => hasArrived(env, WRITE));
      Object.assign(orders.records.get(id)!, { products: [first!, third!] });
      expect(getOutput(await running)).toMatchObject([{ _connectionsAdded: { products: [second] } }]);
      expect([...(orders.records.get(id)!.products as string[])].sort()).toEqual(
        [first, second, third].sort(),
      );
    });
  });

  test.each([
    [4, 12],
    [1, 2],
  ])('many updates of one key end, although a minute has %d requests', async (perMinute, count) => {
    await withEnvironment({ perMinute, windowMs: 3_000 }, async (env) => {
      const items = listItems(env, count);
      getOutput(await env.runRecordOperation('update', env.getTable('Customers'), PARAMETERS, items));
      items.forEach(({ id, n }) =>
        expect(env.getTable('Customers').records.get(id)!.notes).toBe(`Note ${n}`),
      );
    });
  });
});

describe('answers', () => {
  skipWaits();

  const SUCCESS = { type: 'success', msg: 'Record updated successfully' };
  type CreateBody = (record: Record<string, unknown>) => object | string | undefined;
  const BARE: Array<[string, number, CreateBody]> = [
    ['an empty 200', 200, () => ''],
    ['a 204', 204, () => undefined],
    ['{}', 200, () => ({})],
    ['a message alone', 200, () => ({ msg: 'ok' })],
    ['half an answer', 200, () => '{"type": "suc'],
  ];

  const cases = BARE.flatMap(([what, status, createBody]) =>
    [true, false].map(
      (isDone) => [what, isDone ? 'made' : 'not made', { status, createBody, isDone }] as const,
    ),
  );

  test.each(cases)('%s to a change that was %s', async (_what, _done, one) => {
    await withEnvironment({}, async (env) => {
      const record = getRecord(env, 'Customers');
      const before = structuredClone(record);
      env.service.faults.add({
        when: { pattern: WRITE },
        times: Infinity,
        fault: {
          type: 'status',
          status: one.status,
          body: one.createBody(record),
          when: one.isDone ? 'after' : 'before',
        },
      });
      const columns = toColumns({ notes: 'new' });
      const run = await env.runRecordOperation('update', env.getTable('Customers'), {
        recordId: record.id,
        columns,
      });
      const after = env.getTable('Customers').records.get(before.id);
      const unknown = `Record ${before.id}: outcome unknown: `;
      const message = run.error?.message.slice(0, unknown.length);
      const items = run.error ? [] : getOutput(run);
      const shown = items.map(({ id, notes, _action }) => [id, notes, _action]);
      expect([message, ...shown]).toEqual(
        one.isDone ? [undefined, [before.id, 'new', 'updated']] : [unknown],
      );
      expect(after).toEqual(one.isDone ? { ...before, notes: 'new' } : before);
    });
  });

  const runWithAnswer = async (
    env: TestEnvironment,
    createBody: CreateBody,
    values: object = { notes: 'new' },
  ) => {
    const record = structuredClone(getRecord(env, 'Customers'));
    const fault = { type: 'status', status: 200, body: createBody(record) } as const;
    env.service.faults.add({ when: { pattern: WRITE }, fault });
    const run = await env.runRecordOperation('update', env.getTable('Customers'), {
      recordId: record.id,
      columns: toColumns(values),
    });
    return { run, id: record.id, hints: run.getHints('Node').map(({ message }) => message) };
  };

  test('another record in the answer is an error', async () => {
    await withEnvironment({}, async (env) => {
      const { run, id } = await runWithAnswer(env, (record) => ({
        ...SUCCESS,
        item: { ...record, id: 'other' },
      }));
      expect(run.error?.message).toBe(`Record ${id}: the service's answer shows another record, other`);
    });
  });

  test('the old value of every changed column is an error, and of some of them a hint', async () => {
    await withEnvironment({}, async (env) => {
      const old = await runWithAnswer(env, (record) => ({ ...SUCCESS, item: record }), {
        notes: 'new',
        company: 'New',
      });
      expect(old.run.error?.message).toBe(
        `Record ${old.id} was not changed: the service's answer shows the old value of "Notes", "Company"`,
      );
      const partly = await runWithAnswer(
        env,
        (record) => ({ ...SUCCESS, item: { ...record, notes: 'new' } }),
        { notes: 'new', company: 'New' },
      );
      expect(partly.hints).toEqual([
        expect.stringMatching(/^The service's answer does not show the value .* in "Company"\./),
      ]);
      const rule = await runWithAnswer(env, (record) => ({ ...SUCCESS, item: { ...record, notes: 'NEW' } }));
      expect(rule.hints).toEqual([expect.stringContaining('in another form')]);
      const same = await runWithAnswer(env, () => SUCCESS);
      expect(getOutput(same.run)).toMatchObject([{ id: same.id, _action: 'updated' }]);
      expect(same.hints).toEqual([]);
    });
  });

  test('a column that was renamed meanwhile is an error, and keeps its value', async () => {
    await withEnvironment({}, async (env) => {
      const table = env.getTable('Customers');
      const record = getRecord(env, 'Customers');
      const update = (values: object) =>
        env.runRecordOperation('update', table, { recordId: record.id, columns: toColumns(values) });
      getOutput(await update({ notes: 'first' }));
      const field = table.fields.find(({ slug }) => slug === 'company')!;
      const company = record.company;
      Object.assign(field, { slug: 'firm' });
      for (const one of table.records.values()) {
        const { company: value, ...rest } = one;
        table.records.set(one.id, { ...rest, firm: value } as never);
      }
      expect((await update({ company: 'Lost' })).error?.message).toMatch(/"company"/);
      getOutput(await update({ notes: 'second' }));
      expect(table.records.get(record.id)).toMatchObject({ notes: 'second', firm: company });
      env.takeViolations();
    });
  });
});

test('a refused column is reported, and nothing is sent with fewer columns', async () => {
  await withEnvironment({}, async (env) => {
    for (const status of [403, 422]) {
      const before = structuredClone(getRecord(env, 'Customers'));
      const body = {
        type: 'error',
        msg: 'Not allowed',
        status,
        errors: { notes: ['You may not write this'] },
      };
      env.service.faults.add({
        when: { pattern: WRITE },
        times: Infinity,
        fault: { type: 'status', status, body },
      });
      const since = env.service.requests.length;
      const columns = toColumns({ notes: `new ${status}`, company: 'New' });
      const run = await env.runRecordOperation('update', env.getTable('Customers'), {
        recordId: before.id,
        columns,
      });
      expect(run.error?.message).toMatch(/notes: You may not write this/i);
      expect(listWrites(env, since).filter((one) => one === WRITE)).toHaveLength(1);
      expect(env.getTable('Customers').records.get(before.id)).toEqual(before);
      env.service.faults.clear();
    }
  });
});

test('with a user login, connections that may be partly hidden are not sent', async () => {
  await withEnvironment({}, async (env) => {
    const [{ email, password, userId }, orders] = [env.service.user, env.getTable('Orders')];
    await setCredential(env, { userLogin: 'password', email, password });
    const customer = [...env.getTable('Customers').records.values()][0]!;
    customer.account_owner = [userId];
    const order = [...orders.records.values()][0]!;
    order.customer = [customer.id];
    const before = structuredClone(order);
    const columns = toColumns({ quantity: 99 });
    getOutput(await env.runRecordOperation('update', orders, { recordId: order.id, columns }));
    expect(orders.records.get(order.id)).toMatchObject({ quantity: 99, products: before.products });
  });
});

test('a file of the record stays', async () => {
  await withEnvironment({}, async (env) => {
    const table = env.getTable('Showcase');
    const values = { text: 'old', file: 'https://files.example/a.txt', unique_text: 'file' };
    const { id } = table.insert(values);
    const columns = toColumns({ text: 'new' });
    getOutput(await env.runRecordOperation('update', table, { recordId: id, columns }));
    expect(table.records.get(id)).toMatchObject({ ...values, text: 'new' });
  });
});

test('an update of one part of a composite keeps the other parts', async () => {
  await withEnvironment({}, async (env) => {
    const table = env.getTable('Customers');
    const [record] = [...table.records.values()];
    const before = structuredClone(record!);
    const columns = toColumns({ 'name[first_name]': 'New' });
    getOutput(await env.runRecordOperation('update', table, { recordId: record!.id, columns }));
    const name = { ...(before.name as object), first_name: 'New' };
    expect(table.records.get(record!.id)).toMatchObject({ ...before, name });
  });
});
