/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import type { IncomingMessage } from 'node:http';
import { startCountingServer } from '../engine/support/countingServer';
import { runOperation } from '../engine/support/runOperation';
import { getOutput, toLocator } from '../engine/support/testEnvironment';
import { useTestEnvironment } from '../engine/support/useTestEnvironment';
import { getBinaryDataService } from '../harness/platform';

/** Files that are uploaded are in memory as a whole: a stream cannot be sent again after a new login. */

const env = useTestEnvironment();
const MB = 1024 * 1024;

/** Stores one file as n8n does, and returns what an item has of it. */
async function storeFile(megabytes: number) {
  const location = { type: 'execution' as const, workflowId: 'files', executionId: 'files' };
  const file = Buffer.alloc(megabytes * MB, 'x');
  return getBinaryDataService().store(location, file, {
    mimeType: 'text/csv',
    fileName: 'rows.csv',
    data: '',
  });
}

/** Milliseconds without a new upload after which no other one will come: those that wait for the budget do not. */
const QUIET_MS = 700;

/**
 * A service that reads `count` uploads and keeps nothing of them. It answers when `together` of them, or all that are left,
 * have arrived, and no further one begins.
 */
async function startSink(count: number, together: number) {
  const state = { open: 0, mostOpen: 0, wrongLengths: 0, bytes: [] as number[] };
  const waiting: Array<() => void> = [];
  let left = count;
  let quiet: NodeJS.Timeout | undefined;
  const answerAll = () => {
    if (waiting.length < Math.min(together, left)) return;
    left -= waiting.length;
    for (const answer of waiting.splice(0)) answer();
  };
  const answerLater = () => {
    clearTimeout(quiet);
    quiet = setTimeout(answerAll, QUIET_MS);
  };
  const { port } = await startCountingServer((request: IncomingMessage, response) => {
    let bytes = 0;
    state.open++;
    state.mostOpen = Math.max(state.mostOpen, state.open);
    answerLater();
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      state.bytes.push(bytes);
      // Never more than what was meant, such as the memory behind the body.
      if (Number(request.headers['content-length']) !== bytes) state.wrongLengths++;
      waiting.push(() => {
        state.open--;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ type: 'success', queue_id: `q${state.bytes.length}` }));
      });
      answerLater();
    });
  });
  return { state, baseUrl: `http://127.0.0.1:${port}` };
}

/** Uploads the file of each item, `together` at once. `growth` is the most memory of buffers beside what was in use before, in MB. */
async function uploadAll(count: number, megabytes: number, together: number) {
  const binary = await storeFile(megabytes);
  const { state, baseUrl } = await startSink(count, together);
  const measure = () => process.memoryUsage().arrayBuffers / MB;
  const before = measure();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, measure())), 5);
  const input = Array.from({ length: count }, () => ({ json: {}, binary: { data: binary } }));
  const run = await env.withSettings({ baseUrl }, () =>
    runOperation(
      env,
      'RecordDatabaseImportExport',
      { resource: 'import', operation: 'run', importId: toLocator('i1'), wait: false },
      input,
    ),
  );
  clearInterval(timer);
  return { run, ...state, growth: most - before };
}

test('files that fit into the budget together are sent together, and others wait', async () => {
  const small = await uploadAll(4, 8, 4);
  expect(getOutput(small.run)).toHaveLength(4);
  expect(small.mostOpen).toBe(4);
  // The first request to a service goes alone in any case, because its answer shows the limits. Two of the others fit.
  const large = await uploadAll(4, 30, 1);
  expect(getOutput(large.run)).toHaveLength(4);
  expect(large.mostOpen).toBeLessThanOrEqual(2);
  expect([small.wrongLengths, large.wrongLengths]).toEqual([0, 0]);
  for (const bytes of large.bytes) expect(bytes).toBeGreaterThanOrEqual(30 * MB);
});

test('a file that is larger than the budget is sent alone, with one copy', async () => {
  const { run, mostOpen, growth, bytes } = await uploadAll(3, 70, 1);
  expect(getOutput(run)).toHaveLength(3);
  expect(bytes).toHaveLength(3);
  expect(mostOpen).toBe(1);
  expect(growth).toBeLessThan(260);
});
