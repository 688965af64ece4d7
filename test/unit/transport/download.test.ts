import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import { contentOf, FileContent } from '../../../nodes/shared/transport/content';
import { download, downloadTarget, fileNameOf } from '../../../nodes/shared/transport/download';
import type { ApiContext } from '../../../nodes/shared/transport/send';

const PUBLIC = 'https://app.example.com';

describe('download addresses', () => {
  test.each([
    'https://files.example.com/a.csv',
    'http://files.example.com:8080/a.csv?signature=a@b',
    'https://203.0.113.7/a',
    'https://[2001:db8::1]/a',
    'HTTPS://FILES.EXAMPLE.COM/a',
    'https://files.example.com',
    'https://1.1.1.1/172.16.0.1/@10.0.0.1',
  ])('%s is fetched', (address) => expect(downloadTarget(address, PUBLIC).href).toBe(new URL(address).href));

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://10.1.2.3/',
    'http://172.20.0.1/',
    'http://192.168.1.1/',
    'http://100.100.100.200/',
    'http://0/',
    'http://metadata.google.internal/',
    'http://metadata/computeMetadata/v1/',
    'http://redis:6379/',
    'http://redis./',
    'http://１０.0.0.1/',
  ])('%s is inside a network and is not', (address) =>
    expect(() => downloadTarget(address, PUBLIC)).toThrow(/private network/),
  );

  /** Its files often lie behind another port. */
  test.each(['http://192.168.1.10', 'http://database'])(
    'a service inside a network may offer files on its own host, and on no other: %s',
    (own) => {
      expect(downloadTarget(`${own}:9090/a`, `${own}:8080`).port).toBe('9090');
      for (const other of ['http://192.168.1.11', 'http://redis'])
        expect(() => downloadTarget(`${other}/a`, own)).toThrow(/private network/);
    },
  );

  test.each([
    'file:///etc/passwd',
    'ftp://files.example.com/',
    'data:,a',
    'javascript:1',
    '//files.example.com/',
    '/\\evil.example/a',
    '',
    ' https://files.example.com/',
    'https:files.example.com',
    'https:///files.example.com',
    'https:\\\\files.example.com',
    'https://files.example.com\\@evil.example/',
    'https://a b/',
    'https://a\tb/',
    undefined,
    null,
    7,
    {},
    ['https://files.example.com'],
  ])('%j is no http(s) address', (address) =>
    expect(() => downloadTarget(address, PUBLIC)).toThrow(/no http\(s\) address/),
  );

  test('without a host it is an address of the service itself', () =>
    expect(downloadTarget('/files/a.pdf', 'https://app.example.com/base').href).toBe(
      'https://app.example.com/files/a.pdf',
    ));

  test.each([
    'https://u:p@files.example.com/',
    'https://u@files.example.com/',
    'https://@files.example.com/',
    'https://:@files.example.com/',
  ])('%s holds a user', (address) =>
    expect(() => downloadTarget(address, PUBLIC)).toThrow(/user or password/),
  );
});

test.each([
  ['attachment; filename="a.csv"', '', 'a.csv'],
  ['attachment; filename=a.csv', '', 'a.csv'],
  ['attachment; filename="b.csv"; filename*=UTF-8\'\'%C3%A4.csv', '', 'ä.csv'],
  ['attachment; filename="../../etc/passwd"', '', 'passwd'],
  ['attachment; filename="C:\\temp\\a.csv"', '', 'a.csv'],
  ['attachment; filename=".."', '', 'file'],
  ['attachment; filename="%E0%A4%A"', '', '%E0%A4%A'],
  ['', '/exports/list%20one.csv', 'list one.csv'],
  ['', '/', 'file'],
])('the file name of %j and %j is %s', (header, path, name) => expect(fileNameOf(header, path)).toBe(name));

test('a file of which nothing comes any more is broken off after the timeout', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  try {
    const stalled = new Readable({ read: () => undefined });
    stalled.push('abc');
    const answer = { statusCode: 200, headers: {}, body: stalled };
    const context = { helpers: { httpRequest: async () => answer } } as unknown as ApiContext;
    const { stream } = await download(context, `${PUBLIC}/a`, {
      baseUrl: PUBLIC,
      maxBytes: 9,
      timeout: 5_000,
    });
    const failure = (stream as Readable).toArray().catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(stalled.destroyed).toBe(false);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await failure).toMatchObject({ message: 'Nothing came for 5 seconds' });
  } finally {
    jest.useRealTimers();
  }
});

/** The two releases of n8n read a file in different ways; the engine tests have only the newer one's. */
describe.each<[string, (stream: Readable) => Promise<Buffer>]>([
  [
    'listens, like n8n 1,',
    async (stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(stream, 'end');
      return Buffer.concat(chunks);
    },
  ],
  ['iterates, like n8n 2,', async (stream) => Buffer.concat(await stream.toArray())],
])('a reader that %s', (_how, read) => {
  const content = Buffer.alloc(300_000, 'abc');
  const server = createServer((_request, response) => response.end(content));
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => void server.close());
  const open = (maxBytes: number) => {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const httpRequest = async ({ url }: { url: string }) => {
      const { status, headers, data } = await axios.get<Readable>(url, {
        responseType: 'stream',
        proxy: false,
      });
      // Without a length in advance: only counting shows how large it is.
      return { statusCode: status, headers: { ...headers, 'content-length': undefined }, body: data };
    };
    const context = { helpers: { httpRequest } } as unknown as ApiContext;
    return download(context, `${baseUrl}/a.csv`, { baseUrl, maxBytes, timeout: 60_000 });
  };

  test('gets every byte, also when it comes late', async () => {
    const file = await open(content.length);
    await wait(50);
    expect((await read(file.stream as Readable)).equals(content)).toBe(true);
    expect(file.tooLarge).toBe(false);
  });

  test('is stopped at the limit', async () => {
    const file = await open(content.length - 1);
    await expect(read(file.stream as Readable)).rejects.toThrow('too large');
    expect(file.tooLarge).toBe(true);
  });
});

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

  test('what was parsed before is left alone', () => {
    const body = { a: 1 };
    expect(contentOf({}, body)).toBe(body);
  });
});
