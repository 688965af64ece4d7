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
  getOutput(await run(table, 'undo', { dryRun: false, maximumDeletions: '100%', ...parameters }, items));
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
const show = (record: StoredRecord, rename = (id: string, _table: Table) => id) =>
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
  const rows = [
    { code: 'next' },
    { code: 'c', boss_id: next },
    // Its boss is lost by the deletion.
    { code: 'd', note: 'y' },
  ];
  const items = getOutput(await run(customers, 'sync', parameters, rows));
  expect(items.map(({ _action }) => _action).sort()).toEqual(['deleted', 'updated', 'updated']);
  await undo(customers, items);
  const { id: anew } = getByCode(customers, 'old');
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
