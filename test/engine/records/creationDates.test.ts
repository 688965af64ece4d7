import type { Table } from '../../service';
import { READINGS } from '../../service/readings';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/** A service may drop a condition on `created_at`: no list of fields names it (spec: Filters, "Unknown field rule"). */

const FILTER = { filterMode: 'json', filterJson: '{"created_at": {"<": "2024-01-01 00:00:00"}}' };

const { values } = READINGS.systemColumns;

describe.each(values)('a service to which created_at is %s', (systemColumns) => {
  const env = new TestEnvironment();
  let table: Table;
  beforeAll(() => env.start({ systemColumns }));
  afterAll(() => env.stop());
  beforeEach(() => {
    table = env.service.addTable({
      name: `Dated ${env.service.requests.length}`,
      fields: [{ name: 'Note', type: 'Text' }],
    });
    for (const [index, year] of [2022, 2023, 2025].entries()) {
      Object.assign(table.insert({ note: `n${index}` }), { created_at: `${year}-06-15 12:00:00` });
    }
  });
  const listNotes = () => [...table.records.values()].map(({ note }) => note);
  const refusal: unknown = expect.stringMatching(
    /^Filter: the service did not apply "created_at (<|is before) 2024/,
  );

  const unread: unknown = expect.stringMatching(/^The service returned \d+ records that do not match/);

  test('Get Many returns the records of the dates only', async () => {
    const run = await env.runRecordOperation('getAll', table, { ...FILTER, returnAll: true });
    const found = run.error ? run.error.message : getOutput(run).map(({ note }) => note);
    expect(found).toEqual(systemColumns !== 'dropped' ? ['n0', 'n1'] : refusal);
  });

  test('Count counts the records of the dates only', async () => {
    const run = await env.runRecordOperation('count', table, FILTER);
    expect(run.error?.message ?? getOutput(run)).toEqual(
      systemColumns !== 'dropped' ? [{ count: 2 }] : refusal,
    );
  });

  test.each([
    ['with the old records', {}],
    ['without them', { returnOldRecords: false }],
    ['counted only', { dryRun: true }],
  ])('Batch Update changes the records of the dates only, %s', async (_, options) => {
    const run = await env.runRecordOperation('batchUpdate', table, {
      ...FILTER,
      columns: toColumns({ note: 'changed' }),
      options,
    });
    expect(run.error?.message ?? '').toEqual(systemColumns !== 'dropped' ? '' : unread);
    const isChanged = systemColumns !== 'dropped' && !('dryRun' in options);
    expect(listNotes()).toEqual(isChanged ? ['changed', 'changed', 'n2'] : ['n0', 'n1', 'n2']);
  });

  test('Get Many compares the dates also where it returns other columns only', async () => {
    env.service.options.columnsResponse = 'exact';
    const parameters = { ...FILTER, returnAll: true, options: { columns: ['note'] } };
    const run = await env.runRecordOperation('getAll', table, parameters);
    env.service.options.columnsResponse = 'withId';
    const found = run.error ? run.error.message : getOutput(run).map(({ note }) => note);
    expect(found).toEqual(systemColumns !== 'dropped' ? ['n0', 'n1'] : refusal);
  });

  test('Batch Update compares the records behind the first page too', async () => {
    for (let index = 0; index < 200; index++) table.insert({ note: 'before' });
    [...table.records.values()].forEach((record, index) => {
      Object.assign(record, { created_at: `${index < 200 ? 2023 : 2025}-06-15 12:00:00`, note: 'before' });
    });
    const columns = toColumns({ note: 'changed' });
    const filterJson = '{"created_at": {"<": "2024-01-01 00:00:00"}, "note": "before"}';
    const parameters = { filterMode: 'json', filterJson, columns, maximum: 1_000 };
    const run = await env.runRecordOperation('batchUpdate', table, parameters);
    expect(run.error?.message ?? '').toEqual(systemColumns !== 'dropped' ? '' : unread);
    const changed = listNotes().filter((note) => note === 'changed');
    expect(changed).toHaveLength(systemColumns !== 'dropped' ? 200 : 0);
  });
});
