import { range } from 'lodash';
import type { RecordedRequest, Table } from '../../service';
import { AUTO_MAP, getOutput, TestEnvironment, toColumns, toLocator } from '../support/testEnvironment';

/**
 * A field that is renamed after its table was read, and before the records are: the service drops conditions on the old slug,
 * and no record shows it. Nothing may be changed by a comparison with a field that is not there.
 */

const isList = ({ method, intent, path }: RecordedRequest) =>
  path.endsWith('/records') && (method === 'GET' || intent === 'list');
const isWrite = ({ method, intent }: RecordedRequest) =>
  method === 'DELETE' || (method === 'POST' && intent !== 'list');
const GONE = (slug: string) => new RegExp(`no (longer has the )?field "${slug}"`);

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  let env: TestEnvironment;
  beforeAll(
    async () => (env = await TestEnvironment.start({ profile, sample: 'empty', perMinute: 100_000 })),
  );
  afterAll(() => env.stop());
  afterEach(() => {
    env.service.faults.clear();
    // A request may name the field that is gone.
    env.takeViolations();
  });

  let table: Table;
  let count = 0;

  /** A table with records: every second State is `old`. */
  function open(records: number, { unique = false } = {}): void {
    table = env.service.addTable({
      name: `Jobs ${++count}`,
      fields: [
        { name: 'Key', type: 'Text', unique },
        { name: 'State', type: 'Text' },
        { name: 'Note', type: 'Text' },
      ],
    });
    for (const n of range(records))
      table.insert({ key: `k  ${n}`, state: n % 2 ? 'old' : 'new', note: `n${n}` });
  }

  /** Renames a field. Its values stay. */
  const rename = (slug: string, of = table) =>
    Object.assign(
      of.fields.find((field) => field.slug === slug)!,
      { slug: `${slug}_2`, name: `${slug} 2` },
    );

  /** Renames a field when the service has received the n-th request of a kind, and before it answers it. */
  function renameAt(
    isDue: (request: RecordedRequest) => boolean,
    nth: number,
    slug: string,
    of = table,
  ): void {
    const since = env.service.requests.length;
    let isDone = false;
    const until = {
      then(resolve: () => void) {
        if (!isDone && env.service.requests.slice(since).filter(isDue).length >= nth) {
          isDone = true;
          rename(slug, of);
        }
        resolve();
      },
    };
    env.service.faults.add({
      times: Infinity,
      fault: { type: 'hold', until: until as unknown as Promise<void> },
    });
  }

  /** Another execution reads the fields, which are cached from here on. */
  const cacheFields = async () => getOutput(await env.runRecordOperation('getAll', table, { limit: 1 }));

  const read = () => structuredClone([...table.records.values()]);
  const where = (operator: string) => ({
    filterMode: 'manual',
    conditions: { items: [{ field: 'state|text', operator, value: 'old' }] },
  });

  describe('conditions that a missing value meets', () => {
    test.each([
      ['is not', 1, 30],
      ['is blank', 1, 30],
      ['is not', 3, 900],
    ])('Delete Many, %s, renamed at page %i: nothing is deleted', async (operator, page, records) => {
      open(records);
      renameAt(isList, page, 'state');
      const before = read();
      const { error } = await env.runRecordOperation('deleteMany', table, {
        ...where(operator),
        maximum: 5_000,
      });
      expect(table.records.size).toBe(before.length);
      expect(error?.message).toMatch(GONE('state'));
    });

    test('Delete Many through a connection: nothing is deleted', async () => {
      const firms = env.service.addTable({
        name: `Firms ${++count}`,
        fields: [
          { name: 'Title', type: 'Text' },
          { name: 'City', type: 'Text' },
        ],
      });
      const { id } = firms.insert({ title: 'Mill', city: 'Leeds' });
      table = env.service.addTable({
        name: `Orders ${count}`,
        fields: [
          { name: 'Key', type: 'Text' },
          { name: 'Firm', type: 'Connection', to: firms.name, many: false },
        ],
      });
      for (const n of range(5)) table.insert({ key: `k${n}`, firm: [id] });
      renameAt((request) => isList(request) && request.path.includes(firms.id), 1, 'city', firms);
      const { error } = await env.runRecordOperation('deleteMany', table, {
        filterMode: 'json',
        filterJson: '{"firm.city": {"is not": "Leeds"}}',
        maximum: 100,
      });
      expect(table.records.size).toBe(5);
      expect(error?.message).toMatch(GONE('city'));
    });

    test('the scope of a Sync: no record outside of it is deleted', async () => {
      open(30, { unique: true });
      renameAt(isList, 1, 'state');
      const { error } = await env.runRecordOperation(
        'sync',
        table,
        {
          ...where('is not'),
          columns: toColumns({ key: '={{ $json.key }}' }, ['key']),
          deleteMissing: true,
          maximumDeletions: '100%',
        },
        [{ key: 'k  0' }],
      );
      expect(read().filter(({ state }) => state === 'old')).toHaveLength(15);
      expect(error?.message).toMatch(GONE('state'));
    });

    test('Batch Update: no record is changed', async () => {
      open(30);
      renameAt(({ query }) => JSON.stringify(query).includes('_zmode'), 1, 'state');
      const before = read();
      const { error } = await env.runRecordOperation('batchUpdate', table, {
        ...where('is not'),
        columns: toColumns({ note: 'changed' }),
        maximumRecords: 1_000,
      });
      expect(read()).toEqual(before);
      expect(error?.message).toMatch(GONE('state'));
    });
  });

  test.each([
    [true, 1, 30],
    [true, 3, 900],
    [false, 1, 30],
  ])(
    'Sync by a key (unique: %p) that is renamed at page %i: nothing is created or deleted',
    async (unique, page, records) => {
      open(records, { unique });
      renameAt(isList, page, 'key');
      const before = read();
      const input = before.map(({ key, state }) => ({ key, state }));
      const { error } = await env.runRecordOperation(
        'sync',
        table,
        {
          columns: { ...AUTO_MAP, matchingColumns: ['key'] },
          deleteMissing: true,
          maximumDeletions: '100%',
        },
        input,
      );
      expect(read()).toEqual(before);
      expect(error?.message).toMatch(GONE('key'));
    },
  );

  describe('fields that another execution has read', () => {
    const KEYS = range(50).map((n) => ({ key: `k  ${n}`, state: 'changed' }));

    test.each([1, 50])('Create or Update of %i items by a renamed key creates nothing', async (length) => {
      open(60);
      await cacheFields();
      rename('key');
      const before = read();
      const { error } = await env.run(
        {
          resource: 'record',
          operation: 'upsert',
          dataTableId: toLocator(table.id),
          columns: { ...AUTO_MAP, matchingColumns: ['key'] },
        },
        KEYS.slice(0, length),
      );
      expect(read()).toEqual(before);
      expect(error?.message).toMatch(GONE('key'));
    });

    test.each([1, 50])('Look Up of %i items by a renamed key finds no "not found"', async (length) => {
      open(60);
      await cacheFields();
      rename('key');
      const run = await env.run(
        {
          resource: 'record',
          operation: 'lookUp',
          dataTableId: toLocator(table.id),
          columns: toColumns({ key: '={{ $json.key }}' }),
        },
        KEYS.slice(0, length),
      );
      expect(run.error?.message).toMatch(GONE('key'));
    });
  });

  test('Batch Update: a value whose field is renamed is not reported as written', async () => {
    open(30);
    renameAt(({ path }) => path.includes('batch-update-check'), 1, 'note');
    const { error } = await env.runRecordOperation('batchUpdate', table, {
      ...where('is'),
      columns: toColumns({ note: 'changed' }),
      maximumRecords: 1_000,
    });
    expect(read().filter(({ note }) => note === 'changed')).toEqual([]);
    expect(error?.message).toMatch(GONE('note'));
  });

  describe('the error of a field that is renamed during the writes holds the old values', () => {
    const getOldRecords = (error: unknown) =>
      (error as { context: { data?: { oldRecords?: object[] } } }).context.data?.oldRecords ?? [];

    test('of updated records', async () => {
      open(10);
      renameAt(isWrite, 5, 'note');
      const items = read().map(({ id }) => ({ id, state: 'changed', note: 'changed' }));
      const { error } = await env.withSettings({ parallelRequests: 1 }, () =>
        env.runRecordOperation(
          'update',
          table,
          { recordId: { ...toLocator(''), value: '={{ $json.id }}' }, columns: AUTO_MAP },
          items,
        ),
      );
      const changed = read().filter(({ state }) => state === 'changed');
      expect(changed.length).toBeGreaterThan(3);
      expect(error?.message).toMatch(GONE('note'));
      const old = getOldRecords(error);
      // The record at which a run stops is in its error.
      expect(old.length).toBeGreaterThanOrEqual(changed.length - 1);
    });

    test('with Continue On Fail: each item has its own', async () => {
      open(10);
      renameAt(isWrite, 5, 'note');
      const items = read().map(({ id }) => ({ id, state: 'changed', note: 'changed' }));
      const run = await env.runRecordOperation(
        'update',
        table,
        { recordId: { ...toLocator(''), value: '={{ $json.id }}' }, columns: AUTO_MAP },
        items,
        { onError: 'continueRegularOutput' },
      );
      const outputs = run.getJson('Node');
      expect(outputs).toHaveLength(items.length);
      expect(outputs.filter(({ error }) => error !== undefined)).not.toEqual([]);
      for (const [index, { details }] of outputs.entries()) {
        const { oldRecords = [] } = (details ?? {}) as { oldRecords?: Array<{ id: string }> };
        for (const { id } of oldRecords) expect(id).toBe(items[index]!.id);
      }
    });

    test('of deleted records', async () => {
      open(10);
      renameAt(isWrite, 2, 'note');
      const { error } = await env.withSettings({ parallelRequests: 1 }, () =>
        env.runRecordOperation(
          'sync',
          table,
          {
            columns: { ...AUTO_MAP, matchingColumns: ['key'] },
            deleteMissing: true,
            maximumDeletions: '100%',
          },
          ['a', 'b', 'c'].map((key) => ({ key, note: 'new' })),
        ),
      );
      const isGone = read().filter(({ state }) => state !== '').length < 10;
      expect(error?.message).toMatch(GONE('note'));
      expect(getOldRecords(error).length).toBeGreaterThanOrEqual(isGone ? 10 : 1);
    });
  });
});
