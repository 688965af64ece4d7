import { difference, partition } from 'lodash';
import { Table } from '../fields/table';
import { InputError, joinFirst } from '../input/inputError';
import type { ServiceRecord } from '../responses/records';
import {
  type SyncInput,
  type SyncPlan,
  type SyncUpdate,
  type UniqueValue,
  listEntryValues,
  listRecordValues,
} from './planSync';

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

/** The updates that free the values of a step. */
function groupByTaker(releases: Release[]): Map<Step, Step[]> {
  const freedBy = new Map<Step, Step[]>();
  for (const { taker, update } of releases)
    if (update) freedBy.set(taker, [...(freedBy.get(taker) ?? []), update]);
  return freedBy;
}

/**
 * Puts the steps into rounds. Each step comes after the updates that free its values.
 * @param done steps that come before
 */
function formRounds(steps: Step[], freedBy: Map<Step, Step[]>, done: Step[]): Step[][] {
  const made = new Set(done);
  const rounds: Step[][] = [];
  for (let waiting = steps; waiting.length > 0; waiting = waiting.filter((step) => !made.has(step))) {
    const ready = waiting.filter((step) => (freedBy.get(step) ?? []).every((update) => made.has(update)));
    if (ready.length === 0) break;
    for (const step of ready) made.add(step);
    rounds.push(ready);
  }
  return rounds;
}

const nameStep = ({ write, index }: Step): string =>
  'update' in write ? `${index} (record ${write.update.record.id})` : String(index);

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
  const made = before.flat();
  const left = difference(steps, made);
  const after = formRounds(left, freedBy, made);
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
      stuckReason: `Items ${joinFirst(stuck.map(nameStep))} exchange values of a unique column, such as ${stuck[0]?.values[0]?.label ?? ''}`,
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
function findTakers(steps: Step[]): Map<string, Step> {
  const takers = new Map<string, Step>();
  for (const step of steps) {
    for (const { text, label } of step.values) {
      const other = takers.get(text);
      if (other) {
        throw new InputError(
          `Items ${other.index} and ${step.index} have the same value in a unique column, ${label}`,
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
  const takers = findTakers(steps);
  const deleted = new Map(deletes.map((record) => [record.id, record]));
  const updates = new Map(
    steps.flatMap((step) => ('update' in step.write ? [[step.write.update.record.id, step] as const] : [])),
  );
  const releases: Release[] = [];
  for (const record of takers.size > 0 ? records : []) {
    for (const { text, slug, label } of listRecordValues(record, table)) {
      const taker = takers.get(text);
      const update = updates.get(record.id);
      const removed = deleted.get(record.id);
      if (!taker || taker === update) continue;
      if (removed) releases.push({ taker, removed });
      else if (update && changesField(update, slug, table)) releases.push({ taker, update });
      else {
        throw new InputError(
          `Item ${taker.index} has a value of a unique column that record ${record.id} keeps, ${label}`,
          'Nothing was sent, because the service would refuse the item. Give the item another value, or change or delete that record in the same run.',
        );
      }
    }
  }
  return releases;
}

const changesField = ({ write }: Step, slug: string, table: Table): boolean =>
  'update' in write &&
  write.update.entries.some(([key]) => table.resolvePayloadField(key, 'Columns').field.slug === slug);
