import { raceAbort } from '../concurrency/sleep';
import { NetworkError } from '../errors/networkError';
import { type AttemptResult, isKeyRefused } from '../http/attemptResult';
import { createUserFingerprint, type Credential } from './credential';
import { handOverToken } from './handedOverTokens';
import { LOGIN_FAILED, readLoginToken } from './login';

/** Sends the call. With `login`, n8n gets a new token after a 401 (`authenticateUser`) and sends the call again. */
type SendAttempt = (login: boolean) => Promise<AttemptResult>;

export interface SessionOptions {
  credential: Credential;
  /** Sends `POST /auth/login` within the rate limit. */
  requestLogin(): Promise<AttemptResult>;
  /** Whether n8n has stored a token of the user. */
  hasStoredToken(): Promise<boolean>;
  signal?: AbortSignal;
}

/**
 * Maximum number of consecutive logins after which one endpoint still answers 401. Then no login is sent for this
 * endpoint for a while, because a new token does not help.
 */
const MAX_FUTILE_LOGINS = 3;

/** Milliseconds for which no login is sent for an endpoint that reached MAX_FUTILE_LOGINS. */
const FUTILE_PAUSE_MS = 60_000;

/** Running renewals by user. Executions at the same time share one login. Outlives an execution. */
const pendingRenewals = new Map<string, Promise<unknown>>();

/**
 * The user's login during one execution (spec: Authentication, Method 2). n8n's own login has no lock and no
 * timeout, so this class sends the login: before the first call, and after a 401.
 */
export class UserSession {
  private isOpen = false;
  /** The error of a refused login. The login is not sent again for each item. */
  private refusedLogin?: NetworkError;
  /**
   * Number of logins after which an endpoint still answered 401, and the time of the last one in
   * milliseconds.
   */
  private readonly futileLogins = new Map<string, { count: number; at: number }>();

  constructor(private readonly options: SessionOptions) {}

  /** @param endpoint the called endpoint; a 401 of one endpoint does not concern the others */
  async run(endpoint: string, send: SendAttempt): Promise<AttemptResult> {
    if (!this.options.credential.userLogin) return send(false);
    if (this.refusedLogin) return this.refusedLogin;
    let result = (await this.hasToken()) ? await send(false) : await this.renewLogin(endpoint, send);
    while (this.isLoginExpired(result) && this.canRenew(endpoint)) {
      result = await this.renewLogin(endpoint, send);
    }
    return result;
  }

  private async hasToken(): Promise<boolean> {
    this.isOpen ||= await this.options.hasStoredToken();
    return this.isOpen;
  }

  /**
   * Logs in and sends the call with the new token. If another call has renewed the token meanwhile, uses that
   * one.
   */
  private async renewLogin(endpoint: string, send: SendAttempt): Promise<AttemptResult> {
    const user = createUserFingerprint(this.options.credential);
    for (let running = pendingRenewals.get(user); running; running = pendingRenewals.get(user)) {
      await raceAbort(running, this.options.signal);
      if (this.refusedLogin) return this.refusedLogin;
      if (!this.options.signal?.aborted && !(await this.hasToken())) continue;
      const result = await send(false);
      if (!this.isLoginExpired(result) || !this.canRenew(endpoint)) return result;
    }
    const renewal = this.logInAndSend(endpoint, send);
    pendingRenewals.set(
      user,
      renewal.catch(() => undefined),
    );
    return renewal.finally(() => pendingRenewals.delete(user));
  }

  private async logInAndSend(endpoint: string, send: SendAttempt): Promise<AttemptResult> {
    const { credential, requestLogin } = this.options;
    const login = await requestLogin();
    // The call returns the 429 and is retried when the minute of the limit is over.
    if (!(login instanceof NetworkError) && login.status === 429) return login;
    const token = readLoginToken(credential, login);
    if (token instanceof NetworkError) {
      if (token.code === LOGIN_FAILED) this.refusedLogin = token;
      return token;
    }
    const result = await handOverToken(credential, token, () => send(true));
    this.isOpen ||= !(result instanceof NetworkError);
    if (this.isLoginExpired(result)) this.recordFutileLogin(endpoint);
    else this.futileLogins.delete(endpoint);
    return result;
  }

  private recordFutileLogin(endpoint: string): void {
    const { count = 0 } = this.futileLogins.get(endpoint) ?? {};
    this.futileLogins.set(endpoint, { count: count + 1, at: performance.now() });
  }

  private canRenew(endpoint: string): boolean {
    const futile = this.futileLogins.get(endpoint);
    if (!futile || futile.count < MAX_FUTILE_LOGINS) return true;
    if (performance.now() - futile.at < FUTILE_PAUSE_MS) return false;
    this.futileLogins.delete(endpoint);
    return true;
  }

  /** Whether the user must log in again. A new login does not help if the service refused the key itself. */
  private isLoginExpired(result: AttemptResult): boolean {
    return !(result instanceof NetworkError) && result.status === 401 && !isKeyRefused(result.body);
  }
}
