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
import { NetworkError } from '../../client/errors/apiError';
import {
  ACCEPT_FILE_OR_JSON,
  type HttpResponse,
  type N8nResponse,
  toHttpResponse,
} from '../../client/http/response';
import { isObject } from '../../client/input/values';

/** Keys that n8n's HTTP client leaves out of an object without an error. */
const DROPPED_KEYS = ['__proto__', 'constructor', 'prototype'];

function hasDroppedKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasDroppedKey);
  if (!isObject(value)) return false;
  return DROPPED_KEYS.some((key) => Object.hasOwn(value, key)) || Object.values(value).some(hasDroppedKey);
}

interface EncodedBody {
  body?: object | string;
  headers?: Record<string, string>;
}

/** Converts an object with such a key to JSON text, which is sent as it is. A slug may be `constructor`. */
export const encodeBody = (body: object | undefined): EncodedBody =>
  hasDroppedKey(body)
    ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
    : { body };

/** An error as n8n's request helper throws it. */
export interface N8nRequestError {
  name?: string;
  code?: string;
  message?: string;
  cause?: {
    name?: string;
    cause?: { name?: string };
    code?: string;
    syscall?: string;
    message?: string;
  };
  /** The code of the network error in n8n up to 2.20, which has neither `cause` nor `code`. */
  httpCode?: string | null;
  /** The message of the network error, in n8n up to 2.20. */
  messages?: string[];
}

/** Node's message for a connection reset during the TLS handshake, before the request was sent. */
const BEFORE_TLS = /before secure TLS connection/i;

/**
 * Distinguishes errors while connecting, when nothing was sent, from errors after the request may have
 * arrived.
 */
function toErrorCode(code: string, message: string, syscall?: string): string {
  // Node begins the message with the system call: "connect EHOSTUNREACH 10.0.0.1:443".
  const isConnecting = syscall === 'connect' || /^connect /.test(message);
  if (code === 'ECONNRESET' && (BEFORE_TLS.test(message) || isConnecting)) return 'ECONNRESET_BEFORE_TLS';
  return /^E(HOST|NET)UNREACH$/.test(code) && !isConnecting ? `${code}_LATER` : code;
}

const isSsrfBlock = (name?: string) => /^SsrfBlocked/.test(name ?? '');

/**
 * Converts an error of n8n's helper. That error contains the request with the key headers, so only its code
 * and message are kept.
 */
export function toNetworkError(error: N8nRequestError): NetworkError {
  const { cause, code, httpCode, message, messages, name } = error;
  const reason = cause?.message ?? messages?.[0] ?? message ?? 'no answer';
  if (isSsrfBlock(name) || isSsrfBlock(cause?.name) || isSsrfBlock(cause?.cause?.name)) {
    return new NetworkError('SSRF_BLOCKED', reason);
  }
  const codes = [cause?.code, code, httpCode];
  const networkCode = codes.find((candidate) => typeof candidate === 'string') ?? 'UNKNOWN';
  return new NetworkError(toErrorCode(networkCode, reason, cause?.syscall), reason);
}

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
