import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { authEndpoints } from '../../model/endpoints/auth';
import { asObject } from '../../model/input/isObject';
import { getEffectiveStatus } from '../../model/responses/errorResponse';
import type { Explanation } from '../../model/responses/errors/errorRules';
import { findSubject } from '../../model/responses/errors/findSubject';
import { explainServiceError } from '../../model/responses/serviceError';
import { explainRedirect, INVALID_RESPONSE } from '../errors/explainFailure';
import { explainNetworkError } from '../errors/explainNetworkError';
import { NetworkError } from '../errors/networkError';
import { redact } from '../errors/redact';
import type { HttpResponse } from '../http/httpResponse';
import { fillPath } from '../http/path';
import { sendPlainRequest } from '../http/sendRequest';
import {
  buildKeyHeaders,
  type Credential,
  encodeSessionToken,
  getSecrets,
  parseCredential,
} from './credential';
import { getHandedOverToken } from './handedOverTokens';

/** Error code: the service refused the login. The call that needed it was not sent. */
export const LOGIN_FAILED = 'LOGIN_FAILED';

/** Error code: the login failed for a temporary reason. The call that needed it was not sent. */
export const LOGIN_DELAYED = 'LOGIN_DELAYED';

const TRANSIENT_STATUSES = [408, 425];
const TOO_MANY_REQUESTS = 429;

/** Timeout in milliseconds of a login that n8n starts by itself, for the HTTP Request node for example. */
const LOGIN_TIMEOUT_MS = 60_000;

/**
 * Builds the URL, headers and body of `POST /auth/login`, for the login and for the test of the credential.
 */
export const buildLoginRequest = (credential: Credential) => ({
  url: credential.baseUrl + fillPath(authEndpoints.login, { appId: credential.appId }),
  headers: buildKeyHeaders(credential),
  body: { email: credential.email, password: credential.password, remember: credential.remember },
});

function createLoginError(
  credential: Credential,
  code: string,
  { message, description }: Explanation,
): NetworkError {
  const text = `The login of ${credential.email || 'the user'} failed. ${message}. ${description}`;
  return new NetworkError(code, redact(text, getSecrets(credential)));
}

/**
 * Explains a login response without a token. A response that cannot be read counts as temporary, as a 502
 * does.
 */
function toLoginError(
  credential: Credential,
  { status: httpStatus, headers, body }: HttpResponse,
): NetworkError {
  const status = getEffectiveStatus(httpStatus, body);
  if (status >= 300 && status < 400)
    return createLoginError(credential, LOGIN_DELAYED, explainRedirect(headers.location));
  if (status < 300) return createLoginError(credential, LOGIN_DELAYED, INVALID_RESPONSE);
  // The spec does not define the body of a refused login. A response that is not JSON comes from a proxy.
  const isPage = status !== 401 && typeof body !== 'object';
  const isTransient = status >= 500 || TRANSIENT_STATUSES.includes(status) || isPage;
  return createLoginError(
    credential,
    isTransient ? LOGIN_DELAYED : LOGIN_FAILED,
    explainServiceError(status, body, findSubject(authEndpoints.login)),
  );
}

/** Returns the token in a login response (spec: User authentication), or the error if there is none. */
export function readLoginToken(
  credential: Credential,
  result: HttpResponse | NetworkError,
): string | NetworkError {
  if (result instanceof NetworkError) {
    return createLoginError(
      credential,
      LOGIN_DELAYED,
      explainNetworkError(result.code, result.message, credential.baseUrl),
    );
  }
  const { token } = asObject(result.body);
  const isSuccess = getEffectiveStatus(result.status, result.body) === 200;
  return isSuccess && typeof token === 'string' && token !== '' ? token : toLoginError(credential, result);
}

/**
 * Sends the login without n8n's authentication, so that the timeout and the cancellation of the execution
 * apply to it.
 */
export const requestLogin = (
  helper: IHttpRequestHelper,
  credential: Credential,
  timeout: number,
  signal?: AbortSignal,
): Promise<HttpResponse | NetworkError> =>
  sendPlainRequest(helper, { method: 'POST', ...buildLoginRequest(credential), timeout }, signal);

/**
 * n8n treats a thrown `response` as the response to the call, so the retries of the call wait for the rate
 * limit.
 */
const createRateLimitedError = ({ status, headers, body: data }: HttpResponse): Error =>
  Object.assign(new Error('Too many requests'), { response: { status, headers, data } });

/**
 * n8n calls this function when the credential has no token, or after a 401. Our nodes log in before
 * (`UserSession`) and hand over the token, so that n8n stores it.
 * @throws NetworkError with LOGIN_FAILED or LOGIN_DELAYED
 */
export async function authenticateUser(
  helper: IHttpRequestHelper,
  data: ICredentialDataDecryptedObject,
): Promise<{ sessionToken?: string }> {
  const credential = parseCredential(data);
  if (!credential.userLogin) return {};
  const handedOver = getHandedOverToken(credential);
  if (handedOver !== undefined) return { sessionToken: encodeSessionToken(credential, handedOver) };
  const result = await requestLogin(helper, credential, LOGIN_TIMEOUT_MS);
  if (!(result instanceof NetworkError) && result.status === TOO_MANY_REQUESTS)
    throw createRateLimitedError(result);
  const token = readLoginToken(credential, result);
  if (token instanceof NetworkError) throw token;
  return { sessionToken: encodeSessionToken(credential, token) };
}
