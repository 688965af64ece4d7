import { AUTO_MAP, getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();

const options = { dedupeField: 'unique_text' };
const FILE = { data: { data: Buffer.from('content').toString('base64'), mimeType: 'text/plain' } };

/** Creates a record with the Dedupe Field and returns the outputs. */
async function create(parameters: object, input?: object[]) {
  const all = { options, ...parameters };
  return getOutput(await env.runRecordOperation('create', env.getTable('Showcase'), all, input));
}

const FORMS: Array<[name: string, parameters: object, input: object]> = [
  ['mapped by hand', { columns: toColumns({ unique_text: 'A', text: 'new' }) }, {}],
  ['mapped automatically', { columns: AUTO_MAP }, { unique_text: 'B', number: 7 }],
  ['with a file', { columns: toColumns({ unique_text: 'C', file: 'data' }) }, { json: {}, binary: FILE }],
  [
    'with field defaults and the equation log',
    {
      columns: toColumns({ unique_text: 'D' }),
      options: { ...options, applyDefaults: true, formulas: ['equationLog'] },
    },
    {},
  ],
];

test.each(FORMS)('get or create, %s', async (_, parameters, input) => {
  const { records } = env.getTable('Showcase');
  const before = records.size;
  const [created] = await create(parameters, [input]);
  expect(created).toMatchObject({ id: expect.any(String), _action: 'created' });
  const stored = structuredClone(records.get(String(created!.id)));

  const [found] = await create(parameters, [input]);
  expect(found).toMatchObject({ id: created!.id, unique_text: created!.unique_text, _action: 'found' });
  expect(records.get(String(created!.id))).toEqual(stored);
  expect(records.size).toBe(before + 1);
});

test('items with one value in one run are one record', async () => {
  const input = Array.from({ length: 12 }, (_, index) => ({ unique_text: 'Twin', number: index }));
  const found = await create({ columns: AUTO_MAP }, input);
  expect(new Set(found.map(({ id }) => id)).size).toBe(1);
  expect(found.map(({ _action }) => _action).sort()).toEqual(['created', ...Array<string>(11).fill('found')]);
});

test('a record whose response was lost is created, not found', async () => {
  env.service.faults.add({
    when: { method: 'POST', pattern: 'POST /api/v1/data-tables/{dataTableId}/records' },
    fault: { type: 'reset', when: 'after' },
  });
  const [created] = await create({ columns: toColumns({ unique_text: 'Lost' }) });
  expect(created).toMatchObject({ unique_text: 'Lost', _action: 'created' });
});

test('a record that a look-up missed first is found, not created', async () => {
  const { id } = env.getTable('Showcase').insert({ unique_text: 'Late' });
  env.service.faults.add({
    when: { pattern: 'GET /api/v1/data-tables/{dataTableId}/records' },
    fault: { type: 'status', status: 200, body: { type: 'success', items: [], total_items: 0 } },
  });
  const [found] = await create({ columns: toColumns({ unique_text: 'Late' }) });
  expect(found).toMatchObject({ id, _action: 'found' });
});

test('without a Dedupe Field the record is created', async () => {
  const [created] = await create({ columns: toColumns({ text: 'plain' }), options: {} });
  expect(created).toMatchObject({ _action: 'created', _tableId: env.getTable('Showcase').id });
});

test.each([
  ['Email', 'ada@example.com', 'Ada@Example.com'],
  ['Text', 'A-1', 'A-1 '],
  ['Text', 'caf\u00e9', 'cafe\u0301'],
] as const)('a %s %j is found by %j, as Create or Update finds it', async (type, stored, given) => {
  const table = env.service.addTable({
    name: `Forms ${given}`,
    fields: [{ name: 'Key', type, unique: true }],
  });
  const parameters = { columns: AUTO_MAP, options: { dedupeField: 'key' } };
  const run = await env.runRecordOperation('create', table, parameters, [{ key: stored }, { key: given }]);
  const [created, found] = getOutput(run);
  expect(found).toMatchObject({ id: created!.id, key: stored, _action: 'found' });
  const again = await env.runRecordOperation('create', table, parameters, [{ key: given }]);
  expect(getOutput(again)).toMatchObject([{ id: created!.id, _action: 'found' }]);
  expect(table.records.size).toBe(1);
});

test('a value that differs from a record in case alone is refused, as Create or Update refuses it', async () => {
  const table = env.service.addTable({
    name: 'Cases',
    fields: [{ name: 'Key', type: 'Text', unique: true }],
  });
  const { id } = table.insert({ key: 'A-1' });
  const parameters = { columns: AUTO_MAP, options: { dedupeField: 'key' } };
  const run = await env.runRecordOperation('create', table, parameters, [{ key: 'a-1' }]);
  expect(run.error?.message).toBe(
    `Record ${id} has "A-1" in "Key", and the item has ["a-1"]: they differ in case alone`,
  );
  expect(table.records.size).toBe(1);
});

test('connected records are not created for a record that is found', async () => {
  const companies = env.service.addTable({ name: 'Firms', fields: [{ name: 'Name', type: 'Text' }] });
  const table = env.service.addTable({
    name: 'People',
    fields: [
      { name: 'Key', type: 'Text', unique: true },
      { name: 'Firm', type: 'Connection', to: companies.name, many: false },
    ],
  });
  table.insert({ key: 'A-1' });
  const parameters = {
    columns: AUTO_MAP,
    options: { dedupeField: 'key', connectedRecords: 'detectOrCreate' },
  };
  await env.runRecordOperation('create', table, parameters, [{ key: 'A-1', firm: 'New' }]);
  expect(companies.records.size).toBe(0);
});

test('100 items take 2 look-ups', async () => {
  const table = env.service.addTable({
    name: 'Hundred',
    fields: [{ name: 'Key', type: 'Text', unique: true }],
  });
  const parameters = { columns: AUTO_MAP, options: { dedupeField: 'key' } };
  const input = Array.from({ length: 100 }, (_, index) => ({ key: `K-${index}` }));
  const before = env.service.requests.length;
  getOutput(await env.runRecordOperation('create', table, parameters, input));
  const records = env.listRequests(before).filter((one) => /\/records$/.test(one));
  expect(records).toHaveLength(102);
});
