import { findPdf } from '../../../../nodes/service';
import { FileContent } from '../../../../nodes/service/http/parseContent';

const data = Buffer.from('%PDF-1.7 and so on');
const PDF = data.toString('base64');
const find = (body: unknown) => findPdf(body, 1);

test.each([
  [{ base64: PDF }, {}],
  [
    { status: 'success', msg: 'made', id: 7, pdf: PDF },
    { status: 'success', msg: 'made', id: 7 },
  ],
  [{ item: { pdf: PDF, name: 'a' } }, { name: 'a' }],
  [{ file: PDF.replace(/(.{8})/g, '$1\n') }, {}],
  // The file itself comes before an address.
  [{ url: 'https://example.com/1', content: PDF }, { url: 'https://example.com/1' }],
])('base64 in %j, beside %j', (body, rest) =>
  expect(find(body)).toEqual({ data, mimeType: 'application/pdf', rest }),
);

test.each([
  [{ download_url: 'https://example.com/a.pdf' }, 'https://example.com/a.pdf'],
  [{ data: { link: 'http://example.com/1' } }, 'http://example.com/1'],
  [{ item: { pdf: 'HTTPS://example.com/1', name: 'a' } }, 'HTTPS://example.com/1'],
  [{ pdf: 'https://example.com/1', download: 'https://example.com/1' }, 'https://example.com/1'],
])('the address in %j', (body, url) => expect(find(body)).toEqual({ url }));

test.each([
  ['attachment; filename="Invoice 7.pdf"', 'Invoice 7.pdf'],
  ['inline', undefined],
  ['', undefined],
])('a file with the header %j is named %j', (disposition, fileName) =>
  expect(find(new FileContent(data, 'application/pdf', disposition))).toEqual({
    data,
    mimeType: 'application/pdf',
    fileName,
  }),
);

test('a file that is empty or too large is an error', () => {
  const EMPTY = { message: 'The file is empty: 0 bytes arrived' };
  const LARGE = { code: 'fileTooLarge' };
  const open = (length: number) => () => find(new FileContent(Buffer.alloc(length), 'application/pdf', ''));
  expect(open(0)).toThrow(expect.objectContaining(EMPTY));
  expect(open(1024 * 1024 + 1)).toThrow(expect.objectContaining(LARGE));
  expect(() => find({ pdf: Buffer.concat([data, Buffer.alloc(1024 * 1024)]).toString('base64') })).toThrow(
    expect.objectContaining(LARGE),
  );
});

test.each([
  { msg: 'See https://example.com' },
  { url: 'mailto:a@example.com' },
  { url: '/relative.pdf' },
  { view: 'https://example.com/1', page: 'https://example.com/2' },
  { data: Buffer.from('no PDF at all').toString('base64') },
  { record: { link: { url: 'https://example.com/deep' } } },
  [],
  null,
])('nothing in %j', (body) => expect(find(body)).toBeUndefined());
