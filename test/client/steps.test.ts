import { type ApiError, asObject, importEndpoints, readLog, webhookEndpoints } from '../../nodes/service';
import { runExample } from '../../scripts/client-example';
import { createFetchPort } from '../support/fetchPort';
import { getReading, listCases } from './readings';
import { ClientEnvironment } from './support';

/** Points on which jobs, imports and lists depend. */
const CASES = listCases(
  'timeZone',
  'omittedNumber',
  'createAnswer',
  'changeAnswers',
  'readAnswers',
  'columnsResponse',
  'queueIdKey',
  'statusWords',
  'listKey',
  'itemKey',
  'webhooksKey',
  'logOrder',
);

describe.each(CASES)('%s', (_, options) => {
  const env = new ClientEnvironment();
  beforeAll(() => env.start({ perMinute: 100_000, ...options }));
  afterAll(() => env.stop());
  afterEach(() => expect(env.service.violations).toEqual([]));

  test('the example does all of its steps', async () => {
    const port = createFetchPort({ clock: env.time });
    const outcome: unknown = await runExample(env.service, port, env.settings).catch(
      (error: unknown) => error,
    );
    const steps = {
      find: expect.any(Number),
      readAll: expect.any(Number),
      create: expect.any(String),
      update: 'updated',
      upsert: 'updated, created',
      sync: 'updated, created',
      import: '2 rows',
      download: expect.stringMatching(/^\S+\.csv, [1-9]\d* bytes$/),
    };
    // The example ends at its first create if the answer does not show its ID.
    const isWhole =
      getReading(options, 'createAnswer') !== 'none' && getReading(options, 'changeAnswers') === 'whole';
    expect(outcome).toMatchObject(isWhole ? steps : { isOutcomeUnknown: true });
    const skus = isWhole ? ['L-1', 'C-1', 'T-1', 'D-1', 'S-1'] : ['L-1'];
    expect(skus.map((sku) => env.listProducts(sku).length)).toEqual(skus.map(() => 1));
  });

  test('a wait for a job ends with its final entry', async () => {
    const client = env.createClient();
    const run = env.runImport('job-1', client).run;
    const outcome: unknown = await run.then(
      ({ entry }) => entry,
      async (error: ApiError) => {
        await env.time.sleep(600_000);
        await client.call(importEndpoints.listQueue);
        return error.message;
      },
    );
    const isWhole = getReading(options, 'changeAnswers') === 'whole';
    const notEnded = /^(Outcome unknown|The import was started)/;
    expect(isWhole ? asObject(outcome)._completion : notEnded.test(String(outcome))).toBe(
      isWhole ? 'finished' : true,
    );
    expect(env.listProducts('job-1')).toMatchObject([{ name: 'A' }]);
  });

  test('a log is read up to a date, whatever its order is', async () => {
    const client = env.createClient();
    const entries = Array.from({ length: 120 }, (_, n) => ({
      unique_id: `mail-${n}`,
      created_at: `2090-01-01 10:${String(Math.floor(n / 2)).padStart(2, '0')}:00`,
    }));
    env.service.addLogEntries('emails', ...entries);
    const reading = { log: 'emails', limit: 1_000, since: '2090-01-01 10:30:00' } as const;
    const log = await readLog(client, reading);
    const found = log.entries.map((entry) => (entry as (typeof entries)[0]).unique_id);
    expect(found.sort()).toEqual(
      entries
        .slice(60)
        .map((entry) => entry.unique_id)
        .sort(),
    );
  });

  test('the subscriptions of a table are listed', async () => {
    const query = { data_table_id: env.service.getTable('Products').id };
    const { body } = await env.createClient().call(webhookEndpoints.list, { query });
    expect(body).toMatchObject({ items: [] });
  });
});
