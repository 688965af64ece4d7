import type { ChangeEvent } from './changes/change';

/** The last returned change of a record or log entry. */
export interface Mark {
  event: ChangeEvent;
  /** Number of the poll that returned the change; see `PollState.sequence`. */
  sequence: number;
  /** The change must be returned again, because n8n restarted before the workflow execution was known to have ended. */
  isPending?: true;
}

/** The stored state of one record or log entry. */
export interface Tracked {
  /**
   * Date and hash of a record or entry, or the hashes of a record in a snapshot; '' for a record that was deleted or
   * left the filter.
   */
  value: string;
  /** Undefined if the record was never returned, or if its change was returned more than 10 minutes ago. */
  mark?: Mark;
}

/** The position up to which By a Date Field or a log was read. Dates are text in the service's format and time zone. */
export interface Position {
  /** Earlier polls have found all records with a date up to this one; '' at the start. */
  floor: string;
  /** The newest known date; '' if there is none. */
  watermark: string;
  /** When `watermark` was found, in milliseconds of n8n's clock. */
  advancedAt: number;
  /** The date from which the next poll continues, if the last one could not read everything. */
  resume?: string;
}

/**
 * What the trigger stores between polls. It is stored as one text, because n8n observes and copies every entry of
 * an object.
 */
export interface PollState {
  /** Hash of the application and the settings that define the watched data. A state with another scope is ignored. */
  scope: string;
  /** ID of the n8n process that wrote the state. After a restart, n8n has another ID. */
  process: string;
  /** Number of polls that returned changes. */
  sequence: number;
  /**
   * When the polls with these sequence numbers returned their changes, in milliseconds. The last 10 minutes are kept.
   */
  returnedAt: Map<number, number>;
  /** By record ID, or by the hash of a log entry. */
  tracked: Map<string, Tracked>;
  position: Position;
  /**
   * Slugs of the compared fields, in the order of the field hashes of a snapshot. Empty if the state has no field
   * hashes.
   */
  slugs: string[];
}

export const createPollState = (scope: string, process: string): PollState => ({
  scope,
  process,
  sequence: 0,
  returnedAt: new Map(),
  tracked: new Map(),
  position: { floor: '', watermark: '', advancedAt: 0 },
  slugs: [],
});

/** Milliseconds after which the execution of a change is assumed to be over. */
const EXECUTION_MS = 10 * 60_000;

/** Removes the polls whose workflow executions are assumed to have ended, by sequence number. */
export const pruneReturned = (returnedAt: Map<number, number>, now: number): Map<number, number> =>
  new Map([...returnedAt].filter(([, at]) => now - at < EXECUTION_MS));

/** Whether a change must be returned again, or its execution may still run. */
export const isMarkNeeded = (mark: Mark | undefined, returnedAt: Map<number, number>): mark is Mark =>
  mark !== undefined && (mark.isPending === true || returnedAt.has(mark.sequence));

/** Returns the mark of a change that must be returned again, otherwise undefined. */
export const getPendingMark = (tracked: Tracked | undefined): Mark | undefined =>
  tracked?.mark?.isPending ? tracked.mark : undefined;

/** Adopts a state that another n8n process wrote. With `repeats`, marks its last changes to be returned again. */
export function takeOver(state: PollState, process: string, repeats: boolean): PollState {
  if (state.process === process) return state;
  if (!repeats) return { ...state, process };
  const tracked = [...state.tracked].map(([key, { value, mark }]): [string, Tracked] => [
    key,
    { value, ...(mark && { mark: { ...mark, isPending: true } }) },
  ]);
  return { ...state, process, tracked: new Map(tracked) };
}
