import { range } from 'lodash';
import type { ServiceOptions, Table } from '../../service';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/**
 * A service that drops conditions without an error, in one notation or of one table: it returns, counts and changes every
 * record. Nothing is sent by an operation that changes or deletes what meets the conditions.
 */

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  const env = new TestEnvironment();
  let jobs: Table;
  beforeAll(async () => {
    await env.start({ profile });
    const title = { name: 'Title', type: 'Text' } as const;
    const city = { name: 'City', type: 'Text' } as const;
    const clients = env.service.addTable({ name: 'Clients', fields: [title, city] });
    jobs = env.service.addTable({
      name: 'Jobs',
      fields: [
        { ...title, unique: true },
        { name: 'State', type: 'Text' },
        { name: 'Client', type: 'Connection', to: 'Clients' },
      ],
    });
    const ids = range(4).map((n) => clients.insert({ title: `C${n}`, city: n ? 'York' : 'Leeds' }).id);
    clients.insert({ title: 'Twin', city: 'Bath' });
    clients.insert({ title: 'Twin', city: 'Bath' });
    range(20).forEach((n) =>
      jobs.insert({ title: `J${n}`, state: n < 2 ? 'old' : 'new', client: [ids[n < 2 ? 0 : 1 + (n % 3)]] }),
    );
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.options.ignoredFilters = [];
    env.service.faults.clear();
    env.takeViolations();
  });

  const ignore = (...forms: ServiceOptions['ignoredFilters']) => {
    env.service.options.ignoredFilters = forms;
  };
  const show = () => [...jobs.records.values()].map((job) => JSON.stringify(job)).sort();
  const byJson = (filter: object) => ({ filterMode: 'json', filterJson: JSON.stringify(filter) });

  const run = {
    deleteMany: (filter: object) => env.runRecordOperation('deleteMany', jobs, byJson(filter)),
    sync: (filter: object) =>
      env.runRecordOperation('sync', jobs, {
        columns: toColumns({ title: 'J0' }, ['title']),
        deleteMissing: true,
        maximumDeletions: '100%',
        ...byJson(filter),
      }),
    batchUpdate: (filter: object) =>
      env.runRecordOperation('batchUpdate', jobs, { ...byJson(filter), columns: toColumns({ state: 'X' }) }),
  };

  const OWN = { state: 'old' };
  const THROUGH = { 'client → city': 'Leeds' };
  const UNREAD = /that do not match the filter/;
  const TWIN = /^"Client": 2 records of Clients have the name "Twin"/;

  test.each<[keyof typeof run, object, RegExp, ServiceOptions['ignoredFilters']]>([
    ['deleteMany', OWN, UNREAD, ['primary']],
    ['deleteMany', THROUGH, UNREAD, ['primary of Clients']],
    ['deleteMany', THROUGH, UNREAD, ['primary of Jobs']],
    ['sync', OWN, UNREAD, ['primary']],
    ['sync', THROUGH, UNREAD, ['primary of Clients']],
    ['batchUpdate', OWN, UNREAD, ['symbolic', 'check', 'batch']],
    ['batchUpdate', OWN, UNREAD, ['symbolic']],
    ['batchUpdate', OWN, /^Batch Update would change 20 records, and 2 meet/, ['check', 'batch']],
    ['batchUpdate', THROUGH, /^Filter: Batch Update cannot compare fields of connected records/, []],
    ['deleteMany', { client: 'Twin' }, TWIN, []],
    ['deleteMany', { 'client → title': '' }, /needs a value/, []],
    ['sync', { client: 'Twin' }, TWIN, []],
    ['batchUpdate', { client: 'Twin' }, TWIN, []],
  ])('%s by %j sends nothing: %s (not read: %j)', async (operation, filter, message, forms) => {
    const before = show();
    ignore(...forms);
    const { error } = await run[operation](filter);
    expect(error).toMatchObject({ message: expect.stringMatching(message) as string });
    expect(error!.description).toMatch(/Nothing was (changed|sent)/);
    expect(show()).toEqual(before);
  });

  test.each(['deleteMany', 'sync', 'batchUpdate', 'getAll'])(
    '%s refuses a key that JSON would keep once',
    async (operation) => {
      const before = show();
      const filterJson = '{"state": {"is not": "new"}, "state": {"is not blank": true}}';
      const columns = toColumns({ title: 'J0' }, ['title']);
      const more = { columns, deleteMissing: true, maximumDeletions: '100%' };
      const { error } = await env.runRecordOperation(operation, jobs, {
        filterMode: 'json',
        filterJson,
        ...more,
      });
      expect(error?.message).toBe('Filter (JSON) has the key "state" twice in one object');
      expect(show()).toEqual(before);
    },
  );

  test.each(['deleteMany', 'sync'] as const)(
    '%s sends nothing if the records do not show a compared field',
    async (operation) => {
      const before = show();
      const items = [...jobs.records.values()].slice(0, 2).map(({ id, title }) => ({ id, title }));
      const list = { items, total_items: 2, total_pages: 1, current_page: 1 };
      env.service.faults.add({
        when: { pattern: /\{dataTableId\}\/records$/ },
        times: Infinity,
        fault: { type: 'status', status: 200, body: { type: 'success', ...list } },
      });
      const { error } = await run[operation]({ state: { 'is not': 'new' } });
      expect(error).toMatchObject({
        message: expect.stringMatching(/^The service returned 2 records that do not match/) as string,
        description: expect.stringContaining('does not show its field') as string,
      });
      expect(show()).toEqual(before);
    },
  );

  test('a batch update that changes more than was counted is an error, and Undo takes what it holds', async () => {
    const before = show();
    ignore('batch');
    const { error } = await run.batchUpdate(OWN);
    expect(error).toMatchObject({
      message: 'The service changed 20 records, and 2 met the conditions',
      description: expect.stringContaining('give them to the operation Undo') as string,
    });
    const { oldRecords } = (error as unknown as { context: { data: { oldRecords: object[] } } }).context.data;
    expect(oldRecords).toHaveLength(2);
    ignore();
    const undone = await env.runRecordOperation('undo', jobs, { dryRun: false }, oldRecords as never);
    expect(getOutput(undone)).toMatchObject([{ _action: 'updated' }, { _action: 'updated' }]);
    const left = [...jobs.records.values()].filter(({ state }) => state === 'X').map(({ id }) => id);
    expect(left).toHaveLength(18);
    for (const id of left) jobs.update(id, { state: 'new' });
    expect(show()).toEqual(before);
  });

  test('a batch update that changes fewer records than it selected is an error', async () => {
    const before = show();
    const [first, second] = [...jobs.records.values()].filter(({ state }) => state === 'old');
    const { requests } = env.service;
    const push = requests.push.bind(requests);
    // Somebody changes a record after it was counted.
    requests.push = (...arrived) => {
      if (arrived.some(({ path }) => path.endsWith('/batch-update')))
        jobs.update(first!.id, { state: 'new' });
      return push(...arrived);
    };
    const { error } = await run.batchUpdate(OWN);
    requests.push = push;
    expect(error).toMatchObject({ message: 'The service changed 1 records, and 2 met the conditions' });
    for (const job of [first, second]) jobs.update(job!.id, { state: 'old' });
    expect(show()).toEqual(before);
  });

  test('a batch update takes its two readings, and counts each record once', async () => {
    const client = [...env.getTable('Clients').records.keys()][1]!;
    const since = env.service.requests.length;
    const meant = [...jobs.records.values()].filter(({ client: ids }) => (ids as string[]).includes(client));
    const changed = getOutput(await run.batchUpdate({ client: { id: client } }));
    expect(changed).toMatchObject([{ total: meant.length }]);
    const paths = env.service.requests
      .slice(since)
      .map(({ method, path }) => `${method} ${path.split('/records')[1]}`);
    expect(paths.filter((path) => /batch/.test(path))).toEqual([
      'GET /batch-update-check',
      'POST /batch-update',
    ]);
  });

  test('Get Many says that a condition was not read', async () => {
    ignore('primary');
    const found = await env.runRecordOperation('getAll', jobs, { returnAll: true, ...byJson(OWN) });
    expect(getOutput(found)).toHaveLength(20);
    expect(JSON.stringify(found.getHints('Node'))).toContain('18 of 20 records do not match the filter');
  });
});
