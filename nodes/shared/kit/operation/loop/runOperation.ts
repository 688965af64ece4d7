import { asThrown } from '../../../model/input/asThrown';
import { UnknownFieldError } from '../../../model/records/unknownField';
import type { Client } from '../../../transport/client';
import { invalidateStaleTable } from '../../../transport/schema';
import { isFailure, type Result, type RunMode } from '../operation';

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
