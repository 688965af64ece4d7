/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import { openDownload as tryOpen } from '../../../../nodes/service/files/openDownload';
import { createDownloadClient } from '../http/fakeN8n';

const PUBLIC = 'https://app.example.com';

async function openDownload(...args: Parameters<typeof tryOpen>) {
  const opened = await tryOpen(...args);
  return opened as Extract<typeof opened, { close: unknown }>;
}

describe('a download that stalls', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());
  const open = (stalled: Readable) => {
    const answer = { statusCode: 200, headers: {}, body: stalled };
    return openDownload(
      createDownloadClient(async () => answer),
      `${PUBLIC}/a`,
      9,
    );
  };

  test('is aborted after the timeout', async () => {
    const stalled = new Readable({ read: () => undefined });
    stalled.push('abc');
    const { stream } = await open(stalled);
    const failure = (stream as Readable).toArray().catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(stalled.destroyed).toBe(false);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await failure).toMatchObject({ message: 'Nothing came for 5 s' });
  });

  test('is also aborted before a reader is attached, without an unhandled error', async () => {
    const stalled = new Readable({ read: () => undefined });
    await open(stalled);
    await jest.advanceTimersByTimeAsync(7_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(stalled.closed).toBe(true);
  });
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
      // The response has no length, so the size is known only by counting.
      return { statusCode: status, headers: { ...headers, 'content-length': undefined }, body: data };
    };
    const credential = { baseUrl, fileHosts: [] };
    const client = createDownloadClient(httpRequest, { credential, timeout: 60_000 });
    return openDownload(client, `${baseUrl}/a.csv`, maxBytes);
  };

  test('gets every byte, also if the reader starts late', async () => {
    const file = await open(content.length);
    await wait(50);
    expect((await read(file.stream as Readable)).equals(content)).toBe(true);
    expect(file.byteCount).toBe(content.length);
  });

  test('is stopped at the limit', async () => {
    const file = await open(content.length - 1);
    await expect(read(file.stream as Readable)).rejects.toThrow('too large');
    expect(file.byteCount).toBeGreaterThan(content.length - 1);
  });
});

describe('an answer that is not the file', () => {
  const open = (headers: Record<string, string>, path = '/export') => {
    const body = Readable.from(['<html>']);
    const client = createDownloadClient(async () => ({ statusCode: 200, headers, body }));
    return openDownload(client, `${PUBLIC}${path}`, 99);
  };

  test.each(['text/html', 'text/html; charset=utf-8', 'application/xhtml+xml'])(
    'a web page (%s) is an error, unless the file is one',
    async (type) => {
      const page = { 'content-type': type };
      await expect(open(page, '/export.csv')).rejects.toThrow('answered with a web page instead of the file');
      (await open(page, '/letter.html')).close();
      (await open({ ...page, 'content-disposition': 'attachment; filename="a.HTM"' })).close();
    },
  );

  test('0 bytes are an error', async () => {
    await expect(open({ 'content-length': '0' })).rejects.toThrow('The file is empty: 0 bytes arrived');
  });
});
