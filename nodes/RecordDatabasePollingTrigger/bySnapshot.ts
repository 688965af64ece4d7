/**
 * The comparison with a snapshot: all records of a table, with their hashes of the last poll. `compareSnapshot` is
 * pure: it sends no request. `hashFields` hashes the values of a record.
 */
import { findEarlierValues, formatValues } from '../n8n/trigger/earlierValues';
import { type Field, hashFieldValues, hashValue, type RecordValues } from '../records';
import {
  type Change,
  MAX_CHANGES,
  MAX_STORED_LENGTH,
  type PollState,
  countStoredBytes,
  formatRecords,
} from './pollState';

/**
 * Compares a snapshot with the one of the last poll. This function is pure. Returns the changes, at most `maxChanges`,
 * and the state for the next poll, which finds the others.
 */
export function compareSnapshot(
  state: PollState,
  reading: SnapshotRead,
  context: SnapshotContext,
): { changes: Change[]; state: PollState } {
  const { storesWithoutReturning, events, maxChanges = MAX_CHANGES, maxLength = MAX_STORED_LENGTH } = context;
  const slugs = { before: state.slugs, after: reading.slugs };
  const changes: Change[] = [];
  const records = new Map<string, string>();
  const values = new Map(state.values);
  const { watched } = reading;
  const keep = (id: string, value: string | undefined) => {
    if (value !== undefined) records.set(id, value);
  };
  /** Moves the values to the end: those that were stored first go first. */
  const storeValues = (id: string, text: string) => {
    values.delete(id);
    if (text !== '') values.set(id, text);
  };
  const keepAsBefore = (id: string, known: string | undefined) =>
    keep(id, known === undefined ? undefined : convertHashes(known, slugs.before, slugs.after));
  /** Adds a change, or only its value if the trigger does not return it. */
  const add = (id: string, { value, ...found }: FoundChange, known: string | undefined) => {
    const isReturned = !storesWithoutReturning && events.includes(found.event);
    if (isReturned && changes.length >= maxChanges) return keepAsBefore(id, known);
    const before =
      watched && findEarlierValues(state.values.get(id), found.changedFields ?? slugs.after, watched);
    if (isReturned) changes.push({ key: id, ...found, ...(before && { before }) });
    keep(id, value);
    if (watched) storeValues(id, value === undefined ? '' : formatValues(found.values, slugs.after, watched));
  };

  for (const record of reading.records) {
    const known = state.records.get(record.id);
    const found = comparePresent(record, known, slugs);
    if (found) add(record.id, found, known);
    else keep(record.id, record.hashes);
  }
  const present = new Set(reading.records.map(({ id }) => id));
  for (const [id, known] of state.records) {
    if (present.has(id)) continue;
    const found = toAbsentChange(id, reading.absent.get(id));
    if (found) add(id, found, known);
    else keepAsBefore(id, known);
  }

  const limited = limitHashes(records, slugs.after, maxLength);
  return {
    changes,
    state: {
      ...state,
      records: limited,
      values: limitValues(values, maxLength - formatRecords(limited).length),
      slugs: slugs.after,
      pollCount: state.pollCount + (changes.length > 0 ? 1 : 0),
    },
  };
}

/** The changes that a snapshot finds. */
export const SNAPSHOT_EVENTS = ['INSERT', 'UPDATE', 'DELETE', 'LEFT_FILTER', 'NOT_VISIBLE'] as const;

export type SnapshotEvent = (typeof SNAPSHOT_EVENTS)[number];

/** Characters of the hash of one field, 6 bits each. Two values have the same hash once in 7 * 10^10 changes. */
const FIELD_HASH_LENGTH = 6;

/** Characters of the hash of all fields. */
const RECORD_HASH_LENGTH = 8;

/** Marks in place of a field's hash: no value, and a field that the earlier snapshot did not have. */
const NO_VALUE = '.';
const UNKNOWN = '?';

/** The first character of a value that is one hash of all fields. */
const RECORD_HASH_MARK = '=';

/** Returns one hash for each compared field, in the order of the slugs. Display values of connections do not count. */
export function hashFields(record: RecordValues, slugs: string[], fields: Field[]): string {
  const hashes = hashFieldValues(record, slugs, fields, { length: FIELD_HASH_LENGTH, omitsEmpty: true });
  return slugs.map((slug) => hashes.get(slug) ?? NO_VALUE).join('');
}

const splitHashes = (value: string, slugs: string[]): Map<string, string> => {
  const hashes = value.match(/[.?]|[\w-]{6}/g) ?? [];
  return new Map(slugs.map((slug, index) => [slug, hashes[index] ?? UNKNOWN]));
};

/** Joins the hashes of the fields to one, independent of their order and of fields without a value. */
function hashRecord(hashes: Map<string, string>, slugs: string[]): string {
  const filled = slugs.flatMap((slug) => {
    const hash = hashes.get(slug) ?? NO_VALUE;
    return hash === NO_VALUE || hash === UNKNOWN ? [] : [[slug, hash]];
  });
  return RECORD_HASH_MARK + hashValue(filled.sort(), RECORD_HASH_LENGTH);
}

/**
 * Finds the slugs of the fields with another hash; null if only the hash of the whole record is known. Undefined if
 * the record is unchanged. Fields that the table did not have at the last poll do not count.
 */
function findChangedFields(
  before: string,
  after: Map<string, string>,
  slugsBefore: string[],
): string[] | null | undefined {
  if (before.startsWith(RECORD_HASH_MARK))
    return before === hashRecord(after, slugsBefore) ? undefined : null;
  const changed = [...splitHashes(before, slugsBefore)]
    .filter(([slug, hash]) => hash !== UNKNOWN && after.has(slug) && after.get(slug) !== hash)
    .map(([slug]) => slug);
  return changed.length > 0 ? changed : undefined;
}

/** A record of the snapshot with the hashes of its fields. */
interface HashedRecord {
  id: string;
  values: RecordValues;
  hashes: string;
}

/** The result of reading a record by its ID that is missing in the snapshot. */
export type AbsentRecord =
  | { status: 'deleted' | 'notVisible' | 'stillThere' }
  | { status: 'leftFilter'; values: RecordValues };

export interface SnapshotRead {
  /** All records that match the filter. */
  records: HashedRecord[];
  /** Slugs of the compared fields, in the order of the hashes. */
  slugs: string[];
  /** The fields of the table, if the form names those that are compared: their values are stored too. */
  watched?: Field[];
  /** Results for the missing records that were read. All others stay in the state until the next poll. */
  absent: Map<string, AbsentRecord>;
}

interface SnapshotContext {
  /** Whether changes are stored in the state without being returned, as in the first poll. */
  storesWithoutReturning: boolean;
  /** Events that the trigger returns. Changes with other events only update the state. */
  events: SnapshotEvent[];
  maxChanges?: number;
  maxLength?: number;
}

/** Lists the IDs of known records that are not in the snapshot any more. */
export function listMissingIds(state: PollState, records: Array<{ id: string }>): string[] {
  const present = new Set(records.map(({ id }) => id));
  return [...state.records.keys()].filter((id) => !present.has(id));
}

/** `value` is the record's new value in the state; undefined if it is gone. */
interface FoundChange {
  event: SnapshotEvent;
  values: RecordValues;
  changedFields: string[] | null;
  value?: string;
}

/** Compares a record with its entry in the state. Undefined if nothing is to be returned. */
function comparePresent(
  { values, hashes }: HashedRecord,
  known: string | undefined,
  slugs: { before: string[]; after: string[] },
): FoundChange | undefined {
  if (known === undefined) return { event: 'INSERT', values, changedFields: null, value: hashes };
  const changed = findChangedFields(known, splitHashes(hashes, slugs.after), slugs.before);
  return changed === undefined
    ? undefined
    : { event: 'UPDATE', values, changedFields: changed, value: hashes };
}

const ABSENT_EVENTS = { deleted: 'DELETE', notVisible: 'NOT_VISIBLE', leftFilter: 'LEFT_FILTER' } as const;

function toAbsentChange(id: string, absent: AbsentRecord | undefined): FoundChange | undefined {
  if (!absent || absent.status === 'stillThere') return undefined;
  const values = absent.status === 'leftFilter' ? absent.values : { id };
  return { event: ABSENT_EVENTS[absent.status], values, changedFields: null };
}

/** Orders the hashes of a record that was not compared as those of the others. New fields are unknown. */
function convertHashes(value: string, before: string[], after: string[]): string {
  if (value.startsWith(RECORD_HASH_MARK)) return value;
  const hashes = splitHashes(value, before);
  return after.map((slug) => hashes.get(slug) ?? UNKNOWN).join('');
}

/** Replaces the hashes of the fields by one hash for each record if the state exceeds `maxLength`. */
function limitHashes(records: Map<string, string>, slugs: string[], maxLength: number) {
  if (formatRecords(records).length <= maxLength) return records;
  return new Map(
    [...records].map(([id, value]): [string, string] => [
      id,
      value.startsWith(RECORD_HASH_MARK) ? value : hashRecord(splitHashes(value, slugs), slugs),
    ]),
  );
}

/** Removes the values that were stored first until the others fit in `maxLength` bytes. */
function limitValues(values: Map<string, string>, maxLength: number): Map<string, string> {
  let room = maxLength;
  const kept = [...values].reverse().filter(([, text]) => (room -= countStoredBytes(text)) >= 0);
  return new Map(kept.reverse());
}
