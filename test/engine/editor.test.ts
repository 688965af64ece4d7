import { omit } from 'lodash';
import { createNode, type NodeJson } from '../harness';
import { TestEnvironment, toColumns, toLocator, TYPE } from './support/testEnvironment';
import { useTestEnvironment } from './support/useTestEnvironment';
import { TRIGGER } from './trigger/support';

const env = useTestEnvironment();

const withTable = (name: string, parameters: object = {}): NodeJson =>
  createNode('Node', TYPE, {
    resource: 'record',
    operation: 'getAll',
    dataTableId: toLocator(env.getTable(name).id),
    ...parameters,
  });

test('lists tables by name and finds them by a part of the name', async () => {
  const all = await env.engine.listSearch(withTable('Orders'), 'searchTables');
  expect(all.results.map(({ name }) => name)).toEqual([...all.results.map(({ name }) => name)].sort());
  const found = await env.engine.listSearch(withTable('Orders'), 'searchTables', { filter: 'ord' });
  expect(found.results).toEqual([{ name: 'Orders', value: env.getTable('Orders').id }]);
});

test('text from the service is never evaluated as an expression in the editor', async () => {
  const danger = '={{ $json.secret }}';
  const own = await TestEnvironment.start();
  const table = own.getTable('Customers');
  const field = table.fields.find(({ slug }) => slug === 'status')!;
  field.options.push({ label: danger, value: danger });
  Object.assign(field, { name: danger, defaultValue: '=lead' });
  Object.assign(table, { name: danger });
  const json = createNode('Node', TYPE, {
    resource: 'record',
    operation: 'create',
    dataTableId: toLocator(table.id),
    conditions: { items: [{ field: 'status|choice' }] },
  });
  const path = 'parameters.conditions.items[0].choiceValue';
  const text = JSON.stringify([
    await own.engine.listSearch(json, 'searchTables'),
    await own.engine.loadOptions(createNode('Trigger', TRIGGER), 'getTables'),
    await own.engine.loadOptions(json, 'getFields'),
    await own.engine.loadOptions(json, 'getFilterFields'),
    await own.engine.loadOptions(json, 'getFilterChoices', { path }),
    await own.engine.getResourceMapperFields(json, 'getColumns'),
  ]);
  await own.stop();
  expect(text).toContain("'={{ $json.secret }}");
  expect(text).not.toMatch(/"=/);
});

test('the lists are the same for a table that is given by its name', async () => {
  const byId = withTable('Customers', { recordId: '' });
  const dataTableId = { __rl: true, mode: 'name', value: 'customers' };
  const byName: NodeJson = { ...byId, parameters: { ...byId.parameters, dataTableId } };
  const methods = ['getFields', 'getFileFields', 'getFilterFields', 'getParentFields', 'getUniqueFields'];
  const read = async (json: NodeJson) => ({
    options: await Promise.all(methods.map((method) => env.engine.loadOptions(json, method))),
    columns: await env.engine.getResourceMapperFields(json, 'getColumns'),
    records: await env.engine.listSearch(json, 'searchRecords'),
  });
  const lists = await read(byName);
  expect(lists).toEqual(await read(byId));
  expect(lists.options.map(({ length }) => length > 0)).toEqual(methods.map(() => true));
  expect([lists.columns.fields.length > 0, lists.records.results.length > 0]).toEqual([true, true]);
});

test('filter fields list each part of a composite, the type of other fields, and include Created At', async () => {
  const names = (await env.engine.loadOptions(withTable('Customers'), 'getFilterFields')).map(
    ({ name }) => name,
  );
  expect(names).toEqual(
    expect.arrayContaining(['Name: First', 'Address: City', 'Created At (Date-Time)', 'Email']),
  );
  expect(names).not.toContain('Name (Name)');
});

describe('operators depend on the field of the same row', () => {
  const listOperators = async (field: string, environment = env) => {
    const row = withTable('Customers', { filterMode: 'manual', conditions: { items: [{ field }] } });
    const options = await environment.engine.loadOptions(row, 'getFilterOperators', {
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
    ['newsletter|checkbox', ['is', 'is checked', 'is unchecked']],
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
    ['customer|connection', ['is', 'is not', 'contains', 'is blank', 'is not blank', 'is any of']],
  ])('%s', async (field, expected) => {
    expect(await listOperators(field)).toEqual(expected);
  });

  test.each(['account_owner|user', 'customer|connection', 'rating|unnamed'])(
    '%s has the logged-in-user operators where the credential acts as a user',
    async (field) => {
      const own = [
        'is logged in user',
        'is not logged in user',
        'is connected to logged in user',
        'is not connected to logged in user',
      ];
      expect(await listOperators(field)).not.toEqual(expect.arrayContaining([own[0]]));
      const acting = await TestEnvironment.start();
      const { email, password } = acting.service.user;
      const keys = { baseUrl: acting.service.baseUrl, ...acting.service.keys };
      await acting.engine.setCredential('recordDatabaseApi', {
        ...keys,
        userLogin: 'password',
        email,
        password,
      });
      expect(await listOperators(field, acting)).toEqual(expect.arrayContaining(own));
      await acting.stop();
    },
  );
});

test.each(['the list', 'its slug', 'its ID', 'its name'])(
  'a condition offers the choices of a field given by %s',
  async (how) => {
    const { fieldId } = env.getTable('Showcase').fields.find(({ slug }) => slug === 'select')!;
    const given = {
      'the list': 'select|choice',
      'its slug': 'select',
      'its ID': fieldId,
      'its name': 'Select',
    }[how];
    const row = withTable('Showcase', { filterMode: 'manual', conditions: { items: [{ field: given }] } });
    const options = await env.engine.loadOptions(row, 'getFilterChoices', {
      path: 'parameters.conditions.items[0].choiceValue',
    });
    expect(options).toEqual([
      { name: 'Letter A', value: 'a' },
      { name: 'Letter B', value: 'b' },
      { name: 'Letter C', value: 'c' },
    ]);
  },
);

test('the mapper has a typed column for each field, composites part by part', async () => {
  const { fields } = await env.engine.getResourceMapperFields(
    withTable('Showcase', { operation: 'create' }),
    'getColumns',
  );
  const types = Object.fromEntries(fields.map(({ id, type }) => [id, type]));
  expect(types).toMatchObject({
    text: 'string',
    number: 'number',
    currency: 'number',
    decision_box: 'options',
    date: 'dateTime',
    time: 'string',
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
  const getUniqueColumn = async (operation: string) => {
    const mapper = await env.engine.getResourceMapperFields(
      withTable('Showcase', { operation }),
      'getColumns',
    );
    return mapper.fields.find(({ id }) => id === 'unique_text');
  };
  expect(await getUniqueColumn('upsert')).toMatchObject({ canBeUsedToMatch: true, defaultMatch: true });
  expect(await getUniqueColumn('create')).toMatchObject({ canBeUsedToMatch: true, defaultMatch: false });
  expect(fields.find(({ id }) => id === 'file')).toMatchObject({ canBeUsedToMatch: false });
});

test("what creates shows a field's default in its label; an update shows none", async () => {
  const listFields = async (operation: string) => {
    const mapper = await env.engine.getResourceMapperFields(
      withTable('Customers', { operation }),
      'getColumns',
    );
    return mapper.fields
      .filter(({ id }) => ['status', 'newsletter', 'email'].includes(id))
      .map(({ displayName }) => displayName);
  };
  for (const operation of ['create', 'upsert', 'sync'])
    expect(await listFields(operation)).toEqual(['Email', 'Status, default Lead', 'Newsletter, default Yes']);
  expect(await listFields('update')).toEqual(['Email', 'Status', 'Newsletter']);
});

test('the label of a date says that it has no time: the input of n8n asks for a date and a time', async () => {
  const { fields } = await env.engine.getResourceMapperFields(
    withTable('Showcase', { operation: 'create' }),
    'getColumns',
  );
  const labels = Object.fromEntries(fields.map(({ id, displayName }) => [id, displayName]));
  expect(labels).toMatchObject({ date: 'Date (date)', date_time: 'Date-Time' });
});

test('the mapper of a tool asks for the address of a file, because n8n gives a tool no file', async () => {
  const node = withTable('Showcase', { operation: 'create' });
  const list = async (form: typeof node) => {
    const { fields } = await env.engine.getResourceMapperFields(form, 'getColumns');
    return fields.find(({ id }) => id === 'file')?.displayName;
  };
  expect(await list(node)).toBe('File (input binary field or URL)');
  expect(await list({ ...node, type: `${node.type}Tool` })).toBe('File (URL)');
});

test('columns with one input come before the parts of names and addresses', async () => {
  const node = withTable('Customers', { operation: 'create' });
  const { fields } = await env.engine.getResourceMapperFields(node, 'getColumns');
  const isPart = fields.map(({ id }) => /\[|__/.test(id));
  expect(isPart.filter(Boolean).length).toBeGreaterThan(5);
  expect(isPart.lastIndexOf(false)).toBeLessThan(isPart.indexOf(true));
});

// A switch that nobody touched looks like a value that is sent.
test.each(['create', 'update', 'upsert', 'sync', 'batchUpdate'])(
  'a Decision Box in %s is a choice that can be blank',
  async (operation) => {
    const node = withTable('Showcase', { operation });
    const { fields } = await env.engine.getResourceMapperFields(node, 'getColumns');
    const [found] = fields.filter(({ id }) => id === 'decision_box');
    expect(found).toMatchObject({ type: 'options' });
    expect(found!.options?.map(({ name }) => name)).toEqual(['Yes', 'No']);
    expect(fields.filter(({ type }) => type === 'boolean')).toEqual([]);
  },
);

test.each([
  ['credit_limit', 'higher than'],
  ['={{ $json.f || "credit_limit" }}', 'contains'],
  ['credit_limit|weird', 'contains'],
  ['', 'contains'],
])('operators of a field that is named as "%s"', async (field, operator) => {
  const form = withTable('Customers', { conditions: { items: [{ field }] } });
  const options = await env.engine.loadOptions(form, 'getFilterOperators', {
    path: 'parameters.conditions.items[0].operator',
  });
  expect(options.map(({ value }) => value)).toContain(operator);
});

test('a dropdown whose options cannot be loaded shows the reason', async () => {
  await expect(
    env.engine.loadOptions(withTable('Orders', { dataTableId: toLocator('nope') }), 'getFields'),
  ).rejects.toThrow(/table ".+" does not exist/);
});

test('$fromAI fills columns and the filter when the node is used as a tool', async () => {
  const customers = env.getTable('Customers');
  const company = String([...customers.records.values()][0]!.company);
  const run = await env.engine.run(
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
  expect(run.getJson('Node').every((one) => one.company === company)).toBe(true);
  expect(run.getJson('Node').length).toBeGreaterThan(0);
});

test('$fromAI fills columns when the node is used as a tool', async () => {
  const run = await env.engine.run(
    {
      nodes: [
        withTable('Customers', {
          operation: 'create',
          columns: toColumns({
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
  expect(run.getJson('Node')).toMatchObject([{ company: 'Asked For', credit_limit: 1200 }]);
});

/**
 * n8n's editor stores the columns that a node returns when it opens a node without stored columns, and when a user
 * refreshes them. It then deletes the values of all others.
 */
describe('no mapped value is lost when the editor loads the columns', () => {
  const load = async (operation: string, columns: object) => {
    const node = withTable('Customers', { operation, columns: { mappingMode: 'defineBelow', ...columns } });
    return (await env.engine.getResourceMapperFields(node, 'getColumns')).fields;
  };
  const find = <T extends { id: string }>(fields: T[], id: string) => fields.find((one) => one.id === id);

  test.each(['create', 'update', 'upsert', 'sync', 'lookUp'])('%s', async (operation) => {
    const listed = await load(operation, { value: null });
    const value = { company: 'a', Company: 'b', address: {}, old_name: '=c', 'Old Name': null };
    const fields = await load(operation, { value, matchingColumns: ['Company'] });
    expect(fields.slice(0, listed.length)).toEqual(listed.map((field) => omit(field, 'removed')));
    expect(Object.keys(value).filter((key) => !find(fields, key))).toEqual([]);
    expect(find(fields, 'Company')).toMatchObject({
      displayName: 'Company (mapped by its name)',
      canBeUsedToMatch: true,
    });
    expect(find(fields, 'old_name')).toMatchObject({
      displayName: 'old_name (no longer in this form)',
      type: 'string',
      canBeUsedToMatch: false,
    });
    expect(fields).toHaveLength(listed.length + 4);
  });

  test('Look Up starts with the unique field, and every other can be added', async () => {
    const fields = await load('lookUp', { value: null });
    expect(fields.filter(({ removed }) => !removed).map(({ id }) => id)).toEqual(['email']);
    expect(fields.length).toBeGreaterThan(10);
    // n8n would drop the values of the others.
    const mapped = await load('lookUp', { value: { company: '={{ $json.company }}' } });
    expect(mapped.filter(({ removed }) => removed)).toEqual([]);
  });

  test('a column whose expression has no value yet, until the user removes it', async () => {
    const listed = await load('update', { value: null });
    const add = (id: string, more: object = {}) => ({ ...listed[0]!, id, ...more });
    // Look Up offers Created At, which no update writes: it is left out when the operation is changed.
    const schema = [...listed, add('old'), add('created_at'), add('removed', { removed: true })];
    const fields = await load('update', { value: {}, schema });
    expect(fields.map(({ id }) => id)).toEqual([...listed.map(({ id }) => id), 'old']);
  });
});
