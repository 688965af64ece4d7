import { countBy, isEqual, uniq } from 'lodash';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import { dryRunParameter } from '../../../n8n/operation/bulkChange';
import { CHANGE_ACTIONS, type Item, type Items } from '../../../n8n/operation/item';
import { isFailure, type Operation, type Result, type RunMode } from '../../../n8n/operation/operation';
import { createChangeConverter } from '../../../n8n/operation/recordOutput';
import { runNextTry } from '../../../n8n/operation/retryOnFail';
import { simplifyRecordsParameter } from '../../../n8n/operation/simplify';
import { createOptions } from '../../../n8n/parameters/parameter';
import { applyUndo, readRecordPage, listTables, planUndo, type Table } from '../../../records';
import {
  formatForError,
  InputError,
  isObject,
  isRepeatUnsafe,
  joinFirstTexts,
  parseList,
} from '../../../service';
import { describeProgress, explainChangeError } from './changeErrors';
import {
  ensureWholeInput,
  maximumDeletionsParameter,
  parseMaximumDeletions,
  refuseExcessChanges,
  runInTableQueue,
} from './syncForm';

type UndoStepResult = Awaited<ReturnType<typeof applyUndo>>[number];

const maximumDeletionsOption = {
  ...maximumDeletionsParameter,
  description:
    'Nothing is changed when more records than this would be deleted, because the run created them: a number, or a share of the records of the table',
};

/**
 * Reads the change of an item, and the connections that other records lost by it. @returns [] without a change
 * @throws InputError for an item whose action was edited: its record would be deleted, or created twice
 */
function readItemChanges({ index, inputValues }: Item) {
  const { _action, _tableId, _before: before, _dryRun: isDry, _connectedFrom, ...values } = inputValues;
  const { id } = values;
  const action = CHANGE_ACTIONS.find((change) => change === _action);
  if (!action || isDry === true || typeof id !== 'string' || id === '') return [];
  if (isObject(before) && action !== 'updated') {
    throw new InputError(
      `Item ${index + 1}: record ${id} has "_before", and its "_action" is "${action}"`,
      'Nothing was sent. Only an updated record has earlier values: give the items as the run returned them.',
    );
  }
  // Delete returns the ID and the key "deleted", which is no field.
  if (isEqual(values, { deleted: true, id })) delete values.deleted;
  const origin = { index, tableId: typeof _tableId === 'string' ? _tableId : undefined };
  const connected = parseList(_connectedFrom).filter(isObject);
  return [
    { ...origin, action, id, values, ...(isObject(before) && { before }) },
    ...connected.map((one) => ({
      ...origin,
      action: 'updated' as const,
      id: String(one.id),
      values: one,
      before: {},
    })),
  ];
}

function readInputChanges(items: Items) {
  const changes = [...items].flatMap(readItemChanges);
  const { notices } = items.get(0).client;
  const others = items.length - new Set(changes.map(({ index }) => index)).size;
  if (changes.length === 0) {
    throw new InputError(
      'No item of the input is a change of a record',
      'Nothing was sent. Undo takes the output of Create, Update, Create or Update, Sync, Delete Many, Save, and Batch Update with "Return Old Records". To undo a past execution, copy its output to a node before this one.',
    );
  }
  if (others > 0) notices.addHint(`${others} of ${items.length} items are no changes, and were passed over.`);
  return changes;
}

/** @throws InputError for more deletions in a table than Maximum Deletions. A dry run gets a hint instead. */
async function checkDeletionLimit(item: Item, tableId: string, count: number, isDry: boolean): Promise<void> {
  const { total_items: total } = await readRecordPage(item.client, { tableId }, 1, 1);
  const { allowed, rule } = parseMaximumDeletions(item.readOptionOrDefault(maximumDeletionsOption), total);
  if (count <= allowed) return;
  refuseExcessChanges(item, isDry, {
    message: `${count} of the ${total} records of the table would be deleted, because the run created them, and Maximum Deletions allows ${allowed} (${rule})`,
    description: `To allow these deletions, set Maximum Deletions to ${count}.`,
  });
}

/**
 * Output items of older versions of this package do not name their table: the chosen table is used for them.
 * @throws InputError if no change was made in the chosen table: another table may have the same fields and IDs
 */
async function addTableToChanges(item: Item, changes: ReturnType<typeof readInputChanges>) {
  const chosen = item.read(tableLocator);
  const tables = new Map<string, Table>();
  for (const id of uniq(changes.map(({ tableId = chosen }) => tableId)))
    tables.set(id, await item.getTable(id, { isFresh: true }));
  if (tables.has(chosen))
    return changes.map((change) => ({ ...change, table: tables.get(change.tableId ?? chosen)! }));
  const listed = await listTables(item.client);
  const formatTable = (id: string) => formatForError(listed.find((one) => one.id === id)?.name ?? id);
  throw new InputError(
    `The items are changes of the table ${[...tables.keys()].map(formatTable).join(' and ')}, and Undo is set to ${formatTable(chosen)}`,
    'Nothing was changed. Choose the table of the items.',
  );
}

const PAST_TENSE = { update: 'updated', delete: 'deleted', create: 'created', leave: 'left' } as const;

/** Returns what a dry run shows. For an update, `before` is the present record. */
const toPlannedResult = (step: UndoStepResult['step']): UndoStepResult =>
  step.action === 'update' ? { step, before: step.record, changed: Object.keys(step.shown) } : { step };

/** In a dry run, the step was only planned, so the output has the planned values. */
function formatStepResult(item: Item, undone: UndoStepResult, isDry: boolean): Result {
  const { step, action, record, before, changed } = undone;
  const { change, reasons, shown } = step;
  const { id, table } = change;
  const isNew = step.action === 'create' && action !== 'left';
  const values = record ?? { ...(!isNew && { id }), ...(action !== 'left' && shown) };
  const toJson = createChangeConverter(item, table);
  return {
    json: toJson(isDry ? step.action : (action ?? PAST_TENSE[step.action]), values, {
      notes: {
        ...(reasons.length > 0 && { _reason: joinFirstTexts(uniq(reasons), '; ') }),
        ...(isNew && { _restores: id }),
      },
      isDry,
      before,
      changed,
    }),
    itemIndexes: change.indexes,
  };
}

/** Lists the records that earlier tries have restored. `newId` differs from `id` if a record was created again. */
const listRestoredRecords = (results: Result[]) =>
  results.flatMap((result) => {
    if (isFailure(result)) return [];
    const { _tableId, _restores, id } = result.json;
    return { tableId: String(_tableId), id: String(_restores ?? id), newId: String(id) };
  });

function toUndoResult(item: Item, result: UndoStepResult, progress: string): Result {
  const { step, error } = result;
  if (error === undefined) return formatStepResult(item, result, false);
  const { id } = step.change;
  const explained = explainChangeError(error, progress, { id });
  return { error: explained, itemIndexes: step.change.indexes, isFinal: isRepeatUnsafe(error) };
}

async function runUndo(items: Items, mode: RunMode, earlier: Result[]): Promise<Result[]> {
  ensureWholeInput(
    items,
    'Undo',
    'Maximum Deletions counts in one run, and the order of the changes needs all of them',
  );
  const first = items.get(0);
  const { client, timeZone } = first;
  const isDry = first.read(dryRunParameter);
  const changes = await addTableToChanges(first, readInputChanges(items));
  const tableIds = uniq(changes.map(({ table }) => table.id)).sort();
  return runInTableQueue(client, tableIds, async () => {
    const plan = await planUndo({ client, timeZone }, changes, listRestoredRecords(earlier));
    const counts = countBy(
      plan.steps.filter(({ action }) => action === 'delete'),
      ({ change }) => change.table.id,
    );
    for (const [id, count] of Object.entries(counts)) await checkDeletionLimit(first, id, count, isDry);
    if (isDry) return plan.steps.map((step) => formatStepResult(first, toPlannedResult(step), true));
    const wanted = plan.steps.filter(({ action }) => action !== 'leave').length;
    const done = await applyUndo({ client, timeZone }, plan, mode);
    const progress = describeProgress(mode, done, wanted);
    return done.map((result) => toUndoResult(first, result, progress));
  });
}

export const undo: Operation = {
  name: 'undo',
  displayName: 'Undo',
  action: 'Undo record changes',
  description:
    'Set records back: takes the output items of a run that changed them, and leaves what changed since',
  writes: true,
  parameters: [
    { ...tableLocator, hint: 'Undoes what the previous node did. Deleted records get new IDs.' },
    ...hideUntilPicked('dataTableId', [dryRunParameter]),
    simplifyRecordsParameter,
    createOptions(maximumDeletionsOption),
  ],
  runAll: (items, mode) => runNextTry(mode, (earlier) => runUndo(items, mode, earlier)),
};
