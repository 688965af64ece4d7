import type { ServiceOptions } from '../options';
import { type Clock, SECOND } from './time';

/** Status of one window as `GET /status` shows it; all integers, times in seconds. */
interface LimitStatus {
  allowed: number;
  remaining: number;
  resets_in_seconds: number;
  reset_timestamp: number;
}

/** A fixed window. It opens with the first request after the previous window closed. */
class FixedWindow {
  private openedAt = -Infinity;
  private used = 0;

  constructor(
    private readonly clock: Clock,
    private readonly getLimit: () => number,
    private readonly getLength: () => number,
  ) {}

  get isFull(): boolean {
    return this.getCurrent().used >= this.getLimit();
  }

  count(): void {
    const { openedAt, used } = this.getCurrent();
    this.openedAt = openedAt;
    this.used = used + 1;
  }

  get status(): LimitStatus {
    const { openedAt, used } = this.getCurrent();
    const end = openedAt + this.getLength();
    return {
      allowed: this.getLimit(),
      remaining: Math.max(0, this.getLimit() - used),
      resets_in_seconds: Math.ceil((end - this.clock.now()) / SECOND),
      reset_timestamp: Math.ceil(end / SECOND),
    };
  }

  private getCurrent(): { openedAt: number; used: number } {
    const now = this.clock.now();
    const isOpen = now < this.openedAt + this.getLength();
    return isOpen ? { openedAt: this.openedAt, used: this.used } : { openedAt: now, used: 0 };
  }
}

/** Both request limits of one key (spec: Limits). A refused request counts towards neither. */
export class Limits {
  readonly minute: FixedWindow;
  readonly day: FixedWindow;

  /** `plan` overrides the options for one key. */
  constructor(options: ServiceOptions, plan: { perMinute?: number; perDay?: number } = {}) {
    this.minute = new FixedWindow(
      options.clock,
      () => plan.perMinute ?? options.perMinute,
      () => options.windowMs,
    );
    this.day = new FixedWindow(
      options.clock,
      () => plan.perDay ?? options.perDay,
      () => options.dayMs,
    );
  }

  /** Counts one request. Returns the exceeded limit instead when there is one. */
  take(): 'minute' | 'day' | undefined {
    if (this.day.isFull) return 'day';
    if (this.minute.isFull) return 'minute';
    this.day.count();
    this.minute.count();
    return undefined;
  }

  /** The eight headers of every response. */
  get headers(): Record<string, string> {
    const minute = this.minute.status;
    const day = this.day.status;
    return {
      'X-RateLimit-Limit': String(minute.allowed),
      'X-RateLimit-Remaining': String(minute.remaining),
      'X-Retry-After': String(minute.resets_in_seconds),
      'X-RateLimit-Reset': String(minute.reset_timestamp),
      'X-RateLimit-Daily-Limit': String(day.allowed),
      'X-RateLimit-Daily-Remaining': String(day.remaining),
      'X-Daily-Retry-After': String(day.resets_in_seconds),
      'X-Daily-RateLimit-Reset': String(day.reset_timestamp),
    };
  }
}
