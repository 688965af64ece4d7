import { InputError } from '../../model/input/inputError';
import { Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import type { SyncWrite } from './orderChanges';
import type { SyncPlan } from './planSync';
import { listRecordValues, type UniqueValue } from './uniqueValues';
/** A write with the values of unique fields that it sends. */
export interface Step {
  write: SyncWrite;
  index: number;
  values: UniqueValue[];
}

/** A change that frees a value for a step: the update or the deletion of the record that has it. */
export interface Release {
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
export function findReleases(
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
