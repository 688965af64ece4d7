import type { Runtime } from './port';

/** Milliseconds between two progress messages. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Minimum total wait, in milliseconds, for which a hint about the rate limit is shown. */
const MIN_WAIT_FOR_HINT_MS = 3_000;

const formatDuration = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
};

/** Shows progress messages and hints, neither of them too often. */
export class Notices {
  private readonly hints = new Set<string>();
  private nextProgressAt: number;
  private totalWaitMs = 0;
  private lastWaitEnd = 0;

  constructor(private readonly runtime: Pick<Runtime, 'clock' | 'showProgress' | 'showHint'>) {
    this.nextProgressAt = this.now() + PROGRESS_INTERVAL_MS;
  }

  /** Sends a progress message, at most one in each interval. A run shorter than the interval sends none. */
  reportProgress(text: () => string): void {
    if (this.now() < this.nextProgressAt) return;
    this.nextProgressAt = this.now() + PROGRESS_INTERVAL_MS;
    this.runtime.showProgress(text());
  }

  /** Shows a hint beside the results. The same text is shown once. */
  addHint(message: string): void {
    if (this.hints.has(message)) return;
    this.hints.add(message);
    this.runtime.showHint(message);
  }

  /** Records that a call waited for the rate limit until now. Waits that overlap count once. */
  recordWait(ms: number): void {
    const now = this.now();
    this.totalWaitMs += Math.max(0, now - Math.max(now - ms, this.lastWaitEnd));
    this.lastWaitEnd = now;
  }

  /** Shows the hint about the rate limit if the run waited long. Call it at the end of the run. */
  finish(): void {
    if (this.totalWaitMs < MIN_WAIT_FOR_HINT_MS) return;
    this.addHint(
      `The request limit of the API key slowed this run: it waited ${formatDuration(this.totalWaitMs)}. A larger plan raises the limit; a key of its own keeps other workflows from using it up.`,
    );
  }

  private now(): number {
    return this.runtime.clock.now();
  }
}
