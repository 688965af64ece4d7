interface RequestCacheOptions {
  /** Milliseconds for which a response is reused. */
  ttlMs?: number;
  /** Milliseconds for which a failure is reused. By default 0: the next caller sends a new request. */
  failureTtlMs?: number;
  now?: () => number;
}

interface CacheEntry<T> {
  requestedAt: number;
  expiresAt: number;
  value: Promise<T>;
}

/**
 * Caches responses by key. Parallel callers share one request; later callers get its response for `ttlMs`.
 */
export class RequestCache<T> {
  private readonly entries = new Map<string, CacheEntry<T>>();
  private readonly ttlMs: number;
  private readonly failureTtlMs: number;
  private readonly now: () => number;

  constructor({
    ttlMs = Infinity,
    failureTtlMs = 0,
    now = () => performance.now(),
  }: RequestCacheOptions = {}) {
    this.ttlMs = ttlMs;
    this.failureTtlMs = failureTtlMs;
    this.now = now;
  }

  /** Number of entries, expired ones included. */
  get size(): number {
    return this.entries.size;
  }

  get(key: string, request: () => Promise<T>): Promise<T> {
    const now = this.now();
    const cached = this.entries.get(key);
    if (cached && now < cached.expiresAt) return cached.value;
    this.deleteExpired(now);
    const value = request();
    const entry = { requestedAt: now, expiresAt: now + this.ttlMs, value };
    this.entries.set(key, entry);
    value.catch(() => {
      entry.expiresAt = this.now() + this.failureTtlMs;
    });
    return value;
  }

  /** When the response of `key` was requested, in milliseconds of `now`. */
  getRequestTime(key: string): number | undefined {
    return this.entries.get(key)?.requestedAt;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  private deleteExpired(now: number): void {
    for (const [key, { expiresAt }] of this.entries) if (now >= expiresAt) this.entries.delete(key);
  }
}
