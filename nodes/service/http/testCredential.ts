import { apiKeyEndpoints, authEndpoints } from '../endpoints/catalogue';
import { NetworkError, REFUSED_TOKEN } from '../errors/apiError';
import { explainNetworkError } from '../errors/explainNetworkError';
import { redact, redactBody } from '../errors/redact';
import { explainServiceError, getEffectiveStatus } from '../errors/serviceErrors';
import { type Explanation, InputError } from '../input/inputError';
import { toLine, toSentence } from '../input/messageText';
import { asObject } from '../input/values';
import { MAX_ANSWER_BYTES } from './client';
import {
  buildKeyHeaders,
  type Credential,
  ensureLoginFields,
  getSecrets,
  parseCredential,
} from './credential';
import { fillPath } from './path';
import type { HttpRequest, HttpResponse } from './port';
import { isKeyRefused, readErrorMessage } from './response';
import { buildLoginRequest, readLoginToken } from './userSession';

type TestRequest = Pick<HttpRequest, 'url' | 'headers' | 'body'> & {
  method: HttpRequest['method'] | 'OPTIONS';
};

/** Sends one request, without following redirects. */
type SendTestRequest = (request: TestRequest) => Promise<HttpResponse | NetworkError>;

/** Limits of each request of the test. */
const LIMITS = { timeout: 20_000, maxBytes: MAX_ANSWER_BYTES };

/**
 * Tests a credential: its values, the keys, and the login if it has one.
 * @param send sends one request with its limits, without following redirects
 * @returns what is wrong and what to change, on one line without secrets; undefined if the credential works
 */
export async function findCredentialProblem(
  data: Record<string, unknown>,
  send: (request: TestRequest & typeof LIMITS) => Promise<HttpResponse | NetworkError>,
): Promise<string | undefined> {
  const sendLimited: SendTestRequest = (request) => send({ ...request, ...LIMITS });
  try {
    const credential = parseCredential(data);
    ensureLoginFields(credential);
    const problem =
      (await findKeyProblem(sendLimited, credential)) ?? (await findLoginProblem(sendLimited, credential));
    return problem && toLine(problem);
  } catch (error) {
    return toLine(error instanceof InputError ? formatExplanation(error) : (error as Error).message);
  }
}

const formatExplanation = ({ message, description }: Explanation) => `${message}. ${description}`;

const formatNetworkError = ({ code, message }: NetworkError, credential: Credential): string => {
  const clean = (text: string) => redact(text, getSecrets(credential));
  return formatExplanation(explainNetworkError(code, clean(message), clean(credential.baseUrl)));
};

const formatServiceError = (status: number, body: unknown, credential: Credential): string =>
  formatExplanation(explainServiceError(status, body, redactBody(body, getSecrets(credential))));

/** Explains a 401 of the test, which sends the keys without a user login: the keys are wrong. */
const formatRefusedKeys = (body: unknown, credential: Credential): string =>
  isKeyRefused(body)
    ? formatServiceError(401, body, credential)
    : toSentence(
        `The service refused the keys. Compare App ID, App Key and App Secret with those in the service. It answered: 401 ${redact(readErrorMessage(body), getSecrets(credential))}`.trim(),
      );

/**
 * Finds the word between "X-" and "-App-id" in the headers that the service allows (spec: General rules, 3). The request has
 * no keys. Undefined if the service names no such header.
 */
async function findShownPrefix(send: SendTestRequest, { baseUrl }: Credential): Promise<string | undefined> {
  const url = baseUrl + apiKeyEndpoints.getStatus.path;
  const response = await send({ method: 'OPTIONS', url, headers: {} });
  if (response instanceof NetworkError) return undefined;
  const allowed = String(response.headers['access-control-allow-headers'] ?? '');
  return /(?:^|[\s,])x-([^\s,]+)-app-(?:id|key|secret)(?=$|[\s,])/i.exec(allowed)?.[1];
}

/**
 * Explains a 401 by the Header Prefix: a service that uses another word in its header names has not received the keys.
 */
async function formatRefusal(send: SendTestRequest, credential: Credential, body: unknown): Promise<string> {
  const { headerPrefix } = credential;
  const shown = await findShownPrefix(send, credential);
  if (shown !== undefined && shown.toLowerCase() !== headerPrefix.toLowerCase())
    return `Change the Header Prefix to ${shown}: the service takes the keys from X-${shown}-App-id, and they were sent in X-${headerPrefix}-App-id. If it still refuses them, compare App ID, App Key and App Secret with those in the service.`;
  const refusal = formatRefusedKeys(body, credential);
  return shown === undefined
    ? `${refusal} If they are right, the Header Prefix may be wrong: with "${headerPrefix}" the first header is X-${headerPrefix}-App-id. The documentation of your service shows its own word there.`
    : refusal;
}

/** Returns the problem with the keys, or undefined if there is none (spec: API status record). */
async function findKeyProblem(send: SendTestRequest, credential: Credential): Promise<string | undefined> {
  const response = await send({
    method: 'GET',
    url: credential.baseUrl + apiKeyEndpoints.getStatus.path,
    headers: buildKeyHeaders(credential),
  });
  if (response instanceof NetworkError) return formatNetworkError(response, credential);
  const { body } = response;
  // An error may have the HTTP status 200.
  const status = getEffectiveStatus(response.status, body);
  if (status >= 300 && status < 400) {
    return 'The Base URL redirects elsewhere. Give the address that it leads to: redirects are not followed, they would carry the keys along.';
  }
  if (status === 404) {
    return `Nothing of the service is at ${redact(credential.baseUrl, getSecrets(credential))} (404). Check the address: another path or host may be needed.`;
  }
  if (status === 401) return formatRefusal(send, credential, body);
  if (status !== 200) return formatServiceError(status, body, credential);
  const parsed = apiKeyEndpoints.getStatus.response?.safeParse(body);
  if (!parsed?.success)
    return 'The Base URL answers, but not as a Record Database Service. Check the address.';
  if (asObject(parsed.data.api_key).status === 'Inactive') {
    return 'The API key is inactive. Activate it in the service, or use another key.';
  }
  return undefined;
}

/** Returns the problem with the given token, or undefined if there is none (spec: User authentication). */
async function findTokenProblem(send: SendTestRequest, credential: Credential): Promise<string | undefined> {
  const { baseUrl, appId, token } = credential;
  const response = await send({
    method: 'POST',
    url: baseUrl + fillPath(authEndpoints.getStatus, { appId }),
    headers: { ...buildKeyHeaders(credential), Authorization: `Bearer ${token}` },
  });
  if (response instanceof NetworkError) return formatNetworkError(response, credential);
  const { status, body } = response;
  const session = authEndpoints.getStatus.response?.safeParse(body);
  if (status === 200 && session?.data?.valid === true) return undefined;
  const isRefused = status === 200 || (status === 401 && !isKeyRefused(body));
  return isRefused ? formatExplanation(REFUSED_TOKEN) : formatServiceError(status, body, credential);
}

/** Returns the problem with the login, or undefined if there is none. */
async function findLoginProblem(send: SendTestRequest, credential: Credential): Promise<string | undefined> {
  if (!credential.hasUserLogin) return undefined;
  if (credential.loginMethod === 'token') return findTokenProblem(send, credential);
  const { url, ...login } = buildLoginRequest(credential);
  const response = await send({ method: 'POST', url, ...login });
  const token = readLoginToken(credential, response);
  return token instanceof NetworkError ? token.message : undefined;
}
