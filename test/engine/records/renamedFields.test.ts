import type { Table } from '../../service';
import { getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';

/** A slug that is renamed while its table is still cached. The service silently ignores the old one. */
let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.start();
});
afterEach(() => env.stop());

/** Renames the slug of a field. Its values stay under its key. */
function rename(table: Table, from: string, to: string, name = to): void {
  Object.assign(
    table.fields.find(({ slug }) => slug === from)!,
    { slug: to, name },
  );
}

const filter = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is', value: 'Copper Partners' }] },
};

test.each(['getAll', 'count', 'deleteMany'])('%s with a filter reads the fields anew', async (operation) => {
  const table = env.getTable('Customers');
  const run = () => env.runRecordOperation(operation, table, { ...filter, returnAll: true });
  // The fields are cached from here on.
  getOutput(await env.runRecordOperation('getAll', table, { limit: 1 }));
  rename(table, 'company', 'firm');
  const count = table.records.size;
  const { error } = await run();
  expect(error?.message).toBe('Filter: the table has no field "company"');
  expect(table.records.size).toBe(count);
  expect(env.takeViolations()).toEqual([]);
});

test('a sort rule reads the fields anew, and one execution reads them once', async () => {
  const table = env.getTable('Customers');
  const sort = { sort: { rules: [{ field: 'company', direction: 'asc' }] } };
  getOutput(await env.runRecordOperation('getAll', table, { limit: 1 }));
  const before = env.service.requests.length;
  const items = [{}, {}, {}];
  getOutput(await env.runRecordOperation('getAll', table, { ...filter, ...sort, limit: 1 }, items));
  expect(env.listRequests(before).filter((one) => one.includes('full-fields-info'))).toHaveLength(1);
  rename(table, 'company', 'firm');
  const { error } = await env.runRecordOperation('getAll', table, { ...sort, limit: 1 });
  expect(error?.message).toBe('Sort: the table has no field "company"');
});

test('a name of the field is found under its new slug', async () => {
  const table = env.getTable('Customers');
  const byName = { filterMode: 'json', filterJson: '{"Company": "Copper Partners"}', returnAll: true };
  const ids = getOutput(await env.runRecordOperation('getAll', table, byName)).map(({ id }) => id);
  rename(table, 'company', 'firm', 'Company');
  const found = getOutput(await env.runRecordOperation('getAll', table, byName));
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect(ids.length).toBeGreaterThan(0);
});

test.each(['create', 'upsert'])(
  '%s: a value that went to an old slug is an error that names the record',
  async (operation) => {
    const table = env.getTable('Customers');
    getOutput(await env.runRecordOperation('getAll', table, { limit: 1 }));
    rename(table, 'company', 'firm');
    const columns = toColumns({ email: 'new@example.com', company: 'Lost' }, ['email']);
    // The editor saved the columns before the slug was renamed.
    const { error } = await env.run({
      resource: 'record',
      operation,
      dataTableId: { __rl: true, mode: 'id', value: table.id },
      columns,
    });
    const created = [...table.records.values()].find(({ email }) => email === 'new@example.com');
    expect(error?.message).toBe(`Record ${created?.id}: the table no longer has the field "company" (Text)`);
    expect((error as { description?: string }).description).toContain('Create would make another one');
    env.takeViolations();
  },
);
