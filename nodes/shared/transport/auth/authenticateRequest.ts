import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import {
  buildKeyHeaders,
  type Credential,
  decodeSessionToken,
  NO_LOGIN,
  parseCredential,
} from './credential';

/** A token that the service refuses with 401. n8n then logs the user in. */
const NO_TOKEN = 'none';

/**
 * The `Authorization` of each call before this credential changed it, by headers object. After a renewed
 * login n8n passes the same headers object again; its `Authorization` is then the expired token.
 */
const originalAuthorizations = new WeakMap<object, unknown>();

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
 * Adds the key headers to a request, and the user's token if the credential acts as a user.
 * @throws Error for a request to another origin than the Base URL
 */
export async function authenticateRequest(
  credentials: ICredentialDataDecryptedObject,
  requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const credential = parseCredential(credentials);
  assertBaseUrl(credential, requestOptions);
  // If the credential acts as a user, never send the keys alone: they give access to all records.
  const bearer = decodeSessionToken(credential, credentials.sessionToken) ?? NO_TOKEN;
  // A call about a user session sets its own Authorization header.
  const { Authorization: ownAuthorization, ...headers } = requestOptions.headers ?? {};
  const originalAuthorization =
    requestOptions.headers && originalAuthorizations.has(requestOptions.headers)
      ? originalAuthorizations.get(requestOptions.headers)
      : ownAuthorization;
  const login = credential.userLogin ? `Bearer ${bearer}` : NO_LOGIN;
  const Authorization = originalAuthorization ?? login;
  requestOptions.headers = {
    ...headers,
    ...buildKeyHeaders(credential),
    ...(Authorization !== NO_LOGIN && { Authorization }),
  };
  originalAuthorizations.set(requestOptions.headers, originalAuthorization);
  return requestOptions;
}
