import { hashText, toCanonicalJson } from '../../shared/kit/hashing/hashText';
import type { RecordValues } from '../../shared/model/records/recordValues';

/**
 * What happened. `UPSERT`: By a Date Field cannot distinguish a created record from an updated one. `ENTRY`: a log
 * entry was added.
 */
export type ChangeEvent = 'INSERT' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'LEFT_FILTER' | 'ENTRY';

export interface Change {
  event: ChangeEvent;
  /** ID of the record, or hash of the log entry. */
  key: string;
  /** Values of the record or entry; only the ID of a deleted record. */
  values: RecordValues;
  /** Slugs of the changed fields; null if the earlier values are unknown. Set only by the detection By Snapshot. */
  changedFields?: string[] | null;
  /** Number of the poll that returns the change, or that returned it first. */
  sequence: number;
}

/** Settings of a detection. */
export interface DetectionContext {
  /** Milliseconds of n8n's clock. */
  now: number;
  /** Whether changes are stored in the state without being returned, as in the first poll. */
  remembersOnly: boolean;
}

const EVENT_ID_LENGTH = 16;

/**
 * Returns a hash of the change. A repeated change has the same ID. The sequence distinguishes two changes to the same
 * values.
 */
export const createEventId = ({ event, key, values, sequence }: Change, subject: string): string =>
  hashText(toCanonicalJson([event, subject, key, values, sequence]), EVENT_ID_LENGTH);
