import { Semaphore } from '../concurrency/semaphore';
import { AbortedError } from '../errors/clientErrors';
import { type AttemptResult, readRateLimitInfo } from '../http/attemptResult';
import type { Notices } from '../notices';
import type { Admission, RateLimiter } from './rateLimiter';

/** Sends the requests of one client within the rate limit of its key and its maximum number of parallel requests. */
export class RequestPacer {
  private readonly semaphore: Semaphore;

  /** @param admission its signal rejects waiting requests with an `AbortedError` when aborted */
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly notices: Notices,
    concurrency: number,
    private readonly admission: Admission,
  ) {
    this.semaphore = new Semaphore(concurrency, admission.signal, () => new AbortedError());
  }

  /** Waits for a permit, sends the request, and updates the rate limiter from its response. */
  run(send: () => Promise<AttemptResult>): Promise<AttemptResult> {
    return this.semaphore.run(async () => {
      const permit = await this.rateLimiter.acquire(this.admission);
      this.notices.recordWait(permit.waitedMs);
      let result: AttemptResult | undefined;
      try {
        result = await send();
        return result;
      } finally {
        this.rateLimiter.release(permit, result && readRateLimitInfo(result));
      }
    });
  }
}
