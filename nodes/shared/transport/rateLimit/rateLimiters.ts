import { createApiKeyFingerprint, type Credential } from '../auth/credential';
import { systemClock } from '../clock';
import { RateLimiter } from './rateLimiter';

/** One rate limiter for each base URL and app key. All nodes in the process share it. Outlives an execution. */
const rateLimiters = new Map<string, RateLimiter>();

/** The largest number of rate limiters without calls. The least recently used ones are removed first. */
const MAX_IDLE_RATE_LIMITERS = 200;

function deleteIdleRateLimiters(): void {
  const idle = [...rateLimiters].filter(([, rateLimiter]) => rateLimiter.isIdle);
  for (const [key] of idle.slice(0, -MAX_IDLE_RATE_LIMITERS)) rateLimiters.delete(key);
}

export function getRateLimiter(credential: Credential): RateLimiter {
  const key = createApiKeyFingerprint(credential);
  const rateLimiter = rateLimiters.get(key) ?? new RateLimiter(systemClock);
  rateLimiters.delete(key);
  rateLimiters.set(key, rateLimiter);
  deleteIdleRateLimiters();
  return rateLimiter;
}
