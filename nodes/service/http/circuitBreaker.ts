import { ApiError } from '../errors/apiError';
import { type Explanation } from '../input/inputError';
import { type AttemptResult, saysKeyRefused } from './response';

/** After this many calls in a row that found the service unavailable, calls are not sent. Retries do not count. */
const MAX_FAILURES_IN_A_ROW = 5;

/** This long after the last failure, one call is sent to check whether the service has recovered. */
const RECOVERY_CHECK_DELAY_MS = 30_000;

const UNREACHABLE_ERROR_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNABORTED|LOGIN_DELAYED|EPROTO|ECONNRESET_BEFORE_TLS)$/;
const UNAVAILABLE_STATUSES = new Set([502, 503, 504]);

const isUnavailable = ({ status, fault }: AttemptResult): boolean =>
  fault ? UNREACHABLE_ERROR_CODES.test(fault.code) : UNAVAILABLE_STATUSES.has(status);

const isKeyRefusal = ({ status, body }: AttemptResult): boolean => status === 401 && saysKeyRefused(body);

interface LastFailure {
  result: AttemptResult;
  explanation: Explanation;
}

/** Stops the calls of a client after the service refused the key, or while the service is unavailable. */
export class CircuitBreaker {
  private failures = 0;
  private lastFailure?: LastFailure;
  private retryAt = 0;

  constructor(private readonly now: () => number) {}

  ensureServiceAvailable(): void {
    if (!this.lastFailure || this.failures < MAX_FAILURES_IN_A_ROW) return;
    // Only one call checks whether the service has recovered. Parallel calls fail at once.
    if (this.now() >= this.retryAt) this.retryAt = this.now() + RECOVERY_CHECK_DELAY_MS;
    else throw this.createUnavailableError(this.lastFailure);
  }

  recordSuccess(): void {
    this.failures = 0;
    this.lastFailure = undefined;
  }

  recordFailure(failure: LastFailure): void {
    const isRefusal = isKeyRefusal(failure.result);
    if (!isRefusal && !isUnavailable(failure.result)) return this.recordSuccess();
    this.failures = isRefusal ? MAX_FAILURES_IN_A_ROW : this.failures + 1;
    this.lastFailure = failure;
    this.retryAt = this.now() + RECOVERY_CHECK_DELAY_MS;
  }

  private createUnavailableError({ result, explanation }: LastFailure): ApiError {
    const { status } = result;
    return new ApiError({
      message: `${explanation.message}, so this call was not sent`,
      description:
        status === 401
          ? explanation.description
          : `The ${this.failures} calls before it failed for the same reason. Check that the service is available and run the remaining items again.`,
      status: status || undefined,
      sentCount: 0,
    });
  }
}
