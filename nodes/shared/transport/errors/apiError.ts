import type { Endpoint } from '../../model/endpoints/endpoint';
import type { Explanation } from '../../model/answers/serviceError';

/** Failures for which the node's form has a setting; the kit adds its name to the description. */
export type ApiErrorCode =
  'cancelled' | 'dailyLimit' | 'fileTooLarge' | 'serviceUnavailable' | 'timeout' | 'unstableList';

export interface ApiErrorOptions extends Explanation {
  code?: ApiErrorCode;
  /** HTTP status; undefined if no response arrived. */
  status?: number;
  /** Requests that may have had an effect, 1 by default. Answers with status 429 do not count. */
  attempts?: number;
  /** Whether an attempt got no answer: the service may still carry it out. */
  isUnanswered?: boolean;
  /** Whether the service may have carried out the call. It must not be repeated without a check. */
  isOutcomeUnknown?: boolean;
  /** Messages by field slug from a validation answer (spec: Errors). */
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
  constructor(private readonly options: ApiErrorOptions) {
    super(options.message);
    this.name = 'ApiError';
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

/** The execution was cancelled before this call was sent. */
export class AbortedError extends ApiError {
  constructor() {
    super({ ...CANCELLED, code: 'cancelled', attempts: 0 });
    this.name = 'AbortedError';
  }
}

/**
 * Whether a failed write may have changed something: a request was sent, and the service did not refuse it.
 */
export function mayHaveChanged(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status = 0, attempts, isFromService } = error;
  // A redirect comes from a proxy in front of the service (the spec has none). Answers with status 429 are not
  // counted as attempts.
  const isRedirect = status >= 300 && status < 400;
  const isRefusal = isRedirect || (isFromService && status >= 400 && status < 500 && status !== 429);
  return attempts > (isRefusal ? 1 : 0);
}

export const CANCELLED: Explanation = {
  message: 'The execution was cancelled',
  description: 'Nothing more was sent.',
};

/** The request limit of the day is used up, so this call was not sent. */
export class DailyLimitError extends ApiError {
  constructor(readonly resetsInSeconds: number) {
    super({ ...explainDailyLimit(resetsInSeconds), code: 'dailyLimit', status: 429, attempts: 0 });
    this.name = 'DailyLimitError';
  }
}

/**
 * Explains the daily limit with the time of its reset, by the process clock: the clock of the service may be
 * wrong.
 */
export function explainDailyLimit(resetsInSeconds = 86_400): Explanation {
  const minutes = Math.ceil(resetsInSeconds / 60);
  const short = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const wait = minutes < 60 ? short : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const at = new Date(Date.now() + resetsInSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return {
    message: 'The request limit of the day is used up',
    description: `It resets in ${wait}, at ${at} UTC. Run again after that, or raise the limit with a larger plan.`,
  };
}

/** The list changed each time it was read, so the reading could not be verified. */
export class UnstableListError extends ApiError {
  constructor() {
    super({
      message: 'The list kept changing while it was read',
      description:
        'Filter for fewer records, sort by a field that does not change, or read when fewer records change.',
      code: 'unstableList',
    });
    this.name = 'UnstableListError';
  }
}

/** Whether the service refused a retry because an earlier attempt succeeded and its response was lost. */
export const isAlreadyDone = (error: unknown, status = 404): boolean =>
  error instanceof ApiError && error.isFromService && error.status === status && error.attempts > 1;

/** Whether the service states that something does not exist. A 404 from a proxy does not. */
export const isServiceNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.isFromService && error.status === 404;
