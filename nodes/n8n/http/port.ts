/** The port through which a client sends its requests with n8n's request helpers. */
import { randomInt } from 'node:crypto';
import { memoize, throttle } from 'lodash';
import {
  type ICredentialDataDecryptedObject,
  type ICredentialsDecrypted,
  type ICredentialTestFunctions,
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type IHttpRequestOptions,
  type ILoadOptionsFunctions,
  type INodeCredentialTestResult,
  type IPollFunctions,
  type IWebhookFunctions,
  sleep,
} from 'n8n-workflow';
import {
  asThrown,
  type Client,
  createClient,
  type FileResponse,
  findCredentialProblem,
  FormBody,
  type HttpRequest,
  type HttpResponse,
  InputError,
  isObject,
  NetworkError,
  type Port,
  waitUnlessAborted,
  type Runtime,
  tryOr,
} from '../../service';

type ResponseStream = FileResponse['stream'];

/** @param credential the credential as n8n returned it */
export const createPort = (
  context: ApiContext,
  credential: ICredentialDataDecryptedObject,
  runtime = createRuntime(context),
): Port => ({
  ...runtime,
  send: (request, { login }) =>
    sendAndRead(request, (closing) => {
      const options = buildHttpRequestOptions(request);
      // A login is sent without n8n's authentication, so that n8n applies the timeout and the cancellation.
      return login
        ? context.helpers.httpRequest({ ...options, abortSignal: joinSignals(closing, runtime.signal) })
        : sendAuthenticated(context, credential, { ...options, abortSignal: closing });
    }),
  openFile: (url, timeout, signal) => openFile(context, url, timeout, signal),
});

/** n8n's HTTP client silently removes these keys from an object. */
const DROPPED_KEYS = ['__proto__', 'constructor', 'prototype'];

function hasDroppedKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasDroppedKey);
  if (!isObject(value)) return false;
  return DROPPED_KEYS.some((key) => Object.hasOwn(value, key)) || Object.values(value).some(hasDroppedKey);
}

/** Sends a body with a dropped key, such as the slug `constructor`, as a text: n8n does not change texts. */
export function encodeBody(body: object | undefined) {
  if (body instanceof FormBody) return { body: body.bytes, headers: { 'Content-Type': body.contentType } };
  return hasDroppedKey(body)
    ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
    : { body };
}

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
const TLS_RESET = /before secure TLS connection/i;

/** Splits a code that can mean both "nothing was sent" and "the request may have arrived" into two codes. */
function refineErrorCode(code: string, message: string, syscall?: string): string {
  // Node begins the message with the system call: "connect EHOSTUNREACH 10.0.0.1:443".
  const isConnecting = syscall === 'connect' || /^connect /.test(message);
  if (code === 'ECONNRESET' && (TLS_RESET.test(message) || isConnecting)) return 'ECONNRESET_BEFORE_TLS';
  return /^E(HOST|NET)UNREACH$/.test(code) && !isConnecting ? `${code}_LATER` : code;
}

const isSsrfBlock = (name?: string) => /^SsrfBlocked/.test(name ?? '');

/** Keeps only the code and the message, because n8n's error contains the key headers. */
export function toNetworkError(error: N8nRequestError): NetworkError {
  const { cause, code, httpCode, message, messages, name } = error;
  const reason = cause?.message ?? messages?.[0] ?? message ?? 'no response';
  if (isSsrfBlock(name) || isSsrfBlock(cause?.name) || isSsrfBlock(cause?.cause?.name)) {
    return new NetworkError('SSRF_BLOCKED', reason);
  }
  const codes = [cause?.code, code, httpCode];
  const networkCode = codes.find((candidate) => typeof candidate === 'string') ?? 'UNKNOWN';
  return new NetworkError(refineErrorCode(networkCode, reason, cause?.syscall), reason);
}

export type ApiContext =
  | IExecuteFunctions
  | ILoadOptionsFunctions
  | IHookFunctions
  | IWebhookFunctions
  | IPollFunctions;

export const CREDENTIAL_TYPE = 'recordDatabaseApi';

/** Omits `method: 'GET'`: n8n would remove the body, but `batch-update-check` is a GET with a body. */
function buildHttpRequestOptions({
  method,
  url,
  body,
  headers,
  timeout,
}: Omit<HttpRequest, 'maxBytes'>): IHttpRequestOptions {
  const encoded = encodeBody(body);
  return {
    ...(method !== 'GET' && { method: method as IHttpRequestMethods }),
    url,
    body: encoded.body as IDataObject | undefined,
    headers: { ...encoded.headers, ...headers },
    // With a stream, the size and the time of the response can be limited.
    encoding: 'stream',
    timeout,
    json: true,
    returnFullResponse: true,
    // If a 401 were thrown, n8n would send the call a second time.
    ignoreHttpStatusErrors: true,
    // If n8n followed a redirect, the target would get the key headers.
    disableFollowRedirect: true,
  };
}

interface N8nResponse<Body> {
  statusCode: number;
  headers: Record<string, string>;
  body: Body;
}

function closeStream(stream: ResponseStream, request: AbortController, error?: Error): void {
  // The reader of the stream handles the error. Without this listener, the error would end the process.
  stream.on('error', () => undefined);
  stream.destroy(error);
  // n8n 2 wraps the response in another stream. Destroying only the wrapper would leave the connection open.
  request.abort();
}

const isStream = (body: unknown): body is ResponseStream => isObject(body) && typeof body.on === 'function';

const createCutOffError = () => new NetworkError('ECONNRESET', 'the response broke off');

/** @returns undefined if the stream has more than `maxBytes`; the stream is then closed */
const readBytes = (
  stream: ResponseStream,
  maxBytes: number,
  request: AbortController,
): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    stream.on('data', (chunk) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk as Uint8Array);
      resolve(undefined);
      closeStream(stream, request);
    });
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('close', () => stream.readableEnded || reject(createCutOffError()));
  });

const joinSignals = (closing: AbortSignal, signal?: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, closing]) : closing;

/** Parses JSON, and returns any other text as it is. */
function parseResponseBody(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return tryOr(() => JSON.parse(text) as unknown, text);
}

type ResponseLimits = Pick<HttpRequest, 'mayBeFile' | 'maxBytes' | 'timeout'>;

/** Returns a `NetworkError` in place of n8n's error, which contains the key headers. */
async function readResponse(
  sent: Promise<N8nResponse<unknown>>,
  { mayBeFile, maxBytes }: ResponseLimits,
  request: AbortController,
): Promise<HttpResponse | NetworkError> {
  try {
    const { statusCode: status, headers, body } = await sent;
    if (!isStream(body)) return { status, headers, body };
    const bytes = await readBytes(body, maxBytes, request);
    if (bytes === undefined && status >= 400) return { status, headers, body: '' };
    if (bytes === undefined)
      return new NetworkError(
        mayBeFile ? 'FILE_TOO_LARGE' : 'ANSWER_TOO_LARGE',
        `more than ${Math.floor(maxBytes / (1024 * 1024))} MB`,
      );
    return { status, headers, body: mayBeFile ? bytes : parseResponseBody(bytes) };
  } catch (error) {
    return toNetworkError(error as N8nRequestError);
  }
}

/** Requests within this time share a timer. A timer for each would take longer than all other code of this file. */
const TIMER_SHARING_MS = 10;

const getTimeoutSignal = memoize((timeout: number) =>
  throttle(() => AbortSignal.timeout(Math.ceil(timeout) + TIMER_SHARING_MS), TIMER_SHARING_MS),
);

/** Limits the time of the whole response. n8n's own timeout would restart with each byte. */
async function sendAndRead(
  request: ResponseLimits,
  send: (signal: AbortSignal) => Promise<unknown>,
): Promise<HttpResponse | NetworkError> {
  const closing = new AbortController();
  const deadline = getTimeoutSignal(request.timeout)();
  const sent = send(closing.signal) as Promise<N8nResponse<unknown>>;
  const response = readResponse(sent, request, closing);
  await waitUnlessAborted(response, deadline);
  if (!deadline.aborted) return response;
  closing.abort();
  // Closes a stream that begins after the timeout. A response that is no stream is already complete.
  sent.then(({ body }) => isStream(body) && closeStream(body, closing)).catch(() => undefined);
  return new NetworkError('ETIMEDOUT', 'the response was not complete in time');
}

/**
 * Sends a request through n8n's authentication, which recognizes requests of our nodes by their key headers
 * (`authenticateRequest`). `credential` is passed on: otherwise n8n would read it again with the expressions
 * of item 0, which may belong to another user. In a running node, n8n replaces the signal in the options by
 * that of the execution.
 */
function sendAuthenticated(
  context: ApiContext,
  credential: ICredentialDataDecryptedObject,
  options: IHttpRequestOptions,
): Promise<unknown> {
  const decrypted = { id: '', name: CREDENTIAL_TYPE, type: CREDENTIAL_TYPE, data: credential };
  return context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, options, {
    credentialsDecrypted: decrypted,
  });
}

/** Sends a GET without a credential. The body is a stream, without compression (`identity`). */
async function openFile(
  { helpers }: ApiContext,
  url: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<FileResponse | NetworkError> {
  const closing = new AbortController();
  const headers = { Accept: '*/*', 'Accept-Encoding': 'identity' };
  const request = buildHttpRequestOptions({ method: 'GET', url, headers, timeout });
  const abortSignal = joinSignals(closing.signal, signal);
  try {
    const response = (await helpers.httpRequest({ ...request, abortSignal })) as N8nResponse<ResponseStream>;
    const close = (error?: Error) => closeStream(response.body, closing, error);
    return { status: response.statusCode, headers: { ...response.headers }, stream: response.body, close };
  } catch (error) {
    return toNetworkError(error as N8nRequestError);
  }
}

/** The clock of a running node. Tests replace parts of it. */
export const systemClock: Runtime['clock'] = {
  now: () => performance.now(),
  sleep,
  random: () => randomInt(1_000_000) / 1_000_000,
};

/**
 * When the rate limit is reached, the two lanes take turns. Webhooks, dropdowns and publishing are urgent.
 * Running nodes and polls, whose contexts have `getInputData` or `__emit`, are not.
 */
const chooseLane = (context: ApiContext): Runtime['lane'] =>
  'getInputData' in context || '__emit' in context ? 'normal' : 'urgent';

const getCancelSignal = (context: ApiContext): AbortSignal | undefined =>
  'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

/** Older versions and some contexts of n8n lack one of these methods, and show no message. */
type MessageContext = Partial<Pick<IExecuteFunctions, 'sendMessageToUI' | 'addExecutionHints'>>;

export function createRuntime(context: ApiContext, signal = getCancelSignal(context)): Runtime {
  const messages = context as MessageContext;
  return {
    clock: systemClock,
    lane: chooseLane(context),
    timeZone: context.getTimezone(),
    signal,
    showProgress: (text) => messages.sendMessageToUI?.(text),
    showHint: (message) => messages.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' }),
  };
}

/** Explains n8n's error "Node '' hasn't been executed". */
const explainExpressionError = (error: unknown): unknown =>
  error instanceof Error && error.name === 'ExpressionError'
    ? new InputError(
        `The credential has an expression without a value here (${error.message})`,
        'Its expressions are read for each item of a node that runs. Lists of the editor and triggers have no item: use a credential without such expressions there.',
      )
    : error;

/** @throws InputError if an expression of the credential needs an item: triggers and editor lists have none */
export async function createNodeClient(
  context: ApiContext,
  { signal, timeout }: { signal?: AbortSignal; timeout?: number } = {},
): Promise<Client> {
  const data = await context.getCredentials(CREDENTIAL_TYPE).catch((error: unknown) => {
    throw asThrown(explainExpressionError(error));
  });
  return createClient(createPort(context, data, createRuntime(context, signal)), data, { timeout });
}

/** These words are left out, because the user of the credential test has already opened the credential. */
const OPEN_CREDENTIAL_WORDS = /Open the Record Database API credential and (\w)/;

/** Tests the API keys, then the login if the credential has one. The message says what to change. */
export async function recordDatabaseApiTest(
  this: ICredentialTestFunctions,
  { data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const message = await findCredentialProblem(data, (request) => sendTestRequest(this, request));
  return message === undefined
    ? { status: 'OK', message: 'The keys are good' }
    : {
        status: 'Error',
        message: message.replace(OPEN_CREDENTIAL_WORDS, (_, letter: string) => letter.toUpperCase()),
      };
}

/** Uses `helpers.request`, because n8n's context of a credential test has no other request helper. */
const sendTestRequest = (
  { helpers }: ICredentialTestFunctions,
  { url, timeout, maxBytes, ...request }: { url: string; timeout: number; maxBytes: number },
) =>
  sendAndRead({ timeout, maxBytes }, () =>
    helpers.request({
      ...request,
      uri: url,
      json: true,
      simple: false,
      resolveWithFullResponse: true,
      useStream: true,
      followRedirect: false,
      timeout,
    }),
  );
