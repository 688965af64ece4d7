import type { Effect } from '../model/endpoint';

/** What became of one attempt. */
export type Outcome =
  | { kind: 'answer'; status: number; dailyLimit: boolean }
  /** The answer broke off or was no JSON: the service may have done the work. */
  | { kind: 'broken' }
  /** No answer at all. */
  | { kind: 'fault'; code: string };

export type Decision = { retry: true; waitMs: number } | { retry: false; unknownOutcome: boolean };

export interface RetryLimits {
  /** Attempts after faults; waiting for the minute limit is counted apart. */
  attempts: number;
  rateLimitAttempts: number;
}

export const RETRY_LIMITS: RetryLimits = { attempts: 4, rateLimitAttempts: 20 };

/** The request never left: any effect may be tried again. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Server faults that say nothing about whether the work was done. */
const AMBIGUOUS_STATUS = new Set([500, 502, 503, 504, 408]);

/** 0.5, 1, 2, 4 … seconds, at most 15, each stretched by up to a quarter so that callers spread out. */
const backoff = (attempt: number, random: number) =>
  Math.min(15_000, 500 * 2 ** (attempt - 1)) * (1 + random / 4);

/**
 * Whether attempt number `attempt` (from 1) is followed by another. By effect, not by HTTP verb: only a
 * call that may happen twice is repeated after an unclear failure (spec: Errors; Limits).
 * @param random from 0 to 1, for the spread of waits
 */
export function decide(
  outcome: Outcome,
  effect: Effect,
  attempt: number,
  random: number,
  limits: RetryLimits = RETRY_LIMITS,
): Decision {
  const stop = (unknownOutcome = false): Decision => ({ retry: false, unknownOutcome });
  if (outcome.kind === 'answer' && outcome.status === 429) {
    // The budget knows when the minute resets; the wait is taken there.
    return outcome.dailyLimit || attempt >= limits.rateLimitAttempts ? stop() : { retry: true, waitMs: 0 };
  }
  if (outcome.kind === 'answer' && !AMBIGUOUS_STATUS.has(outcome.status)) return stop();
  if (outcome.kind === 'fault' && outcome.code === 'LOGIN_FAILED') return stop();
  const repeatable = effect !== 'once' || (outcome.kind === 'fault' && NOT_SENT.has(outcome.code));
  if (!repeatable) return stop(true);
  return attempt >= limits.attempts ? stop(false) : { retry: true, waitMs: backoff(attempt, random) };
}
