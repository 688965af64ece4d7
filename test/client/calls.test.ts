import {
  createRecord,
  readRecordPage,
  listTables,
  getTable,
  readAllRecords,
  readRecord,
} from '../../nodes/records';
import {
  type ApiError,
  clearMemories,
  type Client,
  importEndpoints,
  download,
  readLog,
  recordEndpoints,
} from '../../nodes/service';
import type { AnswerForm } from '../service';
import { listCases } from './readings';
import { ClientEnvironment } from './support';

const env = new ClientEnvironment();
beforeAll(() => env.start({ perMinute: 100 }));
afterAll(() => env.stop());
afterEach(() => {
  expect(env.service.violations).toEqual([]);
  env.service.faults.clear();
});

test('more calls than the limit wait for the next minute, and none is refused', async () => {
  const client = env.createClient();
  const tableId = env.service.getTable('Products').id;
  await getTable(client, tableId);
  const sent = env.service.requests.length;
  const waits = env.time.waits.length;
  await Promise.all(Array.from({ length: 150 }, () => readRecordPage(client, { tableId }, 1, 1)));
  expect(env.service.requests.slice(sent)).toHaveLength(150);
  expect(Math.max(...env.time.waits.slice(waits))).toBeGreaterThan(1_000);
  expect(env.hints).toEqual([]);
  client.notices.showUsageHints();
  expect(env.hints.join()).toMatch(/The request limit of the API key slowed this run/);
});

test('a read is repeated after a failure of the service', async () => {
  env.service.faults.add({ fault: { type: 'status', status: 503 }, times: 2 });
  const tableId = env.service.getTable('Products').id;
  expect((await readRecordPage(env.createClient(), { tableId }, 1, 1)).items).toHaveLength(1);
});

const READS: Array<[string, (client: Client, tableId: string) => Promise<unknown>]> = [
  ['tables.list', (client) => listTables(client)],
  ['tables.getFresh', (client, tableId) => getTable(client, tableId, { isFresh: true })],
  ['records.readPage', (client, tableId) => readRecordPage(client, { tableId }, 1, 1)],
  ['records.readAll', (client, tableId) => readAllRecords(client, { tableId })],
  ['records.read', (client, tableId) => readRecord(client, tableId, [...env.products.keys()][0]!)],
  ['logs.read', (client) => readLog(client, { log: 'logins', limit: 1 })],
  ['imports.listQueue', (client) => client.call(importEndpoints.listQueue)],
];

describe.each<AnswerForm>(['empty', 'noContent', 'half', 'cut', 'doubled'])(
  'an answer that is always %s',
  (form) => {
    test.each(READS)('is no result of %s', async (_, read) => {
      const tableId = env.service.getTable('Products').id;
      clearMemories();
      const sent = env.service.requests.length;
      env.service.faults.add({ times: Infinity, fault: { type: 'answer', form } });
      await expect(read(env.createClient(), tableId)).rejects.toMatchObject({
        message: expect.stringMatching(/not valid JSON|broke off|connection|ended/i),
      });
      expect(env.service.requests).toHaveLength(sent + 4);
    });
  },
);

test('a create is not repeated after an unclear failure', async () => {
  const { client, table, encode } = await env.openProducts();
  env.service.faults.add({ when: { method: 'POST' }, fault: { type: 'status', status: 503 } });
  const sent = env.service.requests.length;
  const creation = createRecord(client, { table, entries: encode({ name: 'Once', sku: 'once' }) });
  await expect(creation).rejects.toMatchObject({ isOutcomeUnknown: true });
  expect(env.service.requests).toHaveLength(sent + 1);
});

test('a deletion whose answer was lost is done when its repetition finds nothing', async () => {
  const { client, tableId } = await env.openProducts();
  const path = { dataTableId: tableId, recordId: [...env.products.keys()].at(-1)! };
  const remove = () => client.call(recordEndpoints.delete, { path });
  env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'after' } });
  const sent = env.service.requests.length;
  expect(await remove()).toMatchObject({ body: {} });
  expect(env.service.requests).toHaveLength(sent + 2);
  expect(env.products.has(path.recordId)).toBe(false);
  // Without a lost answer it is an error, and a 404 of a proxy always is one.
  await expect(remove()).rejects.toMatchObject({ status: 404, sentCount: 1 });
  const proxy = { type: 'status', status: 404, body: '<html>' } as const;
  env.service.faults.add({ when: { method: 'DELETE' }, fault: { type: 'reset', when: 'before' } });
  env.service.faults.add({ when: { method: 'DELETE' }, fault: proxy });
  await expect(remove()).rejects.toMatchObject({ status: 404, sentCount: 2 });
});

test('an aborted signal ends a wait, and nothing more is sent', async () => {
  const client = env.createClient({}, AbortSignal.abort());
  const sent = env.service.requests.length;
  const reading = readRecordPage(client, { tableId: env.service.getTable('Products').id }, 1, 1);
  await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
  expect(env.service.requests).toHaveLength(sent);
});

test('a download from a private host that no setting names is refused', async () => {
  const client = env.createClient({ fileHosts: '' });
  const opened = download(client, `http://${env.service.fileHost}/a.csv`, 1, async () => 0);
  await expect(opened).rejects.toThrow('The download address was not fetched');
});

test('an error shows no secret of the credential', async () => {
  const client = env.createClient({ appSecret: 'a-wrong-secret' });
  const error = await listTables(client).catch((thrown: unknown) => thrown as ApiError);
  expect(error).toMatchObject({ status: 401, message: expect.any(String) });
  const { message, description } = error as ApiError;
  expect(JSON.stringify([message, description])).not.toContain('a-wrong-secret');
});

describe.each(listCases('dayRetryAfter'))('%s', (_, options) => {
  const limited = new ClientEnvironment();
  beforeAll(() => limited.start({ ...options, perDay: 4 }));
  afterAll(() => limited.stop());

  test('the limit of the day ends a call at once, with the wait until the day ends', async () => {
    clearMemories();
    const client = limited.createClient();
    const tableId = limited.service.getTable('Products').id;
    const readOne = () => readRecordPage(client, { tableId }, 1, 1);
    await readOne();
    // Another client of the key uses up the day.
    const { headers, url } = limited.service.requests.at(-1)!;
    await Promise.all(
      [1, 2].map(() =>
        fetch(new URL(url, limited.service.baseUrl), { headers: headers as Record<string, string> }),
      ),
    );
    const error = await readOne().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'The request limit of the day is used up',
      status: 429,
      retryAt: expect.any(String),
    });
    // Minutes. One reading of `X-Retry-After` names the next minute, in which the service refuses again.
    expect((Date.parse((error as ApiError).retryAt!) - env.time.serviceClock.now()) / 60_000).toBeGreaterThan(
      2,
    );
    await expect(readOne()).rejects.toMatchObject({ status: 429, sentCount: 0 });
    expect(limited.service.requests).toHaveLength(5);
  });
});
