/** The login of a user, and its token. */
import { waitUnlessAborted } from '../concurrency/wait';
import { authEndpoints } from '../endpoints/catalogue';
import { createCancelledError, NetworkError } from '../errors/apiError';
import { redact } from '../errors/redact';
import { findCallSubject } from '../errors/serviceErrors';
import type { Explanation } from '../input/inputError';
import { asObject, isObject } from '../input/values';
import { memory } from '../memory/memory';
import { type Credential, buildKeyHeaders, getSecrets } from './credential';
import { fillPath } from './path';
import { type AttemptResult, createFailedResult, explainFailure, saysKeyRefused } from './response';
import { isPermanentFault } from './retry';

/** The service refused the login, so the call that needed a token was not sent. */
const LOGIN_FAILED = 'LOGIN_FAILED';

/** The login failed for a reason that may be temporary, so the call that needed a token was not sent. */
const LOGIN_DELAYED = 'LOGIN_DELAYED';

const TEMPORARY_STATUSES = [408, 425];

/** A 403 for auto-login or for a magic link (spec: Authentication, Method 2, rule 7). */
export const PASSWORDLESS_FORBIDDEN: Explanation = {
  message: 'The API key is not set up for logins without a password',
  description:
    'Auto-login and magic links need a specially configured key. Allow it for the key in the service, or use a credential whose key has it.',
};

/** A response to auto-login without a token. The spec does not define this response. See silences.md: `autoLogin`. */
const NO_AUTO_LOGIN_TOKEN: Explanation = {
  message: 'The response to the auto-login has no "token"',
  description:
    'The documentation of the service does not show this response. Run Users > Session > Auto-Login to see it. If another key has the token, choose Token under User Login of the credential.',
};

/** Builds the request of a login, which the test of the credential sends too. */
export function buildLoginRequest(credential: Credential) {
  const { baseUrl, appId, loginMethod, email, password, remember } = credential;
  const isAutoLogin = loginMethod === 'autoLogin';
  return {
    url: baseUrl + fillPath(isAutoLogin ? authEndpoints.autoLogin : authEndpoints.login, { appId }),
    headers: buildKeyHeaders(credential),
    body: isAutoLogin ? { email } : { email, password, remember },
  };
}

/**
 * A response that is no JSON comes from a proxy, and counts as temporary. The spec does not define the body of a
 * refused login. See silences.md: `loginErrors`.
 */
function chooseLoginErrorCode(result: AttemptResult): string {
  const { status, body, fault } = result;
  if (fault && isPermanentFault(fault.code)) return fault.code;
  const isRefusal = typeof body === 'object' && status >= 400 && status < 500;
  return status === 401 || (isRefusal && !TEMPORARY_STATUSES.includes(status)) ? LOGIN_FAILED : LOGIN_DELAYED;
}

/** @returns the token, or else a NetworkError, whose code is LOGIN_DELAYED if another login may succeed */
export function readLoginToken(credential: Credential, result: AttemptResult): string | NetworkError {
  const { status, body } = result;
  const { token } = asObject(body);
  if (status === 200 && typeof token === 'string' && token !== '') return token;
  const secrets = getSecrets(credential);
  const user = redact(credential.email || 'the user', secrets);
  const createError = (code: string, { message, description }: Explanation) =>
    new NetworkError(code, `The login of ${user} failed. ${message}. ${description}`);
  const isAutoLogin = credential.loginMethod === 'autoLogin' && isObject(body);
  if (isAutoLogin && status === 200) return createError(LOGIN_FAILED, NO_AUTO_LOGIN_TOKEN);
  if (isAutoLogin && status === 403) return createError(LOGIN_FAILED, PASSWORDLESS_FORBIDDEN);
  const options = { subject: findCallSubject(authEndpoints.login), secrets };
  return createError(chooseLoginErrorCode(result), explainFailure(result, credential, options));
}

type SendAttempt = (authorization?: string) => Promise<AttemptResult>;

/** Maximum number of logins in a row for an endpoint that always answers 401: another token would not help. */
const MAX_LOGINS_IN_A_ROW = 3;

/**
 * Tokens are kept here, because n8n would store only one in a credential (`preAuthentication`): a credential with an
 * expression may name several users, and n8n 1 would replace the expression by its value. `expires_at` is not used,
 * because the spec does not name its time zone: a token is used until the service answers 401 (spec: Authentication,
 * Method 2, rule 5). See silences.md: `autoLogin`.
 */
const logins = memory.store<{ token?: string; running?: Promise<unknown> }, 'user'>('logins', {
  per: 'user',
  holds: "the user's token, and a login that executions at the same time share",
  max: 10_000,
});

/** Logs in one user: before the first call, and again after a 401 (spec: Authentication, Method 2). */
export class UserSession {
  /**
   * These tokens are removed from messages, because a service may repeat a token in an error. Tokens of other
   * users are not removed: for 1,000 users, that would take 44 ms for each failed call.
   */
  readonly sentTokens = new Set<string>();
  /** The error of a refused login, kept so that the login is not sent again for each item. */
  private refusedLogin?: NetworkError;
  /** Number of logins for each endpoint since its last answer other than a 401. */
  private readonly loginsInARow = new Map<string, number>();

  /** @param requestLogin sends the login, within the rate limit */
  constructor(
    private readonly credential: Credential,
    private readonly requestLogin: () => Promise<AttemptResult>,
    private readonly signal?: AbortSignal,
  ) {}

  /**
   * Sends a call, and after a 401, sends it again with a new token.
   * @param endpoint logins are counted for each endpoint, so that an endpoint that always answers 401 does not
   * prevent the logins for other endpoints
   */
  async sendWithToken(endpoint: string, send: SendAttempt): Promise<AttemptResult> {
    const { loginMethod, token } = this.credential;
    if (loginMethod === 'none') return send();
    if (loginMethod === 'token') return send(`Bearer ${token}`);
    let result: AttemptResult | undefined;
    let expired: string | undefined;
    while (!result || (isLoginExpired(result) && this.canLogIn(endpoint, expired))) {
      const login = await this.getToken(endpoint, expired);
      if (typeof login !== 'string') return login;
      this.sentTokens.add(login);
      expired = login;
      result = await send(`Bearer ${login}`);
    }
    if (!isLoginExpired(result)) this.loginsInARow.delete(endpoint);
    return result;
  }

  /**
   * Gets another token than `expired`: the stored token, or the token of a running or new login.
   * @returns the result of the failed login if there is no token
   */
  private async getToken(endpoint: string, expired?: string): Promise<string | AttemptResult> {
    for (;;) {
      if (this.refusedLogin) return createFailedResult(this.refusedLogin);
      const { token, running } = this.sharedLogin;
      if (token !== undefined && token !== expired) return token;
      if (!running) break;
      await waitUnlessAborted(running, this.signal);
      if (this.signal?.aborted) throw createCancelledError();
    }
    const login = this.logIn(endpoint);
    this.sharedLogin.running = login.catch(() => undefined);
    return login.finally(() => delete this.sharedLogin.running);
  }

  /** Executions of the same user share a login. */
  private get sharedLogin() {
    return logins.getOrCreate({ credential: this.credential }, [], () => ({}));
  }

  private async logIn(endpoint: string): Promise<string | AttemptResult> {
    const response = await this.requestLogin();
    // The call gets the 429 of the login, and is repeated when the minute is over.
    if (response.status === 429) return response;
    const token = readLoginToken(this.credential, response);
    if (token instanceof NetworkError) {
      if (token.code === LOGIN_FAILED) this.refusedLogin = token;
      return createFailedResult(token);
    }
    this.loginsInARow.set(endpoint, (this.loginsInARow.get(endpoint) ?? 0) + 1);
    this.sharedLogin.token = token;
    return token;
  }

  /** Whether there may be another token. After too many logins, only if a parallel call has stored a new token. */
  private canLogIn(endpoint: string, expired?: string): boolean {
    const count = this.loginsInARow.get(endpoint) ?? 0;
    return count < MAX_LOGINS_IN_A_ROW || this.sharedLogin.token !== expired;
  }
}

/** A new login does not help if the service refused the key itself. */
const isLoginExpired = ({ status, body }: AttemptResult): boolean => status === 401 && !saysKeyRefused(body);
