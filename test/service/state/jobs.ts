import type { ServiceOptions } from '../options';

/** Something that takes time: stepped with the fraction done, ended when that reaches 1. */
export interface Job {
  readonly startedAt: number;
  /** When it ended or was stopped. */
  endedAt?: number;
  fraction: number;
  stop(): void;
}

interface Running extends Job {
  ms: number;
  step(fraction: number): void;
}

/**
 * Background work without timers: whoever looks at the service first brings it up to date. A test's
 * clock therefore moves it, and nothing keeps the process alive.
 */
export class Jobs {
  private readonly running = new Set<Running>();

  constructor(private readonly options: ServiceOptions) {}

  start(step: (fraction: number) => void, ms = this.options.jobMs): Job {
    const job: Running = {
      startedAt: this.now(),
      ms,
      fraction: 0,
      step,
      stop: () => {
        if (this.running.delete(job)) job.endedAt = this.now();
      },
    };
    this.running.add(job);
    return job;
  }

  later(run: () => void): void {
    this.start((fraction) => {
      if (fraction === 1) run();
    });
  }

  advance(): void {
    for (const job of this.running) {
      job.fraction = job.ms <= 0 ? 1 : Math.min(1, (this.now() - job.startedAt) / job.ms);
      if (job.fraction === 1) {
        this.running.delete(job);
        job.endedAt = job.startedAt + job.ms;
      }
      job.step(job.fraction);
    }
  }

  private now(): number {
    return this.options.clock.now();
  }
}
