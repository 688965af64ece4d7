export interface ClientOptions {
  /** Milliseconds to wait for a response. */
  timeout?: number;
  /** Maximum number of concurrent requests. */
  concurrency?: number;
  /** Ends waits and retries when aborted. By default this is the cancel signal of the execution. */
  signal?: AbortSignal;
}

export const DEFAULT_TIMEOUT_MS = 120_000;
export const DEFAULT_CONCURRENCY = 8;
