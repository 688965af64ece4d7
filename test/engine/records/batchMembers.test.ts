import { skipWaits } from '../../environment/skipWaits';
import type { RecordedRequest, Table } from '../../service';
import { TestEnvironment, toColumns } from '../support/testEnvironment';

/** Another client changes records, and moves them into and out of the conditions, while Batch Update works. */

skipWaits();

const isBatch = ({ path }: RecordedRequest) => path.endsWith('/batch-update');

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  let env: TestEnvironment;
  beforeAll(
    async () => (env = await TestEnvironment.start({ profile, sample: 'empty', perMinute: 100_000 })),
  );
  afterAll(() => env.stop());
  afterEach(() => env.service.faults.clear());

  let table: Table;
  let ids: string[];
  let count = 0;
  beforeEach(() => {
    table = env.service.addTable({
      name: `Jobs ${++count}`,
      fields: ['Code', 'Group', 'Note'].map((name) => ({ name, type: 'Text' as const })),
    });
    ids = ['a', 'b', 'c', 'd'].map(
      (code, n) => table.insert({ code, group: n < 2 ? 'x' : 'y', note: 'old' }).id,
    );
  });

  /** The record a leaves the conditions, and d meets them from now on. */
  const move = () => {
    table.update(ids[0]!, { group: 'y' });
    table.update(ids[3]!, { group: 'x' });
  };
  const changeAt = (nth: number, change: () => void) => {
    const until = {
      then(resolve: () => void) {
        if (env.service.requests.filter(isBatch).length >= nth) change();
        resolve();
      },
    };
    env.service.faults.add({
      when: { pattern: /batch-update$/, skip: nth - 1 },
      fault: { type: 'hold', until: until as unknown as Promise<void> },
    });
  };
  const run = () =>
    env.runRecordOperation('batchUpdate', table, {
      filterMode: 'manual',
      conditions: { items: [{ field: 'group|text', operator: 'is', value: 'x' }] },
      columns: toColumns({ note: 'new' }),
      maximumRecords: 100,
      options: { returnOldRecords: true },
    });
  const readNotes = () => ids.map((id) => table.records.get(id)?.note);

  test('a batch whose answer was lost is not sent again to other records', async () => {
    env.service.requests.splice(0);
    env.service.faults.add({
      when: { pattern: /batch-update$/ },
      fault: { type: 'reset', when: 'after' },
    });
    changeAt(2, move);
    await run();
    expect(readNotes()).toEqual(['new', 'new', 'old', 'old']);
  });

  test('a batch whose answer was lost does not overwrite what somebody wrote since', async () => {
    env.service.requests.splice(0);
    env.service.faults.add({
      when: { pattern: /batch-update$/ },
      fault: { type: 'reset', when: 'after' },
    });
    let theirs = 'new';
    changeAt(2, () => {
      theirs = 'theirs';
      table.update(ids[0]!, { note: theirs });
    });
    await run();
    // Without a second request, nobody writes in between.
    expect(readNotes()).toEqual([theirs, 'new', 'old', 'old']);
  });
});
