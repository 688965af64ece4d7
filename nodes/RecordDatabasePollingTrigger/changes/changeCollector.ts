import type { SnapshotEvent } from '../form/parameters';
import { isMarkNeeded, type Mark, type PollState, pruneReturned, type Tracked } from '../pollState';
import type { Change, DetectionContext } from './change';
import { RECORD_HASH_LENGTH } from './digest';

export interface SnapshotContext extends DetectionContext {
  /** Events that the trigger returns. Changes with other events only update the state. */
  events: SnapshotEvent[];
}

/** A change before its sequence number is assigned. */
export type FoundChange = Omit<Change, 'sequence' | 'event'> & { event: SnapshotEvent };

/** Collects the changes of one poll, and the state for the next poll. */
export class ChangeCollector {
  readonly changes: Change[] = [];
  readonly tracked = new Map<string, Tracked>();
  readonly returnedAt: PollState['returnedAt'];
  private readonly nextSequence: number;

  constructor(
    private readonly before: PollState,
    private readonly context: SnapshotContext,
  ) {
    this.nextSequence = before.sequence + 1;
    this.returnedAt = pruneReturned(before.returnedAt, context.now);
  }

  get sequence(): number {
    const isUsed = this.changes.some(({ sequence }) => sequence === this.nextSequence);
    return isUsed ? this.nextSequence : this.before.sequence;
  }

  /** Stores the value of a record in the state without adding a change. */
  keep(id: string, value: string, mark: Mark | undefined): void {
    const isNeeded = isMarkNeeded(mark, this.returnedAt);
    if (value !== '' || isNeeded) this.tracked.set(id, { value, ...(isNeeded && { mark }) });
  }

  /** Adds a change and stores the new value in the state. A repeated change keeps its sequence number. */
  add(id: string, value: string, found: FoundChange, repeat: Mark | undefined): void {
    const { events, now, remembersOnly } = this.context;
    if (remembersOnly || !events.includes(found.event)) return this.keep(id, value, undefined);
    const known = this.before.tracked.get(id)?.value.slice(0, RECORD_HASH_LENGTH);
    const isSame = known === value.slice(0, RECORD_HASH_LENGTH);
    const sequence = repeat && isSame ? repeat.sequence : this.nextSequence;
    this.changes.push({ ...found, sequence });
    this.returnedAt.set(sequence, now);
    this.keep(id, value, { event: found.event, sequence });
  }
}
