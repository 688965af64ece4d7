import type { IHttpRequestHelper } from 'n8n-workflow';
import { authEndpoints } from '../../model/endpoints/auth';
import { asObject, isObject } from '../../model/input/isObject';
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
import { buildKeyHeaders, type Credential, getSecrets } from './credential';

/** Error code: the service refused the login. The call that needed it was not sent. */
export const LOGIN_FAILED = 'LOGIN_FAILED';

/** Error code: the login failed for a temporary reason. The call that needed it was not sent. */
export const LOGIN_DELAYED = 'LOGIN_DELAYED';

const TRANSIENT_STATUSES = [408, 425];

/** Explains a 403 of auto-login or of a magic link (spec: Authentication, Method 2, rule 7). */
export const PASSWORDLESS_FORBIDDEN: Explanation = {
  message: 'The API key is not set up for logins without a password',
  description:
    'Auto-login and magic links need a specially configured key. Allow it for the key in the service, or use a credential whose key has it.',
};

/** Explains a response to `POST /auth/auto-login` without a token: the spec does not show the response. */
const NO_AUTO_LOGIN_TOKEN: Explanation = {
  message: 'The response to the auto-login has no "token"',
  description:
    'The documentation of the service does not show this response. Run Users > Session > Auto-Login to see it. If another key has the token, choose Token under User Login of the credential.',
};

/** Builds the URL, headers and body of the login, for the login and for the test of the credential. */
export function buildLoginRequest(credential: Credential) {
  const { baseUrl, appId, loginMethod, email, password, remember } = credential;
  const isAutoLogin = loginMethod === 'autoLogin';
  return {
    url: baseUrl + fillPath(isAutoLogin ? authEndpoints.autoLogin : authEndpoints.login, { appId }),
    headers: buildKeyHeaders(credential),
    body: isAutoLogin ? { email } : { email, password, remember },
  };
}

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
  const isAutoLogin = credential.loginMethod === 'autoLogin';
  if (status === 200 && isAutoLogin && isObject(body))
    return createLoginError(credential, LOGIN_FAILED, NO_AUTO_LOGIN_TOKEN);
  if (status < 300) return createLoginError(credential, LOGIN_DELAYED, INVALID_RESPONSE);
  // The spec does not define the body of a refused login. A response that is not JSON comes from a proxy.
  const isPage = status !== 401 && typeof body !== 'object';
  const isTransient = status >= 500 || TRANSIENT_STATUSES.includes(status) || isPage;
  const explanation =
    status === 403 && isAutoLogin && !isPage
      ? PASSWORDLESS_FORBIDDEN
      : explainServiceError(status, body, findSubject(authEndpoints.login));
  return createLoginError(credential, isTransient ? LOGIN_DELAYED : LOGIN_FAILED, explanation);
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
