import { omit } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { createSeed, scaleRuns } from '../../randomness';
import type { StoredRecord, Table } from '../../service';
import { Random } from '../../service/state/random';
import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Undo of records that are connected to each other: those that it creates anew have new IDs. */

skipWaits();
const env = useTestEnvironment();
let count = 0;
let customers: Table;
let orders: Table;

beforeEach(() => addTables());

function addTables(): void {
  const [people, purchases] = [`People ${++count}`, `Purchases ${count}`];
  const connect = (name: string, to: string, many: boolean) => ({
    name,
    type: 'Connection' as const,
    to,
    many,
  });
  customers = env.service.addTable({
    name: people,
    fields: [
      { name: 'Code', type: 'Text' },
      { name: 'Note', type: 'Text' },
      connect('Boss', people, false),
      connect('Friends', people, true),
      connect('Orders', purchases, true),
    ],
  });
  orders = env.service.addTable({
    name: purchases,
    fields: [
      { name: 'Code', type: 'Text' },
      { name: 'Note', type: 'Text' },
      connect('Customer', people, false),
      connect('Parent', purchases, false),
    ],
  });
}

const run = (
  table: Table,
  operation: string,
  parameters: object,
  input: object[] = [{}],
  extra: object = {},
) => env.runRecordOperation(operation, table, parameters, input as never, extra);
const undo = async (table: Table, items: object[], parameters: object = {}) =>
  getOutput(
    await run(table, 'undo', { dryRun: false, options: { maximumDeletions: '100%' }, ...parameters }, items),
  );
const SCOPE = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'note|text', operator: 'is exact', value: 'scope' }] },
};
const deleteScope = async (table: Table) => getOutput(await run(table, 'deleteMany', SCOPE));
const matching = { ...AUTO_MAP, matchingColumns: ['code'] };
const getByCode = (table: Table, code: string) =>
  [...table.records.values()].find((one) => one.code === code)!;

const CONNECTED: Record<string, () => Table> = {
  boss: () => customers,
  friends: () => customers,
  orders: () => orders,
  customer: () => customers,
  parent: () => orders,
};

/** The values of a record, as the service shows them: IDs that no record has are not shown. */
const show = (record: StoredRecord, rename: (id: string, table: Table) => string = (id) => id) =>
  Object.fromEntries(
    Object.entries(omit(record, ['id', 'created_at'])).map(([key, value]) => {
      const to = CONNECTED[key]?.();
      if (!to) return [key, value];
      return [
        key,
        (value as string[])
          .map((id) => rename(id, to))
          .filter((id) => to.records.has(id))
          .sort(),
      ];
    }),
  );
const copy = (table: Table) => new Map([...table.records].map(([id, record]) => [id, show(record)]));

/** What the tables are to have, with the IDs of the records that were created anew. */
function rename(before: Map<string, object>, table: Table, restored: Map<string, string>) {
  const toNew = (id: string, of: Table) => restored.get(`${of.id} ${id}`) ?? id;
  return new Map(
    [...before].map(([id, values]) => [
      toNew(id, table),
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => {
          const to = CONNECTED[key]?.();
          return [key, to ? (value as string[]).map((one) => toNew(one, to)).sort() : (value as unknown)];
        }),
      ),
    ]),
  );
}

const readRestored = (results: Array<Record<string, unknown>>) =>
  new Map(
    results.flatMap(({ _restores, _tableId, id }) =>
      _restores ? [[`${String(_tableId)} ${String(_restores)}`, String(id)] as const] : [],
    ),
  );

test('orders and their customer that were deleted are connected again, also in a circle', async () => {
  const { id } = customers.insert({ code: 'c', note: 'scope' });
  const made = [1, 2, 3].map((n) => orders.insert({ code: `o${n}`, note: 'scope', customer: [id] }).id);
  orders.update(made[1]!, { parent: [made[0]!] });
  const boss = customers.insert({ code: 'b', note: 'scope', boss: [id] }).id;
  customers.update(id, { boss: [boss], friends: [id, boss] });
  const before = [copy(customers), copy(orders)];
  const items = [...(await deleteScope(orders)), ...(await deleteScope(customers))];
  expect([customers.records.size, orders.records.size]).toEqual([0, 0]);
  const done = await undo(customers, items);
  const restored = readRestored(done);
  expect([copy(customers), copy(orders)]).toEqual([
    rename(before[0]!, customers, restored),
    rename(before[1]!, orders, restored),
  ]);
  // The items show the new IDs.
  const isShown = done.filter(({ customer_id: one }) => one !== undefined);
  expect(isShown.map((one) => one.customer_id)).toEqual(made.map(() => getByCode(customers, 'c').id));
  const after = [copy(customers), copy(orders)];
  expect((await undo(orders, items)).map(({ _action }) => _action)).toEqual(items.map(() => 'left'));
  expect([copy(customers), copy(orders)]).toEqual(after);
});

test('a Sync that moves a customer from one boss to another, and deletes the first', async () => {
  const [old, next] = ['old', 'next'].map((code) => customers.insert({ code }).id) as [string, string];
  const { id } = customers.insert({ code: 'c', boss: [old] });
  const other = customers.insert({ code: 'd', note: 'x', boss: [old] }).id;
  const parameters = { columns: matching, deleteMissing: true, maximumDeletions: '100%' };
  const untouched = customers.insert({ code: 'e', boss: [old], friends: [old, next] }).id;
  const rows = [
    { code: 'next' },
    { code: 'c', boss_id: next },
    // Their boss is lost by the deletion.
    { code: 'd', note: 'y' },
    { code: 'e' },
  ];
  const items = getOutput(await run(customers, 'sync', parameters, rows));
  expect(items.map(({ _action }) => _action).sort()).toEqual(['deleted', 'updated', 'updated']);
  expect(items.find(({ _action }) => _action === 'deleted')!._connectedFrom).toEqual(
    expect.arrayContaining([
      { id: untouched, boss: [old] },
      { id: untouched, friends: [old, next] },
    ]),
  );
  await undo(customers, items);
  const { id: anew } = getByCode(customers, 'old');
  expect(show(customers.records.get(untouched)!)).toMatchObject({
    boss: [anew],
    friends: [anew, next].sort(),
  });
  expect(show(customers.records.get(id)!).boss).toEqual([anew]);
  expect(show(customers.records.get(other)!)).toMatchObject({ note: 'x', boss: [anew] });
});

test('a live connection is not overwritten by one that no record has any more', async () => {
  const [old, next] = ['old', 'next'].map((code) => customers.insert({ code }).id) as [string, string];
  const { id } = customers.insert({ code: 'c', boss: [old] });
  const items = getOutput(
    await run(customers, 'update', { recordId: id, columns: toColumns({ boss: next }) }),
  );
  customers.delete(old);
  expect(await undo(customers, items)).toMatchObject([
    { _action: 'left', id, _reason: `"Boss" held "${old}", which no record has any more` },
  ]);
  expect(show(customers.records.get(id)!).boss).toEqual([next]);
});

test.each([true, false])(
  'a connection to a record that the run created is written back only if it stays: %s',
  async (stays) => {
    const [made] = getOutput(await run(customers, 'create', { columns: toColumns({ code: 'made' }) }));
    const boss = String(made!.id);
    const next = customers.insert({ code: 'next' }).id;
    const { id } = customers.insert({ code: 'c', boss: [boss] });
    const moved = getOutput(
      await run(customers, 'update', { recordId: id, columns: toColumns({ boss: next }) }),
    );
    if (stays) env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'status', status: 403 } });
    const undone = await run(
      customers,
      'undo',
      { dryRun: false, options: { maximumDeletions: '100%' } },
      [made!, ...moved],
      { onError: 'continueRegularOutput' },
    );
    const reason = `"Boss" held "${boss}", which no record has any more`;
    expect(getOutput(undone)[1]).toMatchObject(
      stays ? { _action: 'updated', id } : { _action: 'left', id, _reason: reason },
    );
    expect(customers.records.has(boss)).toBe(stays);
    expect(show(customers.records.get(id)!).boss).toEqual([stays ? boss : next]);
  },
);

test('a new record lacks a connection that no record has any more, and says so', async () => {
  const { id } = customers.insert({ code: 'c' });
  orders.insert({ code: 'o', note: 'scope', customer: [id] });
  const items = await deleteScope(orders);
  customers.delete(id);
  const since = env.service.requests.length;
  const [made] = await undo(orders, items);
  expect(made).toMatchObject({
    _action: 'created',
    _reason: `"Customer" held "${id}", which no record has any more`,
  });
  expect(env.service.requests.slice(since).filter(({ intent }) => intent === 'create')).toHaveLength(1);
  expect(await undo(orders, items)).toMatchObject([{ _action: 'left' }]);
});

test('a record of a circle that is not created fails, and so does the other: a second undo creates both', async () => {
  const first = customers.insert({ code: 'a', note: 'scope' }).id;
  const second = customers.insert({ code: 'b', note: 'scope', boss: [first] }).id;
  customers.update(first, { boss: [second] });
  const items = await deleteScope(customers);
  const isCreate = { method: 'POST', pattern: new RegExp(`${customers.id}/records$`) };
  env.service.faults.add({ when: isCreate, fault: { type: 'status', status: 422 } });
  const undone = await run(
    customers,
    'undo',
    { dryRun: false, options: { maximumDeletions: '100%' } },
    items,
    { onError: 'continueRegularOutput' },
  );
  const outputs = getOutput(undone);
  expect(outputs.map(({ _action, error }) => _action ?? error).sort()).toEqual([
    expect.stringContaining('did not accept the values') as string,
    expect.stringContaining(`"Boss" held "${first}", which could not be created again`) as string,
  ]);
  await undo(customers, items);
  const [a, b] = ['a', 'b'].map((code) => getByCode(customers, code)) as [StoredRecord, StoredRecord];
  expect([customers.records.size, a.boss, b.boss]).toEqual([2, [b.id], [a.id]]);
});

/** A deleted customer, its deleted order, and a customer that was moved from this boss to another: items of all three. */
async function loseCustomer() {
  const { id } = customers.insert({ code: 'c', note: 'scope' });
  orders.insert({ code: 'o', note: 'scope', customer: [id] });
  const moved = customers.insert({ code: 'm', boss: [id] }).id;
  const boss = customers.insert({ code: 'n' }).id;
  const updated = await run(customers, 'update', { recordId: moved, columns: toColumns({ boss }) });
  const items = [...getOutput(updated), ...(await deleteScope(orders)), ...(await deleteScope(customers))];
  const isCreate = { method: 'POST', pattern: new RegExp(`${customers.id}/records$`) };
  env.service.faults.add({ when: isCreate, fault: { type: 'status', status: 403 } });
  const continues = { onError: 'continueRegularOutput' };
  const undoFailing = async (extra: object = {}) =>
    getOutput(await run(customers, 'undo', { dryRun: false }, items, { ...continues, ...extra }));
  const expectRestored = async () => {
    const anew = getByCode(customers, 'c').id;
    expect([...orders.records.values()]).toMatchObject([{ code: 'o', customer: [anew] }]);
    expect(show(customers.records.get(moved)!).boss).toEqual([anew]);
    expect((await undo(customers, items)).map(({ _action }) => _action)).toEqual(['left', 'left', 'left']);
  };
  return { id, items, undoFailing, expectRestored };
}

test('a record is not created without one whose creation failed, and a second undo creates both once', async () => {
  const { id, items, undoFailing, expectRestored } = await loseCustomer();
  expect((await undoFailing()).map(({ error }) => error)).toEqual([
    expect.stringContaining(`Record ${id}: `),
    expect.stringContaining(`"Customer" held "${id}", which could not be created again`),
    expect.stringContaining(`"Boss" held "${id}", which could not be created again`),
  ]);
  expect(orders.records.size).toBe(0);
  await undo(customers, items);
  await expectRestored();
});

test('the next try of Retry On Fail restores a record whose creation failed, and those that connect to it', async () => {
  const { undoFailing, expectRestored } = await loseCustomer();
  const tries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
  expect((await undoFailing(tries)).map(({ _action }) => _action).sort()).toEqual([
    'created',
    'created',
    'updated',
  ]);
  await expectRestored();
});

test('two undos at once create each record once', async () => {
  const { id } = customers.insert({ code: 'c', note: 'scope' });
  for (const code of ['o1', 'o2']) orders.insert({ code, note: 'scope', customer: [id] });
  const items = [...(await deleteScope(orders)), ...(await deleteScope(customers))];
  const both = await Promise.all([undo(orders, items), undo(customers, items)]);
  expect(both.map((one) => one.map(({ _action }) => _action)).sort()).toEqual([
    ['created', 'created', 'created'],
    ['left', 'left', 'left'],
  ]);
  expect([customers.records.size, orders.records.size]).toEqual([1, 2]);
});

test('an undo can be undone', async () => {
  const { id } = customers.insert({ code: 'c', note: 'scope' });
  orders.insert({ code: 'o', note: 'scope', customer: [id] });
  const kept = customers.insert({ code: 'k', note: 'old', boss: [id] }).id;
  const items = [
    ...getOutput(await run(customers, 'update', { recordId: kept, columns: toColumns({ note: 'new' }) })),
    ...(await deleteScope(orders)),
    ...(await deleteScope(customers)),
  ];
  const before = [copy(customers), copy(orders)];
  const done = await undo(customers, items);
  expect(customers.records.get(kept)).toMatchObject({ note: 'old' });
  await undo(customers, done);
  expect([copy(customers), copy(orders)]).toEqual(before);
});

const pickSome = (random: Random, ids: string[], max: number) =>
  [...new Set(Array.from({ length: random.nextInt(0, max) }, () => random.pick(ids)))].sort();

/** Random connections of a record, to records that exist. */
function connect(random: Random, table: Table): Record<string, string[]> {
  const [people, purchases] = [customers, orders].map(({ records }) => [...records.keys()]);
  const pick = (ids: string[] | undefined, max: number) =>
    ids && ids.length > 0 ? pickSome(random, ids, max) : [];
  return table === customers
    ? { boss: pick(people, 1), friends: pick(people, 3), orders: pick(purchases, 2) }
    : { customer: pick(people, 1), parent: pick(purchases, 1) };
}

function fill(random: Random, table: Table, max: number): void {
  for (let n = 0; n < random.nextInt(1, max); n++)
    table.insert({ code: `k${n}`, note: random.pick(['', 'x', 'scope']) });
}

/** Runs a random operation, and returns its items that are changes. */
async function change(random: Random): Promise<Array<Record<string, unknown>>> {
  const table = random.pick([customers, orders]);
  const createRow = (code: string) => {
    const values = Object.entries(connect(random, table)).filter(() => random.nextBoolean(0.4));
    const note = random.nextBoolean(0.5) ? { note: random.pick(['', 'y', 'scope']) } : {};
    return { code, ...note, ...Object.fromEntries(values.map(([key, ids]) => [`${key}_id`, ids])) };
  };
  const codes = [...Array(6).keys()].map((n) => `k${n}`).filter(() => random.nextBoolean(0.5));
  const rows = codes.map(createRow);
  const ids = [...table.records.keys()];
  const draw = random.nextInt(0, ids.length > 0 && rows.length > 0 ? 3 : 0);
  const form = { simplify: random.pick(['slugs', 'names', 'off']), columns: matching };
  const on = { onError: 'continueErrorOutput' };
  const [operation, parameters, input] = (
    [
      ['deleteMany', { ...SCOPE, simplify: form.simplify }, [{}]],
      ['sync', { ...form, deleteMissing: true, maximumDeletions: '100%' }, rows],
      ['upsert', form, rows],
      [
        'update',
        { ...form, columns: AUTO_MAP, recordId: random.pick(['', ...ids]) || ids[0] },
        [omit(rows[0], 'code')],
      ],
    ] as Array<[string, object, object[]]>
  )[draw]!;
  return (await run(table, operation, parameters, input, on)).getJson('Node', 0);
}

test('400 random runs: afterwards each record is as before, up to its new ID, or named', async () => {
  const random = new Random(createSeed());
  const seen = new Set<string>();
  for (let n = 0; n < Math.max(10, scaleRuns(400)); n++) {
    addTables();
    fill(random, customers, 6);
    fill(random, orders, 5);
    for (const table of [customers, orders])
      for (const id of table.records.keys()) table.update(id, connect(random, table));
    const tables = [customers, orders];
    const before = tables.map(copy);
    const items: Array<Record<string, unknown>> = [];
    for (let step = random.nextInt(1, 3); step > 0; step--) items.push(...(await change(random)));
    const changed = tables.map(copy);
    const isChange = ({ _action }: Record<string, unknown>) => _action !== 'unchanged';
    const first = items.find(isChange);
    if (!first) continue;
    const chosen = tables.find(({ id }) => id === first._tableId)!;
    const results = await undo(chosen, items);
    for (const { _action } of results) seen.add(String(_action));
    const restored = readRestored(results);
    const after = tables.map(copy);
    for (const [index, table] of tables.entries()) {
      const expected = rename(before[index]!, table, restored);
      for (const id of new Set([...before[index]!.keys(), ...changed[index]!.keys()])) {
        const newId = restored.get(`${table.id} ${id}`) ?? id;
        const own = items
          .filter((item) => isChange(item) && item._tableId === table.id)
          .flatMap((item) => [item, ...((item._connectedFrom ?? []) as Array<Record<string, unknown>>)])
          .filter((item) => item.id === id);
        const isNamed = results.some(
          (one) =>
            one._tableId === table.id &&
            ((one._action === 'left' && one.id === id) ||
              (one._restores === id && one._reason !== undefined)),
        );
        const [old, now] = [expected.get(newId), after[index]!.get(newId)];
        /** A connection to a deleted record is restored where an item of this record has it. */
        const isUnknown = (key: string, one: string) => {
          const to = tables.indexOf(CONNECTED[key]!());
          const [oldId = one] = [...before[to]!.keys()].filter(
            (each) => (restored.get(`${tables[to]!.id} ${each}`) ?? each) === one,
          );
          const texts = own.flatMap((item) =>
            [item, (item._before ?? {}) as object].flatMap((values) =>
              Object.entries(values).flatMap(([name, value]) =>
                name.toLowerCase().startsWith(key) ? JSON.stringify(value) : [],
              ),
            ),
          );
          return !changed[to]!.has(oldId) && !texts.some((text) => text.includes(oldId));
        };
        const wanted =
          old &&
          Object.fromEntries(
            Object.entries(old).map(([key, value]) => {
              const shown = (now as Record<string, unknown> | undefined)?.[key];
              return CONNECTED[key]
                ? [
                    key,
                    (value as string[]).filter(
                      (one) => (shown as string[] | undefined)?.includes(one) || !isUnknown(key, one),
                    ),
                  ]
                : [key, value as unknown];
            }),
          );
        expect({ n, id, record: now }).toEqual({ n, id, record: isNamed ? now : wanted });
      }
    }
    // A second undo changes nothing.
    if (random.nextBoolean(0.3)) await undo(chosen, items);
    expect({ n, tables: tables.map(copy) }).toEqual({ n, tables: after });
  }
  expect(seen.size).toBeGreaterThan(2);
});
