import { getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** A table that is given by its name, in the mode By Name. */

const env = useTestEnvironment();

const countRecords = (value: string, input?: object[]) =>
  env.run(
    { resource: 'record', operation: 'count', dataTableId: { __rl: true, mode: 'name', value } },
    input,
  );

test.each(['Customers', 'customers', ' CUSTOMERS ', 'customer copies'])(
  '%j names its table',
  async (name) => {
    const table = env.service.tables.find((one) => one.name.toLowerCase() === name.trim().toLowerCase())!;
    expect(getOutput(await countRecords(name))).toEqual([{ count: table.records.size }]);
  },
);

test('the ID of a table is accepted, and each item may name a table of its own', async () => {
  const { id, records } = env.getTable('Products');
  expect(getOutput(await countRecords(id))).toEqual([{ count: records.size }]);
  const names = ['Orders', 'Products'];
  const run = await countRecords(
    '={{ $json.table }}',
    names.map((table) => ({ table })),
  );
  expect(getOutput(run)).toEqual(names.map((name) => ({ count: env.getTable(name).records.size })));
});

test('a name that no table has is an error that lists the tables, and no records are requested', async () => {
  const before = env.service.requests.length;
  const { error } = await countRecords('Clients');
  expect(error).toMatchObject({
    message: 'The application has no table "Clients"',
    description: `Nothing was sent. The tables are: ${env.service.tables.map(({ name }) => name).join(', ')}.`,
  });
  expect(env.listRequests(before).filter((pattern) => pattern.endsWith('/records'))).toEqual([]);
});

test('a long list of tables is cut after 40', async () => {
  const missing = 43 - env.service.tables.length;
  for (let n = 0; n < missing; n++) env.service.addTable({ name: `Table ${n}`, fields: [] });
  const { error } = await countRecords('Clients of nobody');
  expect((error as { description?: string }).description).toMatch(/, Table \d+, …\.$/);
});
