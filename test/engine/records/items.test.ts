import { scaleRuns } from '../../randomness';
import type { Table } from '../../service';
import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();
let table: Table;
beforeAll(() => {
  table = env.getTable('Products');
});

const SYMBOLIC = {
  conditions: { items: [{ field: 'name|text', operator: 'is', value: '={{ $json.name }}' }] },
};
const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'name|text', operator: 'is exact', value: '={{ $json.name }}' }] },
};

/** Parameters of each operation, all as expressions, and the change that makes an item fail. */
const OPERATIONS: Record<string, { parameters: object; breaks: object }> = {
  create: { parameters: { columns: AUTO_MAP }, breaks: { nosuch: 1 } },
  update: {
    parameters: { recordId: '={{ $json.id }}', columns: toColumns({ name: '={{ $json.name }}' }) },
    breaks: { id: 'missing' },
  },
  upsert: { parameters: { columns: { ...AUTO_MAP, matchingColumns: ['name'] } }, breaks: { name: '' } },
  get: { parameters: { recordId: '={{ $json.id }}' }, breaks: { id: 'missing' } },
  getAll: { parameters: { ...FILTER, limit: 1 }, breaks: { name: '' } },
  count: { parameters: FILTER, breaks: { name: '' } },
  batchUpdate: {
    parameters: { ...SYMBOLIC, columns: toColumns({ name: '={{ $json.name }}' }) },
    breaks: { name: '' },
  },
  deleteMany: { parameters: FILTER, breaks: { name: '' } },
  delete: { parameters: { recordId: '={{ $json.id }}' }, breaks: { id: 'missing' } },
};

/** Operations whose output has no values of the record. */
const NAMELESS = new Set(['count', 'batchUpdate', 'delete']);

/** Inserts one record per item. Items have its id and name, or only the name for create and upsert. */
function createItems(operation: string, size: number): Array<Record<string, unknown>> {
  const rows = Array.from({ length: size }, (_, i) => table.insert({ name: `${operation} ${size} ${i}` }));
  return rows.map(({ id, name }) => (['create', 'upsert'].includes(operation) ? { name } : { id, name }));
}

const cases = Object.keys(OPERATIONS).flatMap((operation) =>
  [1, 2, Math.max(12, scaleRuns(500))].map((size) => [operation, size] as const),
);

test.each(cases)(
  '%s with %i items: one output each, in order, paired with its input',
  async (operation, size) => {
    const items = createItems(operation, size);
    const run = await env.runRecordOperation(operation, table, OPERATIONS[operation]!.parameters, items);
    expect(getOutput(run)).toHaveLength(size);
    expect(run.getItems('Node').map(({ pairedItem }) => pairedItem)).toEqual(
      items.map((_, item) => ({ item })),
    );
    const names = NAMELESS.has(operation) ? items.map(() => undefined) : items.map(({ name }) => name);
    expect(getOutput(run).map(({ name }) => name)).toEqual(names);
  },
);

test.each(Object.keys(OPERATIONS))('%s: a failed item does not affect the others', async (operation) => {
  const { parameters, breaks } = OPERATIONS[operation]!;
  const items = createItems(operation, 5).map((one, i) => (i === 2 ? { ...one, ...breaks } : one));
  const run = await env.runRecordOperation(operation, table, parameters, items, {
    onError: 'continueErrorOutput',
  });
  expect(run.getItems('Node', 0).map(({ pairedItem }) => pairedItem)).toEqual(
    [0, 1, 3, 4].map((item) => ({ item })),
  );
  expect(run.getItems('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
  expect(String(run.getJson('Node', 1)[0]!.error)).not.toBe('');
  const stopped = await env.runRecordOperation(operation, table, parameters, items);
  // A repeated delete fails at an earlier item, because the first run deleted its record.
  const removeId = (message: unknown) =>
    String(message)
      .replace(/^Item \d of 5: /, '')
      .replace(/"\w+"/, '"…"');
  expect(removeId(stopped.error?.message)).toBe(removeId(run.getJson('Node', 1)[0]!.error));
});

test.each([
  ['continueErrorOutput', 1],
  ['continueRegularOutput', 0],
] as const)('with %s, a failed item says what happened and what to do', async (onError, output) => {
  const { parameters } = OPERATIONS.get!;
  const items = [{ id: 'nosuch0001', name: 'Ada' }];
  const run = await env.runRecordOperation('get', table, parameters, items, { onError });
  expect(run.getJson('Node', output)).toEqual([
    {
      // n8n adds the input item to each item on the error output.
      ...(onError === 'continueErrorOutput' && items[0]),
      error: 'The record "nosuch0001" does not exist',
      message: expect.stringContaining('It may have been deleted') as string,
    },
  ]);
});

test("the error output keeps each failed item's own message", async () => {
  const { parameters } = OPERATIONS.get!;
  const items = [{ id: 'nosuch0001', message: 'Mine' }];
  const run = await env.runRecordOperation('get', table, parameters, items, {
    onError: 'continueErrorOutput',
  });
  expect(run.getJson('Node', 1)).toEqual([{ ...items[0], error: 'The record "nosuch0001" does not exist' }]);
});

test('without an error output, a failed item has the remedy also if its input has a message', async () => {
  const items = [{ id: 'nosuch0001', message: 'Mine' }];
  const run = await env.runRecordOperation('get', table, OPERATIONS.get!.parameters, items, {
    onError: 'continueRegularOutput',
  });
  expect(getOutput(run)).toMatchObject([
    { message: expect.stringContaining('It may have been deleted') as string },
  ]);
});

test('sends formula headers only if the option is set', async () => {
  const before = env.service.requests.length;
  const create = (options: object) =>
    env.runRecordOperation('create', table, { columns: toColumns({ name: 'headers' }), options });
  getOutput(await create({ formulas: ['queueFormulasOn', 'runTableRulesOff'] }));
  getOutput(await create({}));
  const [chosen, none] = env.service.requests
    .slice(before)
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => /equation|rules/.test(name))),
    );
  expect(chosen).toEqual({ 'x-service-queue-equation': '1', 'x-service-table-rules': '0' });
  expect(none).toEqual({});
});

test.each([
  ['queueFormulasOn', { 'x-service-queue-equation': '1' }],
  ['queueFormulasOff', { 'x-service-queue-equation': '0' }],
  ['runFormulasOn', { 'x-service-update-equation': '1' }],
  ['runFormulasOff', { 'x-service-update-equation': '0' }],
  ['runTableFormulasOn', { 'x-service-update-table-equation': '1' }],
  ['runTableFormulasOff', { 'x-service-update-table-equation': '0' }],
  ['runTableRulesOn', { 'x-service-table-rules': '1' }],
  ['runTableRulesOff', { 'x-service-table-rules': '0' }],
])('Formulas and Rules: %s is one header', async (choice, expected) => {
  const before = env.service.requests.length;
  const columns = toColumns({ name: choice });
  getOutput(await env.runRecordOperation('create', table, { columns, options: { formulas: [choice] } }));
  const [headers] = env.service.requests
    .slice(before)
    .filter(({ method }) => method === 'POST')
    .map((request) => Object.entries(request.headers).filter(([name]) => /equation|rules/.test(name)));
  expect(Object.fromEntries(headers!)).toEqual(expected);
});

test.each([
  [
    ['runTableRulesOn', 'runTableRulesOff'],
    '"Run Table Rules: On" and "Run Table Rules: Off" contradict each other',
  ],
  [
    ['queueFormulasOn', 'runFormulasOn'],
    '"Calculate Formulas in the Background: On" and "Calculate Formulas Now: On" contradict each other',
  ],
])('Formulas and Rules: %j is refused before anything is sent', async (formulas, message) => {
  const before = env.service.requests.length;
  const columns = toColumns({ name: 'contradiction' });
  const run = await env.runRecordOperation('create', table, { columns, options: { formulas } });
  expect(run.error?.message).toBe(`Formulas and Rules: ${message}`);
  expect(env.listRequests(before)).toEqual([]);
});

test('creates records in a table whose field slugs equal list parameters', async () => {
  const jobs = env.getTable('Print Jobs');
  const size = jobs.records.size;
  const value = Object.fromEntries(
    jobs.fields.filter(({ type }) => type === 'Number').map(({ slug }) => [slug, 7]),
  );
  const [created] = getOutput(await env.runRecordOperation('create', jobs, { columns: toColumns(value) }));
  expect(jobs.records.size).toBe(size + 1);
  expect(jobs.records.get(String(created!.id))).toMatchObject(value);
});

test('a create without any value is refused before it is sent', async () => {
  const showcase = env.getTable('Showcase');
  const size = showcase.records.size;
  const { error } = await env.runRecordOperation('create', showcase, { columns: toColumns({}) });
  expect(error?.message).toBe('Nothing to create: no field has a value');
  expect(showcase.records.size).toBe(size);
});

test('writes to one record are sent in the order of the items', async () => {
  const { id } = table.insert({ name: 'first' });
  const items = Array.from({ length: 20 }, (_, i) => ({ id, name: `step ${i}` }));
  getOutput(await env.runRecordOperation('update', table, OPERATIONS.update!.parameters, items));
  expect(table.records.get(id)!.name).toBe('step 19');
});

/** The numbers of the items that an error names after "3 of 10 items were processed: ". */
const readNamedItems = (list = '') =>
  list.split(/, | and /).flatMap((part) => {
    const [first = 1, last = first] = part.split(' to ').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first - 1 + at);
  });

test('a refused row of a list is named in the title, and the remedy is said once', async () => {
  const input = ['Lead', 'Ledd', 'Active'].map((status, n) => ({ email: `row${n}@example.com`, status }));
  const run = await env.runRecordOperation('create', env.getTable('Customers'), { columns: AUTO_MAP }, input);
  expect(run.error).toMatchObject({
    message: 'Item 2 of 3: "Status" cannot take "Ledd"',
    description: expect.stringMatching(
      /Its choices are: Lead, Active, Former\. All items are checked before the first one is written, so no item was written\. To write/,
    ) as string,
  });
});

describe('a write that stops at an item', () => {
  const readDescription = (run: { error?: unknown }) => (run.error as { description: string }).description;

  test('says which items were written, and names On Error', async () => {
    const items = createItems('delete', 10).map((item, index) => (index === 3 ? { id: 'missing' } : item));
    const run = await env.runRecordOperation('delete', table, OPERATIONS.delete!.parameters, items as never);
    expect(run.error?.message).toBe('Item 4 of 10: The record "missing" does not exist');
    const [, count, list] = /(\d) of 10 items (?:was|were) processed: items? ([\d, toand]+)\./.exec(
      readDescription(run),
    )!;
    const gone = items.flatMap(({ id }, index) =>
      index === 3 || table.records.has(String(id)) ? [] : [index],
    );
    // Items run in parallel, so the number of items after the failed one differs from run to run.
    expect(gone.length).toBeGreaterThan(0);
    expect(readNamedItems(list)).toEqual(gone);
    expect(Number(count)).toBe(gone.length);
    // Where all others were written, there is nothing to advise.
    const advice = /set On Error to Continue in the settings of the node\.$/;
    expect(advice.test(readDescription(run))).toBe(gone.length < 9);
  });

  test.each([
    ['create', { nosuch: 1 }, /no field "nosuch"/],
    ['create', { price: 'much' }, /"Price" cannot take "much"/],
    ['update', { id: '' }, /Record ID/],
    ['update', { price: 'much' }, /"Price" cannot take "much"/],
    ['upsert', { price: 'much' }, /"Price" cannot take "much"/],
    ['upsert', { name: '' }, /match field "Name" has no value/],
    ['delete', { id: '' }, /Record ID/],
  ])('has written nothing if %s finds a wrong value: %j', async (operation, wrong, message) => {
    const priced = { name: '={{ $json.name }}', price: '={{ $json.price }}' };
    const parameters: Record<string, unknown> = {
      ...OPERATIONS[operation]!.parameters,
      ...(operation === 'update' && { columns: toColumns(priced) }),
    };
    const items = createItems(operation, 6).map((item) => ({ ...item, price: 5 }));
    const wrongItems = items.map((item, index) => (index === 4 ? { ...item, ...wrong } : item));
    const before = env.service.requests.length;
    const run = await env.runRecordOperation(operation, table, parameters, wrongItems as never);
    expect(run.error?.message).toMatch(message);
    expect(run.error?.message).toMatch(/^Item 5 of 6: /);
    // The sentence about the run replaces it.
    expect(readDescription(run)).not.toContain('Nothing was sent');
    expect(readDescription(run)).toMatch(
      /All items are checked before the first one is written, so no item was written\. .*On Error/,
    );
    // A record may hold a value that its field does not take.
    const written = env.service.requests
      .slice(before)
      .filter(({ method, intent }) => method !== 'GET' && intent !== 'list');
    expect(written).toEqual([]);
  });

  test.each<[string, string, object, object, RegExp]>([
    ['create', 'an empty item', {}, {}, /^Nothing to create: no field has a value/],
    ...[undefined, ' ', '\u200B'].map((sku): [string, string, object, object, RegExp] => [
      'create',
      `no dedupe value, but ${JSON.stringify(sku)}`,
      { name: 'x', sku },
      { options: { dedupeField: 'sku' } },
      /^Dedupe Field: "SKU" has no value/,
    ]),
    [
      'create',
      'no binary field',
      { name: 'x' },
      { columns: toColumns({ name: '={{ $json.name }}', manual: 'data' }) },
      /^The input has no binary field "data"/,
    ],
    [
      'update',
      'an empty item',
      {},
      { columns: AUTO_MAP, recordId: 'any' },
      /^Nothing to update: no field has a value/,
    ],
    [
      'upsert',
      'no key',
      { sku: ' ' },
      { columns: { ...AUTO_MAP, matchingColumns: ['sku'] } },
      /match field "SKU" has no value/,
    ],
    ...[' ', [], [''], [null]].map((maker): [string, string, object, object, RegExp] => [
      'upsert',
      `no key in a connection, which is ${JSON.stringify(maker)}`,
      { maker },
      { columns: { ...AUTO_MAP, matchingColumns: ['maker'] } },
      /match field "Maker" has no value/,
    ]),
    ...['create', 'upsert'].flatMap((operation) =>
      [{}, { id: '' }, [' '], [{ name: null }]].map((maker): [string, string, object, object, RegExp] => [
        operation,
        `a value that is no connection, ${JSON.stringify(maker)}`,
        { name: 'x', sku: 'S-3', maker },
        { columns: { ...AUTO_MAP, matchingColumns: ['sku'] } },
        /^"Maker" cannot take /,
      ]),
    ),
    [
      'batchUpdate',
      'an empty item',
      {},
      {
        ...FILTER,
        columns: AUTO_MAP,
        conditions: { items: [{ field: 'name|text', operator: 'is', value: 'x' }] },
      },
      /^Nothing to change: no field has a value/,
    ],
  ])('has written nothing if %s finds %s', async (operation, _, wrong, parameters, message) => {
    const target = env.service.addTable({
      name: `Checked ${operation} ${String(message)}`,
      fields: [
        { name: 'Name', type: 'Text' },
        { name: 'SKU', type: 'Text', unique: true },
        { name: 'Manual', type: 'File' },
        { name: 'Maker', type: 'Connection', to: 'Customers', many: false },
      ],
    });
    const right = {
      json: { name: 'right', sku: 'S-1', maker: 'Mill' },
      binary: { data: { data: 'QQ==', mimeType: 'text/plain' } },
    };
    const items = [right, { ...right, json: { ...right.json, sku: 'S-2' } }, { json: wrong }];
    const before = env.service.requests.length;
    const run = await env.runRecordOperation(
      operation,
      target,
      { columns: AUTO_MAP, ...parameters },
      items as never,
    );
    const [, item, text] = /^Item (\d) of 3: (.*)/s.exec(String(run.error?.message)) ?? [];
    expect([item, text]).toEqual(['3', expect.stringMatching(message)]);
    expect(readDescription(run)).toContain('All items are checked before the first one is written');
    expect(env.listRequests(before).filter((pattern) => !/fields/.test(pattern))).toEqual([]);
  });

  test('does not advise to write the others where they were written', async () => {
    const items = createItems('delete', 2).map((item, index) => (index === 0 ? { id: 'missing' } : item));
    env.service.faults.add({ when: { pattern: /missing$/ }, fault: { type: 'stall', ms: 50 } });
    const run = await env.runRecordOperation('delete', table, OPERATIONS.delete!.parameters, items as never);
    env.service.faults.clear();
    expect(readDescription(run)).toMatch(/1 of 2 items was processed: item 2\.$/);
  });

  test('goes on with the other items if On Error is Continue', async () => {
    const items = createItems('create', 3).map(({ name }, index) => ({
      name: `${name} on`,
      price: index === 1 ? 'much' : 5,
    }));
    const { size } = table.records;
    const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, items as never, {
      onError: 'continueRegularOutput',
    });
    expect(getOutput(run)).toMatchObject([
      { price: 5 },
      { error: expect.stringContaining('much') },
      { price: 5 },
    ]);
    expect(table.records.size).toBe(size + 2);
  });
});
