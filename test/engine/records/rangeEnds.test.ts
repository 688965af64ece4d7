import type { Table } from '../../service';
import { TestEnvironment, getOutput, toColumns } from '../support/testEnvironment';

/**
 * Filters on the ends of a Calendar and a Date Range. Clients met `term-start` and `term-end` (evidence 17), which the
 * specification does not name: a service that does not know them drops the condition without an error.
 */

describe.each(['start', 'ends'] as const)('a service that filters by the %s', (calendarFilter) => {
  const env = new TestEnvironment();
  let table: Table;
  beforeAll(() => env.start({ profile: 'met', calendarFilter }));
  afterAll(() => env.stop());
  beforeEach(() => {
    table = env.service.addTable({
      name: `Terms ${env.service.requests.length}`,
      fields: [
        { name: 'Note', type: 'Text' },
        { name: 'Term', type: 'Calendar' },
        { name: 'Stay', type: 'Date Range' },
      ],
    });
    ['2031-03-01', '2031-03-02', '2031-03-03'].forEach((day, index) => {
      const range = { start: `${day} 09:00:00`, end: `${day} 17:30:00`, all_day: 'No' };
      table.insert({ note: `n${index}`, term: range, stay: range });
    });
  });

  const filterBy = (filter: object) => ({ filterMode: 'json', filterJson: JSON.stringify(filter) });
  const list = async (operation: string, filter: object, more: object = {}) => {
    const run = await env.runRecordOperation(operation, table, {
      ...filterBy(filter),
      returnAll: true,
      ...more,
    });
    return run.error ? run.error.message : getOutput(run).map(({ note }) => note);
  };
  const knows = calendarFilter === 'ends';

  test.each<[object, string[], string]>([
    [{ 'Term: End': { '<=': '2031-03-01' } }, ['n0'], 'term-end'],
    [{ term__start: { '>': '2031-03-01' } }, ['n1', 'n2'], 'term-start'],
    [{ 'stay-end': { between: ['2031-03-02', '2031-03-03 12:00'] } }, ['n1'], 'stay-end'],
    [{ 'Stay: Start': '2031-03-02' }, ['n1'], 'stay-start'],
  ])('%j', async (filter, notes, id) => {
    const refused = expect.stringMatching(`^Filter: the service did not apply "${id} `) as unknown;
    expect(await list('getAll', filter)).toEqual(knows ? notes : refused);
    expect(await list('getAll', filter, { options: { columns: ['note'] } })).toEqual(knows ? notes : refused);
  });

  test('Count, a limited list and a condition within OR do not depend on which records are shown', async () => {
    const filter = { 'Term: End': { '<=': '2031-03-01' } };
    const refused = expect.stringMatching('^Filter: the service did not apply "term-end ') as unknown;
    const counted = await env.runRecordOperation('count', table, filterBy(filter));
    expect(counted.error?.message ?? getOutput(counted)).toEqual(knows ? [{ count: 1 }] : refused);
    const limited = await list(
      'getAll',
      { 'Term: End': { '<=': '2031-03-02' } },
      { returnAll: false, limit: 1 },
    );
    expect(limited).toEqual(knows ? ['n0'] : refused);
    expect(await list('getAll', { or: [filter, { Note: 'n2' }] })).toEqual(knows ? ['n0', 'n2'] : refused);
  });

  test('a range as a whole is compared by its start', async () => {
    expect(await list('getAll', { term: { '<=': '2031-03-01' } })).toEqual(['n0']);
    expect(await list('getAll', { Stay: { '>': '2031-03-02' } })).toEqual(['n2']);
  });

  test('Delete Many and Batch Update change no other records', async () => {
    const filter = filterBy({ 'Term: End': { '<=': '2031-03-01' } });
    const columns = toColumns({ note: 'changed' });
    const update = await env.runRecordOperation('batchUpdate', table, { ...filter, columns });
    const listNotes = () => [...table.records.values()].map(({ note }) => note);
    expect(update.error === undefined).toBe(knows);
    expect(listNotes()).toEqual(knows ? ['changed', 'n1', 'n2'] : ['n0', 'n1', 'n2']);
    const deletion = await env.runRecordOperation('deleteMany', table, filter);
    expect(deletion.error === undefined).toBe(knows);
    expect(listNotes()).toEqual(knows ? ['n1', 'n2'] : ['n0', 'n1', 'n2']);
  });
});
