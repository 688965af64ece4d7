/** Sync: makes a table equal to all items of the input. */
import { difference, memoize, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { createColumnForm, readColumnForm } from '../../../n8n/columns/columnForm';
import { addFieldDefaults, addLostInputHints, ItemValues } from '../../../n8n/columns/itemValues';
import { explainRefusedValues } from '../../../n8n/columns/refusedValues';
import { readFilterTree } from '../../../n8n/filter/readFilter';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import { dryRunOption } from '../../../n8n/operation/bulkChange';
import { type Item, type Items, attachItemEffects, iterateWithPauses } from '../../../n8n/operation/item';
import {
  type Operation,
  type Output,
  type Result,
  type RunMode,
  isFailure,
} from '../../../n8n/operation/operation';
import { createChangeConverter, formatChange, formatWrite } from '../../../n8n/operation/recordOutput';
import { runNextTry } from '../../../n8n/operation/retryOnFail';
import { addItemNumbers } from '../../../n8n/operation/runItems';
import {
  applySync,
  type RecordSelection,
  type TableSyncPlan,
  type PayloadEntries,
  planTableSync,
  previewSync,
  readConnectedIds,
  type Table,
} from '../../../records';
import { type ApiError, asThrown, isRepeatUnsafe, mapSteps, type ServiceRecord } from '../../../service';
import { describeProgress, explainChangeError } from './changeErrors';
import { createItemRecord } from './create';
import { parentOption, findParentLink } from './link';
import { createDuplicateRemedy, readMatchColumns } from './matchColumns';
import {
  checkChangeLimit,
  checkDeletionLimit,
  deletionParameter,
  ensureWholeInput,
  perItemOptions,
  maximumDeletionsParameter,
  outputParameter,
  parseMaximumDeletions,
  listSyncInputs,
  syncParameters,
  runInTableQueue,
} from './syncForm';
import { updateItemRecord } from './update';

async function createSyncPlan(items: Items, table: Table): Promise<TableSyncPlan> {
  const first = items.get(0);
  const { client } = first;
  const deletes = first.read(deletionParameter);
  const columns = readMatchColumns(first, table);
  let selection: RecordSelection | undefined;
  if (deletes) {
    ensureWholeInput(
      items,
      'Delete Missing Records',
      'the records of the items that are not in this run would be deleted',
    );
    parseMaximumDeletions(first.read(maximumDeletionsParameter));
    const filter = readFilterTree(first, { table });
    selection = filter && { filter, timeZone: first.timeZone };
  }
  return planTableSync(client, {
    table,
    columns,
    inputs: listSyncInputs(items, table),
    deletes,
    selection,
  });
}

/** Returns the outputs as they would be after the changes. */
async function listPlannedChanges(items: Items, plan: TableSyncPlan): Promise<Output[]> {
  const first = items.get(0);
  const { table, deletes } = plan;
  const outputs: Output[] = [];
  const planned = await previewSync(first.client, plan, ({ index, entries }) =>
    addFieldDefaults(items.get(index), table, entries),
  );
  for (const change of planned) {
    const json = await formatChange(first, table, { ...change, isDry: true }, change.action === 'create');
    outputs.push({ json, itemIndexes: [change.index] });
  }
  const toJson = createChangeConverter(first, table);
  for (const record of deletes)
    outputs.push({ json: toJson('delete', record, { isDry: true }), itemIndexes: [] });
  return outputs;
}

/** Returns the values to write. If connected records are missing, encodes the item again, which creates them. */
async function encodeEntriesToWrite(
  item: Item,
  table: Table,
  change: { entries: PayloadEntries; missing?: string[] },
): Promise<PayloadEntries> {
  const { entries, missing } = change;
  const all = missing ? await new ItemValues(item, table, { allowsRefused: true }).encodeEntries() : entries;
  if (!('record' in change)) return addFieldDefaults(item, table, all);
  const changed = new Set(entries.map(([key]) => key));
  return all.filter(([key]) => changed.has(key));
}

/**
 * Lists the unchanged records that are connected to each record to delete. After the deletion, the service no longer
 * shows these connections, so Undo needs them in the output. Changed records have output items of their own.
 */
function listLostConnections({ table, matched, updates, deletes }: TableSyncPlan) {
  const connected = new Map(deletes.map(({ id }): [string, IDataObject[]] => [id, []]));
  const unchanged = difference(
    [...matched.values()],
    updates.map(({ record }) => record),
  );
  for (const field of table.fields.filter(({ connection }) => connection?.tableId === table.id))
    for (const record of unchanged) {
      const ids = readConnectedIds(record, { table, field });
      for (const id of ids) connected.get(id)?.push({ id: record.id, [field.slug]: ids });
    }
  return new Map([...connected].filter(([, records]) => records.length > 0));
}

async function applySyncPlan(items: Items, mode: RunMode, plan: TableSyncPlan): Promise<Result[]> {
  const { client, timeZone } = items.get(0);
  const { table } = plan;
  // `items.get` creates a new `Item` at each call. All steps of an item use the same one, which stores their effects.
  const getItem = memoize((index: number) => items.get(index));
  const results = await applySync(client, {
    plan,
    timeZone,
    continuesOnFail: mode.continuesOnFail,
    complete: (change) => encodeEntriesToWrite(getItem(change.index), table, change),
    create: (creation, index) => createItemRecord(getItem(index), creation),
    update: (change, index) => updateItemRecord(getItem(index), table, change.recordId, change),
  });
  const toJson = createChangeConverter(items.get(0), table);
  const connected = listLostConnections(plan);
  const describeRecord = (record: ServiceRecord, action: string) => {
    const _connectedFrom = connected.get(record.id);
    return toJson(action, record, { notes: _connectedFrom && { _connectedFrom } });
  };
  const { creates, updates, deletes } = plan;
  const progress = describeProgress(mode, results, creates.length + updates.length + deletes.length);
  return mapSteps(results, client.concurrency, async (result): Promise<Result> => {
    const itemIndexes = 'index' in result ? [result.index] : [];
    if (result.action === 'failed') {
      const { error } = result;
      const explained =
        'index' in result
          ? explainChangeError(await explainItemError(getItem(result.index), error), progress)
          : explainChangeError(error, progress, describeRecord(result.record, 'deleted'));
      return { error: explained, itemIndexes, isFinal: isRepeatUnsafe(error) };
    }
    if ('index' in result)
      return { json: await formatWrite(getItem(result.index), table, result), itemIndexes };
    return { json: describeRecord(result.record, result.action), itemIndexes };
  });
}

async function explainItemError(item: Item, thrown: unknown): Promise<unknown> {
  const createRemedy = (table: Table, error: ApiError) => createDuplicateRemedy(item, table, error);
  return attachItemEffects(await explainRefusedValues(item, thrown, createRemedy), item);
}

const countResultsByAction = (results: Result[], ...actions: string[]): number =>
  results.filter((result) => !isFailure(result) && actions.includes(String(result.json._action))).length;

function createSyncSummary(results: Result[], items: Items, deletions?: IDataObject): Result[] {
  const isDry = items.get(0).readOption(dryRunOption) === true;
  const failures = results.filter(isFailure);
  // A planned update that another client made first has the result `unchanged`, so it is no change.
  const changes = results.filter((result) => isFailure(result) || result.json._action !== 'unchanged');
  const changed = new Set(changes.flatMap(({ itemIndexes = [] }) => itemIndexes));
  const json = {
    created: countResultsByAction(results, 'created', 'create'),
    updated: countResultsByAction(results, 'updated', 'update'),
    deleted: countResultsByAction(results, 'deleted', 'delete'),
    unchanged: items.length - changed.size,
    failed: failures.length,
    ...(deletions && !isDry && { kept: countResultsByAction(results, 'kept') }),
    ...(isDry && { ...deletions, _dryRun: true }),
  };
  return [{ json, itemIndexes: range(items.length) }, ...failures];
}

/** @throws InputError for a parent that does not exist, before anything is written */
async function ensureParentRecordsExist(items: Items, { creates }: TableSyncPlan): Promise<void> {
  if (items.get(0).readOption(parentOption) === undefined) return;
  for (const { index } of creates) {
    await findParentLink(items.get(index)).catch((error: unknown) => {
      throw asThrown(addItemNumbers(error, [index], items.length));
    });
  }
}

/**
 * With Retry On Fail, each further try plans the changes that are still to be made. After a create with an unknown
 * outcome, no further try sends anything: its plan would create the record again.
 */
async function runSync(items: Items, mode: RunMode): Promise<Result[]> {
  const first = items.get(0);
  let deletions: IDataObject | undefined;
  const results = await runNextTry(mode, async () => {
    const table = await first.getTable(first.read(tableLocator), { isFresh: true });
    const plan = await createSyncPlan(items, table);
    if (readColumnForm(first).as === 'item') {
      // The pauses let n8n do other work, because 100,000 items take seconds.
      for await (const item of iterateWithPauses(items)) {
        const record = plan.matched.get(item.index);
        addLostInputHints(item, table, record ? [record] : []);
      }
    }
    await ensureParentRecordsExist(items, plan);
    const isDry = first.readOption(dryRunOption) === true;
    checkChangeLimit(first, plan, isDry);
    deletions = first.read(deletionParameter) ? checkDeletionLimit(first, plan, isDry) : undefined;
    return isDry ? listPlannedChanges(items, plan) : applySyncPlan(items, mode, plan);
  });
  return first.read(outputParameter) === 'summary' ? createSyncSummary(results, items, deletions) : results;
}

export const sync: Operation = {
  name: 'sync',
  displayName: 'Sync',
  action: 'Sync records',
  description: 'Make a table equal to all input items: create, update and optionally delete what differs',
  writes: true,
  parameters: [tableLocator, ...createColumnForm('sync'), ...syncParameters],
  itemParameters: perItemOptions,
  async runAll(items, mode) {
    const { client } = items.get(0);
    return runInTableQueue(client, [items.get(0).read(tableLocator)], () => runSync(items, mode));
  },
};
