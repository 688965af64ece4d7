import { omit } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { scaleSize } from '../../randomness';
import type { Table } from '../../service';
import { AUTO_MAP, getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment();
beforeAll(async () => {
  // Calls run in parallel once the first answer has shown the limits.
  getOutput(await env.runRecordOperation('getAll', env.getTable('Products'), { limit: 1 }));
});

const ONE_BY_ONE = { parallelRequests: 1 };
const CONTINUE = { onError: 'continueRegularOutput' };

const companyIs = (value: string) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is exact', value }] },
});

const insertCustomers = (company: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    env
      .getTable('Customers')
      .insert({ company, email: `${company}${index}@example.com`, notes: `n${index}` }),
  );

const deleteMany = (parameters: object, extra = {}, table: Table = env.getTable('Customers')) =>
  env.runRecordOperation('deleteMany', table, parameters, undefined, extra);

const listSince = (since: number, method: string) =>
  env.service.requests.slice(since).filter((request) => request.method === method);

/** The lists of records that were requested. */
const listLists = (since: number) => listSince(since, 'GET').filter(({ path }) => path.endsWith('/records'));

test('deletes the records that match and returns them, so that Create restores them', async () => {
  const customers = env.getTable('Customers');
  const before = customers.records.size;
  const made = insertCustomers('Undo', 3);
  const deleted = getOutput(await deleteMany(companyIs('Undo')));
  expect(deleted.map(({ id, company, notes, _action }) => [id, company, notes, _action])).toEqual(
    made.map(({ id }, index) => [id, 'Undo', `n${index}`, 'deleted']),
  );
  expect(customers.records.size).toBe(before);
  const restored = getOutput(
    await env.runRecordOperation('create', customers, { columns: AUTO_MAP }, deleted),
  );
  expect(restored.map(({ company, notes, email }) => [company, notes, email])).toEqual(
    deleted.map(({ company, notes, email }) => [company, notes, email]),
  );
});

test('a deletion that is forbidden names its record', async () => {
  const [first] = insertCustomers('Forbidden', 2);
  env.service.faults.add({
    when: { method: 'DELETE' },
    fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Forbidden' } },
  });
  const { error } = await env.withSettings(ONE_BY_ONE, () => deleteMany(companyIs('Forbidden')));
  env.service.faults.clear();
  expect(error?.message).toBe(`Record ${first!.id}: The service does not permit this`);
});

test('is a dry run until that is turned off', async () => {
  insertCustomers('Start', 1);
  expect(getOutput(await deleteMany({ ...companyIs('Start'), dryRun: undefined }))).toMatchObject([
    { company: 'Start', _dryRun: true },
  ]);
});

test('a dry run deletes nothing and returns the records', async () => {
  insertCustomers('Dry', 2);
  const since = env.service.requests.length;
  const found = getOutput(await deleteMany({ ...companyIs('Dry'), dryRun: true }));
  expect(found.map(({ company, _action, _dryRun }) => [company, _action, _dryRun])).toEqual([
    ['Dry', 'delete', true],
    ['Dry', 'delete', true],
  ]);
  expect(listSince(since, 'DELETE')).toEqual([]);
});

test('more records than Maximum Records: one page is read and nothing is deleted', async () => {
  insertCustomers('Several', 4);
  const since = env.service.requests.length;
  const run = await deleteMany({ ...companyIs('Several'), maximum: 3 });
  expect(run.error).toMatchObject({
    message: 'The filter matches 4 records, more than Maximum Records (3)',
    description: expect.stringMatching(/^Nothing was changed/) as string,
  });
  expect(listLists(since)).toHaveLength(1);
  expect(listSince(since, 'DELETE')).toEqual([]);
  expect(getOutput(await deleteMany({ ...companyIs('Several'), maximum: 4 }))).toHaveLength(4);
});

test('the filter that an error names for all records selects all of them', async () => {
  const json = (filterJson: string) =>
    deleteMany({ filterMode: 'json', filterJson, maximum: 1000, dryRun: true });
  const { error } = await json('{}');
  const [advice] = /\{"created_at".*\}\}/.exec(String((error as { description?: string }).description))!;
  expect(getOutput(await json(advice))).toHaveLength(env.getTable('Customers').records.size);
});

test.each([
  ['no condition', { filterMode: 'manual', conditions: {} }, /^The filter has no condition/],
  ['no filter', { filterMode: 'none' }, /^Filter cannot be "none"/],
  ['empty JSON', { filterMode: 'json', filterJson: '{}' }, /^The filter has no condition/],
  ['the word for all records', { filterMode: 'json', filterJson: 'all' }, /^The filter has no condition/],
])('%s is refused before anything is sent', async (_, parameters, message) => {
  const since = env.service.requests.length;
  expect((await deleteMany(parameters)).error?.message).toMatch(message);
  expect(listSince(since, 'DELETE').length + listSince(since, 'POST').length).toBe(0);
});

test('a record that does not match the filter locally stops everything before the first deletion', async () => {
  const [stray] = insertCustomers('Match', 2);
  const other = omit(stray!, 'notes');
  const items = [other, { ...other, id: 'foreign', company: 'Not it' }];
  env.service.faults.add({
    when: { method: 'GET', pattern: /records$/ },
    fault: {
      type: 'status',
      status: 200,
      body: { type: 'success', items, total_items: 2, total_pages: 1, current_page: 1, limit: 200 },
    },
  });
  const since = env.service.requests.length;
  const run = await deleteMany(companyIs('Match'));
  expect(run.error?.message).toBe('The service returned 1 records that do not match the filter: foreign');
  expect(listSince(since, 'DELETE')).toEqual([]);
});

test('a condition that only the service can evaluate is refused', async () => {
  const filterJson = JSON.stringify([{ field_id: 'customer', operator: 'is connected with current record' }]);
  const run = await deleteMany({ filterMode: 'json', filterJson }, {}, env.getTable('Orders'));
  expect(run.error?.message).toMatch(/cannot be checked here$/);
});

test('a failed deletion stops the others, and the error says how many were deleted', async () => {
  const made = insertCustomers('Stop', 30);
  const refused = {
    type: 'status',
    status: 403,
    body: { type: 'error', msg: 'Permission Denied', status: 403 },
  };
  env.service.faults.add({ when: { method: 'DELETE', nth: 5 }, fault: refused as never });
  const run = await env.withSettings(ONE_BY_ONE, () => deleteMany(companyIs('Stop')));
  expect(run.error?.message).toMatch(/^Record \S+: The (service|API key)/);
  expect((run.error as { description?: string }).description).toMatch(
    /4 of 30 changes were made\. A repeated run makes the others/,
  );
  const { data } = (run.error as unknown as { context: { data: { oldRecords: object[] } } }).context;
  expect(data.oldRecords).toMatchObject(made.slice(0, 4).map(({ id, notes }) => ({ id, notes })));
  const left = made.filter(({ id }) => env.getTable('Customers').records.has(id));
  expect(left).toHaveLength(26);
  expect(getOutput(await deleteMany(companyIs('Stop')))).toHaveLength(26);
});

test('with Continue On Fail a failed deletion is an error item and the others are deleted', async () => {
  const made = insertCustomers('Go on', 5);
  const refused = { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } };
  env.service.faults.add({ when: { method: 'DELETE', nth: 2 }, fault: refused as never });
  const run = await env.withSettings(ONE_BY_ONE, () => deleteMany(companyIs('Go on'), CONTINUE));
  const found = getOutput(run);
  expect(found.map(({ _action, error }) => _action ?? String(error).split(':')[0])).toEqual([
    'deleted',
    `Record ${made[1]!.id}`,
    'deleted',
    'deleted',
    'deleted',
  ]);
});

test('a lost answer is checked: the record is gone, so it counts as deleted', async () => {
  const [made] = insertCustomers('Lost', 1);
  env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'after' } });
  expect(getOutput(await deleteMany(companyIs('Lost')))).toMatchObject([
    { id: made!.id, _action: 'deleted' },
  ]);
  expect(env.getTable('Customers').records.has(made!.id)).toBe(false);
});

test('a deletion whose outcome stays unclear says that it may have happened, and keeps the record', async () => {
  const [made] = insertCustomers('Unclear', 1);
  env.service.faults.add({ when: { method: 'DELETE' }, times: 20, fault: { type: 'truncate' } });
  env.service.faults.add({
    when: { method: 'GET', pattern: /\{recordId\}/ },
    times: 20,
    fault: { type: 'status', status: 500 },
  });
  const [item] = getOutput(await deleteMany(companyIs('Unclear'), CONTINUE));
  expect(`${String(item!.error)} ${String(item!.message)}`).toMatch(/may have been made/);
  expect(item!.details).toMatchObject({ oldRecords: [{ id: made!.id, notes: 'n0' }] });
});

test('a record that another client deleted meanwhile is returned as not found', async () => {
  const [made] = insertCustomers('Race', 1);
  const gone = { type: 'status', status: 404, body: { type: 'error', msg: 'Record Not Found', status: 404 } };
  env.service.faults.add({ when: { method: 'DELETE' }, fault: gone as never });
  expect(getOutput(await deleteMany(companyIs('Race')))).toMatchObject([
    { id: made!.id, _action: 'notFound' },
  ]);
});

test('deletes records in 1 request each, 1 to read 200 of them and 1 for each further 25', async () => {
  const count = scaleSize(225, 450);
  insertCustomers('Bulk', count);
  const since = env.service.requests.length;
  const deleted = getOutput(await deleteMany({ ...companyIs('Bulk'), maximum: 500 }));
  expect(new Set(deleted.map(({ id }) => id)).size).toBe(count);
  expect(listSince(since, 'DELETE')).toHaveLength(count);
  expect(listLists(since)).toHaveLength(Math.ceil(count / 200) + count / 25 - 1);
});
