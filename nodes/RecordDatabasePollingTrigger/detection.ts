import type { Client } from '../shared/transport/client';
import type { Change } from './changes/change';
import { addSeconds } from './changes/dateText';
import { digestRecord } from './changes/digest';
import { type DatedEntry, detectNewEntries, findReadFloor, hasPendingMarks } from './changes/since';
import { detectSnapshotChanges, listMissingIds } from './changes/snapshot';
import type { DateParameters, LogParameters, PollParameters, SnapshotParameters } from './form/parameters';
import type { PollState } from './pollState';
import { countPollsPerDay } from './reading/dailyShare';
import { resolveDateField } from './reading/dateField';
import { findNewestEntryDate, readLogSince } from './reading/readLogEntries';
import { type DatedRecord, findNewestDate, readSince } from './reading/readSince';
import { checkMissingRecords, readSnapshot } from './reading/readSnapshot';
import { RecordSource } from './reading/recordSource';

/** The changes of a poll, and the state for the next one. */
export interface Detection {
  changes: Change[];
  state: PollState;
  /** Fields of the table; undefined for a log. */
  source?: RecordSource;
}

/** The inputs of a detection. */
export interface DetectionInput {
  state: PollState;
  /**
   * Whether no state is stored yet. Existing records are then stored without being returned, unless the form
   * specifies otherwise.
   */
  isFirst: boolean;
}

/** Maximum number of records that one poll returns. */
const MAX_RECORDS_PER_POLL = 5_000;

const startAt = (state: PollState, newest: string, overlap: number): PollState => ({
  ...state,
  position: { ...state.position, floor: addSeconds(newest, -overlap) },
});

/** Returns the records that have a date and match the filter. */
function toDatedEntries(records: DatedRecord[], source: RecordSource, withDigest: boolean): DatedEntry[] {
  const { fields } = source.table;
  const slugs = fields.map(({ slug }) => slug);
  return records
    .filter(({ values, date }) => date !== '' && source.matches(values))
    .map(({ id, date, values }) => ({
      key: id,
      date,
      values,
      digest: withDigest ? digestRecord(values, slugs, fields).hash : '',
    }));
}

async function detectByDate(
  client: Client,
  parameters: DateParameters,
  { state, isFirst }: DetectionInput,
): Promise<Detection> {
  const source = await RecordSource.create(client, parameters);
  const field = resolveDateField(source.table, parameters.dateField);
  const { overlap } = parameters;
  const remembersOnly = isFirst && !parameters.returnExisting;
  const now = Date.now();
  const from = remembersOnly ? startAt(state, await findNewestDate(source, field, now), overlap) : state;

  const readsAll = remembersOnly || hasPendingMarks(from);
  const floor = findReadFloor(from);
  const maxRecords = readsAll ? Infinity : MAX_RECORDS_PER_POLL;
  const { records, resume } = await readSince(source, { field, floor, maxRecords });
  // By `created_at`, changes of other values do not count. By any other date field they do.
  const isCreation = field.slug === 'created_at';
  const entries = toDatedEntries(records, source, !isCreation);
  const event = isCreation ? 'INSERT' : 'UPSERT';
  const detected = detectNewEntries(
    from,
    { entries, ...(resume !== undefined && { resume }) },
    { now, remembersOnly, event, overlap },
  );
  return { ...detected, source };
}

async function detectLogEntries(
  client: Client,
  { log, overlap, returnExisting }: LogParameters,
  { state, isFirst }: DetectionInput,
): Promise<Detection> {
  const remembersOnly = isFirst && !returnExisting;
  const now = Date.now();
  const from = remembersOnly ? startAt(state, await findNewestEntryDate(client, log), overlap) : state;
  const entries = await readLogSince(client, log, findReadFloor(from));
  return detectNewEntries(from, { entries }, { now, remembersOnly, event: 'ENTRY', overlap });
}

async function detectBySnapshot(
  client: Client,
  parameters: SnapshotParameters,
  { state, isFirst }: DetectionInput,
): Promise<Detection> {
  const source = await RecordSource.create(client, parameters);
  const { table } = source;
  const { events, maximumShare, pollTimes, changedFields } = parameters;
  const fields =
    changedFields.length > 0
      ? changedFields.map((name) => table.field(name, 'Watched Fields'))
      : table.fields;
  const slugs = fields.map(({ slug }) => slug);

  const now = Date.now();
  const pollsPerDay = countPollsPerDay(pollTimes);
  const found = await readSnapshot(source, { pollsPerDay, maximumShare });
  const records = found.map((values) => ({
    id: values.id,
    values,
    digest: digestRecord(values, slugs, table.fields),
  }));
  const absent = await checkMissingRecords(source, listMissingIds(state, records));
  const remembersOnly = isFirst && !parameters.returnExisting;
  const detected = detectSnapshotChanges(state, { records, slugs, absent }, { now, remembersOnly, events });
  return { ...detected, source };
}

/** Reads what may have changed and compares it with the state. */
export function detectChanges(
  client: Client,
  parameters: PollParameters,
  input: DetectionInput,
): Promise<Detection> {
  if (parameters.detection === 'log') return detectLogEntries(client, parameters, input);
  return parameters.detection === 'date'
    ? detectByDate(client, parameters, input)
    : detectBySnapshot(client, parameters, input);
}
