import { startCountingServer } from '../support/countingServer';
import { runOperation } from '../support/runOperation';
import { getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** Responses of the PDF endpoints, which the specification does not define, and the items made from them. */

const PDF = 'RecordDatabasePdf';
const CREATE = 'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}';

const env = useTestEnvironment();

const addAnswer = (body: unknown) =>
  env.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'status', status: 200, body } });

const createPdf = (extra: object = {}) =>
  runOperation(
    env,
    PDF,
    { resource: 'pdfPage', operation: 'create', pdfPageId: toLocator('p1'), recordId: 'r1' },
    undefined,
    extra,
  );

test.each([{}, { 'content-type': 'text/html; charset=UTF-8' }, { 'content-type': 'text/plain' }])(
  'recognises a PDF by its content with the headers %j',
  async (headers) => {
    const { port } = await startCountingServer((_, response) =>
      response.writeHead(200, headers).end('%PDF-1.7'),
    );
    const odd = { id: 'odd', name: 'Odd' };
    const baseUrl = `http://127.0.0.1:${port}`;
    await env.engine.setCredential('recordDatabaseApi', { baseUrl, ...env.service.keys }, odd);
    const run = await createPdf({ credentials: { recordDatabaseApi: odd } });
    expect(getOutput(run)).toEqual([{ fileName: 'r1.pdf', mimeType: 'application/pdf', bytes: 8 }]);
    expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('%PDF-1.7');
  },
);

test.each([
  ['text', 'text/plain', Buffer.from('%PDF-1.7').toString('base64')],
  ['a JSON text', 'application/json', JSON.stringify(Buffer.from('%PDF-1.7').toString('base64'))],
])('takes an answer that is the PDF in base64, as %s', async (_, type, answer) => {
  const { port } = await startCountingServer((_request, response) =>
    response.writeHead(200, { 'content-type': type }).end(answer),
  );
  const odd = { id: 'odd', name: 'Odd' };
  const baseUrl = `http://127.0.0.1:${port}`;
  await env.engine.setCredential('recordDatabaseApi', { baseUrl, ...env.service.keys }, odd);
  const run = await createPdf({ credentials: { recordDatabaseApi: odd } });
  expect(getOutput(run)).toEqual([{ fileName: 'r1.pdf', mimeType: 'application/pdf', bytes: 8 }]);
  expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('%PDF-1.7');
});

test('a PDF without bytes is an error, and not created again', async () => {
  const { port, count } = await startCountingServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(),
  );
  const odd = { id: 'odd', name: 'Odd' };
  const baseUrl = `http://127.0.0.1:${port}`;
  await env.engine.setCredential('recordDatabaseApi', { baseUrl, ...env.service.keys }, odd);
  const run = await createPdf({ credentials: { recordDatabaseApi: odd } });
  expect(run.error?.message).toMatch(/The file is empty: 0 bytes arrived/);
  expect(count()).toBe(1);
});

test('several addresses show no PDF: the answer is returned with a hint', async () => {
  const body = { url: 'https://files.example/1', website: 'https://files.example/2' };
  addAnswer(body);
  const run = await createPdf();
  expect(getOutput(run)).toEqual([body]);
  expect(JSON.stringify(run.getHints('Node'))).toContain('without a PDF');
});

test('base64 leaves an item with the rest of the answer', async () => {
  addAnswer({ type: 'success', name: 'a', pdf: Buffer.from('%PDF-1.7').toString('base64') });
  const run = await createPdf();
  expect(getOutput(run)).toEqual([{ name: 'a' }]);
  expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('%PDF-1.7');
});

test('the file name comes from the form, else from the record ID', async () => {
  const pdf = Buffer.from('%PDF-1.7').toString('base64');
  const getName = async (body: object, parameters: object) => {
    addAnswer(body);
    const base = { resource: 'pdfPage', operation: 'create', pdfPageId: toLocator('p1'), recordId: 'r1' };
    const run = await runOperation(env, PDF, { ...base, ...parameters });
    getOutput(run);
    return run.getItems('Node')[0]?.binary?.data?.fileName;
  };
  expect(await getName({ pdf }, {})).toBe('r1.pdf');
  const names = {
    'Orders 3/2025': 'Orders 3-2025.pdf',
    'Orders 31.03.2025': 'Orders 31.03.2025.pdf',
    'Invoice RE.A102': 'Invoice RE.A102.pdf',
    'a.PDF': 'a.PDF',
    'Order 3\nUrgent': 'Order 3-Urgent.pdf',
  };
  for (const [fileName, expected] of Object.entries(names))
    expect(await getName({ pdf }, { options: { fileName } })).toBe(expected);
});

test('an answer without a PDF is returned with a hint', async () => {
  addAnswer({ msg: 'queued' });
  const run = await createPdf();
  expect(getOutput(run)).toEqual([{ msg: 'queued' }]);
  expect(JSON.stringify(run.getHints('Node'))).toContain('without a PDF');
});
