/**
 * The login of a user, and its token. `UserSession.run` sends a call with the token, and logs in again after a 401.
 * `buildLoginRequest` builds the request of the login.
 */
import { waitUnlessAborted } from '../concurrency/wait';
import { authEndpoints } from '../endpoints/catalogue';
import { AbortedError, NetworkError } from '../errors/apiError';
import { redact } from '../errors/redact';
import { findSubject } from '../errors/serviceErrors';
import type { Explanation } from '../input/inputError';
import { asObject, isObject } from '../input/values';
import { memory } from '../memory/memory';
import { type Credential, buildKeyHeaders, getSecrets } from './credential';
import { fillPath } from './path';
import { type AttemptResult, createFailedResult, explainResult, isKeyRefused } from './response';
import { isPermanentFault } from './retry';

/** Error code: the service refused the login. The call that needed it was not sent. */
const LOGIN_FAILED = 'LOGIN_FAILED';

/** Error code: the login failed for a reason that may be temporary. The call that needed it was not sent. */
const LOGIN_DELAYED = 'LOGIN_DELAYED';

const TRANSIENT_STATUSES = [408, 425];

/** Explains a 403 of auto-login or of a magic link (spec: Authentication, Method 2, rule 7). */
export const PASSWORDLESS_FORBIDDEN: Explanation = {
  message: 'The API key is not set up for logins without a password',
  description:
    'Auto-login and magic links need a specially configured key. Allow it for the key in the service, or use a credential whose key has it.',
};

/** Explains a response to `POST /auth/auto-login` without a token: the spec does not show the response. Open point: `autoLogin`. */
const NO_AUTO_LOGIN_TOKEN: Explanation = {
  message: 'The response to the auto-login has no "token"',
  description:
    'The documentation of the service does not show this response. Run Users > Session > Auto-Login to see it. If another key has the token, choose Token under User Login of the credential.',
};

/** Builds the URL, headers and body of a login request. The test of the credential uses it too. */
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
 * Chooses the error code for a login response without a token. A response that cannot be read counts as temporary, as
 * a 502 does. The spec does not define the body of a refused login. A body that is not JSON comes from a proxy. Open
 * point: `loginErrors`.
 */
function chooseLoginCode(result: AttemptResult): string {
  const { status, body, fault } = result;
  if (fault && isPermanentFault(fault.code)) return fault.code;
  const isRefusal = typeof body === 'object' && status >= 400 && status < 500;
  return status === 401 || (isRefusal && !TRANSIENT_STATUSES.includes(status)) ? LOGIN_FAILED : LOGIN_DELAYED;
}

/**
 * Reads the token of a login response (spec: User authentication).
 * @returns an error if the response has no token. Its code is LOGIN_DELAYED if a further login may succeed
 */
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
  const options = { subject: findSubject(authEndpoints.login), secrets };
  return createError(chooseLoginCode(result), explainResult(result, credential, options));
}

/** Sends the call once. `authorization` is the value of the header `Authorization`, which is left out by default. */
type SendAttempt = (authorization?: string) => Promise<AttemptResult>;

/** The user of a session, and how its login is sent. */
interface SessionOptions {
  credential: Credential;
  /** Sends the login within the rate limit. */
  requestLogin(): Promise<AttemptResult>;
  signal?: AbortSignal;
}

/**
 * Maximum number of consecutive logins for one endpoint that still answers 401. After that, no login is sent for it,
 * because a new token does not help.
 */
const MAX_FUTILE_LOGINS = 3;

/**
 * Tokens stay in memory only. n8n could store a token in the credential (`preAuthentication`), but only one, and an
 * expression in the credential may name several users. n8n 1 would also replace the expressions by their values. The time
 * in `expires_at` is not used, because the spec does not name its zone. The service answers an expired token with 401
 * (spec: Authentication, Method 2, rule 5). Open point: `autoLogin`.
 */
const logins = memory.store<{ token?: string; running?: Promise<unknown> }, 'user'>('logins', {
  per: 'user',
  holds: "the user's token, and a login that executions at the same time share",
  max: 10_000,
  isInUse: ({ running }) => running !== undefined,
});

/**
 * Logs in one user during one execution (spec: Authentication, Method 2): before the first call, and again after a 401.
 */
export class UserSession {
  /**
   * The tokens that calls of this session have sent. The tokens are removed from error messages, because a service may
   * repeat what a request contains. Tokens of other users are not removed: with 1,000 users, that takes 44 ms for each
   * failed call.
   */
  readonly sentTokens = new Set<string>();
  /**
   * The last token of this session. `logins` may have removed it, because an execution may have more users than `logins`
   * keeps.
   */
  private ownToken?: string;
  /** The error of a refused login. The login is not sent again for each item. */
  private refusedLogin?: NetworkError;
  /** By endpoint, the number of logins since the endpoint last answered with another status than 401. */
  private readonly futileLogins = new Map<string, number>();

  constructor(private readonly options: SessionOptions) {}

  /**
   * Sends a call with the user's token, and again with a new token after a 401.
   * @param endpoint the called endpoint. A 401 of one endpoint does not prevent logins for other endpoints
   */
  async run(endpoint: string, send: SendAttempt): Promise<AttemptResult> {
    const { loginMethod, token } = this.options.credential;
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
    if (!isLoginExpired(result)) this.futileLogins.delete(endpoint);
    return result;
  }

  /**
   * Gets a token of the user other than `expired`. It is the stored token, or the token of a login that another call has
   * begun or that is sent now.
   */
  private async getToken(endpoint: string, expired?: string): Promise<string | AttemptResult> {
    const { signal } = this.options;
    for (;;) {
      if (this.refusedLogin) return createFailedResult(this.refusedLogin);
      const shared = this.sharedLogin;
      shared.token ??= this.ownToken;
      if (shared.token !== undefined && shared.token !== expired) return (this.ownToken = shared.token);
      if (!shared.running) break;
      await waitUnlessAborted(shared.running, signal);
      if (signal?.aborted) throw new AbortedError();
    }
    const login = this.logIn(endpoint);
    this.sharedLogin.running = login.catch(() => undefined);
    return login.finally(() => delete this.sharedLogin.running);
  }

  /** The login of the user, which all executions of the process share. */
  private get sharedLogin() {
    return logins.getOrCreate(this.options, [], () => ({}));
  }

  private async logIn(endpoint: string): Promise<string | AttemptResult> {
    const { credential, requestLogin } = this.options;
    const response = await requestLogin();
    // The call returns the 429 and is retried when the minute of the limit is over.
    if (response.status === 429) return response;
    const token = readLoginToken(credential, response);
    if (token instanceof NetworkError) {
      if (token.code === LOGIN_FAILED) this.refusedLogin = token;
      return createFailedResult(token);
    }
    this.futileLogins.set(endpoint, (this.futileLogins.get(endpoint) ?? 0) + 1);
    this.sharedLogin.token = this.ownToken = token;
    return token;
  }

  /** Whether the call may be sent with a new token: another call has a new one, or the endpoint has caused few logins. */
  private canLogIn(endpoint: string, expired?: string): boolean {
    const count = this.futileLogins.get(endpoint) ?? 0;
    return count < MAX_FUTILE_LOGINS || this.sharedLogin.token !== expired;
  }
}

/** Whether the user must log in again. A new login does not help if the service refused the key itself. */
const isLoginExpired = ({ status, body }: AttemptResult): boolean => status === 401 && !isKeyRefused(body);
