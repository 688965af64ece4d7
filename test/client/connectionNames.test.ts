import {
  buildRecordFilter,
  getTable,
  recordExists,
  parseFilterJson,
  prepareEntries,
  readAllRecords,
  resolveConnection,
  replaceNamesInStoredFilter,
} from '../../nodes/records';
import { InputError } from '../../nodes/service';
import { createSeed, scaleRuns } from '../randomness';
import { Random } from '../service/state/random';
import { ClientEnvironment, isList } from './support';

/** Values of connections that have IDs, names or both, and the errors of names that fit no record or several. */

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 100_000 });
  const { service } = env;
  const title = { name: 'Title', type: 'Text' } as const;
  service.addTable({ name: 'Towns', fields: [title, { name: 'Region', type: 'Text' }] });
  service.addTable({ name: 'People', fields: [{ name: 'Full Name', type: 'Name' }] });
  service.addTable({ name: 'Counts', fields: [{ name: 'Size', type: 'Number' }] });
  service.addTable({ name: 'Days', fields: [{ name: 'Due', type: 'Date' }] });
  service.addTable({
    name: 'Visits',
    fields: [
      title,
      { name: 'Town', type: 'Connection', to: 'Towns', many: false },
      { name: 'Towns', type: 'Connection', to: 'Towns' },
      { name: 'People', type: 'Connection', to: 'People' },
      { name: 'Counts', type: 'Connection', to: 'Counts' },
      { name: 'Days', type: 'Connection', to: 'Days' },
    ],
  });
});
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

let count = 0;
/** Adds a town with a name, which no other town has. */
function addTown(title = `Town number ${++count}`) {
  const { id } = env.service.getTable('Towns').insert({ title });
  return { id, title };
}

const SETTINGS = { notation: 'detect', use: 'key', allowsMissing: false } as const;

/** A client of a new key, for which nothing is in memory, and the connections of a visit. */
async function openVisits() {
  const { appKey, appSecret } = env.service.addKey();
  const client = env.createClient({ appKey, appSecret });
  const table = await getTable(client, env.service.getTable('Visits').id);
  const getField = (column: string) => table.requireWritableRef(column, 'Fields').field;
  const resolve = async (column: string, value: unknown, given: object = {}) => {
    const { records } = await resolveConnection(client, getField(column), value, { ...SETTINGS, ...given });
    return records.map((record) => ('id' in record ? record.id : { missing: record.missing }));
  };
  const fail = async (column: string, value: unknown, given: object = {}): Promise<InputError> => {
    const error: unknown = await resolve(column, value, given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  };
  return { client, table, getField, resolve, fail };
}

const { record } = env;

describe('a value of several records', () => {
  test('that has IDs only costs no request in a filter of a reading', async () => {
    const [first, second] = [addTown(), addTown()];
    const { resolve } = await openVisits();
    const value = [{ id: first.id }, { id: second.id }];
    const ids = [first.id, second.id];
    const requests = await record(async () => expect(await resolve('towns', value, { use: 'filter' })).toEqual(ids)); // prettier-ignore
    expect(requests).toEqual([]);
    expect(await resolve('towns', value)).toEqual(ids);
  });

  test('keeps its order and its IDs when others are names', async () => {
    const [first, second, third] = [addTown(), addTown(), addTown()];
    const { resolve } = await openVisits();
    const value = [{ name: second.title }, { id: first.id }, third.title];
    const requests = await record(async () => expect(await resolve('towns', value)).toEqual([second.id, first.id, third.id])); // prettier-ignore
    const searches = requests.filter(isList);
    expect(searches).toMatchObject([
      { body: { filters: { items: [{ val: second.title }, { val: third.title }] } } },
    ]);
  });

  test('names each record once, although a name is given twice', async () => {
    const { id, title } = addTown();
    const { resolve } = await openVisits();
    const requests = await record(async () => expect(await resolve('towns', [title, title])).toEqual([id, id])); // prettier-ignore
    expect(requests.filter(isList)).toMatchObject([
      { method: 'GET', query: { filters: { items: [{ val: title }] } } },
    ]);
  });

  test('an ID that the value calls a name is no ID, and a name that it calls an ID is not looked up', async () => {
    const { id, title } = addTown();
    const { fail } = await openVisits();
    for (const use of ['key', 'write'])
      expect((await fail('towns', [{ name: id }], { use })).message).toBe(
        `"Towns": Towns has no record "${id}"`,
      );
    expect((await fail('towns', [{ id: title }])).message).toBe(`"Towns": Towns has no record "${title}"`);
  });
});

test('IDs of another form are looked up as names together, and read in the pages of the table', async () => {
  const towns = env.service.getTable('Towns');
  const ids = ['kB1A', 'kB2B', 'kB3C'];
  for (const id of ids) towns.records.set(id, { id, title: `With ${id}`, created_at: '2026-01-01 00:00:00' });
  const { resolve } = await openVisits();
  const requests = await record(async () => expect(await resolve('towns', ids)).toEqual(ids));
  expect(requests.filter(({ path }) => /records\/kB/.test(path))).toEqual([]);
  expect(requests.filter(({ path }) => /records$/.test(path))).toHaveLength(2);
  ids.forEach((id) => towns.delete(id));
});

test.each(['undefined', 'null'])('a record without a name is not found by the name "%s"', async (name) => {
  env.service.getTable('Towns').insert({ region: 'Nameless' });
  env.service.getTable('Towns').insert({ title: '', region: 'Nameless' });
  const { resolve } = await openVisits();
  const found = await resolve('towns', [{ name }], { allowsMissing: true });
  expect(found.filter((one) => typeof one === 'string')).toEqual([]);
});

test.each([2, 451])('a name with an outer blank is found as it is, among %d records', async (size) => {
  const padded = [` pad ${size}`, `pad ${size} `, ` Smith, Jones ${size}`].map((title) => addTown(title));
  for (let index = 3; index < size; index++) addTown();
  const { client, table, resolve } = await openVisits();
  for (const { id, title } of padded) {
    for (const value of [title, [title], { name: title }, JSON.stringify([title])])
      expect([value, await resolve('Town', value)]).toEqual([value, [id]]);
    const prepared = await prepareEntries(
      client,
      table,
      { town: title },
      { timeZone: 'UTC', createsMissing: true },
    );
    expect(prepared.missing).toBeUndefined();
  }
  const { id, title } = addTown();
  expect(await resolve('Town', ` ${title} `)).toEqual([id]);
  expect(await resolve('Towns', ` ${id}`)).toEqual([id]);
});

describe('a text with commas', () => {
  test('is several names, unless a record has all of it as its name', async () => {
    const [first, second] = [addTown('Bath'), addTown('Wells')];
    const { resolve } = await openVisits();
    expect(await resolve('towns', 'Bath, Wells')).toEqual([first.id, second.id]);
    const whole = addTown('Bath, Wells');
    const again = await openVisits();
    expect(await again.resolve('towns', 'Bath, Wells')).toEqual([whole.id]);
  });

  test('is one name where only one record fits, and where the caller says so', async () => {
    addTown('Ely');
    addTown('Rye');
    const { resolve, fail } = await openVisits();
    expect((await fail('town', 'Ely, Rye')).message).toBe('"Town": Towns has no record "Ely, Rye"');
    expect((await fail('towns', 'Ely, Rye', { isSingle: true })).message).toContain('"Ely, Rye"');
    expect(await resolve('town', 'Ely, Rye', { isSingle: false })).toHaveLength(2);
  });

  test('that a record has as its name is one, although the caller expects several', async () => {
    const { id } = addTown('Deal, Kent');
    const { resolve } = await openVisits();
    expect(await resolve('towns', 'Deal, Kent', { isSingle: false })).toEqual([id]);
  });
});

describe('a name that no record has', () => {
  test('is returned if it may be missing', async () => {
    const { id, title } = addTown();
    const { resolve } = await openVisits();
    const records = await resolve('towns', [title, 'Nowhere'], { allowsMissing: true });
    expect(records).toEqual([id, { missing: 'Nowhere' }]);
  });

  test('is an error that offers to create it only if the form has that option', async () => {
    const { fail } = await openVisits();
    const offer = 'choose "Look Up, Create Missing" under "Connected Records"';
    expect((await fail('towns', 'Nowhere')).description).toContain(offer);
    expect((await fail('towns', 'Nowhere', { allowsMissing: undefined })).description).not.toContain(offer);
  });

  test('is an error with the table ID if no list names it', async () => {
    const { fail } = await openVisits();
    const failing = { type: 'status', status: 403 } as const;
    env.service.faults.add({
      when: { method: 'GET', pattern: /records$/, skip: 1 },
      times: 2,
      fault: failing,
    });
    env.service.faults.add({ when: { method: 'GET', pattern: 'GET /api/v1/data-tables' }, fault: failing });
    const { message, description } = await fail('towns', 'Southwolt');
    expect(message).toBe(`"Towns": ${env.service.getTable('Towns').id} has no record "Southwolt"`);
    expect(description).not.toContain('Did you mean');
  });
});

describe('a name in capital or small letters', () => {
  test('is found, and an equal name takes precedence', async () => {
    const project = addTown('Project 3');
    const { resolve, fail } = await openVisits();
    expect(await resolve('towns', ['project 3', 'PROJECT 3'])).toEqual([project.id, project.id]);
    const other = addTown('project 3');
    const later = await openVisits();
    expect(await later.resolve('towns', ['project 3', 'Project 3'])).toEqual([other.id, project.id]);
    expect((await later.fail('towns', 'PROJECT 3')).message).toContain('2 records of Towns have the name');
    expect((await fail('towns', 'Project 4')).message).toContain('has no record "Project 4"');
  });
});

describe('a name that several records have', () => {
  test('is an error with their IDs and the texts in which they differ', async () => {
    const towns = env.service.getTable('Towns');
    const [first, second] = ['Essex', 'Kent'].map((region) => towns.insert({ title: 'Newtown', region }).id);
    const { fail } = await openVisits();
    const { message, description } = await fail('towns', 'Newtown');
    expect(message).toBe('"Towns": 2 records of Towns have the name "Newtown"');
    expect(description).toMatch(new RegExp(`Essex[^,]* \\(${first}\\), .*Kent[^,]* \\(${second}\\)`));
  });
});

test('a name is found by the parts of a composite', async () => {
  const people = env.service.getTable('People');
  const { id } = people.insert({ full_name: { first_name: 'Ada', last_name: 'Lovelace' } });
  const { resolve } = await openVisits();
  expect(await resolve('people', 'Ada Lovelace')).toEqual([id]);
});

test.each(['full_name[first_name]', 'no_such_field'])(
  'a connection whose names would be in "%s" takes none',
  async (nameField) => {
    const { client, getField } = await openVisits();
    const field = getField('people');
    const changed = { ...field, connection: { ...field.connection!, nameField: [nameField] } };
    const named = { ...SETTINGS, notation: 'names', allowsMissing: true } as const;
    await expect(resolveConnection(client, changed, 'Nobody', named)).rejects.toThrow('cannot take names');
    expect(await resolveConnection(client, field, 'Nobody', named)).toMatchObject({
      records: [{ missing: 'Nobody' }],
    });
  },
);

test('of a connection whose table is not named, each text is an ID', async () => {
  const { client, getField } = await openVisits();
  const field = { ...getField('towns'), connection: { many: true } };
  const requests = await record(async () =>
    expect(await resolveConnection(client, field, ['one', 'two'], SETTINGS)).toMatchObject({
      records: [{ id: 'one' }, { id: 'two' }],
    }),
  );
  expect(requests).toEqual([]);
});

test('a text that the column of the names cannot hold is the name of no record', async () => {
  const { client, getField, resolve } = await openVisits();
  const { tableId } = getField('days').connection!;
  const field = { ...getField('days'), connection: { tableId, many: true, nameField: ['due'] } };
  const requests = await record(async () =>
    expect(
      await resolveConnection(client, field, [{ name: 'no date' }], { ...SETTINGS, allowsMissing: true }),
    ).toMatchObject({ records: [{ missing: 'no date' }] }),
  );
  expect(requests.filter(isList)).toEqual([]);
  expect(await resolve('towns', [])).toEqual([]);
});

describe('a connection whose records have no names', () => {
  test('takes IDs, and no names', async () => {
    const { id } = env.service.getTable('Counts').insert({ size: 1 });
    const { resolve, fail } = await openVisits();
    expect(await resolve('counts', [id])).toEqual([id]);
    for (const value of [[{ name: 'x' }], [id, { name: 'x' }]])
      expect((await fail('counts', value)).message).toBe(
        '"Counts" cannot take names: the service names no field by which to find them',
      );
    expect((await fail('counts', ['no such record'])).message).toContain('has no record');
  });

  test('is not the same as one whose fields cannot be read', async () => {
    const { id } = addTown();
    const { resolve } = await openVisits();
    const when = {
      method: 'GET',
      pattern: new RegExp(`data-tables/${env.service.getTable('Towns').id}/full-fields-info`),
    };
    env.service.faults.add({ when, fault: { type: 'status', status: 403 } });
    await expect(resolve('towns', [{ name: 'x' }])).rejects.toMatchObject({ status: 403 });
    expect(await resolve('towns', [id])).toEqual([id]);
  });
});

describe('whether a text is the ID of a record', () => {
  const UNLIKE = 'short-1';

  test.each([400, 404, 422])('is denied by the status %i, once for an execution', async (status) => {
    const { client } = await openVisits();
    const tableId = env.service.getTable('Towns').id;
    env.service.faults.add({
      when: { method: 'GET', pattern: /records/ },
      fault: { type: 'status', status },
    });
    const requests = await record(async () => {
      expect(await recordExists(client, tableId, UNLIKE)).toBe(false);
      expect(await recordExists(client, tableId, UNLIKE)).toBe(false);
    });
    expect(requests.map(({ path }) => path).filter((path) => path.includes('/records/'))).toEqual([
      expect.stringMatching(`${tableId}/records/${UNLIKE}$`),
    ]);
  });

  test('is not asked for a text that no address can hold', async () => {
    const { client } = await openVisits();
    const tableId = env.service.getTable('Towns').id;
    for (const text of ['two words', 'ü', 'x'.repeat(201)]) {
      const requests = await record(async () =>
        expect(await recordExists(client, tableId, text)).toBe(false),
      );
      expect(requests).toEqual([]);
    }
  });

  test.each([
    ['a refusal of the key', { type: 'status', status: 403 }],
    ['a page of a proxy', { type: 'html', status: 404 }],
  ] as const)('is not answered by %s', async (_, fault) => {
    const { client } = await openVisits();
    const tableId = env.service.getTable('Towns').id;
    env.service.faults.add({ when: { method: 'GET', pattern: /records/ }, times: 5, fault });
    await expect(recordExists(client, tableId, UNLIKE)).rejects.toMatchObject({ status: fault.status });
    env.service.faults.clear();
    expect(await recordExists(client, tableId, UNLIKE)).toBe(false);
  });
});

test('a look-up keeps what it found, until it is asked anew or told of a record', async () => {
  const { client, getField } = await openVisits();
  const resolve = async (name: string) => {
    const settings = { ...SETTINGS, allowsMissing: true };
    const { records } = await resolveConnection(client, getField('towns'), name, settings);
    return records[0]!;
  };
  const title = 'Created later';
  const missing = await resolve(title);
  const { id } = addTown(title);
  expect(await resolve(title)).toMatchObject({ missing: title });
  const { lookup } = missing as Extract<typeof missing, { missing: string }>;
  expect((await lookup.findByNames([title], { isFresh: true })).get(title)).toMatchObject([{ id }]);
  expect(await resolve(title)).toEqual({ id });
  await resolve('Told');
  const requests = await record(async () => {
    await lookup.cacheResult('Told', { records: [{ id: 'its-id', title: 'Told' }] });
    expect(await resolve('Told')).toEqual({ id: 'its-id' });
  });
  expect(requests).toEqual([]);
});

describe('a filter', () => {
  /** The IDs of the visits that the filter finds. */
  async function find(condition: object) {
    const { client, table } = await openVisits();
    const filters = await buildRecordFilter(client, parseFilterJson(JSON.stringify(condition)), table, 'UTC');
    return (await readAllRecords(client, { tableId: table.id, filters })).map(({ id }) => id).sort();
  }

  test('finds by the names of connected records, in groups too', async () => {
    const visits = env.service.getTable('Visits');
    const [first, second, third] = [addTown(), addTown(), addTown()];
    const [a, b] = [first, second].map(({ id, title }) => visits.insert({ title, towns: [id] }).id);
    visits.insert({ title: 'Other', towns: [third.id] });
    expect(await find({ towns: first.title })).toEqual([a]);
    const group = {
      or: [{ towns: first.title }, { and: [{ towns: second.title }, { title: second.title }] }],
    };
    expect(await find(group)).toEqual([a, b].sort());
    expect(await find({ towns: { 'is any of': [first.title] } })).toEqual([a]);
    expect(await find({ towns: { 'is any of': [first.title, second.id] } })).toEqual([a, b].sort());
  });

  test('compares with several records, of which none is left out', async () => {
    const visits = env.service.getTable('Visits');
    const towns = [addTown('Stow'), addTown('Wold')];
    const [first, second] = towns.map(({ id }) => id);
    const both = visits.insert({ title: 'Both', towns: [first!, second!] }).id;
    const one = visits.insert({ title: 'One', towns: [first!] }).id;
    await expect(find({ towns: { is: ['Stow', 'Wold'] } })).rejects.toThrow(
      `cannot be compared with ["${first}","${second}"]`,
    );
    expect(await find({ towns: { 'is any of': 'Stow, Wold' } })).toEqual([both, one].sort());
  });

  test('by a name that several records have finds those of any of them', async () => {
    const visits = env.service.getTable('Visits');
    const [first, second, other] = ['Twin', 'Twin', 'Single'].map((title) => addTown(title).id);
    const [a, b, c] = [first, second, other].map((id) => visits.insert({ title: 'Twins', towns: [id] }).id);
    expect(await find({ towns: 'Twin' })).toEqual([a, b].sort());
    expect(env.hints).toContain(
      'Filter: 2 records have the name "Twin". The filter compares "Towns" with any of them.',
    );
    expect(await find({ towns: { contains: 'Twin' } })).toEqual([a, b].sort());
    expect(await find({ towns: { 'is any of': ['Twin', 'Single'] } })).toEqual([a, b, c].sort());
    expect(await find({ towns: { 'is not': 'Twin' }, title: 'Twins' })).toEqual([c]);
    const { client, table } = await openVisits();
    const stored = await replaceNamesInStoredFilter(client, parseFilterJson('{"towns": "Twin"}'), table);
    const { match, conditions } = stored!;
    expect(match).toBe('any');
    expect(conditions.map(({ value }) => value).sort()).toEqual([first, second].sort());
  });

  test('is checked before names are looked up', async () => {
    const { client, table } = await openVisits();
    const tree = parseFilterJson(JSON.stringify({ towns: addTown().title, no_such_field: 1 }));
    const requests = await record(() =>
      expect(buildRecordFilter(client, tree, table, 'UTC')).rejects.toThrow('no_such_field'),
    );
    expect(requests).toEqual([]);
  });

  test.each(['', [], null])('needs a record to compare with: %j', async (value) => {
    await expect(find({ towns: { is: value } })).rejects.toThrow(
      '"Towns" needs a value for the operator "is"',
    );
  });

  test('of a trigger without names stays as it is', async () => {
    const { client, table } = await openVisits();
    const tree = parseFilterJson(JSON.stringify({ title: 'x' }));
    expect(await replaceNamesInStoredFilter(client, tree, table)).toBe(tree);
    expect(await replaceNamesInStoredFilter(client, undefined, table)).toBeUndefined();
  });

  test('compares with no record: nothing is looked up', async () => {
    const id = env.service.getTable('Visits').insert({ title: 'To nowhere' }).id;
    const found = await find({ towns: { 'is blank': true }, title: 'To nowhere' });
    expect(found).toEqual([id]);
  });
});

describe('a missing record that is created', () => {
  const SPELLINGS = ['caf\u00e9', 'cafe\u0301', 'Caf\u00e9', ' caf\u00e9', 'b c', 'b  c', 'b c ', 'B C'];
  const FORMS = [
    [],
    ['trimmed'],
    ['composed'],
    ['trimmed', 'lowerEmails', 'composed'],
    // With capitals alone, two names that differ in composition could not be told apart: an error names both records.
    ['composed', 'upperCase'],
  ] as const;
  const towns = () => env.service.getTable('Towns');
  afterEach(() => void (env.service.options.storedText = []));

  /** Prepares a visit of each town, several at once, and creates those that are missing. */
  async function visit(names: string[]): Promise<unknown[]> {
    const { client, table } = await openVisits();
    const prepare = (town: string) =>
      prepareEntries(client, table, { town }, { timeZone: 'UTC', createsMissing: true });
    const prepared = await Promise.all(names.map(prepare));
    return Promise.all(prepared.map(async ({ complete }) => (await complete())[0]![1]));
  }

  test('where several spellings have records, the nearest one is taken', async () => {
    for (const id of [...towns().records.keys()]) towns().delete(id);
    const [capital, small] = ['Twin', 'twin'].map((title) => towns().insert({ title }).id);
    expect(await visit(['twin', 'Twin', ' Twin'])).toEqual([small, capital, capital]);
    await expect(visit(['TWIN'])).rejects.toThrow('2 records of Towns have the name "TWIN"');
  });

  test('is found by each later run, in whichever form the service has stored its name', async () => {
    const random = new Random(createSeed());
    for (let run = 0; run < scaleRuns(60); run++) {
      for (const id of [...towns().records.keys()]) towns().delete(id);
      env.service.options.storedText = [...random.pick(FORMS)];
      const names = Array.from({ length: random.nextInt(1, 4) }, () => random.pick(SPELLINGS));
      const first = await visit(names);
      const stored = [...towns().records.values()].map(({ title }) => title);
      const again = await visit(names);
      const { storedText } = env.service.options;
      expect({ storedText, names, stored: [...towns().records.values()].map(({ title }) => title) }).toEqual({
        storedText,
        names,
        stored,
      });
      expect(again).toEqual(first);
    }
  });
});
