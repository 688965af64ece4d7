import { PDFDocument } from 'pdf-lib';
import { http, listViolations, openService } from '../client';

type Opened = Awaited<ReturnType<typeof openService>>;
let { service, app }: Opened = {} as Opened;
beforeAll(async () => ({ service, app } = await openService()));
afterAll(() => service.stop());
afterEach(() => void (service.options.pdfResponse = 'url'));

const getFirst = async (kind: 'pdf-pages' | 'pdf-forms'): Promise<{ id: string; name: string }> =>
  (await app.get(`/${kind}`)).data.items[0];
const getRecordId = () => [...service.getTable('Invoices').records.keys()][0] as string;
const readTitle = async (bytes: Uint8Array) => (await PDFDocument.load(bytes)).getTitle();

test.each(['pdf-pages', 'pdf-forms'] as const)('%s are listed and read', async (kind) => {
  const template = await getFirst(kind);
  expect((await app.get(`/${kind}/${template.id}`)).data.item).toEqual(template);
  expect((await app.get(`/${kind}/x`)).status).toBe(404);
});

test('a page is made from a record, a form from the data sent', async () => {
  const [page, form] = [await getFirst('pdf-pages'), await getFirst('pdf-forms')];
  for (const [template, answer] of [
    [page, await app.post(`/pdf-pages/${page.id}/create/${getRecordId()}`)],
    [form, await app.post(`/pdf-forms/${form.id}/create`, { name: 'Zoë ✓', lines: ['a', 'b'] })],
  ] as const) {
    const { data, headers } = await http.get(answer.data.download_url, { responseType: 'arraybuffer' });
    expect(headers['content-type']).toBe('application/pdf');
    expect(await readTitle(data)).toBe(template.name);
  }
  expect(listViolations(service)).toEqual([]);
});

test('the response may also be base64 or the file itself', async () => {
  const url = `/pdf-pages/${(await getFirst('pdf-pages')).id}/create/${getRecordId()}`;
  service.options.pdfResponse = 'base64';
  expect(await readTitle(Buffer.from((await app.post(url)).data.base64, 'base64'))).toBe('Invoice');
  service.options.pdfResponse = 'binary';
  const { data, headers } = await app.post(url, undefined, { responseType: 'arraybuffer' });
  expect(headers['content-type']).toBe('application/pdf');
  expect(await readTitle(data)).toBe('Invoice');
});

test('needs a record, or data', async () => {
  expect((await app.post(`/pdf-pages/${(await getFirst('pdf-pages')).id}/create/12`)).data.msg).toBe(
    'Record Not Found',
  );
  expect((await app.post(`/pdf-forms/${(await getFirst('pdf-forms')).id}/create`, {})).status).toBe(422);
});
