/** Errors of calls, with texts for the user and without secrets. */
import type { Endpoint } from '../endpoints/endpoint';
import { asThrown, ClientError, type Explanation } from '../input/inputError';
import { formatDuration, toSentence } from '../input/messageText';
import { readErrorMessage } from './serviceErrors';

/** Failures that callers handle in a special way. `emptyItem`: HTTP 200 in place of a 404 (evidence 2). */
export type ApiErrorCode = 'cancelled' | 'emptyItem' | 'fileTooLarge' | 'refusedToken' | 'timeout';

export type ApiErrorOptions = Explanation & Partial<Omit<ApiError, keyof ClientError>>;

/** A call that failed. The error has no request, header or cause, because these could contain keys. */
export class ApiError extends ClientError {
  readonly code?: ApiErrorCode;
  /** Undefined if no response arrived. */
  readonly status?: number;
  /** Number of requests that may have had an effect. A 429 has none. */
  readonly sentCount: number = 1;
  /** Whether the service may have carried out the call. Do not repeat such a call without a check. */
  readonly isOutcomeUnknown: boolean = false;
  /** Whether a repetition is safe although `isOutcomeUnknown`: a field is unique, or the record was found unchanged. */
  readonly isRepeatable: boolean = false;
  /** When the daily limit that refused the call ends (ISO 8601). */
  readonly retryAt?: string;
  /** The errors of fields, by slug (spec: Errors). */
  readonly fieldErrors: Record<string, unknown> = {};
  /** Whether the service sent the response. A 404 of a proxy does not mean that a record is gone. */
  readonly isFromService: boolean = false;
  /** Undefined if the error is not about a call of an endpoint, for example for a download. */
  readonly endpoint?: Endpoint;

  constructor({ message, description, details, ...facts }: ApiErrorOptions) {
    super({ message, description, details });
    this.name = 'ApiError';
    Object.assign(this, facts);
  }
}

/** Changes the texts of a `ClientError`. Returns any other error unchanged. */
export const rewordError = (error: unknown, change: (texts: Explanation) => Partial<Explanation>): unknown =>
  error instanceof ClientError ? error.copyWith(change(error)) : error;

/** Whether a failed write may have changed something: it was sent, and the service did not refuse it. */
export function mayHaveWritten(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status = 0, sentCount, isFromService, endpoint } = error;
  if (endpoint?.effect === 'read') return false;
  // The last attempt changed nothing if it was refused, or redirected by a proxy: the spec has no redirects. A 429 is
  // not counted in `sentCount`.
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = isRedirect || (isFromService && status >= 400 && status < 500 && status !== 429);
  return sentCount > (isRefusal ? 1 : 0);
}

/** Whether a repetition could create or start something twice. */
export const isRepeatUnsafe = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.isOutcomeUnknown &&
  !error.isRepeatable &&
  error.endpoint?.effect !== 'idempotent';

/** Statuses for a refused value, or for a request that is too large. */
const VALUE_REFUSAL_STATUSES = new Set([400, 413, 414, 422, 431]);

/** Whether the request may succeed with fewer values. */
export const isValueRefusal = (error: unknown): boolean =>
  error instanceof ApiError && VALUE_REFUSAL_STATUSES.has(error.status ?? 0);

/** Whether a repeated call was refused because an earlier attempt succeeded and its response was lost. */
export const isAlreadyDone = (error: unknown, status?: number): boolean =>
  error instanceof ApiError &&
  error.isFromService &&
  error.status !== undefined &&
  error.status === status &&
  error.sentCount > 1;

export const isNotFoundByService = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && error.status === 404;

/** Use this function as the handler of a rejected promise. @throws any error except a 404 of the service */
export const ignoreNotFound = (error: unknown): undefined => {
  if (!isNotFoundByService(error)) throw asThrown(error);
};

export const EXECUTION_CANCELLED: Explanation = {
  message: 'The execution was cancelled',
  description: 'Nothing more was sent.',
};

export const createCancelledError = (): ApiError =>
  new ApiError({ ...EXECUTION_CANCELLED, code: 'cancelled', sentCount: 0 });

export const createDailyLimitError = (resetsInSeconds: number): ApiError =>
  new ApiError({
    ...explainDailyLimit(resetsInSeconds),
    status: 429,
    sentCount: 0,
    retryAt: computeRetryTime(resetsInSeconds),
  });

/** Returns when the daily limit ends (ISO 8601), by the clock of this process: that of the service may be wrong. */
export const computeRetryTime = (resetsInSeconds: number): string =>
  new Date(Math.ceil(Date.now() / 1000 + resetsInSeconds) * 1000).toISOString();

export function explainDailyLimit(resetsInSeconds: number): Explanation {
  const wait = formatDuration(60 * Math.max(1, Math.ceil(resetsInSeconds / 60)));
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

/** Explains a 401 whose message the spec does not list, for a call without a user. See silences.md: `loginErrors`. */
export const explainRefusedKeys = (body: unknown): Explanation => ({
  message: 'The service refused the keys',
  description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${toSentence(`401 ${readErrorMessage(body)}`.trim())}`,
});

/** For a token from the credential, which this package cannot renew. */
export const TOKEN_REFUSED: Explanation = {
  message: 'The token of the credential is not valid, or has expired',
  description:
    'Log the user in again, for example with Users > Session > Log In before this node, and give the new token under Token in the Record Database API credential.',
};

/** Shows only the host of `location`. */
export function explainRedirect(location: string | undefined): Explanation {
  const host = /^(?:[a-z]+:)?\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(location ?? '')?.[1];
  return {
    message: `The service redirects${host ? ` to ${host}` : ''}, which is not followed`,
    description:
      'The redirect would send your keys to that address. If the new address is right, make it the Base URL in the Record Database API credential.',
  };
}

export const explainUnknownOutcome = (explanation: Explanation, reason: string): Explanation => ({
  message: `Outcome unknown: ${explanation.message.charAt(0).toLowerCase()}${explanation.message.slice(1)}`,
  description: `The service may have done this, or may still be doing it. Check in the service before you repeat it. Reason: ${toSentence(reason)}`,
});

/** Why there is no complete response. The error never contains the request, which contains the keys. */
export class NetworkError extends Error {
  constructor(
    /** Error code of Node, axios or this package: `ECONNREFUSED`, `ETIMEDOUT`, `FILE_TOO_LARGE`, … */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'NetworkError';
  }
}

/**
 * Says that the change may have been made. An error that says so already, or that shows that nothing was changed, is
 * returned unchanged. By default, `advice` is for a write that can be repeated.
 */
export function explainUncertainWrite(error: unknown, advice = REPEAT_ADVICE): unknown {
  if (!(error instanceof ApiError) || error.isOutcomeUnknown || !mayHaveWritten(error)) return error;
  return error.copyWith({
    description: `The change may have been made: a request was sent and its answer was lost. ${advice} ${error.description}`,
  });
}

const REPEAT_ADVICE = 'The item can be run again: a repeated run ends in the same state.';
