import { node, type NodeJson } from '../harness';
import { byId, columns, TYPE, World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const withTable = (name: string, parameters: object = {}): NodeJson =>
  node('Node', TYPE, {
    resource: 'record',
    operation: 'getAll',
    dataTableId: byId(world.table(name).id),
    ...parameters,
  });

test('tables are listed by name and found by part of it', async () => {
  const all = await world.engine.listSearch(withTable('Orders'), 'searchTables');
  expect(all.results.map(({ name }) => name)).toEqual([...all.results.map(({ name }) => name)].sort());
  const found = await world.engine.listSearch(withTable('Orders'), 'searchTables', { filter: 'ord' });
  expect(found.results).toEqual([{ name: 'Orders', value: world.table('Orders').id }]);
});

test('filter fields come part by part, with their type, Created At among them', async () => {
  const names = (await world.engine.loadOptions(withTable('Customers'), 'getFilterFields')).map(
    ({ name }) => name,
  );
  expect(names).toEqual(
    expect.arrayContaining(['Name: First (Name)', 'Address: City (Address)', 'Created At (Date-Time)']),
  );
  expect(names).not.toContain('Name (Name)');
});

describe('operators follow the field of the same row', () => {
  const operators = async (field: string) => {
    const row = withTable('Customers', { filterMode: 'manual', conditions: { items: [{ field }] } });
    const options = await world.engine.loadOptions(row, 'getFilterOperators', {
      path: 'parameters.conditions.items[0].operator',
    });
    return options.map(({ value }) => value);
  };

  test.each([
    [
      'company|text',
      [
        'is',
        'is exact',
        'is not',
        'is not exact',
        'contains',
        'does not contain',
        'starts with',
        'ends with',
        'is blank',
        'is not blank',
        'is any of',
      ],
    ],
    [
      'credit_limit|number',
      [
        'is',
        'is not',
        'higher than',
        'higher than or equal to',
        'lower than',
        'lower than or equal to',
        'is blank',
        'is not blank',
        'between',
        'is any of',
      ],
    ],
    ['newsletter|checkbox', ['is checked', 'is unchecked']],
    [
      'created_at|dateTime',
      [
        'is',
        'is not',
        'is before',
        'is on or before',
        'is after',
        'is on or after',
        'is before today',
        'is after today',
        'is before current time',
        'is after current time',
        'is blank',
        'is not blank',
        'between',
        'is within',
      ],
    ],
    [
      'customer|connection',
      [
        'is',
        'is not',
        'contains',
        'is blank',
        'is not blank',
        'is connected with current record',
        "is connected with current record's field",
        'is any of',
      ],
    ],
  ])('%s', async (field, expected) => {
    expect(await operators(field)).toEqual(expected);
  });

  test('a user field has the four logged-in-user operators first', async () => {
    expect((await operators('account_owner|user')).slice(0, 4)).toEqual([
      'is logged in user',
      'is not logged in user',
      'is connected to logged in user',
      'is not connected to logged in user',
    ]);
  });
});

test('choices of a condition are those of its field', async () => {
  const row = withTable('Showcase', {
    filterMode: 'manual',
    conditions: { items: [{ field: 'select|choice' }] },
  });
  const options = await world.engine.loadOptions(row, 'getFilterChoices', {
    path: 'parameters.conditions.items[0].choiceValue',
  });
  expect(options).toEqual([
    { name: 'Letter A', value: 'a' },
    { name: 'Letter B', value: 'b' },
    { name: 'Letter C', value: 'c' },
  ]);
});

test('the mapper has a typed column for each field, composites part by part', async () => {
  const { fields } = await world.engine.resourceMapperFields(
    withTable('Showcase', { operation: 'create' }),
    'getColumns',
  );
  const types = Object.fromEntries(fields.map(({ id, type }) => [id, type]));
  expect(types).toMatchObject({
    text: 'string',
    number: 'number',
    currency: 'number',
    decision_box: 'boolean',
    date: 'dateTime',
    time: 'time',
    date_time: 'dateTime',
    calendar__start: 'dateTime',
    'name[first_name]': 'string',
    'address[city]': 'string',
    select: 'options',
    multi_select: 'string',
    file: 'string',
  });
  expect(types).not.toHaveProperty('created_at');
  expect(types).not.toHaveProperty('formula');
  expect(fields.find(({ id }) => id === 'select')).toMatchObject({
    options: [{ name: 'Letter A', value: 'a' }, {}, {}],
  });
  const proposed = async (operation: string) => {
    const mapper = await world.engine.resourceMapperFields(
      withTable('Showcase', { operation }),
      'getColumns',
    );
    return mapper.fields.find(({ id }) => id === 'unique_text');
  };
  expect(await proposed('upsert')).toMatchObject({ canBeUsedToMatch: true, defaultMatch: true });
  expect(await proposed('create')).toMatchObject({ canBeUsedToMatch: true, defaultMatch: false });
  expect(fields.find(({ id }) => id === 'file')).toMatchObject({ canBeUsedToMatch: false });
});

test("a field's default is filled in for a create alone: elsewhere it would overwrite what the record has", async () => {
  const filled = async (operation: string) => {
    const { fields } = await world.engine.resourceMapperFields(
      withTable('Customers', { operation }),
      'getColumns',
    );
    return Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue]));
  };
  expect(await filled('create')).toMatchObject({ status: 'lead', email: undefined });
  expect(new Set(Object.values(await filled('update')))).toEqual(new Set([undefined]));
  // Null, as n8n would send an untouched checkbox as unchecked.
  expect(new Set(Object.values(await filled('upsert')))).toEqual(new Set([null]));
});

test.each([
  ['credit_limit', 'higher than'],
  ['={{ $json.f || "credit_limit" }}', 'contains'],
  ['credit_limit|weird', 'contains'],
  ['', 'contains'],
])('operators of a field that is named as "%s"', async (field, operator) => {
  const form = withTable('Customers', { conditions: { items: [{ field }] } });
  const options = await world.engine.loadOptions(form, 'getFilterOperators', {
    path: 'parameters.conditions.items[0].operator',
  });
  expect(options.map(({ value }) => value)).toContain(operator);
});

test('a dropdown that cannot be filled says why', async () => {
  await expect(
    world.engine.loadOptions(withTable('Orders', { dataTableId: byId('nope') }), 'getFields'),
  ).rejects.toThrow(/table does not exist/);
});

test('$fromAI fills columns and the filter when the node is used as a tool', async () => {
  const customers = world.table('Customers');
  const company = String([...customers.records.values()][0]!.company);
  const run = await world.engine.run(
    {
      nodes: [
        withTable('Customers', {
          filterMode: 'json',
          filterJson: `={{ JSON.stringify([{ field_id: 'company', operator: 'is', val: $fromAI('company') }]) }}`,
        }),
      ],
      connections: {},
    },
    { input: [{ json: { company } }], startNode: 'Node' },
  );
  expect(run.error?.message).toBeUndefined();
  expect(run.jsonOf('Node').every((one) => one.company === company)).toBe(true);
  expect(run.jsonOf('Node').length).toBeGreaterThan(0);
});

test('$fromAI fills columns when the node is used as a tool', async () => {
  const run = await world.engine.run(
    {
      nodes: [
        withTable('Customers', {
          operation: 'create',
          columns: columns({
            company: "={{ $fromAI('company') }}",
            email: 'tool@example.com',
            credit_limit: "={{ $fromAI('limit', '', 'number') }}",
          }),
        }),
      ],
      connections: {},
    },
    { input: [{ json: { company: 'Asked For', limit: 1200 } }], startNode: 'Node' },
  );
  expect(run.error?.message).toBeUndefined();
  expect(run.jsonOf('Node')).toMatchObject([{ company: 'Asked For', credit_limit: 1200 }]);
});
