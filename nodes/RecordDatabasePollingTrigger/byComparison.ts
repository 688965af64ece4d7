/** Polling by comparison: each poll compares all records with the hashes that the last poll stored. */
import { compact } from 'lodash';
import { findEarlierValues, pickShortValues } from '../n8n/trigger/triggerItem';
import { type Field, hashFieldValues, hashValue, readRecord, type RecordValues } from '../records';
import {
  ApiError,
  asThrown,
  type Client,
  InputError,
  isNotFoundByService,
  type ServiceRecord,
} from '../service';
import type { RecordPollParameters, ComparisonEvent } from './form';
import { type Change, type PollResult, MAX_STATE_BYTES, type PollInput, type PollState } from './pollState';
import { RecordSource } from './recordSource';

export async function findChangesByComparison(
  client: Client,
  parameters: RecordPollParameters,
  { state, now }: PollInput,
): Promise<PollResult> {
  const { events, changedFields } = parameters;
  ensureDetectableEvents(events, client);
  const source = await RecordSource.create(client, parameters, now);
  const records = await source.readMatchingRecords();
  const checkedIds = listMissingIds(state, records).slice(0, MAX_CHECKED_MISSING_RECORDS);
  const checks = checkedIds.map((id) => checkMissingRecord(source, id, records.length > 0));
  const missing = compact(await Promise.all(checks));
  const compare = ({ table }: RecordSource): PollResult => {
    const watched = changedFields.map((name) => table.requireField(name, 'Watched Fields'));
    const slugs = (watched.length > 0 ? watched : table.fields).map(({ slug }) => slug);
    const read = { records, missing, fields: table.fields, slugs, hasWatchedFields: watched.length > 0 };
    return { ...compareSnapshotWithState(state, read), table };
  };
  const found = compare(source);
  if (found.changes.length === 0) return found;
  // A cached field may have been deleted or renamed, so the comparison is repeated with the present fields.
  const { changes, ...rest } = compare(await RecordSource.create(client, parameters, now, { isFresh: true }));
  return { ...rest, changes: changes.filter(({ event }) => events.some((one) => one === event)) };
}

/** @throws InputError if the service cannot show the chosen changes to this credential */
function ensureDetectableEvents(events: ComparisonEvent[], { credential: { hasUserLogin } }: Client): void {
  if (hasUserLogin && events.includes('DELETE') && !events.includes('NOT_VISIBLE')) {
    throw new InputError(
      'Changes: "Record Deleted" cannot be found with a user login',
      'The service does not say whether a record that the user can no longer read is deleted or hidden. Choose "Record No Longer Visible" as well, or a credential without User Login.',
    );
  }
  if (!hasUserLogin && events.every((event) => event === 'NOT_VISIBLE')) {
    throw new InputError(
      'Changes: "Record No Longer Visible" needs a user login',
      'The keys alone see all records. Choose "Record Deleted", or choose a User Login in the credential.',
    );
  }
}

/** Maximum number of missing records that one poll reads by ID. Later polls read the other missing records. */
const MAX_CHECKED_MISSING_RECORDS = 50;

export type ComparisonChange = Change & { event: ComparisonEvent };

export function listMissingIds(state: PollState, records: Array<{ id: string }>): string[] {
  const present = new Set(records.map(({ id }) => id));
  return [...state.records.keys()].filter((id) => !present.has(id));
}

/**
 * With a user login, a deleted and a hidden record get the same answer (spec: Authentication, Method 2): the event is
 * `NOT_VISIBLE`. An empty `item` with HTTP 200 (evidence 2) may be a fault of the service, so the record counts as
 * missing only if the list has records. @returns undefined if the record still exists and matches the filter
 */
async function checkMissingRecord(
  source: RecordSource,
  id: string,
  listHasRecords: boolean,
): Promise<ComparisonChange | undefined> {
  const { client, table } = source;
  const { hasUserLogin } = client.credential;
  const about = { key: id, changedFields: null };
  try {
    const values = await readRecord(client, table.id, id, { table });
    return source.matchesFilter(values) ? undefined : { ...about, event: 'LEFT_FILTER', values };
  } catch (error) {
    const isEmpty = error instanceof ApiError && error.code === 'emptyItem';
    if (isEmpty && !listHasRecords) return undefined;
    // The user could read the list of records just before, so a 403 is about this record.
    const isHidden = hasUserLogin && error instanceof ApiError && error.status === 403;
    if (isEmpty || isNotFoundByService(error) || isHidden)
      return { ...about, event: hasUserLogin ? 'NOT_VISIBLE' : 'DELETE', values: { id } };
    throw asThrown(error);
  }
}

interface Snapshot {
  /** All records that match the filter. */
  records: ServiceRecord[];
  /** Changes of records that `records` lacks, and that this poll read by ID. Records that were not read stay stored. */
  missing: ComparisonChange[];
  fields: Field[];
  /** Slugs of the compared fields, in the order of the hashes. */
  slugs: string[];
  /** Whether the user chose the compared fields (Watched Fields). Their values are then stored too. */
  hasWatchedFields: boolean;
}

export function compareSnapshotWithState(
  state: PollState,
  { records: present, missing, fields, slugs, hasWatchedFields }: Snapshot,
  maxBytes = MAX_STATE_BYTES,
): { changes: Change[]; state: PollState } {
  const changes: Change[] = [];
  const records = new Map<string, string>();
  const values = new Map(state.values);
  const add = (change: ComparisonChange) => {
    const { key, changedFields } = change;
    const findBefore = () => findEarlierValues(state.values.get(key) ?? {}, changedFields ?? slugs, fields);
    changes.push({ ...change, ...(hasWatchedFields && { before: findBefore() }) });
    // `delete` and `set` move the key to the end of the map. `removeOldestValues` removes values from the start.
    values.delete(key);
    if (hasWatchedFields && records.has(key)) values.set(key, pickShortValues(change.values, slugs, fields));
  };

  for (const record of present) {
    const { id: key } = record;
    const hashes = hashFields(record, slugs, fields);
    records.set(key, hashes);
    const known = state.records.get(key);
    const event = known === undefined ? 'INSERT' : 'UPDATE';
    const changedFields = findChangedSlugs(known, splitFieldHashes(hashes, slugs), state.slugs);
    if (changedFields !== undefined) add({ event, key, values: record, changedFields });
  }
  for (const change of missing) add(change);
  for (const id of listMissingIds(state, [...present, ...missing.map(({ key }) => ({ id: key }))]))
    records.set(id, reorderHashes(state.records.get(id)!, state.slugs, slugs));

  const limited = shortenHashes(records, slugs, maxBytes);
  const left = maxBytes - countBytes([...limited]);
  return { changes, state: { ...state, slugs, records: limited, values: removeOldestValues(values, left) } };
}

/** Number of characters, each with 6 bits: one of 7 * 10^10 changes goes unnoticed. */
const FIELD_HASH_LENGTH = 6;

const RECORD_HASH_LENGTH = 8;

/** Marks in place of a hash: for an empty field, and for a field that the last poll did not compare. */
const NO_VALUE_MARK = '.';
const NOT_COMPARED_MARK = '?';

/** The stored text of a record begins with this character if the rest is one hash of all fields. */
const RECORD_HASH_MARK = '=';

/** Returns hashes in the order of `slugs`. The texts of connected records are not hashed. */
export function hashFields(record: RecordValues, slugs: string[], fields: Field[]): string {
  const hashes = hashFieldValues(record, slugs, fields, { length: FIELD_HASH_LENGTH, omitsEmpty: true });
  return slugs.map((slug) => hashes.get(slug) ?? NO_VALUE_MARK).join('');
}

const splitFieldHashes = (value: string, slugs: string[]): Map<string, string> => {
  const hashes = value.match(/[.?]|[\w-]{6}/g) ?? [];
  return new Map(slugs.map((slug, index) => [slug, hashes[index] ?? NOT_COMPARED_MARK]));
};

/** The result does not depend on the order of the fields or on empty fields. */
function mergeHashes(hashes: Map<string, string>, slugs: string[]): string {
  const filled = slugs.flatMap((slug) => {
    const hash = hashes.get(slug) ?? NO_VALUE_MARK;
    return hash === NO_VALUE_MARK || hash === NOT_COMPARED_MARK ? [] : [[slug, hash]];
  });
  return RECORD_HASH_MARK + hashValue(filled.sort(), RECORD_HASH_LENGTH);
}

/**
 * Ignores fields that were added or removed since the last poll. If a field was removed, a record with one hash of all
 * fields counts as unchanged. @returns undefined for an unchanged record; null for a new record, or if the changed
 * fields are unknown
 */
function findChangedSlugs(
  before: string | undefined,
  after: Map<string, string>,
  slugsBefore: string[],
): string[] | null | undefined {
  if (before === undefined) return null;
  if (before.startsWith(RECORD_HASH_MARK)) {
    const isSame = before === mergeHashes(after, slugsBefore) || slugsBefore.some((slug) => !after.has(slug));
    return isSame ? undefined : null;
  }
  const changed = [...splitFieldHashes(before, slugsBefore)]
    .filter(([slug, hash]) => hash !== NOT_COMPARED_MARK && after.has(slug) && after.get(slug) !== hash)
    .map(([slug]) => slug);
  return changed.length > 0 ? changed : undefined;
}

/** For a record that this poll did not read: puts its hashes into the order of the slugs `after`. */
function reorderHashes(value: string, before: string[], after: string[]): string {
  if (value.startsWith(RECORD_HASH_MARK)) return value;
  const hashes = splitFieldHashes(value, before);
  return after.map((slug) => hashes.get(slug) ?? NOT_COMPARED_MARK).join('');
}

const countBytes = (part: unknown): number => Buffer.byteLength(JSON.stringify(part));

/** If the hashes exceed `maxBytes`, each record gets one hash in place of the hashes of its fields. */
function shortenHashes(records: Map<string, string>, slugs: string[], maxBytes: number): Map<string, string> {
  if (countBytes([...records]) <= maxBytes) return records;
  return new Map(
    [...records].map(([id, value]) => [
      id,
      value.startsWith(RECORD_HASH_MARK) ? value : mergeHashes(splitFieldHashes(value, slugs), slugs),
    ]),
  );
}

function removeOldestValues(values: Map<string, RecordValues>, maxBytes: number): Map<string, RecordValues> {
  let left = maxBytes;
  const kept = [...values].reverse().filter((entry) => (left -= countBytes(entry)) >= 0);
  return new Map(kept.reverse());
}
