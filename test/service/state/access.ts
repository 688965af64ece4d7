import type { Application } from './application';
import type { User } from './users';

/** On whose behalf something is read or written, and where a mistake of that client is noted. */
export interface Access {
  app: Application;
  /** The user of the Bearer token; absent for calls with the key alone, which see everything. */
  user?: User;
  report(message: string): void;
}
