import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { applyDefaultsOption } from '../../../../shared/kit/columns/writeOptions';
import type { Item } from '../../../../shared/kit/operation/item';
import { runSteps } from '../../../../shared/kit/operation/loop/runSteps';
import {
  isFailure,
  type Output,
  type Result,
  type RunMode,
} from '../../../../shared/kit/operation/operation';
import type { SyncUpdate } from '../../../../shared/kit/sync/planSync';
import type { Table } from '../../../../shared/model/records/table';
import { findWithPauses } from '../../../../shared/transport/concurrency/findWithPauses';
import { ApiError } from '../../../../shared/transport/errors/apiError';
import { deleteRecords } from '../delete/deleteRecords';
import { readAllRecords } from '../read/readAllRecords';
import { buildMatchFilter, matchesKey } from '../upsert/matchKey';
import { createRecord } from '../write/create';
import { explainPartialRun } from '../write/explainPartialRun';
import { toRecordOutputs, withAction } from '../write/recordOutputs';
import { updateRecord } from '../write/update';
import type { KeyedInput, KeyedPlan } from './readInputs';

type Write = { create: KeyedInput } | { update: SyncUpdate };

/** Looks for the record of a create whose answer was lost. @throws the original error when no record is found */
async function findAfterLostAnswer(item: Item, table: Table, { matchKey }: KeyedInput, error: unknown) {
  if (!(error instanceof ApiError) || !error.isOutcomeUnknown) throw error;
  const query = { tableId: table.id, filters: buildMatchFilter([matchKey]) };
  const find = () =>
    readAllRecords(item.client, query).then(
      (records) => records.find((one) => matchesKey(one, matchKey)),
      () => undefined,
    );
  const record = await findWithPauses(find, item.cancelSignal);
  if (!record) throw error;
  return { item: record };
}

async function createOne(item: Item, table: Table, input: KeyedInput): Promise<Output[]> {
  const withDefaults = item.readOption(applyDefaultsOption);
  const entries = withDefaults ? await readRecordEntries(item, table, { withDefaults }) : input.entries;
  const body = await createRecord(item, entries).catch((error: unknown) =>
    findAfterLostAnswer(item, table, input, error),
  );
  return withAction(toRecordOutputs(body), 'created');
}

async function updateOne(item: Item, table: Table, { record, entries }: SyncUpdate): Promise<Output[]> {
  const body = await updateRecord(item, table, record.id, entries);
  return withAction(toRecordOutputs(body, { id: record.id }), 'updated');
}

/** Lists the creates and updates in the order of the input items. */
function listWrites(
  items: Item[],
  { creates, updates }: KeyedPlan,
): Array<{ index: number; item: Item; write: Write }> {
  const writes = [
    ...creates.map((create) => ({ index: create.index, write: { create } })),
    ...updates.map((update) => ({ index: update.index, write: { update } })),
  ];
  return sortBy(writes, 'index').flatMap(({ index, write }) => {
    const item = items[index];
    return item ? [{ index, item, write }] : [];
  });
}

/** Creates and updates records, several at once. */
async function writeRecords(
  items: [Item, ...Item[]],
  mode: RunMode,
  table: Table,
  plan: KeyedPlan,
): Promise<Result[]> {
  const writes = listWrites(items, plan);
  const results = await runSteps(items[0].client, mode, writes, ({ item, write }) =>
    'create' in write ? createOne(item, table, write.create) : updateOne(item, table, write.update),
  );
  const total = writes.length + plan.deletes.length;
  const doneCount = results.filter(({ value }) => value).length;
  const progress = `${doneCount} of ${total} changes were made. A repeated run makes the others.`;
  return results.flatMap(({ step, value = [], error }): Result[] => {
    const itemIndexes = [step.index];
    if (error === undefined) return value.map((output) => ({ ...output, itemIndexes }));
    return [{ error: mode.continuesOnFail ? error : explainPartialRun(error, progress), itemIndexes }];
  });
}

/**
 * Makes the changes of a plan. Records are deleted last, and only when all other changes were made: otherwise a record
 * could be gone before the one that replaces it exists.
 */
export async function applyPlan(
  items: [Item, ...Item[]],
  mode: RunMode,
  table: Table,
  plan: KeyedPlan,
): Promise<Result[]> {
  const [{ client }] = items;
  const results = await writeRecords(items, mode, table, plan);
  if (!results.some(isFailure)) {
    const deletions = await deleteRecords(client, mode, table.id, plan.deletes);
    return [...results, ...deletions.map((result) => ({ ...result, itemIndexes: [] }))];
  }
  if (plan.deletes.length > 0) {
    client.notices.addHint(
      `${plan.deletes.length} records were not deleted, because other changes failed. A repeated run deletes them.`,
    );
  }
  return results;
}

/** Lists the changes of a plan as outputs, with what would be written. */
export function listPlannedChanges(plan: KeyedPlan): Output[] {
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
