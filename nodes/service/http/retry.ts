/** The failures of a call that lead to another attempt, and the wait before it. */
import { type Effect } from '../endpoints/endpoint';
import { type AttemptResult, isDailyLimitError } from './response';

export type RetryDecision = { retry: true; waitMs: number } | { retry: false; isOutcomeUnknown: boolean };

/** Number of failed attempts: `refusals` with a 429, `faults` for any other reason. */
export interface FailureCounts {
  refusals: number;
  faults: number;
}

export interface CallProgress extends FailureCounts {
  /** Number of attempts that may have had an effect. A 429 has none. */
  sentCount: number;
}

export const RETRY_LIMITS: FailureCounts = {
  faults: 4,
  refusals: 20,
};

/** Temporary network errors before the request was sent: after such an error, any call can be repeated. */
const NOT_SENT_CODES = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET_BEFORE_TLS',
  'LOGIN_DELAYED',
]);

/** Permanent errors before the request was sent. `EAI_AGAIN` is none of them: the DNS may answer later. */
const PERMANENT_FAULT_CODES =
  /^(LOGIN_FAILED|ENOTFOUND$|EPROTO$|SSRF_BLOCKED$|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_|ERR_UNESCAPED_|ERR_BAD_OPTION)/;

export const isPermanentFault = (code: string): boolean => PERMANENT_FAULT_CODES.test(code);

const TOO_LARGE_CODES = /^(ANSWER|FILE)_TOO_LARGE$/;

/** The client has stopped waiting, and the service may still carry out the request. */
const TIMEOUT_CODES = /^(ETIMEDOUT|ECONNABORTED)$/;

/** @returns 500, 1000 or 2000 ms, and up to a quarter more, so that callers retry at different times */
const computeBackoffMs = (attempt: number, random: number) => 500 * 2 ** (attempt - 1) * (1 + random / 4);

const createStopDecision = (isOutcomeUnknown = false): RetryDecision => ({ retry: false, isOutcomeUnknown });

const mayHaveReachedService = ({ fault }: AttemptResult): boolean =>
  !fault || !(NOT_SENT_CODES.has(fault.code) || isPermanentFault(fault.code));

const GATEWAY_TIMEOUT_STATUSES = new Set([504, 524]);

const isTimeout = ({ status, fault }: AttemptResult): boolean =>
  fault ? TIMEOUT_CODES.test(fault.code) : GATEWAY_TIMEOUT_STATUSES.has(status);

export function recordFailedAttempt(progress: CallProgress, result: AttemptResult): void {
  const isRefusal = result.status === 429;
  progress[isRefusal ? 'refusals' : 'faults']++;
  if (!isRefusal && mayHaveReachedService(result)) progress.sentCount++;
}

function canRepeat(result: AttemptResult, effect: Effect): boolean {
  if (effect === 'nonIdempotent') return !mayHaveReachedService(result);
  // After a timeout, the service may still be working on the call: a second call would slow down both.
  return effect !== 'longRunning' || !isTimeout(result);
}

/**
 * Decides whether a failed call is repeated: by the effect of the endpoint, not by the HTTP method. A refused call is
 * repeated only after a 429 (spec: Errors). @param random from 0 to 1, spreads the waits
 */
export function decideRetry(
  result: AttemptResult,
  effect: Effect,
  { refusals, faults }: FailureCounts,
  random: number,
): RetryDecision {
  const { status, fault } = result;
  if (status === 429) {
    // `waitMs` is 0, because the rate limiter delays the next attempt until the minute resets.
    const isFinal = isDailyLimitError(result) || refusals >= RETRY_LIMITS.refusals;
    return isFinal ? createStopDecision() : { retry: true, waitMs: 0 };
  }
  const isRefused = status >= 300 && status < 500;
  if (isRefused || (fault && isPermanentFault(fault.code))) return createStopDecision();
  // A repeated call would get an equally large answer. A change may have succeeded, so its outcome is unknown.
  if (fault && TOO_LARGE_CODES.test(fault.code)) return createStopDecision(effect !== 'read');
  if (!canRepeat(result, effect)) return createStopDecision(true);
  // If the service reports success for a change, but the answer is incomplete or no JSON, the outcome is unknown.
  const isUnknown = !fault && status < 300 && effect !== 'read';
  return faults >= RETRY_LIMITS.faults
    ? createStopDecision(isUnknown)
    : { retry: true, waitMs: computeBackoffMs(faults, random) };
}
