/** The failures of a call that lead to another attempt, and the wait before it. */
import { type Effect } from '../endpoints/endpoint';
import { type AttemptResult, isDailyLimitError } from './response';

/** Whether a call is sent again. `unknownOutcome`: the service may have carried it out. */
export type RetryDecision = { retry: true; waitMs: number } | { retry: false; unknownOutcome: boolean };

/** How many attempts of a call have failed: `refusals` with a 429, `faults` for any other reason. */
export interface FailureCounts {
  refusals: number;
  faults: number;
}

export interface CallProgress extends FailureCounts {
  /** Number of attempts that may have had an effect. A 429 has none. */
  sent: number;
}

export const RETRY_LIMITS = {
  /** Maximum number of attempts that fail for another reason than the rate limit. */
  faults: 4,
  /** Maximum number of attempts that the limit per minute refuses. */
  refusals: 20,
};

/** Temporary network errors before the request was sent. Any call can be repeated. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET_BEFORE_TLS',
  'LOGIN_DELAYED',
]);

/**
 * Permanent network errors before the request was sent: an unknown host, a certificate, an invalid address, a refused
 * login. `EAI_AGAIN` is not listed: the name of the host could not be checked, which may be temporary.
 */
const NOT_RETRYABLE =
  /^(LOGIN_FAILED|ENOTFOUND$|EPROTO$|SSRF_BLOCKED$|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_|ERR_UNESCAPED_|ERR_BAD_OPTION)/;

export const isPermanentFault = (code: string): boolean => NOT_RETRYABLE.test(code);

/** Error codes of a response that is larger than the maximum. */
const TOO_LARGE = /^(ANSWER|FILE)_TOO_LARGE$/;

/** Error codes after which the client has stopped waiting. The service may still carry out the request. */
const TIMEOUT_CODES = /^(ETIMEDOUT|ECONNABORTED)$/;

/**
 * Milliseconds before the next attempt: 500, 1000 or 2000. Up to a quarter is added at random, so that several callers do
 * not retry at the same time.
 */
const computeBackoff = (attempt: number, random: number) => 500 * 2 ** (attempt - 1) * (1 + random / 4);

const createStopDecision = (unknownOutcome = false): RetryDecision => ({ retry: false, unknownOutcome });

/** Whether the request may have reached the service and had an effect. */
const mayHaveReachedService = ({ fault }: AttemptResult): boolean =>
  !fault || !(NOT_SENT.has(fault.code) || isPermanentFault(fault.code));

/** Statuses of a gateway that stopped waiting for the service. */
const GATEWAY_TIMEOUT_STATUSES = new Set([504, 524]);

/** Whether the client or a gateway stopped waiting for the response. */
const isTimeout = ({ status, fault }: AttemptResult): boolean =>
  fault ? TIMEOUT_CODES.test(fault.code) : GATEWAY_TIMEOUT_STATUSES.has(status);

export function recordFailedAttempt(progress: CallProgress, result: AttemptResult): void {
  const isRefusal = result.status === 429;
  progress[isRefusal ? 'refusals' : 'faults']++;
  if (!isRefusal && mayHaveReachedService(result)) progress.sent++;
}

function canRepeat(result: AttemptResult, effect: Effect): boolean {
  if (effect === 'nonIdempotent') return !mayHaveReachedService(result);
  // A second run beside the first one would slow down both.
  return effect !== 'longRunning' || !isTimeout(result);
}

/**
 * Decides whether a call is sent again, by the effect of the endpoint and not by the HTTP method. A `nonIdempotent` call
 * is not repeated after an unclear failure. A refused call is repeated only after a 429 (spec: Errors).
 * @param random from 0 to 1, spreads the waits
 */
export function decideRetry(
  result: AttemptResult,
  effect: Effect,
  { refusals, faults }: FailureCounts,
  random: number,
): RetryDecision {
  const { status, fault } = result;
  if (status === 429) {
    // The rate limiter delays the next attempt until the minute resets, so no wait is needed here.
    const isFinal = isDailyLimitError(result) || refusals >= RETRY_LIMITS.refusals;
    return isFinal ? createStopDecision() : { retry: true, waitMs: 0 };
  }
  const isRefused = status >= 300 && status < 500;
  if (isRefused || (fault && isPermanentFault(fault.code))) return createStopDecision();
  // A repeated call would get an equally large answer. If it is a change, it may have succeeded.
  if (fault && TOO_LARGE.test(fault.code)) return createStopDecision(effect !== 'read');
  if (!canRepeat(result, effect)) return createStopDecision(true);
  // The service reported success for a change, but its answer is incomplete or no JSON.
  const isUnknown = !fault && status < 300 && effect !== 'read';
  return faults >= RETRY_LIMITS.faults
    ? createStopDecision(isUnknown)
    : { retry: true, waitMs: computeBackoff(faults, random) };
}
