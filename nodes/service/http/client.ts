/** The clients of an execution: each sends the calls of one user. */
import { mapValues, once } from 'lodash';
import { type Clock, Semaphore, sleepUnlessAborted } from '../concurrency/wait';
import { apiKeyEndpoints } from '../endpoints/catalogue';
import { type Endpoint, type PathParameterName, formatEndpoint } from '../endpoints/endpoint';
import {
  isAlreadyDone,
  ApiError,
  type ApiErrorCode,
  EXECUTION_CANCELLED,
  createCancelledError,
  explainUnknownOutcome,
} from '../errors/apiError';
import { redact } from '../errors/redact';
import { findCallSubject, isMissingRecordBody, isServiceError } from '../errors/serviceErrors';
import { asObject } from '../input/values';
import { RequestCache } from '../memory/requestCache';
import { CircuitBreaker } from './circuitBreaker';
import {
  type Credential,
  CREDENTIAL_DEFAULTS,
  NO_AUTHORIZATION,
  buildKeyHeaders,
  ensureLoginFields,
  getSecrets,
  parseCredential,
} from './credential';
import { Notices } from './notices';
import { buildAddress } from './path';
import type { HttpRequest, HttpResponse, Lane, Port, Runtime } from './port';
import { type RateLimiter, getRateLimiter } from './rateLimiter';
import {
  type AttemptResult,
  explainFailure,
  findRetryTime,
  formatReason,
  interpretResponse,
  isSuccess,
  parseResponse,
  readFieldErrors,
  readRateLimitInfo,
} from './response';
import { type CallProgress, decideRetry, recordFailedAttempt } from './retry';
import { UserSession, buildLoginRequest } from './userSession';

/**
 * @param settings the fields of the credential
 * @example
 * const client = createClient(port, { baseUrl, appId, appKey, appSecret, userLogin: 'none' });
 * const records = await readAllRecords(client, { tableId: 'T1x9Kq', limit: 500 });
 * @throws InputError for a missing or wrong setting, before anything is sent
 */
export const createClient = (
  port: Port,
  settings: Record<string, unknown>,
  options?: ClientOptions,
): Client => new Client(port, parseCredential(settings), options);

export interface CallOptions<Name extends string = string> {
  /** The values of the path parameters of the endpoint. The client adds the App ID. */
  path?: Record<Name, unknown>;
  query?: object;
  /** Values for a JSON body, or a `FormBody`. */
  body?: object;
  /** By default, the lane of the client. Use `urgent` if several executions wait for the answer. */
  lane?: Lane;
  /** `Authorization` replaces the token of the user login. If it is `NO_AUTHORIZATION`, only the keys are sent. */
  headers?: Record<string, string>;
  mayBeFile?: boolean;
  /** Maximum size of a file in the response. A megabyte has 1,048,576 bytes. */
  maxFileMegabytes?: number;
  /** Values that are removed from error messages. */
  secrets?: string[];
}

type CallArguments<Name extends string> = [Name] extends [never]
  ? [call?: CallOptions<never>]
  : string extends Name
    ? [call?: CallOptions]
    : [call: CallOptions<Name> & { path: unknown }];

export const MEGABYTE = 1024 * 1024;

/** Enough for 200 records of 300 kB. The limit is not higher, because a parsed answer needs several times its size. */
export const MAX_ANSWER_BYTES = 64 * MEGABYTE;

/** Every common web server accepts an address of this length. */
const SAFE_ADDRESS_LENGTH = 2_000;

const ACCEPT_FILE_OR_JSON = 'application/json, application/pdf;q=0.9, */*;q=0.5';

function findApiErrorCode({ body, fault }: AttemptResult): ApiErrorCode | undefined {
  if (!fault) return isMissingRecordBody(body) ? 'emptyItem' : undefined;
  if (/TIMEDOUT|ECONNABORTED/.test(fault.code)) return 'timeout';
  return fault.code === 'FILE_TOO_LARGE' ? 'fileTooLarge' : undefined;
}

/** `result` is the result of the last attempt. */
interface FailedCall {
  result: AttemptResult;
  progress: CallProgress;
  isOutcomeUnknown: boolean;
}

interface ClientOptions {
  /** Milliseconds; by default, the timeout of the credential. */
  timeout?: number;
  /** The clients of the execution, whose limits and hints the new client shares. By default, it shares nothing. */
  group?: ClientGroup;
}

/** Replaces the refusal of a repeated call whose earlier attempt succeeded (`Endpoint.alreadyDoneStatus`). */
const ALREADY_DONE_RESPONSE: HttpResponse = { status: 200, headers: {}, body: { type: 'success' } };

/** Maximum bytes of files in memory, without the copies in a `FormBody`. A larger file is read alone. */
const MAX_FILE_MEMORY_BYTES = 64 * MEGABYTE;

/** The clients of one execution, whose items may run as several users. The clients share hints and limits. */
export class ClientGroup {
  readonly notices: Notices;
  /** Limits the parallel requests, to the number in the credential of the newest client. */
  readonly semaphore: Semaphore;
  /** Limits the bytes of files in memory. */
  readonly fileMemory: Semaphore;
  private readonly signal?: AbortSignal;
  private readonly clients = new RequestCache<Client>();

  constructor(runtime: Runtime) {
    const { signal } = runtime;
    this.signal = signal;
    this.notices = new Notices(runtime);
    this.semaphore = new Semaphore(CREDENTIAL_DEFAULTS.parallelRequests, signal);
    this.fileMemory = new Semaphore(MAX_FILE_MEMORY_BYTES, signal);
  }

  /** The same object for all clients of an execution. */
  get execution(): object {
    return this.signal ?? this;
  }

  /** @throws ApiError with the code 'cancelled' if the execution was cancelled */
  throwIfCancelled(): void {
    if (this.signal?.aborted) throw createCancelledError();
  }

  /**
   * Returns the same client for equal credentials. @param prepare called once for each client
   * @throws InputError for a missing or wrong setting, or any error of `prepare`
   */
  getClient(
    settings: Record<string, unknown>,
    createPort: () => Port,
    prepare: (client: Client) => Promise<void> = () => Promise.resolve(),
  ): Promise<Client> {
    return this.clients.get(JSON.stringify(settings), async () => {
      const client = createClient(createPort(), settings, { group: this });
      await prepare(client);
      return client;
    });
  }
}

/** Sends the calls of one user in one execution, or for one dropdown list. */
export class Client {
  /** When the client was created, in milliseconds of `clock`. Data that was requested earlier may be stale. */
  readonly startedAt: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Identifies the execution: see `ClientGroup`. */
  readonly execution: object;
  readonly notices: Notices;
  /** IANA name of the time zone in which the service writes dates: that of the credential, or else of the workflow. */
  readonly serviceTimeZone: string;
  readonly concurrency: number;
  /** Milliseconds to wait for a response, or for the next bytes of a file. */
  readonly timeout: number;
  private readonly session: UserSession;
  private readonly rateLimiter: RateLimiter;
  private readonly semaphore: Semaphore;
  private readonly breaker = new CircuitBreaker(() => this.clock.now());

  /** @throws InputError for a user login that lacks a field */
  constructor(
    readonly port: Port,
    readonly credential: Credential,
    options: ClientOptions = {},
  ) {
    const { timeout = credential.timeout, group = new ClientGroup(port) } = options;
    const { clock, signal } = port;
    ensureLoginFields(credential);
    group.semaphore.capacity = credential.parallelRequests;
    this.clock = clock;
    this.startedAt = clock.now();
    this.timeout = timeout;
    this.serviceTimeZone = credential.timeZone ?? port.timeZone;
    this.concurrency = credential.parallelRequests;
    this.notices = group.notices;
    this.signal = signal;
    this.execution = group.execution;
    this.rateLimiter = getRateLimiter(credential, clock);
    this.semaphore = group.semaphore;
    const login = { method: 'POST' as const, timeout, maxBytes: MAX_ANSWER_BYTES };
    const requestLogin = () =>
      // Urgent, because all executions of the user wait for the login.
      this.sendWithinLimit({ ...login, ...buildLoginRequest(credential) }, { login: true, lane: 'urgent' });
    this.session = new UserSession(credential, requestLogin, signal);
  }

  /** The permissions of the key, read once. Empty if the service does not show them. */
  readonly readPermissions = once(async () => {
    const response = await this.call(apiKeyEndpoints.getStatus).catch(() => undefined);
    return asObject(response?.body.permissions);
  });

  /**
   * Sends a call, and returns the checked body of the response. The effect of the endpoint decides whether the call is
   * repeated (`decideRetry`). Each attempt waits `timeout` milliseconds for a response.
   * @example
   * const { body } = await client.call(recordEndpoints.get, { path: { dataTableId, recordId } });
   * body.item; // { id: 'K7pQ2xW9Lm', company: 'Example Ltd', created_at: '2025-03-31 14:30:00' }
   * @throws InputError for an invalid path value
   * @throws ApiError for a failed call, or a response that does not fit `endpoint.response` (spec: Errors)
   */
  async call<Body, Path extends string>(
    endpoint: Endpoint<Body, Path>,
    ...[call = {}]: CallArguments<PathParameterName<Path>>
  ): Promise<{ body: Body }> {
    const request = this.buildRequest(endpoint, call);
    this.breaker.ensureServiceAvailable();

    const progress: CallProgress = { refusals: 0, faults: 0, sentCount: 0 };
    for (;;) {
      const result = await this.sendWithLogin(endpoint, request, call.lane);
      if (isSuccess(result)) {
        this.breaker.recordSuccess();
        return { body: parseResponse(endpoint, result, progress.sentCount + 1) };
      }

      recordFailedAttempt(progress, result);
      const decision = decideRetry(result, endpoint.effect, progress, this.clock.random());
      if (!decision.retry || this.signal?.aborted) {
        const isOutcomeUnknown = !decision.retry && decision.isOutcomeUnknown;
        const failure = this.recordFailure(endpoint, call, { result, progress, isOutcomeUnknown });
        if (!isAlreadyDone(failure, endpoint.alreadyDoneStatus)) throw failure;
        return { body: parseResponse(endpoint, ALREADY_DONE_RESPONSE, progress.sentCount) };
      }
      await sleepUnlessAborted(decision.waitMs, this);
    }
  }

  /** Whether every common web server accepts the address. @throws InputError for an invalid path value */
  hasSafeAddressLength(endpoint: Endpoint, call: Pick<CallOptions, 'path' | 'query'>): boolean {
    return this.buildUrl(endpoint, call).length <= SAFE_ADDRESS_LENGTH;
  }

  private buildUrl(endpoint: Endpoint, { path, query }: Pick<CallOptions, 'path' | 'query'>): string {
    const { baseUrl, appId } = this.credential;
    return buildAddress(baseUrl, endpoint, { path: { appId, ...path }, query });
  }

  private buildRequest(endpoint: Endpoint, call: CallOptions): HttpRequest {
    const { body, headers, mayBeFile, maxFileMegabytes = 0 } = call;
    const allHeaders = {
      ...(mayBeFile && { Accept: ACCEPT_FILE_OR_JSON }),
      // A cache between n8n and the service must not return old values.
      ...(endpoint.effect === 'read' && { 'Cache-Control': 'no-cache' }),
      ...headers,
      ...buildKeyHeaders(this.credential),
    };
    return {
      method: endpoint.method,
      url: this.buildUrl(endpoint, call),
      body,
      headers: allHeaders,
      mayBeFile,
      timeout: this.timeout,
      // The response may be JSON that contains the file as base64, a third longer than the file, beside other keys.
      maxBytes: Math.max(MAX_ANSWER_BYTES, 1.5 * maxFileMegabytes * MEGABYTE),
    };
  }

  /** Adds the token of the user, unless the call has its own `Authorization`. */
  private sendWithLogin(endpoint: Endpoint, request: HttpRequest, lane?: Lane): Promise<AttemptResult> {
    const { Authorization, ...headers } = request.headers;
    const expected = {
      // A change with an empty response is not sent again: `parseResponse` decides whether the response is an error.
      mayBeEmpty: endpoint.effect !== 'read',
      isAboutRecord: endpoint.isAboutRecord,
    };
    const send = (authorization = NO_AUTHORIZATION) => {
      const login = authorization !== NO_AUTHORIZATION && { Authorization: authorization };
      return this.sendWithinLimit({ ...request, headers: { ...headers, ...login } }, { expected, lane });
    };
    return Authorization === undefined
      ? this.session.sendWithToken(formatEndpoint(endpoint), send)
      : send(Authorization);
  }

  private sendWithinLimit(
    request: HttpRequest,
    {
      login = false,
      expected,
      lane = this.port.lane,
    }: { login?: boolean; expected?: Parameters<typeof interpretResponse>[1]; lane?: Lane },
  ): Promise<AttemptResult> {
    const { rateLimiter, notices, execution, signal } = this;
    return this.semaphore.runTask(async () => {
      const permit = await rateLimiter.acquirePermit({ lane, execution, signal });
      notices.countWait(permit.waitedMs);
      let result: AttemptResult | undefined;
      try {
        result = interpretResponse(await this.port.send(request, { login }), expected);
        return result;
      } finally {
        const limits = result && readRateLimitInfo(result);
        notices.countRequest(rateLimiter, limits?.day);
        rateLimiter.releasePermit(permit, limits);
      }
    });
  }

  private recordFailure(
    endpoint: Endpoint,
    call: CallOptions,
    { result, progress, isOutcomeUnknown }: FailedCall,
  ): ApiError {
    const { credential, session, signal, breaker } = this;
    const { status, body, fault } = result;
    const secrets = [...getSecrets(credential), ...(call.secrets ?? []), ...session.sentTokens];
    // The abort has interrupted the request. The service may have received this request.
    const isInterrupted = fault !== undefined && signal?.aborted === true;
    const ids = mapValues(call.path, (id) => redact(String(id ?? ''), secrets));
    const explanation = isInterrupted
      ? EXECUTION_CANCELLED
      : explainFailure(result, credential, { subject: findCallSubject(endpoint, ids), secrets });
    breaker.recordFailure({ result, explanation });
    return new ApiError({
      ...(isOutcomeUnknown ? explainUnknownOutcome(explanation, formatReason(result, secrets)) : explanation),
      code: isInterrupted ? 'cancelled' : findApiErrorCode(result),
      status: status || undefined,
      sentCount: progress.sentCount,
      isOutcomeUnknown,
      retryAt: findRetryTime(result),
      fieldErrors: readFieldErrors(result),
      isFromService: isServiceError(status, body),
      endpoint,
    });
  }
}
