import type { RecordValues } from '../../shared/model/records/recordValues';
import { getPendingMark, type Mark, type PollState, type Tracked } from '../pollState';
import { formatTrackedLines, MAX_TRACKED_LENGTH } from '../pollStateText';
import type { Change } from './change';
import { ChangeCollector, type FoundChange, type SnapshotContext } from './changeCollector';
import { findChangedFields, RECORD_HASH_LENGTH, type RecordDigest } from './digest';

/** A record of the snapshot. */
export interface DigestedRecord {
  id: string;
  values: RecordValues;
  digest: RecordDigest;
}

/** The result of reading a record by its ID that is missing in the snapshot. */
export type AbsentRecord = { status: 'deleted' } | { status: 'leftFilter'; values: RecordValues };

export interface SnapshotReading {
  /** All records that match the filter. */
  records: DigestedRecord[];
  /** Slugs of the compared fields, in the order of the hashes. */
  slugs: string[];
  /**
   * Results for the missing records that were read, by ID. All other missing records stay in the state until the next
   * poll.
   */
  absent: Map<string, AbsentRecord>;
}

/**
 * Whether a record was already returned as deleted or as outside the filter. It stays in the state only so that this
 * change can be returned again.
 */
const isGone = ({ value }: Tracked): boolean => value === '';

/** Lists the IDs of known records that are not in the snapshot any more. */
export function listMissingIds({ tracked }: PollState, records: DigestedRecord[]): string[] {
  const ids = new Set(records.map(({ id }) => id));
  return [...tracked]
    .filter(([id, known]) => !ids.has(id) && (!isGone(known) || getPendingMark(known)))
    .map(([id]) => id);
}

/** Compares a record with its entry in the state. Undefined if it has not changed. */
function compareRecord(
  state: PollState,
  { id, values, digest }: DigestedRecord,
  slugs: string[],
  repeat: Mark | undefined,
): FoundChange | undefined {
  const known = state.tracked.get(id);
  if (!known || isGone(known) || repeat?.event === 'INSERT')
    return { event: 'INSERT', key: id, values, changedFields: null };
  if (known.value.slice(0, RECORD_HASH_LENGTH) === digest.hash && !repeat) return undefined;
  const before = { fields: known.value.slice(RECORD_HASH_LENGTH), slugs: state.slugs };
  const changedFields = findChangedFields(before, { fields: digest.fields, slugs });
  return { event: 'UPDATE', key: id, values, changedFields };
}

const toAbsentChange = (id: string, absent: AbsentRecord): FoundChange =>
  absent.status === 'deleted'
    ? { event: 'DELETE', key: id, values: { id }, changedFields: null }
    : { event: 'LEFT_FILTER', key: id, values: absent.values, changedFields: null };

const formatDigest = ({ hash, fields }: RecordDigest): string => hash + fields;

/** Removes the hashes of the fields if the state exceeds `maxLength`. The hashes of the records are kept. */
function limitFieldHashes(state: PollState, maxLength: number): PollState {
  if (formatTrackedLines(state.tracked).length <= maxLength) return state;
  const short = [...state.tracked].map(([id, { value, mark }]): [string, Tracked] => [
    id,
    { value: value.slice(0, RECORD_HASH_LENGTH), ...(mark && { mark }) },
  ]);
  return { ...state, tracked: new Map(short), slugs: [] };
}

/** Adds the created and updated records. */
function collectPresent(state: PollState, { records, slugs }: SnapshotReading, collector: ChangeCollector) {
  for (const record of records) {
    const known = state.tracked.get(record.id);
    const repeat = getPendingMark(known);
    const found = compareRecord(state, record, slugs, repeat);
    const value = formatDigest(record.digest);
    if (found) collector.add(record.id, value, found, repeat);
    else collector.keep(record.id, value, known?.mark);
  }
}

/** Adds the records that were deleted or have left the filter. */
function collectAbsent(state: PollState, { records, absent }: SnapshotReading, collector: ChangeCollector) {
  const ids = new Set(records.map(({ id }) => id));
  for (const [id, known] of state.tracked) {
    if (ids.has(id)) continue;
    const repeat = getPendingMark(known);
    const result = isGone(known) && !repeat ? undefined : absent.get(id);
    if (result) collector.add(id, '', toAbsentChange(id, result), repeat);
    else collector.keep(id, known.value, known.mark);
  }
}

/**
 * Compares a snapshot with the one of the last poll. This function is pure. Returns the changes, and the state for the
 * next poll.
 */
export function detectSnapshotChanges(
  state: PollState,
  reading: SnapshotReading,
  context: SnapshotContext,
  maxLength = MAX_TRACKED_LENGTH,
): { changes: Change[]; state: PollState } {
  const collector = new ChangeCollector(state, context);
  collectPresent(state, reading, collector);
  collectAbsent(state, reading, collector);

  const { changes, tracked, returnedAt, sequence } = collector;
  const moved = { ...state, tracked, returnedAt, sequence, slugs: reading.slugs };
  return { changes, state: limitFieldHashes(moved, maxLength) };
}
