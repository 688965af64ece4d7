/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { getEventListeners } from 'node:events';
import { range } from 'lodash';
import { clearMemories, tableEndpoints } from '../../nodes/service';
import { scaleSize } from '../randomness';
import { LimitModel } from './limitModel';

/** Calls within the limits of a key, against a model of the service on a clock of its own (spec: Limits). */

const SEEDS = scaleSize([1, 2], [1, 2, 3, 4, 5]);
const MINUTE = 60_000;

beforeEach(clearMemories);

/** Milliseconds that the limit alone asks for: all windows before the last one pass whole. */
const computeIdeal = (calls: number, perMinute: number, windowMs = MINUTE) =>
  (Math.ceil(calls / perMinute) - 1) * windowMs;

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

/** Runs executions of so many calls each. @returns the milliseconds until all have ended */
async function runExecutions(model: LimitModel, counts: number[]): Promise<number> {
  const from = model.clock.now();
  await model.clock.run(
    Promise.all(counts.map((count, n) => model.call(model.open(`execution ${n}`), count))),
  );
  return model.clock.now() - from;
}

describe('one process', () => {
  test.each(
    SEEDS.flatMap((seed) =>
      (
        [
          [seed, [500, 500, 500, 500, 500], { perMinute: 120 }, 1.1],
          [seed, [500, 500], { perMinute: 120, rounds: 'down' }, 1.1],
          [seed, [1_000], { perMinute: 240, windowMs: 6_000 }, 1.05],
          [seed, [400, 400], { perMinute: 120, latencyMs: 8_000 }, 1.3],
          [seed, [500, 500], { perMinute: 60 }, 1.1],
        ] as const
      ).map((one) => one),
    ),
  )(
    'seed %i: executions of %j calls with %j: none is refused, and it takes at most %d of the bound',
    async (seed, counts, options, most) => {
      const model = new LimitModel(seed, options);
      const ms = await runExecutions(model, [...counts]);
      const { perMinute, windowMs } = { windowMs: MINUTE, ...options };
      // That a service rounds down shows at the end of the first minute, to the calls that run then.
      expect(model.refused).toBeLessThanOrEqual('rounds' in options ? 16 : 0);
      expect(model.served).toBe(sum([...counts]));
      expect(ms).toBeLessThanOrEqual(most * computeIdeal(sum([...counts]), perMinute, windowMs) + 5_000);
    },
  );

  test('an execution that comes late is not kept waiting by one that is long', async () => {
    const model = new LimitModel(1, { perMinute: 120 });
    const long = model.call(model.open('long'), 1_000);
    await model.clock.run(model.clock.sleep(30_000));
    expect(await runExecutions(model, [20])).toBeLessThan(1.2 * MINUTE);
    await model.clock.run(long);
  });

  test('the calls of several executions take turns', async () => {
    const model = new LimitModel(1, { perMinute: 240 });
    const long = model.open('long');
    await model.clock.run(model.call(long, 1));
    await model.clock.run(Promise.all([model.call(long, 40), model.call(model.open('short'), 8)]));
    const order = model.sent.slice(1, 17).map(({ name }) => name);
    expect(order.filter((name) => name === 'short')).toHaveLength(8);
  });

  test('an answer of another limit counts at once: 240 → 120 converges within a window, 120 → 240 is used', async () => {
    const model = new LimitModel(2, { perMinute: 240 });
    const work = Promise.all(['a', 'b'].map((name) => model.call(model.open(name), 400)));
    const waitUntil = async (isDue: () => boolean) => {
      while (!isDue()) await model.clock.sleep(50);
    };
    await model.clock.run(waitUntil(() => model.served >= 300));
    model.options.perMinute = 120;
    await model.clock.run(model.clock.sleep(MINUTE));
    const afterAWindow = model.refused;
    expect(afterAWindow).toBeLessThanOrEqual(16);
    await model.clock.run(work);
    expect(model.refused).toBe(afterAWindow);

    const raised = new LimitModel(1, { perMinute: 120 });
    const calls = raised.call(raised.open(), 200);
    const from = raised.clock.now();
    await raised.clock.run(
      (async () => {
        while (raised.served < 50) await raised.clock.sleep(50);
      })(),
    );
    raised.options.perMinute = 240;
    await raised.clock.run(calls);
    expect(raised.clock.now() - from).toBeLessThan(MINUTE / 2);
  });
});

describe('urgent calls beside a bulk run', () => {
  const BULK = 600;

  /** Makes a call every `everyMs` while a bulk run lasts. @returns how long each one took, in milliseconds */
  async function measureCalls(seed: number, everyMs: number, options: Parameters<LimitModel['open']>[1]) {
    const model = new LimitModel(seed, { perMinute: 240 });
    const startedAt = model.clock.now();
    let isOver = false;
    const bulk = model.call(model.open('bulk'), BULK).finally(() => (isOver = true));
    const times: number[] = [];
    const probe = async () => {
      for (let next = everyMs; !isOver; next += everyMs) {
        await model.clock.sleep(startedAt + next - model.clock.now());
        const from = model.clock.now();
        await model.call(model.open('other', options), 1);
        times.push(model.clock.now() - from);
      }
    };
    await model.clock.run(probe());
    await bulk;
    return { model, times, ms: model.clock.now() - startedAt };
  }

  test.each(SEEDS)('seed %i: a tenth of the limit in urgent calls, each within a second', async (seed) => {
    const { model, times, ms } = await measureCalls(seed, MINUTE / 24, { lane: 'urgent' });
    expect(times.length).toBeGreaterThan(30);
    expect(Math.max(...times)).toBeLessThan(1_000);
    expect(model.refused).toBe(0);
    expect(ms).toBeLessThanOrEqual(1.05 * computeIdeal(BULK, 240) + 3_000);
  });

  test.each(SEEDS)('seed %i: so are those of another process, which reads the same headers', async (seed) => {
    const { times } = await measureCalls(seed, MINUTE / 24, { lane: 'urgent', key: `other ${seed}` });
    expect(times.length).toBeGreaterThan(30);
    expect(Math.max(...times)).toBeLessThan(1_000);
  });

  test.each(SEEDS)('seed %i: a short run every 5 s takes less than 2 s', async (seed) => {
    const { model, times } = await measureCalls(seed, 5_000, {});
    expect(times.length).toBeGreaterThan(20);
    expect(Math.max(...times)).toBeLessThan(2_000);
    expect(model.refused).toBe(0);
  });

  test.each(SEEDS.slice(0, 2).flatMap((seed) => [1, 3].map((count) => [seed, count] as const)))(
    'seed %i: a flood of urgent calls leaves a tenth of each minute to %i executions, in equal parts',
    async (seed, count) => {
      const model = new LimitModel(seed, { perMinute: 240 });
      const flood = range(15).map((n) => model.call(model.open(`flood ${n}`, { lane: 'urgent' }), 160));
      const names = range(count).map((n) => `normal ${n}`);
      await model.clock.run(Promise.all(names.map((name) => model.call(model.open(name), 90))));
      const minutes = names.map((name) => model.countByMinute(name));
      await model.clock.run(Promise.all(flood));
      expect(model.refused).toBe(0);
      expect(minutes[0]!.length).toBeGreaterThanOrEqual(2);
      // No answer had shown the limit when the calls of the first minute were sent.
      for (const minute of range(1, minutes[0]!.length)) {
        const calls = minutes.map((one) => one[minute]!);
        expect(sum(calls)).toBeGreaterThanOrEqual(24);
        expect(Math.min(...calls)).toBeGreaterThanOrEqual(24 / count);
      }
    },
  );

  test('short executions leave a tenth of the limit to urgent calls, which go first', async () => {
    const model = new LimitModel(1, { perMinute: 100 });
    await runExecutions(model, [1]);
    const short = range(100).map(() => model.call(model.open('short'), 1));
    await model.clock.run(model.clock.sleep(3_000));
    expect(model.sent.length).toBeLessThanOrEqual(91);
    const from = model.clock.now();
    await model.clock.run(model.call(model.open('urgent', { lane: 'urgent' }), 8));
    expect(model.clock.now() - from).toBeLessThan(1_000);
    await model.clock.run(Promise.all(short));
  });

  test('of five calls four are urgent, and the executions take turns with the fifth', async () => {
    const model = new LimitModel(1, { perMinute: 100 });
    // The others wait for the next minute.
    await runExecutions(model, [100]);
    const lanes = [...Array<'urgent'>(5).fill('urgent'), ...Array<'normal'>(2).fill('normal')];
    const calls = lanes.map((lane, n) =>
      model.call(model.open(lane === 'normal' ? `${n}` : lane, { lane }), 8),
    );
    await model.clock.run(Promise.all(calls));
    const five = (name: string) => [...Array<string>(4).fill('urgent'), name];
    const order = model.sent.slice(100, 150).map(({ name }) => name);
    expect(order).toEqual(range(10).flatMap((n) => five(String(5 + (n % 2)))));
  });
});

describe('a key shared with other clients', () => {
  /** Another client makes `count` requests every `everyMs`, whatever the answers are. */
  async function runBeside(seed: number, count: number, everyMs: number) {
    const model = new LimitModel(seed, { perMinute: 120 });
    let isOver = false;
    const other = async () => {
      while (!isOver) {
        for (let n = 0; n < count; n++) model.take();
        await model.clock.sleep(everyMs * (0.5 + model.random()));
      }
    };
    const others = other();
    await runExecutions(model, [200, 200, 200]);
    isOver = true;
    await model.clock.run(others);
    return model;
  }

  test.each(SEEDS)('seed %i: it takes half, evenly: at most 2 %% more requests than calls', async (seed) => {
    expect((await runBeside(seed, 1, 1_000)).sent.length).toBeLessThanOrEqual(612);
  });

  test.each(SEEDS)('seed %i: it takes half at once: at most 2 %% more', async (seed) => {
    expect((await runBeside(seed, 60, MINUTE)).sent.length).toBeLessThanOrEqual(612);
  });

  test.each(SEEDS.flatMap((seed) => [2, 4].map((count) => [seed, count] as const)))(
    'seed %i: %i processes use at least 90 %% of the limit, at most 2 %% are refused',
    async (seed, count) => {
      const model = new LimitModel(seed, { perMinute: 240 });
      const from = model.clock.now();
      const clients = range(count).map((n) => model.open(`process ${n}`, { key: `${n} ${seed}` }));
      await model.clock.run(Promise.all(clients.map((client) => model.call(client, 2_400 / count))));
      expect(model.refused / model.sent.length).toBeLessThanOrEqual(0.02);
      expect(computeIdeal(2_400, 240) / (model.clock.now() - from)).toBeGreaterThanOrEqual(0.9);
    },
  );
});

describe('answers that are late, or say nothing', () => {
  test('a call without an answer holds the others back for two seconds, not for its timeout', async () => {
    const model = new LimitModel(1, { perMinute: 120 });
    model.stalls.set(1, 50_000);
    const stalled = model.call(model.open('stalled'), 1);
    await model.clock.run(model.clock.sleep(10));
    expect(await runExecutions(model, [50])).toBeLessThan(5_000);
    await model.clock.run(stalled);
  });

  test('a service that announces nothing is not slowed down', async () => {
    const model = new LimitModel(1, { perMinute: 10_000, headers: 'none' });
    expect(await runExecutions(model, [100])).toBeLessThan(1_000);
  });

  test('a call that is stopped while it waits is not sent, and those behind it are', async () => {
    const model = new LimitModel(1, { perMinute: 10 });
    const stop = new AbortController();
    await runExecutions(model, [9]);
    const waiting = model.call(model.open('stopped', { signal: stop.signal }), 1);
    const behind = model.call(model.open('behind'), 1);
    const refused = waiting.catch((error: unknown) => error);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort();
    expect(await refused).toMatchObject({ code: 'cancelled' });
    await model.clock.run(behind);
    expect(model.sent.map(({ name }) => name)).not.toContain('stopped');
    await expect(model.call(model.open('late', { signal: stop.signal }), 1)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('the limit of the day', () => {
  const dayLimit = { message: expect.stringMatching(/limit.*day|day.*limit/) as string };

  test('nothing is sent once it is used up; a minute later the next calls show whether it still holds', async () => {
    const model = new LimitModel(1, { perMinute: 120, perDay: 50 });
    const client = model.open();
    await model.clock.run(model.call(client, 50));
    for (const call of range(20).map(() => client.call(tableEndpoints.list)))
      await expect(call).rejects.toMatchObject(dayLimit);
    expect(model.sent).toHaveLength(50);
    await model.clock.run(model.clock.sleep(59_000));
    await expect(client.call(tableEndpoints.list)).rejects.toMatchObject(dayLimit);
    expect(model.sent).toHaveLength(50);

    await model.clock.run(model.clock.sleep(2_000));
    const refused = range(3).map(() =>
      expect(client.call(tableEndpoints.list)).rejects.toMatchObject(dayLimit),
    );
    await model.clock.run(Promise.all(refused));
    expect(model.sent).toHaveLength(53);
    await expect(client.call(tableEndpoints.list)).rejects.toMatchObject(dayLimit);
    expect(model.sent).toHaveLength(53);

    model.options.perDay = 1_000;
    await model.clock.run(model.clock.sleep(61_000));
    await model.clock.run(model.call(client, 8));
    expect(model.served).toBe(58);
  });

  test('calls that wait when it becomes known are told as well', async () => {
    const model = new LimitModel(1, { perMinute: 2, perDay: 3 });
    await runExecutions(model, [1]);
    const calls = range(5).map((n) => model.open(`client ${n}`).call(tableEndpoints.list));
    const results = await model.clock.run(Promise.allSettled(calls));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    // Two calls were sent in the second minute. The others waited for the third one.
    expect(model.sent).toHaveLength(4);
  });

  test('a call is sent when the day is over, if that is within a minute', async () => {
    const model = new LimitModel(1, { perMinute: 120, perDay: 3, daySeconds: 30 });
    const client = model.open();
    await model.clock.run(model.call(client, 3));
    await model.clock.run(model.clock.sleep(29_000));
    await expect(client.call(tableEndpoints.list)).rejects.toMatchObject(dayLimit);
    model.options.perDay = 1_000;
    await model.clock.run(model.clock.sleep(1_000));
    await model.clock.run(model.call(client, 1));
    expect(model.served).toBe(4);
  });
});

test('an answer that comes after the end of its minute says nothing about the next one', async () => {
  const model = new LimitModel(1, { perMinute: 10 });
  model.stalls.set(2, MINUTE + 500);
  const client = model.open('client', { lane: 'urgent' });
  await model.clock.run(model.call(client, 1));
  const late = model.call(client, 9);
  await model.clock.run(model.clock.sleep(MINUTE + 100));
  // The late answer says that none is left.
  await model.clock.run(Promise.all([late, model.call(client, 9)]));
  expect(model.clock.now()).toBeLessThan(MINUTE + 3_000);
  expect(model.refused).toBe(0);
});

test('a refusal without the headers of a limit waits for a minute, and limits nothing after it', async () => {
  const model = new LimitModel(1, { perMinute: 40, headers: 'none' });
  const client = model.open();
  await model.clock.run(model.call(client, 80));
  expect(model.clock.now()).toBeLessThan(MINUTE + 5_000);
  expect(model.refused).toBeLessThanOrEqual(8);
});

describe('200 other keys are used', () => {
  const useOthers = () => range(201).forEach((n) => new LimitModel(n, { perMinute: 10 }).open());

  test('the minute of a key goes on', async () => {
    const model = new LimitModel(1, { perMinute: 10 });
    await runExecutions(model, [9]);
    useOthers();
    await runExecutions(model, [5]);
    expect(model.refused).toBe(0);
  });

  test('a limit of the day that is used up still holds after the minute', async () => {
    const model = new LimitModel(1, { perMinute: 120, perDay: 3 });
    await model.clock.run(model.call(model.open(), 1));
    await model.clock.run(model.clock.sleep(MINUTE - 5_000));
    await model.clock.run(model.call(model.open(), 2));
    await model.clock.run(model.clock.sleep(10_000));
    useOthers();
    await expect(model.open().call(tableEndpoints.list)).rejects.toThrow(/day/);
    expect(model.sent).toHaveLength(3);
  });
});

test('a lost answer may have been counted: as many calls are left as if it was', async () => {
  const model = new LimitModel(1, { perMinute: 20 });
  for (const number of [2, 5, 10]) model.lost.add(number);
  await runExecutions(model, [1]);
  await runExecutions(model, [15, 15, 15, 15]);
  expect(model.refused).toBe(0);
  expect(model.sent).toHaveLength(64);
});
