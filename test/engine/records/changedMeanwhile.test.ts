import { skipWaits } from '../../environment/skipWaits';
import { scaleSize } from '../../randomness';
import type { Table } from '../../service';
import type { RecordedRequest } from '../../service/http/recorder';
import { AUTO_MAP, getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Records that somebody changes while Delete Many or Sync works, and runs that fail on the way. */

const env = useTestEnvironment();
let table: Table;
let tableCount = 0;
beforeEach(() => {
  table = env.service.addTable({
    name: `Jobs ${++tableCount}`,
    fields: [
      { name: 'Key', type: 'Text' },
      { name: 'State', type: 'Text' },
      { name: 'Note', type: 'Text' },
    ],
  });
});

const row = (n: number, state = 'old') => ({ key: `k${n}`, state, note: `n${n}` });
const insert = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => table.insert(row(from + n)).id);
const listStates = () => [...table.records.values()].map(({ key, state }) => [key, state]);

const isCreate = ({ intent }: RecordedRequest) => intent === 'create';
const isDelete = ({ method }: RecordedRequest) => method === 'DELETE';

/** Runs `change` when the service has received the first request of a kind, and before it answers it. */
function changeAt(isDue: (request: RecordedRequest) => boolean, change: () => void): void {
  const since = env.service.requests.length;
  let isDone = false;
  const until = {
    then(resolve: () => void) {
      if (!isDone && env.service.requests.slice(since).some(isDue)) {
        isDone = true;
        change();
      }
      resolve();
    },
  };
  env.service.faults.add({
    times: Infinity,
    fault: { type: 'hold', until: until as unknown as Promise<void> },
  });
}

const setState = (id: string | undefined, state: string) => table.update(id ?? '', { state });

const OLD = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'state|text', operator: 'is exact', value: 'old' }] },
};
const deleteMany = (parameters: object = {}) =>
  env.runRecordOperation('deleteMany', table, { ...OLD, maximum: 1000, ...parameters });
const sync = (input: object[], parameters: object = {}, extra: object = {}) =>
  env.runRecordOperation(
    'sync',
    table,
    {
      columns: { ...AUTO_MAP, matchingColumns: ['key'] },
      deleteMissing: true,
      maximumDeletions: '100%',
      ...parameters,
    },
    input,
    extra,
  );
/** The hints of a run, without the number of its requests. */
const getHints = (run: Awaited<ReturnType<typeof sync>>) =>
  run
    .getHints('Node')
    .map(({ message }) => message)
    .filter((message) => !message.startsWith('This run took '));

describe('Delete Many', () => {
  test('keeps records that leave the filter after the first deletion', async () => {
    const ids = insert(60);
    const kept = [ids[30], ids[59]];
    changeAt(isDelete, () => kept.forEach((id) => setState(id, 'new')));
    const run = await deleteMany();
    expect(getOutput(run)).toHaveLength(58);
    expect(listStates()).toEqual([
      ['k30', 'new'],
      ['k59', 'new'],
    ]);
    expect(getHints(run)).toEqual([
      `2 of 60 records were not deleted, because they changed during the run and no longer match the filter: ${kept.join(', ')}`,
    ]);
  });

  test('returns the values that a record has just before its deletion', async () => {
    const ids = insert(60);
    changeAt(isDelete, () => table.update(ids[59]!, { note: 'changed' }));
    expect(getOutput(await deleteMany()).at(-1)).toMatchObject({ note: 'changed', _action: 'deleted' });
  });

  test('returns a record that another client deleted as not found, without a request to delete it', async () => {
    const ids = insert(60);
    changeAt(isDelete, () => table.delete(ids[55]!));
    const since = env.service.requests.length;
    const actions = getOutput(await deleteMany()).map(({ _action }) => _action);
    expect(actions.map((action, index) => (action === 'deleted' ? -1 : index)).filter((n) => n >= 0)).toEqual(
      [55],
    );
    expect(actions[55]).toBe('notFound');
    const sent = env.service.requests.slice(since).filter(({ method }) => method === 'DELETE');
    expect(sent).toHaveLength(59);
  });

  test('records that match since the first deletion stay', async () => {
    insert(60);
    changeAt(isDelete, () => insert(1, 100));
    expect(getOutput(await deleteMany())).toHaveLength(60);
    expect(listStates()).toEqual([['k100', 'old']]);
  });

  test('deletes up to 25 records without reading them again', async () => {
    insert(25);
    const since = env.service.requests.length;
    getOutput(await deleteMany());
    expect(env.listRequests(since).filter((pattern) => !pattern.includes('field'))).toHaveLength(1 + 25);
  });
});

describe('Sync', () => {
  const INPUT = [row(0, 'kept'), row(500, 'kept')];

  test.each(['create', 'deletion'] as const)(
    'keeps a record that leaves the filter at the first %s',
    async (at) => {
      table.insert(row(0, 'kept'));
      const ids = insert(60, 1);
      changeAt(at === 'create' ? isCreate : isDelete, () => setState(ids[50], 'new'));
      const run = await sync(INPUT, OLD);
      const actions = getOutput(run).map(({ _action }) => String(_action));
      expect(actions.filter((action) => action === 'deleted')).toHaveLength(59);
      expect(actions.filter((action) => action === 'kept')).toHaveLength(1);
      expect(listStates()).toEqual([
        ['k0', 'kept'],
        ['k51', 'new'],
        ['k500', 'kept'],
      ]);
      expect(getHints(run)).toEqual([
        `1 of 60 records were not deleted, because they changed during the run and no longer match the filter, or match an item now: ${ids[50]}`,
      ]);
    },
  );

  test('keeps a record that an item names by now', async () => {
    const ids = insert(60);
    changeAt(isDelete, () => table.update(ids[55]!, { key: 'k500' }));
    const run = await sync([row(500, 'kept')], { output: 'summary' });
    expect(getOutput(run)).toEqual([
      { created: 1, updated: 0, deleted: 59, unchanged: 0, failed: 0, kept: 1 },
    ]);
    expect(listStates()).toEqual([
      ['k500', 'old'],
      ['k500', 'kept'],
    ]);
  });

  test('deletes records whose key became another, or empty, and returns them as they were last', async () => {
    const ids = insert(60);
    changeAt(isCreate, () => {
      table.update(ids[1]!, { key: 'other' });
      table.update(ids[2]!, { key: '' });
    });
    const deleted = getOutput(await sync([row(500)])).slice(1);
    expect(deleted).toHaveLength(60);
    expect(deleted.slice(1, 3)).toMatchObject([
      { id: ids[1], key: 'other', _action: 'deleted' },
      { id: ids[2], key: '', _action: 'deleted' },
    ]);
  });

  test('deletions need one more request for each 25', async () => {
    const count = scaleSize(75, 500);
    insert(count + 1);
    const since = env.service.requests.length;
    getOutput(await sync([row(0)], { output: 'summary' }));
    const requests = env.service.requests.slice(since).filter(({ pattern }) => pattern.includes('records'));
    expect(requests.filter(isDelete)).toHaveLength(count);
    // Pages and look-ups.
    expect(requests).toHaveLength(count + Math.ceil((count + 1) / 200) + count / 25);
  });
});

describe('another client creates the same keys as Sync', () => {
  const count = (key: string) => listStates().filter(([one]) => one === key).length;
  const INPUT = Array.from({ length: 60 }, (_, n) => row(n, 'new'));

  test('a record that appears before the create is updated', async () => {
    changeAt(isCreate, () => insert(1, 55));
    const run = await sync(INPUT, { deleteMissing: false, output: 'summary' });
    expect(getOutput(run)).toEqual([{ created: 59, updated: 1, deleted: 0, unchanged: 0, failed: 0 }]);
    expect(count('k55')).toBe(1);
    expect(table.records.size).toBe(60);
  });

  test('60 creates need one look-up for each 50, also where the service keeps the key unique', async () => {
    const unique = env.service.addTable({
      name: `Unique ${++tableCount}`,
      fields: [
        { name: 'Key', type: 'Text', unique: true },
        { name: 'State', type: 'Text' },
        { name: 'Note', type: 'Text' },
      ],
    });
    const counts: number[] = [];
    for (table of [table, unique]) {
      const since = env.service.requests.length;
      getOutput(await sync(INPUT, { deleteMissing: false }));
      const requests = env.service.requests.slice(since).filter(({ pattern }) => pattern.includes('records'));
      counts.push(requests.length - 60 - 1);
    }
    expect(counts).toEqual([2, 2]);
  });
});

describe('a long run', () => {
  skipWaits();

  test.each([
    ['Delete Many', () => deleteMany()],
    ['Sync', () => sync([row(500)])],
  ])('%s reads a record again when more than a minute has passed', async (_, run) => {
    const ids = insert(25);
    changeAt(isDelete, () => {
      jest.advanceTimersByTime(61_000);
      table.update(ids[24]!, { key: 'k500', state: 'new' });
    });
    getOutput(await run());
    expect(table.records.get(ids[24]!)).toMatchObject({ state: 'new' });
  });
});

describe('a deletion whose answer is lost', () => {
  skipWaits();

  const RUNS: [name: string, run: () => ReturnType<typeof deleteMany>][] = [
    ['Delete Many', () => deleteMany()],
    ['Sync', () => sync([row(500)])],
  ];
  test.each(RUNS)('%s counts a record as deleted whose answer was lost', async (_, run) => {
    const ids = insert(2);
    table.insert(row(500, 'kept'));
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'after' } });
    const actions = getOutput(await run()).filter(({ id }) => ids.includes(String(id)));
    expect(actions.map(({ _action }) => _action)).toEqual(['deleted', 'deleted']);
    expect(listStates().map(([key]) => key)).toEqual(['k500']);
  });
});

describe('without Continue On Fail, the error says how far the run came', () => {
  skipWaits();

  const CREATE = { pattern: /\/records$/, method: 'POST', skip: 3 };
  // The first POST looks up the keys to create.
  const DELETE = { method: 'DELETE', skip: 1 };
  const REMEDY =
    'changes were made. A repeated run makes the others. To go on after a failure, set "On Error" in the node\'s settings.';
  const AFTER_CREATES = `3 of 7 ${REMEDY}`;
  const AFTER_WRITES = `6 of 7 ${REMEDY}`;
  const REFUSAL = { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } } as const;
  const OUTAGE = { type: 'status', status: 500 } as const;

  test.each([
    ['a refused create', CREATE, REFUSAL, AFTER_CREATES],
    ['a failed create', CREATE, OUTAGE, AFTER_CREATES],
    ['a refused deletion', DELETE, REFUSAL, AFTER_WRITES],
    ['a failed deletion', DELETE, OUTAGE, AFTER_WRITES],
  ])('%s', async (_, when, fault, text) => {
    for (const n of [1, 8, 9]) table.insert(row(n));
    env.service.faults.add({ when, times: 20, fault });
    const input = [row(1, 'new'), ...[2, 3, 4, 5].map((n) => row(n))];
    const { error } = await env.withSettings({ parallelRequests: 1 }, () => sync(input));
    expect((error as { description?: string }).description).toContain(text);
  });
});
