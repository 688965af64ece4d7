/**
 * The operation Undo, `undo`: it takes the output items of a run that changed records, and sets the records back where
 * nobody has changed them since.
 */
import type { IDataObject } from 'n8n-workflow';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item, Items } from '../../../n8n/operation/item';
import { isFailure, type Operation, type Result } from '../../../n8n/operation/operation';
import { createRecordOutput } from '../../../n8n/operation/recordOutput';
import { joinTries } from '../../../n8n/operation/retryOnFail';
import { simplifyRecords } from '../../../n8n/operation/simplify';
import { defineParameter } from '../../../n8n/parameters/parameter';
import { applyUndo, fetchRecordPage, listTables, planUndo, type Table } from '../../../records';
import { formatForError, InputError, isObject, isUnknownStart, mapExplanation } from '../../../service';
import { ensureWholeInput, maximumDeletions, parseMaximumDeletions } from './syncForm';

/** What became of a record. */
type UndoneRecord = Awaited<ReturnType<typeof applyUndo>>[number];

const dryRun = defineParameter({
  displayName: 'Dry Run',
  name: 'dryRun',
  type: 'boolean',
  default: true,
  description: 'Whether to only return what would be done',
  hint: 'Nothing is changed while this is on',
});

const maximumUndoDeletions = {
  ...maximumDeletions,
  description:
    'Nothing is changed when more records than this would be deleted, because the run created them: a number, or a share of the records of the table',
};

/** The values of `_action` of a change. */
const CHANGES = ['created', 'updated', 'deleted'] as const;

/**
 * Reads the change that an item describes. Undefined for an item that is none, such as one with an error.
 * @throws InputError for an item whose action was changed: its record would be deleted, or created twice
 */
function readChange({ index, inputValues }: Item) {
  const { _action, _tableId, _before: before, _dryRun: isDry, ...values } = inputValues;
  const { id } = values;
  const action = CHANGES.find((change) => change === _action);
  if (!action || isDry === true || typeof id !== 'string' || id === '') return undefined;
  const tableId = typeof _tableId === 'string' ? _tableId : undefined;
  if (!isObject(before)) return { index, action, tableId, id, values };
  if (action === 'updated') return { index, action, tableId, id, values, before };
  throw new InputError(
    `Item ${index}: record ${id} has "_before", and its "_action" is "${action}"`,
    'Nothing was sent. Only an updated record has earlier values: give the items as the run returned them.',
  );
}

/** @throws InputError if no item describes a change */
function readChanges(items: Items) {
  const changes = [...items].flatMap((item) => readChange(item) ?? []);
  const { notices } = items.get(0).client;
  const others = items.length - changes.length;
  if (changes.length === 0) {
    throw new InputError(
      'No item of the input is a change of a record',
      'Nothing was sent. Undo takes the output items of Create, Update, Create or Update, Sync, Batch Update, Delete Many and Save, which have "_action" and "id". To undo a past execution, copy its output to a node before this one.',
    );
  }
  if (others > 0) notices.addHint(`${others} of ${items.length} items are no changes, and were passed over.`);
  return changes;
}

/** Compares the deletions with Maximum Deletions. A dry run adds a hint. @throws InputError */
async function checkDeletions(item: Item, table: Table, count: number, isDry: boolean): Promise<void> {
  const getLimit = parseMaximumDeletions(item.read(maximumDeletions));
  if (count === 0) return;
  const { total_items: total } = await fetchRecordPage(item.client, { tableId: table.id }, 1, 1);
  const { allowed, rule } = getLimit(total);
  if (count <= allowed) return;
  const text = `${count} of the ${total} records of the table would be deleted, because the run created them, and Maximum Deletions allows ${allowed} (${rule})`;
  const remedy = `To allow these deletions, set Maximum Deletions to ${count}.`;
  if (!isDry) throw new InputError(text, `Nothing was changed. ${remedy}`);
  item.client.notices.addHint(`${text}. Without "Dry Run", nothing would be changed. ${remedy}`);
}

/** @throws InputError for changes of another table: its columns and IDs may be the same */
async function ensureOwnTable({ client }: Item, table: Table, changes: ReturnType<typeof readChanges>) {
  const other = changes.find(({ tableId = table.id }) => tableId !== table.id);
  if (!other) return;
  const tables = await listTables(client);
  const nameTable = (id?: string) => formatForError(tables.find((one) => one.id === id)?.name ?? id);
  throw new InputError(
    `Item ${other.index} is a change of the table ${nameTable(other.tableId)}, and Undo is set to ${nameTable(table.id)}`,
    'Nothing was changed. Choose the table of the items.',
  );
}

const DONE = { update: 'updated', delete: 'deleted', create: 'created', leave: 'left' } as const;

/** Converts a step, or what became of it, to an item. */
function toItem(item: Item, table: Table, { step, action, record }: UndoneRecord, isDry: boolean): Result {
  const { id, indexes, reason } = step;
  const values = action === 'left' || step.action === 'delete' ? {} : step.values;
  const isNew = step.action === 'create' && action !== 'left';
  const shown = { ...record, id: record?.id ?? (isNew ? '' : id), ...(!record || isNew ? values : {}) };
  return {
    json: {
      _action: isDry ? step.action : (action ?? DONE[step.action]),
      _tableId: table.id,
      ...(reason !== undefined && { _reason: reason }),
      ...(isNew && { _restores: id }),
      ...(isDry && { _dryRun: true }),
      ...createRecordOutput(item, table)(shown),
    } as IDataObject,
    itemIndexes: indexes,
  };
}

const describeProgress = (results: UndoneRecord[], wanted: number): string => {
  const done = results.filter(({ action }) => action !== undefined && action !== 'left').length;
  return `${done} of ${wanted} records were undone.`;
};

const REMEDY = 'Run Undo again with the same items: those that are undone already are left.';

/** What an earlier try has done, by its results. */
function readEarlier(results: Result[]) {
  const outputs = results.flatMap((result) => (isFailure(result) ? [] : result));
  return {
    indexes: new Set(outputs.flatMap(({ itemIndexes = [] }) => itemIndexes)),
    createdIds: new Set(outputs.flatMap(({ json }) => (json._restores ? String(json.id) : []))),
  };
}

/** Converts what became of a step. @param progress what to add to an error */
function toResult(item: Item, table: Table, result: UndoneRecord, progress: string): Result {
  const { step, error } = result;
  if (error === undefined) return toItem(item, table, result, false);
  const explained = mapExplanation(error, ({ message, description }) => ({
    // An unknown outcome is said first, as in all other operations.
    message: message.replace(/^(Outcome unknown: )?/, `$1record ${step.id}: `).replace(/^r/, 'R'),
    description: `${description} ${progress} ${REMEDY}`.replace('  ', ' ').trim(),
  }));
  return { error: explained, itemIndexes: step.indexes, isFinal: isUnknownStart(error) };
}

export const undo: Operation = {
  name: 'undo',
  displayName: 'Undo',
  action: 'Undo record changes',
  description:
    'Set records back: takes the output items of a run that changed them, and leaves what changed since',
  writes: true,
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', [dryRun, maximumUndoDeletions]),
    simplifyRecords,
  ],
  async runAll(items, { continuesOnFail, tries }) {
    if (tries?.settled.some(isFailure)) return tries.earlier;
    ensureWholeInput(
      items,
      'Undo',
      'Maximum Deletions counts in one run, and the order of the changes needs all of them',
    );
    const first = items.get(0);
    const { client, timeZone } = first;
    const isDry = first.read(dryRun);
    const changes = readChanges(items);
    const table = await first.getFreshTable(first.read(tableLocator));
    await ensureOwnTable(first, table, changes);
    const context = { client, table, timeZone };
    const earlier = tries?.earlier ?? [];
    const steps = await planUndo(context, changes, readEarlier(earlier));
    const countSteps = (isCounted: (action: string) => boolean) =>
      steps.filter(({ action }) => isCounted(action)).length;
    await checkDeletions(
      first,
      table,
      countSteps((action) => action === 'delete'),
      isDry,
    );
    if (isDry) return steps.map((step) => toItem(first, table, { step }, true));
    const done = await applyUndo(context, steps, { continuesOnFail });
    const progress = continuesOnFail
      ? ''
      : describeProgress(
          done,
          countSteps((action) => action !== 'leave'),
        );
    const results = joinTries(
      earlier,
      done.map((result) => toResult(first, table, result, progress)),
    );
    if (tries) tries.earlier = results;
    return results;
  },
};
