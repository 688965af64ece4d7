import type { Client } from '../../../transport/client';
import { Semaphore } from '../../../transport/concurrency/semaphore';
import type { RunMode } from '../operation';

/** The result of a step: its value, or its error. A step that did not start has neither. */
export interface StepResult<S, T> {
  step: S;
  value?: T;
  error?: unknown;
}

/**
 * Runs the parts of one operation in parallel, for example one request for each record. After a failure no further
 * step starts, unless the node continues on fail.
 * @returns one result for each step, in order
 */
export async function runSteps<S, T>(
  client: Client,
  { continuesOnFail }: RunMode,
  steps: S[],
  run: (step: S) => Promise<T>,
): Promise<Array<StepResult<S, T>>> {
  const semaphore = new Semaphore(client.concurrency);
  let hasFailed = false;
  let doneCount = 0;
  const runStep = async (step: S): Promise<StepResult<S, T>> => {
    if (hasFailed && !continuesOnFail) return { step };
    try {
      const value = await run(step);
      client.notices.reportProgress(() => `${++doneCount} of ${steps.length} records written`);
      return { step, value };
    } catch (error) {
      hasFailed = true;
      return { step, error };
    }
  };
  return Promise.all(steps.map((step) => semaphore.run(() => runStep(step))));
}
