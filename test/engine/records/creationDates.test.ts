import type { Table } from '../../service';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/** A service may drop a condition on `created_at`: no list of fields names it (spec: Filters, "Unknown field rule"). */

const FILTER = { filterMode: 'json', filterJson: '{"created_at": {"<": "2024-01-01 00:00:00"}}' };

describe.each(['known', 'dropped'] as const)('a service to which created_at is %s', (systemColumns) => {
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
  const refusal: unknown = expect.stringMatching(/^Filter: the service did not apply "created_at < 2024/);

  test('Search returns the records of the dates only', async () => {
    const run = await env.runRecordOperation('search', table, { ...FILTER, returnAll: true });
    const found = run.error ? run.error.message : getOutput(run).map(({ note }) => note);
    expect(found).toEqual(systemColumns === 'known' ? ['n0', 'n1'] : refusal);
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
    expect(run.error?.message ?? '').toEqual(systemColumns === 'known' ? '' : refusal);
    const isChanged = systemColumns === 'known' && !('dryRun' in options);
    expect(listNotes()).toEqual(isChanged ? ['changed', 'changed', 'n2'] : ['n0', 'n1', 'n2']);
  });
});
