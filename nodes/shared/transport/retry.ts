import type { Effect } from '../model/endpoint';

/** What became of one attempt. */
export type Outcome =
  | { kind: 'answer'; status: number; dailyLimit: boolean }
  /** The answer broke off or was no JSON: the service may have done the work. */
  | { kind: 'broken' }
  /** No answer at all. */
  | { kind: 'fault'; code: string };

export type Decision = { retry: true; waitMs: number } | { retry: false; unknownOutcome: boolean };

/** How often each has happened to one call, this time included. */
export interface Tally {
  refusals: number;
  faults: number;
}

export const RETRY_LIMITS = {
  /** Attempts that end in a fault. */
  faults: 4,
  /** Attempts refused for the minute, which cost the service nothing; counted apart. */
  refusals: 20,
};

/** The request never left: any effect may be tried again. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'LOGIN_DELAYED',
]);

/** It never left and will not the next time: certificates, unusable addresses, a login that was refused. */
const HOPELESS =
  /^(LOGIN_FAILED|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_|ERR_UNESCAPED_|ERR_BAD_OPTION)/;

/** We waited no longer; the service may be at work all the same. */
const TIMED_OUT = /^(ETIMEDOUT|ECONNABORTED)$/;

/** 0.5, 1, 2, 4 … seconds, at most 15, each stretched by up to a quarter so that callers spread out. */
const backoff = (attempt: number, random: number) =>
  Math.min(15_000, 500 * 2 ** (attempt - 1)) * (1 + random / 4);

const stop = (unknownOutcome = false): Decision => ({ retry: false, unknownOutcome });

/** Whether the attempt may have had an effect. */
export const wasSent = (outcome: Outcome): boolean =>
  outcome.kind !== 'fault' || !(NOT_SENT.has(outcome.code) || HOPELESS.test(outcome.code));

/** A gateway waited no longer either. */
const GATEWAY_TIMED_OUT = new Set([504, 524]);

const isTimeout = (outcome: Outcome): boolean =>
  (outcome.kind === 'fault' && TIMED_OUT.test(outcome.code)) ||
  (outcome.kind === 'answer' && GATEWAY_TIMED_OUT.has(outcome.status));

function mayRepeat(outcome: Outcome, effect: Effect): boolean {
  if (effect === 'once') return !wasSent(outcome);
  // A second one beside the first would make both slower.
  return effect !== 'lasting' || !isTimeout(outcome);
}

/**
 * Whether a call is made again after what became of it. By effect, not by HTTP verb: only a call that may
 * happen twice is repeated after an unclear failure, and a refusal of the call itself never (spec: Errors).
 * @param random from 0 to 1, for the spread of waits
 */
export function decide(outcome: Outcome, effect: Effect, tally: Tally, random: number): Decision {
  if (outcome.kind === 'answer' && outcome.status === 429) {
    // The budget knows when the minute resets; the wait is taken there.
    const isFinal = outcome.dailyLimit || tally.refusals >= RETRY_LIMITS.refusals;
    return isFinal ? stop() : { retry: true, waitMs: 0 };
  }
  if (outcome.kind === 'answer' && outcome.status < 500) return stop();
  if (outcome.kind === 'fault' && HOPELESS.test(outcome.code)) return stop();
  if (!mayRepeat(outcome, effect)) return stop(true);
  return tally.faults >= RETRY_LIMITS.faults
    ? stop()
    : { retry: true, waitMs: backoff(tally.faults, random) };
}
