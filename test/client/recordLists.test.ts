import { pick } from 'lodash';
import {
  createMatchKey,
  deleteMatchingRecords,
  readRecordPage,
  type FilterGroup,
  getReader,
  getTable,
  type MatchKey,
  type PageQuery,
  parseFilterJson,
  type PayloadEntries,
  planTableSync,
  readAllRecords,
  selectRecords,
  type Table,
} from '../../nodes/records';
import { asObject, clearMemories, type Client, pageEndpoints } from '../../nodes/service';
import { ClientEnvironment, findColumns, getFilters, isList } from './support';

/** What is requested of a list of records, and which answers are refused. */

const env = new ClientEnvironment();
beforeAll(async () => {
  await env.start({ perMinute: 100_000 });
  env.service.addTable({
    name: 'Long',
    fields: ['Code', 'Note'].map((name) => ({ name, type: 'Text' as const })),
  });
  for (let n = 0; n < 250; n++) env.service.getTable('Long').insert({ code: `c${n}` });
});
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

/** Looks up all keys as one batch. */
const lookUp = (client: Client, table: Table, keys: MatchKey[]) => {
  const batch = { name: 0, listKeys: () => Promise.resolve(keys) };
  return Promise.all(
    keys.map(async (key) => (await getReader(client, table).findByKey(key, { batch })).records),
  );
};

/** The service answers the next list with these records. */
const answer = (...items: object[]) =>
  env.service.faults.add({
    when: { pattern: /records$/ },
    fault: {
      type: 'status',
      status: 200,
      body: { items: items.map((item) => ({ code: 'c', ...item })), total_items: items.length },
    },
  });
const readPage = (query: Omit<PageQuery, 'tableId'>, client = env.createClient()) =>
  readRecordPage(client, { tableId: env.service.getTable('Long').id, ...query }, 1, 50);
type FilterItem = FilterGroup['items'][number];
type SymbolicCondition = NonNullable<PageQuery['conditions']>[number];

const group = (condition: 'AND' | 'OR', items: FilterItem[], ...child: FilterItem[][]) => ({
  filters: {
    condition,
    items,
    child: child.map((list) => ({ condition: 'AND' as const, items: list, child: [] })),
  },
});

const MOMENT = '2025-03-31 10:00:00';
const onDay = (operator: string, val = MOMENT): FilterItem => ({ field_id: 'created_at', operator, val });
const DATES = ['2025-03-30 10:00:00', '2025-03-31 10:00:00', '2025-04-01 10:00:00'];

/** Which of the three dates are refused: of the day before, of the day, and of the day after. */
async function listRefused(query: Omit<PageQuery, 'tableId'>) {
  const refused = [];
  for (const created_at of DATES) {
    answer({ id: 'r1', created_at });
    const isRefused = await readPage(query).then(
      () => false,
      ({ message }: Error) => message.startsWith('Filter: the service did not apply "created_at'),
    );
    refused.push(isRefused);
  }
  return refused;
}

describe('a condition on the date of creation that the service did not apply', () => {
  beforeAll(() => (env.service.options.systemColumns = 'dropped'));
  afterAll(() => (env.service.options.systemColumns = 'known'));

  test.each<[string, unknown]>([
    ['is', [true, false, true]],
    ['is before', [false, true, true]],
    ['is on or before', [false, false, true]],
    ['is after', [true, true, false]],
    ['is on or after', [true, false, false]],
  ])('is an error: %s', async (operator, expected) => {
    expect(await listRefused(group('AND', [onDay(operator)]))).toEqual(expected);
  });

  test('is an error in a group that all records meet; of other fields, it is a hint', async () => {
    const other = { field_id: 'code', operator: 'is', val: 'other' };
    expect(await listRefused(group('AND', [], [onDay('is')]))).toEqual([true, false, true]);
    expect(await listRefused(group('OR', [onDay('is'), other]))).toEqual([true, true, true]);
    answer({ id: 'r1' });
    const client = env.createClient();
    await readRecordPage(
      client,
      { tableId: env.service.getTable('Long').id, ...group('AND', [other]) },
      1,
      50,
    );
    client.notices.showUsageHints();
    expect(env.hints.join()).toContain('Filter: 1 of 1 records do not match the filter');
  });

  test('cannot be found in a record without a date', async () => {
    answer({ id: 'r1' });
    await expect(readPage(group('AND', [onDay('is blank')]))).resolves.toMatchObject({
      items: [{ id: 'r1' }],
    });
  });

  test.each<[string, Omit<PageQuery, 'tableId'>, number]>([
    ['all records match and are shown', group('AND', [onDay('is')]), 1],
    ['other columns are shown', { ...group('AND', [onDay('is')]), columns: ['code'] }, 2],
    ['it stands within OR', group('OR', [onDay('is'), { ...onDay('is'), field_id: 'code' }]), 2],
    ['other columns are shown, and there is no date', { ...group('AND', []), columns: ['code'] }, 1],
  ])('the number of requests if %s', async (_, query, count) => {
    env.service.options.systemColumns = 'known';
    answer({ id: 'r1', created_at: MOMENT });
    expect(await env.record(() => readPage(query))).toHaveLength(count);
    env.service.options.systemColumns = 'dropped';
  });

  test('the items of a run ask once whether the service applies it', async () => {
    env.service.options.systemColumns = 'known';
    const client = env.createClient();
    const query = { ...group('AND', [onDay('is')]), columns: ['code'] };
    answer({ id: 'r1', created_at: MOMENT });
    await readPage(query, client);
    expect(await env.record(() => readPage(query, client))).toHaveLength(1);
    env.service.options.systemColumns = 'dropped';
  });
});

describe('the request of a list', () => {
  const one = { sort: 'code', by: 'desc' as const };
  const two = { sort: 'note', by: 'asc' as const };
  const conditions = [{ field_id: 'code', condition: '=', value: 'c1' } as SymbolicCondition];

  const is = { field_id: 'code', operator: 'is', val: 0 };
  const blank = { field_id: 'note', operator: 'is blank' };
  const asText = { ...is, val: '0' };

  test.each<[string, Omit<PageQuery, 'tableId'>, string, object]>([
    ['neither a filter nor an order', {}, 'GET', {}],
    ['an order', { sort: [one] }, 'GET', { order: 'code', order_by: 'desc' }],
    ['an order of two fields', { sort: [one, two] }, 'POST', { sort_by: [one, two] }],
    ['a filter without a condition', group('OR', []), 'GET', {}],
    ['conditions that all hold', group('AND', [is, blank]), 'GET', { filters: { items: [asText, blank] } }],
    [
      'groups that all hold',
      group('AND', [blank], [is], [blank]),
      'GET',
      { filters: { items: [blank, asText, blank] } },
    ],
    ['one condition of several', group('OR', [is]), 'GET', { filters: { items: [asText] } }],
    ['one of several conditions', group('OR', [is, blank]), 'POST', group('OR', [is, blank])],
    ['one of several groups', group('OR', [is], [blank]), 'POST', group('OR', [is], [blank])],
    [
      'a filter and an order',
      { ...group('AND', [blank]), sort: [one] },
      'GET',
      { filters: { items: [blank] }, order: 'code', order_by: 'desc' },
    ],
    [
      'a filter and an order of two fields',
      { ...group('AND', [blank]), sort: [one, two] },
      'POST',
      { ...group('AND', [blank]), sort_by: [one, two] },
    ],
    ['a search', { conditions }, 'POST', { filters: { condition: 'AND', items: conditions } }],
    [
      'a search and an order',
      { conditions, sort: [one] },
      'POST',
      { filters: { condition: 'AND', items: conditions }, sort_by: [one] },
    ],
  ])('with %s', async (_, query, method, keys) => {
    answer();
    const [request] = await env.record(() => readPage(query));
    const { page, limit, ...sent } = (method === 'GET' ? request!.query : request!.body) as Record<
      string,
      unknown
    >;
    expect([request!.method, Number(page), Number(limit)]).toEqual([method, 1, 50]);
    expect(sent).toEqual(keys);
  });

  test('says that no cache may answer', async () => {
    answer();
    const [request] = await env.record(() => readPage({}));
    expect(request!.headers['cache-control']).toBe('no-cache');
  });

  test.each([
    [2_000, 'GET'],
    [2_001, 'POST'],
  ])('with an address of %i characters goes by %s', async (length, method) => {
    answer();
    const createQuery = (val: string) => group('AND', [{ field_id: 'code', operator: 'is', val }]);
    const [short] = await env.record(() => readPage(createQuery('x')));
    const missing = length - env.service.baseUrl.length - short!.url.length;
    answer();
    const [request] = await env.record(() => readPage(createQuery('x'.repeat(missing + 1))));
    expect(request!.method).toBe(method);
  });
});

describe('a service that makes a record when a list is requested by POST', () => {
  const either = group(
    'OR',
    ['c1', 'c2'].map((val) => ({ field_id: 'code', operator: 'is', val })),
  );
  const search = { conditions: [{ field_id: 'code', condition: '=', value: 'c1' } as SymbolicCondition] };
  let defaults: object;
  beforeAll(() => (defaults = pick(env.service.options, 'listingPost', 'createAnswer')));
  beforeEach(() => {
    clearMemories();
    env.service.options.listingPost = 'creates';
  });
  afterEach(() => {
    clearMemories();
    Object.assign(env.service.options, defaults);
    const table = env.service.getTable('Long');
    for (const { id, code } of [...table.records.values()]) if (!code) table.delete(id);
  });

  test.each(['item', 'recordId', 'id'] as const)(
    'names the record, from an answer with its %s, and lists by GET alone from then on',
    async (answered) => {
      env.service.options.createAnswer = answered;
      const { records } = env.service.getTable('Long');
      const known = new Set(records.keys());
      const error = await readPage(either).catch((thrown: unknown) => thrown);
      const [made, ...others] = [...records.keys()].filter((id) => !known.has(id));
      expect(others).toEqual([]);
      expect(error).toMatchObject({
        message: `The service made the record "${made}" in place of listing records`,
        details: { recordId: made },
      });
      const requests = await env.record(async () => {
        for (const query of [
          either,
          search,
          {
            sort: [
              { sort: 'code', by: 'asc' as const },
              { sort: 'note', by: 'asc' as const },
            ],
          },
        ])
          await expect(readPage(query)).rejects.toMatchObject({
            message:
              'The records cannot be listed: this service makes a record when a list is requested by POST',
          });
      });
      expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
      const found = await readPage(group('AND', [{ field_id: 'code', operator: 'is', val: 'c7' }]));
      expect(found.items).toMatchObject([{ code: 'c7' }]);
    },
  );

  test('is asked for one key a request from then on', async () => {
    const client = env.createClient();
    const table = await getTable(client, env.service.getTable('Long').id);
    const keys = ['c1', 'c2'].map((code) => createMatchKey(findColumns(table, 'code'), [['code', code]]));
    await expect(lookUp(client, table, keys)).rejects.toThrow('in place of listing records');
    const requests = await env.record(async () =>
      expect(await lookUp(env.createClient(), table, keys)).toMatchObject([
        [{ code: 'c1' }],
        [{ code: 'c2' }],
      ]),
    );
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('is asked anew for a key that is looked up alone, although the pages are known', async () => {
    const client = env.createClient();
    const stored = env.service.getTable('Long');
    const table = await getTable(client, stored.id);
    // Two spellings take as many requests as the table has pages.
    const find = (code: string) =>
      getReader(client, table).findByKey(createMatchKey(findColumns(table, 'code'), [['code', code]]));
    await expect(readPage(either)).rejects.toThrow('in place of listing records');
    expect((await find('c  1000')).records).toEqual([]);
    const { id } = stored.insert({ code: 'c  1001' });
    expect((await find('c  1001')).records).toMatchObject([{ id }]);
    stored.delete(id);
  });

  test('is asked for the pages of a table that has fewer of them than a sync has keys', async () => {
    const client = env.createClient();
    const table = await getTable(client, env.service.getTable('Long').id);
    await expect(readPage(either)).rejects.toThrow('in place of listing records');
    const codes = ['c1', 'c2', 'c3', 'c4'];
    const inputs = codes.map((code, index) => {
      const entries: PayloadEntries = [['code', code]];
      return { index, read: () => ({ entries }) };
    });
    const requests = await env.record(async () => {
      const plan = await planTableSync(client, {
        table,
        columns: findColumns(table, 'code'),
        inputs,
      });
      expect([...plan.matched.values()].map(({ code }) => code)).toEqual(codes);
    });
    expect(requests.filter(isList).length).toBeLessThan(codes.length);
    expect(requests.filter((request) => getFilters(request))).toEqual([]);
  });
});

describe('a first page that was read already', () => {
  const tableId = () => env.service.getTable('Long').id;
  const open = async () => {
    const client = env.createClient();
    const { items, ...more } = await readRecordPage(client, { tableId: tableId() }, 1, 200);
    // A record that only this page has shows where the page is used.
    return { client, firstPage: { ...more, items: [{ id: 'known' }, ...items.slice(1)] } };
  };
  const count = (records: Array<{ id: string }>) => [
    records.length,
    records.filter(({ id }) => id === 'known').length,
  ];

  test('is not requested again', async () => {
    const { client, firstPage } = await open();
    let read: number[] = [];
    const requests = await env.record(async () => {
      read = count(await readAllRecords(client, { tableId: tableId(), firstPage }));
    });
    expect(read).toEqual([250, 1]);
    expect(requests.map(({ query }) => `${String(query.page)} ${String(query.limit)}`)).not.toContain(
      '1 200',
    );
  });

  test.each([
    { limit: 10 },
    { limit: 200, startPage: 2 },
    { sort: [{ sort: 'code', by: 'asc' as const }], limit: 5 },
  ])('is not used for another page: %j', async (more) => {
    const { client, firstPage } = await open();
    const records = await readAllRecords(client, { tableId: tableId(), firstPage, ...more });
    expect(count(records)[1]).toBe(0);
  });
});

describe('a look-up of several keys', () => {
  const open = async () => {
    const client = env.createClient();
    return { client, table: await getTable(client, env.service.getTable('Long').id) };
  };
  const item = (val: string, field_id = 'code') => ({ field_id, operator: 'is', val });

  test('groups the conditions of a key', async () => {
    const { client, table } = await open();
    const keys = ['b', 'c'].map((code) =>
      createMatchKey(findColumns(table, 'code', 'note'), [
        ['code', code],
        ['note', 'n'],
      ]),
    );
    const [request, ...others] = await env.record(() => lookUp(client, table, keys));
    expect(others).toEqual([]);
    const child = ['b', 'c'].map((code) => ({
      condition: 'AND',
      items: [item(code), item('n', 'note')],
      child: [],
    }));
    expect(getFilters(request!)).toEqual({ condition: 'OR', items: [], child });
  });

  test('reads the pages of a table that has no more of them than there would be requests', async () => {
    const { client, table } = await open();
    // One request looks up at most 50 keys.
    const codes = Array.from({ length: 51 }, (_, at) => `none ${at}`);
    const keys = codes.map((code) => createMatchKey(findColumns(table, 'code'), [['code', code]]));
    const pages = await env.record(() => lookUp(client, table, keys));
    expect(pages.map(getFilters)).toEqual([undefined, undefined]);
  });

  test('that finds a stray is an error for the keys without a record only', async () => {
    const { client, table } = await open();
    const keys = ['a', 'b'].map((code) => createMatchKey(findColumns(table, 'code'), [['code', code]]));
    // The answers about both keys, and about each of them.
    for (let n = 0; n < 3; n++) answer({ id: 'r1', code: 'a' }, { id: 'r2', code: 'quite another' });
    const batch = { name: 0, listKeys: () => Promise.resolve(keys) };
    expect((await getReader(client, table).findByKey(keys[0]!, { batch })).records).toMatchObject([
      { id: 'r1' },
    ]);
    await expect(getReader(client, table).findByKey(keys[1]!, { batch })).rejects.toThrow(
      'It is not clear whether',
    );
  });
});

describe('a service that returns 100 records a page', () => {
  beforeAll(() => void (env.service.options.maxPageSize = 100));
  afterAll(() => void (env.service.options.maxPageSize = 200));

  test.each([false, true])(
    'all records are read, and each page with Start Page (fast: %p)',
    async (isFast) => {
      const table = env.service.getTable('Long');
      const ids = [...table.records.keys()];
      expect(ids).toHaveLength(250);
      const query = { tableId: table.id, isFast };
      const read = async (range: object) =>
        (await readAllRecords(env.createClient(), { ...query, ...range })).map(({ id }) => id);
      expect(await read({})).toEqual(ids);
      expect(await read({ limit: 150 })).toEqual(ids.slice(0, 150));
      expect(await read({ limit: 200, startPage: 2 })).toEqual(ids.slice(200));
      expect(await read({ limit: 200, startPage: 3 })).toEqual([]);
      await expect(read({ limit: 150, startPage: 2 })).rejects.toThrow('100 records a page');
      expect(await read({ limit: 50, startPage: 4 })).toEqual(ids.slice(150, 200));
    },
  );
});

describe('the records of a component', () => {
  const name = (val: string): FilterItem => ({ field_id: 'name', operator: 'contains', val });

  /** Opens the component that shows the products that are still sold. */
  const open = async () => {
    const client = env.createClient();
    const table = await getTable(client, env.service.getTable('Products').id);
    const [page] = (await client.call(pageEndpoints.list)).body.items.map(asObject);
    const pageId = String(page!.id);
    const { items } = (await client.call(pageEndpoints.listComponents, { path: { pageId } })).body;
    const component = { pageId, componentId: String(asObject(items[0]).id) };
    return { client, component, table };
  };
  const listSold = () => [...env.products.values()].filter(({ discontinued }) => !discontinued);
  const getIds = (records: Array<{ id: unknown }>) => records.map(({ id }) => id);

  test.each([
    ['no filter', {}, 'GET', () => true],
    ['conditions that all hold', group('AND', [name('a'), name('e')]), 'GET', /a.*e|e.*a/i],
    ['one of several conditions', group('OR', [name('a'), name('e')]), 'POST', /[ae]/i],
    ['a condition too long for an address', group('AND', [name('a'.repeat(2_000))]), 'POST', /a{2000}/],
  ] as const)('with %s are requested by %s', async (_, query, method, matches) => {
    const { client, component, table } = await open();
    let found: object[] = [];
    const requests = await env.record(async () => {
      found = await readAllRecords(client, { component, table, ...query });
    });
    const meant = listSold().filter((product) =>
      typeof matches === 'function' ? matches() : matches.test(String(product.name)),
    );
    expect(getIds(found as Array<{ id: string }>)).toEqual(getIds(meant));
    expect(new Set(requests.map((request) => request.method))).toEqual(new Set([method]));
  });

  test('of another table are an error, unless its table is not known', async () => {
    const { client, component, table } = await open();
    const records = [{ id: 'K7pQ2xW9Lm', created_at: '2025-03-31 10:00:00', subject: 'Call' }];
    const body = { type: 'success', total: 1, records };
    env.service.faults.add({
      when: { pattern: /records$/ },
      times: 2,
      fault: { type: 'status', status: 200, body },
    });
    await expect(readAllRecords(client, { component, table })).rejects.toMatchObject({
      message: `The service returned a record without any field of the table "${table.id}": it has "id", "created_at", "subject"`,
    });
    await expect(readAllRecords(client, { component })).resolves.toEqual(records);
  });
});

test('a field that is renamed during deletions is an error, also if another execution has read the fields since', async () => {
  const stored = env.service.addTable({
    name: 'Tickets',
    fields: ['State', 'Note'].map((name) => ({ name, type: 'Text' as const })),
  });
  for (let n = 0; n < 3; n++) stored.insert({ state: 'open', note: `n${n}` });
  const client = env.createClient();
  const table = await getTable(client, stored.id);
  const filter = parseFilterJson('{"state": {"is not": "closed"}}');
  const selected = await selectRecords(client, table, { filter, timeZone: 'UTC' });
  Object.assign(stored.fields[0]!, { slug: 'stage', name: 'Stage' });
  for (const [id, { state, ...rest }] of stored.records)
    stored.records.set(id, { ...rest, stage: state } as never);
  await getTable(env.createClient(), stored.id, { isFresh: true });
  // The records are older than the deletion of one allows, so they are read again.
  await env.time.sleep(61_000);
  const results = await deleteMatchingRecords(client, selected, { continuesOnFail: true });
  // The request names the field that is gone.
  env.service.violations.length = 0;
  const message = 'Filter: the table has no field "state"';
  expect(results).toMatchObject(Array.from({ length: 3 }, () => ({ action: 'failed', error: { message } })));
  expect(stored.records.size).toBe(3);
});
