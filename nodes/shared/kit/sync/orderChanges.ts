import type { ServiceRecord } from '../../model/answers/records';
import type { Table } from '../../model/records/table';
import { InputError } from '../../model/input/inputError';
import type { SyncInput, SyncPlan, SyncUpdate } from './planSync';
import { listEntryValues, listRecordValues, type UniqueValue } from './uniqueValues';

export type SyncWrite<Input extends SyncInput> = { create: Input } | { update: SyncUpdate };

/**
 * The order of the changes of a plan. The writes of a step may be sent at the same time. Deletions come last, except
 * for those that free a value of a unique field for a write.
 */
export interface SyncOrder<Input extends SyncInput> {
  writes: Array<Array<SyncWrite<Input>>>;
  freeingDeletes: ServiceRecord[];
  /** The writes that need one of these deletions, directly or after another write. */
  writesAfterDeletes: Array<Array<SyncWrite<Input>>>;
  otherDeletes: ServiceRecord[];
}

/** A write with the changes that must be made before it. */
interface Step<Input extends SyncInput> {
  write: SyncWrite<Input>;
  index: number;
  values: UniqueValue[];
  after: Array<Step<Input>>;
  needsDelete: boolean;
}

/** Maximum number of items that an error names. */
const MAX_NAMED = 10;

function createSteps<Input extends SyncInput>(
  { creates, updates }: SyncPlan<Input>,
  table: Table,
): Array<Step<Input>> {
  const createStep = (write: SyncWrite<Input>) => {
    const { index, entries } = 'create' in write ? write.create : write.update;
    return { write, index, values: listEntryValues(entries, table), after: [], needsDelete: false };
  };
  return [
    ...creates.map((create) => createStep({ create })),
    ...updates.map((update) => createStep({ update })),
  ].sort((a, b) => a.index - b.index);
}

/** Finds the write that takes each value. @throws InputError when several writes take the same value */
function findTakers<Input extends SyncInput>(steps: Array<Step<Input>>): Map<string, Step<Input>> {
  const takers = new Map<string, Step<Input>>();
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
 * Connects each write with the changes that free its values.
 * @returns the records whose deletion frees a value
 * @throws InputError when a record keeps a value that an item needs
 */
function connectSteps<Input extends SyncInput>(
  steps: Array<Step<Input>>,
  { deletes }: SyncPlan<Input>,
  records: ServiceRecord[],
  table: Table,
): Set<ServiceRecord> {
  const takers = findTakers(steps);
  const deleted = new Map(deletes.map((record) => [record.id, record]));
  const updates = new Map(
    steps.flatMap((step) => ('update' in step.write ? [[step.write.update.record.id, step] as const] : [])),
  );
  const freeing = new Set<ServiceRecord>();
  for (const record of takers.size > 0 ? records : []) {
    for (const { text, slug, label } of listRecordValues(record, table)) {
      const taker = takers.get(text);
      const update = updates.get(record.id);
      const removed = deleted.get(record.id);
      if (!taker || taker === update) continue;
      if (removed) {
        taker.needsDelete = true;
        freeing.add(removed);
      } else if (update && 'update' in update.write && changesField(update.write.update, slug, table)) {
        taker.after.push(update);
      } else {
        throw new InputError(
          `Item ${taker.index} has a value of a unique column that record ${record.id} keeps, ${label}`,
          'Nothing was sent, because the service would refuse the item. Give the item another value, or change or delete that record in the same run.',
        );
      }
    }
  }
  return freeing;
}

const changesField = ({ entries }: SyncUpdate, slug: string, table: Table): boolean =>
  entries.some(([key]) => table.resolvePayloadField(key, 'Columns').field.slug === slug);

/** Takes the steps that can be made, in rounds, and adds them to `done`. */
function takeRounds<Input extends SyncInput>(
  steps: Array<Step<Input>>,
  done: Set<Step<Input>>,
): Array<Array<SyncWrite<Input>>> {
  const rounds: Array<Array<SyncWrite<Input>>> = [];
  for (let waiting = steps; waiting.length > 0;) {
    const ready = waiting.filter(({ after }) => after.every((step) => done.has(step)));
    if (ready.length === 0) break;
    for (const step of ready) done.add(step);
    rounds.push(ready.map(({ write }) => write));
    waiting = waiting.filter((step) => !done.has(step));
  }
  return rounds;
}

/**
 * Orders the changes of a plan so that no value of a unique field exists twice at any time.
 * @param records the records that the plan was made of
 * @throws InputError when no order of the changes does this
 */
export function orderChanges<Input extends SyncInput>(
  plan: SyncPlan<Input>,
  records: ServiceRecord[],
  table: Table,
): SyncOrder<Input> {
  const steps = createSteps(plan, table);
  const freeing = connectSteps(steps, plan, records, table);
  const done = new Set<Step<Input>>();
  const writes = takeRounds(
    steps.filter(({ needsDelete }) => !needsDelete),
    done,
  );
  const writesAfterDeletes = takeRounds(
    steps.filter((step) => !done.has(step)),
    done,
  );
  const stuck = steps.filter((step) => !done.has(step));
  if (stuck.length > 0) {
    const names = stuck.slice(0, MAX_NAMED).map(({ index }) => index);
    throw new InputError(
      `Items ${names.join(', ')}${stuck.length > MAX_NAMED ? ', …' : ''} exchange values of a unique column, such as ${stuck[0]?.values[0]?.label ?? ''}`,
      'Nothing was sent: each of these changes needs another one to be made first. Run Sync with other values in this column first, and then with these.',
    );
  }
  return {
    writes,
    freeingDeletes: plan.deletes.filter((record) => freeing.has(record)),
    writesAfterDeletes,
    otherDeletes: plan.deletes.filter((record) => !freeing.has(record)),
  };
}
