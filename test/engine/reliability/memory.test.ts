/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { resolve } from 'node:path';
import type * as Service from '../../../nodes/service';
import { getOutput, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment();
// The engine loads the built files with Node's `require` (test/environment/requireOnce.js).
declare const requireOnce: (path: string) => typeof Service;
const { clearMemories, listMemories } = requireOnce(
  resolve(process.env.N8N_PACKAGE ?? '.', 'dist/nodes/service/index.js'),
);

/** Reads, writes and names a connected record, so that most memories have entries. */
async function runAll() {
  const orders = env.getTable('Orders');
  const since = env.service.requests.length;
  const read = await env.runRecordOperation('getAll', orders, { returnAll: false, limit: 3 });
  const written = await env.runRecordOperation('upsert', orders, {
    columns: toColumns({ number: `N-${since}`, customer: 'Cleo Unique' }, ['number']),
  });
  expect([read.error, written.error]).toEqual([undefined, undefined]);
  return { requests: env.listRequests(since), records: getOutput(read) };
}

beforeAll(() => env.getTable('Customers').insert({ name: { first_name: 'Cleo', last_name: 'Unique' } }));

test('no result depends on what is kept in memory', async () => {
  await runAll();
  clearMemories();
  const fresh = await runAll();
  const warm = await runAll();
  clearMemories();
  const again = await runAll();
  expect(warm.records).toEqual(fresh.records);
  expect(again).toEqual({ ...fresh, requests: expect.any(Array) as string[] });
  expect(again.requests).toEqual(fresh.requests);
  // The memories were in use: without them, the fields are read again.
  expect(warm.requests.length).toBeLessThan(fresh.requests.length);
  expect(listMemories().length).toBeGreaterThan(20);
});
