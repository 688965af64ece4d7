import type { Endpoint } from '../../model/endpoints/endpoint';
import { MAX_MESSAGE, toLine } from '../../model/input/inputError';
import type { Explanation } from '../../model/responses/errors/errorRules';

/** Failures for which the node's form has a setting; the kit adds its name to the description. */
export type ApiErrorCode =
  | 'cancelled'
  | 'dailyLimit'
  | 'fileTooLarge'
  | 'serviceUnavailable'
  | 'timeout'
  | 'unstableList';

export interface ApiErrorOptions extends Explanation {
  code?: ApiErrorCode;
  /** HTTP status; undefined if no response arrived. */
  status?: number;
  /** Requests that may have had an effect, 1 by default. Responses with status 429 do not count. */
  attempts?: number;
  /** Whether an attempt got no response: the service may still carry it out. */
  isUnanswered?: boolean;
  /** Whether the service may have carried out the call. It must not be repeated without a check. */
  isOutcomeUnknown?: boolean;
  /** Whether the call may be repeated although its outcome is unknown: a unique value prevents a second effect. */
  isRepeatable?: boolean;
  /** Messages by field slug from a validation response (spec: Errors). */
  fieldErrors?: Record<string, unknown>;
  /**
   * Whether the service itself sent this response. A 404 from a proxy does not mean that a record is gone.
   */
  isFromService?: boolean;
  /** The endpoint that was called; absent for downloads. */
  endpoint?: Endpoint;
  /**
   * What the user needs after the failure: IDs of what the call started, created or failed for, by parameter name, or
   * records as they were before. A failed item has it under `details`.
   */
  details?: Record<string, unknown>;
}

/** A call that failed permanently, with a message for the user. Contains no request, header or cause. */
export class ApiError extends Error {
  private readonly options: ApiErrorOptions;

  constructor(options: ApiErrorOptions) {
    const message = toLine(options.message, MAX_MESSAGE);
    super(message);
    this.name = 'ApiError';
    this.options = { ...options, message, description: toLine(options.description) };
  }

  get explanation(): Explanation {
    return { message: this.options.message, description: this.options.description };
  }

  get code(): ApiErrorCode | undefined {
    return this.options.code;
  }

  get status(): number | undefined {
    return this.options.status;
  }

  get attempts(): number {
    return this.options.attempts ?? 1;
  }

  get isUnanswered(): boolean {
    return this.options.isUnanswered ?? false;
  }

  get isOutcomeUnknown(): boolean {
    return this.options.isOutcomeUnknown ?? false;
  }

  get isRepeatable(): boolean {
    return this.options.isRepeatable ?? false;
  }

  get fieldErrors(): Record<string, unknown> {
    return this.options.fieldErrors ?? {};
  }

  get isFromService(): boolean {
    return this.options.isFromService ?? false;
  }

  get details(): Record<string, unknown> | undefined {
    return this.options.details;
  }

  get endpoint(): Endpoint | undefined {
    return this.options.endpoint;
  }

  /** The same failure of a call that may be repeated. */
  asRepeatable(): ApiError {
    return new ApiError({ ...this.options, isRepeatable: true });
  }

  /** The same failure with another message or description, and what the user needs after it. */
  withExplanation(texts: Partial<Explanation>, details = this.options.details): ApiError {
    return new ApiError({ ...this.options, ...texts, details });
  }
}

/** Changes the texts of a failed call. An error of another class is returned unchanged. */
export const mapExplanation = (
  error: unknown,
  change: (texts: Explanation) => Partial<Explanation>,
): unknown => (error instanceof ApiError ? error.withExplanation(change(error.explanation)) : error);

/**
 * Whether a failed write may have changed something: a request was sent, and the service did not refuse it.
 */
export function mayHaveChanged(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status = 0, attempts, isFromService } = error;
  // A redirect comes from a proxy in front of the service (the spec has none). Responses with status 429 are not
  // counted as attempts.
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = isRedirect || (isFromService && status >= 400 && status < 500 && status !== 429);
  return attempts > (isRefusal ? 1 : 0);
}

/**
 * Whether a call may have made or started something that a second call would make again. The second call of an
 * `idempotent` endpoint, such as an update, leads to the same state.
 */
export const isUnknownStart = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.isOutcomeUnknown &&
  !error.isRepeatable &&
  error.endpoint?.effect !== 'idempotent';

/** Statuses with which the service, or a web server in front of it, refuses a value or the size of a request. */
const REFUSED_STATUSES = new Set([400, 413, 414, 422, 431]);

/** Whether a request was refused because of its values. The same request without one of them may succeed. */
export const isRefusedValue = (error: unknown): boolean =>
  error instanceof ApiError && REFUSED_STATUSES.has(error.status ?? 0);

/** Whether the service refused a retry because an earlier attempt succeeded and its response was lost. */
export const isAlreadyDone = (error: unknown, status = 404): boolean =>
  error instanceof ApiError && error.isFromService && error.status === status && error.attempts > 1;

/** Whether the service states that something does not exist. A 404 from a proxy does not. */
export const isServiceNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && error.status === 404;
