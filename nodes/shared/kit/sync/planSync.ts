import type { PayloadEntries } from '../../model/fields';
import { InputError, joinFirst } from '../../model/input/inputError';
import type { Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import { listChangedEntries } from '../columns/isUnchanged';

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

export interface SyncState {
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
