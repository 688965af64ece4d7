import { upperFirst } from 'lodash';
import { apiKeyEndpoints, authEndpoints } from '../endpoints/catalogue';
import { NetworkError, TOKEN_REFUSED } from '../errors/apiError';
import { redact } from '../errors/redact';
import { type Explanation, InputError } from '../input/inputError';
import { toSafeLine } from '../input/messageText';
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
import { type AttemptResult, explainFailure, interpretResponse } from './response';
import { buildLoginRequest, readLoginToken } from './userSession';

type TestRequest = Pick<HttpRequest, 'url' | 'headers' | 'body'> & {
  method: HttpRequest['method'] | 'OPTIONS';
};

type SendTestRequest = (request: TestRequest) => Promise<AttemptResult>;

const TEST_REQUEST_LIMITS = { timeout: 20_000, maxBytes: MAX_ANSWER_BYTES };

/**
 * Tests the settings, the keys, and the user login if there is one.
 * @param send sends one request without following redirects
 * @returns what is wrong and what to change, on one line without secrets; undefined if the credential works
 */
export async function findCredentialProblem(
  data: Record<string, unknown>,
  send: (request: TestRequest & typeof TEST_REQUEST_LIMITS) => Promise<HttpResponse | NetworkError>,
): Promise<string | undefined> {
  const sendLimited: SendTestRequest = async (request) =>
    interpretResponse(await send({ ...request, ...TEST_REQUEST_LIMITS }));
  try {
    const credential = parseCredential(data);
    ensureLoginFields(credential);
    const problem =
      (await findKeyProblem(sendLimited, credential)) ?? (await findLoginProblem(sendLimited, credential));
    return problem && toSafeLine(problem);
  } catch (error) {
    return toSafeLine(error instanceof InputError ? formatExplanation(error) : (error as Error).message);
  }
}

const formatExplanation = ({ message, description }: Explanation) => `${message}. ${description}`;

const formatFailure = (result: AttemptResult, credential: Credential): string =>
  formatExplanation(explainFailure(result, credential, { secrets: getSecrets(credential) }));

/** Sends OPTIONS without keys: the response names the headers that are allowed (spec: General rules, 3). */
async function findHeaderPrefix(send: SendTestRequest, { baseUrl }: Credential): Promise<string | undefined> {
  const url = baseUrl + apiKeyEndpoints.getStatus.path;
  const response = await send({ method: 'OPTIONS', url, headers: {} });
  const allowed = String(response.headers['access-control-allow-headers'] ?? '');
  return /(?:^|[\s,])x-([^\s,]+)-app-(?:id|key|secret)(?=$|[\s,])/i.exec(allowed)?.[1];
}

/** Checks the Header Prefix: if it is wrong, the service has not received the keys. */
async function explainKeyRefusal(
  send: SendTestRequest,
  credential: Credential,
  refusal: string,
): Promise<string> {
  const { headerPrefix } = credential;
  const shown = await findHeaderPrefix(send, credential);
  if (shown !== undefined && shown.toLowerCase() !== headerPrefix.toLowerCase())
    return `Change the Header Prefix to ${upperFirst(shown)}: the service takes the keys from X-${upperFirst(shown)}-App-id, and they were sent in X-${headerPrefix}-App-id. If it still refuses them, compare App ID, App Key and App Secret with those in the service.`;
  return shown === undefined
    ? `${refusal} If they are right, the Header Prefix may be wrong: with "${headerPrefix}" the first header is X-${headerPrefix}-App-id. The documentation of your service shows its own word there.`
    : refusal;
}

/** Checks the keys (spec: API status record). */
async function findKeyProblem(send: SendTestRequest, credential: Credential): Promise<string | undefined> {
  const response = await send({
    method: 'GET',
    url: credential.baseUrl + apiKeyEndpoints.getStatus.path,
    headers: buildKeyHeaders(credential),
  });
  // The request has no user login, so a 401 is about the keys.
  const failure = formatFailure(response, { ...credential, loginMethod: 'none' });
  const { status, body } = response;
  if (status === 401) return explainKeyRefusal(send, credential, failure);
  // The text of `failure` would advise to pick an object from a list. Here, the Base URL is wrong.
  if (status === 404)
    return `Nothing of the service is at ${redact(credential.baseUrl, getSecrets(credential))} (404). Check the address: another path or host may be needed.`;
  if (status !== 200) return failure;
  const parsed = apiKeyEndpoints.getStatus.response?.safeParse(body);
  if (!parsed?.success)
    return 'The Base URL answers, but not as a Record Database Service. Check the address.';
  if (asObject(parsed.data.api_key).status === 'Inactive') {
    return 'The API key is inactive. Activate it in the service, or use another key.';
  }
  return undefined;
}

/** Checks the token (spec: User authentication). */
async function findTokenProblem(send: SendTestRequest, credential: Credential): Promise<string | undefined> {
  const { baseUrl, appId, token } = credential;
  const response = await send({
    method: 'POST',
    url: baseUrl + fillPath(authEndpoints.getStatus, { appId }),
    headers: { ...buildKeyHeaders(credential), Authorization: `Bearer ${token}` },
  });
  // A token that is refused with HTTP 200 has the status 422 here (`getEffectiveStatus`).
  if (![200, 422].includes(response.status)) return formatFailure(response, credential);
  const session = authEndpoints.getStatus.response?.safeParse(response.body);
  return session?.data?.valid === true ? undefined : formatExplanation(TOKEN_REFUSED);
}

async function findLoginProblem(send: SendTestRequest, credential: Credential): Promise<string | undefined> {
  if (!credential.hasUserLogin) return undefined;
  if (credential.loginMethod === 'token') return findTokenProblem(send, credential);
  const { url, ...login } = buildLoginRequest(credential);
  const response = await send({ method: 'POST', url, ...login });
  const token = readLoginToken(credential, response);
  return token instanceof NetworkError ? token.message : undefined;
}
