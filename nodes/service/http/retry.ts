/** The failures of a call that lead to another attempt, and the wait before it. */
import { type Effect } from '../endpoints/endpoint';

/** The result of one attempt, as far as it decides about a retry. */
export type AttemptOutcome =
  | { kind: 'response'; status: number; dailyLimit: boolean }
  /** The response was incomplete or not valid JSON. The service may have carried out the request. */
  | { kind: 'broken' }
  /** No response arrived. `code` is the network error. */
  | { kind: 'fault'; code: string };

export type RetryDecision = { retry: true; waitMs: number } | { retry: false; unknownOutcome: boolean };

/** Numbers of failed attempts of one call, the current one included. */
export interface FailureCounts {
  refusals: number;
  faults: number;
}

/** What happened in the failed attempts of one call so far. */
export interface CallProgress extends FailureCounts {
  /** Attempts that may have had an effect. Responses with status 429 do not count. */
  sent: number;
  /** Whether an attempt got no response. */
  isUnanswered: boolean;
}

export const RETRY_LIMITS = {
  /** Maximum number of attempts that fail for another reason than the rate limit. */
  faults: 4,
  /** Maximum number of attempts that the service refuses because of the limit per minute. They have no effect. */
  refusals: 20,
};

/** Temporary network errors before the request was sent: any call can be repeated. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET_BEFORE_TLS',
  'LOGIN_DELAYED',
]);

/**
 * Network errors before the request was sent that a retry cannot fix: a host name that does not exist, certificates,
 * invalid addresses, a refused login. `EAI_AGAIN` is not listed, because the name could not be checked and the error may
 * be temporary.
 */
const NOT_RETRYABLE =
  /^(LOGIN_FAILED|ENOTFOUND$|EPROTO$|SSRF_BLOCKED$|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_|ERR_UNESCAPED_|ERR_BAD_OPTION)/;

/** Whether a network error cannot be fixed by another attempt. */
export const isPermanentFault = (code: string): boolean => NOT_RETRYABLE.test(code);

/** The response has more bytes than are read. */
const TOO_LARGE = /^(ANSWER|FILE)_TOO_LARGE$/;

/** The client stopped waiting. The service may still carry out the request. */
const TIMEOUT_CODES = /^(ETIMEDOUT|ECONNABORTED)$/;

/**
 * Milliseconds before the next attempt: 500, 1000 or 2000, and up to a quarter more, so that parallel callers do not retry
 * at the same moment.
 */
const computeBackoff = (attempt: number, random: number) => 500 * 2 ** (attempt - 1) * (1 + random / 4);

const stopRetrying = (unknownOutcome = false): RetryDecision => ({ retry: false, unknownOutcome });

/** Whether the request may have reached the service and had an effect. */
const mayHaveReachedService = (outcome: AttemptOutcome): boolean =>
  outcome.kind !== 'fault' || !(NOT_SENT.has(outcome.code) || isPermanentFault(outcome.code));

/** A gateway stopped waiting for the service. */
const GATEWAY_TIMEOUT_STATUSES = new Set([504, 524]);

/** Whether the client or a gateway stopped waiting for the response. */
const isTimeout = (outcome: AttemptOutcome): boolean =>
  (outcome.kind === 'fault' && TIMEOUT_CODES.test(outcome.code)) ||
  (outcome.kind === 'response' && GATEWAY_TIMEOUT_STATUSES.has(outcome.status));

/** Whether the request was sent and got no response: the service may carry it out after later requests. */
const mayBeCarriedOutLater = (outcome: AttemptOutcome): boolean =>
  isTimeout(outcome) || (outcome.kind === 'fault' && mayHaveReachedService(outcome));

/** Adds a failed attempt to the progress of its call. */
export function recordFailedAttempt(progress: CallProgress, outcome: AttemptOutcome): void {
  const isRefusal = outcome.kind === 'response' && outcome.status === 429;
  progress[isRefusal ? 'refusals' : 'faults']++;
  if (!isRefusal && mayHaveReachedService(outcome)) progress.sent++;
  progress.isUnanswered ||= mayBeCarriedOutLater(outcome);
}

function canRepeat(outcome: AttemptOutcome, effect: Effect): boolean {
  if (effect === 'nonIdempotent') return !mayHaveReachedService(outcome);
  // A second run in parallel with the first one would slow down both.
  return effect !== 'longRunning' || !isTimeout(outcome);
}

/**
 * Decides whether a call is sent again. The decision depends on the effect of the endpoint, not on the HTTP
 * method: a `nonIdempotent` call is not repeated after an unclear failure, and a call that the service
 * refused is never repeated (spec: Errors).
 * @param random from 0 to 1, spreads the waits
 */
export function decideRetry(
  outcome: AttemptOutcome,
  effect: Effect,
  failureCounts: FailureCounts,
  random: number,
): RetryDecision {
  if (outcome.kind === 'response' && outcome.status === 429) {
    // No wait is needed here: the rate limiter delays the next attempt until the minute resets.
    const isFinal = outcome.dailyLimit || failureCounts.refusals >= RETRY_LIMITS.refusals;
    return isFinal ? stopRetrying() : { retry: true, waitMs: 0 };
  }
  if (outcome.kind === 'response' && outcome.status < 500) return stopRetrying();
  if (outcome.kind === 'fault' && isPermanentFault(outcome.code)) return stopRetrying();
  // A repeated call would return an equally large answer. If the call was a change, it may have succeeded.
  if (outcome.kind === 'fault' && TOO_LARGE.test(outcome.code)) return stopRetrying(effect !== 'read');
  if (!canRepeat(outcome, effect)) return stopRetrying(true);
  // The service reported success for a change, but its answer does not show the result.
  const isUnknown = outcome.kind === 'broken' && effect !== 'read';
  return failureCounts.faults >= RETRY_LIMITS.faults
    ? stopRetrying(isUnknown)
    : { retry: true, waitMs: computeBackoff(failureCounts.faults, random) };
}
