import { createToolWorkflow } from '../agents/tools';
import { TestEnvironment, getOutput } from '../support/testEnvironment';

let env: TestEnvironment;
beforeAll(async () => void (env = await TestEnvironment.start()));
afterAll(() => env.stop());
afterEach(() => expect(env.takeViolations()).toEqual([]));

const DESCRIBE = { resource: 'dataTable', operation: 'describe' };

test('one item for each table, in the order of filling, with one request for each and one for their list', async () => {
  const since = env.service.requests.length;
  const found = getOutput(await env.run(DESCRIBE));
  expect(env.listRequests(since)).toHaveLength(env.service.tables.length + 1);
  expect(found.map(({ name }) => name).sort()).toEqual(env.service.tables.map(({ name }) => name).sort());
  const names = found.map(({ name }) => name);
  expect(names.indexOf('Customers')).toBeLessThan(names.indexOf('Orders'));
  expect(names.indexOf('Orders')).toBeLessThan(names.indexOf('Invoices'));
});

test('tables are chosen by names or IDs, and an unknown one is an error that lists all', async () => {
  const ids = [env.getTable('Orders').id, 'customers', 'Customers'];
  const found = getOutput(await env.run({ ...DESCRIBE, tableNames: ids.join(', ') }));
  expect(found.map(({ name, order }) => [name, order])).toEqual([
    ['Customers', 1],
    ['Orders', 2],
  ]);
  const run = await env.run({ ...DESCRIBE, tableNames: 'Custmers' });
  expect(run.error).toMatchObject({
    message: 'The application has no table "Custmers"',
    description: expect.stringContaining('The tables are: Users, Customers, ') as string,
  });
});

test('a circle of connections is named, with what has to wait', async () => {
  const name = { name: 'Name', type: 'Text' } as const;
  env.service.addTable({
    name: 'Teams',
    fields: [name, { name: 'Lead', type: 'Connection', to: 'Persons', many: false }],
  });
  env.service.addTable({
    name: 'Persons',
    fields: [
      name,
      { name: 'Team', type: 'Connection', to: 'Teams', many: false },
      { name: 'Manager', type: 'Connection', to: 'Persons', many: false },
    ],
  });
  const run = await env.run({ ...DESCRIBE, tableNames: 'Persons, Teams' });
  expect(getOutput(run)).toMatchObject([
    { name: 'Teams', cycle: ['Teams', 'Persons'], connectLater: ['Lead'], fillAfter: [] },
    { name: 'Persons', cycle: ['Teams', 'Persons'], connectLater: ['Manager'], fillAfter: ['Teams'] },
  ]);
  expect(run.getHints('Node').map(({ message }) => message)).toEqual([
    'A circle of connections (Teams, Persons): fill these tables without the fields under "connectLater" first, and once more with them.',
  ]);
});

test('a model gets an answer of the chosen size, and can ask for one table', async () => {
  const call = async (parameters: object) => {
    const workflow = createToolWorkflow('tool', { ...DESCRIBE, ...parameters });
    const run = await env.engine.run(workflow, { input: [{ json: {} }] });
    return String((run.getJson('Agent')[0] as { answer: string }).answer);
  };
  const all = await call({});
  expect(all.length).toBeLessThan(2_000 * 2.4);
  const [first] = JSON.parse(all) as Array<{ _cut: string }>;
  expect(first!._cut).toContain('give its name under Table.');
  const [showcase, ...others] = JSON.parse(await call({ tableNames: 'Showcase' })) as Array<{
    fields: object[];
  }>;
  expect(others).toEqual([]);
  expect(showcase!.fields).toHaveLength(env.getTable('Showcase').fields.length);
});
