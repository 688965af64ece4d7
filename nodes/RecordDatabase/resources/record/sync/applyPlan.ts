import type { IDataObject } from 'n8n-workflow';
import type { Items } from '../../../../shared/kit/operation/item';
import type { Output, Result, RunMode } from '../../../../shared/kit/operation/operation';
import type { SyncOrder } from '../../../../shared/kit/sync/orderChanges';
import type { SyncPlan } from '../../../../shared/kit/sync/planSync';
import { InputError } from '../../../../shared/model/input/inputError';
import type { Table } from '../../../../shared/model/records/table';
import type { Recheck } from '../delete/currentRecords';
import { PlanRun, STUCK_REMEDY } from './planRun';

/** A sync plan with the order of its changes. */
export interface OrderedPlan extends SyncPlan {
  order: SyncOrder;
  /** The number of records that may be deleted. */
  scope: number;
  /** How the records to delete are read again just before their deletion. */
  recheck: Recheck;
  /** When its records were requested, in milliseconds of the process clock. */
  readAt: number;
}

/**
 * Makes the changes of a plan. Records are deleted only when all writes before were made: otherwise a record could be
 * gone before the one that replaces it exists. They are deleted last, except for those whose deletion frees a value of
 * a unique field for a write.
 */
export async function applyPlan(
  items: Items,
  mode: RunMode,
  table: Table,
  { creates, updates, deletes, order, recheck, readAt }: OrderedPlan,
): Promise<Result[]> {
  const run = new PlanRun(items, mode, table, creates.length + updates.length + deletes.length, readAt);
  run.refuse(order);
  await run.write(order.writes);
  if (run.hasFailed) {
    run.skip(deletes, order.writesAfterDeletes.flat());
    return run.results;
  }
  await run.delete(order.freeingDeletes, recheck);
  await run.write(order.writesAfterDeletes);
  if (run.hasFailed) run.skip(order.otherDeletes, []);
  else await run.delete(order.otherDeletes, recheck);
  return run.results;
}

/**
 * Checks that there is an order of the changes. With Continue On Fail, only the writes without one fail.
 * @throws InputError that names their items and records
 */
export function ensureOrder({ continuesOnFail }: RunMode, { order }: OrderedPlan): void {
  if (order.stuckReason === undefined || continuesOnFail) return;
  throw new InputError(
    order.stuckReason,
    `Nothing was sent. ${STUCK_REMEDY} To make all other changes, set "On Error" in the node's settings.`,
  );
}

/** Lists the changes of a plan as outputs, with what would be written. */
export function listPlannedChanges(plan: OrderedPlan): Output[] {
  const creates = plan.creates.map(({ index, entries }) => ({
    json: { ...Object.fromEntries(entries), _action: 'create', _dryRun: true } as IDataObject,
    itemIndexes: [index],
  }));
  const updates = plan.updates.map(({ index, record, entries }) => ({
    json: { id: record.id, ...Object.fromEntries(entries), _action: 'update', _dryRun: true } as IDataObject,
    itemIndexes: [index],
  }));
  const deletes = plan.deletes.map((record) => ({
    json: { ...record, _action: 'delete', _dryRun: true } as IDataObject,
    itemIndexes: [],
  }));
  return [...creates, ...updates, ...deletes];
}
