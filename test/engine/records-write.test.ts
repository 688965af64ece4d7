import { mapValues } from 'lodash';
import { Settings } from 'luxon';
import { node } from '../harness';
import { AUTO_MAP, byId, columns, outputOf, TYPE, World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start({}, { timezone: 'Europe/Berlin' });
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

describe('create', () => {
  test('sends every field type in its format and gives the record back', async () => {
    const table = world.table('Showcase');
    const customer = [...world.table('Customers').records.keys()][0];
    const products = [...world.table('Products').records.keys()].slice(0, 2);
    const [created] = outputOf(
      await world.records('create', table, {
        columns: columns({
          text: 'Blue',
          email: 'ada@example.com',
          rich_text: '<p>Hi</p>',
          number: '12.5',
          currency: 0,
          decision_box: true,
          date: '2025-03-31T23:30:00Z',
          time: '14:30',
          date_time: '2025-03-31T12:00:00Z',
          calendar__start: '2025-03-01',
          calendar__end: '2025-03-31',
          'name[first_name]': 'Ada',
          'address[city]': 'Leeds',
          // A dropdown holds the value; its label may come by an expression.
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
    const table = world.table('Products');
    const input = Array.from({ length: 500 }, (_, i) => ({ [table.fields[0]!.slug]: `Bulk ${i}` }));
    const run = await world.records('create', table, { columns: AUTO_MAP }, input);
    const made = outputOf(run);
    expect(made.map((one) => one[table.fields[0]!.slug])).toEqual(
      input.map((one) => one[table.fields[0]!.slug]),
    );
    expect(run.itemsOf('Node').map(({ pairedItem }) => pairedItem)).toEqual(
      input.map((_, item) => ({ item })),
    );
  });

  test('a record that was read can be written back as it is', async () => {
    const table = world.table('Showcase');
    const read = outputOf(await world.records('getAll', table, { limit: 5 }));
    const before = read.map(({ id }) => ({ ...table.records.get(String(id))! }));
    const parameters = { recordId: '={{ $json.id }}', columns: AUTO_MAP };
    outputOf(await world.records('update', table, parameters, read));
    expect(read.map(({ id }) => table.records.get(String(id)))).toEqual(before);
    const formula = await world.records('create', table, { columns: columns({ formula: 3 }) });
    expect(formula.error?.message).toMatch(/worked out by the service/);
  });

  test('sends files with other fields in one request', async () => {
    const table = world.table('Showcase');
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
    const before = world.service.requests.length;
    const values = { text: 'with files', file: 'one, two', number: 0, multi_select: ['a', 'b'] };
    const [created] = outputOf(await world.records('create', table, { columns: columns(values) }, input));
    expect(JSON.stringify(created!.file)).toContain('one.txt');
    expect(JSON.stringify(created!.file)).toContain('two.txt');
    expect(table.records.get(created!.id as string)).toMatchObject({ number: 0, multi_select: ['a', 'b'] });
    expect(world.seen(before).filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('applies field defaults when asked to, and only then', async () => {
    const table = world.table('Showcase');
    const values = { columns: columns({ text: 'x', unique_text: 'own default test' }) };
    const [plain] = outputOf(await world.records('create', table, values));
    const withDefaults = {
      columns: columns({ text: 'x', unique_text: 'own default test 2' }),
      options: { applyDefaults: true },
    };
    const [filled] = outputOf(await world.records('create', table, withDefaults));
    expect([plain!.select, filled!.select, filled!.unique_text]).toEqual(['', 'b', 'own default test 2']);
  });

  test.each([
    [{ nosuch: 1 }, 'nosuch'],
    [{ number: 'twelve' }, 'Number'],
    [{ date: 'soon' }, 'Date'],
    [{ select: 'Letter Z' }, 'Select'],
    [{ email: 'nobody' }, 'Email'],
    [{ decision_box: 'maybe' }, 'Decision Box'],
  ])('refuses %j before anything is sent', async (values, named) => {
    const before = world.service.requests.length;
    const byExpression = columns(mapValues(values, (value) => `={{ ${JSON.stringify(value)} }}`));
    const run = await world.records('create', world.table('Showcase'), { columns: byExpression });
    expect(run.error?.message).toContain(named);
    expect(world.seen(before).filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('what the form fills in, and what it leaves empty, can be sent', async () => {
    const table = world.table('Showcase');
    const form = node('Node', TYPE, { resource: 'record', operation: 'create', dataTableId: byId(table.id) });
    const { fields } = await world.engine.resourceMapperFields(form, 'getColumns');
    const filled = Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue ?? null]));
    expect(filled).toMatchObject({ select: 'b', multi_select: 'b', text: null, 'name[first_name]': null });
    const [created] = outputOf(
      await world.records('create', table, { columns: columns({ ...filled, unique_text: 'form' }) }),
    );
    expect(table.records.get(String(created!.id))).toMatchObject({
      select: 'b',
      multi_select: ['b'],
      text: '',
    });
  });

  test('values come as expressions give them: no 0 for nothing, no zone but the workflow’s', async () => {
    const table = world.table('Showcase');
    const zone = Settings.defaultZone;
    // Any expression of any workflow sets the zone that Luxon takes for text without one.
    Settings.defaultZone = 'Pacific/Kiritimati';
    const [created] = outputOf(
      await world.records('create', table, {
        columns: columns({
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
    const orders = world.table('Orders');
    const link = orders.fields.find(({ type }) => type === 'Connection')!;
    const customer = [...world.table('Customers').records.keys()][3]!;
    const number = orders.fields.find(({ unique }) => unique)!.slug;
    const [created] = outputOf(
      await world.records('create', orders, {
        columns: columns({ [number]: 'LINK-1' }),
        options: {
          link: { parent: { tableId: orders.id, fieldId: link.fieldId, recordId: customer } },
          equationLog: true,
          runFormulas: true,
        },
      }),
    );
    expect(orders.records.get(created!.id as string)![link.slug]).toEqual([customer]);
    expect(Array.isArray(created!.equationLog)).toBe(true);
  });
});

describe('update', () => {
  test.each(['keep', 'blank'] as const)(
    'loses nothing where the service %ss what is left out',
    async (omittedOnUpdate) => {
      const other = await World.start({ omittedOnUpdate });
      try {
        const table = other.table('Customers');
        const ids = [...table.records.keys()].slice(0, 20);
        const before = ids.map((id) => ({ ...table.records.get(id)! }));
        const run = await other.records(
          'update',
          table,
          { recordId: '={{ $json.id }}', columns: columns({ company: '={{ "Renamed " + $itemIndex }}' }) },
          ids.map((id) => ({ id })),
        );
        expect(outputOf(run)).toHaveLength(20);
        ids.forEach((id, i) =>
          expect(table.records.get(id)).toEqual({ ...before[i], company: `Renamed ${i}` }),
        );
        expect(other.violations()).toEqual([]);
      } finally {
        await other.stop();
      }
    },
  );

  test('a file stays where its column names none, and goes where it is to be cleared', async () => {
    const table = world.table('Showcase');
    const { id } = table.insert({ text: 'has a file', file: ['https://files.example/a.txt'] });
    const held = () => table.records.get(id)!.file;
    for (const file of [null, '={{ "" }}', '={{ [] }}', '={{ $json.nosuch }}']) {
      const values = columns({ text: 'changed', file });
      outputOf(await world.records('update', table, { recordId: id, columns: values }));
      expect([file, held()]).toEqual([file, ['https://files.example/a.txt']]);
    }
    const clear = { columns: columns({ text: 'x' }), options: { clear: ['file'] } };
    outputOf(await world.records('update', table, { recordId: id, ...clear }));
    expect(held()).toEqual([]);
  });

  test('loses at most the value that the table allows no more, and says so', async () => {
    const other = await World.start({ omittedOnUpdate: 'blank' });
    const table = other.table('Customers');
    const before = structuredClone([...table.records.values()][0]!);
    Object.assign(table.records.get(before.id)!, { status: 'gone' });
    const run = await other.records('update', table, {
      recordId: before.id,
      columns: columns({ notes: 'new' }),
    });
    expect(run.error).toBeUndefined();
    expect(table.records.get(before.id)).toEqual({ ...before, notes: 'new', status: '' });
    expect(run.hints('Node').map(({ message }) => message)).toEqual([
      expect.stringMatching(/does not take back.*: status\.$/),
    ]);
    await other.stop();
  });

  test('what only reading brings does not stand in the way, what cannot go back is told with a way out', async () => {
    const other = await World.start();
    const table = other.table('Customers');
    const [one, two] = [...table.records.values()];
    const update = (id: string, options: object = {}) =>
      other.records('update', table, { recordId: id, columns: columns({ notes: 'new' }), options });
    Object.assign(table.records.get(one!.id)!.address as object, { formatted: 'Leeds, UK' });
    expect((await update(one!.id)).error).toBeUndefined();
    expect(table.records.get(one!.id)).toMatchObject({ notes: 'new', company: one!.company });
    await other.stop();
    for (const [odd, named] of [
      [{ phone: { odd: [1] } }, '"Phone" holds {"odd":[1]}'],
      [{ address: { formatted: 'Leeds' } }, '"Address" holds {"formatted":"Leeds"}'],
      [
        { address: { street: 'Main 1', city: 'Leeds' } },
        '"Address" holds {"street":"Main 1","city":"Leeds"}',
      ],
    ] as const) {
      const strange = await World.start({ omittedOnUpdate: 'blank' });
      const customers = strange.table('Customers');
      Object.assign(customers.records.get(two!.id)!, odd);
      const refused = await strange.records('update', customers, {
        recordId: two!.id,
        columns: columns({ notes: 'new' }),
      });
      expect(refused.error?.message).toBe(`${named}, which could not be put back`);
      expect((refused.error as { description?: string }).description).toContain('"Service Keeps Them"');
      expect(customers.records.get(two!.id)).toMatchObject(odd);
      await strange.stop();
    }
  });

  test.each(['={{ "" }}', '={{ "Keep" }}', '={{ $json.no }}'])(
    'Columns Not Given as %s is found out, time after time',
    async (unlisted) => {
      const table = world.table('Customers');
      const id = [...table.records.keys()][0]!;
      for (const notes of ['first', 'second', 'third']) {
        const given = { recordId: id, columns: columns({ notes }), options: { unlisted } };
        outputOf(await world.records('update', table, given));
        expect(table.records.get(id)!.notes).toBe(notes);
      }
    },
  );

  test('clears cells, keeps 0 and false, and needs at least one column', async () => {
    const table = world.table('Showcase');
    const id = [...table.records.keys()][0]!;
    outputOf(
      await world.records('update', table, {
        recordId: id,
        columns: columns({ number: 0, decision_box: false, text: '' }),
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
    const run = await world.records('update', table, { recordId: id, columns: columns({}) });
    expect(run.error?.message).toMatch(/Nothing to update/);
  });
});

describe('delete', () => {
  test('answers with what was deleted; a missing record says what to do', async () => {
    const table = world.table('Products');
    const { id } = table.insert({});
    expect(outputOf(await world.records('delete', table, { recordId: id }))).toEqual([{ deleted: true, id }]);
    expect(table.records.has(id)).toBe(false);
    const again = await world.records('delete', table, { recordId: id });
    expect(again.error?.message).toBe('The record does not exist');
  });

  test('is done when the answer was lost and the repeat finds nothing', async () => {
    const table = world.table('Products');
    const { id } = table.insert({});
    world.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'after' } });
    expect(outputOf(await world.records('delete', table, { recordId: id }))).toEqual([{ deleted: true, id }]);
  });
});

describe('continue on fail', () => {
  test('puts the failing item on the error output, paired, and goes on', async () => {
    const table = world.table('Showcase');
    const input = [{ n: 1 }, { n: 'two' }, { n: 3 }];
    const parameters = { columns: columns({ number: '={{ $json.n }}' }) };
    const run = await world.records('create', table, parameters, input, { onError: 'continueErrorOutput' });
    expect(run.itemsOf('Node', 0).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
    expect(run.itemsOf('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
    expect(JSON.stringify(run.jsonOf('Node', 1))).toContain('two');
  });
});
