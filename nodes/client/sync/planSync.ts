import type { PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import { getRawValue } from '../fields/recordValues';
import type { FieldRef, Table } from '../fields/table';
import { InputError, formatForError, joinFirst } from '../input/inputError';
import type { ServiceRecord } from '../responses/records';
import { listChangedEntries } from '../update/currentValues';

/** The record that one input item describes. */
export interface SyncInput {
  /** Index of the input item. */
  index: number;
  /** Text built from the values in the match columns. An input item and a record with equal values have equal keys. */
  key: string;
  entries: PayloadEntries;
  /** Whether the entries have the names of connected records that do not exist yet. */
  hasMissing?: boolean;
}

export interface SyncUpdate extends Pick<SyncInput, 'hasMissing'> {
  index: number;
  record: ServiceRecord;
  /** Payload entries whose values differ from the current values of the record. */
  entries: PayloadEntries;
}

export interface SyncPlan {
  creates: SyncInput[];
  updates: SyncUpdate[];
  /** Records without a matching input item. */
  deletes: ServiceRecord[];
}

interface SyncState {
  table: Table;
  inputs: SyncInput[];
  /** The records that may belong to the input items. */
  records: ServiceRecord[];
  /** The records that may be deleted. */
  deletable: ServiceRecord[];
  /** Returns the key of a record, or undefined when it has no single value in a match column. */
  getKey(record: ServiceRecord): string | undefined;
  /** Whether the records contain all of their connections. Some may be hidden from a logged-in user. */
  seesAll: boolean;
}

/**
 * Finds the entry of each key. An entry without a key is left out.
 * @throws InputError that lists each key that several entries have, with the names of these entries
 */
function mapByKey<T>(
  entries: T[],
  getKey: (entry: T) => string | undefined,
  nouns: string,
  formatName: (entry: T) => string,
): Map<string, T> {
  const byKey = new Map<string, T>();
  const repeated = new Map<string, T[]>();
  for (const entry of entries) {
    const key = getKey(entry);
    if (key === undefined) continue;
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, entry);
    else if (!repeated.get(key)?.push(entry)) repeated.set(key, [first, entry]);
  }
  if (repeated.size === 0) return byKey;
  const names = [...repeated].map(([key, group]) => `${key}: ${nouns} ${group.map(formatName).join(', ')}`);
  throw new InputError(
    `Several ${nouns} have the same key: ${joinFirst(names, '; ')}`,
    'Nothing was sent. Each value of the columns to match on must belong to one item and one record.',
  );
}

/**
 * Compares the input items with the records of a table.
 * @returns the changes after which the table has the values of the input items
 * @throws InputError when several input items or several records have the same key
 */
export function planSync({ table, inputs, records, deletable, getKey, seesAll }: SyncState): SyncPlan {
  const inputsByKey = mapByKey(
    inputs,
    ({ key }) => key,
    'items',
    ({ index }) => String(index),
  );
  const getInputKey = (record: ServiceRecord) => {
    const key = getKey(record);
    return key !== undefined && inputsByKey.has(key) ? key : undefined;
  };
  const recordsByKey = mapByKey(records, getInputKey, 'records', ({ id }) => id);

  const plan: SyncPlan = { creates: [], updates: [], deletes: [] };
  const matchedIds = new Set<string>();
  for (const input of inputs) {
    const record = recordsByKey.get(input.key);
    if (!record) {
      plan.creates.push(input);
      continue;
    }
    matchedIds.add(record.id);
    const entries = listChangedEntries(table, record, input.entries, seesAll);
    if (entries.length > 0)
      plan.updates.push({ index: input.index, record, entries, hasMissing: input.hasMissing });
  }
  // The two lists may have been read at different times, so a matched record is recognised by its ID too.
  plan.deletes = deletable.filter(
    (record) => !matchedIds.has(record.id) && getInputKey(record) === undefined,
  );
  return plan;
}

/** A value of a unique field. All notations of equal values have the same text. */
export interface UniqueValue {
  slug: string;
  text: string;
  /** The field and the value, for messages. */
  label: string;
}

/** Returns undefined for an empty value, and for a field that is not unique. Several records may be empty. */
function toUniqueValue({ field, part }: FieldRef, raw: unknown): UniqueValue | undefined {
  // The spec does not say whether parts of a composite field are unique separately, so they are left to the service.
  if (!field.unique || part) return undefined;
  const value = getKind(field).read(raw, field);
  if (value === undefined || isEmptyValue(value)) return undefined;
  return {
    slug: field.slug,
    text: JSON.stringify([field.slug, value]),
    label: `"${field.name}": ${formatForError(value)}`,
  };
}

/** Lists the values of unique fields that a write sends. */
export const listEntryValues = (entries: PayloadEntries, table: Table): UniqueValue[] =>
  entries.flatMap(([key, value]) => toUniqueValue(table.resolvePayloadField(key, 'Columns'), value) ?? []);

/** Lists the values of unique fields that a record has. */
export const listRecordValues = (record: ServiceRecord, table: Table): UniqueValue[] =>
  table.fields
    .filter(({ unique }) => unique)
    .map((field) => ({ table, field }))
    .flatMap((ref) => toUniqueValue(ref, getRawValue(record, ref)) ?? []);
