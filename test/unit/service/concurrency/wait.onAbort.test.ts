/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { getEventListeners } from 'node:events';
import { Semaphore, sleepUnlessAborted } from '../../../../nodes/service';
import { onAbort } from '../../../../nodes/service/concurrency/wait';

test('an abort calls each callback that was not removed, once', () => {
  const controller = new AbortController();
  const called: number[] = [];
  const [, remove] = [1, 2, 3].map((number) => onAbort(controller.signal, () => called.push(number)));
  remove!();
  controller.abort();
  controller.abort();
  expect(called).toEqual([1, 3]);
});

test('without a signal, nothing is called', () => {
  expect(onAbort(undefined, () => undefined)()).toBeUndefined();
});

test('everything that waits in an execution shares one listener', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const never = () => new Promise<never>(() => undefined);
  const semaphore = new Semaphore(1, signal);
  void semaphore.runTask(never);
  const clock = { now: () => 0, sleep: never, random: () => 0 };
  const waiting = Array.from({ length: 20 }, () => [
    sleepUnlessAborted(60_000, { clock, signal }),
    semaphore.runTask(never),
  ]).flat();
  const settled = Promise.allSettled(waiting);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort();
  expect((await settled).map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(
    20,
  );
});
