import type { Table } from '../../service';
import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** `_before` in the output of writes: the earlier values of the fields that changed, without a further request. */

const env = useTestEnvironment();
let table: Table;
let id: string;
let tableCount = 0;
beforeEach(async () => {
  table = env.service.addTable({
    name: `Changes ${++tableCount}`,
    fields: [
      { name: 'Code', type: 'Text' },
      { name: 'Note', type: 'Text' },
      { name: 'Price', type: 'Currency' },
      { name: 'Name', type: 'Name' },
    ],
  });
  ({ id } = table.insert({ code: 'a', note: 'old', price: 1, name: { first_name: 'Ada', last_name: 'L' } }));
  getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'old 2' }) }));
  getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'old' }) }));
});

const run = (operation: string, parameters: object, input: object[] = [{}]) =>
  env.runRecordOperation(operation, table, parameters, input as never);

const matching = { ...AUTO_MAP, matchingColumns: ['code'] };
const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'code|text', operator: 'is', value: 'a' }] },
};

test.each<[string, object, object, number]>([
  ['update', { columns: AUTO_MAP }, { note: 'new', price: 1 }, 2],
  ['upsert', { columns: matching }, { code: 'a', note: 'new', price: 1 }, 2],
  ['sync', { columns: matching }, { code: 'a', note: 'new', price: 1 }, 2],
  [
    'batchUpdate',
    { ...FILTER, columns: toColumns({ note: 'new', price: 1 }), options: { returnOldRecords: true } },
    {},
    3,
  ],
])('%s', async (operation, parameters, values, count) => {
  const since = env.service.requests.length;
  const [item] = getOutput(await run(operation, { recordId: id, ...parameters }, [values]));
  expect(Object.keys(item!).slice(0, 4)).toEqual(['_action', '_tableId', '_before', 'id']);
  expect(item).toMatchObject({ _action: 'updated', _before: { note: 'old' }, id, note: 'new', price: 1 });
  expect(env.listRequests(since).filter((pattern) => pattern.includes('records'))).toHaveLength(count);
});

test('has a composite as a whole, and is missing where nothing changed and for a new record', async () => {
  const columns = toColumns({ 'name[first_name]': 'Bo' });
  const [item] = getOutput(await run('update', { recordId: id, columns }));
  expect(item!._before).toEqual({ name: { first_name: 'Ada', last_name: 'L' } });
  const [unchanged] = getOutput(await run('update', { recordId: id, columns }));
  expect(unchanged).not.toHaveProperty('_before');
  const [created] = getOutput(await run('upsert', { columns: matching }, [{ code: 'b' }]));
  expect(created).not.toHaveProperty('_before');
});

test('Delete returns its action', async () => {
  expect(getOutput(await run('delete', { recordId: id }))).toEqual([
    { _action: 'deleted', deleted: true, id },
  ]);
});
