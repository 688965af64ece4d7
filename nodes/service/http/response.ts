import type { z } from 'zod';
import { type Effect, type Endpoint, formatEndpoint } from '../endpoints/endpoint';
import {
  ApiError,
  INVALID_RESPONSE,
  NetworkError,
  REFUSED_TOKEN,
  computeRetryTime,
  explainDailyLimit,
  explainRedirect,
  explainRefusedKeys,
} from '../errors/apiError';
import { explainNetworkError } from '../errors/explainNetworkError';
import {
  type CallSubject,
  REQUEST_TOO_LONG,
  explainServiceError,
  getEffectiveStatus,
  isServiceError,
  recognizeMissingRecord,
} from '../errors/serviceErrors';
import type { Explanation } from '../input/inputError';
import { asObject, isObject } from '../input/values';
import type { Credential } from './credential';
import { type RateLimitInfo, parseLimitExceededHeaders, parseRateLimitHeaders } from './minuteWindow';
import type { HttpResponse } from './port';

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

/** Network errors before the request was sent, which may be temporary: any call can be repeated. */
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
 * invalid addresses, a refused login. `EAI_AGAIN` is no answer about the name, and may be temporary.
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

/** Whether the wait for the response ended first. */
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
  // A second run in parallel with the first one would make both slower.
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
  // The answer would be as large again. To a change, it may have been a success.
  if (outcome.kind === 'fault' && TOO_LARGE.test(outcome.code)) return stopRetrying(effect !== 'read');
  if (!canRepeat(outcome, effect)) return stopRetrying(true);
  // The service reported success for a change, and no answer shows what it did.
  const isUnknown = outcome.kind === 'broken' && effect !== 'read';
  return failureCounts.faults >= RETRY_LIMITS.faults
    ? stopRetrying(isUnknown)
    : { retry: true, waitMs: computeBackoff(failureCounts.faults, random) };
}

/** A response that is a file, with the properties that its headers give. */
export class FileContent {
  constructor(
    readonly data: Buffer,
    readonly mimeType: string,
    readonly disposition: string,
  ) {}
}

export const PDF_MIME_TYPE = 'application/pdf';

/** Checks the first bytes, because a PDF may be sent with a wrong content type. */
export const isPdf = (data: Buffer): boolean => data.subarray(0, 5).toString('latin1') === '%PDF-';

/**
 * Parses the bytes of a response. JSON is parsed, other text is returned as text (it is not a success), and a
 * PDF or any other type is returned as a file. The spec says that responses are JSON but does not show the
 * responses that contain files.
 * Open point: `pdfResponse`.
 */
export function parseContent(headers: Record<string, string>, bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array)) return bytes;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const contentType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const mimeType = isPdf(data) ? PDF_MIME_TYPE : contentType;
  const isText = mimeType === '' || mimeType.startsWith('text/') || mimeType.endsWith('json');
  if (!isText) return new FileContent(data, mimeType, headers['content-disposition'] ?? '');
  const text = data.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether the response has no body, or an empty one. */
const isEmptyResponse = (status: number, headers: Record<string, string>, body: unknown): boolean =>
  status === 204 || (status < 300 && (headers['content-length'] === '0' || body === null));

/**
 * Interprets a response. An error body with a 2xx status gets the status that the body names.
 * @param options `mayBeEmpty`: a response without a body is complete; `isAboutRecord`: see `Endpoint`
 */
export function interpretResponse(
  result: AttemptResult,
  { mayBeEmpty = false, isAboutRecord = false } = {},
): AttemptResult {
  if (result instanceof NetworkError) return result;
  const { status, headers, body } = result;
  const content = parseContent(headers, body);
  const isWhole = mayBeEmpty && isEmptyResponse(status, headers, content);
  const answer = { status: getEffectiveStatus(status, content), headers, body: isWhole ? {} : content };
  return isAboutRecord ? recognizeMissingRecord(answer) : answer;
}

/** The result of one attempt. */
export type AttemptResult = HttpResponse | NetworkError;

/** `msg` of an error body, or '' if it has none (spec: Errors). */
export const readErrorMessage = (body: unknown): string => {
  const { msg } = asObject(body);
  return typeof msg === 'string' ? msg : '';
};

/**
 * Whether the service refused the key and not the user, by the messages that the spec lists (spec: Errors).
 */
export const isKeyRefused = (body: unknown): boolean =>
  /api not found|app not found|api disabled/i.test(readErrorMessage(body));

const isDailyLimit = ({ status, body }: HttpResponse) =>
  status === 429 && /day/i.test(readErrorMessage(body));

/** Seconds until the limit of the day ends, from the response that reports it. */
const readDailyReset = ({ headers }: HttpResponse): number | undefined =>
  parseLimitExceededHeaders(headers, true).day?.resetsInSeconds;

/** The time at which a call that the limit of the day refused may be sent again; undefined for any other result. */
export const findRetryTime = (result: AttemptResult): string | undefined =>
  result instanceof NetworkError || !isDailyLimit(result)
    ? undefined
    : computeRetryTime(readDailyReset(result));

/** A success has a 2xx status and a JSON object or array as body (spec: Key facts). */
export const isSuccess = (result: AttemptResult): result is HttpResponse =>
  !(result instanceof NetworkError) &&
  result.status >= 200 &&
  result.status < 300 &&
  typeof result.body === 'object' &&
  result.body !== null;

export function toAttemptOutcome(result: AttemptResult): AttemptOutcome {
  if (result instanceof NetworkError) return { kind: 'fault', code: result.code };
  if (result.status >= 200 && result.status < 300) return { kind: 'broken' };
  return { kind: 'response', status: result.status, dailyLimit: isDailyLimit(result) };
}

/** Reads the rate limits in the headers of a response. Undefined for a network error. */
export function readRateLimitInfo(result: AttemptResult): RateLimitInfo | undefined {
  if (result instanceof NetworkError) return undefined;
  return result.status === 429
    ? parseLimitExceededHeaders(result.headers, isDailyLimit(result))
    : parseRateLimitHeaders(result.headers);
}

/** The messages of a validation error by field slug (spec: Errors). */
export const readFieldErrors = (result: AttemptResult): Record<string, unknown> =>
  result instanceof NetworkError ? {} : asObject(asObject(result.body).errors);

/** Describes a failed attempt in a few words: the network code, or the status and `msg`. */
export function formatReason(result: AttemptResult): string {
  if (result instanceof NetworkError) return `${result.message} (${result.code})`;
  if (result.status < 300) return 'the answer was not valid JSON, or was incomplete';
  return `${result.status} ${readErrorMessage(result.body)}`.trim();
}

/** Number of characters of an address that every common web server accepts. */
export const SAFE_ADDRESS_LENGTH = 2_000;

/** Whether a web server in front of the service refused a long address. Some answer 400 and not 414. */
const isAddressTooLong = ({ status, body }: HttpResponse, url: string): boolean =>
  status === 400 && !isServiceError(status, body) && url.length > SAFE_ADDRESS_LENGTH;

/**
 * Explains a failed attempt. A 401 with a message that the spec does not list means that the keys are wrong, or, with a
 * user login, the token.
 * Open point: `loginErrors`.
 */
export function explainResult(
  result: AttemptResult,
  { baseUrl, loginMethod }: Pick<Credential, 'baseUrl' | 'loginMethod'>,
  { subject, url = '' }: { subject?: CallSubject; url?: string } = {},
): Explanation {
  if (result instanceof NetworkError) return explainNetworkError(result.code, result.message, baseUrl);
  if (result.status >= 300 && result.status < 400) return explainRedirect(result.headers.location);
  if (result.status < 300) return INVALID_RESPONSE;
  if (isDailyLimit(result)) return explainDailyLimit(readDailyReset(result));
  if (result.status === 401 && !isKeyRefused(result.body)) {
    if (loginMethod === 'none') return explainRefusedKeys(result.body);
    if (loginMethod === 'token') return REFUSED_TOKEN;
  }
  if (isAddressTooLong(result, url)) return REQUEST_TOO_LONG;
  return explainServiceError(result.status, result.body, subject);
}

/** Removes `type: 'success'`, which every successful response has beside its content (spec: Key facts). */
const removeSuccessType = (body: unknown): unknown => {
  if (!isObject(body) || body.type !== 'success') return body;
  const content = { ...body };
  delete content.type;
  return content;
};

const formatIssue = ({ path, message }: z.ZodIssue): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message;

const REMEDIES: Record<Effect, string> = {
  read: 'Check the Base URL in the Record Database API credential: another version of the service, or another server, may answer there.',
  idempotent: 'The service reported success, so the change was probably made. Check it in the service.',
  longRunning: 'The service reported success, so the work was probably started. Check it in the service.',
  nonIdempotent:
    'The service reported success, so this may have been carried out. Check in the service before you run it again.',
};

/** Clients met `status: 'success'` in place of `type: 'success'` (evidence 5). */
const saysSuccess = ({ type, status }: Record<string, unknown>): boolean =>
  type === 'success' || status === 'success';

/** Whether the response to a change does not show that the change was made. */
function isBareResponse({ effect, mustSaySuccess }: Endpoint, body: object): boolean {
  if (effect === 'read' || saysSuccess({ ...body })) return false;
  return mustSaySuccess === true || Object.keys(body).length === 0;
}

const createBareResponseError = (endpoint: Endpoint, status: number, attempts: number) =>
  new ApiError({
    message: `Outcome unknown: the service's answer to ${formatEndpoint(endpoint)} does not say that the change was made`,
    description: `Check in the service whether the change was made, before you repeat it. The answer (status ${status}) is empty, or does not say "success".`,
    status,
    attempts,
    isOutcomeUnknown: true,
    isFromService: true,
    endpoint,
  });

const isUnclearAfter = (effect: Effect): boolean => effect === 'nonIdempotent' || effect === 'longRunning';

const explainMismatch = (endpoint: Endpoint, issues: z.ZodIssue[]): Explanation => ({
  message: `${isUnclearAfter(endpoint.effect) ? 'Outcome unknown: the' : 'The'} service's answer to ${formatEndpoint(endpoint)} does not have the documented form`,
  description: `${issues.slice(0, 3).map(formatIssue).join('; ')}. ${REMEDIES[endpoint.effect]}`,
});

/**
 * Checks the body of a successful response by the endpoint's schema.
 * @throws ApiError if the body does not match the schema, or does not show that a change was made: the call is then
 * not reported as a success
 */
export function parseResponse<Body>(
  endpoint: Endpoint<Body>,
  { status, body }: HttpResponse,
  attempts: number,
): Body {
  if (isBareResponse(endpoint, body as object)) throw createBareResponseError(endpoint, status, attempts);
  const content = removeSuccessType(body);
  if (!endpoint.response) return content as Body;
  const parsed = endpoint.response.safeParse(content);
  if (parsed.success) return parsed.data;
  const explanation = explainMismatch(endpoint, parsed.error.issues);
  throw new ApiError({
    ...explanation,
    status,
    attempts,
    isOutcomeUnknown: isUnclearAfter(endpoint.effect),
    isFromService: true,
    endpoint,
  });
}
