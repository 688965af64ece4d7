interface CacheEntry<T> {
  requestedAt: number;
  value: Promise<T>;
}

/** Keeps responses by key for `ttlMs`. Parallel callers share one request. A failure is not kept. */
export class RequestCache<T> {
  /** The responses by key, in the order of their requests. */
  private readonly entries = new Map<string, CacheEntry<T>>();

  constructor(private readonly ttlMs = Infinity) {}

  /** @param since milliseconds of `performance.now()`. A response that was requested earlier is not used */
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

  /** Stops at the first response that is not expired: all later ones were requested after it. */
  private deleteExpired(now: number): void {
    for (const [key, { requestedAt }] of this.entries) {
      if (now - requestedAt < this.ttlMs) return;
      this.entries.delete(key);
    }
  }
}
