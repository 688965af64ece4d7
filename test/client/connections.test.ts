import {
  buildRecordFilter,
  createRecord,
  deleteRecord,
  getTable,
  parseFilterJson,
  readAllRecords,
  resolveConnection,
  replaceNamesInStoredFilter,
} from '../../nodes/records';
import type { RecordedRequest } from '../service';
import { ClientEnvironment, getFilters } from './support';

const SEARCH = { pattern: /\/records$/ };

const env = new ClientEnvironment();
/** Another service, whose tables have the same IDs. */
const other = new ClientEnvironment();

const BOXES = ['Boxes', 'Crates'] as const;

/** Two tables whose records have the same names, and a table that connects to both. */
function addTables({ service }: ClientEnvironment): void {
  for (const name of BOXES) service.addTable({ name, fields: [{ name: 'Title', type: 'Text' }] });
  service.addTable({
    name: 'Loads',
    fields: BOXES.map((to) => ({ name: to, type: 'Connection', to })),
  });
  service.addTable({ name: 'Trips', fields: [{ name: 'Boxes', type: 'Connection', to: 'Crates' }] });
}

beforeAll(async () => {
  for (const one of [env, other]) {
    await one.start({ perMinute: 100_000 });
    addTables(one);
  }
});
afterAll(() => Promise.all([env.stop(), other.stop()]));
afterEach(() => {
  expect([...env.service.violations, ...other.service.violations]).toEqual([]);
  env.service.faults.clear();
});

let count = 0;
/** Adds a box with a new name, which no test has looked up. */
function addBox(environment = env, title = `Box number ${++count}`) {
  const { id } = environment.service.getTable('Boxes').insert({ title });
  return { id, title };
}

const SETTINGS = { notation: 'detect', use: 'key', allowsMissing: false } as const;

async function openLoads(environment = env, settings: object = {}, name = 'Loads') {
  const client = environment.createClient(settings);
  const table = await getTable(client, environment.service.getTable(name).id);
  return { client, table };
}

/** Returns a function that finds records of one connection, and one execution of a user. */
async function openConnection(column: 'Boxes' | 'Crates', environment = env, settings: object = {}) {
  const { client, table } = await openLoads(environment, settings);
  const { field } = table.requireWritableRef(column.toLowerCase(), 'Fields');
  return async (value: unknown, given: object = {}, others: unknown[] = []) => {
    const { records } = await resolveConnection(
      client,
      field,
      value,
      { ...SETTINGS, ...given },
      () => others,
    );
    return records.map((record) => ('id' in record ? record.id : `missing ${record.missing}`));
  };
}

const { record } = env;

/** The names that each search asks for. */
const listNames = (requests: RecordedRequest[]) =>
  requests.map(getFilters).flatMap((filters) => (filters ? [filters.items.map(({ val }) => val)] : []));

describe('names that the service refuses', () => {
  test('after a refused request each name is asked for alone, and only the refused one fails', async () => {
    const boxes = [addBox(), addBox(), addBox()];
    const find = await openConnection('Boxes');
    env.service.faults.add({ when: SEARCH, fault: { type: 'status', status: 422 } });
    env.service.faults.add({ when: { ...SEARCH, nth: 3 }, fault: { type: 'status', status: 422 } });
    const results: Array<PromiseSettledResult<string[]>> = [];
    const titles = boxes.map(({ title }) => title);
    const requests = await record(async () => {
      results.push(...(await Promise.allSettled(titles.map((title) => find(title, {}, titles)))));
    });
    expect(listNames(requests)).toEqual([titles, ...titles.map((title) => [title])]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(boxes.map(({ id }) => id)).toEqual(expect.arrayContaining(found));
  });

  test('a name that is refused alone is not asked for again', async () => {
    const { title } = addBox();
    const find = await openConnection('Boxes');
    env.service.faults.add({ when: SEARCH, times: 5, fault: { type: 'status', status: 422 } });
    const requests = await record(() => expect(find(title)).rejects.toMatchObject({ status: 422 }));
    expect(listNames(requests)).toEqual([[title]]);
  });

  test('any other failure is that of all names, and a later call asks again', async () => {
    const titles = [addBox().title, addBox().title];
    const find = await openConnection('Boxes');
    env.service.faults.add({ when: SEARCH, fault: { type: 'status', status: 403 } });
    const failing = await record(() => expect(find(titles)).rejects.toMatchObject({ status: 403 }));
    expect(listNames(failing)).toEqual([titles]);
    expect(await find(titles)).toHaveLength(2);
  });
});

test('one request has at most 50 names, and reads at most 200 records', async () => {
  // The table has more pages than there are requests.
  for (let n = 0; n < 800; n++) addBox();
  const boxes = Array.from({ length: 120 }, () => addBox());
  const find = await openConnection('Boxes');
  const titles = boxes.map(({ title }) => title);
  const requests = await record(async () => expect(await find(titles)).toEqual(boxes.map(({ id }) => id)));
  expect(listNames(requests).map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(requests.at(-1)).toMatchObject({ body: { limit: 200 } });
});

test('all pages of a name are read: 250 records have it', async () => {
  const { title } = addBox();
  Array.from({ length: 249 }, () => addBox(env, title));
  const find = await openConnection('Boxes');
  await expect(find(title)).rejects.toThrow('250 records of Boxes have the name');
});

test('a name that one table has is no name of another table', async () => {
  const { title, id } = addBox();
  const crate = env.service.getTable('Crates').insert({ title });
  const { client, table } = await openLoads();
  for (const [key, expected] of [
    ['boxes', id],
    ['crates', crate.id],
  ] as const) {
    const { field } = table.requireWritableRef(key, 'Fields');
    const { records } = await resolveConnection(client, field, title, SETTINGS);
    expect(records).toEqual([{ id: expected }]);
  }
});

test('an ID that one table has is no ID of another table', async () => {
  const { id } = addBox();
  const { client, table } = await openLoads();
  const resolve = (key: string) =>
    resolveConnection(client, table.requireWritableRef(key, 'Fields').field, id, {
      ...SETTINGS,
      use: 'checkedWrite',
    });
  expect(await resolve('boxes')).toMatchObject({ records: [{ id }] });
  await expect(resolve('crates')).rejects.toThrow(`Crates has no record "${id}"`);
});

test('names that one execution has found are not those of another service, nor of a later execution', async () => {
  const { title, id } = addBox();
  addBox(other);
  const { id: otherId } = addBox(other, title);
  expect(otherId).not.toBe(id);
  const find = await openConnection('Boxes');
  expect(await find(title)).toEqual([id]);
  expect(await (await openConnection('Boxes', other))(title)).toEqual([otherId]);
  env.service.getTable('Boxes').update(id, { title: `${title} renamed` });
  expect(await find(title)).toEqual([id]);
  await expect((await openConnection('Boxes'))(title)).rejects.toThrow('has no record');
});

test('a record that was renamed after it was read is still the one of its earlier text, in the same execution', async () => {
  const { title, id } = addBox();
  const { client, table } = await openLoads();
  env.service.getTable('Loads').insert({ boxes: [id] });
  await readAllRecords(client, { tableId: table.id });
  env.service.getTable('Boxes').update(id, { title: `${title} renamed` });
  await readAllRecords(client, { tableId: table.id });
  const { field } = table.requireWritableRef('boxes', 'Fields');
  const value = [{ id, val: title }];
  const requests = await env.record(async () =>
    expect(await resolveConnection(client, field, value, { ...SETTINGS, use: 'write' })).toMatchObject({
      records: [{ id }],
    }),
  );
  expect(requests).toEqual([]);
});

test('the ID of a record that the execution has seen and then deleted is refused', async () => {
  const { client, table } = await openLoads();
  const field = table.requireField('boxes', 'Fields');
  const { id, title } = addBox();
  await resolveConnection(client, field, title, SETTINGS);
  const requests = await record(() => resolveConnection(client, field, id, SETTINGS));
  expect(requests).toEqual([]);
  await deleteRecord(client, field.connection!.tableId!, id);
  await expect(resolveConnection(client, field, id, SETTINGS)).rejects.toThrow(`Boxes has no record "${id}"`);
});

test('a name that a second record has got in the same execution is an error', async () => {
  const { title, id } = addBox();
  const { client, table } = await openLoads();
  const { field } = table.requireWritableRef('boxes', 'Fields');
  const find = () => resolveConnection(client, field, title, { ...SETTINGS, use: 'write' });
  expect(await find()).toMatchObject({ records: [{ id }] });
  const boxes = await getTable(client, env.service.getTable('Boxes').id);
  await createRecord(client, { table: boxes, entries: [['title', title]] });
  await expect(find()).rejects.toThrow(`2 records of Boxes have the name "${title}"`);
});

test('an answer about a name has no record of another name, although the service ignores the filter', async () => {
  const { title, id } = addBox();
  const items = [addBox(), addBox()];
  const body = { items: [...items, { id, title }], total_items: 3 };
  const find = await openConnection('Boxes');
  env.service.faults.add({ when: SEARCH, times: 3, fault: { type: 'status', status: 200, body } });
  expect(await find(title)).toEqual([id]);
  const [stray] = items;
  await expect((await openConnection('Boxes'))(`${stray!.title} x`)).rejects.toThrow(
    'It is not clear whether a record has',
  );
});

/** Resolves the stored filter of a trigger. */
async function resolveStored(title: string, environment = env, settings: object = {}, name = 'Loads') {
  const { client, table } = await openLoads(environment, settings, name);
  const filter = parseFilterJson(JSON.stringify({ boxes: { is: title } }));
  const resolved = await replaceNamesInStoredFilter(client, filter, table);
  const { conditions, groups } = resolved!;
  return [...conditions, ...groups.flatMap((group) => group.conditions)].map(({ value }) => value);
}

describe('the stored filter of a trigger', () => {
  test('is resolved once a minute for all deliveries', async () => {
    const { title, id } = addBox();
    expect(await resolveStored(title)).toEqual([id]);
    const requests = await record(async () => expect(await resolveStored(title)).toEqual([id]));
    expect(listNames(requests)).toEqual([]);
  });

  test('has the IDs of its own service', async () => {
    const { title, id } = addBox();
    addBox(other);
    const { id: otherId } = addBox(other, title);
    expect(await resolveStored(title)).toEqual([id]);
    expect(await resolveStored(title, other)).toEqual([otherId]);
    expect(await resolveStored(title)).toEqual([id]);
  });

  test('has the IDs of its own application and user', async () => {
    const { title, id } = addBox();
    expect(await resolveStored(title)).toEqual([id]);
    const { appKey, appSecret } = env.service.addKey();
    for (const settings of [
      { appKey, appSecret },
      { userLogin: 'password', ...env.service.user },
    ]) {
      const requests = await record(() => resolveStored(title, env, settings));
      expect(listNames(requests)).toEqual([[title]]);
    }
    await expect(resolveStored(title, env, { appId: 'another' })).rejects.toMatchObject({ status: 401 });
  });

  test('is not asked about a text with the form of an ID', async () => {
    const { id } = addBox();
    const requests = await record(async () => expect(await resolveStored(id)).toEqual([id]));
    expect(listNames(requests)).toEqual([]);
  });

  test('has the IDs of its own table', async () => {
    const { title, id } = addBox();
    const crate = env.service.getTable('Crates').insert({ title });
    expect(await resolveStored(title)).toEqual([id]);
    expect(await resolveStored(title, env, {}, 'Trips')).toEqual([crate.id]);
  });
});

test('an ID beside an empty text counts where the record cannot be read', async () => {
  const { id } = addBox();
  const find = await openConnection('Boxes');
  env.service.faults.add({
    when: { method: 'GET', pattern: /records\/\{recordId\}$/ },
    times: 5,
    fault: { type: 'status', status: 403 },
  });
  expect(await find({ id, val: '' }, { use: 'write' })).toEqual([id]);
});

test('a filter compares with the ID alone: the text beside it may be an earlier one', async () => {
  const { id } = addBox();
  const { client, table } = await openLoads();
  const tree = parseFilterJson(JSON.stringify({ boxes: { id, val: 'Earlier name' } }));
  expect(await buildRecordFilter(client, tree, table, 'UTC')).toMatchObject({ items: [{ val: id }] });
});

test('a condition on a field of the connected table that was renamed meanwhile is an error', async () => {
  const { title } = addBox();
  const build = async () => {
    const { client, table } = await openLoads();
    const tree = parseFilterJson(JSON.stringify({ 'boxes.title': title }));
    return buildRecordFilter(client, tree, table, 'UTC');
  };
  await build();
  const [field] = env.service.getTable('Boxes').fields;
  const { slug, name } = field!;
  Object.assign(field!, { slug: 'label', name: 'Label' });
  const requests = await record(() => expect(build()).rejects.toThrow('"title"'));
  Object.assign(field!, { slug, name });
  expect(requests.filter(({ path }) => path.endsWith('/records'))).toEqual([]);
});
