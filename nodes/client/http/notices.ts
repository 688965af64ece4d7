import type { NodeExecutionHint } from 'n8n-workflow';
import type { ApiContext } from '../../n8n/http/sendRequest';

/** Milliseconds between two progress messages. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Minimum total wait, in milliseconds, for which a hint about the rate limit is shown. */
const MIN_WAIT_FOR_HINT_MS = 3_000;

interface NoticeSink {
  sendMessageToUI?(message: unknown): void;
  addExecutionHints?(...hints: NodeExecutionHint[]): void;
}

const formatDuration = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
};

/**
 * Shows progress messages in the browser console (manual runs only) and hints above the output. n8n offers no
 * other channel; older versions and some contexts lack these too, and then nothing is shown.
 */
export class Notices {
  private readonly sink: NoticeSink;
  private readonly hints = new Set<string>();
  private nextProgressAt: number;
  private totalWaitMs = 0;
  private lastWaitEnd = 0;

  constructor(
    context: ApiContext,
    private readonly now: () => number,
  ) {
    this.sink = context as NoticeSink;
    this.nextProgressAt = now() + PROGRESS_INTERVAL_MS;
  }

  /** Sends a progress message, at most one in each interval. A run shorter than the interval sends none. */
  reportProgress(text: () => string): void {
    if (this.now() < this.nextProgressAt) return;
    this.nextProgressAt = this.now() + PROGRESS_INTERVAL_MS;
    this.sink.sendMessageToUI?.(text());
  }

  /** Shows a hint above the output. The same text is shown once. */
  addHint(message: string): void {
    if (this.hints.has(message)) return;
    this.hints.add(message);
    this.sink.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
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
}
