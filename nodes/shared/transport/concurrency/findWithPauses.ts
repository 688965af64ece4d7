import { asThrown } from '../../model/input/asThrown';
import { ApiError } from '../errors/apiError';
import { sleepUnlessAborted } from './sleep';

/** Pauses before each attempt, in milliseconds. A record may become visible some time after its create. */
const PAUSES_MS = [0, 500, 1_500];

/**
 * Calls `find` until it returns a result, with a growing pause before each attempt.
 * @returns undefined when nothing is found or `signal` is aborted
 */
export async function findWithPauses<T>(
  find: () => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  for (const pause of PAUSES_MS) {
    if (pause > 0) await sleepUnlessAborted(pause, signal);
    if (signal?.aborted) return undefined;
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Looks for the result of a create whose response was lost. A failed search counts as nothing found.
 * @throws `error`, the failure of the create, if its outcome is known or nothing is found
 */
export async function findAfterLostResponse<T>(
  error: unknown,
  find: () => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
  const found = isUnknown ? await findWithPauses(() => find().catch(() => undefined), signal) : undefined;
  if (found === undefined) throw asThrown(error);
  return found;
}
