import type { Allowance } from './announced';

/** The place of one call. */
export interface Ticket {
  readonly sentAt: number;
  /** How long the call waited for its place, in milliseconds. */
  readonly waitedMs: number;
  /** The window it was sent in, as far as known then. */
  readonly window: number;
}

/** A call without an answer for so long holds nobody else back. */
const PATIENCE_MS = 2_000;
/**
 * Clients that share a key wake apart, by a tenth of their wait and at most so much. Never before the reset,
 * for that would be refused; no more, for that would be lost in every window.
 */
const JITTER_MS = 100;
/** For a service that announces nothing: only its 429s tell. */
const UNLIMITED: Allowance = { limit: Infinity, remaining: Infinity, resetsInSeconds: Infinity };

/**
 * What is known of the service's current window of one minute (spec: Limits): how many calls it still
 * takes, and until when. All times are milliseconds of our own clock.
 */
export class Window {
  private limit?: number;
  private remaining = 0;
  /** The latest moment at which it can end. */
  private resetAt = 0;
  private number = 0;
  /** Calls of this window that have no answer yet. */
  private readonly underWay = new Set<Ticket>();
  /** When the call that asks for the next window was sent. */
  private askedAt = -Infinity;
  private roundsDown = false;
  /** Until a reset was seen, one call is kept back for it: should it be early, it is not refused. */
  private spare = 1;
  private jitter = 0;

  /** @param random from 0 to 1 */
  constructor(private readonly random: () => number) {}

  /** When the next call may go, as far as known. A new window starts with a single call that asks what is left. */
  opensAt(now: number): number {
    if (now >= this.resetAt) return this.askedAt + PATIENCE_MS;
    const recent = [...this.underWay]
      .map(({ sentAt }) => sentAt)
      .filter((sentAt) => sentAt > now - PATIENCE_MS);
    // Fewer at once near the end of the window, where other clients may take the last ones.
    const share = Math.max(1, Math.ceil(this.remaining / 4)) - recent.length;
    const left = this.remaining - this.underWay.size - this.spare;
    if (left > 0 && share > 0) return now;
    const reset = this.resetAt + this.jitter;
    return left > 0 ? Math.min(reset, ...recent.map((sentAt) => sentAt + PATIENCE_MS)) : reset;
  }

  /** Takes a place for a call that waited since `since`. */
  admit(now: number, since: number): Ticket {
    if (now >= this.resetAt) this.askedAt = now;
    const ticket = { sentAt: now, waitedMs: now - since, window: this.number };
    this.underWay.add(ticket);
    return ticket;
  }

  /** Ends a call: with what its answer announced, `null` for an answer without it, nothing after a fault. */
  settle(ticket: Ticket, now: number, announced?: Allowance | null): void {
    this.underWay.delete(ticket);
    if (this.asked(ticket)) this.askedAt = -Infinity;
    if (announced) this.learn(ticket, now, announced);
    else if (announced === null && this.limit === undefined) this.start(UNLIMITED, Infinity, 0);
    // A call whose answer was lost may have counted.
    else if (ticket.window === this.number) this.remaining = Math.max(0, this.remaining - 1);
  }

  private learn(ticket: Ticket, now: number, announced: Allowance): void {
    const { limit, remaining, resetsInSeconds } = announced;
    if (resetsInSeconds <= 0) this.noteRoundingDown();
    const seconds = Math.max(0, resetsInSeconds) + (this.roundsDown ? 1 : 0);
    // The true end lies between these two: seconds are whole, and the answer was some time on its way.
    const earliest = ticket.sentAt + (seconds - 1) * 1000;
    const latest = now + seconds * 1000;
    if (this.limit === undefined || earliest > this.resetAt || this.asked(ticket)) {
      this.start(announced, latest, seconds * 100);
    } else if (ticket.window === this.number) {
      // Answers arrive in any order: in one window the smaller number is the newer one.
      this.remaining = limit === this.limit ? Math.min(this.remaining, remaining) : remaining;
      this.limit = limit;
      this.resetAt = Math.min(this.resetAt, latest);
    }
  }

  /** Whether this call went ahead into a window that nothing is known of yet. */
  private asked(ticket: Ticket): boolean {
    return ticket.window === this.number && ticket.sentAt >= this.resetAt;
  }

  private start({ limit, remaining }: Allowance, resetAt: number, tenth: number): void {
    if (this.limit !== undefined && remaining > 0) this.spare = 0;
    this.limit = limit;
    this.remaining = remaining;
    this.resetAt = resetAt;
    this.askedAt = -Infinity;
    this.jitter = this.random() * Math.min(JITTER_MS, tenth);
    this.number++;
    this.underWay.clear();
  }

  /** "0 seconds" means less than one: this service cuts off what others round up. */
  private noteRoundingDown(): void {
    if (!this.roundsDown) this.resetAt += 1000;
    this.roundsDown = true;
  }
}
