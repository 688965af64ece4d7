import { mapValues } from 'lodash';
import { Settings } from 'luxon';
import { skipWaits } from '../../environment/skipWaits';
import { createNode } from '../../harness';
import { scaleRuns } from '../../randomness';
import { AUTO_MAP, getOutput, TestEnvironment, toColumns, toLocator, TYPE } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment({}, { timezone: 'Europe/Berlin' });

describe('create', () => {
  test('sends every field type in its format and returns the record', async () => {
    const table = env.getTable('Showcase');
    const customer = [...env.getTable('Customers').records.keys()][0];
    const products = [...env.getTable('Products').records.keys()].slice(0, 2);
    const [created] = getOutput(
      await env.runRecordOperation('create', table, {
        columns: toColumns({
          text: 'Blue',
          email: 'ada@example.com',
          rich_text: '<p>Hi</p>',
          number: '12.5',
          currency: 0,
          decision_box: '={{ true }}',
          date: '2025-03-31T23:30:00Z',
          time: '14:30',
          date_time: '2025-03-31T12:00:00Z',
          calendar__start: '2025-03-01',
          calendar__end: '2025-03-31',
          'name[first_name]': 'Ada',
          'address[city]': 'Leeds',
          // A dropdown stores the value; an expression may return its label.
          select: '={{ "Letter A" }}',
          multi_select: 'Letter A, c',
          checkbox: '={{ ["b"] }}',
          connection_one: customer,
          connection_many: products.join(', '),
        }),
      }),
    );
    const record = table.records.get(created!.id as string)!;
    expect(record).toMatchObject({
      text: 'Blue',
      email: 'ada@example.com',
      rich_text: '<p>Hi</p>',
      number: 12.5,
      currency: 0,
      decision_box: 1,
      // 23:30 UTC is the next day in Berlin.
      date: '2025-04-01',
      time: '14:30:00',
      date_time: '2025-03-31 14:00:00',
      calendar: { start: '2025-03-01', end: '2025-03-31' },
      select: 'a',
      multi_select: ['a', 'c'],
      checkbox: ['b'],
      connection_one: [customer],
      connection_many: products,
    });
    expect(record.name).toMatchObject({ first_name: 'Ada', last_name: '' });
    expect(record.address).toMatchObject({ city: 'Leeds' });
  });

  test('maps input automatically and keeps order and pairing over many items', async () => {
    const table = env.getTable('Products');
    const input = Array.from({ length: scaleRuns(1_000) }, (_, i) => ({
      [table.fields[0]!.slug]: `Bulk ${i}`,
    }));
    const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, input);
    const made = getOutput(run);
    expect(made.map((one) => one[table.fields[0]!.slug])).toEqual(
      input.map((one) => one[table.fields[0]!.slug]),
    );
    expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual(
      input.map((_, item) => ({ item })),
    );
  });

  test('accepts a record in the shape in which it was read', async () => {
    const table = env.getTable('Showcase');
    const read = getOutput(await env.runRecordOperation('getAll', table, { limit: 5 }));
    const before = read.map(({ id }) => ({ ...table.records.get(String(id))! }));
    const parameters = { recordId: '={{ $json.id }}', columns: AUTO_MAP };
    getOutput(await env.runRecordOperation('update', table, parameters, read));
    expect(read.map(({ id }) => table.records.get(String(id)))).toEqual(before);
    const formula = await env.runRecordOperation('create', table, { columns: toColumns({ formula: 3 }) });
    expect(formula.error?.message).toMatch(/cannot be written: the service maintains its values/);
  });

  test('sends files with other fields in one request', async () => {
    const table = env.getTable('Showcase');
    const data = Buffer.from('hello file').toString('base64');
    const input = [
      {
        json: {},
        binary: {
          one: { data, mimeType: 'text/plain', fileName: 'one.txt' },
          two: { data, mimeType: 'text/plain', fileName: 'two.txt' },
        },
      },
    ];
    const before = env.service.requests.length;
    const values = { text: 'with files', file: 'one', number: 0, multi_select: ['a', 'b'] };
    const [created] = getOutput(
      await env.runRecordOperation('create', table, { columns: toColumns(values) }, input),
    );
    expect(JSON.stringify(created!.file)).toContain('one.txt');
    expect(table.records.get(created!.id as string)).toMatchObject({ number: 0, multi_select: ['a', 'b'] });
    expect(env.listRequests(before).filter((one) => one.startsWith('POST'))).toHaveLength(1);
    const two = { columns: toColumns({ text: 'two files', file: 'one, two' }) };
    const refused = await env.runRecordOperation('create', table, two, input);
    expect(refused.error?.message).toBe('"File" cannot take 2 files');
  });

  describe('defaults of fields', () => {
    const stored = { select: 'b', multi_select: ['b'], text: 'x' };
    const blank = { select: '', multi_select: [], text: 'x' };
    const nulls = { select: '={{ null }}', multi_select: '={{ null }}' };

    // The form and Map Automatically have one meaning: what is not given gets its default, and null is given.
    test.each<[string, object, object, object]>([
      ['the form', { columns: toColumns({ text: 'x' }) }, {}, stored],
      ['a form whose inputs are empty', { columns: toColumns({ text: 'x', select: null }) }, {}, stored],
      ['the keys of the input', { columns: AUTO_MAP }, { text: 'x' }, stored],
      ['null in the form', { columns: toColumns({ text: 'x', ...nulls }) }, {}, blank],
      ['null in the input', { columns: AUTO_MAP }, { text: 'x', select: null, multi_select: null }, blank],
      [
        'the option turned off',
        { columns: AUTO_MAP, options: { applyDefaults: false } },
        { text: 'x' },
        blank,
      ],
    ])('%s', async (_, parameters, input, expected) => {
      const table = env.getTable('Showcase');
      const [created] = getOutput(await env.runRecordOperation('create', table, parameters, [input]));
      const record = table.records.get(String(created!.id));
      expect(record).toMatchObject(expected);
      // A second record could not have the default of a unique field.
      expect(record!.unique_text).toBe('');
    });

    test('an item without a value is an error, and not a record of defaults', async () => {
      const table = env.getTable('Showcase');
      const before = table.records.size;
      const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [{}]);
      expect(run.error?.message).toBe('Nothing to create: no field has a value');
      expect(table.records.size).toBe(before);
    });
  });

  test.each([
    [{ nosuch: 1 }, 'nosuch'],
    [{ number: 'twelve' }, 'Number'],
    [{ date: 'soon' }, 'Date'],
    [{ select: 'Letter Z' }, 'Select'],
    [{ email: 'nobody' }, 'Email'],
    [{ decision_box: 'maybe' }, 'Decision Box'],
  ])('refuses %j before anything is sent', async (values, named) => {
    const before = env.service.requests.length;
    const byExpression = toColumns(mapValues(values, (value) => `={{ ${JSON.stringify(value)} }}`));
    const run = await env.runRecordOperation('create', env.getTable('Showcase'), { columns: byExpression });
    expect(run.error?.message).toContain(named);
    expect(env.listRequests(before).filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('sends the values that the form fills in, and the columns that it leaves empty', async () => {
    const table = env.getTable('Showcase');
    const form = createNode('Node', TYPE, {
      resource: 'record',
      operation: 'create',
      dataTableId: toLocator(table.id),
    });
    const { fields } = await env.engine.getResourceMapperFields(form, 'getColumns');
    const filled = Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue ?? null]));
    expect(filled).toMatchObject({ select: null, text: null, 'name[first_name]': null });
    const labels = fields.map(({ displayName }) => displayName);
    expect(labels).toContain('Select, default Letter B');
    expect(labels).toContain('Multi-select, default Letter B');
    const [created] = getOutput(
      await env.runRecordOperation('create', table, {
        columns: toColumns({ ...filled, unique_text: 'form' }),
      }),
    );
    expect(table.records.get(String(created!.id))).toMatchObject({
      select: 'b',
      multi_select: ['b'],
      text: '',
    });
  });

  test('sends no 0 for an expression without a value, and reads dates in the zone of the workflow', async () => {
    const table = env.getTable('Showcase');
    const zone = Settings.defaultZone;
    // Every expression of every workflow changes Luxon's default zone, which applies to text without a zone.
    Settings.defaultZone = 'Pacific/Kiritimati';
    const [created] = getOutput(
      await env.runRecordOperation('create', table, {
        columns: toColumns({
          unique_text: 'as given',
          number: '={{ "" }}',
          currency: '={{ undefined }}',
          decision_box: '={{ "yes" }}',
          checkbox: '={{ "Letter A, b" }}',
          date: '2025-03-31T00:00:00',
          date_time: '2025-03-31T00:30:00',
          time: '={{ $now.set({ hour: 14, minute: 30, second: 0 }) }}',
        }),
      }),
    );
    Settings.defaultZone = zone;
    expect(table.records.get(String(created!.id))).toMatchObject({
      number: null,
      currency: null,
      decision_box: 1,
      checkbox: ['a', 'b'],
      date: '2025-03-31',
      date_time: '2025-03-31 00:30:00',
      time: '14:30:00',
    });
  });

  test('links the new record to a parent and returns the equation log', async () => {
    const orders = env.getTable('Orders');
    const link = orders.fields.find(({ type }) => type === 'Connection')!;
    const customer = [...env.getTable('Customers').records.keys()][3]!;
    const number = orders.fields.find(({ unique }) => unique)!.slug;
    const [created] = getOutput(
      await env.runRecordOperation('create', orders, {
        columns: toColumns({ [number]: 'LINK-1' }),
        options: {
          link: { parent: { field: `${orders.id}|${link.fieldId}`, recordId: customer } },
          formulas: ['equationLog', 'runFormulasOn'],
        },
      }),
    );
    expect(orders.records.get(created!.id as string)![link.slug]).toEqual([customer]);
    expect(Array.isArray(created!.equationLog)).toBe(true);
  });

  test('finds the parent by its name if the connection field is one of the new record', async () => {
    const table = env.getTable('Showcase');
    const { fieldId, slug } = table.fields.find(({ name }) => name === 'Connection Many')!;
    const parent = env.getTable('Products').insert({ name: 'Parent, by name' });
    const create = (recordId: string) => {
      const link = { parent: { field: `${table.id}|${fieldId}`, recordId } };
      return env.runRecordOperation('create', table, {
        columns: toColumns({ number: 1 }),
        options: { link },
      });
    };
    for (const text of ['Parent, by name', parent.id]) {
      const [created] = getOutput(await create(text));
      expect(table.records.get(String(created!.id))![slug]).toEqual([parent.id]);
    }
    const count = table.records.size;
    for (const text of ['Nobody', 'No, body']) {
      expect((await create(text)).error?.message).toBe(`"Connection Many": Products has no record "${text}"`);
    }
    expect(table.records.size).toBe(count);
  });

  test('refuses the name of a parent if the connection field is one of the parent', async () => {
    const [orders, products] = [env.getTable('Orders'), env.getTable('Products')];
    const parent = orders.insert({ number: 'Parent order' });
    const create = (recordId: string) => {
      const link = {
        parent: { field: `${orders.id}|${orders.findField('products')!.fieldId}`, recordId },
      };
      const columns = toColumns({ name: 'Linked from its parent' });
      return env.runRecordOperation('create', products, { columns, options: { link } });
    };
    const count = products.records.size;
    const { error } = await create('Parent order');
    expect(error?.message).toBe('Link to Parent: the parent table has no record with the ID "Parent order"');
    expect(products.records.size).toBe(count);
    const [created] = getOutput(await create(parent.id));
    expect(orders.records.get(parent.id)!.products).toEqual([created!.id]);
  });
});

test.each([
  ['', 'products', 'Link to Parent: the table has no field "products"'],
  ['Orders', 'number', 'Link to Parent: "Number" is not a connection field'],
  ['Orders', 'nobody', 'Link to Parent: the table has no field "nobody"'],
])(
  'a link through a field of the table "%s" named %s is refused before anything is sent',
  async (table, fieldId, message) => {
    const products = env.getTable('Products');
    const [recordId] = [...env.getTable('Orders').records.keys()];
    const parent = { field: table ? `${env.getTable(table).id}|${fieldId}` : fieldId, recordId };
    const parameters = { columns: toColumns({ name: 'Unlinked' }), options: { link: { parent } } };
    const count = products.records.size;
    const { error } = await env.runRecordOperation('create', products, parameters);
    expect(error?.message).toBe(message);
    expect(products.records.size).toBe(count);
  },
);

test.each([
  [{ field: 'products' }, 'Link to Parent: the Parent Record ID is missing'],
  [{ field: 'products', recordId: ' ' }, 'Link to Parent: the Parent Record ID is missing'],
  [{ recordId: 'r1' }, 'Link to Parent: the Connection is missing'],
])('a link without one of its parts is refused: %j', async (parent, message) => {
  const before = env.service.requests.length;
  const parameters = { columns: toColumns({ name: 'Unlinked' }), options: { link: { parent } } };
  const { error } = await env.runRecordOperation('create', env.getTable('Products'), parameters);
  expect(error).toMatchObject({
    message,
    description: 'Choose both, or remove the option. An expression may have returned nothing.',
  });
  expect(env.listRequests(before).filter((pattern) => pattern.startsWith('POST'))).toEqual([]);
});

test.each(['products', 'Products'])(
  'a connection field is also found by its slug or label: %s',
  async (fieldId) => {
    const [orders, products] = [env.getTable('Orders'), env.getTable('Products')];
    const parent = orders.insert({ number: `Parent by ${fieldId}` });
    const link = { parent: { field: `${orders.id}|${fieldId}`, recordId: parent.id } };
    const parameters = { columns: toColumns({ name: 'Linked' }), options: { link } };
    const [created] = getOutput(await env.runRecordOperation('create', products, parameters));
    expect(orders.records.get(parent.id)!.products).toEqual([created!.id]);
  },
);

describe('update', () => {
  test('loses nothing of what it does not name', async () => {
    const table = env.getTable('Customers');
    const ids = [...table.records.keys()].slice(0, 20);
    const before = ids.map((id) => ({ ...table.records.get(id)! }));
    const run = await env.runRecordOperation(
      'update',
      table,
      { recordId: '={{ $json.id }}', columns: toColumns({ company: '={{ "Renamed " + $itemIndex }}' }) },
      ids.map((id) => ({ id })),
    );
    expect(getOutput(run)).toHaveLength(20);
    ids.forEach((id, i) => expect(table.records.get(id)).toEqual({ ...before[i], company: `Renamed ${i}` }));
  });

  test('keeps a file if its column is empty; a file cannot be cleared', async () => {
    const table = env.getTable('Showcase');
    const { id } = table.insert({ text: 'has a file', file: ['https://files.example/a.txt'] });
    const readStoredFile = () => table.records.get(id)!.file;
    for (const file of [null, '={{ "" }}', '={{ [] }}', '={{ $json.nosuch }}']) {
      const values = toColumns({ text: 'changed', file });
      getOutput(await env.runRecordOperation('update', table, { recordId: id, columns: values }));
      expect([file, readStoredFile()]).toEqual([file, ['https://files.example/a.txt']]);
    }
    const clear = { columns: toColumns({ text: 'x' }), options: { clear: ['file'] } };
    const refused = await env.runRecordOperation('update', table, { recordId: id, ...clear });
    expect(refused.error?.message).toBe('"File" is a File field and cannot be cleared');
    expect(readStoredFile()).toEqual(['https://files.example/a.txt']);
  });

  test.each([
    { status: 'gone' },
    { phone: { odd: [1] } },
    { address: { formatted: 'Leeds' } },
    { credit_limit: '12345678901234567890' },
  ])('a value that cannot be sent back, or that the table no longer allows, stays: %j', async (odd) => {
    const other = await TestEnvironment.start();
    const table = other.getTable('Customers');
    const { id } = [...table.records.values()][0]!;
    Object.assign(table.records.get(id)!, odd);
    const columns = toColumns({ notes: 'new' });
    getOutput(await other.runRecordOperation('update', table, { recordId: id, columns }));
    expect(table.records.get(id)).toMatchObject({ ...odd, notes: 'new' });
    await other.stop();
  });

  test('clears cells, keeps 0 and false, and needs at least one column', async () => {
    const table = env.getTable('Showcase');
    const id = [...table.records.keys()][0]!;
    getOutput(
      await env.runRecordOperation('update', table, {
        recordId: id,
        columns: toColumns({ number: 0, decision_box: 'false', text: '' }),
        options: { clear: ['multi_select', 'date', 'select', 'name'] },
      }),
    );
    expect(table.records.get(id)).toMatchObject({
      number: 0,
      decision_box: 0,
      text: '',
      multi_select: [],
      date: null,
      select: '',
    });
    expect(Object.values(table.records.get(id)!.name as object).join('')).toBe('');
    const run = await env.runRecordOperation('update', table, { recordId: id, columns: toColumns({}) });
    expect(run.error?.message).toMatch(/Nothing to update/);
  });
});

describe('delete', () => {
  test('returns the deleted ID; deleting a missing record is an error', async () => {
    const table = env.getTable('Products');
    const { id } = table.insert({});
    expect(getOutput(await env.runRecordOperation('delete', table, { recordId: id }))).toEqual([
      { _action: 'deleted', deleted: true, id },
    ]);
    expect(table.records.has(id)).toBe(false);
    const again = await env.runRecordOperation('delete', table, { recordId: id });
    expect(again.error?.message).toBe(`The record "${id}" does not exist`);
  });

  test('succeeds if all responses are incomplete but the record no longer exists', async () => {
    const table = env.getTable('Products');
    const { id } = table.insert({});
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'truncate' }, times: 4 });
    expect(getOutput(await env.runRecordOperation('delete', table, { recordId: id }))).toEqual([
      { _action: 'deleted', deleted: true, id },
    ]);
    env.service.faults.clear();
  });

  test('reports that the change may have been made only if the outcome is unknown', async () => {
    const table = env.getTable('Products');
    const { id } = table.insert({});
    const updateUnderFault = async (when: 'after' | 'before', stock: number) => {
      const fault = { type: 'status', status: 500, when } as const;
      env.service.faults.add({ when: { method: 'POST', pattern: /records\/\{recordId/ }, fault, times: 99 });
      const columns = toColumns({ stock });
      const run = await env.runRecordOperation('update', table, { recordId: id, columns });
      env.service.faults.clear();
      return run;
    };
    // The record shows that the update was carried out.
    expect(getOutput(await updateUnderFault('after', 1))).toMatchObject([
      { id, stock: 1, _action: 'updated' },
    ]);
    const { error } = await updateUnderFault('before', 2);
    expect((error as { description?: string }).description).toMatch(
      /^The record shows "Stock": 1\. The service may have done this/,
    );
    const refused = await env.runRecordOperation('update', table, {
      recordId: 'nosuch',
      columns: toColumns({ stock: 1 }),
    });
    expect((refused.error as { description?: string }).description).not.toContain('may have been made');
  });

  test('succeeds if the response was lost and the repeated request returns 404', async () => {
    const table = env.getTable('Products');
    const { id } = table.insert({});
    env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'after' } });
    expect(getOutput(await env.runRecordOperation('delete', table, { recordId: id }))).toEqual([
      { _action: 'deleted', deleted: true, id },
    ]);
  });
});

describe('continue on fail', () => {
  test('puts a failed item on the error output with its pairing and continues', async () => {
    const table = env.getTable('Showcase');
    const input = [{ n: 1 }, { n: 'two' }, { n: 3 }];
    const parameters = { columns: toColumns({ number: '={{ $json.n }}' }) };
    const run = await env.runRecordOperation('create', table, parameters, input, {
      onError: 'continueErrorOutput',
    });
    expect(run.getItems('Node', 0).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
    expect(run.getItems('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
    expect(JSON.stringify(run.getJson('Node', 1))).toContain('two');
  });
});
