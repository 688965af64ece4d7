import { runOperation } from './cases';
import { stranger } from './stranger';
import { byId, outputOf, World } from './support';

/** Answers to a PDF's creation, which the specification does not show, and what is made of them. */

const PDF = 'RecordDatabasePdf';
const CREATE = 'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const answered = (body: unknown) =>
  world.service.faults.add({ when: { pattern: CREATE }, fault: { type: 'status', status: 200, body } });

const create = (extra: object = {}) =>
  runOperation(
    world,
    PDF,
    { resource: 'pdfPage', operation: 'create', pdfPageId: byId('p1'), recordId: 'r1' },
    undefined,
    extra,
  );

test.each([{}, { 'content-type': 'text/html; charset=UTF-8' }, { 'content-type': 'text/plain' }])(
  'a PDF is one whatever its headers say: %j',
  async (headers) => {
    const { port } = await stranger((_, response) => response.writeHead(200, headers).end('%PDF-1.7'));
    const odd = { id: 'odd', name: 'Odd' };
    const baseUrl = `http://127.0.0.1:${port}`;
    await world.engine.setCredential('recordDatabaseApi', { baseUrl, ...world.service.keys }, odd);
    const run = await create({ credentials: { recordDatabaseApi: odd } });
    expect(outputOf(run)).toEqual([{ fileName: 'r1.pdf', mimeType: 'application/pdf', bytes: 8 }]);
    expect((await run.binaryOf(run.itemsOf('Node')[0])).toString()).toBe('%PDF-1.7');
  },
);

describe('an answer that names files', () => {
  const TYPES: Record<string, string> = {
    pdf: 'application/pdf',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    jpg: 'image/jpeg',
    html: 'text/html',
  };
  /** A host of files whose type is that of their ending, and the name of what was put out. */
  const filesOf = async (answer: (host: string) => unknown) => {
    const { port } = await stranger(({ url }, response) =>
      response.writeHead(200, { 'content-type': TYPES[url!.split('.').pop()!] }).end(url),
    );
    answered(answer(`http://127.0.0.1:${port}`));
    const run = await create();
    outputOf(run);
    return run.itemsOf('Node').map(({ binary }) => binary?.data?.fileName);
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
  ])('%s is not taken for the PDF', async (_, answer, name) => expect(await filesOf(answer)).toEqual([name]));

  test('one that cannot be fetched leaves the others to try', async () => {
    const { port } = await stranger(({ url }, response) =>
      url!.startsWith('/view')
        ? response.writeHead(403).end()
        : response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7'),
    );
    const host = `http://127.0.0.1:${port}`;
    answered({ url: `${host}/view`, data: { download_url: `${host}/made.pdf` } });
    const run = await create();
    outputOf(run);
    expect(run.itemsOf('Node')[0]?.binary?.data?.fileName).toBe('made.pdf');
    const { appSecret } = world.service.keys;
    answered({ url: `${host}/view?signature=let-in&secret=${appSecret}` });
    const failed = String(((await create()).error as { description?: string }).description);
    expect(failed).toContain(`it lies at ${host}/view.`);
  });

  test('each of a list is an item with its file', async () => {
    const files = await filesOf((host) => [
      { url: `${host}/1.pdf` },
      { url: `${host}/2.pdf` },
      { msg: 'none' },
    ]);
    expect(files).toEqual(['1.pdf', '2.pdf', undefined]);
  });
});

test('base64 in a list leaves an item with the rest of its entry', async () => {
  answered([{ name: 'a', pdf: Buffer.from('%PDF-1.7').toString('base64') }]);
  const run = await create();
  expect(outputOf(run)).toEqual([{ name: 'a' }]);
  expect((await run.binaryOf(run.itemsOf('Node')[0])).toString()).toBe('%PDF-1.7');
});
