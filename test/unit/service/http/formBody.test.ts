import { FormBody } from '../../../../nodes/service';

const decode = async (body: FormBody) => [
  ...(await new Response(new Uint8Array(body.bytes), {
    headers: { 'Content-Type': body.contentType },
  }).formData()),
];

const TEXTS = ['', 'a', 'LF\nCR\rCRLF\r\n', '\r\n--', 'Zoë 😀 "quoted" \\ ;=', '\u0000', ' '.repeat(3)];

test('texts arrive as they are, under names as they are', async () => {
  const parts = TEXTS.flatMap((text, index) => [
    [`name${index}[]`, text] as const,
    [`name "${index}" 😀`, text] as const,
  ]);
  expect(await decode(new FormBody(parts))).toEqual(parts);
});

test('bytes of files arrive as they are, with their names and types', async () => {
  const data = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
  const file = { fileName: 'Zoë "x" 😀.bin', mimeType: 'application/x-test', data };
  const parts = await decode(
    new FormBody([
      ['file', file],
      ['file', { ...file, fileName: 'b', data: data.subarray(10, 20), mimeType: 'a/b\r\nX-Evil: 1' }],
    ]),
  );
  const files = parts.map(([, value]) => value as unknown as File);
  expect(files.map(({ name, type }) => [name, type])).toEqual([
    ['Zoë "x" 😀.bin', 'application/x-test'],
    ['b', 'application/octet-stream'],
  ]);
  expect(Buffer.from(await files[0]!.arrayBuffer())).toEqual(data);
  expect(Buffer.from(await files[1]!.arrayBuffer())).toEqual(data.subarray(10, 20));
});

test('the headers of a part are those of browsers', () => {
  const { bytes, contentType } = new FormBody([
    ['a\r\n"b', 'x'],
    ['f', { fileName: 'n\n".txt', mimeType: 'text/plain', data: Buffer.from('y') }],
  ]);
  const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(contentType)![1]!;
  expect(String(bytes).replaceAll(boundary, 'B')).toBe(
    '--B\r\nContent-Disposition: form-data; name="a%0D%0A%22b"\r\n\r\nx\r\n' +
      '--B\r\nContent-Disposition: form-data; name="f"; filename="n%0A%22.txt"\r\nContent-Type: text/plain\r\n\r\ny\r\n' +
      '--B--\r\n',
  );
});

test('the bytes have memory of their own: an HTTP client may send all of it', () => {
  const { bytes } = new FormBody([['a', 'b']]);
  expect(bytes.buffer.byteLength).toBe(bytes.length);
  expect(new FormBody([]).bytes.buffer.byteLength).toBeLessThan(100);
});
