import type { SharedByClients } from '../clientOptions';
import { NetworkError } from '../errors/networkError';
import { type AttemptResult, readRateLimitInfo } from '../http/attemptResult';
import type { Admission, RateLimiter } from './rateLimiter';

/** The result of a request that was not sent, because its body was outdated when the rate limit admitted it. */
export const OUTDATED = new NetworkError('OUTDATED', 'the body of the request was outdated');

/** How a request waits for the rate limit, if not as the other requests of its client. */
export interface Pacing extends Pick<Admission, 'lane'> {
  /** Whether the body may still be sent. Checked right before the request is sent. */
  isCurrent?: () => boolean;
}

/** Sends the requests of one client within the rate limit of its key and its maximum number of parallel requests. */
export class RequestPacer {
  /** @param admission its signal rejects waiting requests with an `AbortedError` when aborted */
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly shared: SharedByClients,
    private readonly admission: Admission,
  ) {}

  /**
   * Waits for a permit, sends the request, and updates the rate limiter from its response.
   * @returns OUTDATED if the body of the request is no longer current when it is admitted; it is not sent then
   */
  run(send: () => Promise<AttemptResult>, { isCurrent, ...admission }: Pacing = {}): Promise<AttemptResult> {
    return this.shared.semaphore.run(async () => {
      const permit = await this.rateLimiter.acquire({ ...this.admission, ...admission });
      this.shared.notices.recordWait(permit.waitedMs);
      if (isCurrent?.() === false) {
        this.rateLimiter.cancel(permit);
        return OUTDATED;
      }
      let result: AttemptResult | undefined;
      try {
        result = await send();
        return result;
      } finally {
        this.rateLimiter.release(permit, result && readRateLimitInfo(result));
      }
    });
  }

  /**
   * Runs `task`, which prepares a new body and sends it. Only one such task of a key runs at a time: many of them would
   * use up the requests of each minute for new bodies, and the minute would end before one of them is sent.
   */
  runOutdated<T>(task: () => Promise<T>): Promise<T> {
    return this.rateLimiter.outdatedCalls.run(task);
  }
}
