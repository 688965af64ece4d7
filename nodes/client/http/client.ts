import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { type ApiContext, CREDENTIAL_TYPE, type HttpRequest, sendRequest } from '../../n8n/http/sendRequest';
import { Semaphore } from '../concurrency/queue';
import { sleepUnlessAborted } from '../concurrency/wait';
import { type Endpoint, type PathParameterName, formatEndpoint } from '../endpoints/endpoint';
import {
  AbortedError,
  ApiError,
  type ApiErrorCode,
  type ApiErrorOptions,
  CANCELLED,
  NetworkError,
  explainUnknownOutcome,
  redact,
} from '../errors/apiError';
import { findErrorCode } from '../errors/explainNetworkError';
import { type Explanation, findSubject, isServiceError } from '../errors/serviceErrors';
import { InputError, asThrown } from '../input/inputError';
import { CircuitBreaker } from './circuitBreaker';
import { systemClock } from './clock';
import { type Credential, ensureLoginFields, getSecrets, parseCredential } from './credential';
import { Notices } from './notices';
import { fillPath } from './path';
import { type Admission, type Lane, type RateLimiter, getRateLimiter } from './rateLimiter';
import {
  type AttemptResult,
  type HttpResponse,
  explainResult,
  formatReason,
  isSuccess,
  parseResponse,
  readFieldErrors,
  readRateLimitInfo,
  toAttemptOutcome,
} from './response';
import { type CallProgress, type RetryDecision, decideRetry, recordFailedAttempt } from './retry';
import { UserSession, requestLogin } from './userSession';

/**
 * A body that becomes outdated, because it repeats or relies on values of the service. It is created before the first
 * attempt, before each further one, and again if it is outdated when the rate limit admits the attempt.
 */
export interface LiveBody {
  /** The lane of an attempt whose body was outdated before. By default that of the client. */
  readonly lane?: Lane;
  /** Whether the last body may still be sent. */
  isCurrent(): boolean;
  /**
   * Creates the body; undefined for a request without one, such as a deletion. What it throws ends the call.
   * @param isRepeated whether an earlier attempt may have been carried out
   */
  create(isRepeated: boolean): Promise<object | undefined>;
}

export interface CallOptions<Name extends string = string> {
  /** Values of the endpoint's `{path}` parameters. The App ID is added automatically. */
  path?: Record<Name, unknown>;
  query?: object;
  /** Values for a JSON body, or a `FormData`. */
  body?: object;
  /** Replaces `body`. */
  liveBody?: LiveBody;
  /** An `Authorization` header here (or NO_LOGIN) replaces the login of the credential. */
  headers?: Record<string, string>;
  /** The response may be a file: see `parseContent`. */
  file?: boolean;
  /** Values of this call that are removed from error messages. */
  secrets?: string[];
}

export interface ApiResponse<Body = unknown> {
  body: Body;
  headers: Record<string, string>;
  /** Requests that may have had an effect. With more than one, the response to an earlier one was lost. */
  attempts: number;
  /** Whether an attempt got no response: the service may still carry it out. */
  isUnanswered: boolean;
}

/** The options of a call. `path` is required for an endpoint with path parameters. */
type CallArguments<Name extends string> = [Name] extends [never]
  ? [call?: CallOptions<never>]
  : string extends Name
    ? [call?: CallOptions]
    : [call: CallOptions<Name> & { path: unknown }];

/** Builds the request of a call. @throws InputError for a missing or unsafe path value */
function buildRequest(
  { baseUrl, appId }: Credential,
  endpoint: Endpoint,
  { path, query, body, headers, file }: CallOptions,
  timeout: number,
): HttpRequest {
  const url = baseUrl + fillPath(endpoint, { appId, ...path });
  // The empty response to a change is complete, so the change is not sent again. `parseResponse` refuses it.
  const mayBeEmpty = endpoint.effect !== 'read';
  return { method: endpoint.method, url, query, body, headers, file, mayBeEmpty, timeout };
}

/** The last attempt of a failed call, with the result of the earlier attempts. */
interface FailedCall extends Pick<ApiErrorOptions, 'attempts' | 'isUnanswered' | 'isOutcomeUnknown'> {
  endpoint: Endpoint;
  /** Values of the path parameters. */
  path?: Record<string, unknown>;
  query?: object;
  result: AttemptResult;
  credential: Credential;
  /** Values that are removed from the message, in addition to those of the credential. */
  secrets: string[];
  isCancelled: boolean;
}

const redactExplanation = ({ credential, secrets }: FailedCall, { message, description }: Explanation) => {
  const redactSecrets = (text: string) => redact(text, [...getSecrets(credential), ...secrets]);
  return { message: redactSecrets(message), description: redactSecrets(description) };
};

const isInterrupted = ({ isCancelled, result }: FailedCall) => isCancelled && result instanceof NetworkError;

/** Explains why the last attempt failed, without secrets. */
function explainFailedCall(call: FailedCall): Explanation {
  const { endpoint, path, query, result, credential } = call;
  if (isInterrupted(call)) return CANCELLED;
  const subject = findSubject(endpoint, path);
  return redactExplanation(call, explainResult(result, credential, { subject, query }));
}

function findCode(call: FailedCall): ApiErrorCode | undefined {
  if (isInterrupted(call)) return 'cancelled';
  return call.result instanceof NetworkError ? findErrorCode(call.result.code) : undefined;
}

/** Creates the error of a call with the explanation of its last attempt. */
function createCallError(call: FailedCall, explanation: Explanation): ApiError {
  const { endpoint, result, attempts, isUnanswered, isOutcomeUnknown } = call;
  const shown = isOutcomeUnknown ? explainUnknownOutcome(explanation, formatReason(result)) : explanation;
  const status = result instanceof NetworkError ? undefined : result.status;

  return new ApiError({
    ...redactExplanation(call, shown),
    code: findCode(call),
    status,
    attempts,
    isUnanswered,
    isOutcomeUnknown,
    fieldErrors: readFieldErrors(result),
    isFromService: !(result instanceof NetworkError) && isServiceError(result.status, result.body),
    endpoint,
  });
}

/** Converts an error that was thrown before the call was sent, by the rate limiter or by n8n's request helper. */
const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError({
        message: 'The request could not be sent',
        description: `${String(error)}. Run it again. If it happens again, report it to the authors of this package.`,
      });

export interface ClientOptions {
  /** Milliseconds to wait for a response. */
  timeout?: number;
  /** Maximum number of concurrent requests. */
  concurrency?: number;
  /** Ends waits and retries when aborted. By default this is the cancel signal of the execution. */
  signal?: AbortSignal;
  /** What the client shares with the clients of other users in the same execution. By default nothing. */
  shared?: SharedByClients;
}

/** One for each execution, whose items may run as several users. */
export interface SharedByClients {
  notices: Notices;
  /** Limits the concurrent requests. */
  semaphore: Semaphore;
}

export const DEFAULT_TIMEOUT_MS = 120_000;
export const DEFAULT_CONCURRENCY = 8;

/** The result of a request that was not sent, because its body was outdated when the rate limit admitted it. */
const OUTDATED = new NetworkError('OUTDATED', 'the body of the request was outdated');

/** How a request waits for the rate limit, if not as the other requests of its client. */
interface Pacing extends Pick<Admission, 'lane'> {
  /** Whether the body may still be sent. Checked right before the request is sent. */
  isCurrent?: () => boolean;
}

/** Sends the requests of one client within the rate limit of its key and its maximum number of parallel requests. */
class RequestPacer {
  /** @param admission its signal rejects waiting requests with an `AbortedError` when aborted */
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly shared: SharedByClients,
    private readonly admission: Admission,
  ) {}

  /**
   * Waits for a permit, sends the request, and updates the rate limiter from its response.
   * @returns OUTDATED if the body of the request is no longer current when it is admitted; it is not sent then
   */
  run(send: () => Promise<AttemptResult>, { isCurrent, ...admission }: Pacing = {}): Promise<AttemptResult> {
    return this.shared.semaphore.run(async () => {
      const permit = await this.rateLimiter.acquire({ ...this.admission, ...admission });
      this.shared.notices.recordWait(permit.waitedMs);
      if (isCurrent?.() === false) {
        this.rateLimiter.cancel(permit);
        return OUTDATED;
      }
      let result: AttemptResult | undefined;
      try {
        result = await send();
        return result;
      } finally {
        this.rateLimiter.release(permit, result && readRateLimitInfo(result));
      }
    });
  }

  /**
   * Runs `task`, which prepares a new body and sends it. Only one such task of a key runs at a time: many of them would
   * use up the requests of each minute for new bodies, and the minute would end before one of them is sent.
   */
  runOutdated<T>(task: () => Promise<T>): Promise<T> {
    return this.rateLimiter.outdatedCalls.run(task);
  }
}

const getCancelSignal = (context: ApiContext): AbortSignal | undefined =>
  'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

/** Creates what the clients of one execution share. */
export const createShared = (
  context: ApiContext,
  { concurrency = DEFAULT_CONCURRENCY, signal = getCancelSignal(context) }: ClientOptions,
): SharedByClients => ({
  notices: new Notices(context, systemClock.now),
  semaphore: new Semaphore(concurrency, signal, () => new AbortedError()),
});

/** Explains n8n's error for an expression in the credential ("Node '' hasn't been executed"). */
const explainExpression = (error: unknown): unknown =>
  error instanceof Error && error.name === 'ExpressionError'
    ? new InputError(
        `The credential has an expression without a value here (${error.message})`,
        'Its expressions are read for each item of a node that runs. Lists of the editor and triggers have no item: use a credential without such expressions there.',
      )
    : error;

/**
 * The calls of nodes that run and of polls are normal. All other contexts of n8n (webhooks, dropdowns, publishing)
 * have somebody who waits.
 */
const findLane = (context: ApiContext): Lane =>
  'getInputData' in context || '__emit' in context ? 'normal' : 'urgent';

/**
 * Sends the calls of one user in one execution, or of one request for a dropdown list. It applies the rate limit,
 * retries failed requests, renews the user's login, and returns a response or throws an `ApiError`.
 */
export class Client {
  /** Creation time in milliseconds of the process clock. Data that was requested earlier may be stale. */
  readonly startedAt = systemClock.now();
  readonly credential: Credential;
  readonly notices: Notices;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Milliseconds to wait for a response, or for the next bytes of a file. */
  readonly timeout: number;
  private readonly session: UserSession;
  private readonly pacer: RequestPacer;
  private readonly breaker = new CircuitBreaker(systemClock.now);
  private readonly signal?: AbortSignal;

  /**
   * @param data the credential as n8n returned it for this client's items
   * @throws InputError for a credential without an address, or with a login that lacks a field
   */
  constructor(
    private readonly context: ApiContext,
    private readonly data: ICredentialDataDecryptedObject,
    options: ClientOptions = {},
  ) {
    const { timeout = DEFAULT_TIMEOUT_MS, signal = getCancelSignal(context) } = options;
    const shared = options.shared ?? createShared(context, options);
    const credential = parseCredential(data);
    ensureLoginFields(credential);
    this.credential = credential;
    this.timeout = timeout;
    this.concurrency = shared.semaphore.capacity;
    this.notices = shared.notices;
    this.signal = signal;
    this.pacer = new RequestPacer(getRateLimiter(credential), shared, {
      lane: findLane(context),
      execution: signal ?? shared,
      signal,
    });
    this.session = new UserSession({
      credential,
      requestLogin: () => this.pacer.run(() => requestLogin(context, credential, timeout, signal)),
      signal,
    });
  }

  /**
   * Creates the client of a trigger or dropdown list, which has no items.
   * @throws InputError for an expression in the credential that reads an item
   */
  static async create(context: ApiContext, options?: ClientOptions): Promise<Client> {
    const data = await context.getCredentials(CREDENTIAL_TYPE).catch((error: unknown) => {
      throw asThrown(explainExpression(error));
    });
    return new Client(context, data, options);
  }

  /**
   * Sends a call, with all retries that the effect of its endpoint allows (`retry.ts`), and returns the checked body of
   * the response. Each attempt waits for the rate limit of the key, and `timeout` milliseconds for a response.
   * @example
   * const { body } = await client.call(recordEndpoints.get, { path: { dataTableId, recordId } });
   * body.item; // { id: 'K7pQ2xW9Lm', company: 'Example Ltd', created_at: '2025-03-31 14:30:00' }
   * @throws InputError for an invalid path value; ApiError for a failed call or a response of another form (spec: Errors)
   */
  async call<Body, Path extends string>(
    endpoint: Endpoint<Body, Path>,
    ...[call = {}]: CallArguments<PathParameterName<Path>>
  ): Promise<ApiResponse<Body>> {
    const request = buildRequest(this.credential, endpoint, call, this.timeout);
    this.breaker.check();

    const progress: CallProgress = { refusals: 0, faults: 0, sent: 0, isUnanswered: false };
    let failure: { result: AttemptResult; decision: RetryDecision } | undefined;
    for (;;) {
      const isRepeated = progress.sent > 0;
      const attempt = this.sendAttempt(endpoint, request, call.liveBody, isRepeated);
      const result = await attempt.catch((error: unknown) => {
        // No further body could be created. The caller must know that an earlier attempt may have been carried out.
        if (!failure || !isRepeated || !call.liveBody || !(error instanceof ApiError)) throw asThrown(error);
        throw this.recordFailure(endpoint, call, { ...failure, progress });
      });
      if (isSuccess(result)) return this.createResponse(endpoint, result, progress);

      const outcome = toAttemptOutcome(result);
      recordFailedAttempt(progress, outcome);
      const decision = decideRetry(outcome, endpoint.effect, progress, systemClock.random());
      failure = { result, decision };
      if (!decision.retry || this.signal?.aborted) {
        throw this.recordFailure(endpoint, call, { result, progress, decision });
      }
      if (decision.waitMs > 0) await sleepUnlessAborted(decision.waitMs, this.signal);
    }
  }

  /** Sends one attempt. The read that a live body repeats is current at the moment of sending. */
  private async sendAttempt(
    endpoint: Endpoint,
    request: HttpRequest,
    liveBody: LiveBody | undefined,
    isRepeated: boolean,
  ): Promise<AttemptResult> {
    if (!liveBody) return this.sendOnce(endpoint, request);
    const isCurrent = () => liveBody.isCurrent();
    const send = async (pacing?: Pacing) => {
      const body = await liveBody.create(isRepeated);
      return this.sendOnce(endpoint, { ...request, body }, { isCurrent, ...pacing });
    };
    let result = await send();
    const pacing = liveBody.lane && { lane: liveBody.lane };
    while (result === OUTDATED) result = await this.pacer.runOutdated(() => send(pacing));
    return result;
  }

  /** Sends one request, with the user's token unless the call has an `Authorization` of its own. */
  private async sendOnce(endpoint: Endpoint, request: HttpRequest, pacing?: Pacing): Promise<AttemptResult> {
    const send = (authorization = request.headers?.Authorization) => {
      const headers = {
        ...request.headers,
        ...(authorization !== undefined && { Authorization: authorization }),
      };
      return this.pacer.run(() => sendRequest(this.context, { ...request, headers }, this.data), pacing);
    };
    const hasOwnAuthorization = request.headers?.Authorization !== undefined;
    const attempt = hasOwnAuthorization ? send() : this.session.run(formatEndpoint(endpoint), send);
    const result = await attempt.catch(toApiError);
    if (result instanceof ApiError) throw result;
    return result;
  }

  private createResponse<Body>(
    endpoint: Endpoint<Body>,
    result: HttpResponse,
    { sent, isUnanswered }: CallProgress,
  ): ApiResponse<Body> {
    this.breaker.recordSuccess();
    const attempts = sent + 1;
    const body = parseResponse(endpoint, result, attempts);
    return { body, headers: result.headers, attempts, isUnanswered };
  }

  /** Creates the error of a call that is not sent again. A cancelled call does not count as a failure. */
  private recordFailure(
    endpoint: Endpoint,
    { path, query, secrets = [] }: CallOptions,
    {
      result,
      progress,
      decision,
    }: { result: AttemptResult; progress: CallProgress; decision: RetryDecision },
  ): ApiError {
    const isCancelled = this.signal?.aborted === true;
    const failed = {
      endpoint,
      path,
      query,
      result,
      credential: this.credential,
      secrets: [...secrets, ...this.session.listTokens()],
      isCancelled,
      // A request that was interrupted by the cancellation may have reached the service.
      isOutcomeUnknown: !decision.retry && decision.unknownOutcome,
      attempts: progress.sent,
      isUnanswered: progress.isUnanswered,
    };

    const explanation = explainFailedCall(failed);
    if (!isCancelled) this.breaker.recordFailure({ result, explanation });
    return createCallError(failed, explanation);
  }
}
