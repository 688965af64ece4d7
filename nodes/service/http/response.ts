/** One response, from its status and body to the result of the call. */
import { omit } from 'lodash';
import type { z } from 'zod';
import { type Effect, type Endpoint, formatEndpoint } from '../endpoints/endpoint';
import {
  ApiError,
  INVALID_RESPONSE,
  NetworkError,
  TOKEN_REFUSED,
  computeRetryTime,
  explainDailyLimit,
  explainRedirect,
  explainRefusedKeys,
} from '../errors/apiError';
import { explainNetworkError } from '../errors/explainNetworkError';
import { redact, redactBody } from '../errors/redact';
import {
  type CallSubject,
  REQUEST_TOO_LONG,
  explainServiceError,
  getEffectiveStatus,
  isServiceError,
  readErrorMessage,
  convertEmptyItemTo404,
} from '../errors/serviceErrors';
import type { Explanation } from '../input/inputError';
import { asObject, isObject } from '../input/values';
import type { Credential } from './credential';
import { type RateLimitInfo, parseLimitExceededHeaders, parseRateLimitHeaders } from './minuteWindow';
import { parseContent } from './parseContent';
import type { HttpResponse } from './port';

const isEmptyResponse = (status: number, headers: Record<string, string>, body: unknown): boolean =>
  status === 204 || (status < 300 && (headers['content-length'] === '0' || body === null));

/**
 * Reads a response. An error with a status from 200 to 299 gets the status of an error (`getEffectiveStatus`).
 * @param options `mayBeEmpty`: a response without a body is complete; `isAboutRecord`: an empty `item` shows that there
 *   is no record
 */
export function interpretResponse(
  result: HttpResponse | NetworkError,
  { mayBeEmpty = false, isAboutRecord = false } = {},
): AttemptResult {
  if (result instanceof NetworkError) return createFailedResult(result);
  const { status, headers, body } = result;
  const content = parseContent(headers, body);
  const isWhole = mayBeEmpty && isEmptyResponse(status, headers, content);
  const answer = { status: getEffectiveStatus(status, content), headers, body: isWhole ? {} : content };
  return isAboutRecord ? convertEmptyItemTo404(answer) : answer;
}

/** The response to one attempt, or why there is none. */
export interface AttemptResult extends HttpResponse {
  /** Why there is no response; `status` is then 0. */
  fault?: NetworkError;
}

export const createFailedResult = (fault: NetworkError): AttemptResult => ({
  status: 0,
  headers: {},
  body: {},
  fault,
});

/** Whether the service refused the key, and not the user. The spec lists these messages (Errors). */
export const saysKeyRefused = (body: unknown): boolean =>
  /api not found|app not found|api disabled/i.test(readErrorMessage(body));

export const isDailyLimitError = ({ status, body }: HttpResponse): boolean =>
  status === 429 && /day/i.test(readErrorMessage(body));

/** Seconds until the daily limit ends. */
const readDailyResetSeconds = ({ headers }: HttpResponse): number =>
  parseLimitExceededHeaders(headers, true).day!.resetsInSeconds;

/**
 * Returns the time after which a call may be sent again that was refused because of the daily limit. Undefined for any
 * other result.
 */
export const findRetryTime = (result: AttemptResult): string | undefined =>
  isDailyLimitError(result) ? computeRetryTime(readDailyResetSeconds(result)) : undefined;

/** Whether an attempt succeeded. Every success has a JSON object or array as its body (spec: Key facts). */
export const isSuccess = ({ status, body }: AttemptResult): boolean =>
  status >= 200 && status < 300 && typeof body === 'object' && body !== null;

export const readRateLimitInfo = (result: AttemptResult): RateLimitInfo =>
  result.status === 429
    ? parseLimitExceededHeaders(result.headers, isDailyLimitError(result))
    : parseRateLimitHeaders(result.headers);

/** Reads the messages of a validation error, by field slug (spec: Errors). */
export const readFieldErrors = ({ body }: AttemptResult): Record<string, unknown> =>
  asObject(asObject(body).errors);

/** Says in a few words why an attempt failed, without secrets. */
export function formatReason({ status, body, fault }: AttemptResult, secrets: string[]): string {
  if (fault) return `${redactFault(fault, secrets)} (${fault.code})`;
  if (status < 300) return 'the answer was not valid JSON, or was incomplete';
  return `${status} ${redact(readErrorMessage(body), secrets)}`.trim();
}

/** An address of this length is accepted by every common web server. */
export const SAFE_ADDRESS_LENGTH = 2_000;

/** Whether a web server refused a long address. Some servers answer 400 in place of 414. */
const isAddressTooLong = ({ status, body }: HttpResponse, url: string): boolean =>
  status === 400 && !isServiceError(status, body) && url.length > SAFE_ADDRESS_LENGTH;

/**
 * Removes secrets from the message of a network error. The text of a login error contains none, so it is returned
 * unchanged: a secret may be a common word of this text.
 */
const redactFault = ({ code, message }: NetworkError, secrets: string[]): string =>
  code.startsWith('LOGIN_') ? message : redact(message, secrets);

/**
 * Explains a failed attempt, without `secrets`. If the spec does not list the message of a 401, the keys are wrong, or
 * the token of the user login is wrong. Open point: `loginErrors`.
 */
export function explainFailure(
  result: AttemptResult,
  { baseUrl, loginMethod }: Pick<Credential, 'baseUrl' | 'loginMethod'>,
  { subject, url = '', secrets = [] }: { subject?: CallSubject; url?: string; secrets?: string[] } = {},
): Explanation {
  const { fault } = result;
  if (fault) return explainNetworkError(fault.code, redactFault(fault, secrets), redact(baseUrl, secrets));
  const location = redact(result.headers.location ?? '', secrets);
  if (result.status >= 300 && result.status < 400) return explainRedirect(location);
  if (result.status < 300) return INVALID_RESPONSE;
  const shown = redactBody(result.body, secrets);
  if (isDailyLimitError(result)) return explainDailyLimit(readDailyResetSeconds(result));
  if (result.status === 401 && !saysKeyRefused(result.body)) {
    if (loginMethod === 'none') return explainRefusedKeys(shown);
    if (loginMethod === 'token') return TOKEN_REFUSED;
  }
  if (isAddressTooLong(result, url)) return REQUEST_TOO_LONG;
  return explainServiceError(result.status, result.body, shown, subject);
}

/** Every successful response contains `type: 'success'` (spec: Key facts), which no caller needs. */
const removeSuccessType = (body: unknown): unknown =>
  isObject(body) && body.type === 'success' ? omit(body, 'type') : body;

const formatIssue = ({ path, message }: z.ZodIssue): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message;

const REMEDIES: Record<Effect, string> = {
  read: 'Check the Base URL in the Record Database API credential: another version of the service, or another server, may answer there.',
  idempotent: 'The service reported success, so the change was probably made. Check it in the service.',
  longRunning: 'The service reported success, so the work was probably started. Check it in the service.',
  nonIdempotent:
    'The service reported success, so this may have been carried out. Check in the service before you run it again.',
};

/** Some services send `status` in place of `type` (evidence 5). */
const saysSuccess = ({ type, status }: Record<string, unknown>): boolean =>
  type === 'success' || status === 'success';

/** Whether the endpoint changes something, and its response does not show that the change was made. */
function isUnconfirmed({ effect, mustSaySuccess }: Endpoint, body: object): boolean {
  if (effect === 'read' || saysSuccess({ ...body })) return false;
  return mustSaySuccess === true || Object.keys(body).length === 0;
}

const explainUnconfirmed = (endpoint: Endpoint, status: number): Explanation => ({
  message: `Outcome unknown: the service's answer to ${formatEndpoint(endpoint)} does not say that the change was made`,
  description: `Check in the service whether the change was made, before you repeat it. The answer (status ${status}) is empty, or does not say "success".`,
});

const isOutcomeUnclear = (effect: Effect): boolean => effect === 'nonIdempotent' || effect === 'longRunning';

const explainWrongForm = (endpoint: Endpoint, issues: z.ZodIssue[]): Explanation => ({
  message: `${isOutcomeUnclear(endpoint.effect) ? 'Outcome unknown: the' : 'The'} service's answer to ${formatEndpoint(endpoint)} does not have the documented form`,
  description: `${issues.slice(0, 3).map(formatIssue).join('; ')}. ${REMEDIES[endpoint.effect]}`,
});

/**
 * Checks the body of a successful response. @throws ApiError if it has another form, or does not show that a change was
 * made
 */
export function parseResponse<Body>(
  endpoint: Endpoint<Body>,
  { status, body }: HttpResponse,
  attempts: number,
): Body {
  const createError = (explanation: Explanation, isOutcomeUnknown: boolean) =>
    new ApiError({ ...explanation, status, attempts, isOutcomeUnknown, isFromService: true, endpoint });
  if (isUnconfirmed(endpoint, body as object)) throw createError(explainUnconfirmed(endpoint, status), true);
  const content = removeSuccessType(body);
  if (!endpoint.response) return content as Body;
  const parsed = endpoint.response.safeParse(content);
  if (parsed.success) return parsed.data;
  throw createError(explainWrongForm(endpoint, parsed.error.issues), isOutcomeUnclear(endpoint.effect));
}
