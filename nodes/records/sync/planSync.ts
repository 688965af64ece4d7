/**
 * The plan of a sync. `planSync` compares the inputs with the records. `orderChanges` orders the changes so that no
 * value of a unique field exists twice at any time.
 */
import { difference, partition } from 'lodash';
import { formatForError, InputError, joinFirst, type ServiceRecord } from '../../service';
import type { PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import { getRawValue } from '../fields/recordValues';
import { type FieldRef, Table } from '../fields/table';
import { listChangedEntries } from '../writing/currentValues';

/** The record that one input item describes. */
export interface SyncInput {
  /** Index of the input item. */
  index: number;
  /** Text built from the values in the match columns. An input item and a record with equal values have equal keys. */
  key: string;
  entries: PayloadEntries;
  /** Names of connected records that do not exist yet, which stand in the entries in place of their IDs. */
  missing?: string[];
}

export interface SyncUpdate extends Pick<SyncInput, 'missing'> {
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

/** A plan, with the record of each input item that has one, by the index of the item. */
export interface MatchedPlan extends SyncPlan {
  matched: Map<number, ServiceRecord>;
}

interface SyncState {
  table: Table;
  inputs: SyncInput[];
  /** The records that may belong to the input items. */
  records: ServiceRecord[];
  /** The records that may be deleted. */
  deletable: ServiceRecord[];
  /** The key of a record. Undefined if it has no single value in a column to match on. */
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
    `Several ${nouns} have the same values to match on: ${joinFirst(names, '; ')}`,
    'Nothing was sent. Each value of the fields to match on must belong to one item and one record.',
  );
}

/**
 * Compares the input items with the records of a table.
 * @returns the changes after which the table has the values of the input items
 * @throws InputError when several input items or several records have the same key
 */
export function planSync({ table, inputs, records, deletable, getKey, seesAll }: SyncState): MatchedPlan {
  const inputsByKey: Map<string | undefined, SyncInput> = mapByKey(
    inputs,
    ({ key }) => key,
    'items',
    ({ index }) => String(index + 1),
  );
  const getInputKey = (record: ServiceRecord) => {
    const key = getKey(record);
    return inputsByKey.has(key) ? key : undefined;
  };
  const recordsByKey = mapByKey(records, getInputKey, 'records', ({ id }) => id);

  const plan: MatchedPlan = { creates: [], updates: [], deletes: [], matched: new Map() };
  const matchedIds = new Set<string>();
  for (const input of inputs) {
    const record = recordsByKey.get(input.key);
    if (!record) {
      plan.creates.push(input);
      continue;
    }
    matchedIds.add(record.id);
    plan.matched.set(input.index, record);
    const entries = listChangedEntries(table, record, input.entries, seesAll);
    if (entries.length > 0)
      plan.updates.push({ index: input.index, record, entries, missing: input.missing });
  }
  // The two lists may have been read at different times, so a matched record is recognised by its ID too.
  plan.deletes = deletable.filter(
    (record) => !matchedIds.has(record.id) && getInputKey(record) === undefined,
  );
  return plan;
}

/** A value of a unique field. All notations of equal values have the same text. */
interface UniqueValue {
  slug: string;
  text: string;
  /** The field and the value as messages show them. */
  label: string;
}

/** Undefined for a field that is not unique, and for an empty value, which several records may have. */
function toUniqueValue({ field, part }: FieldRef, raw: unknown): UniqueValue | undefined {
  // The spec does not say whether parts of a composite field are unique separately, so they are left to the service. Open point: `compositeUnique`.
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
const listEntryValues = (entries: PayloadEntries, table: Table): UniqueValue[] =>
  entries.flatMap(([key, value]) => toUniqueValue(table.resolvePayloadField(key, 'Fields'), value) ?? []);

/** Lists the values of unique fields that a record has. */
const listRecordValues = (record: ServiceRecord, table: Table): UniqueValue[] =>
  table.fields
    .filter(({ unique }) => unique)
    .map((field) => ({ table, field }))
    .flatMap((ref) => toUniqueValue(ref, getRawValue(record, ref)) ?? []);

export type SyncWrite = { create: SyncInput } | { update: SyncUpdate };

/**
 * The order of the changes of a plan. The writes of a round may be sent at the same time. Deletions come last, except
 * for those that free a value of a unique field for a write.
 */
export interface SyncOrder {
  writes: SyncWrite[][];
  freeingDeletes: ServiceRecord[];
  /** The writes that need one of these deletions, directly or after another write. */
  writesAfterDeletes: SyncWrite[][];
  otherDeletes: ServiceRecord[];
  /** Writes that cannot be made: each needs a value that another one of them frees. */
  stuck: SyncWrite[];
  /** Why, with the items and the records. Undefined without such writes. */
  stuckReason?: string;
}

function createSteps({ creates, updates }: SyncPlan, table: Table): Step[] {
  const createStep = (write: SyncWrite): Step => {
    const { index, entries } = 'create' in write ? write.create : write.update;
    return { write, index, values: listEntryValues(entries, table) };
  };
  return [
    ...creates.map((create) => createStep({ create })),
    ...updates.map((update) => createStep({ update })),
  ].sort((a, b) => a.index - b.index);
}

/** Lists the updates that free the values of each step. */
function groupByTaker(releases: Release[]): Map<Step, Step[]> {
  const freedBy = new Map<Step, Step[]>();
  for (const { taker, update } of releases)
    if (update) freedBy.set(taker, [...(freedBy.get(taker) ?? []), update]);
  return freedBy;
}

/**
 * Puts the steps into rounds, each step after the updates that free its values. Steps that wait for each other are left
 * out.
 * @param done steps of earlier rounds
 */
function formRounds(steps: Step[], freedBy: Map<Step, Step[]>, done: Step[]): Step[][] {
  const finished = new Set(done);
  const rounds: Step[][] = [];
  for (let waiting = steps; ; waiting = waiting.filter((step) => !finished.has(step))) {
    const ready = waiting.filter((step) => (freedBy.get(step) ?? []).every((update) => finished.has(update)));
    if (ready.length === 0) return rounds;
    for (const step of ready) finished.add(step);
    rounds.push(ready);
  }
}

const nameStep = ({ write, index }: Step): string =>
  'update' in write ? `${index + 1} (record ${write.update.record.id})` : String(index + 1);

/**
 * Orders the changes of a plan so that no value of a unique field exists twice at any time.
 * @param records the records that the plan was made of
 * @throws InputError when several items have the same value of a unique field, or a record keeps a value that an item has
 */
export function orderChanges(plan: SyncPlan, records: ServiceRecord[], table: Table): SyncOrder {
  const steps = createSteps(plan, table);
  const releases = findReleases(steps, plan, records, table);
  const freeing = new Set(releases.flatMap(({ removed }) => removed ?? []));
  const needDelete = new Set(releases.flatMap(({ taker, removed }) => (removed ? [taker] : [])));
  const freedBy = groupByTaker(releases);
  const before = formRounds(difference(steps, [...needDelete]), freedBy, []);
  const written = before.flat();
  const left = difference(steps, written);
  const after = formRounds(left, freedBy, written);
  const stuck = difference(left, after.flat());
  const listWrites = (rounds: Step[][]) => rounds.map((round) => round.map(({ write }) => write));
  const [freeingDeletes, otherDeletes] = partition(plan.deletes, (record) => freeing.has(record));
  return {
    writes: listWrites(before),
    freeingDeletes,
    writesAfterDeletes: listWrites(after),
    otherDeletes,
    stuck: stuck.map(({ write }) => write),
    ...(stuck.length > 0 && {
      stuckReason: `Items ${joinFirst(stuck.map(nameStep))} exchange values of a unique field, such as ${stuck[0]?.values[0]?.label ?? ''}`,
    }),
  };
}

/** A write with the values of unique fields that it sends. */
interface Step {
  write: SyncWrite;
  index: number;
  values: UniqueValue[];
}

/** A change that frees a value for a step: the update or the deletion of the record that has it. */
interface Release {
  taker: Step;
  update?: Step;
  removed?: ServiceRecord;
}

/** Finds the write that takes each value. @throws InputError when several writes take the same value */
function mapWritersByValue(steps: Step[]): Map<string, Step> {
  const takers = new Map<string, Step>();
  for (const step of steps) {
    for (const { text, label } of step.values) {
      const other = takers.get(text);
      if (other) {
        throw new InputError(
          `Items ${other.index + 1} and ${step.index + 1} have the same value in a unique field, ${label}`,
          'Nothing was sent, because the service would refuse one of them. Give each item another value.',
        );
      }
      takers.set(text, step);
    }
  }
  return takers;
}

/**
 * Finds the changes that free the values that the steps take.
 * @throws InputError when a record keeps a value that an item needs
 */
function findReleases(
  steps: Step[],
  { deletes }: SyncPlan,
  records: ServiceRecord[],
  table: Table,
): Release[] {
  const takers = mapWritersByValue(steps);
  // Most runs write no unique column. The records of a large table are then not looked through.
  if (takers.size === 0) return [];
  const deleted = new Map(deletes.map((record) => [record.id, record]));
  const updates = new Map(
    steps.flatMap((step) => ('update' in step.write ? [[step.write.update.record.id, step] as const] : [])),
  );
  const releases: Release[] = [];
  for (const record of records) {
    for (const { text, slug, label } of listRecordValues(record, table)) {
      const taker = takers.get(text);
      const update = updates.get(record.id);
      const removed = deleted.get(record.id);
      if (!taker || taker === update) continue;
      if (removed) releases.push({ taker, removed });
      else if (update && changesField(update, slug, table)) releases.push({ taker, update });
      else {
        throw new InputError(
          `Item ${taker.index} has a value of a unique field that record ${record.id} keeps, ${label}`,
          'Nothing was sent, because the service would refuse the item. Give the item another value, or change or delete that record in the same run.',
        );
      }
    }
  }
  return releases;
}

const changesField = ({ write }: Step, slug: string, table: Table): boolean =>
  'update' in write &&
  write.update.entries.some(([key]) => table.resolvePayloadField(key, 'Fields').field.slug === slug);
