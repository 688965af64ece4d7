import { asObject } from '../../model/input/isObject';
import { isServiceError } from '../../model/responses/errorResponse';
import { type Explanation, REQUEST_TOO_LONG } from '../../model/responses/errors/errorRules';
import type { CallSubject } from '../../model/responses/errors/findSubject';
import { explainServiceError } from '../../model/responses/serviceError';
import type { Credential } from '../auth/credential';
import { explainDailyLimit } from '../errors/clientErrors';
import {
  explainRedirect,
  explainRefusedKeys,
  INVALID_RESPONSE,
  REFUSED_TOKEN,
} from '../errors/explainFailure';
import { explainNetworkError } from '../errors/explainNetworkError';
import { NetworkError } from '../errors/networkError';
import {
  parseLimitExceededHeaders,
  parseRateLimitHeaders,
  type RateLimitInfo,
} from '../rateLimit/parseRateLimitHeaders';
import type { AttemptOutcome } from '../retry';
import type { HttpResponse } from './httpResponse';

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

/** Reads the rate limit from a response. A network error has no headers and returns undefined. */
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
const SAFE_QUERY_LENGTH = 2_000;

/** Whether a web server in front of the service refused a long address. Some answer 400 and not 414. */
const isAddressTooLong = ({ status, body }: HttpResponse, query: object): boolean =>
  status === 400 && !isServiceError(status, body) && JSON.stringify(query).length > SAFE_QUERY_LENGTH;

/**
 * Explains a failed attempt. A 401 with a message that the spec does not list means that the keys are wrong, or, with a
 * user login, the token.
 */
export function explainResult(
  result: AttemptResult,
  { baseUrl, loginMethod }: Pick<Credential, 'baseUrl' | 'loginMethod'>,
  { subject, query = {} }: { subject?: CallSubject; query?: object } = {},
): Explanation {
  if (result instanceof NetworkError) return explainNetworkError(result.code, result.message, baseUrl);
  if (result.status >= 300 && result.status < 400) return explainRedirect(result.headers.location);
  if (result.status < 300) return INVALID_RESPONSE;
  if (isDailyLimit(result))
    return explainDailyLimit(parseLimitExceededHeaders(result.headers, true).day?.resetsInSeconds);
  if (result.status === 401 && !isKeyRefused(result.body)) {
    if (loginMethod === 'none') return explainRefusedKeys(result.body);
    if (loginMethod === 'token') return REFUSED_TOKEN;
  }
  if (isAddressTooLong(result, query)) return REQUEST_TOO_LONG;
  return explainServiceError(result.status, result.body, subject);
}
