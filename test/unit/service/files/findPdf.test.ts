import { findFileName, findSource, removeFileText } from '../../../../nodes/service/files/findPdf';

const PDF = Buffer.from('%PDF-1.7 and so on').toString('base64');

test.each([
  { base64: PDF },
  { data: { content: `data:application/pdf;base64,${PDF}` } },
  { item: { pdf: PDF } },
  { file: PDF.replace(/(.{8})/g, '$1\n') },
])('base64 in %j', (body) =>
  expect(findSource(body)).toMatchObject({ data: Buffer.from('%PDF-1.7 and so on') }),
);

test.each([
  [{ download_url: 'https://example.com/a.pdf' }, 'https://example.com/a.pdf'],
  [{ data: { link: 'http://example.com/1' } }, 'http://example.com/1'],
  [{ url: 'https://example.com/page', file_url: 'https://example.com/a.pdf' }, 'https://example.com/a.pdf'],
  [{ files: ['https://example.com/a.pdf'] }, 'https://example.com/a.pdf'],
  [{ data: { record: { pdfUrl: 'https://example.com/deep' } } }, 'https://example.com/deep'],
  [{ Location: 'https://example.com/1' }, 'https://example.com/1'],
  [{ items: [{ url: 'https://example.com/1' }] }, 'https://example.com/1'],
  [{ files: [{ url: 'https://example.com/1' }] }, 'https://example.com/1'],
  [{ item: { pdf: { url: 'https://example.com/1' } } }, 'https://example.com/1'],
  [{ data: { file: { link: 'https://example.com/1' } } }, 'https://example.com/1'],
  [{ downloadurl: 'https://example.com/1' }, 'https://example.com/1'],
  [{ pdflink: 'https://example.com/1' }, 'https://example.com/1'],
  [{ view_url: 'https://example.com/1' }, 'https://example.com/1'],
  [{ publicUrl: 'https://example.com/1' }, 'https://example.com/1'],
  [
    { url: 'https://example.com/1', item: { document: 'https://example.com/2.pdf' } },
    'https://example.com/1',
  ],
  [
    { data: { link: 'https://example.com/1' }, item: { file: 'https://example.com/2.pdf' } },
    'https://example.com/1',
  ],
  [
    { url: 'https://example.com/1', customer: { document: 'https://example.com/2.pdf' } },
    'https://example.com/1',
  ],
  [{ url: 'https://example.com/1.PDF?a', document: 'https://example.com/2' }, 'https://example.com/1.PDF?a'],
])('an address in %j', (body, url) => expect(findSource(body)).toEqual({ url }));

test('base64 comes before any address', () => {
  expect(findSource({ url: 'https://example.com/1', data: { content: PDF } })).toMatchObject({ text: PDF });
});

test('finds no address if several have an equally suitable key', () => {
  expect(findSource({ files: ['https://example.com/1', 'https://example.com/2'] })).toBeUndefined();
  expect(findSource({ pdf: 'https://example.com/1', download: 'https://example.com/1' })).toEqual({
    url: 'https://example.com/1',
  });
});

test('reads the file name from the response', () => {
  expect(findFileName({ data: { file_name: 'Invoice 7.pdf' } })).toBe('Invoice 7.pdf');
  expect(findFileName({ item: { customer: { file_name: 'x' } } })).toBeUndefined();
});

// A quadratic pattern would need hours here, and the test would not end.
test.each([' ', 'A', '/', '=', 'JVBERi '])('five million characters of %j are searched', (unit) => {
  const long = unit.repeat(5_000_000 / unit.length);
  expect(findSource({ data: long, file: { base64: long }, [long]: long })).toBeUndefined();
});

test.each([
  { msg: 'See https://example.com' },
  { msg: 'https://example.com' },
  { url: 'mailto:a@example.com' },
  { url: '/relative.pdf' },
  { pdf_url: '//example.com/1.pdf' },
  { data: Buffer.from('no PDF at all').toString('base64') },
  { status: 'Queued' },
  { record: { profile_url: 'https://example.com/me', website: 'https://example.com' } },
  { data: { record: { link: { url: 'https://example.com/deep' } } } },
  { website_url: 'https://example.com' },
  { record: { linkedin_url: 'https://example.com', video_path: 'https://example.com' } },
  [],
  null,
  'text',
])('nothing in %j', (body) => expect(findSource(body)).toBeUndefined());

test('removes the base64 text of the file from the output at any depth, and keeps other values of the same key', () => {
  expect(
    removeFileText(
      { type: 'success', item: { pdf: PDF, name: 'a' }, list: [{ pdf: PDF }], files: [PDF] },
      PDF,
    ),
  ).toEqual({ type: 'success', item: { name: 'a' }, list: [{}], files: [] });
  expect(removeFileText({ file: PDF, item: { file: 'contract-2025' } }, PDF)).toEqual({
    item: { file: 'contract-2025' },
  });
});
