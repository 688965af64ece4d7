/**
 * Errors of calls, with texts for the user and without secrets. `ApiError` is a call that failed. `mayHaveChanged` and
 * other functions classify an error.
 */
import type { Endpoint } from '../endpoints/endpoint';
import { ClientError, type Explanation } from '../input/inputError';
import { toSentence } from '../input/messageText';
import { readErrorMessage } from './serviceErrors';

/**
 * Failures that callers distinguish, or for which the node's form has a setting; `n8n/operation/toNodeError.ts` adds the
 * name of the setting to the description. `emptyItem`: HTTP 200 without a record, in place of a 404 (evidence 2).
 */
export type ApiErrorCode =
  | 'cancelled'
  | 'dailyLimit'
  | 'emptyItem'
  | 'fileTooLarge'
  | 'refusedToken'
  | 'serviceUnavailable'
  | 'timeout';

/** The facts about a failed call. */
interface CallFacts {
  code?: ApiErrorCode;
  /** HTTP status; undefined if no response arrived. */
  status?: number;
  /** Requests that may have had an effect, 1 by default. Responses with status 429 do not count. */
  attempts: number;
  /** Whether an attempt got no response: the service may still carry it out. */
  isUnanswered: boolean;
  /** Whether the service may have carried out the call. Such a call must not be repeated without a check. */
  isOutcomeUnknown: boolean;
  /** Whether the call may be repeated although its outcome is unknown: a unique value or a comparison prevents a second effect. */
  isRepeatable: boolean;
  /** ISO 8601 time at which the limit of the day ends, for a call that was refused because of it. */
  retryAt?: string;
  /** Messages by field slug from a validation response (spec: Errors). */
  fieldErrors: Record<string, unknown>;
  /** Whether the service itself sent this response. A 404 from a proxy does not mean that a record is gone. */
  isFromService: boolean;
  /** The endpoint that was called; absent for downloads. */
  endpoint?: Endpoint;
}

/** The texts and the facts of an `ApiError`. A fact that is left out has its default. */
export type ApiErrorOptions = Explanation & Partial<CallFacts>;

/** A call that failed permanently, with texts for the user. Contains no request, header or cause. */
export class ApiError extends ClientError implements CallFacts {
  readonly code?: ApiErrorCode;
  readonly status?: number;
  readonly attempts: number;
  readonly isUnanswered: boolean;
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
    this.isUnanswered = options.isUnanswered ?? false;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.isRepeatable = options.isRepeatable ?? false;
    this.retryAt = options.retryAt;
    this.fieldErrors = options.fieldErrors ?? {};
    this.isFromService = options.isFromService ?? false;
    this.endpoint = options.endpoint;
  }

  /** Copies the error with other texts or facts. */
  override explain(changes: Partial<ApiErrorOptions>): this {
    return super.explain(changes);
  }
}

/** Changes the texts of an error for the user. Any other error is returned unchanged. */
export const changeTexts = (error: unknown, change: (texts: Explanation) => Partial<Explanation>): unknown =>
  error instanceof ClientError ? error.explain(change(error)) : error;

/**
 * Whether a failed write may have changed something: a request was sent, and the service did not refuse it.
 */
export function mayHaveChanged(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status = 0, attempts, isFromService, endpoint } = error;
  if (endpoint?.effect === 'read') return false;
  // A redirect comes from a proxy in front of the service (the spec has no redirects). Responses with status 429 are not
  // counted as attempts.
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = isRedirect || (isFromService && status >= 400 && status < 500 && status !== 429);
  return attempts > (isRefusal ? 1 : 0);
}

/**
 * Whether a call may have created or started something that a second call would create or start again. The second call of
 * an `idempotent` endpoint, such as a deletion, leads to the same state.
 */
export const isRepeatUnsafe = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.isOutcomeUnknown &&
  !error.isRepeatable &&
  error.endpoint?.effect !== 'idempotent';

/** Statuses with which the service, or a web server in front of it, refuses a value or the size of a request. */
const REFUSED_STATUSES = new Set([400, 413, 414, 422, 431]);

/** Whether a request was refused because of its values or its size. The request may succeed without one of the values. */
export const isValueRefusal = (error: unknown): boolean =>
  error instanceof ApiError && REFUSED_STATUSES.has(error.status ?? 0);

/** Whether the service refused a retry with `status` because an earlier attempt succeeded and its response was lost. */
export const isAlreadyDone = (error: unknown, status?: number): boolean =>
  error instanceof ApiError &&
  error.isFromService &&
  error.status !== undefined &&
  error.status === status &&
  error.attempts > 1;

/** Whether the service states that something does not exist. A 404 from a proxy does not count. */
export const isNotFoundByService = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && error.status === 404;

export const CANCELLED: Explanation = {
  message: 'The execution was cancelled',
  description: 'Nothing more was sent.',
};

/** The execution was cancelled before this call was sent. */
export class AbortedError extends ApiError {
  constructor() {
    super({ ...CANCELLED, code: 'cancelled', attempts: 0 });
    this.name = 'AbortedError';
  }
}

/** The request limit of the day is used up, so this call was not sent. */
export class DailyLimitError extends ApiError {
  constructor(readonly resetsInSeconds: number) {
    super({
      ...explainDailyLimit(resetsInSeconds),
      code: 'dailyLimit',
      status: 429,
      attempts: 0,
      retryAt: computeRetryTime(resetsInSeconds),
    });
    this.name = 'DailyLimitError';
  }
}

const DAY_SECONDS = 86_400;

/** Computes the time at which the daily limit ends, rounded up to a second, by the process clock. */
export const computeRetryTime = (resetsInSeconds = DAY_SECONDS): string =>
  new Date(Math.ceil(Date.now() / 1000 + resetsInSeconds) * 1000).toISOString();

/**
 * Explains the daily limit with the time of its reset, by the process clock: the clock of the service may be
 * wrong.
 */
export function explainDailyLimit(resetsInSeconds = DAY_SECONDS): Explanation {
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

/** Explains a 401 without a user login whose message the spec does not list. Open point: `loginErrors`. */
export const explainRefusedKeys = (body: unknown): Explanation => ({
  message: 'The service refused the keys',
  description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${toSentence(`401 ${readErrorMessage(body)}`.trim())}`,
});

/** Explains a 401 for the token in the credential, which cannot be renewed. */
export const REFUSED_TOKEN: Explanation = {
  message: 'The token of the credential is not valid, or has expired',
  description:
    'Log the user in again, for example with Users > Session > Log In before this node, and give the new token under Token in the Record Database API credential.',
};

/** Explains a redirect, which is an error. Only the host of its target is shown. */
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

/** A call without a complete response. The error holds the code and the message of the network error, never the request. */
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
 * Adds to the error of a write the sentence that the change may have been made, and `advice`. Use it for a write that can
 * be repeated. An error of a write that changed nothing, or that states an unknown outcome already, is returned unchanged.
 * @returns the error to throw
 */
export function explainUncertainWrite(error: unknown, advice = REPEAT_IS_SAFE): unknown {
  if (!(error instanceof ApiError) || error.isOutcomeUnknown || !mayHaveChanged(error)) return error;
  return error.explain({
    description: `The change may have been made: a request was sent and its answer was lost. ${advice} ${error.description}`,
  });
}

const REPEAT_IS_SAFE = 'The item can be run again: a repeated run ends in the same state.';
