/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { skipWaits } from '../../environment/skipWaits';
import { runOperation } from '../support/runOperation';
import { TestEnvironment, toLocator } from '../support/testEnvironment';

/** A service, or a server in front of it, that answers too much, too slowly, or in the wrong words. */

skipWaits();

const MEGABYTE = 1024 * 1024;

/** The hostile service. Each test sets its answer. */
let answer: (response: ServerResponse) => void;
let closed: Promise<unknown>;
let requests = 0;
const host = createServer((_request, response) => {
  requests++;
  closed = once(response, 'close');
  answer(response);
});

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start();
  await once(host.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  host.close();
  host.closeAllConnections();
  await env.stop();
});
beforeEach(() => (requests = 0));

/** Seconds for an answer of 64 MB on a loaded machine. Threads that unpack it do not count as computing in `skipWaits`. */
const LONG_TIMEOUT = 3_600;

function withHost<T>(run: () => Promise<T>, requestTimeout = LONG_TIMEOUT) {
  const { port } = host.address() as AddressInfo;
  return env.withSettings({ baseUrl: `http://127.0.0.1:${port}`, requestTimeout }, run);
}

const listRoles = () => runOperation(env, 'RecordDatabaseUsers', { resource: 'role', operation: 'getAll' });
const createPdf = () =>
  runOperation(env, 'RecordDatabasePdf', {
    resource: 'pdfForm',
    operation: 'create',
    pdfFormId: toLocator('f1'),
    dataMode: 'json',
    dataJson: '{"company":"a"}',
  });

const toTexts = ({ error }: { error?: unknown }) => {
  const { message, description = '' } = (error ?? {}) as { message?: string; description?: string };
  return { message, description };
};

/** Sends the same bytes again and again, as fast as the client takes them. */
function flood(write: (chunk: Buffer) => boolean, onDrain: (listener: () => void) => void, chunk: Buffer) {
  const more = () => {
    while (write(chunk));
    onDrain(more);
  };
  more();
}

test.each<[what: string, type: string, status: number]>([
  ['JSON', 'application/json', 200],
  ['a page', 'text/html', 200],
])('an answer without an end is not read: %s', async (_, type, status) => {
  answer = (response) => {
    response.writeHead(status, { 'content-type': type });
    response.on('error', () => undefined);
    flood(
      (chunk) => !response.destroyed && response.write(chunk),
      (listener) => response.once('drain', listener),
      Buffer.alloc(MEGABYTE, ' '),
    );
  };
  const { message, description } = toTexts(await withHost(listRoles));
  expect(message).toMatch(/^The answer of 127\.0\.0\.1:\d+ is too large$/);
  expect(description).toContain('more than 64 MB');
  // The connection is closed, and the answer is not requested again.
  await closed;
  expect(requests).toBe(1);
});

test('an answer is measured after its decompression', async () => {
  answer = (response) => {
    // 100 MB of spaces in 100 KB: gzip members in a row are one stream.
    const bomb = Buffer.concat(Array<Buffer>(25).fill(gzipSync(Buffer.alloc(4 * MEGABYTE, ' '))));
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
  };
  expect(toTexts(await withHost(listRoles)).message).toMatch(/is too large$/);
  await closed;
});

test('an error without an end is an error with its status', async () => {
  answer = (response) => {
    response.writeHead(400, { 'content-type': 'text/plain' });
    response.on('error', () => undefined);
    flood(
      (chunk) => !response.destroyed && response.write(chunk),
      (listener) => response.once('drain', listener),
      Buffer.alloc(MEGABYTE, 'x'),
    );
  };
  const { message, description } = toTexts(await withHost(listRoles));
  expect(message).toBe('The service refused the request');
  expect(description).toContain('400');
  await closed;
});

test('a PDF without an end is not read, and the error names the setting', async () => {
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.on('error', () => undefined);
    response.write('%PDF-1.7');
    flood(
      (chunk) => !response.destroyed && response.write(chunk),
      (listener) => response.once('drain', listener),
      Buffer.alloc(MEGABYTE, 'x'),
    );
  };
  const { message, description } = toTexts(await withHost(createPdf));
  // The PDF may have been made.
  expect(message).toMatch(/^Outcome unknown: the file in the answer of \S+ is too large$/);
  expect(description).toContain('Maximum File Size');
  await closed;
  expect(requests).toBe(1);
});

test('Request Timeout ends an answer that comes in small pieces', async () => {
  let timer: NodeJS.Timeout | undefined;
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    // Each piece comes long before the timeout.
    timer = setInterval(() => response.write(' '), 20);
  };
  const run = await withHost(listRoles, 0.5);
  expect(toTexts(run).message).toMatch(/did not answer in time$/);
  await closed;
  clearInterval(timer);
});

test('a message of 1 MB with markup and terminal sequences is one short line', async () => {
  answer = (response) => {
    const msg = `\u001b[31m<img src=x onerror=alert(1)>\n${'long '.repeat(MEGABYTE / 5)}`;
    response.writeHead(422, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'error', status: 422, msg, errors: { name: [msg], [msg]: msg } }));
  };
  const { message = '', description } = toTexts(await withHost(listRoles));
  expect(message.length).toBeLessThanOrEqual(1_000);
  expect(description.length).toBeLessThanOrEqual(4_000);
  for (const text of [message, description]) {
    expect(text).toContain('‹img');
    expect(text).not.toMatch(/[\p{Cc}<]/u);
  }
});

test.each([5_000, 200_000])('an answer %i levels deep is no error of the engine', async (depth) => {
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      `{"type":"success","items":[{"id":"t1","name":"a","deep":${'['.repeat(depth)}${']'.repeat(depth)}}]}`,
    );
  };
  const run = await withHost(listRoles);
  expect(String(toTexts(run).message)).not.toMatch(/call stack/);
});
