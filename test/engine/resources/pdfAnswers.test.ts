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

describe('an answer that names files', () => {
  const TYPES: Record<string, string> = {
    pdf: 'application/pdf',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    jpg: 'image/jpeg',
    html: 'text/html',
  };
  /** Serves files with the content type of their extension. Returns the name of the file in the output. */
  const createFiles = async (answer: (host: string) => unknown) => {
    const { port } = await startCountingServer(({ url }, response) =>
      response.writeHead(200, { 'content-type': TYPES[url!.split('.').pop()!] }).end(url),
    );
    addAnswer(answer(`http://127.0.0.1:${port}`));
    const run = await createPdf();
    getOutput(run);
    return run.getItems('Node').map(({ binary }) => binary?.data?.fileName);
  };

  test.each<[string, (host: string) => unknown, string | undefined]>([
    [
      "a record's document",
      (host) => ({ url: `${host}/made/invoice.pdf`, item: { document: `${host}/contract.docx` } }),
      'invoice.pdf',
    ],
    [
      "a record's photo",
      (host) => ({ url: `${host}/made/invoice.pdf`, item: { files: [`${host}/photo.jpg`] } }),
      'invoice.pdf',
    ],
    [
      'a page that shows the PDF',
      (host) => ({ url: `${host}/view.html`, data: { download_url: `${host}/made/invoice.pdf` } }),
      'invoice.pdf',
    ],
    ['a document alone', (host) => ({ item: { document: `${host}/contract.docx` } }), undefined],
  ])('%s is not taken for the PDF', async (_, answer, name) =>
    expect(await createFiles(answer)).toEqual([name]),
  );

  test('tries the other files if one cannot be downloaded', async () => {
    const { port } = await startCountingServer(({ url }, response) =>
      url!.startsWith('/view')
        ? response.writeHead(403).end()
        : response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7'),
    );
    const host = `http://127.0.0.1:${port}`;
    addAnswer({ url: `${host}/view`, data: { download_url: `${host}/made.pdf` } });
    const run = await createPdf();
    getOutput(run);
    expect(run.getItems('Node')[0]?.binary?.data?.fileName).toBe('made.pdf');
    const { appSecret } = env.service.keys;
    addAnswer({ url: `${host}/view?signature=let-in&secret=${appSecret}` });
    const failed = String(((await createPdf()).error as { description?: string }).description);
    expect(failed).toContain(`returned the URL ${host}/view.`);
  });

  test('each entry of a list becomes an item with its file', async () => {
    const files = await createFiles((host) => [
      { url: `${host}/1.pdf` },
      { url: `${host}/2.pdf` },
      { msg: 'none' },
    ]);
    expect(files).toEqual(['1.pdf', '2.pdf', undefined]);
  });
});

test('an address of a PDF at which there is an image is no PDF', async () => {
  const { port } = await startCountingServer((_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end('PNG'),
  );
  const body = { pdf_url: `http://127.0.0.1:${port}/made.pdf` };
  addAnswer(body);
  const run = await createPdf();
  expect(getOutput(run)).toEqual([body]);
  expect(run.getItems('Node')[0]?.binary).toBeUndefined();
  expect(JSON.stringify(run.getHints('Node'))).toContain('without a PDF');
});

test('base64 in a list leaves an item with the rest of its entry', async () => {
  addAnswer([{ name: 'a', pdf: Buffer.from('%PDF-1.7').toString('base64') }]);
  const run = await createPdf();
  expect(getOutput(run)).toEqual([{ name: 'a' }]);
  expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('%PDF-1.7');
});

test('the file name comes from the form, else from the response, else from the record ID', async () => {
  const pdf = Buffer.from('%PDF-1.7').toString('base64');
  const getName = async (body: object, parameters: object) => {
    addAnswer(body);
    const base = { resource: 'pdfPage', operation: 'create', pdfPageId: toLocator('p1'), recordId: 'r1' };
    const run = await runOperation(env, PDF, { ...base, ...parameters });
    getOutput(run);
    return run.getItems('Node')[0]?.binary?.data?.fileName;
  };
  expect(await getName({ pdf, file_name: 'Invoice 7.pdf' }, {})).toBe('Invoice 7.pdf');
  expect(await getName({ pdf }, {})).toBe('r1.pdf');
  const options = { fileName: 'Orders 3/2025' };
  expect(await getName({ pdf, file_name: 'Invoice 7.pdf' }, { options })).toBe('Orders 3-2025.pdf');
});

test('an answer without a PDF is returned with a hint', async () => {
  addAnswer({ msg: 'queued' });
  const run = await createPdf();
  expect(getOutput(run)).toEqual([{ msg: 'queued' }]);
  expect(JSON.stringify(run.getHints('Node'))).toContain('without a PDF');
});
