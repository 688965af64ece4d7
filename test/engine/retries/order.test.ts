import { skipWaits } from '../../environment/skipWaits';
import { createSeed, scaleRuns } from '../../randomness';
import type { Fault } from '../../service';
import { Random } from '../../service/state/random';
import { findSampleIds, runOperation } from '../support/runOperation';
import { AUTO_MAP, getOutput, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Several items of one record in a node with Retry On Fail: a refused item runs again, and the last item still wins. */

skipWaits();
const env = useTestEnvironment();

const FIELDS = ['a', 'b', 'first_name', 'last_name'] as const;
type Values = Partial<Record<(typeof FIELDS)[number], string>>;
interface Row extends Values {
  key: string;
}

const createRow = (random: Random, index: number, keys: string[]): Row => ({
  key: random.pick(keys),
  ...Object.fromEntries(
    FIELDS.filter(() => random.nextBoolean(0.5)).map((name) => [
      name,
      random.pick(['x', `${name} ${index}`]),
    ]),
  ),
  // An item without a value would be refused.
  a: `a ${index}`,
});

/** The records after all items have run in order. */
function applyInOrder(start: Row[], items: Row[]): Row[] {
  const records = new Map(start.map((row) => [row.key, row]));
  for (const item of items)
    records.set(item.key, { ...(records.get(item.key) ?? { key: item.key }), ...item });
  return [...records.values()];
}

const refuse = (status: number): Fault => ({
  type: 'status',
  status,
  body: { type: 'error', msg: 'Refused', status },
});

const sortRows = (rows: Row[]): string[] =>
  rows.map((row) => JSON.stringify(['key', ...FIELDS].map((name) => row[name as keyof Row] ?? ''))).sort();

let count = 0;
const createTable = () => {
  const fields = [
    { name: 'Key', type: 'Text' },
    { name: 'A', type: 'Text' },
    { name: 'B', type: 'Text' },
    { name: 'Person', type: 'Name' },
  ] as const;
  return env.service.addTable({ name: `Ordered ${++count}`, fields: [...fields] });
};

type TestTable = ReturnType<typeof createTable>;

const insertRow = (table: TestTable, { key, a = '', b = '', ...name }: Row): string =>
  table.insert({ key, a, b, person: { first_name: '', last_name: '', ...name } }).id;

const readRows = (table: TestTable): Row[] =>
  [...table.records.values()].map(({ key, a, b, person }) => {
    const { first_name, last_name } = (person ?? {}) as Values;
    return { key, a, b, first_name, last_name } as unknown as Row;
  });

const toInput = ({ first_name, last_name, ...values }: Row) => ({
  ...values,
  ...(first_name !== undefined && { 'person[first_name]': first_name }),
  ...(last_name !== undefined && { 'person[last_name]': last_name }),
});

const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 0 };
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

const runInRetries = (operation: string, table: TestTable, onError: string, input: object[]) =>
  env.runRecordOperation(
    operation,
    table,
    {
      columns: { ...AUTO_MAP, matchingColumns: ['key'] },
      ...(operation === 'update' && { recordId: { ...toLocator(''), value: '={{ $json.id }}' } }),
    },
    input as never,
    { ...RETRY, onError },
  );

const firstSeed = createSeed();
const seeds = Array.from({ length: scaleRuns(1_000) }, (_, index) => firstSeed + index);

describe.each(['update', 'upsert'])('%s', (operation) => {
  test.each(ON_ERROR)('%s: the record ends as without the fault', async (onError) => {
    for (const status of [403, 422, 500]) {
      const table = createTable();
      const id = insertRow(table, { key: 'k', a: 'zero', b: 'zero' });
      env.service.faults.add({
        when: { method: 'POST', pattern: /data-tables\/[^/]*\/records\/\w+$/, nth: 1 },
        fault: refuse(status),
      });
      const items = [{ a: 'old', b: 'first' }, { a: 'mid' }, { a: 'new' }];
      const place = operation === 'update' ? { id } : { key: 'k' };
      const run = await runInRetries(
        operation,
        table,
        onError,
        items.map((item) => ({ ...place, ...item })),
      );
      env.service.faults.clear();
      const outputs = getOutput(run);
      expect(outputs).toHaveLength(3);
      expect(table.records.get(id)).toMatchObject({ a: 'new', b: 'first' });
      getOutput(await env.runRecordOperation('undo', table, { dryRun: false }, outputs));
      expect(table.records.get(id)).toMatchObject({ a: 'zero', b: 'zero' });
    }
  });

  test.each(seeds)('seed %i: a refused item does not replace what a later one has written', async (seed) => {
    const random = new Random(seed);
    const table = createTable();
    const keys = ['k0', 'k1', 'k2'];
    const start = keys
      .filter(() => operation === 'update' || random.nextBoolean(0.6))
      .map((key): Row => ({ key, a: 'zero', b: 'zero', first_name: 'zero', last_name: 'zero' }));
    const ids = new Map(start.map((row) => [row.key, insertRow(table, row)]));
    const items = Array.from({ length: random.nextInt(2, 8) }, (_, index) => createRow(random, index, keys));
    const onError = random.pick([...ON_ERROR]);
    const times = random.pick([1, 1, 2]);
    for (const nth of [random.nextInt(1, 3), random.nextInt(1, 6)])
      env.service.faults.add({
        when: { method: 'POST', pattern: /data-tables\/[^/]*\/records(\/\w+)?$/, skip: nth - 1 },
        times,
        fault: refuse(random.pick([403, 422])),
      });
    const input = items.map((item) => ({
      ...toInput(item),
      ...(operation === 'update' && { id: ids.get(item.key) }),
    }));
    const run = await runInRetries(operation, table, onError, input);
    env.service.faults.clear();
    if (run.error) return;
    const outputs = [
      ...run.getItems('Node'),
      ...(onError === 'continueErrorOutput' ? run.getItems('Node', 1) : []),
    ];
    const failed = outputs
      .filter(({ json }) => 'error' in json)
      .map(({ pairedItem }) => (pairedItem as { item: number }).item);
    const done = items.filter((_, index) => !failed.includes(index));
    expect({ failed, rows: sortRows(readRows(table)) }).toEqual({
      failed,
      rows: sortRows(applyInOrder(start, done)),
    });
  });
});

test('Save through a component: the record ends as without the fault', async () => {
  const { pageId, componentId } = await findSampleIds(env);
  const [customer] = [...env.getTable('Customers').records.values()].filter(
    ({ status }) => status === 'active',
  );
  const { id } = customer!;
  const parameters = {
    resource: 'component',
    operation: 'save',
    pageId: toLocator(pageId!),
    componentId: toLocator(componentId!),
    recordId: id,
    columns: toColumns({ notes: '={{ $json.notes }}' }),
  };
  env.service.faults.add({ when: { method: 'POST', pattern: /\/save/, nth: 1 }, fault: refuse(422) });
  const input = ['old', 'mid', 'new'].map((notes) => ({ json: { notes } }));
  const extra = { ...RETRY, onError: 'continueRegularOutput' };
  const run = await runOperation(env, 'RecordDatabasePages', parameters, input, extra);
  expect(getOutput(run).map(({ _action }) => _action)).toEqual(['unchanged', 'updated', 'updated']);
  expect(env.getTable('Customers').records.get(id)).toMatchObject({ notes: 'new' });
});
