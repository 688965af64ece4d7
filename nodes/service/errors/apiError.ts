/** Errors of calls, with texts for the user and without secrets. */
import type { Endpoint } from '../endpoints/endpoint';
import { ClientError, type Explanation } from '../input/inputError';
import { toSentence } from '../input/messageText';
import { readErrorMessage } from './serviceErrors';

/**
 * Failures that callers handle in a special way. Other failures have no code. `emptyItem`: the service answered HTTP
 * 200 with an empty `item` in place of a 404 (evidence 2).
 */
export type ApiErrorCode = 'cancelled' | 'emptyItem' | 'fileTooLarge' | 'refusedToken' | 'timeout';

interface FailureFacts {
  code?: ApiErrorCode;
  /** HTTP status; undefined if no response arrived. */
  status?: number;
  /** Number of requests that may have had an effect, 1 by default. A 429 has no effect and does not count. */
  attempts: number;
  /** Whether the service may have carried out the call. It must then not be repeated without a check. */
  isOutcomeUnknown: boolean;
  /**
   * Whether the call may be repeated although its outcome is unknown. A unique field, or a check of the record, then
   * prevents a second effect.
   */
  isRepeatable: boolean;
  /** When the daily limit ends, in ISO 8601. Undefined unless the call was refused because of this limit. */
  retryAt?: string;
  /** Messages of a validation error, by field slug (spec: Errors). */
  fieldErrors: Record<string, unknown>;
  /** Whether the service sent the response. A 404 of a proxy does not mean that a record is gone. */
  isFromService: boolean;
  /** The endpoint that was called; absent for downloads. */
  endpoint?: Endpoint;
}

/** The texts and facts of an `ApiError`. A missing fact has its default. */
export type ApiErrorOptions = Explanation & Partial<FailureFacts>;

/** A call that failed, with texts for the user. It holds no request, header or cause, which could contain keys. */
export class ApiError extends ClientError implements FailureFacts {
  readonly code?: ApiErrorCode;
  readonly status?: number;
  readonly attempts: number;
  readonly isOutcomeUnknown: boolean;
  readonly isRepeatable: boolean;
  readonly retryAt?: string;
  readonly fieldErrors: Record<string, unknown>;
  readonly isFromService: boolean;
  readonly endpoint?: Endpoint;

  constructor(options: ApiErrorOptions) {
    super(options);
    this.name = 'ApiError';
    this.code = options.code;
    this.status = options.status;
    this.attempts = options.attempts ?? 1;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.isRepeatable = options.isRepeatable ?? false;
    this.retryAt = options.retryAt;
    this.fieldErrors = options.fieldErrors ?? {};
    this.isFromService = options.isFromService ?? false;
    this.endpoint = options.endpoint;
  }

  override copyWith(changes: Partial<ApiErrorOptions>): this {
    return super.copyWith(changes);
  }
}

/** Changes the texts of a `ClientError`. Any other error is returned unchanged. */
export const rewordError = (error: unknown, change: (texts: Explanation) => Partial<Explanation>): unknown =>
  error instanceof ClientError ? error.copyWith(change(error)) : error;

/** Whether a failed write may have changed something: it was sent, and the service did not refuse it. */
export function mayHaveWritten(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status = 0, attempts, isFromService, endpoint } = error;
  if (endpoint?.effect === 'read') return false;
  // A redirect comes from a proxy: the spec has none. A 429 is not counted in `attempts`.
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = isRedirect || (isFromService && status >= 400 && status < 500 && status !== 429);
  return attempts > (isRefusal ? 1 : 0);
}

/**
 * Whether a repetition could create or start something twice. A repeated call of an `idempotent` endpoint, such as a
 * deletion, leads to the same state.
 */
export const isRepeatUnsafe = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.isOutcomeUnknown &&
  !error.isRepeatable &&
  error.endpoint?.effect !== 'idempotent';

/** Statuses with which the service or a web server refuses a value, or the size of a request. */
const REFUSED_STATUSES = new Set([400, 413, 414, 422, 431]);

/** Whether a request was refused because of its values or its size, and may succeed with fewer values. */
export const isValueRefusal = (error: unknown): boolean =>
  error instanceof ApiError && REFUSED_STATUSES.has(error.status ?? 0);

/** Whether the service refused a repeated call because an earlier attempt succeeded and its response was lost. */
export const isAlreadyDone = (error: unknown, status?: number): boolean =>
  error instanceof ApiError &&
  error.isFromService &&
  error.status !== undefined &&
  error.status === status &&
  error.attempts > 1;

/** Whether the service itself says that something does not exist. A 404 of a proxy does not count. */
export const isNotFoundByService = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && error.status === 404;

export const CANCELLED: Explanation = {
  message: 'The execution was cancelled',
  description: 'Nothing more was sent.',
};

/** Creates the error of a call that was not sent because the execution was cancelled. */
export const createCancelledError = (): ApiError =>
  new ApiError({ ...CANCELLED, code: 'cancelled', attempts: 0 });

/** Creates the error of a call that was not sent because the daily limit is used up. */
export const createDailyLimitError = (resetsInSeconds: number): ApiError =>
  new ApiError({
    ...explainDailyLimit(resetsInSeconds),
    status: 429,
    attempts: 0,
    retryAt: computeRetryTime(resetsInSeconds),
  });

/** When the daily limit ends, by the clock of this process, rounded up to a second. */
export const computeRetryTime = (resetsInSeconds: number): string =>
  new Date(Math.ceil(Date.now() / 1000 + resetsInSeconds) * 1000).toISOString();

/**
 * Explains the daily limit. Its end is shown by the clock of this process, because the clock of the service may be wrong.
 */
export function explainDailyLimit(resetsInSeconds: number): Explanation {
  const minutes = Math.ceil(resetsInSeconds / 60);
  const short = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const wait = minutes < 60 ? short : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const at = new Date(Date.now() + resetsInSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return {
    message: 'The request limit of the day is used up',
    description: `It resets in ${wait}, at ${at} UTC. Run again after that, or raise the limit with a larger plan.`,
  };
}

export const INVALID_RESPONSE: Explanation = {
  message: 'The answer was not valid JSON, or was incomplete',
  description:
    'Check the Base URL in the Record Database API credential: a web page or a proxy may answer there.',
};

/**
 * Explains a 401 whose message the spec does not list, for a call that was sent with the keys alone. Open point:
 * `loginErrors`.
 */
export const explainRefusedKeys = (body: unknown): Explanation => ({
  message: 'The service refused the keys',
  description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${toSentence(`401 ${readErrorMessage(body)}`.trim())}`,
});

/** Explains a 401 for a token from the credential. This package cannot renew such a token. */
export const TOKEN_REFUSED: Explanation = {
  message: 'The token of the credential is not valid, or has expired',
  description:
    'Log the user in again, for example with Users > Session > Log In before this node, and give the new token under Token in the Record Database API credential.',
};

/** Explains a redirect, which is not followed. Only the host of its target is shown. */
export function explainRedirect(location: string | undefined): Explanation {
  const host = /^(?:[a-z]+:)?\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(location ?? '')?.[1];
  return {
    message: `The service redirects${host ? ` to ${host}` : ''}, which is not followed`,
    description:
      'The redirect would send your keys to that address. If the new address is right, make it the Base URL in the Record Database API credential.',
  };
}

/** Explains a call that the service may have carried out although its response was lost. */
export const explainUnknownOutcome = (explanation: Explanation, reason: string): Explanation => ({
  message: `Outcome unknown: ${explanation.message.charAt(0).toLowerCase()}${explanation.message.slice(1)}`,
  description: `The service may have done this, or may still be doing it. Check in the service before you repeat it. Reason: ${toSentence(reason)}`,
});

/**
 * The error of a call without a complete response. It holds the code and message of the network error, never the
 * request.
 */
export class NetworkError extends Error {
  constructor(
    /** Error code of Node or axios: `ECONNREFUSED`, `ECONNRESET`, `ETIMEDOUT`, … */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'NetworkError';
  }
}

/**
 * Adds a sentence to the error of a failed write: the change may have been made. Use it for a write that can be repeated.
 * An error is returned unchanged if nothing was changed, or if it already says that the outcome is unknown.
 * @returns the error to throw
 */
export function explainUncertainWrite(error: unknown, advice = REPEAT_IS_SAFE): unknown {
  if (!(error instanceof ApiError) || error.isOutcomeUnknown || !mayHaveWritten(error)) return error;
  return error.copyWith({
    description: `The change may have been made: a request was sent and its answer was lost. ${advice} ${error.description}`,
  });
}

const REPEAT_IS_SAFE = 'The item can be run again: a repeated run ends in the same state.';
