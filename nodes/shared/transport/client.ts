import { randomInt } from 'node:crypto';
import { sleep, type IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../model/endpoint';
import { explain, type Explanation } from '../model/serviceError';
import { announced, Budget, type Clock } from './budget';
import { ApiFailure, explainFault, explainRedirect, unknownOutcome } from './errors';
import { budgetKey, keysOf, secretsOf, type Keys } from './keys';
import { fillPath } from './path';
import { redact } from './redact';
import { decide, type Outcome } from './retry';
import { CREDENTIAL, NetworkFault, send, type ApiContext, type HttpRequest, type HttpResponse } from './send';

export interface Call {
  /** Values of the endpoint's `{path}` parameters; the App ID fills itself in. */
  path?: Record<string, unknown>;
  query?: IDataObject;
  body?: IDataObject | FormData;
  headers?: Record<string, string>;
}

export interface Answer {
  body: unknown;
  headers: Record<string, string>;
}

/** Milliseconds without an answer after which a call is given up, unless an option says otherwise. */
export const DEFAULT_TIMEOUT = 120_000;

const clock: Clock = { now: () => performance.now(), sleep, random: () => randomInt(1_000_000) / 1_000_000 };

/** One budget per (base URL, app key) for all our nodes in the process. */
const budgets = new Map<string, Budget>();

function budgetOf(keys: Keys): Budget {
  const key = budgetKey(keys);
  const budget = budgets.get(key) ?? new Budget(clock);
  budgets.set(key, budget);
  return budget;
}

/** The service's own words for a key it does not accept: logging a user in again would not help. */
const KEY_REFUSED = /api not found|app not found|api disabled/i;

const messageIn = (body: unknown): string =>
  String((typeof body === 'object' && body !== null && 'msg' in body ? body.msg : undefined) ?? '');

const fieldErrorsIn = (body: unknown): Record<string, unknown> =>
  (typeof body === 'object' && body !== null && 'errors' in body
    ? (body.errors as Record<string, unknown>)
    : {}) ?? {};

const secondsOf = (value: string | undefined, otherwise: number): number =>
  value === undefined || Number.isNaN(Number(value)) ? otherwise : Number(value);

/**
 * Makes calls for one execution (or one load of a dropdown): paces them by the budget, repeats what may be
 * repeated, renews the user's login, and ends in an answer or an `ApiFailure`.
 */
export class Client {
  private readonly budget: Budget;
  private first?: Promise<unknown>;
  private loggingIn?: Promise<unknown>;

  private constructor(
    private readonly context: ApiContext,
    readonly keys: Keys,
    private readonly timeout: number,
  ) {
    this.budget = budgetOf(keys);
  }

  static async for(context: ApiContext, timeout = DEFAULT_TIMEOUT): Promise<Client> {
    return new Client(context, keysOf(await context.getCredentials(CREDENTIAL)), timeout);
  }

  /** @throws InputError for a bad path value, ApiFailure for everything else */
  async call(endpoint: Endpoint, call: Call = {}): Promise<Answer> {
    const request: HttpRequest = {
      method: endpoint.method,
      url: this.keys.baseUrl + fillPath(endpoint, { appId: this.keys.appId, ...call.path }),
      query: call.query,
      body: call.body,
      headers: call.headers,
      timeout: this.timeout,
    };
    for (let attempt = 1; ; attempt++) {
      this.stopIfCancelled();
      const result = await this.attempt(request);
      if (!(result instanceof NetworkFault) && result.status === 200 && typeof result.body === 'object') {
        return { body: result.body, headers: result.headers };
      }
      const decision = decide(this.outcomeOf(result), endpoint.effect, attempt, clock.random());
      if (!decision.retry) throw this.failure(result, decision.unknownOutcome, attempt);
      if (decision.waitMs > 0) await sleep(decision.waitMs);
    }
  }

  /** One paced call; a user's expired login is renewed once, for all callers that wait for it. */
  private async attempt(request: HttpRequest): Promise<HttpResponse | NetworkFault> {
    const answer = await this.afterFirst(() => this.paced(request));
    const expired =
      this.keys.userLogin &&
      !(answer instanceof NetworkFault) &&
      answer.status === 401 &&
      !KEY_REFUSED.test(messageIn(answer.body));
    if (!expired) return answer;
    this.loggingIn ??= this.paced(request, { login: true }).finally(() => (this.loggingIn = undefined));
    await this.loggingIn;
    return this.paced(request);
  }

  /** With a user login the first call goes alone: n8n has no lock, parallel ones would each log in. */
  private async afterFirst(run: () => Promise<HttpResponse | NetworkFault>) {
    if (!this.keys.userLogin) return run();
    if (this.first) {
      await this.first;
      return run();
    }
    const first = run();
    this.first = first;
    return first;
  }

  private async paced(
    request: HttpRequest,
    login?: { login: boolean },
  ): Promise<HttpResponse | NetworkFault> {
    await this.budget.reserve();
    const answer = await send(this.context, request, login).catch((fault: NetworkFault) => fault);
    if (answer instanceof NetworkFault) {
      this.budget.settle();
      return answer;
    }
    this.budget.settle(announced(answer.headers));
    if (answer.status === 429 && !isDaily(answer)) {
      this.budget.exhausted(secondsOf(answer.headers['x-retry-after'], 60));
    }
    return answer;
  }

  private outcomeOf(result: HttpResponse | NetworkFault): Outcome {
    if (result instanceof NetworkFault) return { kind: 'fault', code: result.code };
    if (result.status === 200) return { kind: 'broken' };
    return { kind: 'answer', status: result.status, dailyLimit: isDaily(result) };
  }

  private failure(result: HttpResponse | NetworkFault, isUnknown: boolean, attempts: number): ApiFailure {
    const why = this.reason(result);
    const { message, description } = isUnknown ? unknownOutcome(why) : why;
    const clean = (text: string) => redact(text, secretsOf(this.keys));
    const status = result instanceof NetworkFault ? undefined : result.status;
    return new ApiFailure(
      { message: clean(message), description: clean(description) },
      status,
      attempts,
      isUnknown,
      result instanceof NetworkFault ? {} : fieldErrorsIn(result.body),
    );
  }

  private reason(result: HttpResponse | NetworkFault): Explanation {
    if (result instanceof NetworkFault) return explainFault(result.code, result.message, this.keys.baseUrl);
    if (result.status >= 300 && result.status < 400) return explainRedirect(result.headers.location);
    if (result.status === 200) return NO_JSON;
    const why = explain(result.status, result.body);
    if (!isDaily(result)) return why;
    const hours = (secondsOf(result.headers['x-daily-retry-after'], 86_400) / 3600).toFixed(1);
    return { ...why, description: `It resets in ${hours} hours. ${why.description}` };
  }

  private stopIfCancelled(): void {
    const signal =
      'getExecutionCancelSignal' in this.context ? this.context.getExecutionCancelSignal() : undefined;
    if (signal?.aborted) {
      throw new ApiFailure({ message: 'The execution was cancelled', description: 'Nothing more was sent.' });
    }
  }
}

const NO_JSON: Explanation = {
  message: 'The answer was not JSON, or broke off',
  description:
    'Check the Base URL in the Record Database API credential: a web page answers there, or a proxy in between.',
};

const isDaily = ({ status, body }: HttpResponse) => status === 429 && /day/i.test(messageIn(body));
