import type { ServiceRecord } from '../../model/answers/records';
import type { PayloadEntries } from '../../model/fields';
import { InputError } from '../../model/input/inputError';
import type { Table } from '../../model/records/table';
import { listChangedEntries } from '../columns/isUnchanged';

/** The record that one input item describes. */
export interface SyncInput {
  /** Index of the input item. */
  index: number;
  /** Text built from the values in the match columns. An input item and a record with equal values have equal keys. */
  key: string;
  entries: PayloadEntries;
}

export interface SyncUpdate {
  index: number;
  record: ServiceRecord;
  /** Payload entries whose values differ from the current values of the record. */
  entries: PayloadEntries;
}

export interface SyncPlan<Input extends SyncInput = SyncInput> {
  creates: Input[];
  updates: SyncUpdate[];
  /** Records without a matching input item. */
  deletes: ServiceRecord[];
  unchangedCount: number;
}

export interface SyncState<Input extends SyncInput> {
  table: Table;
  inputs: Input[];
  /** The records that may belong to the input items. */
  records: ServiceRecord[];
  /** The records that may be deleted. */
  deletable: ServiceRecord[];
  /** Returns the key of a record, or undefined when it has no single value in a match column. */
  getKey(record: ServiceRecord): string | undefined;
  /** Whether the records contain all of their connections. Some may be hidden from a logged-in user. */
  seesAll: boolean;
}

/** Maximum number of keys that an error names. */
const MAX_NAMED = 10;

const formatNames = (names: string[]): string =>
  names.slice(0, MAX_NAMED).join('; ') + (names.length > MAX_NAMED ? '; …' : '');

function groupByKey<T>(entries: T[], getKey: (entry: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = getKey(entry);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/** @throws InputError that lists each key that several entries have, with the names of these entries */
function ensureUniqueKeys<T>(
  groups: Map<string, T[]>,
  nouns: string,
  formatName: (entry: T) => string,
): void {
  const repeated = [...groups].filter(([, group]) => group.length > 1);
  if (repeated.length === 0) return;
  const names = repeated.map(([key, group]) => `${key}: ${nouns} ${group.map(formatName).join(', ')}`);
  throw new InputError(
    `Several ${nouns} have the same key: ${formatNames(names)}`,
    'Nothing was sent. Each value of the columns to match on must belong to one item and one record.',
  );
}

/**
 * Compares the input items with the records of a table.
 * @returns the changes after which the table has the values of the input items
 * @throws InputError when several input items or several records have the same key
 */
export function planSync<Input extends SyncInput>({
  table,
  inputs,
  records,
  deletable,
  getKey,
  seesAll,
}: SyncState<Input>): SyncPlan<Input> {
  const inputsByKey = groupByKey(inputs, ({ key }) => key);
  ensureUniqueKeys(inputsByKey, 'items', ({ index }) => String(index));
  const recordsByKey = groupByKey(records, (record) => {
    const key = getKey(record);
    return key !== undefined && inputsByKey.has(key) ? key : undefined;
  });
  ensureUniqueKeys(recordsByKey, 'records', ({ id }) => id);

  const plan: SyncPlan<Input> = { creates: [], updates: [], deletes: [], unchangedCount: 0 };
  const matchedIds = new Set<string>();
  for (const input of inputs) {
    const [record] = recordsByKey.get(input.key) ?? [];
    if (!record) {
      plan.creates.push(input);
      continue;
    }
    matchedIds.add(record.id);
    const entries = listChangedEntries(table, record, input.entries, seesAll);
    if (entries.length === 0) plan.unchangedCount++;
    else plan.updates.push({ index: input.index, record, entries });
  }
  // The two lists may have been read at different times, so a matched record is recognised by its ID too.
  plan.deletes = deletable.filter((record) => {
    const key = getKey(record);
    return !matchedIds.has(record.id) && (key === undefined || !inputsByKey.has(key));
  });
  return plan;
}
