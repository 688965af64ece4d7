import { range } from 'lodash';
import { skipWaits } from '../../environment/skipWaits';
import { loadExample } from '../../examples';
import { scaleRuns } from '../../randomness';
import { AUTO_MAP } from '../support/testEnvironment';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';

/** Runs that reach the limit of the day, which lasts ten minutes here. */

skipWaits();

const PER_DAY = Math.max(50, scaleRuns(1_000));
const DAY_MS = 600_000;
const env = useFreshTestEnvironment({ perDay: PER_DAY, dayMs: DAY_MS });

const createRows = (count: number) => range(count).map((n) => ({ name: `Product ${n}`, sku: `SKU-${n}` }));

test(`the example creates ${3 * PER_DAY} records under a limit of ${PER_DAY} a day: all, none twice`, async () => {
  const products = env.getTable('Products');
  for (const id of [...products.records.keys()]) products.delete(id);
  const rows = createRows(3 * PER_DAY);
  let run = await env.engine.run({
    ...loadExample('daily-limit', env.service),
    pinData: { 'Each Product': rows.map((json) => ({ json })) },
  });
  const served = () => env.service.requests.filter(({ status }) => status === 200).length;
  const servedInDays = [served()];
  while (run.status === 'waiting') {
    // Only the stored execution is left. It waits until the limit ends; the service and the node round up to a second.
    const ms = run.data.waitTill!.getTime() - Date.now();
    expect(ms).toBeLessThanOrEqual(DAY_MS + 2_000);
    jest.advanceTimersByTime(ms);
    run = await env.engine.resume(run);
    servedInDays.push(served());
  }
  expect(run.error).toBeUndefined();
  expect([...products.records.values()].map(({ sku }) => sku).sort()).toEqual(
    rows.map(({ sku }) => sku).sort(),
  );
  expect(run.getJson('Created')).toHaveLength(rows.length);
  expect(run.getJson('Other Errors')).toEqual([]);
  // The tables and the fields are read on each day.
  expect(servedInDays).toEqual([1, 2, 3].map((day) => day * PER_DAY).concat(3 * PER_DAY + 8));
});

describe('at the limit of the day', () => {
  const create = (input: object[], onError: string) =>
    env.runRecordOperation('create', env.getTable('Products'), { columns: AUTO_MAP }, input, { onError });
  const endDay = () => (env.service.options.perDay = env.service.requests.length);
  const ends = () => new Date(Date.now() + DAY_MS);

  test.each([
    ['continueErrorOutput', 1],
    ['continueRegularOutput', 0],
  ])('with On Error %s, each item has the time at which it ends', async (onError, output) => {
    await create(createRows(1), onError);
    endDay();
    const items = (await create(createRows(4).slice(1), onError)).getJson('Node', output);
    expect(items).toHaveLength(3);
    for (const { error, _retryAt } of items) {
      expect(error).toBe('The request limit of the day is used up');
      const until = new Date(String(_retryAt));
      expect(until.toISOString()).toBe(_retryAt);
      expect(Math.abs(until.getTime() - ends().getTime())).toBeLessThan(DAY_MS / 10);
    }
  });

  test('an item that fails again has the new time, not that of its input', async () => {
    await create(createRows(1), 'continueErrorOutput');
    endDay();
    const columns = { mappingMode: 'defineBelow', value: { name: '={{ $json.name }}' }, matchingColumns: [] };
    const input = [{ name: 'Again', error: 'x', message: 'own', _retryAt: '2020-01-01T00:00:00.000Z' }];
    const run = await env.runRecordOperation('create', env.getTable('Products'), { columns }, input, {
      onError: 'continueErrorOutput',
    });
    const [item] = run.getJson('Node', 1);
    expect(item).toMatchObject({ name: 'Again', message: 'own', error: expect.stringContaining('limit') });
    expect(Date.parse(String(item!._retryAt))).toBeGreaterThan(Date.now());
  });

  test('the error of a run that stops has it too', async () => {
    await create(createRows(1), 'stopWorkflow');
    endDay();
    const { error } = await create(createRows(2).slice(1), 'stopWorkflow');
    expect(error).toMatchObject({ context: { data: { _retryAt: expect.stringMatching(/Z$/) } } });
  });
});

describe('the hint about requests', () => {
  const getHints = async (count: number, from: number) => {
    const input = createRows(from + count).slice(from);
    const run = await env.runRecordOperation(
      'create',
      env.getTable('Products'),
      { columns: AUTO_MAP },
      input,
    );
    expect(run.error).toBeUndefined();
    return run.getHints('Node').map(({ message }) => message);
  };

  test('a run of more than 20 requests tells their number, and how many are left today', async () => {
    const used = () => env.service.requests.length;
    expect(await getHints(20, 0)).toEqual([]);
    expect(await getHints(21, 20)).toEqual([
      `This run took 21 requests. The API key has ${PER_DAY - used()} left today.`,
    ]);
  });
});
