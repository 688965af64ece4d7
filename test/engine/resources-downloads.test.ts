import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { binaryDataService } from '../harness/platform';
import { runOperation } from './cases';
import { byId, World } from './support';

const MEGABYTE = 1024 * 1024;

/** Where the file of the export lies; each test says how it answers. No answer ends by itself. */
let answer: (response: ServerResponse) => void;
let closed: Promise<unknown>;
const host = createServer((_request, response) => {
  closed = once(response, 'close');
  answer(response);
});

let world: World;
beforeAll(async () => {
  world = await World.start();
  await once(host.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  host.close();
  host.closeAllConnections();
  await world.stop();
});
afterEach(() => {
  world.service.faults.clear();
  expect(world.violations()).toEqual([]);
});

/** Downloads the export's file. Its entry may be asked for again as often as a slow machine needs. */
function downloadWithin(timeout: number) {
  const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/report.csv`;
  const body = { type: 'success', item: { id: 'q1', status: 'Complete', download_url: address } };
  world.service.faults.add({
    when: { pattern: 'GET /api/v1.1/{appId}/exports/queues/{queueId}' },
    times: Infinity,
    fault: { type: 'status', status: 200, body },
  });
  return runOperation(world, 'RecordDatabaseImportExport', {
    resource: 'export',
    operation: 'getQueueEntry',
    queueId: byId('q1'),
    download: true,
    options: { maximumSize: 1 },
    requests: { timeout },
  });
}

/** Where the timeout is not the subject, none comes near. */
const NEVER = 1_000_000;

const details = ({ error }: { error?: unknown }) => (error as { description?: string }).description;

describe('a connection is closed, and the error says why,', () => {
  test.each<[string, typeof answer]>([
    ['before anything came', (response) => response.flushHeaders()],
    ['with a piece in hand', (response) => response.write('Company\r\n')],
  ])('where n8n cannot store the file: %s', async (_, how) => {
    answer = how;
    // A file where n8n's folder of files belongs: no permission would keep a superuser from writing.
    const folder = binaryDataService().getPath('filesystem:workflows');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, '');
    const run = await downloadWithin(NEVER).finally(() => rmSync(folder));
    expect(details(run)).toContain(folder);
    await closed;
  });

  test.each<[string, typeof answer, string]>([
    [
      'is not there',
      (response) => response.writeHead(404).write('nothing here'),
      'The file could not be fetched (404)',
    ],
    [
      'says that it is too large',
      (response) => response.writeHead(200, { 'content-length': 2 * MEGABYTE }).flushHeaders(),
      'The file is larger than 1 MB, so it was not downloaded',
    ],
    [
      'grows too large',
      (response) => response.write(Buffer.alloc(MEGABYTE + 1)),
      'The file is larger than 1 MB, so it was not downloaded',
    ],
  ])('where the file %s', async (_, how, message) => {
    answer = how;
    expect((await downloadWithin(NEVER)).error?.message).toBe(message);
    await closed;
  });
});

describe('"Request Timeout" ends a download', () => {
  test.each<[string, typeof answer, RegExp]>([
    ['that has no answer', () => undefined, /^timeout of 1000ms exceeded/],
    [
      'of which only headers come',
      (response) => response.flushHeaders(),
      // On a machine that stands still for a second, its headers are late as well.
      /^(Nothing came for 1 s|timeout of 1000ms exceeded)/,
    ],
  ])('%s', async (_, how, expected) => {
    answer = how;
    const run = await downloadWithin(1);
    expect(run.error?.message).toBe('The download broke off');
    expect(details(run)).toMatch(expected);
    await closed;
  });
});
