import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { type Endpoint, formatEndpoint, type PathParameterName } from '../model/endpoints/endpoint';
import { asThrown } from '../model/input/asThrown';
import { InputError } from '../model/input/inputError';
import { type Credential, ensureLoginFields, parseCredential } from './auth/credential';
import { requestLogin } from './auth/login';
import { UserSession } from './auth/userSession';
import { type ApiResponse, buildRequest, type CallArguments, type CallOptions, type LiveBody } from './call';
import { createCallError, explainFailedCall, toApiError } from './callError';
import { CircuitBreaker } from './circuitBreaker';
import {
  type ClientOptions,
  DEFAULT_CONCURRENCY,
  DEFAULT_TIMEOUT_MS,
  type SharedByClients,
} from './clientOptions';
import { systemClock } from './clock';
import { Semaphore } from './concurrency/semaphore';
import { sleepUnlessAborted } from './concurrency/sleep';
import { ApiError } from './errors/apiError';
import { AbortedError } from './errors/clientErrors';
import { type AttemptResult, isSuccess, toAttemptOutcome } from './http/attemptResult';
import type { HttpResponse } from './http/httpResponse';
import { parseResponse } from './http/parseResponse';
import { type ApiContext, CREDENTIAL_TYPE, type HttpRequest, sendRequest } from './http/sendRequest';
import { Notices } from './notices';
import type { Lane } from './rateLimit/rateLimiter';
import { getRateLimiter } from './rateLimit/rateLimiters';
import { OUTDATED, type Pacing, RequestPacer } from './rateLimit/requestPacer';
import { type CallProgress, decideRetry, recordFailedAttempt, type RetryDecision } from './retry';

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
    // Its body is outdated again after 2 s, so it does not wait behind other executions a second time.
    while (result === OUTDATED) result = await this.pacer.runOutdated(() => send({ lane: 'urgent' }));
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
