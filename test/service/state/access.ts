import type { Application } from './application';
import type { User } from './users';

/** The caller of a read or write, and where violations of the client are noted. */
export interface Access {
  app: Application;
  /** The user of the Bearer token; absent for calls with the key alone, which see all records. */
  user?: User;
  report(message: string): void;
}
