import { FileContent, parseContent } from '../../../../nodes/service/http/parseContent';

describe('the content of a response received as bytes', () => {
  const toBytes = (text: string) => Buffer.from(text);

  test('parses JSON with any content type', () => {
    for (const type of ['application/json', 'application/problem+json; charset=utf-8', 'text/html', '']) {
      expect(parseContent({ 'content-type': type }, toBytes('{"a":1}'))).toEqual({ a: 1 });
    }
    expect(parseContent({}, toBytes('{"a":1}'))).toEqual({ a: 1 });
  });

  test('returns other text as text, so that it does not count as a success', () => {
    expect(parseContent({ 'content-type': 'text/html' }, toBytes('<html>'))).toBe('<html>');
    expect(parseContent({}, toBytes(''))).toBe('');
  });

  test('anything else is a file', () => {
    const file = parseContent(
      { 'content-type': 'Application/PDF; x=1', 'content-disposition': 'inline' },
      toBytes('%PDF-'),
    );
    expect(file).toEqual(new FileContent(toBytes('%PDF-'), 'application/pdf', 'inline'));
    const image = parseContent({ 'content-type': ' Image/PNG ' }, toBytes('{}'));
    expect(image).toEqual(new FileContent(toBytes('{}'), 'image/png', ''));
  });

  test('bytes within a larger buffer are a file of their own', () => {
    const part = new Uint8Array(toBytes('--bytes--')).subarray(2, 7);
    expect(parseContent({ 'content-type': 'image/png' }, part)).toMatchObject({ data: toBytes('bytes') });
  });

  test('a PDF is a file under any type, or none', () => {
    for (const type of ['', 'text/html', 'application/json']) {
      expect(parseContent({ 'content-type': type }, toBytes('%PDF-1.7'))).toEqual(
        new FileContent(toBytes('%PDF-1.7'), 'application/pdf', ''),
      );
    }
  });

  test('does not change a body that is already parsed', () => {
    const body = { a: 1 };
    expect(parseContent({}, body)).toBe(body);
  });
});
