import { ApiError } from '../http/errors';
import type { ServiceOptions } from '../options';
import type { Random } from './random';
import { timestamp } from './time';

/** An end user of the app, not of this API. `id` is also the id of the record in `Users`. */
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

/** Users and the Bearer tokens they were given. */
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

  open(user: User, type: Session['type']): Session {
    const now = this.options.clock.now();
    const session: Session = {
      token: `tok_${this.random.secret(40)}`,
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

  /** The session of an issued token, valid or not. */
  session(token: string): Session | undefined {
    return this.byToken.get(token);
  }

  isValid(session: Session): boolean {
    return !session.loggedOut && this.options.clock.now() < session.expiresAt;
  }

  /** The user a request speaks for; 401 unless its token is valid (spec: Method 2, rule 5). */
  authenticate(token: string): User {
    const session = this.session(token);
    if (!session || !this.isValid(session)) throw new ApiError(401, 'Token Expired');
    session.lastActiveAt = this.options.clock.now();
    return session.user;
  }

  /** Login body as the spec shows it; auto-login "not shown" answers alike. */
  describe(session: Session): Record<string, unknown> {
    return {
      type: 'success',
      token: session.token,
      user_id: session.user.id,
      expires_at: timestamp(session.expiresAt),
      logged_in_since: timestamp(session.createdAt),
    };
  }
}
