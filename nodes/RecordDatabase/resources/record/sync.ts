import { range } from 'lodash';
import { isRefusedValue } from '../../../client/errors/apiError';
import type { FieldRef, Table } from '../../../client/fields/table';
import type { FilterGroup } from '../../../client/filter/tree';
import { asThrown } from '../../../client/input/inputError';
import { memory } from '../../../client/memory/memory';
import { MAX_PAGE_SIZE } from '../../../client/paging/pageRanges';
import { createPayload } from '../../../client/records/payload';
import { buildMatchFilter } from '../../../client/records/upsert';
import type { SyncInput } from '../../../client/sync/planSync';
import { createRecordKey, formatRecordKey } from '../../../client/sync/syncTable';
import { createColumnForm } from '../../../n8n/columns/columnForm';
import { readFilter } from '../../../n8n/filter/readFilter';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item, Items } from '../../../n8n/operation/item';
import { type Operation, type Result, type RunMode, isFailure } from '../../../n8n/operation/operation';
import { joinTries } from '../../../n8n/operation/resume';
import { type OrderedPlan, applyPlan, ensureOrder, listPlannedChanges } from './applyPlan';
import { type Recheck, createMatcher, ensureMatch } from './deleteRecords';
import { linkOption, readLink } from './link';
import { readMatchColumns } from './matchColumns';
import {
  type DeletionCheck,
  checkDeletions,
  deleteMissing,
  dryRunOption,
  ensureWholeInput,
  ensureWithinLimits,
  itemOptions,
  maximumDeletions,
  outputParameter,
  parseMaximumDeletions,
  readInputs,
  syncParameters,
} from './syncForm';

/**
 * Runs the syncs of one table one after the other, across all executions of this process, so that each sync compares
 * its items with the result of the previous sync.
 */
const syncQueue = memory.queue('syncQueue', { per: 'app', holds: 'syncs of one table' });

const EXECUTE_ONCE_HINT =
  'Only the first item was synced, because the node has the setting "Execute Once". Sync takes all items in one run without it.';

/** Reads the records to delete again by their keys. A record that an item names by now, or outside the filter, is kept. */
function createRecheck(
  { client }: Item,
  table: Table,
  { inputs, filters, columns }: { inputs: SyncInput[]; filters?: FilterGroup; columns: FieldRef[] },
): Recheck {
  const inputKeys = new Set(inputs.map(({ key }) => key));
  const matches = filters ? createMatcher(client, filters, table) : () => true;
  return {
    async read(records) {
      const keys = records.flatMap((record) => createRecordKey(record, columns) ?? []);
      if (keys.length === 0) return [];
      const query = { tableId: table.id, filters: buildMatchFilter(keys) };
      return client.records.readPage(query, 1, MAX_PAGE_SIZE).then(
        ({ items }) => items,
        (error: unknown) => {
          // A service that refuses one of the values returns the records by their IDs.
          if (isRefusedValue(error)) return [];
          throw asThrown(error);
        },
      );
    },
    mayDelete(record) {
      const key = formatRecordKey(record, columns);
      return matches(record) && !(key !== undefined && inputKeys.has(key));
    },
    reason: filters ? 'no longer match the filter, or match an item now' : 'match an item now',
  };
}

/** Reads the items and the records, and compares them. Nothing is changed. @throws InputError */
async function createSyncPlan(items: Items, table: Table): Promise<OrderedPlan> {
  const first = items.get(0);
  const { client } = first;
  const deletes = first.read(deleteMissing);
  const matchColumns = readMatchColumns(first, table);
  let filters: FilterGroup | undefined;
  if (deletes) {
    ensureWholeInput(items);
    parseMaximumDeletions(first.read(maximumDeletions));
    filters = await readFilter(first, table);
  } else if (items.isExecuteOnce) client.notices.addHint(EXECUTE_ONCE_HINT);
  const plan = await client.records.planSync({
    table,
    matchColumns,
    readInputs: () => readInputs(items, table, matchColumns),
    deletes,
    filters,
    checkDeletable: (records) => filters && ensureMatch(client, records, filters, table),
  });
  const { inputs, columns } = plan;
  return { ...plan, recheck: createRecheck(first, table, { inputs, filters, columns }) };
}

const countAction = (results: Result[], ...actions: string[]): number =>
  results.filter((result) => !isFailure(result) && actions.includes(String(result.json._action))).length;

/** Replaces the changes by their counts and keeps the failures. */
function summarize(results: Result[], items: Items, deletions?: DeletionCheck): Result[] {
  const isDry = items.get(0).readOption(dryRunOption) === true;
  const failures = results.filter(isFailure);
  // Another client may have made a planned update meanwhile.
  const changes = results.filter((result) => isFailure(result) || result.json._action !== 'unchanged');
  const changed = new Set(changes.flatMap(({ itemIndexes = [] }) => itemIndexes));
  const json = {
    created: countAction(results, 'created', 'create'),
    updated: countAction(results, 'updated', 'update'),
    deleted: countAction(results, 'deleted', 'delete'),
    unchanged: items.length - changed.size,
    failed: failures.length,
    ...(deletions && !isDry && { kept: countAction(results, 'kept') }),
    ...(isDry && {
      ...(deletions && { inScope: deletions.scope, allowedDeletions: deletions.allowed }),
      _dryRun: true,
    }),
  };
  return [{ json, itemIndexes: range(items.length) }, ...failures];
}

/**
 * Checks what only new records have: the link to a parent, and columns that a new record cannot take.
 * @throws InputError before anything is written
 */
async function checkCreates(items: Items, table: Table, { creates }: OrderedPlan): Promise<void> {
  if (table.findField('connected_to')) for (const { entries } of creates) createPayload(entries);
  if (items.get(0).readOption(linkOption) === undefined) return;
  for (const { index } of creates) await readLink(items.get(index));
}

/**
 * Plans and makes the changes. A further try plans anew, so it makes the changes that are left; its results include those
 * of the tries before. After a create whose outcome is unknown, nothing is sent: the new plan would create it again.
 */
async function runSync(
  items: Items,
  mode: RunMode,
  tableId: string,
): Promise<{ results: Result[]; deletions?: DeletionCheck }> {
  const { tries } = mode;
  if (tries?.settled.some(isFailure)) return { results: tries.earlier };
  const first = items.get(0);
  const table = await first.getFreshTable(tableId);
  const plan = await createSyncPlan(items, table);
  ensureOrder(mode, plan);
  await checkCreates(items, table, plan);
  const deletions = first.read(deleteMissing) ? checkDeletions(first, plan) : undefined;
  ensureWithinLimits(first, plan, deletions);
  if (first.readOption(dryRunOption) === true) return { results: listPlannedChanges(plan), deletions };
  const results = joinTries(tries?.earlier ?? [], await applyPlan(items, mode, table, plan));
  if (tries) tries.earlier = results;
  return { results, deletions };
}

export const sync: Operation = {
  name: 'sync',
  displayName: 'Sync',
  action: 'Sync records',
  description:
    'Make a table equal to all input items: create, update and optionally delete records, and write only what differs. Only a unique column to match on prevents doubled records when several n8n processes or other clients write at the same time.',
  writes: true,
  parameters: [tableLocator, ...createColumnForm('upsert'), ...syncParameters],
  itemParameters: itemOptions,
  async runAll(items, mode) {
    const first = items.get(0);
    const tableId = first.read(tableLocator);
    return syncQueue.run(first.client, [tableId], async () => {
      const { results, deletions } = await runSync(items, mode, tableId);
      return first.read(outputParameter) === 'summary' ? summarize(results, items, deletions) : results;
    });
  },
};
