import { systemClock } from '../../../../nodes/n8n/http/port';
import { waitUnlessAborted, sleepUnlessAborted } from '../../../../nodes/service';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

const isDone = async (pending: Promise<unknown>) => {
  let done = false;
  void pending.then(() => (done = true));
  await jest.advanceTimersByTimeAsync(0);
  return done;
};

test('waits for the time given', async () => {
  const pending = sleepUnlessAborted(1_000, { clock: systemClock, signal: new AbortController().signal });
  await jest.advanceTimersByTimeAsync(999);
  expect(await isDone(pending)).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(await isDone(pending)).toBe(true);
});

test('ends with the abort, and at once where the signal was aborted before', async () => {
  const controller = new AbortController();
  const waiting = { clock: systemClock, signal: controller.signal };
  const pending = sleepUnlessAborted(60_000, waiting);
  expect(await isDone(pending)).toBe(false);
  controller.abort();
  expect(await isDone(pending)).toBe(true);
  expect(await isDone(sleepUnlessAborted(60_000, waiting))).toBe(true);
  expect(await isDone(waitUnlessAborted(new Promise(() => undefined), controller.signal))).toBe(true);
});

test('an aborted wait starts no timer', async () => {
  const sleep = jest.fn(async () => undefined);
  await sleepUnlessAborted(60_000, { clock: { ...systemClock, sleep }, signal: AbortSignal.abort() });
  expect(sleep).not.toHaveBeenCalled();
});

test('a wait that has ended leaves nothing that an abort calls', async () => {
  const controller = new AbortController();
  const forEach = jest.spyOn(Set.prototype, 'forEach');
  await waitUnlessAborted(Promise.resolve(), controller.signal);
  await expect(waitUnlessAborted(Promise.reject(new Error('failed')), controller.signal)).rejects.toThrow(
    'failed',
  );
  forEach.mockClear();
  controller.abort();
  const left = forEach.mock.contexts.map((callbacks) => (callbacks as Set<unknown>).size);
  forEach.mockRestore();
  expect(left).toEqual([0]);
});
