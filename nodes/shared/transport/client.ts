import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../model/endpoint';
import { isOwnError } from '../model/answer';
import { Budget, DayUsedUp, GivenUp } from './budget';
import { clock, pause } from './clock';
import { ApiFailure, CANCELLED, explainDay, unknownOutcome } from './errors';
import { budgetKey, keysOf, openToken, secretsOf, type Keys } from './keys';
import { Notices } from './notices';
import { fillPath } from './path';
import { redact } from './redact';
import { announcementOf, fieldErrorsOf, isSuccess, outcomeOf, reasonOf, type Result } from './result';
import { decide, wasSent, type Decision, type Tally } from './retry';
import { CREDENTIAL, NetworkFault, send, type ApiContext, type HttpRequest } from './send';
import { Session } from './session';
import { Slots } from './slots';

export interface Call {
  /** Values of the endpoint's `{path}` parameters; the App ID fills itself in. */
  path?: Record<string, unknown>;
  query?: IDataObject;
  body?: IDataObject | FormData;
  /** With an `Authorization` of its own, a call carries that (or NO_LOGIN) and not the credential's login. */
  headers?: Record<string, string>;
  /** The answer may be a file: see `contentOf`. */
  file?: boolean;
  /** Values of this call that no message may repeat. */
  secrets?: string[];
}

export interface Answer {
  body: unknown;
  headers: Record<string, string>;
}

export interface ClientOptions {
  /** Milliseconds without an answer after which a call is given up. */
  timeout?: number;
  /** Requests under way at once. */
  parallel?: number;
}

export const DEFAULT_TIMEOUT = 120_000;
export const DEFAULT_PARALLEL = 8;

/** One budget per (base URL, app key) for all our nodes in the process. */
const budgets = new Map<string, Budget>();

function budgetOf(keys: Keys): Budget {
  const key = budgetKey(keys);
  const budget = budgets.get(key) ?? new Budget(clock);
  budgets.set(key, budget);
  return budget;
}

/**
 * Makes calls for one execution (or one load of a dropdown): paces them by the budget, repeats what may be
 * repeated, renews the user's login, and ends in an answer or an `ApiFailure`.
 */
export class Client {
  /** Of our own clock; what is older was learned before this execution. */
  readonly startedAt = clock.now();
  readonly notices: Notices;
  /** Requests under way at once. */
  readonly parallel: number;
  /** Milliseconds without an answer, or without a byte of a file, after which it is given up. */
  readonly timeout: number;
  private readonly budget: Budget;
  private readonly session: Session;
  private readonly slots: Slots;
  private readonly signal?: AbortSignal;

  private constructor(
    private readonly context: ApiContext,
    readonly keys: Keys,
    { timeout = DEFAULT_TIMEOUT, parallel = DEFAULT_PARALLEL }: ClientOptions,
  ) {
    this.timeout = timeout;
    this.parallel = parallel;
    this.budget = budgetOf(keys);
    this.session = new Session(keys);
    this.slots = new Slots(parallel);
    this.notices = new Notices(context, clock.now);
    if ('getExecutionCancelSignal' in context) this.signal = context.getExecutionCancelSignal();
  }

  static async for(context: ApiContext, options: ClientOptions = {}): Promise<Client> {
    return new Client(context, keysOf(await context.getCredentials(CREDENTIAL)), options);
  }

  /** @throws InputError for a bad path value, ApiFailure for everything else */
  async call(endpoint: Endpoint, call: Call = {}): Promise<Answer> {
    const { query, body, headers, file } = call;
    const url = this.keys.baseUrl + fillPath(endpoint, { appId: this.keys.appId, ...call.path });
    const { method, mayBeEmpty } = endpoint;
    const request = { method, url, query, body, headers, file, mayBeEmpty, timeout: this.timeout };
    const tally: Tally = { refusals: 0, faults: 0 };
    let sent = 0;
    for (;;) {
      const make = (login: boolean) => this.paced(request, login);
      const isOwn = headers?.Authorization !== undefined;
      const result = await (isOwn ? make(false) : this.session.run(make)).catch(stopped);
      if (result instanceof ApiFailure) throw result;
      if (isSuccess(result)) return { body: result.body, headers: result.headers };
      const outcome = outcomeOf(result);
      const isRefusal = outcome.kind === 'answer' && outcome.status === 429;
      tally[isRefusal ? 'refusals' : 'faults']++;
      if (!isRefusal && wasSent(outcome)) sent++;
      const decision = decide(outcome, endpoint.effect, tally, clock.random());
      if (!decision.retry || this.signal?.aborted) {
        const secrets = [...(call.secrets ?? []), await this.sessionToken()];
        throw this.failure(endpoint, result, decision, sent, secrets);
      }
      if (decision.waitMs > 0) await pause(decision.waitMs, this.signal);
    }
  }

  /** One request within the budget, and not more at once than the user wants. */
  private paced(request: HttpRequest, login: boolean): Promise<Result> {
    return this.slots.run(async () => {
      const ticket = await this.budget.reserve(this.signal);
      this.notices.waited(ticket.waitedMs);
      const result = await send(this.context, request, login);
      this.budget.settle(ticket, announcementOf(result));
      return result;
    });
  }

  /** As stored now: n8n may have renewed it during this execution. */
  private async sessionToken(): Promise<string> {
    if (!this.keys.userLogin) return '';
    const { sessionToken } = await this.context.getCredentials(CREDENTIAL);
    return openToken(this.keys, sessionToken) ?? '';
  }

  private failure(
    endpoint: Endpoint,
    result: Result,
    decision: Decision,
    sent: number,
    secrets: string[],
  ): ApiFailure {
    // A request that was cut off by the cancellation may have arrived all the same.
    const isUnknown = decision.retry ? false : decision.unknownOutcome;
    const isCut = this.signal?.aborted && result instanceof NetworkFault;
    const why = isCut ? CANCELLED : reasonOf(result, this.keys.baseUrl);
    const { message, description } = isUnknown ? unknownOutcome(why) : why;
    const clean = (text: string) => redact(text, [...secretsOf(this.keys), ...secrets]);
    return new ApiFailure(
      { message: clean(message), description: clean(description) },
      result instanceof NetworkFault ? undefined : result.status,
      sent,
      isUnknown,
      fieldErrorsOf(result),
      !(result instanceof NetworkFault) && isOwnError(result.status, result.body),
      endpoint,
    );
  }
}

/** What the budget refuses, in the user's words; the call was not sent. */
function stopped(error: unknown): ApiFailure {
  if (error instanceof DayUsedUp) return new ApiFailure(explainDay(error.resetsInSeconds), 429, 0);
  if (error instanceof GivenUp) return new ApiFailure(CANCELLED, undefined, 0);
  return new ApiFailure({ message: 'The call could not be made', description: String(error) });
}
