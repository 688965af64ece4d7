import { chunk } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../../client';
import { findAfterLostResponse } from '../../../client/concurrency/wait';
import { ApiError, isRefusedValue, isUnknownStart } from '../../../client/errors/apiError';
import type { Table } from '../../../client/fields/table';
import { InputError } from '../../../client/input/inputError';
import {
  KEYS_PER_REQUEST,
  buildMatchFilter,
  createMatchKey,
  matchesKey,
} from '../../../client/records/upsert';
import type { ServiceRecord } from '../../../client/responses/schemas';
import type { SyncInput, SyncOrder, SyncUpdate, SyncWrite } from '../../../client/sync/planSync';
import type { OrderedSyncPlan } from '../../../client/sync/syncTable';
import { listChangedEntries } from '../../../client/update/currentValues';
import { runInRecordTurn } from '../../../client/update/writeRecord';
import { applyDefaultsOption } from '../../../n8n/columns/columnForm';
import { readRecordEntries } from '../../../n8n/columns/recordEntries';
import type { Item, Items } from '../../../n8n/operation/item';
import { type Output, type Result, type RunMode, isFailure } from '../../../n8n/operation/operation';
import { type StepResult, addEffects, runSteps } from '../../../n8n/operation/resume';
import { createItemRecord } from './create';
import { RESTORE, type Recheck, deleteRecords } from './deleteRecords';
import { DoubledKeyError, KeyLookup, readMatchColumns } from './matchColumns';
import { explainPartialRun, keepOldRecords, toRecordOutputs, withAction } from './recordOutputs';
import { updateItemRecord } from './update';

const STUCK_REMEDY =
  'Each of these changes needs another one of them to be made first. Run Sync with other values in this column first, and then with these.';

const getIndex = (write: SyncWrite): number => ('create' in write ? write.create.index : write.update.index);

async function createOne(item: Item, table: Table, input: SyncInput): Promise<Output[]> {
  const withDefaults = item.readOption(applyDefaultsOption);
  const isPayload = !withDefaults && !input.hasMissing;
  const entries = isPayload ? input.entries : await readRecordEntries(item, table, { withDefaults });
  const find = async () => {
    const matchKey = createMatchKey(readMatchColumns(item, table), entries, table);
    const query = { tableId: table.id, filters: buildMatchFilter([matchKey]) };
    return (await item.client.records.readAll(query)).find((record) => matchesKey(record, matchKey));
  };
  const body = await createItemRecord(item, entries).catch(async (error: unknown) => ({
    item: await findAfterLostResponse(error, find, item.client),
  }));
  return withAction(toRecordOutputs(body), 'created');
}

/** Returns the changed entries. Creates the connected records that are missing. */
async function completeEntries(item: Item, table: Table, { entries, hasMissing }: SyncUpdate) {
  if (!hasMissing) return entries;
  const changed = new Set(entries.map(([key]) => key));
  return (await readRecordEntries(item, table)).filter(([key]) => changed.has(key));
}

async function updateOne(item: Item, table: Table, update: SyncUpdate, readAt: number): Promise<Output[]> {
  const { record } = update;
  const entries = await completeEntries(item, table, update);
  const { id } = record;
  const before = { record, readAt };
  const { action, body } = await runInRecordTurn(item.client, table, id, () =>
    updateItemRecord(item, table, id, { entries, before }),
  );
  return withAction(toRecordOutputs(body, { id }), action);
}

/** Makes the changes of one plan, and counts them. */
class PlanRun {
  results: Result[] = [];
  private createdCount = 0;
  private updatedCount = 0;
  private deleted: ServiceRecord[] = [];
  /** Undefined when the service itself keeps the keys unique. */
  private readonly keyLookup: KeyLookup | undefined;

  constructor(
    private readonly items: Items,
    private readonly mode: RunMode,
    private readonly table: Table,
    private readonly total: number,
    /** When the records of the plan were requested, in milliseconds of the process clock. */
    private readonly readAt: number,
  ) {
    this.keyLookup = KeyLookup.open(items, table);
  }

  private get client(): Client {
    return this.items.get(0).client;
  }

  get hasFailed(): boolean {
    return this.results.some(isFailure);
  }

  /** Reports the writes for which there is no order. */
  refuse({ stuck, stuckReason }: SyncOrder): void {
    if (stuckReason === undefined) return;
    const error = new InputError(stuckReason, `These items were not written. ${STUCK_REMEDY}`);
    this.results = this.results.concat(stuck.map((write) => ({ error, itemIndexes: [getIndex(write)] })));
  }

  /** Creates and updates records, several at once. Without Continue On Fail, a failure ends the later ones. */
  async write(rounds: SyncWrite[][]): Promise<void> {
    for (const round of rounds) {
      const isChecked = this.keyLookup !== undefined && round.some((write) => 'create' in write);
      for (const batch of isChecked ? chunk(round, KEYS_PER_REQUEST) : [round]) {
        if (this.hasFailed && !this.mode.continuesOnFail) return;
        await this.writeBatch(batch);
      }
    }
  }

  private async writeBatch(writes: SyncWrite[]): Promise<void> {
    const { mode, table } = this;
    const steps = writes.map((write) => ({ item: this.items.get(getIndex(write)), write }));
    const found = await this.findExisting(writes);
    const results = await runSteps(this.client, mode, steps, ({ item, write }) =>
      'create' in write
        ? this.createUnlessFound(item, write.create, found)
        : updateOne(item, table, write.update, this.readAt),
    );
    const outputs = results.flatMap(({ value = [] }) => value);
    this.createdCount += outputs.filter(({ json }) => json._action === 'created').length;
    this.updatedCount += outputs.filter(({ json }) => json._action === 'updated').length;
    await this.findDoubled(results);
    const added = results.flatMap(({ step, value = [], error: thrown }): Result[] => {
      const itemIndexes = [step.item.index];
      if (thrown === undefined) return value.map((output) => ({ ...output, itemIndexes }));
      const error = addEffects(thrown, step.item);
      const isFinal = isUnknownStart(thrown);
      if (mode.continuesOnFail) return [{ error, itemIndexes, isFinal }];
      const explained = explainPartialRun(error, this.describeProgress(thrown));
      return [{ error: keepOldRecords(explained, this.deleted, RESTORE), itemIndexes, isFinal }];
    });
    this.results = this.results.concat(added);
  }

  /** Looks up the keys of the creates once more. A failed look-up fails each of them. */
  private async findExisting(writes: SyncWrite[]): Promise<((input: SyncInput) => ServiceRecord[]) | Error> {
    const creates = writes.flatMap((write) => ('create' in write ? write.create : []));
    if (!this.keyLookup || creates.length === 0) return () => [];
    return this.keyLookup.find(creates).catch((error: Error) => error);
  }

  /** Creates the record of an item. If another client created it after the plan was made, it is updated instead. */
  private async createUnlessFound(
    item: Item,
    input: SyncInput,
    found: ((input: SyncInput) => ServiceRecord[]) | Error,
  ): Promise<Output[]> {
    if (found instanceof Error) throw found;
    const records = found(input);
    const [record] = records;
    if (!record) return createOne(item, this.table, input);
    if (records.length > 1) {
      throw new DoubledKeyError(
        input,
        records.map(({ id }) => id),
      );
    }
    const seesAll = !this.client.credential.userLogin;
    const entries = listChangedEntries(this.table, record, input.entries, seesAll);
    // The record of another client is read again before it is written.
    return entries.length > 0 ? updateOne(item, this.table, { ...input, record, entries }, -Infinity) : [];
  }

  /** Looks up the created keys, and makes the creates of those that several records have an error. */
  private async findDoubled(results: Array<StepResult<{ write: SyncWrite }, Output[]>>): Promise<void> {
    const created = results.flatMap((result) => {
      const isCreated = result.value?.[0]?.json._action === 'created';
      return isCreated && 'create' in result.step.write ? { result, input: result.step.write.create } : [];
    });
    if (!this.keyLookup || created.length === 0) return;
    const found = await this.keyLookup.find(created.map(({ input }) => input)).catch(() => undefined);
    if (!found) {
      this.client.notices.addHint(
        'Whether another client created the same keys at the same time could not be checked, because a look-up failed.',
      );
      return;
    }
    for (const { result, input } of created) {
      const own = result.value?.[0]?.json.id;
      const ids = new Set([...(typeof own === 'string' ? [own] : []), ...found(input).map(({ id }) => id)]);
      if (ids.size > 1) result.error = new DoubledKeyError(input, [...ids]);
    }
  }

  /** Deletes records. One that changed, so that it may no longer be deleted, is returned with `_action: kept`. */
  async delete(records: ServiceRecord[], recheck: Recheck): Promise<void> {
    const { results, deleted, kept } = await deleteRecords(this.client, this.mode, {
      tableId: this.table.id,
      records,
      recheck,
      describeProgress: (count, error) => this.describeProgress(error, count),
    });
    this.deleted = this.deleted.concat(deleted);
    const keptOutputs = kept.map((record) => ({ json: { ...record, _action: 'kept' } as IDataObject }));
    this.results = this.results.concat(
      [...results, ...keptOutputs].map((result) => ({ ...result, itemIndexes: [] })),
    );
  }

  /** @param deletedCount records that are not in `deleted` yet */
  private describeProgress(error: unknown, deletedCount = 0): string {
    const [created, updated, deleted] = [
      this.createdCount,
      this.updatedCount,
      this.deleted.length + deletedCount,
    ];
    const counts = `${created} records created, ${updated} updated, ${deleted} deleted`;
    // A service that refuses a value, or a key that lacks the permission, refuses the repeated run too.
    const isRefused =
      isRefusedValue(error) ||
      error instanceof DoubledKeyError ||
      (error instanceof ApiError && error.status === 403);
    const remedy = isRefused
      ? 'A repeated run is refused again until this is corrected. To make the other changes, set "On Error" in the node\'s settings.'
      : 'A repeated run makes the others.';
    return `${created + updated + deleted} of ${this.total} changes were made: ${counts}. ${remedy}`;
  }

  /** Reports the changes that are not made after a failure. */
  skip(deletes: ServiceRecord[], writes: SyncWrite[]): void {
    const error = new InputError(
      'Not written: a value of a unique column belongs to a record that was not deleted, because other changes failed',
      'Correct the changes that failed, and run Sync again.',
    );
    this.results = this.results.concat(writes.map((write) => ({ error, itemIndexes: [getIndex(write)] })));
    if (deletes.length === 0) return;
    this.client.notices.addHint(
      `${deletes.length} records were not deleted, because other changes failed. A repeated run deletes them.`,
    );
  }
}

/** A plan, and how its deletions are checked. */
export interface OrderedPlan extends OrderedSyncPlan {
  /** How the records to delete are read again just before their deletion. */
  recheck: Recheck;
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
