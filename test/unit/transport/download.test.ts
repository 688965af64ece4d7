import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import { download } from '../../../nodes/shared/transport/download';
import type { ApiContext } from '../../../nodes/shared/transport/send';

const PUBLIC = 'https://app.example.com';

describe('a file of which nothing comes any more', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());
  const open = (stalled: Readable) => {
    const answer = { statusCode: 200, headers: {}, body: stalled };
    const context = { helpers: { httpRequest: async () => answer } } as unknown as ApiContext;
    return download(context, `${PUBLIC}/a`, { baseUrl: PUBLIC, maxBytes: 9, timeout: 5_000 });
  };

  test('is broken off after the timeout', async () => {
    const stalled = new Readable({ read: () => undefined });
    stalled.push('abc');
    const { stream } = await open(stalled);
    const failure = (stream as Readable).toArray().catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(stalled.destroyed).toBe(false);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await failure).toMatchObject({ message: 'Nothing came for 5 s' });
  });

  test('is broken off before its reader is there as well, which ends nothing else', async () => {
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
