import type { Semaphore } from './concurrency/semaphore';
import type { Notices } from './notices';

export interface ClientOptions {
  /** Milliseconds to wait for a response. */
  timeout?: number;
  /** Maximum number of concurrent requests. */
  concurrency?: number;
  /** Ends waits and retries when aborted. By default this is the cancel signal of the execution. */
  signal?: AbortSignal;
  /** What the client shares with the clients of other users in the same execution. By default nothing. */
  shared?: SharedByClients;
}

/** One for each execution, whose items may run as several users. */
export interface SharedByClients {
  notices: Notices;
  /** Limits the concurrent requests. */
  semaphore: Semaphore;
}

export const DEFAULT_TIMEOUT_MS = 120_000;
export const DEFAULT_CONCURRENCY = 8;
