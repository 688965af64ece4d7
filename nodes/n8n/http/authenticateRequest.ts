import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import {
  type Credential,
  NO_LOGIN,
  buildKeyHeaders,
  ensureLoginFields,
  parseCredential,
} from '../../client/http/credential';

/**
 * Checks that a request goes to the service, because its keys must not be sent to another server.
 * @throws Error for a request to another origin than the Base URL
 */
function assertBaseUrl({ baseUrl }: Credential, { url, baseURL }: IHttpRequestOptions): void {
  const base = baseURL ?? baseUrl;
  const target = URL.canParse(url, base) ? new URL(url, base) : undefined;
  if (target?.origin === new URL(baseUrl).origin) return;
  throw new Error(
    `The keys of this credential are sent to ${new URL(baseUrl).origin} only, not to ${target?.origin ?? 'this address'}. Use the Base URL of the credential.`,
  );
}

/**
 * Returns the `Authorization` for a request without one of its own. Only other nodes send such requests with a user
 * login, HTTP Request for example: our nodes add the user's token themselves (`UserSession`).
 * @throws Error if the user must be logged in: the keys alone would give access to all records
 */
function createAuthorization(credential: Credential): string {
  if (!credential.userLogin) return NO_LOGIN;
  ensureLoginFields(credential);
  if (credential.loginMethod === 'token') return `Bearer ${credential.token}`;
  throw new Error(
    'This credential acts as a user, and only the nodes of Record Database log users in. Send the token of a login in the header Authorization, or choose Token under User Login of the credential.',
  );
}

/**
 * Adds the key headers to a request. An `Authorization` that the request has is kept; NO_LOGIN is removed.
 * @throws Error for a request to another origin than the Base URL, and for one that needs a login
 */
export async function authenticateRequest(
  credentials: ICredentialDataDecryptedObject,
  requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const credential = parseCredential(credentials);
  assertBaseUrl(credential, requestOptions);
  const { Authorization = createAuthorization(credential), ...headers } = requestOptions.headers ?? {};
  requestOptions.headers = {
    ...headers,
    ...buildKeyHeaders(credential),
    ...(Authorization !== NO_LOGIN && { Authorization }),
  };
  return requestOptions;
}
