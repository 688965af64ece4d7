/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { skipWaits } from '../../environment/skipWaits';
import { getBinaryDataService } from '../../harness/platform';
import { runOperation } from '../support/runOperation';
import { TestEnvironment, toLocator } from '../support/testEnvironment';

skipWaits();

const MEGABYTE = 1024 * 1024;

/** The server of the exported file. Each test sets its response. No response ends on its own. */
let answer: (response: ServerResponse) => void;
let closed: Promise<unknown>;
const host = createServer((_request, response) => {
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
afterEach(() => {
  env.service.faults.clear();
  expect(env.takeViolations()).toEqual([]);
});

/** Downloads the exported file. On a slow machine the status may be requested several times. */
function downloadWithin(timeout: number) {
  const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/report.csv`;
  const body = { type: 'success', item: { id: 'q1', status: 'Complete', download_url: address } };
  env.service.faults.add({
    when: { pattern: 'GET /api/v1.1/{appId}/exports/queues/{queueId}' },
    times: Infinity,
    fault: { type: 'status', status: 200, body },
  });
  return env.withSettings({ requestTimeout: timeout }, () =>
    runOperation(env, 'RecordDatabaseImportExport', {
      resource: 'export',
      operation: 'getRuns',
      which: 'oneRun',
      queueId: toLocator('q1'),
      download: true,
      options: { maximumSize: 1 },
    }),
  );
}

/** A timeout that tests of other subjects never reach. */
const NEVER = 1_000_000;

const getDescription = ({ error }: { error?: unknown }) => (error as { description?: string }).description;

describe('a connection is closed, and the error says why,', () => {
  test.each<[string, typeof answer]>([
    ['before anything came', (response) => response.flushHeaders()],
    ['with a piece in hand', (response) => response.write('Company\r\n')],
  ])('where n8n cannot store the file: %s', async (_, how) => {
    answer = how;
    // Put a file in the place of n8n's binary data folder: missing permissions would not stop the root user from writing.
    const folder = getBinaryDataService().getPath('filesystem:workflows');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, '');
    const run = await downloadWithin(NEVER).finally(() => rmSync(folder));
    expect(getDescription(run)).toContain(folder);
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
    expect((await downloadWithin(NEVER)).error?.message).toContain(message);
    await closed;
  });
});

describe('"Request Timeout" ends a download', () => {
  test.each<[string, typeof answer, RegExp]>([
    ['that has no answer', () => undefined, /timeout of 1000ms exceeded/],
    [
      'of which only headers come',
      (response) => response.flushHeaders(),
      // If the machine stalls for a second, the headers are late too.
      /(Nothing came for 1 s|timeout of 1000ms exceeded)/,
    ],
  ])('%s', async (_, how, expected) => {
    answer = how;
    const run = await downloadWithin(1);
    expect(run.error?.message).toMatch(/The download broke off$/);
    expect(getDescription(run)).toMatch(expected);
    await closed;
  });
});
