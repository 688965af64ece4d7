import type { Client } from '../../client';
import { Semaphore } from '../../client/concurrency/queue';
import { UnknownFieldError } from '../../client/fields/table';
import { asThrown } from '../../client/input/inputError';
import { invalidateStaleTable } from '../../client/records/schema';
import { type Result, type RunMode, isFailure } from './operation';

/**
 * Runs an operation. An operation looks up fields before it sends a change. The table may come from a cache, and
 * a field that is not found may be newer than the cached table. In that case the table is read again and the
 * operation runs a second time.
 */
async function runWithFreshFields(client: Client, run: () => Promise<Result[]>): Promise<Result[]> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnknownFieldError && invalidateStaleTable(client, error.table)) return run();
    throw asThrown(error);
  }
}

/** Runs an operation. @throws its error, or the first failure among its results unless the node continues on fail */
export async function runOperation(
  client: Client,
  { continuesOnFail }: RunMode,
  run: () => Promise<Result[]>,
): Promise<Result[]> {
  const results = await runWithFreshFields(client, run);
  const failure = continuesOnFail ? undefined : results.find(isFailure);
  if (failure) throw asThrown(failure.error);
  return results;
}

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
