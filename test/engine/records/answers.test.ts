import { skipWaits } from '../../environment/skipWaits';
import { AUTO_MAP, getOutput, toColumns, waitUntil } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();

const env = useTestEnvironment();

const getFirstId = (table: string) => [...env.getTable(table).records.keys()][0]!;

test('a record that is created with a file is linked to its parent', async () => {
  const showcase = env.getTable('Showcase');
  const [recordId, { fieldId }] = [getFirstId('Customers'), showcase.findField('connection_one')!];
  const parent = { field: `${showcase.id}|${fieldId}`, recordId };
  const parameters = {
    columns: toColumns({ text: 'Linked', file: 'one' }),
    options: { link: { parent } },
  };
  const data = Buffer.from('content').toString('base64');
  const binary = { one: { data, mimeType: 'text/plain', fileName: 'one.txt' } };
  const run = await env.runRecordOperation('create', showcase, parameters, [{ json: {}, binary }]);
  const [created] = getOutput(run);
  expect(showcase.records.get(String(created!.id))).toMatchObject({
    connection_one: [recordId],
    file: expect.stringMatching(/one\.txt$/) as string,
  });
});

test('a look-up that returns a record with another key creates nothing, and finds nothing', async () => {
  const orders = env.getTable('Orders');
  orders.insert({ number: 'TAKEN-1' });
  const size = orders.records.size;
  const [other] = orders.records.values();
  // The look-up drops its condition and returns another record.
  env.service.faults.add({
    when: { pattern: /records$/, method: 'GET' },
    times: Infinity,
    fault: {
      type: 'status',
      status: 200,
      body: {
        type: 'success',
        items: [{ id: other!.id, number: other!.number }],
        total_items: size,
        total_pages: size,
        current_page: 1,
        limit: 1,
      },
    },
  });
  const parameters = {
    columns: toColumns({ number: 'TAKEN-1' }),
    options: { dedupeField: 'number' },
  };
  const run = await env.runRecordOperation('create', orders, parameters);
  expect(run.getJson('Node')).toEqual([]);
  expect(run.error?.message).toMatch(/^The list changed while it was read/);
  expect(orders.records.size).toBe(size);
});

test.each([
  ['', 'D-1', 'Dedupe Field: no field is chosen', 'Choose one, or remove the option.'],
  ['nobody', 'D-1', 'Dedupe Field: the table has no field "nobody"', 'Number (Text)'],
  ['quantity', 'D-1', 'Dedupe Field: "Quantity" is not unique', 'Choose a unique field'],
  ['number', '', 'Dedupe Field: "Number" has no value', 'Give the field a value'],
  ['number', undefined, 'Dedupe Field: "Number" has no value', 'Give the field a value'],
])(
  'Dedupe Field "%s" with the number %j is refused before anything is sent',
  async (field, number, message, remedy) => {
    const orders = env.getTable('Orders');
    const { size } = orders.records;
    const parameters = { columns: AUTO_MAP, options: { dedupeField: field } };
    const run = await env.runRecordOperation('create', orders, parameters, [{ quantity: 1, number }]);
    expect(run.error?.message).toBe(message);
    expect(run.error).toMatchObject({ description: expect.stringContaining(remedy) as string });
    expect(orders.records.size).toBe(size);
  },
);

test.each(['equationLog', '_action', '_total'])(
  '"%s" of an earlier answer is not sent back as a column',
  async (key) => {
    const { id } = env.getTable('Orders').insert({ number: `BACK-${key}` });
    const since = env.service.requests.length;
    const input = { id, quantity: 4, [key]: [{ field: 'total', formula: '', result: 1 }] };
    const parameters = { recordId: '={{ $json.id }}', columns: AUTO_MAP };
    getOutput(await env.runRecordOperation('update', env.getTable('Orders'), parameters, [input]));
    expect(env.getTable('Orders').records.get(id)).toMatchObject({ quantity: 4 });
    const bodies = env.service.requests.slice(since).map(({ body }) => JSON.stringify(body) ?? '');
    expect(bodies.filter((body) => body.includes(`"${key}":`))).toEqual([]);
  },
);

// Such a change cannot be noticed (docs/scaling.md).
test('reads no record twice when a deletion and an insertion leave the total unchanged', async () => {
  const table = env.service.addTable({ name: 'Moving', fields: [{ name: 'Label', type: 'Text' }] });
  for (let i = 0; i < 450; i++) table.insert({ label: `Row ${i}` });
  const pattern = 'GET /api/v1/data-tables/{dataTableId}/records';
  env.service.faults.add({ when: { pattern }, fault: { type: 'stall', ms: 300 } });
  const since = env.service.requests.length;
  const running = env.runRecordOperation('getAll', table, { returnAll: true });
  // The response of the first page is complete when its status is recorded; the stall delays sending it.
  const isFirstPageRead = () =>
    env.service.requests.slice(since).some((one) => one.pattern === pattern && one.status === 200);
  await waitUntil(isFirstPageRead);
  const [first] = table.records.keys();
  table.delete(first!);
  table.insert({ label: 'New' });
  const labels = getOutput(await running).map(({ label }) => label);
  const constant = Array.from({ length: 449 }, (_, i) => `Row ${i + 1}`);
  expect(constant.filter((label) => !labels.includes(label)).length).toBeLessThanOrEqual(1);
  expect(new Set(labels).size).toBe(labels.length);
});
