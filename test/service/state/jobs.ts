import type { ServiceOptions } from '../options';

/** Background work. `step` is called with the fraction of its time that has passed; 1 ends it. */
export interface Job {
  readonly startedAt: number;
  /** When it ended or was stopped. */
  endedAt?: number;
  fraction: number;
  stop(): void;
}

interface RunningJob extends Job {
  ms: number;
  step(fraction: number): void;
}

/**
 * Background work without timers: each request advances it to the time of the clock. A test's clock
 * therefore controls it, and nothing keeps the process alive.
 */
export class Jobs {
  private readonly running = new Set<RunningJob>();

  constructor(private readonly options: ServiceOptions) {}

  start(step: (fraction: number) => void, ms = this.options.jobMs): Job {
    const job: RunningJob = {
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

  runLater(run: () => void): void {
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
