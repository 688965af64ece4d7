import { difference, partition } from 'lodash';
import { joinFirst } from '../../model/input/inputError';
import type { Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import { findReleases, type Release, type Step } from './findReleases';
import type { SyncInput, SyncPlan, SyncUpdate } from './planSync';
import { listEntryValues } from './uniqueValues';

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
