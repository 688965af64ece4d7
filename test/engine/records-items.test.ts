import { AUTO_MAP, columns, outputOf, World } from './support';
import type { Table } from '../service';

let world: World;
let table: Table;
beforeAll(async () => {
  world = await World.start();
  table = world.table('Products');
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const SYMBOLIC = {
  symbolicConditions: { items: [{ field: 'name|text', condition: 'equals', value: '={{ $json.name }}' }] },
};
const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'name|text', operator: 'is exact', value: '={{ $json.name }}' }] },
};

/** Parameters of each operation, all by expression, and how an item is made to fail. */
const OPERATIONS: Record<string, { parameters: object; breaks: object }> = {
  create: { parameters: { columns: AUTO_MAP }, breaks: { nosuch: 1 } },
  update: {
    parameters: { recordId: '={{ $json.id }}', columns: columns({ name: '={{ $json.name }}' }) },
    breaks: { id: 'missing' },
  },
  upsert: { parameters: { columns: { ...AUTO_MAP, matchingColumns: ['name'] } }, breaks: { name: '' } },
  get: { parameters: { recordId: '={{ $json.id }}' }, breaks: { id: 'missing' } },
  getAll: { parameters: { ...FILTER, limit: 1 }, breaks: { name: '' } },
  search: { parameters: { ...SYMBOLIC, limit: 1 }, breaks: { name: '' } },
  count: { parameters: FILTER, breaks: { name: '' } },
  batchUpdateCheck: { parameters: SYMBOLIC, breaks: { name: '' } },
  batchUpdate: {
    parameters: { ...SYMBOLIC, columns: columns({ name: '={{ $json.name }}' }) },
    breaks: { name: '' },
  },
  delete: { parameters: { recordId: '={{ $json.id }}' }, breaks: { id: 'missing' } },
};

/** One existing record a row, as items that carry its id and name; create and upsert take the name alone. */
function itemsFor(operation: string, size: number): Array<Record<string, unknown>> {
  const rows = Array.from({ length: size }, (_, i) => table.insert({ name: `${operation} ${size} ${i}` }));
  return rows.map(({ id, name }) => (['create', 'upsert'].includes(operation) ? { name } : { id, name }));
}

const cases = Object.keys(OPERATIONS).flatMap((operation) =>
  [1, 2, 500].map((size) => [operation, size] as const),
);

test.each(cases)(
  '%s with %i items: one output each, in order, paired with its input',
  async (operation, size) => {
    const items = itemsFor(operation, size);
    const run = await world.records(operation, table, OPERATIONS[operation]!.parameters, items);
    expect(outputOf(run)).toHaveLength(size);
    expect(run.itemsOf('Node').map(({ pairedItem }) => pairedItem)).toEqual(
      items.map((_, item) => ({ item })),
    );
    const names = outputOf(run).map(({ name }) => name);
    if (names[0] !== undefined) expect(names).toEqual(items.map(({ name }) => name));
  },
);

test.each(Object.keys(OPERATIONS))('%s: an item that fails leaves the others alone', async (operation) => {
  const { parameters, breaks } = OPERATIONS[operation]!;
  const items = itemsFor(operation, 5).map((one, i) => (i === 2 ? { ...one, ...breaks } : one));
  const run = await world.records(operation, table, parameters, items, { onError: 'continueErrorOutput' });
  expect(run.itemsOf('Node', 0).map(({ pairedItem }) => pairedItem)).toEqual(
    [0, 1, 3, 4].map((item) => ({ item })),
  );
  expect(run.itemsOf('Node', 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
  expect(String(run.jsonOf('Node', 1)[0]!.error)).not.toBe('');
  const stopped = await world.records(operation, table, parameters, items);
  expect(stopped.error?.message).toBe(run.jsonOf('Node', 1)[0]!.error);
});

test.each([
  ['continueErrorOutput', 1],
  ['continueRegularOutput', 0],
] as const)('with %s, a failed item says what happened and what to do', async (onError, output) => {
  const { parameters } = OPERATIONS.get!;
  const items = [{ id: 'nosuch0001', name: 'Ada' }];
  const run = await world.records('get', table, parameters, items, { onError });
  expect(run.jsonOf('Node', output)).toEqual([
    {
      // n8n itself adds the input to what goes to the error output.
      ...(onError === 'continueErrorOutput' && items[0]),
      error: 'The record does not exist',
      message: expect.stringContaining('It may have been deleted') as string,
    },
  ]);
});

test("a failed item's own message is kept on the error output", async () => {
  const { parameters } = OPERATIONS.get!;
  const items = [{ id: 'nosuch0001', message: 'Mine' }];
  const run = await world.records('get', table, parameters, items, { onError: 'continueErrorOutput' });
  expect(run.jsonOf('Node', 1)).toEqual([{ ...items[0], error: 'The record does not exist' }]);
});

test('formula headers go out only when they were chosen', async () => {
  const before = world.service.requests.length;
  const create = (options: object) =>
    world.records('create', table, { columns: columns({ name: 'headers' }), options });
  outputOf(await create({ queueFormulas: true, runTableRules: false }));
  outputOf(await create({}));
  const [chosen, none] = world.service.requests
    .slice(before)
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => /equation|rules/.test(name))),
    );
  expect(chosen).toEqual({ 'x-service-queue-equation': '1', 'x-service-table-rules': '0' });
  expect(none).toEqual({});
});

test('a table whose slugs are list parameters still gets its records', async () => {
  const jobs = world.table('Print Jobs');
  const size = jobs.records.size;
  const value = Object.fromEntries(
    jobs.fields.filter(({ type }) => type === 'Number').map(({ slug }) => [slug, 7]),
  );
  const [created] = outputOf(await world.records('create', jobs, { columns: columns(value) }));
  expect(jobs.records.size).toBe(size + 1);
  expect(jobs.records.get(String(created!.id))).toMatchObject(value);
  outputOf(await world.records('create', world.table('Showcase'), { columns: columns({}) }));
});

test('writes to one record happen in the order of the items', async () => {
  const { id } = table.insert({ name: 'first' });
  const items = Array.from({ length: 40 }, (_, i) => ({ id, name: `step ${i}` }));
  outputOf(await world.records('update', table, OPERATIONS.update!.parameters, items));
  expect(table.records.get(id)!.name).toBe('step 39');
});
