/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { Semaphore } from '../../../../nodes/service';

test('runs at most the given number of tasks at once, in order of arrival, also after failures', async () => {
  const slots = new Semaphore(3);
  const started: number[] = [];
  let [atOnce, most] = [0, 0];
  const runs = Array.from({ length: 20 }, (_, index) =>
    slots.runTask(async () => {
      started.push(index);
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      atOnce--;
      if (index % 4 === 0) throw new Error(`run ${index}`);
      return index;
    }),
  );
  const results = await Promise.allSettled(runs);
  expect(most).toBe(3);
  expect(started).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  // All places are free again.
  await Promise.all([1, 2, 3].map((value) => slots.runTask(async () => value)));
});

test('an abort ends a waiting task, which never starts', async () => {
  const controller = new AbortController();
  const semaphore = new Semaphore(1, controller.signal);
  let end: () => void = () => undefined;
  const running = semaphore.runTask(() => new Promise<void>((resolve) => (end = resolve)));
  const started = jest.fn(() => Promise.resolve());
  const waiting = semaphore.runTask(started);
  controller.abort();
  await expect(waiting).rejects.toThrow('cancelled');
  end();
  await running;
  expect(started).not.toHaveBeenCalled();
});

test('a task that arrives after the abort does not wait', async () => {
  const semaphore = new Semaphore(1, AbortSignal.abort());
  await expect(semaphore.runTask(() => Promise.resolve())).rejects.toThrow('cancelled');
});

describe('weights', () => {
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test('admit what fits, in order of arrival, and at least one', async () => {
    const semaphore = new Semaphore(64);
    const admitted: number[] = [];
    const releases: Array<() => void> = [];
    for (const [index, weight] of [95, 40, 20, 10, 95, 1].entries()) {
      void semaphore.acquire(weight).then((release) => {
        admitted.push(index);
        releases[index] = release;
      });
    }
    await settle();
    expect(admitted).toEqual([0]);
    releases[0]!();
    await settle();
    // The fourth does not fit, and the last does not overtake the one that waits.
    expect(admitted).toEqual([0, 1, 2]);
    releases[1]!();
    await settle();
    expect(admitted).toEqual([0, 1, 2, 3]);
    releases[2]!();
    releases[3]!();
    await settle();
    expect(admitted).toEqual([0, 1, 2, 3, 4]);
    releases[4]!();
    await settle();
    expect(admitted).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('that a task adds count without a wait', async () => {
    const semaphore = new Semaphore(10);
    const release = await semaphore.acquire(8);
    const releaseMore = semaphore.addWeight(8);
    let isAdmitted = false;
    void semaphore.acquire(1).then(() => (isAdmitted = true));
    release();
    await settle();
    expect(isAdmitted).toBe(true);
    void semaphore.acquire(2).then(() => (isAdmitted = false));
    await settle();
    expect(isAdmitted).toBe(true);
    releaseMore();
    await settle();
    expect(isAdmitted).toBe(false);
  });
});
