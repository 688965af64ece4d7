import { node } from '../harness';
import { World } from './support';
import { TRIGGER } from './trigger-support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const trigger = (...tables: string[]) =>
  node('Trigger', TRIGGER, { tables: tables.map((name) => world.table(name).id) });

const values = async (json: ReturnType<typeof trigger>, method: string, options = {}) =>
  (await world.engine.loadOptions(json, method, options)).map(({ value }) => value);

test('tables to choose from', async () => {
  expect(await values(trigger(), 'getTables')).toContain(world.table('Orders').id);
});

test('the filter offers what all chosen tables have, the columns what any has', async () => {
  expect(await values(trigger(), 'getFilterFields')).toEqual([]);
  expect(await values(trigger('Orders'), 'getFilterFields')).toContain('quantity|number');
  // Both have a number and a customer; what is a status in one is none in the other.
  expect(await values(trigger('Orders', 'Invoices'), 'getFilterFields')).toEqual([
    'number|text',
    'customer|connection',
    'created_at|dateTime',
  ]);
  const columns = await values(trigger('Orders', 'Invoices'), 'getFields');
  expect(columns).toEqual(expect.arrayContaining(['quantity', 'paid', 'number']));
  expect(new Set(columns).size).toBe(columns.length);
});

test('operators that only the service can answer are not offered', async () => {
  const currentNodeParameters = { field: 'account_owner|user' };
  const json = trigger('Customers');
  const withRow = node('Trigger', TRIGGER, {
    ...json.parameters,
    conditions: { items: [currentNodeParameters] },
  });
  const operators = await values(withRow, 'getFilterOperators', {
    path: 'parameters.conditions.items[0].operator',
  });
  expect(operators).toContain('is');
  expect(operators.join()).not.toMatch(/logged in|current record/);
});

test('the form is that of Get Many, following the choice of tables', () => {
  const { description } = world.engine.nodeTypes.getByNameAndVersion(TRIGGER);
  const text = JSON.stringify(description.properties);
  const follows = [...text.matchAll(/"loadOptionsDependsOn":(\[.*?\])/g)].map(([, list]) => list);
  expect(new Set(follows)).toEqual(new Set(['["tables"]', '["&field"]']));
  const names = (type: string, operation?: string) =>
    world.engine.nodeTypes
      .getByNameAndVersion(type)
      .description.properties.filter(
        ({ displayOptions }) => !operation || displayOptions?.show?.operation?.includes(operation),
      )
      .map(({ name }) => name);
  const form = ['filterMode', 'match', 'conditions', 'groups', 'filterJson', 'filterParameters'];
  expect(names(TRIGGER)).toEqual(expect.arrayContaining(form));
  expect(names('n8n-nodes-record-database.recordDatabase', 'getAll')).toEqual(expect.arrayContaining(form));
});

test('the panel shows what an event looks like', () => {
  const { triggerPanel } = world.engine.nodeTypes.getByNameAndVersion(TRIGGER).description;
  const { inactive } = (triggerPanel as { executionsHelp: { inactive: string } }).executionsHelp;
  const sample = JSON.parse(/<code>(.*)<\/code>/.exec(inactive)![1]!) as object;
  expect(Object.keys(sample)).toEqual(['event', 'tableId', 'tableName', 'record', 'timestamp']);
});
