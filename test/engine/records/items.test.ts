import { scaleRuns } from '../../randomness';
import type { Table } from '../../service';
import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

// With RUNS_SHARE=1 each operation handles 500 items.
jest.setTimeout(10 * 60_000);

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
  search: { parameters: { ...SYMBOLIC, limit: 1 }, breaks: { name: '' } },
  count: { parameters: FILTER, breaks: { name: '' } },
  batchUpdateCheck: { parameters: SYMBOLIC, breaks: { name: '' } },
  batchUpdate: {
    parameters: { ...SYMBOLIC, columns: toColumns({ name: '={{ $json.name }}' }) },
    breaks: { name: '' },
  },
  deleteMany: { parameters: FILTER, breaks: { name: '' } },
  delete: { parameters: { recordId: '={{ $json.id }}' }, breaks: { id: 'missing' } },
};

/** Inserts one record per item. Items have its id and name, or only the name for create and upsert. */
function createItems(operation: string, size: number): Array<Record<string, unknown>> {
  const rows = Array.from({ length: size }, (_, i) => table.insert({ name: `${operation} ${size} ${i}` }));
  return rows.map(({ id, name }) => (['create', 'upsert'].includes(operation) ? { name } : { id, name }));
}

const cases = Object.keys(OPERATIONS).flatMap((operation) =>
  [1, 2, scaleRuns(500)].map((size) => [operation, size] as const),
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
    const names = getOutput(run).map(({ name }) => name);
    if (names[0] !== undefined) expect(names).toEqual(items.map(({ name }) => name));
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
  const removeId = (message: unknown) => String(message).replace(/"\w+"/, '"…"');
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
  getOutput(await env.runRecordOperation('create', env.getTable('Showcase'), { columns: toColumns({}) }));
});

test('writes to one record are sent in the order of the items', async () => {
  const { id } = table.insert({ name: 'first' });
  const items = Array.from({ length: 40 }, (_, i) => ({ id, name: `step ${i}` }));
  getOutput(await env.runRecordOperation('update', table, OPERATIONS.update!.parameters, items));
  expect(table.records.get(id)!.name).toBe('step 39');
});

test('the error of a failed item reports how many later items were processed', async () => {
  const items = createItems('update', 10).map((item, index) =>
    index === 3 ? { ...item, id: 'missing' } : item,
  );
  const run = await env.runRecordOperation('get', table, { recordId: '={{ $json.id }}' }, items as never);
  expect(run.error?.message).toBe('The record "missing" does not exist');
  const { description } = run.error as { description?: string };
  const counts = /Of the 6 items after this one, (\d) were processed, (\d) were not processed\.$/.exec(
    description!,
  );
  // Some of the later items may run at the same time as the failed one.
  expect(Number(counts?.[1]) + Number(counts?.[2])).toBe(6);
});
