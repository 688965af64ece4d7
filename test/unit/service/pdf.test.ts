import { PDFDocument } from 'pdf-lib';
import { http, messages, open } from './client';

type Opened = Awaited<ReturnType<typeof open>>;
let { service, app }: Opened = {} as Opened;
beforeAll(async () => ({ service, app } = await open()));
afterAll(() => service.stop());
afterEach(() => void (service.options.pdfResponse = 'url'));

const one = async (kind: 'pdf-pages' | 'pdf-forms'): Promise<{ id: string; name: string }> =>
  (await app.get(`/${kind}`)).data.items[0];
const record = () => [...service.table('Invoices').records.keys()][0] as string;
const title = async (bytes: Uint8Array) => (await PDFDocument.load(bytes)).getTitle();

test.each(['pdf-pages', 'pdf-forms'] as const)('%s are listed and read', async (kind) => {
  const template = await one(kind);
  expect((await app.get(`/${kind}/${template.id}`)).data.item).toEqual(template);
  expect((await app.get(`/${kind}/x`)).status).toBe(404);
});

test('a page is made from a record, a form from the data sent', async () => {
  const [page, form] = [await one('pdf-pages'), await one('pdf-forms')];
  for (const [template, answer] of [
    [page, await app.post(`/pdf-pages/${page.id}/create/${record()}`)],
    [form, await app.post(`/pdf-forms/${form.id}/create`, { name: 'Zoë ✓', lines: ['a', 'b'] })],
  ] as const) {
    const { data, headers } = await http.get(answer.data.download_url, { responseType: 'arraybuffer' });
    expect(headers['content-type']).toBe('application/pdf');
    expect(await title(data)).toBe(template.name);
  }
  expect(messages(service)).toEqual([]);
});

test('the response may also be base64 or the file itself', async () => {
  const url = `/pdf-pages/${(await one('pdf-pages')).id}/create/${record()}`;
  service.options.pdfResponse = 'base64';
  expect(await title(Buffer.from((await app.post(url)).data.base64, 'base64'))).toBe('Invoice');
  service.options.pdfResponse = 'binary';
  const { data, headers } = await app.post(url, undefined, { responseType: 'arraybuffer' });
  expect(headers['content-type']).toBe('application/pdf');
  expect(await title(data)).toBe('Invoice');
});

test('needs a record, or data', async () => {
  expect((await app.post(`/pdf-pages/${(await one('pdf-pages')).id}/create/12`)).data.msg).toBe(
    'Record Not Found',
  );
  expect((await app.post(`/pdf-forms/${(await one('pdf-forms')).id}/create`, {})).status).toBe(422);
});
