import { startCountingServer } from '../support/countingServer';
import { runOperation } from '../support/runOperation';
import { getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** A service inside a network, whose files lie on another port of its host. */

const FILES = 'RecordDatabaseImportExport';
const env = useTestEnvironment();

const setFileHosts = (fileHosts: string) =>
  env.engine.setCredential('recordDatabaseApi', {
    baseUrl: env.service.baseUrl,
    advancedSettings: true,
    fileHosts,
    ...env.service.keys,
  });

/** Downloads the file of an export whose entry names this address. */
async function downloadFrom(address: string) {
  env.service.faults.clear();
  env.service.faults.add({
    when: { pattern: 'GET /api/v1.1/{appId}/exports/queues/{queueId}' },
    fault: {
      type: 'status',
      status: 200,
      body: { type: 'success', item: { id: 'q1', status: 'Complete', download_url: address } },
    },
  });
  const parameters = {
    resource: 'export',
    operation: 'getRuns',
    which: 'oneRun',
    queueId: toLocator('q1'),
    download: true,
  };
  return runOperation(env, FILES, parameters);
}

const PRIVATE = /The download address was not fetched: 127\.0\.0\.1:\d+ is inside a private network$/;

test('another port is refused without the setting, and nothing is sent to it', async () => {
  const { port, count } = await startCountingServer((_, response) => response.end('a,b'));
  await setFileHosts('');
  const { error } = await downloadFrom(`http://127.0.0.1:${port}/a.csv`);
  expect(error?.message).toMatch(PRIVATE);
  expect((error as { description?: string }).description).toContain(`add 127.0.0.1:${port} to File Hosts`);
  expect(count()).toBe(0);
});

test('a named host and port is fetched without keys, and another port is not', async () => {
  const headers: string[] = [];
  const named = await startCountingServer((request, response) => {
    headers.push(...Object.keys(request.headers));
    response.end('a,b');
  });
  const other = await startCountingServer((_, response) => response.end('taken'));
  await setFileHosts(`files.internal, 127.0.0.1:${named.port}`);
  const run = await downloadFrom(`http://127.0.0.1:${named.port}/a.csv`);
  getOutput(run);
  expect((await run.readBinary(run.getItems('Node')[0])).toString()).toBe('a,b');
  expect(headers).not.toHaveLength(0);
  expect(headers.filter((name) => /^x-|authorization|cookie/i.test(name))).toEqual([]);
  expect((await downloadFrom(`http://127.0.0.1:${other.port}/a.csv`)).error?.message).toMatch(PRIVATE);
  expect(other.count()).toBe(0);
});

test('a redirect leads to named hosts only', async () => {
  const target = await startCountingServer((_, response) => response.end('a,b'));
  const location = `http://127.0.0.1:${target.port}/a.csv`;
  const named = await startCountingServer((_, response) => response.writeHead(302, { location }).end());
  const start = `http://127.0.0.1:${named.port}/start`;
  await setFileHosts(`127.0.0.1:${named.port}`);
  expect((await downloadFrom(start)).error?.message).toMatch(PRIVATE);
  expect(target.count()).toBe(0);
  await setFileHosts(`127.0.0.1:${named.port}, 127.0.0.1:${target.port}`);
  getOutput(await downloadFrom(start));
  expect(target.count()).toBe(1);
});

test('a text that is not a host is an error before any request', async () => {
  await setFileHosts('http://127.0.0.1/files');
  const before = env.service.requests.length;
  const { error } = await downloadFrom('https://files.example.com/a.csv');
  expect(error?.message).toBe('File Hosts cannot be "http://127.0.0.1/files"');
  expect(env.listRequests(before)).toEqual([]);
});
