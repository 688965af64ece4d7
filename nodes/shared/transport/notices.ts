import type { NodeExecutionHint } from 'n8n-workflow';
import type { ApiContext } from './send';

/** Milliseconds between two messages of progress. */
const PROGRESS_EVERY = 5_000;

/** From this wait on, the run says that the limit slowed it. */
const WORTH_A_HINT = 3_000;

interface Audience {
  sendMessageToUI?(message: unknown): void;
  addExecutionHints?(...hints: NodeExecutionHint[]): void;
}

const inWords = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
};

/**
 * What a run tells while it works and after it: progress in the browser's console (manual runs only),
 * hints above the output. n8n has no other way; older versions and other contexts lack even these.
 */
export class Notices {
  private readonly audience: Audience;
  private readonly hints = new Set<string>();
  private nextAt: number;
  private slowedMs = 0;
  private slowedUntil = 0;

  constructor(
    context: ApiContext,
    private readonly now: () => number,
  ) {
    this.audience = context as Audience;
    this.nextAt = now() + PROGRESS_EVERY;
  }

  /** Says how far a long run is; short ones stay silent. */
  progress(text: () => string): void {
    if (this.now() < this.nextAt) return;
    this.nextAt = this.now() + PROGRESS_EVERY;
    this.audience.sendMessageToUI?.(text());
  }

  /** Shows a hint above the output, each text once. */
  hint(message: string): void {
    if (this.hints.has(message)) return;
    this.hints.add(message);
    this.audience.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
  }

  /** Notes that a call waited for its place until now; waits at the same time count once. */
  waited(ms: number): void {
    const now = this.now();
    this.slowedMs += Math.max(0, now - Math.max(now - ms, this.slowedUntil));
    this.slowedUntil = now;
  }

  /** To be called when the run is over. */
  finish(): void {
    if (this.slowedMs < WORTH_A_HINT) return;
    this.hint(
      `The request limit of the API key slowed this run: it waited ${inWords(this.slowedMs)}. A larger plan raises the limit; a key of its own keeps other workflows from using it up.`,
    );
  }
}
