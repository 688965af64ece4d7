import { chain, node } from '../harness';
import { runOperation, typeOf } from './cases';
import { stranger } from './stranger';
import { byId, outputOf, START, until, World } from './support';

/** The file of an export that has ended, from a host that is in trouble. */

const FILES = 'RecordDatabaseImportExport';
const ENTRY = 'GET /api/v1.1/{appId}/exports/queues/{queueId}';
const TRIGGER = 'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger';
const parameters = {
  resource: 'export',
  operation: 'run',
  templateId: byId('t1'),
  wait: true,
  download: true,
};

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

/** The next export has the queue ID q1, and its file lies on this port. */
function exported(port: number) {
  const entry = { id: 'q1', status: 'Complete', download_url: `http://127.0.0.1:${port}/Customer list.csv` };
  for (const [pattern, body] of [
    [TRIGGER, { type: 'success', queue_id: 'q1' }],
    [ENTRY, { type: 'success', item: entry }],
  ] as const) {
    world.service.faults.add({ when: { pattern }, fault: { type: 'status', status: 200, body } });
  }
}

test('opening it is tried again, after an answer and after none', async () => {
  const file = await stranger((request, response) => {
    if (file.count() === 1) response.writeHead(503).end();
    else if (file.count() === 2) request.socket.destroy();
    else response.end('a,b');
  });
  exported(file.port);
  const run = await runOperation(world, FILES, parameters);
  outputOf(run);
  const [item] = run.itemsOf('Node');
  expect((await run.binaryOf(item)).toString()).toBe('a,b');
  expect(item!.binary!.data!.fileName).toBe('Customer list.csv');
  expect(file.count()).toBe(3);
});

test.each([
  [503, 4, /Its host is in trouble/],
  [429, 1, /Its address may have expired/],
])('with %i for good the export is told as ended', async (status, times, why) => {
  const file = await stranger((_, response) => response.writeHead(status).end());
  exported(file.port);
  const { error } = await runOperation(world, FILES, parameters);
  expect(error?.message).toBe(
    `The export has ended, but its file could not be fetched. The file could not be fetched (${status})`,
  );
  const { description } = error as { description?: string };
  expect(description).toMatch(/queue ID is q1: fetch the file later with "Get Queue Entry"/);
  expect(description).toMatch(why);
  expect(file.count()).toBe(times);
});

test('a cancelled execution does not try again', async () => {
  const file = await stranger((_, response) => response.writeHead(503).end());
  exported(file.port);
  const cancel = new AbortController();
  const running = world.engine.run(chain(START, node('Node', typeOf(FILES), parameters)), {
    abortSignal: cancel.signal,
  });
  await until(() => file.count() > 0);
  cancel.abort();
  // Where the cancellation meets the call, or the wait behind it, decides about the words that follow.
  expect((await running).error?.message).toMatch(
    /^The export has ended, but its file could not be fetched\. /,
  );
  expect(file.count()).toBe(1);
});
