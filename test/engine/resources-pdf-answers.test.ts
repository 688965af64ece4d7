import { runOperation } from './cases';
import { stranger } from './stranger';
import { byId, outputOf, World } from './support';

/** Answers to a PDF's creation, which the specification does not show, and what is made of them. */

const PDF = 'RecordDatabasePdf';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

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
