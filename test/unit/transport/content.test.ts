import { contentOf, FileContent } from '../../../nodes/shared/transport/content';

describe('the content of an answer that came as bytes', () => {
  const bytes = (text: string) => Buffer.from(text);

  test('JSON is parsed, whatever it is called', () => {
    for (const type of ['application/json', 'application/problem+json; charset=utf-8', 'text/html', '']) {
      expect(contentOf({ 'content-type': type }, bytes('{"a":1}'))).toEqual({ a: 1 });
    }
    expect(contentOf({}, bytes('{"a":1}'))).toEqual({ a: 1 });
  });

  test('other text stays text, so that it is no success', () => {
    expect(contentOf({ 'content-type': 'text/html' }, bytes('<html>'))).toBe('<html>');
    expect(contentOf({}, bytes(''))).toBe('');
  });

  test('anything else is a file', () => {
    const file = contentOf(
      { 'content-type': 'Application/PDF; x=1', 'content-disposition': 'inline' },
      bytes('%PDF-'),
    );
    expect(file).toEqual(new FileContent(bytes('%PDF-'), 'application/pdf', 'inline'));
  });

  test('a PDF is a file under any type, or none', () => {
    for (const type of ['', 'text/html', 'application/json']) {
      expect(contentOf({ 'content-type': type }, bytes('%PDF-1.7'))).toEqual(
        new FileContent(bytes('%PDF-1.7'), 'application/pdf', ''),
      );
    }
  });

  test('what was parsed before is left alone', () => {
    const body = { a: 1 };
    expect(contentOf({}, body)).toBe(body);
  });
});
