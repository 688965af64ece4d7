/** A step that did not start has neither a value nor an error. */
interface StepResult<S, T> {
  step: S;
  value?: T;
  error?: unknown;
}

export interface StepControl {
  /**
   * Prevents the start of later steps, as a failure of this step does. A failing step calls it before it sends requests
   * that only explain the failure.
   */
  stop(): void;
  /** Whether an earlier step has failed or called `stop`. A step checks this after a wait, before it sends anything. */
  isStopped(): boolean;
}

interface RunStepsOptions {
  concurrency: number;
  /** Whether further steps start after one has failed. */
  continuesOnFail?: boolean;
  /** Called after each step with the number of steps that have ended. */
  onEnd?(endedCount: number): void;
}

/**
 * Runs steps in order, several at once. After a failure no later step starts, unless `continuesOnFail` is set. Steps that
 * have started are always finished. @returns one result for each step, in order
 */
export async function runSteps<S, T>(
  steps: readonly S[],
  { concurrency, continuesOnFail = false, onEnd }: RunStepsOptions,
  run: (step: S, control: StepControl) => Promise<T | undefined>,
): Promise<Array<StepResult<S, T>>> {
  const results = steps.map((step): StepResult<S, T> => ({ step }));
  let nextIndex = 0;
  let stopIndex = Infinity;
  let endedCount = 0;
  const runNext = async (index: number, result: StepResult<S, T>) => {
    const stop = () => {
      if (!continuesOnFail) stopIndex = Math.min(stopIndex, index);
    };
    try {
      result.value = await run(result.step, { stop, isStopped: () => index > stopIndex });
    } catch (error) {
      stop();
      result.error = error;
    }
    onEnd?.(++endedCount);
  };
  const runWorker = async () => {
    for (let result = results[nextIndex]; result && nextIndex < stopIndex; result = results[nextIndex])
      await runNext(nextIndex++, result);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, steps.length) }, runWorker));
  return results;
}

/**
 * Calls `run` for each step, several at once. No step starts after a failure.
 * @returns the values in the order of the steps. @throws the first failure in the order of the steps
 */
export async function mapSteps<S, T>(
  steps: readonly S[],
  concurrency: number,
  run: (step: S) => Promise<T>,
): Promise<T[]> {
  const results = await runSteps(steps, { concurrency }, run);
  const failed = results.find((result) => 'error' in result);
  if (failed) throw failed.error;
  return results.map(({ value }) => value as T);
}
