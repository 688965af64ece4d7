/** What a response means: its status and body become the result of a call, or an error. */
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
  explainServiceError,
  getEffectiveStatus,
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
 * @param options `mayBeEmpty`: a response without a body is complete; `isAboutRecord`: an empty `item` shows that there
 * is no record
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

/** Whether the service refused the key, and not the user (spec: Errors). */
export const saysKeyRefused = (body: unknown): boolean =>
  /api not found|app not found|api disabled/i.test(readErrorMessage(body));

export const isDailyLimitError = ({ status, body }: HttpResponse): boolean =>
  status === 429 && /day/i.test(readErrorMessage(body));

const readDailyResetSeconds = ({ headers }: HttpResponse): number =>
  parseLimitExceededHeaders(headers, true).day!.resetsInSeconds;

/** @returns when a call that the daily limit refused may be sent again (ISO 8601); undefined for any other result */
export const findRetryTime = (result: AttemptResult): string | undefined =>
  isDailyLimitError(result) ? computeRetryTime(readDailyResetSeconds(result)) : undefined;

/** Every success has a JSON object or array as its body (spec: Key facts). */
export const isSuccess = ({ status, body }: AttemptResult): boolean =>
  status >= 200 && status < 300 && typeof body === 'object' && body !== null;

export const readRateLimitInfo = (result: AttemptResult): RateLimitInfo =>
  result.status === 429
    ? parseLimitExceededHeaders(result.headers, isDailyLimitError(result))
    : parseRateLimitHeaders(result.headers);

/** @returns errors by field slug (spec: Errors) */
export const readFieldErrors = ({ body }: AttemptResult): Record<string, unknown> =>
  asObject(asObject(body).errors);

/** Says why an attempt failed, in a few words without secrets. */
export function formatReason({ status, body, fault }: AttemptResult, secrets: string[]): string {
  if (fault) return `${redactFault(fault, secrets)} (${fault.code})`;
  if (status < 300) return 'the answer was not valid JSON, or was incomplete';
  return `${status} ${redact(readErrorMessage(body), secrets)}`.trim();
}

/** The text of a login error contains no secrets, so it is not redacted: a secret may be a common word of this text. */
const redactFault = ({ code, message }: NetworkError, secrets: string[]): string =>
  code.startsWith('LOGIN_') ? message : redact(message, secrets);

/**
 * Explains why an attempt failed. A 401 whose message the spec does not list is about the keys or the token.
 * See silences.md: `loginErrors`.
 */
export function explainFailure(
  result: AttemptResult,
  { baseUrl, loginMethod }: Pick<Credential, 'baseUrl' | 'loginMethod'>,
  { subject, secrets = [] }: { subject?: CallSubject; secrets?: string[] } = {},
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
  return explainServiceError(result.status, result.body, shown, subject);
}

/** Every successful response contains `type: 'success'` (spec: Key facts), which no caller needs. */
const removeSuccessType = (body: unknown): unknown =>
  isObject(body) && body.type === 'success' ? omit(body, 'type') : body;

const formatIssue = ({ path, message }: z.ZodIssue): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message;

const REMEDIES_BY_EFFECT: Record<Effect, string> = {
  read: 'Check the Base URL in the Record Database API credential: another version of the service, or another server, may answer there.',
  idempotent: 'The service reported success, so the change was probably made. Check it in the service.',
  longRunning: 'The service reported success, so the work was probably started. Check it in the service.',
  nonIdempotent:
    'The service reported success, so this may have been carried out. Check in the service before you run it again.',
};

/** Some services send `status` in place of `type` (evidence 5). */
const saysSuccess = ({ type, status }: Record<string, unknown>): boolean =>
  type === 'success' || status === 'success';

/** Whether the response to a change leaves open whether the change was made. */
function isUnconfirmed({ effect, mustSaySuccess }: Endpoint, body: object): boolean {
  if (effect === 'read' || saysSuccess({ ...body })) return false;
  return mustSaySuccess === true || Object.keys(body).length === 0;
}

const explainUnconfirmed = (endpoint: Endpoint, status: number): Explanation => ({
  message: `Outcome unknown: the service's answer to ${formatEndpoint(endpoint)} does not say that the change was made`,
  description: `Check in the service whether the change was made, before you repeat it. The answer (status ${status}) is empty, or does not say "success".`,
});

const leavesOutcomeUnknown = (effect: Effect): boolean =>
  effect === 'nonIdempotent' || effect === 'longRunning';

const explainWrongBody = (endpoint: Endpoint, issues: z.ZodIssue[]): Explanation => ({
  message: `${leavesOutcomeUnknown(endpoint.effect) ? 'Outcome unknown: the' : 'The'} service's answer to ${formatEndpoint(endpoint)} does not have the documented form`,
  description: `${issues.slice(0, 3).map(formatIssue).join('; ')}. ${REMEDIES_BY_EFFECT[endpoint.effect]}`,
});

/** @throws ApiError if the body does not fit `endpoint.response`, or does not show that a change was made */
export function parseResponse<Body>(
  endpoint: Endpoint<Body>,
  { status, body }: HttpResponse,
  sentCount: number,
): Body {
  const createError = (explanation: Explanation, isOutcomeUnknown: boolean) =>
    new ApiError({ ...explanation, status, sentCount, isOutcomeUnknown, isFromService: true, endpoint });
  if (isUnconfirmed(endpoint, body as object)) throw createError(explainUnconfirmed(endpoint, status), true);
  const content = removeSuccessType(body);
  if (!endpoint.response) return content as Body;
  const parsed = endpoint.response.safeParse(content);
  if (parsed.success) return parsed.data;
  throw createError(explainWrongBody(endpoint, parsed.error.issues), leavesOutcomeUnknown(endpoint.effect));
}
