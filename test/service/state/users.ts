import { ResponseError } from '../http/errors';
import type { ServiceOptions } from '../options';
import type { Random } from './random';
import { formatTimestamp } from './time';

/** An end user of the application. `id` is also the id of the record in `Users`. */
export interface User {
  id: string;
  email: string;
  password: string;
  name: string;
}

export interface Session {
  token: string;
  user: User;
  type: 'Login' | 'Auto-login' | 'Magic link';
  createdAt: number;
  expiresAt: number;
  lastActiveAt: number;
  loggedOut: boolean;
}

/** Users and their Bearer tokens. */
export class Users {
  readonly all: User[] = [];
  readonly sessions: Session[] = [];
  private readonly byToken = new Map<string, Session>();

  constructor(
    private readonly options: ServiceOptions,
    private readonly random: Random,
  ) {}

  find(match: { email?: string; id?: string }): User | undefined {
    return this.all.find(({ email, id }) => email === match.email?.toLowerCase() || id === match.id);
  }

  openSession(user: User, type: Session['type']): Session {
    const now = this.options.clock.now();
    const session: Session = {
      token: `tok_${this.random.nextSecret(40)}`,
      user,
      type,
      createdAt: now,
      expiresAt: now + this.options.tokenMs,
      lastActiveAt: now,
      loggedOut: false,
    };
    this.sessions.push(session);
    this.byToken.set(session.token, session);
    return session;
  }

  /** The session of an issued token; it may have ended. */
  findSession(token: string): Session | undefined {
    return this.byToken.get(token);
  }

  isValid(session: Session): boolean {
    return !session.loggedOut && this.options.clock.now() < session.expiresAt;
  }

  /** The user of a valid token. @throws ResponseError 401 (spec: Method 2, rule 5) */
  authenticate(token: string): User {
    const session = this.findSession(token);
    if (!session || !this.isValid(session)) throw new ResponseError(401, 'Token Expired');
    session.lastActiveAt = this.options.clock.now();
    return session.user;
  }

  /** How the answers of a login, its status and a logout show success (`ServiceOptions.sessionAnswers`). */
  get success(): Record<string, unknown> {
    return { [this.options.sessionAnswers]: 'success' };
  }

  /** The answer to a login (spec: User authentication); that of auto-login, "not shown", is alike. */
  describeSession(session: Session): Record<string, unknown> {
    return {
      ...this.success,
      token: session.token,
      user_id: session.user.id,
      expires_at: formatTimestamp(session.expiresAt, this.options.timeZone),
      logged_in_since: formatTimestamp(session.createdAt, this.options.timeZone),
    };
  }
}
