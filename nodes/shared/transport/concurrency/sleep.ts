import { sleep } from 'n8n-workflow';
import { onAbort } from './onAbort';

/**
 * Waits `ms` milliseconds, or until `signal` is aborted. Never rejects; check `signal.aborted` afterwards.
 * The timer of n8n's `sleep` cannot be cleared, so it keeps running after an abort, without effect.
 */
export async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await raceAbort(sleep(ms), signal);
}

/** Waits for `pending` or for the abort of `signal`, whichever comes first. */
export async function raceAbort(pending: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  let wake: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (wake = resolve));
  const removeWake = onAbort(signal, wake);
  try {
    await Promise.race([pending, aborted]);
  } finally {
    removeWake();
  }
}
