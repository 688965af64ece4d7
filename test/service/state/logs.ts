import type { Application } from './application';
import { formatTimestamp, HOUR } from './time';
import type { Session } from './users';

/** The eight logs, by the last segment of their path (spec: Logs). */
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

/** Log entries: those of the sample data, and logins over the API. */
export class Logs {
  private readonly entries = new Map<LogName, Entry[]>(LOG_NAMES.map((name) => [name, []]));
  private createLater?: () => void;

  constructor(private readonly app: Application) {}

  /** Adds entries when a log is first read. @param create calls `add` */
  addLater(create: () => void): void {
    this.createLater = create;
  }

  add(name: LogName, ...entries: Entry[]): void {
    this.entries.get(name)?.push(...entries);
  }

  /** Newest first, or oldest first. */
  list(name: LogName): Entry[] {
    const create = this.createLater;
    this.createLater = undefined;
    create?.();
    const all = this.entries.get(name) ?? [];
    const shown =
      name === 'sessions'
        ? [...all, ...this.listOpenSessions()].filter((entry) => this.isRecent(entry))
        : all;
    const sign = this.app.options.logOrder === 'newestFirst' ? -1 : 1;
    return shown.toSorted(
      (a, b) => sign * (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0),
    );
  }

  recordLogin({ user: { email, name }, type }: Session): void {
    this.add('logins', { email, name, type, created_at: this.now(), ...UNKNOWN_PLACE, ...API_CLIENT });
  }

  recordFailedLogin(username: string): void {
    const { city, state, country } = UNKNOWN_PLACE;
    this.add('failed-logins', { created_at: this.now(), username, city, state, country, ...API_CLIENT });
  }

  private listOpenSessions(): Entry[] {
    const open = this.app.users.sessions.filter(({ loggedOut }) => !loggedOut);
    return open.map(({ user, createdAt, expiresAt, lastActiveAt }) => ({
      email: user.email,
      name: user.name,
      created_at: this.format(createdAt),
      expire_at: this.format(expiresAt),
      last_active_at: this.format(lastActiveAt),
      browser: API_CLIENT.browser,
      ip: API_CLIENT.ip,
    }));
  }

  /** Created within 13 hours and not yet expired (spec: Sessions rule). */
  private isRecent({ created_at, expire_at }: Entry): boolean {
    const since = this.format(this.app.options.clock.now() - SESSION_WINDOW);
    return created_at >= since && String(expire_at) > this.now();
  }

  private now(): string {
    return this.format(this.app.options.clock.now());
  }

  private format(ms: number): string {
    return formatTimestamp(ms, this.app.options.timeZone);
  }
}

const UNKNOWN_PLACE = {
  address: '',
  address2: '',
  city: '',
  state: '',
  country: '',
  zip: '',
  latitude: '',
  longitude: '',
};

/** Client details of a login over the API. */
const API_CLIENT = {
  ip: '127.0.0.1',
  platform: 'API',
  browser: 'API',
  device: 'Server',
  device_type: 'desktop',
};
