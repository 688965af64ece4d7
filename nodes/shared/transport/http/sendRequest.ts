import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestHelper,
  IHttpRequestMethods,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow';
import type { NetworkError } from '../errors/networkError';
import { encodeBody } from './encodeBody';
import { type HttpResponse, type N8nResponse, toHttpResponse } from './httpResponse';
import { ACCEPT_FILE_OR_JSON } from './parseContent';
import { type N8nRequestError, toNetworkError } from './requestError';

/** The n8n contexts that send requests. */
export type ApiContext =
  | IExecuteFunctions
  | ILoadOptionsFunctions
  | IHookFunctions
  | IWebhookFunctions
  | IPollFunctions;

export const CREDENTIAL_TYPE = 'recordDatabaseApi';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  query?: object;
  body?: object;
  headers?: Record<string, string>;
  /** The response may be a file. It is requested as bytes and parsed by its content type. */
  file?: boolean;
  /** A response without a body is complete. */
  mayBeEmpty?: boolean;
  /** Milliseconds to wait for a response. */
  timeout: number;
}

/**
 * For GET, `method` is left out: n8n removes the body of a request whose method is given as GET, and
 * `batch-update-check` is a GET with a body.
 */
function buildHttpRequestOptions({
  method,
  url,
  query,
  body,
  headers,
  file,
  timeout,
}: HttpRequest): IHttpRequestOptions {
  const encoded = encodeBody(body);
  return {
    ...(method !== 'GET' && { method: method as IHttpRequestMethods }),
    url,
    qs: query as IDataObject | undefined,
    // The types of n8n allow only the `form-data` package here, but its client accepts the platform's
    // FormData too.
    body: encoded.body as IDataObject | undefined,
    headers: { ...encoded.headers, ...headers, ...(file && { Accept: ACCEPT_FILE_OR_JSON }) },
    ...(file && { encoding: 'arraybuffer' }),
    timeout,
    json: true,
    arrayFormat: 'indices',
    returnFullResponse: true,
    // Every status is a response. With a thrown 401, n8n would send the call a second time.
    ignoreHttpStatusErrors: true,
    // n8n would send the key headers to the redirect target.
    disableFollowRedirect: true,
  };
}

/**
 * Sends one request with the headers of a credential. `credential` is passed on as n8n returned it, because n8n would
 * read it again for item 0, and the expressions in it may name another user there. It never throws: it returns a
 * response for every status, and a NetworkError if no complete response arrived.
 */
export async function sendRequest(
  context: ApiContext,
  request: HttpRequest,
  credential: ICredentialDataDecryptedObject,
): Promise<HttpResponse | NetworkError> {
  const decrypted = { id: '', name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE, data: credential };
  try {
    const response = (await context.helpers.httpRequestWithAuthentication.call(
      context,
      CREDENTIAL_TYPE,
      buildHttpRequestOptions(request),
      { credentialsDecrypted: decrypted },
    )) as N8nResponse;
    return toHttpResponse(response, request.mayBeEmpty);
  } catch (error) {
    return toNetworkError(error as N8nRequestError);
  }
}

/** Sends one request without the headers of the credential. `signal` cancels it. */
export async function sendPlainRequest(
  { helpers }: IHttpRequestHelper,
  request: HttpRequest,
  signal?: AbortSignal,
): Promise<HttpResponse | NetworkError> {
  const options: IHttpRequestOptions = {
    ...buildHttpRequestOptions(request),
    ...(signal && { abortSignal: signal }),
  };
  try {
    return toHttpResponse((await helpers.httpRequest(options)) as N8nResponse);
  } catch (error) {
    return toNetworkError(error as N8nRequestError);
  }
}
