import { omit, pick } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { createNode, type NodeJson, type WorkflowJson } from '../../harness';
import { createSeed, scaleRuns } from '../../randomness';
import type { FieldDefinition, StoredRecord, Table } from '../../service';
import { Random } from '../../service/state/random';
import { findSampleIds, runOperation } from '../support/runOperation';
import { AUTO_MAP, getOutput, START, toColumns, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Undo takes the items of a run, and sets back what nobody has changed since. */

skipWaits();
const env = useTestEnvironment();
let table: Table;
let tableCount = 0;
beforeEach(() => addTable());

function addTable(...more: FieldDefinition[]): void {
  table = env.service.addTable({
    name: `Undone ${++tableCount}`,
    fields: [
      { name: 'Code', type: 'Text' },
      { name: 'Note', type: 'Text' },
      { name: 'Price', type: 'Currency' },
      { name: 'Done', type: 'Decision Box' },
      { name: 'Person', type: 'Name' },
      { name: 'Tags', type: 'Multi-select', options: ['a', 'b', 'c'] },
      { name: 'Day', type: 'Date' },
      { name: 'Owner', type: 'Connection', to: 'Customers', many: false },
      { name: 'Others', type: 'Connection', to: 'Customers', many: true },
      { name: 'Term', type: 'Calendar' },
      { name: 'Stay', type: 'Date Range' },
      { name: 'Home', type: 'Address' },
      { name: 'Site', type: 'Link' },
      ...more,
    ],
  });
}

const run = (operation: string, parameters: object, input: object[] = [{}], extra: object = {}) =>
  env.runRecordOperation(operation, table, parameters, input as never, extra);
const undo = async (items: object[], parameters: object = {}) =>
  getOutput(
    await run('undo', { dryRun: false, options: { maximumDeletions: '100%' }, ...parameters }, items),
  );

const matching = { ...AUTO_MAP, matchingColumns: ['code'] };
const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'note|text', operator: 'is exact', value: 'scope' }] },
};
const BATCH = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'note|text', operator: 'is', value: 'scope' }] },
};
const toPerson = (first_name: string, last_name = '') => ({
  title: '',
  first_name,
  middle_name: '',
  last_name,
});
const HOME = { address: '', address2: '', city: '', state: '', zip: '', country: '' };
/** A day is its midnight. Without `all_day`, a range is not one of whole days; without ends, it has no meaning. */
const normalizeRange = ({ start, end, all_day }: Record<string, unknown>) => ({
  ends: [start, end].map((one) => one && String(one).padEnd(19, ' 00:00:00')),
  isAllDay: all_day === 'Yes' && Boolean(start || end),
});
const getValues = (record: StoredRecord): Record<string, unknown> => ({
  ...omit(record, ['id', 'created_at', 'auto_increment']),
  term: normalizeRange(record.term as never),
  stay: normalizeRange(record.stay as never),
  home: pick(record.home as typeof HOME, Object.keys(HOME)),
});
const copyTable = () =>
  new Map([...table.records].map(([id, record]) => [id, structuredClone(getValues(record))]));

test('an update of a field that the service does not show cannot be undone, and the item says so', async () => {
  const { id } = table.insert({ code: 'a', note: 'old' });
  const body = { type: 'success', item: { id, code: 'a' } };
  for (const method of ['GET', 'POST'])
    env.service.faults.add({
      times: Infinity,
      when: { method, pattern: /records\/\{recordId\}$/ },
      fault: { type: 'status', status: 200, body, when: 'after' },
    });
  const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'new' }) }));
  expect(items).toMatchObject([{ _action: 'updated', _before: {}, note: 'new' }]);
  expect(await undo(items)).toMatchObject([
    { _action: 'left', _reason: 'the item lacks the old value of "Note"' },
  ]);
  env.service.faults.clear();
  expect(table.records.get(id)!.note).toBe('new');
});

test('an item of Delete holds no values, also where a field is called Deleted', async () => {
  addTable({ name: 'Deleted', type: 'Decision Box' });
  const { id } = table.insert({ code: 'a' });
  const items = getOutput(await run('delete', { recordId: id }));
  expect(await undo(items)).toMatchObject([
    { _action: 'left', _reason: 'the item does not hold its values' },
  ]);
  expect(table.records.size).toBe(0);
});

test('a dry run returns what would be done, and changes nothing', async () => {
  const { id } = table.insert({ code: 'a', note: 'old' });
  const items = getOutput(
    await run('upsert', { columns: matching }, [{ code: 'a', note: 'new' }, { code: 'b' }]),
  );
  const before = copyTable();
  const planned = getOutput(await run('undo', { options: { maximumDeletions: '1' } }, items));
  expect(planned).toMatchObject([
    { _action: 'delete', _dryRun: true },
    { _action: 'update', _dryRun: true, _before: { note: 'new' }, id, note: 'old' },
  ]);
  expect(copyTable()).toEqual(before);
});

describe('all items are needed in one run: nothing is sent', () => {
  const noOp = (name: string) => createNode(name, 'n8n-nodes-base.noOp');
  const loop = createNode('Loop', 'n8n-nodes-base.splitInBatches', { batchSize: 1 });
  const to = (...names: string[]) => names.map((node) => ({ node, type: 'main', index: 0 }));

  test.each<[string, NodeJson[], object, object, string, number]>([
    [
      'with the setting Execute Once',
      [],
      { Start: { main: [to('Undo')] } },
      { executeOnce: true },
      'Undo: the node has the setting "Execute Once", so it receives only the first item',
      2,
    ],
    [
      'in a loop',
      [loop],
      {
        Start: { main: [to('Loop')] },
        Loop: { main: [[], to('Undo')] },
        Undo: { main: [to('Loop')] },
      },
      {},
      'Undo: the node is in a loop',
      2,
    ],
    [
      'in a second run of the node',
      [loop, noOp('Inside')],
      {
        Start: { main: [to('Loop')] },
        Loop: { main: [[], to('Inside')] },
        Inside: { main: [to('Undo', 'Loop')] },
      },
      {},
      'Undo: the node ran before in this execution, and Undo takes what it changed',
      1,
    ],
  ])('%s', async (_, nodes, connections, extra, message, left) => {
    const made = getOutput(await run('upsert', { columns: matching }, [{ code: 'x1' }, { code: 'x2' }]));
    const parameters = {
      resource: 'record',
      operation: 'undo',
      dataTableId: toLocator(table.id),
      dryRun: false,
      options: { maximumDeletions: '100%' },
    };
    const undoNode = createNode('Undo', TYPE, parameters, extra);
    const workflow = { nodes: [START, ...nodes, undoNode], connections } as WorkflowJson;
    const { error } = await env.engine.run(workflow, { input: made.map((json) => ({ json })) as never });
    expect(error?.message).toBe(message);
    expect(table.records.size).toBe(left);
  });
});

test('items of another table are refused by name, also if it has the same fields and IDs', async () => {
  const { id } = table.insert({ code: 'a', note: 'old' });
  const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'new' }) }));
  const own = table;
  addTable();
  const { error } = await run('undo', { dryRun: false }, items);
  expect(error?.message).toBe(
    `The items are changes of the table "${own.name}", and Undo is set to "${table.name}"`,
  );
  expect(own.records.get(id)).toMatchObject({ note: 'new' });
  table = own;
  // Items of older versions do not name their table.
  expect(await undo(items.map((item) => omit(item, '_tableId')))).toMatchObject([{ _action: 'updated' }]);
});

test.each(['created', 'deleted'])(
  'an item whose action was changed to %s by hand is refused by name',
  async (_action) => {
    const { id } = table.insert({ code: 'a', note: 'old' });
    const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'new' }) }));
    const { error } = await run('undo', { dryRun: false, options: { maximumDeletions: '100%' } }, [
      { ...items[0], _action },
    ]);
    expect(error?.message).toBe(`Item 1: record ${id} has "_before", and its "_action" is "${_action}"`);
    expect(table.records.get(id)).toMatchObject({ note: 'new' });
  },
);

test('what somebody has changed since is left, with the reason', async () => {
  const { id } = table.insert({ code: 'a', note: 'old', price: 1 });
  const items = getOutput(
    await run('update', { recordId: id, columns: toColumns({ note: 'new', price: 2 }) }),
  );
  table.update(id, { note: 'theirs' });
  const [left] = await undo(items);
  expect(left).toEqual({
    _action: 'left',
    _tableId: table.id,
    _reason: 'it was changed after the run: "Note" is "theirs", and the run wrote "new"',
    id,
  });
  expect(table.records.get(id)).toMatchObject({ note: 'theirs', price: 2 });
});

test('a field that the run did not write may have changed', async () => {
  const { id } = table.insert({ code: 'a', note: 'old', price: 1 });
  const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'new' }) }));
  table.update(id, { price: 9 });
  expect(await undo(items)).toMatchObject([{ _action: 'updated', id, note: 'old' }]);
  expect(table.records.get(id)).toMatchObject({ note: 'old', price: 9 });
});

test('a created record is deleted within Maximum Deletions, unless somebody has filled a field', async () => {
  for (let n = 0; n < 5; n++) table.insert({ code: `r${n}` });
  const rows = ['x', 'y', 'z', 'w', 'v'].map((code) => ({ code }));
  const items = getOutput(await run('upsert', { columns: matching }, rows));
  table.update(String(items[0]!.id), { note: 'theirs' });
  const refused = await run('undo', { dryRun: false }, items);
  expect(refused.error?.message).toBe(
    '4 of the 10 records of the table would be deleted, because the run created them, and Maximum Deletions allows 3 (the larger of 3 records and 20%)',
  );
  expect(table.records.size).toBe(10);
  const done = await undo(items);
  expect(done.map(({ _action }) => _action).sort()).toEqual([
    'deleted',
    'deleted',
    'deleted',
    'deleted',
    'left',
  ]);
  expect([...table.records.values()].filter(({ code }) => code === 'x')).toHaveLength(1);
});

test('deleted records are created anew, and a second undo makes no others', async () => {
  const { id } = table.insert({
    code: 'a',
    note: 'scope',
    person: toPerson('Ada'),
    tags: ['a', 'b'],
    done: 1,
  });
  const before = getValues(table.records.get(id)!);
  const items = getOutput(await run('deleteMany', FILTER));
  const [created] = await undo(items);
  expect(created).toMatchObject({ _action: 'created', _restores: id });
  expect([...table.records.values()].map(getValues)).toEqual([before]);
  expect(await undo(items)).toMatchObject([
    { _action: 'left', _reason: `record ${String(created!.id)} has its values`, id },
  ]);
  expect(table.records.size).toBe(1);
});

test('records that a run deleted and created again are both undone', async () => {
  const rows = [
    { code: 'a', note: 'scope' },
    { code: 'b', note: 'scope' },
  ];
  for (const row of rows) table.insert(row);
  const before = [...table.records.values()].map(getValues);
  const deleted = getOutput(await run('deleteMany', FILTER));
  const created = getOutput(await run('upsert', { columns: matching }, rows));
  const done = await undo([...deleted, ...created]);
  expect(done.map(({ _action }) => _action)).toEqual(['deleted', 'deleted', 'created', 'created']);
  expect([...table.records.values()].map(getValues)).toEqual(before);
});

test('one record stands for one of two equal ones that were deleted', async () => {
  for (let n = 0; n < 2; n++) table.insert({ code: 'a', note: 'scope' });
  const items = getOutput(await run('deleteMany', FILTER));
  await undo(items.slice(0, 1));
  const done = await undo(items);
  expect(done.map(({ _action }) => _action).sort()).toEqual(['created', 'left']);
  expect(table.records.size).toBe(2);
  expect(await undo(items)).toMatchObject([{ _action: 'left' }, { _action: 'left' }]);
  expect(table.records.size).toBe(2);
});

test('the next try of Retry On Fail undoes the rest, and returns all', async () => {
  for (let n = 0; n < 3; n++) table.insert({ code: 'a', note: 'scope' });
  const items = getOutput(await run('deleteMany', FILTER));
  const refusal = { type: 'status', status: 422 };
  const pattern = 'POST /api/v1/data-tables/{dataTableId}/records';
  env.service.faults.add({ when: { pattern, intent: 'create', skip: 1 }, times: 1, fault: refusal } as never);
  const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
  const done = await run('undo', { dryRun: false }, items, retry);
  expect(getOutput(done).map(({ _action }) => _action)).toEqual(['created', 'created', 'created']);
  expect(new Set(getOutput(done).map(({ id }) => id))).toEqual(new Set(table.records.keys()));
  expect(table.records.size).toBe(3);
});

test.each(['New', 'new '])('a change of case or blanks counts: %j', async (note) => {
  const { id } = table.insert({ code: 'a', note: 'old' });
  const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'new' }) }));
  table.update(id, { note });
  expect(await undo(items)).toMatchObject([{ _action: 'left', id }]);
  expect(table.records.get(id)).toMatchObject({ note });
});

test('a created record is left if a file in it cannot be compared', async () => {
  addTable({ name: 'Scan', type: 'File' });
  const toBinary = (text: string) => ({
    data: { data: Buffer.from(text).toString('base64'), mimeType: 'text/plain', fileName: 'a.txt' },
  });
  const input = [{ json: { code: 'a' }, binary: toBinary('ours') }];
  const columns = toColumns({ code: 'a', scan: 'data' }, ['code']);
  // An answer may have the ID alone.
  const [written] = getOutput(await run('upsert', { columns }, input));
  const created = omit(written, 'scan');
  const [left] = await undo([created]);
  const reason = 'what "Scan" holds is not in the item, or cannot be compared with it';
  expect(left).toMatchObject({ _action: 'left', _reason: reason });
  const [read] = getOutput(await run('get', { recordId: created.id, simplify: 'off' }));
  expect(read!.scan).toBeTruthy();
  const shown = { ...created, scan: read!.scan };
  const theirs = [{ json: {}, binary: toBinary('theirs') }];
  await run('update', { recordId: created.id, columns: toColumns({ scan: 'data' }) }, theirs);
  expect(await undo([shown])).toMatchObject([{ _action: 'left', _reason: reason }]);
  const [now] = getOutput(await run('get', { recordId: created.id, simplify: 'off' }));
  const same = { ...created, scan: now!.scan };
  table.update(String(created.id), { scan: '' });
  expect(await undo([same])).toMatchObject([{ _action: 'left', _reason: reason }]);
  const [other] = getOutput(
    await run('upsert', { columns: toColumns({ code: 'b', scan: 'data' }, ['code']) }, input),
  );
  const [kept] = getOutput(await run('get', { recordId: other!.id, simplify: 'off' }));
  expect(await undo([{ ...other, scan: kept!.scan }])).toMatchObject([{ _action: 'deleted' }]);
});

test('a created record is left if a password in it cannot be compared', async () => {
  addTable({ name: 'Pin', type: 'Password' });
  const columns = toColumns({ code: 'a', pin: 'secret' }, ['code']);
  const [left] = await undo(getOutput(await run('upsert', { columns })));
  expect(left).toMatchObject({
    _action: 'left',
    _reason: 'what "Pin" holds is not in the item, or cannot be compared with it',
  });
  const blank = getOutput(await run('upsert', { columns: toColumns({ code: 'b', pin: '' }, ['code']) }));
  expect(await undo(blank)).toMatchObject([{ _action: 'deleted' }]);
});

test('fields that the table does not have, and values that it does not take, concern their record alone', async () => {
  const [one, other] = ['a', 'b'].map((code) => table.insert({ code, note: 'old' }).id);
  const toItem = (id: string, values: object, before: object) => ({
    _action: 'updated',
    _before: before,
    id,
    note: 'old',
    ...values,
  });
  const bad = [
    toItem(one!, { gone: 'x', note: 'old' }, { gone: 'y', note: 'older' }),
    toItem(other!, {}, { note: 'older' }),
  ];
  expect(await undo(bad)).toMatchObject([
    { _action: 'updated', id: other, note: 'older' },
    {
      _action: 'left',
      id: one,
      _reason: 'the old value of "gone" cannot be written',
    },
  ]);
  const invalid = [toItem(one!, {}, { day: 'never' }), toItem(other!, { note: 'older' }, { note: 'oldest' })];
  expect(await undo(invalid)).toMatchObject([
    { _action: 'updated', id: other, note: 'oldest' },
    { _action: 'left', id: one, _reason: 'the old value of "Day" cannot be written' },
  ]);
  const values = { created_at: '2025-03-01 09:00:00', auto_increment: 7, _page: 1, owner_record: {} };
  const deleted = {
    _action: 'deleted',
    id: 'x9Unknown0',
    code: 'c',
    gone: 'x',
    blank: '',
    day: 'never',
    ...values,
  };
  expect(await undo([deleted])).toMatchObject([
    {
      _action: 'created',
      code: 'c',
      _reason: expect.stringMatching(/^the values of "gone", "Day" are lost; the item lacks "Note"/),
    },
  ]);
});

test('a range that does not say whether it is of whole days is as the run wrote it', async () => {
  const row = {
    code: 'a',
    term: { start: '2025-03-01', end: '2025-03-02' },
    stay: { start: '2025-03-01 09:00:00', end: '2025-03-01 10:00:00' },
  };
  const items = getOutput(await run('upsert', { columns: matching }, [row]));
  const next = { ...row, stay: { ...row.stay, end: '2025-03-01 11:00:00' } };
  const updated = getOutput(await run('upsert', { columns: matching }, [next]));
  expect(await undo(updated)).toMatchObject([{ _action: 'updated' }]);
  expect([...table.records.values()]).toMatchObject([{ stay: { end: '2025-03-01 10:00:00' } }]);
  expect(await undo(items)).toMatchObject([{ _action: 'deleted' }]);
});

const UPDATE = 'POST /api/v1/data-tables/{dataTableId}/records/{recordId}';
test('a refused record says how to go on', async () => {
  const { id } = table.insert({ code: 'a', note: 'old' });
  const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'new' }) }));
  env.service.faults.add({ when: { pattern: UPDATE }, fault: { type: 'status', status: 422 } } as never);
  const { error } = await run('undo', { dryRun: false }, items);
  expect((error as { description?: string }).description).toMatch(
    /0 of 1 changes were made\. A repeated run makes the others\. To go on after a failure, set "On Error"/,
  );
});

test('what was saved through a component is set back in its table', async () => {
  const { pageId, componentId } = await findSampleIds(env);
  const customers = env.getTable('Customers');
  const [customer] = [...customers.records.values()].filter(({ status }) => status === 'active');
  const { id, notes } = customer!;
  const place = { pageId: toLocator(pageId!), componentId: toLocator(componentId!) };
  const save = {
    resource: 'component',
    operation: 'save',
    ...place,
    recordId: id,
    columns: toColumns({ notes: 'saved' }),
  };
  const items = getOutput(await runOperation(env, 'RecordDatabasePages', save));
  expect(items).toMatchObject([{ _action: 'updated', _before: { notes }, id, notes: 'saved' }]);
  table = customers;
  expect(await undo(items)).toMatchObject([{ _action: 'updated', id }]);
  expect(customers.records.get(id)).toMatchObject({ notes });
});

test('items that are no changes are an error if there are no others', async () => {
  const { error } = await run('undo', {}, [{ company: 'x' }, { _action: 'unchanged', id: 'a' }]);
  expect(error?.message).toBe('No item of the input is a change of a record');
  const { id } = table.insert({ code: 'a' });
  const items = getOutput(await run('update', { recordId: id, columns: toColumns({ note: 'x' }) }));
  const mixed = await run('undo', {}, [...items, { company: 'x' }]);
  expect(getOutput(mixed)).toMatchObject([{ _action: 'update', id, note: '' }]);
  expect(mixed.getHints('Node').map(({ message }) => message)).toContain(
    '1 of 2 items are no changes, and were passed over.',
  );
});

test('20 updates need a page, and one request for each record', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => table.insert({ code: `c${n}`, note: 'scope' }).id);
  const options = { returnOldRecords: true };
  const items = getOutput(
    await run('batchUpdate', { ...BATCH, columns: toColumns({ note: 'new' }), options }),
  );
  expect(items).toHaveLength(20);
  const since = env.service.requests.length;
  await undo(items);
  expect(ids.map((id) => table.records.get(id)!.note)).toEqual(ids.map(() => 'scope'));
  expect(env.listRequests(since).filter((pattern) => pattern.includes('records'))).toHaveLength(1 + 20);
});

const listOwners = () => [...env.getTable('Customers').records.keys()].slice(0, 2);
const WORDS = ['', 'x', 'y', 'scope', 'ä b'];
const createRow = (random: Random, index: number) => ({
  code: `k${index}`,
  note: random.pick(WORDS),
  price: random.pick([null, 1, 2.5, 0]),
  done: random.pick([0, 1]),
  person: random.pick([toPerson(''), toPerson('Ada'), toPerson('Bo', 'L')]),
  tags: random.pick([[], ['a'], ['a', 'b']]),
  day: random.pick([null, '2025-03-01']),
  owner: random.pick([[], [listOwners()[0]!]]),
  others: random.pick([[], listOwners(), listOwners().slice(1)]),
  term: random.pick([
    { start: null, end: null },
    { start: '2025-03-01', end: '2025-03-02' },
  ]),
  stay: random.pick([
    { start: null, end: null },
    { start: '2025-03-01 09:00:00', end: '2025-03-01 10:00:00' },
    { start: '2025-03-01 00:00:00', end: '2025-03-02 00:00:00', all_day: 'Yes' },
  ]),
  home: { ...HOME, city: random.pick(['', 'Leeds']), zip: random.pick(['', '012']) },
  site: { link: random.pick(['', 'https://example.com/a']) },
});

/** Runs a random operation, and returns its items that are changes. */
async function change(random: Random, ids: string[]): Promise<object[]> {
  const row = (index: number) => {
    const { code, ...values } = createRow(random, index);
    const keys = Object.keys(values).filter(() => random.nextBoolean(0.5));
    return { code, ...Object.fromEntries(keys.map((key) => [key, values[key as 'note']])) };
  };
  const rows = Array.from({ length: random.nextInt(1, 4) }, () => row(random.nextInt(0, 6)));
  const unique = [...new Map(rows.map((one) => [one.code, one])).values()];
  const simplify = { simplify: random.pick(['slugs', 'names', 'off']) };
  const on = { onError: 'continueErrorOutput' };
  const draw = random.nextInt(0, 4);
  const options = { returnOldRecords: true, dryRun: false };
  const started =
    draw === 0
      ? run(
          'update',
          { ...simplify, recordId: random.pick(ids), columns: AUTO_MAP },
          [omit(rows[0]!, 'code')],
          on,
        )
      : draw === 1
        ? run('upsert', { ...simplify, columns: matching }, rows, on)
        : draw === 2
          ? run(
              'sync',
              { ...simplify, columns: matching, deleteMissing: true, maximumDeletions: '100%' },
              unique,
              on,
            )
          : draw === 3
            ? run('deleteMany', FILTER, [{}], on)
            : run('batchUpdate', { ...BATCH, columns: toColumns({ price: 7 }), options }, [{}], on);
  return (await started).getJson('Node', 0);
}

test('500 random runs, with other writers and faults: afterwards each record is as before, or named', async () => {
  const random = new Random(createSeed());
  const seen = new Set<string>();
  for (let n = 0; n < Math.max(10, scaleRuns(500)); n++) {
    addTable();
    const ids = Array.from(
      { length: random.nextInt(1, 6) },
      (_, index) => table.insert(createRow(random, index)).id,
    );
    const before = copyTable();
    const items = await change(random, ids);
    if (random.nextBoolean(0.3)) items.push(...(await change(random, ids)));
    const changed = copyTable();
    // Somebody changes or deletes a record meanwhile.
    const touched =
      random.nextBoolean(0.5) && table.records.size > 0 ? random.pick([...table.records.keys()]) : '';
    const isRemoved = touched !== '' && random.nextBoolean(0.2);
    const note = `theirs ${n}`;
    if (isRemoved) table.delete(touched);
    else if (touched !== '') table.update(touched, { note });
    const left = copyTable();
    if (random.nextBoolean(0.3))
      env.service.faults.add({
        when: { nth: random.nextInt(1, 6) },
        fault: random.pick([
          { type: 'reset', when: 'before' },
          { type: 'reset', when: 'after' },
          { type: 'status', status: 500 },
        ]),
      } as never);
    const done = await run('undo', { dryRun: false, options: { maximumDeletions: '100%' } }, items, {
      onError: 'continueRegularOutput',
    });
    env.service.faults.clear();
    const results = done.getJson('Node');
    const isNamed = (id: string) =>
      results.some(({ _action, id: left }) => _action === 'left' && left === id) ||
      results.some(({ error }) => String(error).includes(id));
    // Without a plan nothing is changed.
    const isRefused = results.every(
      ({ error }) => error !== undefined && !String(error).startsWith('Record '),
    );
    for (const { _action } of results) seen.add(String(_action));
    const after = copyTable();
    // A second undo changes nothing.
    const isDone = items.length > 0 && results.every(({ error }) => error === undefined);
    if (isDone && random.nextBoolean(0.2)) await undo(items);
    expect({ n, table: copyTable() }).toEqual({ n, table: after });
    // A record stands for one deleted record at most.
    const standing = results.flatMap(
      ({ _reason }) => /^record (\S+) has its values$/.exec(String(_reason))?.[1] ?? [],
    );
    expect({ n, standing: [...new Set(standing)] }).toEqual({ n, standing });
    for (const id of standing) expect(after.has(id)).toBe(true);
    const restores = new Map(results.map((one) => [String(one._restores), String(one.id)]));
    for (const id of new Set([...before.keys(), ...changed.keys()])) {
      const now = after.get(restores.get(id) ?? id);
      const old = before.get(id);
      // What somebody else has written stays in any case.
      const expected = id !== touched ? old : isRemoved ? undefined : old && { ...old, note };
      const isKept = id !== touched || isRemoved || now?.note === note;
      const isSame = JSON.stringify(now) === JSON.stringify(expected);
      const isUntouched = isRefused && JSON.stringify(now) === JSON.stringify(left.get(id));
      const isOk = isKept && (isSame || isNamed(id) || isUntouched);
      expect({ n, id, isOk, old, now }).toEqual({ n, id, isOk: true, old, now });
    }
  }
  // A few runs do not reach all of them.
  expect(seen.size).toBeGreaterThan(scaleRuns(500) < 200 ? 1 : 3);
});
