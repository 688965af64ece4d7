/** A response that was requested, or its request that is still running. */
interface CacheEntry<T> {
  requestedAt: number;
  value: Promise<T>;
}

/**
 * Caches responses by key. Parallel callers share one request; later callers get its response for `ttlMs`. A failure is
 * not kept: the next caller sends a new request.
 */
export class RequestCache<T> {
  /** In the order of their requests. */
  private readonly entries = new Map<string, CacheEntry<T>>();

  /** @param ttlMs milliseconds for which a response is reused */
  constructor(private readonly ttlMs = Infinity) {}

  /**
   * @param since the earliest time at which the response may have been requested, in milliseconds of
   *   `performance.now()`
   */
  get(key: string, request: () => Promise<T>, since = -Infinity): Promise<T> {
    const now = performance.now();
    this.deleteExpired(now);
    const cached = this.entries.get(key);
    if (cached && cached.requestedAt >= since) return cached.value;
    const entry = { requestedAt: now, value: request() };
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.value.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return entry.value;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  /** Deletes expired entries, up to the first that has not expired: all entries after it were requested later. */
  private deleteExpired(now: number): void {
    for (const [key, { requestedAt }] of this.entries) {
      if (now - requestedAt < this.ttlMs) return;
      this.entries.delete(key);
    }
  }
}
