import type { Application } from './application';
import { HOUR, timestamp } from './time';
import type { Session } from './users';

/** The eight logs, named by the last word of their path (spec: Logs). */
export const LOG_NAMES = [
  'failed-logins',
  'logins',
  'page-views',
  'emails',
  'sessions',
  'blocked-users',
  'blocked-ips',
  'builder-activities',
] as const;

export type LogName = (typeof LOG_NAMES)[number];
type Entry = Record<string, unknown> & { created_at: string };

const SESSION_WINDOW = 13 * HOUR;

/** What happened in the app; sign-ins over the API are added to what the sample brings. */
export class Logs {
  private readonly entries = new Map<LogName, Entry[]>(LOG_NAMES.map((name) => [name, []]));

  constructor(private readonly app: Application) {}

  add(name: LogName, ...entries: Entry[]): void {
    this.entries.get(name)?.push(...entries);
  }

  /** Newest first. */
  list(name: LogName): Entry[] {
    const all = this.entries.get(name) ?? [];
    const shown =
      name === 'sessions' ? [...all, ...this.openSessions()].filter((entry) => this.isRecent(entry)) : all;
    return shown.toSorted((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
  }

  login({ user: { email, name }, type }: Session): void {
    this.add('logins', { email, name, type, created_at: this.now(), ...NOWHERE, ...CLIENT });
  }

  failedLogin(username: string): void {
    const { city, state, country } = NOWHERE;
    this.add('failed-logins', { created_at: this.now(), username, city, state, country, ...CLIENT });
  }

  private openSessions(): Entry[] {
    const open = this.app.users.sessions.filter(({ loggedOut }) => !loggedOut);
    return open.map(({ user, createdAt, expiresAt, lastActiveAt }) => ({
      email: user.email,
      name: user.name,
      created_at: timestamp(createdAt),
      expire_at: timestamp(expiresAt),
      last_active_at: timestamp(lastActiveAt),
      browser: CLIENT.browser,
      ip: CLIENT.ip,
    }));
  }

  /** Created within 13 hours and not yet expired (spec: Sessions rule). */
  private isRecent({ created_at, expire_at }: Entry): boolean {
    const since = timestamp(this.app.options.clock.now() - SESSION_WINDOW);
    return created_at >= since && String(expire_at) > this.now();
  }

  private now(): string {
    return timestamp(this.app.options.clock.now());
  }
}

const NOWHERE = {
  address: '',
  address2: '',
  city: '',
  state: '',
  country: '',
  zip: '',
  latitude: '',
  longitude: '',
};

/** How a call over the API shows up. */
const CLIENT = {
  ip: '127.0.0.1',
  platform: 'API',
  browser: 'API',
  device: 'Server',
  device_type: 'desktop',
};
