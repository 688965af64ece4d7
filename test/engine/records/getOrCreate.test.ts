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
    when: { pattern: 'POST /api/v1/data-tables/{dataTableId}/records', skip: 1 },
    fault: { type: 'status', status: 200, body: { type: 'success', items: [], total_items: 0 } },
  });
  const [found] = await create({ columns: toColumns({ unique_text: 'Late' }) });
  expect(found).toMatchObject({ id, _action: 'found' });
});

test('without a Dedupe Field the record is created', async () => {
  const [created] = await create({ columns: toColumns({ text: 'plain' }), options: {} });
  expect(created).toMatchObject({ _action: 'created', _tableId: env.getTable('Showcase').id });
});
