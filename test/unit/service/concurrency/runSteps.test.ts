/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { mapSteps, runSteps } from '../../../../nodes/service';

/** Steps that end when they are told to. */
function createSteps(count: number) {
  const started: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const run = (step: number) =>
    new Promise<string>((resolve, reject) => {
      started.push(step);
      ends.set(step, (error) => (error ? reject(error) : resolve(`value ${step}`)));
    });
  const end = async (step: number, error?: Error) => {
    ends.get(step)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { steps: Array.from({ length: count }, (_, index) => index), started, run, end };
}

const failure = new Error('refused');

test('the steps run in order, at most as many at once as said, and each has its result', async () => {
  const { steps, started, run, end } = createSteps(4);
  const onEnd = jest.fn();
  const results = runSteps(steps, { concurrency: 2, onEnd }, run);
  expect(started).toEqual([0, 1]);
  await end(1);
  expect(started).toEqual([0, 1, 2]);
  for (const step of [0, 2, 3]) await end(step);
  expect(await results).toEqual(steps.map((step) => ({ step, value: `value ${step}` })));
  expect(onEnd.mock.calls).toEqual([[1], [2], [3], [4]]);
});

test('after a failure no later step starts, and those that run end', async () => {
  const { steps, started, run, end } = createSteps(5);
  const results = runSteps(steps, { concurrency: 3 }, run);
  await end(1, failure);
  await end(2);
  await end(0);
  expect(started).toEqual([0, 1, 2]);
  expect(await results).toEqual([
    { step: 0, value: 'value 0' },
    { step: 1, error: failure },
    { step: 2, value: 'value 2' },
    { step: 3 },
    { step: 4 },
  ]);
});

test('with continuesOnFail all steps run', async () => {
  const { steps, run, end } = createSteps(3);
  const results = runSteps(steps, { concurrency: 1, continuesOnFail: true }, run);
  await end(0, failure);
  await end(1);
  await end(2, failure);
  expect((await results).map((result) => 'error' in result)).toEqual([true, false, true]);
});

test('a step that stops the run does so before it has failed; only later steps see it', async () => {
  const seen: boolean[][] = [];
  const look = async (step: number, { stop, isStopped }: { stop(): void; isStopped(): boolean }) => {
    await Promise.resolve();
    if (step === 1) stop();
    await Promise.resolve();
    seen[step] = [isStopped()];
    return step;
  };
  await runSteps([0, 1, 2, 3], { concurrency: 3 }, look);
  expect(seen).toEqual([[false], [false], [true]]);
  seen.length = 0;
  await runSteps([0, 1, 2, 3], { concurrency: 3, continuesOnFail: true }, look);
  expect(seen).toEqual([[false], [false], [false], [false]]);
});

test('mapSteps returns the values in order, or throws the first failure in order', async () => {
  expect(await mapSteps([3, 1, 2], 2, async (step) => step * 2)).toEqual([6, 2, 4]);
  const { steps, run, end } = createSteps(2);
  const mapped = mapSteps(steps, 2, run).catch((error: unknown) => error);
  await end(1, new Error('later'));
  await end(0, failure);
  expect(await mapped).toBe(failure);
});
