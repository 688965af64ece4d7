/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { AbortedError, DailyLimitError } from '../../../../nodes/service/errors/apiError';
import { RateLimiter } from '../../../../nodes/service/http/rateLimiter';

/** Milliseconds after which a call checks the limit of the day again. */
const RECHECK_MS = 60_000;

/** A limiter whose time stands still until `advance`. Its timers never end. */
function createLimiter() {
  let now = 1_000_000;
  const limiter = new RateLimiter({
    now: () => now,
    random: () => 0,
    sleep: () => new Promise(() => {}),
  });
  return { limiter, advance: (ms: number) => void (now += ms) };
}

const createDayLimit = (resetsInSeconds: number) => ({
  day: { limit: 100, remaining: 0, resetsInSeconds },
});

/** Whether the call was admitted without waiting. */
async function isAdmitted(call: Promise<unknown>): Promise<boolean> {
  let admitted = false;
  call.then(
    () => (admitted = true),
    () => undefined,
  );
  await new Promise(setImmediate);
  return admitted;
}

describe('a limiter is idle', () => {
  test('before the first call, not during it, and after it without a limit', async () => {
    const { limiter } = createLimiter();
    expect(limiter.isIdle).toBe(true);
    const permit = await limiter.acquire();
    expect(limiter.isIdle).toBe(false);
    limiter.release(permit, {});
    expect(limiter.isIdle).toBe(true);
  });

  test('from the end of the minute window on', async () => {
    const { limiter, advance } = createLimiter();
    const minute = { limit: 100, remaining: 99, resetsInSeconds: 60 };
    limiter.release(await limiter.acquire(), { minute });
    advance(59_999);
    expect(limiter.isIdle).toBe(false);
    advance(1);
    expect(limiter.isIdle).toBe(true);
  });

  test('from the end of the day on, after its limit was used up', async () => {
    const { limiter, advance } = createLimiter();
    limiter.release(await limiter.acquire(), createDayLimit(100));
    expect(limiter.isIdle).toBe(false);
    advance(99_999);
    expect(limiter.isIdle).toBe(false);
    advance(1);
    expect(limiter.isIdle).toBe(true);
  });

  test('not while a call waits', async () => {
    const { limiter } = createLimiter();
    const first = await limiter.acquire();
    const waiting = new AbortController();
    const second = limiter.acquire({ signal: waiting.signal });
    const third = limiter.acquire();
    limiter.release(first);
    // The second call is admitted, the third waits for its response.
    const permit = await second;
    expect(await isAdmitted(third)).toBe(false);
    expect(limiter.isIdle).toBe(false);
    limiter.release(permit, {});
    limiter.release(await third, {});
    expect(limiter.isIdle).toBe(true);
  });
});

test('a cancelled call leaves the queue, and the others stay', async () => {
  const { limiter } = createLimiter();
  const first = await limiter.acquire();
  const cancel = new AbortController();
  const cancelled = limiter.acquire({ signal: cancel.signal });
  const other = limiter.acquire();
  cancel.abort();
  await expect(cancelled).rejects.toBeInstanceOf(AbortedError);
  limiter.release(first, {});
  limiter.release(await other, {});
  expect(limiter.isIdle).toBe(true);
});

test('a call of an execution that was cancelled before removes no other', async () => {
  const { limiter } = createLimiter();
  const first = await limiter.acquire();
  const waiting = limiter.acquire({ lane: 'urgent' });
  const late = limiter.acquire({ lane: 'urgent', signal: AbortSignal.abort() });
  await expect(late).rejects.toBeInstanceOf(AbortedError);
  limiter.release(first, {});
  expect(await isAdmitted(waiting)).toBe(true);
});

test('an urgent call of an execution, such as its login, removes none of its other calls', async () => {
  const { limiter } = createLimiter();
  const execution = {};
  const first = await limiter.acquire();
  const calls = [limiter.acquire({ execution }), limiter.acquire({ execution, lane: 'urgent' })];
  limiter.release(first, {});
  expect(await Promise.all(calls.map(isAdmitted))).toEqual([true, true]);
});

test('a second tenth of the limit is for executions that have sent less than a tenth of it', async () => {
  const { limiter } = createLimiter();
  const [long, short] = [{}, {}];
  for (let remaining = 25; remaining >= 15; remaining--) {
    const permit = await limiter.acquire({ execution: long });
    limiter.release(permit, { minute: { limit: 100, remaining, resetsInSeconds: 60 } });
  }
  const waiting = limiter.acquire({ execution: long });
  const admitted = limiter.acquire({ execution: short });
  expect([await isAdmitted(waiting), await isAdmitted(admitted)]).toEqual([false, true]);
});

describe('after the limit of the day was used up', () => {
  /** Returns a limiter that may check the limit again. */
  async function startCheck() {
    const { limiter, advance } = createLimiter();
    limiter.release(await limiter.acquire(), createDayLimit(86_400));
    await expect(limiter.acquire()).rejects.toBeInstanceOf(DailyLimitError);
    advance(RECHECK_MS);
    const check = await limiter.acquire();
    const next = limiter.acquire();
    expect(await isAdmitted(next)).toBe(false);
    return { limiter, check, next };
  }

  test('one call checks it, and a response without it admits the others', async () => {
    const { limiter, check, next } = await startCheck();
    limiter.release(check, {});
    expect(await isAdmitted(next)).toBe(true);
    expect(await isAdmitted(limiter.acquire())).toBe(true);
  });

  test('a check that gets no response is repeated by the next call alone', async () => {
    const { limiter, check, next } = await startCheck();
    limiter.release(check);
    expect(await isAdmitted(next)).toBe(true);
    expect(await isAdmitted(limiter.acquire())).toBe(false);
  });

  test('a check that is refused refuses the others', async () => {
    const { limiter, check, next } = await startCheck();
    limiter.release(check, createDayLimit(80_000));
    await expect(next).rejects.toMatchObject({ code: 'dailyLimit', resetsInSeconds: 80_000 });
  });
});
