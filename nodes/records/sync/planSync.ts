import { InputError, joinFirstTexts, type ServiceRecord } from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { Table } from '../fields/table';
import { type MatchKey, omitKeyValuesWithExtraBlanks } from '../reading/matchKey';
import { listChangedEntries } from '../writing/currentValues';

/** The record that one input item describes. */
export interface SyncInput {
  index: number;
  /** The values in the columns to match on. */
  key: MatchKey;
  entries: PayloadEntries;
  /** Names of connected records that do not exist yet. The entries have these names in place of IDs. */
  missing?: string[];
}

export interface SyncUpdate extends Pick<SyncInput, 'missing'> {
  index: number;
  record: ServiceRecord;
  /** The entries whose values the record does not have yet. */
  entries: PayloadEntries;
}

export interface SyncPlan {
  creates: SyncInput[];
  updates: SyncUpdate[];
  /** Records without a matching input item. */
  deletes: ServiceRecord[];
  /** The records that belong to input items, by the index of the item. */
  matched: Map<number, ServiceRecord>;
}

interface SyncPlanData {
  table: Table;
  inputs: SyncInput[];
  records: ServiceRecord[];
  deletable: ServiceRecord[];
  getKey(record: ServiceRecord): MatchKey | undefined;
  /** Whether the records show all connections. The service may hide some from a logged-in user. */
  seesAll: boolean;
}

interface KeyGroup {
  inputs: SyncInput[];
  records: ServiceRecord[];
}

/** Groups inputs and records by equal keys. Leaves out records whose key no input has. */
function groupByKey({ inputs, records, getKey }: SyncPlanData): Map<string, KeyGroup> {
  const groups = new Map<string, KeyGroup>();
  for (const input of inputs) {
    const { lookupKey } = input.key;
    const group = groups.get(lookupKey);
    if (group) group.inputs.push(input);
    else groups.set(lookupKey, { inputs: [input], records: [] });
  }
  for (const record of records) {
    const key = getKey(record);
    const group = key && groups.get(key.lookupKey);
    // The first `push` to an empty list reserves memory for 17 records, so the first record gets a new list.
    if (group && group.records.length > 0) group.records.push(record);
    else if (group) group.records = [record];
  }
  return groups;
}

/**
 * Pairs each input with the record that has exactly its values. If one input and one record are left, pairs these too.
 * @returns undefined if it is not clear which inputs and records belong together
 */
function pairInputsWithRecords(
  { inputs, records }: KeyGroup,
  getKey: SyncPlanData['getKey'],
): Map<SyncInput, ServiceRecord> | undefined {
  const pairs = new Map<SyncInput, ServiceRecord>();
  const texts = records.map((record) => getKey(record)?.text);
  for (const input of inputs) {
    const [exact, ...others] = records.filter((_, at) => texts[at] === input.key.text);
    const isTaken = [...pairs.values()].some((record) => record === exact);
    if (exact && others.length === 0 && !isTaken) pairs.set(input, exact);
  }
  const paired = new Set(pairs.values());
  const [leftInput, ...otherInputs] = inputs.filter((input) => !pairs.has(input));
  if (!leftInput) return pairs;
  const [leftRecord, ...otherRecords] = records.filter((record) => !paired.has(record));
  if (otherInputs.length > 0 || otherRecords.length > 0 || (pairs.size > 0 && !leftRecord)) return undefined;
  return leftRecord ? pairs.set(leftInput, leftRecord) : pairs;
}

function createRepeatedKeyError(groups: KeyGroup[]): InputError {
  const texts = groups.map(({ inputs, records }) => {
    const items = inputs.map(({ index }) => index + 1).join(', ');
    const ids = records.map(({ id }) => id).join(', ');
    return `${inputs[0]?.key.text}: items ${items}${ids === '' ? '' : `, records ${ids}`}`;
  });
  return new InputError(
    `Several items or records have the same values to match on: ${joinFirstTexts(texts, '; ')}`,
    'Nothing was sent. Each value of the fields to match on must belong to one item and one record.',
  );
}

/** @throws InputError if several input items, or several records, have the same key */
export function planSync(state: SyncPlanData): SyncPlan {
  const { table, inputs, deletable, getKey, seesAll } = state;
  const groups = groupByKey(state);
  const plan: SyncPlan = { creates: [], updates: [], deletes: [], matched: new Map() };
  const unclear = [...groups.values()].filter((group) => {
    const found = pairInputsWithRecords(group, getKey);
    for (const [{ index }, record] of found ?? []) plan.matched.set(index, record);
    return !found;
  });
  if (unclear.length > 0) throw createRepeatedKeyError(unclear);

  for (const input of inputs) {
    const record = plan.matched.get(input.index);
    if (!record) {
      plan.creates.push(input);
      continue;
    }
    const changed = listChangedEntries(table, record, input.entries, seesAll);
    const entries = changed.length === 0 ? [] : omitKeyValuesWithExtraBlanks(changed, input.key);
    if (entries.length > 0)
      plan.updates.push({ index: input.index, record, entries, missing: input.missing });
  }
  // `records` and `deletable` may hold two readings of one record, so IDs are compared.
  const matchedIds = new Set([...plan.matched.values()].map(({ id }) => id));
  plan.deletes = deletable.filter(
    (record) => !matchedIds.has(record.id) && !groups.has(getKey(record)?.lookupKey ?? ''),
  );
  return plan;
}
