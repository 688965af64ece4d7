import { filesIn, withoutFile } from '../../../nodes/RecordDatabasePdf/resources/fileIn';

const PDF = Buffer.from('%PDF-1.7 and so on').toString('base64');

test.each([
  { base64: PDF },
  { data: { content: `data:application/pdf;base64,${PDF}` } },
  { item: { pdf: PDF } },
  { file: PDF.replace(/(.{8})/g, '$1\n') },
])('base64 in %j', (body) =>
  expect(filesIn(body).map(({ data }) => data?.toString())).toEqual(['%PDF-1.7 and so on']),
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
  [{ pdf_url: '/files/1.pdf' }, '/files/1.pdf'],
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
  [{ url: 'https://example.com/1', item: { file: PDF } }, 'https://example.com/1'],
])('an address in %j', (body, url) => {
  const [found] = filesIn(body);
  expect([found?.text, found?.data]).toEqual([url, undefined]);
});

test('base64 comes before any address, but for that of a record', () => {
  const [found] = filesIn({ url: 'https://example.com/1', data: { content: PDF } });
  expect(found?.text).toBe(PDF);
});

test('the next best are those that speak of a file too, a few of them', () => {
  const urls = (body: object) => filesIn(body).map(({ text }) => text.slice('https://example.com/'.length));
  const at = (path: string) => `https://example.com/${path}`;
  expect(
    urls({ url: at('view'), data: { pdf: at('1'), link: at('page') }, item: { file: at('2.pdf') } }),
  ).toEqual(['view', '1']);
  expect(urls({ url: at('view'), item: { download_url: at('1'), file: at('2.pdf') } })).toEqual([
    'view',
    '1',
  ]);
  expect(urls({ link: at('help.pdf'), download_url: at('1?id=2') })[0]).toBe('1?id=2');
  expect(urls({ files: [at('1'), at('2'), at('3'), at('4')] })).toEqual(['1', '2', '3']);
  expect(urls({ item: { files: [at('1'), at('2')] } })).toEqual(['1', '2']);
});

test.each([
  { msg: 'See https://example.com' },
  { msg: 'https://example.com' },
  { url: 'mailto:a@example.com' },
  { url: '/relative.pdf' },
  { pdf_url: '//example.com/1.pdf' },
  { data: Buffer.from('no PDF at all').toString('base64') },
  { msg: PDF },
  { status: 'Queued' },
  { record: { profile_url: 'https://example.com/me', website: 'https://example.com' } },
  { data: { record: { link: { url: 'https://example.com/deep' } } } },
  { website_url: 'https://example.com' },
  { record: { linkedin_url: 'https://example.com', video_path: 'https://example.com' } },
  [],
  null,
  'text',
])('nothing in %j', (body) => expect(filesIn(body)).toEqual([]));

test('the text of the file is left out of the output, at any depth, and nothing else of its key', () => {
  expect(
    withoutFile({ type: 'success', item: { pdf: PDF, name: 'a' }, list: [{ pdf: PDF }], files: [PDF] }, PDF),
  ).toEqual({ type: 'success', item: { name: 'a' }, list: [{}], files: [] });
  expect(withoutFile({ file: PDF, item: { file: 'contract-2025' } }, PDF)).toEqual({
    item: { file: 'contract-2025' },
  });
});
