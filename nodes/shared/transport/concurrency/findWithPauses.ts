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
