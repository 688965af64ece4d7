import { range } from 'lodash';
import { AbortedError, DailyLimitError } from '../../../../nodes/service/errors/apiError';
import type { Lane } from '../../../../nodes/service/http/port';
import { type Admission, RateLimiter } from '../../../../nodes/service/http/rateLimiter';
import { LimitedServer, type ServerOptions, VirtualClock, runExecution } from './simulation';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const MINUTE = 60_000;

function createSimulation(seed: number, options: ServerOptions) {
  const clock = new VirtualClock(seed);
  const server = new LimitedServer(clock, options);
  return { clock, server, budget: new RateLimiter(clock), startedAt: clock.now() };
}

/** Milliseconds that the limit alone asks for: all windows before the last one pass whole. */
const computeIdeal = (calls: number, perMinute: number, windowMs = MINUTE) =>
  (Math.ceil(calls / perMinute) - 1) * windowMs;

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

describe('one process', () => {
  test.each(SEEDS)(
    '5 executions of 500 reads at 120 a minute: nothing refused, near the ideal; seed %i',
    async (seed) => {
      const { clock, server, budget, startedAt } = createSimulation(seed, { perMinute: 120 });
      const work = Array.from({ length: 5 }, () => runExecution(budget, server, 500));
      await clock.run(Promise.all(work));
      expect(server.refused).toBe(0);
      expect(server.served).toBe(2_500);
      expect(clock.now() - startedAt).toBeLessThanOrEqual(1.1 * computeIdeal(2_500, 120));
    },
  );

  test.each(SEEDS)('a service that rounds its seconds down is not run into; seed %i', async (seed) => {
    const { clock, server, budget, startedAt } = createSimulation(seed, { perMinute: 120, rounds: 'down' });
    await clock.run(Promise.all([runExecution(budget, server, 500), runExecution(budget, server, 500)]));
    expect(server.refused).toBe(0);
    expect(clock.now() - startedAt).toBeLessThanOrEqual(1.1 * computeIdeal(1_000, 120));
  });

  test.each(SEEDS)(
    '1,000 creates at 240 in short windows take at most 1.05 of the bound; seed %i',
    async (seed) => {
      const { clock, server, budget, startedAt } = createSimulation(seed, {
        perMinute: 240,
        windowMs: 6_000,
      });
      await clock.run(runExecution(budget, server, 1_000));
      expect(server.refused).toBe(0);
      expect(clock.now() - startedAt).toBeLessThanOrEqual(1.05 * computeIdeal(1_000, 240, 6_000));
    },
  );

  test.each(SEEDS)(
    'slow answers that come late and out of order do not mix the windows; seed %i',
    async (seed) => {
      const { clock, server, budget } = createSimulation(seed, { perMinute: 120, latencyMs: 8_000 });
      await clock.run(Promise.all([runExecution(budget, server, 400), runExecution(budget, server, 400)]));
      expect(server.refused).toBe(0);
    },
  );

  test('executions get their turns: one that comes late is not kept waiting by one that is long', async () => {
    const { clock, server, budget } = createSimulation(1, { perMinute: 120 });
    const long = runExecution(budget, server, 1_000);
    await clock.run(clock.sleep(30_000));
    const short = runExecution(budget, server, 20);
    const from = clock.now();
    await clock.run(short);
    expect(clock.now() - from).toBeLessThan(1.2 * MINUTE);
    await clock.run(long);
  });
});

describe('a bulk run beside others', () => {
  const BULK = 600;

  /** Sends a call every `everyMs` while a bulk run lasts, and returns how long each one waited, in milliseconds. */
  async function measureWaits(seed: number, lane: Lane, everyMs: number, isOtherProcess = false) {
    const { clock, server, budget: bulkBudget, startedAt } = createSimulation(seed, { perMinute: 240 });
    const budget = isOtherProcess ? new RateLimiter(clock) : bulkBudget;
    let isOver = false;
    const bulk = runExecution(bulkBudget, server, BULK).finally(() => (isOver = true));
    const waits: number[] = [];
    await clock.run(
      (async () => {
        for (let next = everyMs; !isOver; next += everyMs) {
          await clock.sleep(startedAt + next - clock.now());
          const from = clock.now();
          await runExecution(budget, server, 1, { lane });
          waits.push(clock.now() - from);
        }
      })(),
    );
    await bulk;
    return { waits, ms: clock.now() - startedAt, refused: server.refused };
  }

  test.each(SEEDS)(
    'a tenth of the limit in urgent calls, each waits less than a second; seed %i',
    async (seed) => {
      const { waits, ms, refused } = await measureWaits(seed, 'urgent', MINUTE / 24);
      expect(waits.length).toBeGreaterThan(30);
      // The first call of a window waits for the answer that shows the new quota.
      expect(waits.filter((wait) => wait > 1_000)).toEqual([]);
      expect(refused).toBe(0);
      expect(ms).toBeLessThanOrEqual(1.05 * computeIdeal(BULK, 240) + 3_000);
    },
  );

  test.each(SEEDS)('so do those of another process, which reads the same headers; seed %i', async (seed) => {
    const { waits } = await measureWaits(seed, 'urgent', MINUTE / 24, true);
    expect(waits.length).toBeGreaterThan(30);
    expect(waits.filter((wait) => wait > 1_000)).toEqual([]);
  });

  test.each(SEEDS)(
    'a short run every 5 s waits less than 2 s, though the bulk run uses the window; seed %i',
    async (seed) => {
      const { waits, refused } = await measureWaits(seed, 'normal', 5_000);
      expect(waits.length).toBeGreaterThan(20);
      expect(waits.filter((wait) => wait > 2_000)).toEqual([]);
      expect(refused).toBe(0);
    },
  );

  /** Runs executions beside more urgent calls than the limit allows. @returns their calls in each whole minute */
  async function countCallsInFlood(seed: number, executions: number) {
    const { clock, server, budget, startedAt } = createSimulation(seed, { perMinute: 240 });
    const minutes: number[][] = [];
    const flood = runExecution(budget, server, 2_400, { lane: 'urgent', parallel: 100 });
    const work = range(executions).map((index) =>
      runExecution(budget, server, 90, {
        onCall() {
          const calls = (minutes[Math.floor((clock.now() - startedAt) / MINUTE)] ??=
            Array(executions).fill(0));
          calls[index]!++;
        },
      }),
    );
    await clock.run(Promise.all(work));
    await clock.run(flood);
    expect(server.refused).toBe(0);
    return minutes.slice(0, -1);
  }

  test.each(SEEDS.flatMap((seed) => [1, 3].map((executions) => [executions, seed] as const)))(
    'a flood of urgent calls leaves a tenth of each minute to executions, in equal parts; %i of them, seed %i',
    async (executions, seed) => {
      const minutes = await countCallsInFlood(seed, executions);
      expect(minutes.length).toBeGreaterThanOrEqual(2);
      for (const calls of minutes) {
        expect(sum(calls)).toBeGreaterThanOrEqual(240 / 10);
        expect(Math.min(...calls)).toBeGreaterThanOrEqual(240 / 10 / executions);
      }
    },
  );

  test('short executions leave a tenth of the limit to urgent calls', async () => {
    const { clock, server, budget, startedAt } = createSimulation(1, { perMinute: 100 });
    const send = async (admission: Admission) => {
      const permit = await budget.acquire(admission);
      budget.release(permit, server.take().announced);
      return clock.now() - startedAt;
    };
    const work = async () => {
      const short = range(100).map(() => send({ execution: {} }));
      // All that may be sent now has been sent.
      await clock.sleep(100);
      const urgent = range(8).map(() => send({ execution: {}, lane: 'urgent' }));
      return [await Promise.all(short), await Promise.all(urgent)] as const;
    };
    const [short, urgent] = await clock.run(work());
    expect(Math.max(...urgent)).toBeLessThan(1_000);
    expect(short.filter((ms) => ms < 1_000).length).toBeLessThanOrEqual(90);
  });

  test('of five calls four are urgent, and the fifth one is that of the next execution', async () => {
    const { clock, budget } = createSimulation(1, { perMinute: 240 });
    const order: string[] = [];
    const send = async (name: string, admission: Admission) => {
      const permit = await budget.acquire(admission);
      order.push(name);
      budget.release(permit, { minute: { limit: 240, remaining: 200, resetsInSeconds: 60 } });
    };
    const executions = ['a', 'b'].map((name) => ({ name }));
    const first = send('first', {});
    const calls = [
      ...executions.flatMap((execution) => [1, 2].map(() => send(execution.name, { execution }))),
      ...range(17).map(() => send('urgent', { lane: 'urgent' })),
    ];
    await clock.run(Promise.all([first, ...calls]));
    const four = Array<string>(4).fill('urgent');
    expect(order).toEqual(['first', ...['a', 'b', 'a', 'b'].flatMap((name) => [...four, name]), 'urgent']);
  });

  test('the calls of several executions take turns', async () => {
    const { clock, budget } = createSimulation(1, { perMinute: 240 });
    const order: string[] = [];
    const runs = [
      { name: 'long', count: 50 },
      { name: 'short', count: 5 },
    ].flatMap((execution) =>
      Array.from({ length: execution.count }, async () => {
        const permit = await budget.acquire({ execution });
        order.push(execution.name);
        budget.release(permit, { minute: { limit: 240, remaining: 200, resetsInSeconds: 60 } });
      }),
    );
    await clock.run(Promise.all(runs));
    expect(order.slice(0, 11)).toEqual(['long', ...Array<string[]>(5).fill(['long', 'short']).flat()]);
  });
});

describe('a key shared with other clients', () => {
  test.each(SEEDS)('another client takes half: at most 2 %% refused; seed %i', async (seed) => {
    const { clock, server, budget } = createSimulation(seed, { perMinute: 120 });
    let isOver = false;
    const other = (async () => {
      // 60 a minute, whatever the answers are.
      while (!isOver) {
        server.take();
        await clock.sleep(1_000 * (0.5 + clock.random()));
      }
    })();
    const before = server.refused;
    const tallies = await clock.run(
      Promise.all(Array.from({ length: 5 }, () => runExecution(budget, server, 200))),
    );
    isOver = true;
    await clock.run(other);
    expect(before).toBe(0);
    const refused = sum(tallies.map((one) => one.refused));
    expect(refused / sum(tallies.map(({ sent }) => sent))).toBeLessThanOrEqual(0.02);
  });

  test.each(SEEDS)('a client that bursts at the start of each window; seed %i', async (seed) => {
    const { clock, server, budget } = createSimulation(seed, { perMinute: 120 });
    let isOver = false;
    const other = (async () => {
      while (!isOver) {
        for (let i = 0; i < 60; i++) server.take();
        await clock.sleep(MINUTE);
      }
    })();
    const tallies = await clock.run(
      Promise.all([runExecution(budget, server, 300), runExecution(budget, server, 300)]),
    );
    isOver = true;
    await clock.run(other);
    const refused = sum(tallies.map((one) => one.refused));
    expect(refused / sum(tallies.map(({ sent }) => sent))).toBeLessThanOrEqual(0.02);
  });

  test.each(SEEDS)(
    'two processes: at least 90 %% of the limit, at most 2 %% refused; seed %i',
    async (seed) => {
      const { clock, server, startedAt } = createSimulation(seed, { perMinute: 240 });
      const budgets = [new RateLimiter(clock), new RateLimiter(clock)];
      const tallies = await clock.run(
        Promise.all(budgets.map((budget) => runExecution(budget, server, 1_200))),
      );
      const sent = sum(tallies.map((one) => one.sent));
      expect(server.refused / sent).toBeLessThanOrEqual(0.02);
      expect(computeIdeal(2_400, 240) / (clock.now() - startedAt)).toBeGreaterThanOrEqual(0.9);
    },
  );
});

describe('a limit that changes', () => {
  test.each(SEEDS)(
    '240 → 120 in the middle of a window: converges within a window; seed %i',
    async (seed) => {
      const { clock, server, budget } = createSimulation(seed, { perMinute: 240 });
      let calls = 0;
      let refusedAtChange = 0;
      let changedAt = Infinity;
      const onCall = () => {
        if (++calls !== 300) return;
        server.perMinute = 120;
        refusedAtChange = server.refused;
        changedAt = clock.now();
      };
      const work = Promise.all([1, 2].map(() => runExecution(budget, server, 400, { onCall })));
      await clock.run(
        (async () => {
          while (clock.now() < changedAt + MINUTE) await clock.sleep(1_000);
        })(),
      );
      const afterAWindow = server.refused;
      expect(afterAWindow - refusedAtChange).toBeLessThanOrEqual(16);
      await clock.run(work);
      expect(server.refused).toBe(afterAWindow);
    },
  );

  test('120 → 240 in the middle of a window is used at once', async () => {
    const { clock, server, budget, startedAt } = createSimulation(1, { perMinute: 120 });
    let calls = 0;
    await clock.run(
      runExecution(budget, server, 200, { onCall: () => void (++calls === 50 && (server.perMinute = 240)) }),
    );
    expect(clock.now() - startedAt).toBeLessThan(MINUTE / 2);
  });
});

describe('unusual services and timing', () => {
  test('a call without an answer holds the others back for two seconds, not for its timeout', async () => {
    const { clock, server, budget, startedAt } = createSimulation(1, { perMinute: 120 });
    const stalled = await budget.acquire();
    await clock.run(runExecution(budget, server, 50));
    expect(clock.now() - startedAt).toBeLessThan(5_000);
    budget.release(stalled);
  });

  test('a service that announces nothing is not throttled', async () => {
    const { clock, budget, startedAt } = createSimulation(1, { perMinute: 1 });
    const calls = Array.from({ length: 100 }, async () => {
      const ticket = await budget.acquire();
      await clock.sleep(40);
      budget.release(ticket, {});
    });
    await clock.run(Promise.all(calls));
    expect(clock.now() - startedAt).toBeLessThan(200);
  });

  test('a cancelled call leaves the queue at once, and those behind it go on', async () => {
    const { clock, server, budget } = createSimulation(1, { perMinute: 10 });
    await clock.run(runExecution(budget, server, 9));
    const cancel = new AbortController();
    const waiting = budget.acquire({ signal: cancel.signal });
    const behind = budget.acquire();
    const before = clock.now();
    cancel.abort();
    await expect(waiting).rejects.toThrow(AbortedError);
    expect(clock.now()).toBe(before);
    budget.release(await clock.run(behind));
    await expect(budget.acquire({ signal: cancel.signal })).rejects.toThrow(AbortedError);
  });
});

describe('the limit of the day', () => {
  test('nothing more is sent once it is known to be used up, and the reset is told', async () => {
    const { clock, server, budget } = createSimulation(1, { perMinute: 120, perDay: 50 });
    await clock.run(runExecution(budget, server, 50, { parallel: 1 }));
    const calls = Array.from({ length: 20 }, () => budget.acquire());
    for (const call of calls) await expect(call).rejects.toThrow(DailyLimitError);
    await expect(budget.acquire()).rejects.toMatchObject({ resetsInSeconds: expect.closeTo(3_600, -1) });
    expect(server.refused).toBe(0);
  });

  test('a minute later one call asks, and the others wait for its answer', async () => {
    const { clock, budget } = createSimulation(1, { perMinute: 120 });
    const createLimits = (remaining: number) => ({
      // The minute lasts longer than the pause, so that only the limit of the day can hold the calls back.
      minute: { limit: 120, remaining: 100, resetsInSeconds: 120 },
      day: { limit: 50, remaining, resetsInSeconds: 7_200 },
    });
    budget.release(await budget.acquire(), createLimits(0));
    await clock.run(clock.sleep(61_000));
    const asking = await budget.acquire();
    const others = Array.from({ length: 10 }, () => budget.acquire());
    let admitted = 0;
    for (const one of others) void one.then(() => admitted++);
    await clock.run(clock.sleep(100));
    expect(admitted).toBe(0);
    budget.release(asking, createLimits(40));
    await clock.run(Promise.all(others));
    expect(admitted).toBe(10);
  });

  test('calls that wait when it becomes known are told as well', async () => {
    const { clock, budget } = createSimulation(1, { perMinute: 120 });
    const first = await budget.acquire();
    const waiting = budget.acquire();
    budget.release(first, { day: { limit: 50, remaining: 0, resetsInSeconds: 100 } });
    await expect(waiting).rejects.toThrow(DailyLimitError);
    await clock.run(clock.sleep(61_000));
    // One call may check whether the plan has a higher limit now.
    await expect(budget.acquire()).resolves.toMatchObject({ waitedMs: 0 });
  });
});
