/** The result of a step that did not start has only `step`. */
interface StepResult<S, T> {
  step: S;
  value?: T;
  error?: unknown;
}

export interface StepControl {
  /** Prevents the start of later steps. Call `stop` before you send requests that only explain a failure. */
  stop(): void;
  /** Whether an earlier step has failed or called `stop`. Call `isStopped` after a wait, before anything is sent. */
  isStopped(): boolean;
}

interface RunStepsOptions {
  concurrency: number;
  /** Whether further steps start after a failure. */
  continuesOnFail?: boolean;
  /** Called after each step, also a failed one, with the number of steps that have ended. */
  onEnd?(endedCount: number): void;
}

/** Starts steps in order, several at once. Also after a failure, waits for all that started. @returns all results */
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
 * @returns the values in the order of the steps. @throws the first failure in this order
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
