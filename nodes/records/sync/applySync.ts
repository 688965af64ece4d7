/**
 * Makes the changes of a sync. `applySync` writes in rounds, checks that no key is doubled, and deletes last. It
 * returns the result of each input and record.
 */
import { chunk, omit, uniq } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  InputError,
  isRefusedValue,
  MAX_PAGE_SIZE,
  runMany,
  type ServiceRecord,
  type StepResult,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import type { RecordValues } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { createMatcher } from '../reading/compareRecords';
import { findText, listConnections } from '../reading/connectedTexts';
import {
  KEYS_PER_REQUEST,
  createMatchKey,
  explainTakenKey,
  findByKey,
  findByKeys,
  findStoredKey,
} from '../reading/findByValues';
import { READ_AGAIN, canListByPost } from '../reading/readRecords';
import { describeWritten } from '../reading/writtenRecord';
import { createOnce, createRecord, isDuplicateError } from '../writing/createOnce';
import { listChangedEntries } from '../writing/currentValues';
import { type DeletionResult, type Recheck, deleteChecked } from '../writing/deleteRecords';
import { CHECKED_CREATES, type CreatedKey, type StoredKeyError, findOtherKeys } from '../writing/storedKeys';
import { type RecordUpdate, type UpdateResult, updateRecord } from '../writing/updateRecord';
import { verifyCreated } from '../writing/verifyWrite';
import type { SyncInput, SyncOrder, SyncUpdate, SyncWrite } from './planSync';
import {
  type OrderedSyncPlan,
  STUCK_REMEDY,
  createRecordKey,
  findInputKeys,
  formatRecordKey,
} from './syncTable';

/**
 * Makes the changes of a plan. The writes of one round are sent at the same time. No record is deleted after a failed
 * write: a record could be gone before the one that replaces it exists. Records are deleted last, except for those that
 * have a value of a unique field that a write needs. Each is read again just before its deletion.
 * @returns the result of each input and record that was to change. After a failure, records that are not deleted have no
 *   result. Unless the plan continues on a failure, neither have writes that were not started, except for those that need a
 *   deletion: they are reported as failed
 * @example
 * const plan = await planTableSync(client, { table, matchColumns: ['sku'], inputs });
 * const { results, progress } = await applySync(client, { plan, timeZone: 'UTC' });
 * progress; // '3 of 4 changes were made: 1 records created, 2 updated, 0 deleted.'
 * results.filter(({ action }) => action === 'failed'); // [{ action: 'failed', index: 4, error: ApiError, … }]
 * @throws nothing: a failure is in the result of its input or record
 */
export async function applySync(client: Client, options: SyncOptions): Promise<SyncOutcome> {
  const { deletes, order } = options.plan;
  const run = new SyncRun(client, options);
  run.reportStuck(order);
  await run.write(order.writes);
  if (run.hasFailed) {
    run.reportSkipped(deletes, order.writesAfterDeletes.flat());
    return run.describe();
  }
  await run.delete(order.freeingDeletes);
  await run.write(order.writesAfterDeletes);
  if (run.hasFailed) run.reportSkipped(order.otherDeletes, []);
  else await run.delete(order.otherDeletes);
  return run.describe();
}

/** An input whose record would be written. */
interface PlannedInput extends Pick<WrittenInput, 'index' | 'before' | 'changed'> {
  action: 'create' | 'update';
  /** A new record has no ID. A connected record that does not exist yet is `{ val: 'its name' }`. */
  record: RecordValues;
}

/**
 * Returns the records that the changes of a plan would write, as far as they are known: as `applySync` returns them.
 * @param completeNew adds what a new record gets besides the values of its input
 */
export function previewSync(
  client: Client,
  { table, creates, updates }: OrderedSyncPlan,
  completeNew: (input: SyncInput) => PayloadEntries,
): PlannedInput[] {
  const listSlugs = (entries: PayloadEntries) =>
    uniq(entries.map(([key]) => table.resolvePayloadField(key, 'Fields').field.slug));
  return [
    ...creates.map((input): PlannedInput => {
      const record = omit(describeWritten({ table, id: '', entries: completeNew(input) }), 'id');
      return { action: 'create', index: input.index, record: nameMissing(client, table, record, input) };
    }),
    ...updates.map((update): PlannedInput => {
      const { index, record: before, entries } = update;
      const record = nameMissing(
        client,
        table,
        describeWritten({ table, id: before.id, entries, before }),
        update,
      );
      return { action: 'update', index, record, before, changed: listSlugs(entries) };
    }),
  ];
}

/**
 * Replaces the names of connected records that do not exist yet, which stand among IDs. They are looked for in the entries: in
 * the record, a name with a comma would be read as two IDs.
 */
function nameMissing(
  client: Client,
  table: Table,
  record: RecordValues,
  { entries, missing }: Pick<SyncInput, 'entries' | 'missing'>,
): RecordValues {
  if (!missing) return record;
  const values = new Map(entries);
  const named = listConnections(table).flatMap(({ field: { slug }, connection }) => {
    const ids = [values.get(slug) ?? []].flat().map(String);
    if (!ids.some((id) => missing.includes(id))) return [];
    const shown = ids.map((id) =>
      missing.includes(id) ? { val: id } : { id, val: findText(client, connection, id) },
    );
    return [[slug, shown]];
  });
  return { ...record, ...Object.fromEntries(named) };
}

/** An input whose record was written. */
interface WrittenInput extends Pick<UpdateResult, 'before' | 'changed'> {
  action: UpdateResult['action'] | 'created';
  index: number;
  record: ServiceRecord;
}

/**
 * What became of an input or a record. An input whose record has its values already has no result. `record` is the one
 * that was written, as far as it is known, or the one that was to be deleted.
 */
type SyncResult = WrittenInput | Exclude<DeletionResult, { action: 'failed' }> | SyncFailure;

interface SyncFailure {
  action: 'failed';
  index?: number;
  record?: ServiceRecord;
  error: unknown;
  /** Whether a repeated run fails in the same way: the service refuses a value, or a key that lacks the permission. */
  isPermanent: boolean;
}

interface SyncOutcome {
  results: SyncResult[];
  /** Changes that the service made. A create that is reported as failed counts if the record exists. */
  counts: Record<'created' | 'updated' | 'deleted', number>;
  /** How far the run came, as a sentence. */
  progress: string;
}

/** `index` is the one of the input in the plan. */
interface SyncOptions {
  plan: OrderedSyncPlan;
  /** IANA name of the zone of dates in the values. */
  timeZone: string;
  /**
   * Completes the values of a change just before it is written, for example creates connected records that are missing.
   * By default, the values of the plan are sent.
   */
  complete?(change: SyncInput | SyncUpdate, action: 'create' | 'update'): Promise<PayloadEntries>;
  /** Sends the create, for example with a link to a parent. */
  create?(entries: PayloadEntries, index: number): Promise<CreatedRecord>;
  /** Sends the update, for example with headers. */
  update?(update: RecordUpdate, index: number): Promise<UpdateResult>;
}

/** Several records have the key of an input. Each later sync of the table fails until one of them is left. */
class DoubledKeyError extends ApiError {
  constructor({ key }: SyncInput, ids: string[]) {
    super({
      message: `Several records match ${key}: ${ids.join(', ')}`,
      description:
        'Another client, or a Sync of another n8n process, created a record with these values at the same time. Delete all of these records but one. A field to match on that is unique in the service prevents this.',
    });
    this.name = 'DoubledKeyError';
  }
}

const createFailure = (failed: Omit<SyncFailure, 'action' | 'isPermanent'>): SyncFailure => {
  const { error } = failed;
  const isPermanent =
    isRefusedValue(error) ||
    error instanceof DoubledKeyError ||
    (error instanceof ApiError && error.status === 403);
  return { ...failed, action: 'failed', isPermanent };
};

/** Finds the records that have the key of an input, in what was looked up before. */
type FindRecords = (input: SyncInput) => ServiceRecord[];

const getIndex = (write: SyncWrite): number => ('create' in write ? write.create.index : write.update.index);

/** Makes the changes of one plan, and counts them. */
class SyncRun {
  results: SyncResult[] = [];
  readonly counts = { created: 0, updated: 0, deleted: 0 };
  private readonly continuesOnFail: boolean;
  /** The records that the last batch has created, by the index of the input. */
  private created = new Map<number, CreatedKey>();
  private createdCount = 0;
  /** Why no further record is written. */
  private stopped?: StoredKeyError;

  constructor(
    private readonly client: Client,
    private readonly options: SyncOptions,
  ) {
    this.continuesOnFail = options.plan.continuesOnFail ?? false;
  }

  private get plan(): OrderedSyncPlan {
    return this.options.plan;
  }

  describe(): SyncOutcome {
    const { results, counts, plan } = this;
    const { created, updated, deleted } = counts;
    const total = plan.creates.length + plan.updates.length + plan.deletes.length;
    const progress = `${created + updated + deleted} of ${total} changes were made: ${created} records created, ${updated} updated, ${deleted} deleted.`;
    return { results, counts, progress };
  }

  get hasFailed(): boolean {
    return this.results.some(({ action }) => action === 'failed');
  }

  /** Whether another client can create a second record with a key: the service keeps no column of the key unique. */
  private get mayBeDoubled(): boolean {
    return !this.plan.columns.some(({ field, part }) => field.unique && !part);
  }

  private reportFailed(writes: SyncWrite[], error: Error): void {
    this.results = this.results.concat(
      writes.map((write) => createFailure({ index: getIndex(write), error })),
    );
  }

  /** Reports the writes that cannot be ordered. */
  reportStuck({ stuck, stuckReason }: SyncOrder): void {
    if (stuckReason === undefined) return;
    this.reportFailed(stuck, new InputError(stuckReason, `These items were not written. ${STUCK_REMEDY}`));
  }

  /** Creates and updates records, several at once. After a failure no further one starts, unless `continuesOnFail`. */
  async write(rounds: SyncWrite[][]): Promise<void> {
    for (const round of rounds) {
      const isChecked = round.some((write) => 'create' in write);
      for (const batch of isChecked ? chunk(round, KEYS_PER_REQUEST) : [round]) {
        if (this.hasFailed && !this.continuesOnFail) return;
        if (this.stopped) this.reportFailed(batch, this.stopped.forOthers());
        else await this.writeBatch(batch);
      }
    }
  }

  private async writeBatch(writes: SyncWrite[]): Promise<void> {
    const found = await this.findExisting(writes);
    const { concurrency, notices } = this.client;
    const ids = writes.flatMap((write) => ('update' in write ? write.update.record.id : []));
    this.created = new Map();
    const results = await runMany(
      writes,
      {
        concurrency,
        continuesOnFail: this.continuesOnFail,
        onEnd: (count) => notices.reportProgress(() => `${count} of ${writes.length} records done`),
      },
      (write) =>
        'create' in write
          ? this.createUnlessFound(write.create, found)
          : this.update(write.update, this.plan.readAt, ids),
    );
    await this.checkCreated(results);
    const added = results.flatMap(({ step, value, error }): SyncResult[] => {
      if (error !== undefined) return [createFailure({ index: getIndex(step), error })];
      return value ? [value] : [];
    });
    this.results = this.results.concat(added);
  }

  /**
   * Looks up the keys of at most 50 inputs with one request. It is called before their creates and after them, because
   * another client, or a Sync of another process, may create the same keys at the same time: the one that creates a key
   * last then finds both records. A key counts as not found if the service refuses to look it up, or if it may contain the
   * name of a connected record that does not exist yet.
   */
  private async findKeys(inputs: SyncInput[]): Promise<FindRecords> {
    const { table, matchColumns } = this.plan;
    const createKey = ({ entries }: SyncInput) => createMatchKey(matchColumns, entries, table);
    const keys = inputs.filter(({ missing }) => !missing).map(createKey);
    const answers = await findInputKeys(this.client, table, keys);
    return (input) => (input.missing ? [] : (answers?.get(createKey(input).text)?.records ?? []));
  }

  /** Looks up the keys of the creates again. If that fails, each of these creates fails with its error. */
  private async findExisting(writes: SyncWrite[]): Promise<FindRecords | Error> {
    const creates = writes.flatMap((write) => ('create' in write ? write.create : []));
    if (!this.mayBeDoubled) return () => [];
    return this.findKeys(creates).catch((error: Error) => error);
  }

  /** Creates the record of an input. If another client created it after the plan was made, it is updated instead. */
  private async createUnlessFound(
    input: SyncInput,
    found: FindRecords | Error,
  ): Promise<WrittenInput | undefined> {
    if (found instanceof Error) throw found;
    const records = found(input);
    const [record] = records;
    if (!record) return this.create(input);
    if (records.length > 1) {
      throw new DoubledKeyError(
        input,
        records.map(({ id }) => id),
      );
    }
    const seesAll = !this.client.credential.hasUserLogin;
    const entries = listChangedEntries(this.plan.table, record, input.entries, seesAll);
    // The other client may still be changing the record.
    return entries.length > 0 ? this.update({ ...input, record, entries }, READ_AGAIN) : undefined;
  }

  private async create(input: SyncInput): Promise<WrittenInput> {
    const { client, options } = this;
    const { table, matchColumns } = this.plan;
    const { index } = input;
    const entries = (await options.complete?.(input, 'create')) ?? input.entries;
    const key = createMatchKey(matchColumns, entries, table);
    const slugs = key.matches.map(({ ref }) => ref.field.slug);
    const { body } = await createOnce(client, {
      send: () => options.create?.(entries, index) ?? createRecord(client, { table, entries }),
      find: async () => (await findByKey(client, table, key))[0],
    }).catch(async (error: unknown) => {
      const isTaken = error instanceof ApiError && isDuplicateError(error, slugs);
      throw asThrown(isTaken ? await explainTakenKey(client, table, key, error) : error);
    });
    this.counts.created++;
    this.created.set(index, { table, key, id: body.id, shown: body.item });
    const record = await verifyCreated(client, table, entries, body);
    return { action: 'created', index, record };
  }

  /**
   * @param readAt when the record was read: see `DatedRecord`
   * @param ids the records that are updated with it: after a minute they are read again
   */
  private async update(update: SyncUpdate, readAt: number, ids?: string[]): Promise<WrittenInput> {
    const { client, options } = this;
    const { table } = this.plan;
    const { index, record } = update;
    const entries = (await options.complete?.(update, 'update')) ?? update.entries;
    const { id } = record;
    const details: RecordUpdate = {
      timeZone: options.timeZone,
      table,
      recordId: id,
      entries,
      before: { record, readAt },
      ...(ids && { listNextIds: () => ids }),
    };
    const result = await (options.update?.(details, index) ?? updateRecord(client, details));
    if (result.action === 'updated') this.counts.updated++;
    return { ...result, index };
  }

  /** Checks the records that a batch has created: each must have its key, and be the only one with it. */
  private async checkCreated(results: Array<StepResult<SyncWrite, WrittenInput>>): Promise<void> {
    if (this.mayBeDoubled) await this.reportDoubled(results);
    const { client } = this;
    const created = results.flatMap((result) => {
      const key = this.created.get(getIndex(result.step));
      return key && result.error === undefined ? [{ result, key }] : [];
    });
    const number = this.createdCount;
    this.createdCount += created.length;
    // Where only GET is left, each look-up has one key.
    const isChecked = ({ shown, key }: CreatedKey, index: number) =>
      shown !== undefined ||
      canListByPost(client) ||
      number + index < CHECKED_CREATES ||
      findStoredKey(key) !== undefined;
    const checked = created.filter(({ key }, index) => isChecked(key, index));
    const errors = await findOtherKeys(
      client,
      checked.map(({ key }) => key),
    );
    for (const [index, { result }] of checked.entries()) {
      result.error = errors[index];
      this.stopped ??= errors[index];
    }
  }

  /** Looks up the created keys. If several records have a key, its create gets an error. */
  private async reportDoubled(results: Array<StepResult<SyncWrite, WrittenInput>>): Promise<void> {
    const created = results.flatMap((result) =>
      'create' in result.step && result.value?.action === 'created'
        ? { result, input: result.step.create, id: result.value.record.id }
        : [],
    );
    const found = await this.findKeys(created.map(({ input }) => input)).catch(() => undefined);
    if (!found) {
      this.client.notices.addHint(
        'Whether another client created the same records at the same time could not be checked, because a look-up failed.',
      );
      return;
    }
    for (const { result, input, id } of created) {
      const records = found(input);
      const ids = new Set([id, ...records.map((record) => record.id)]);
      if (ids.size > 1) result.error = new DoubledKeyError(input, [...ids]);
      // The record was found by its key, so it has the key.
      else if (records.length > 0) this.created.delete(input.index);
    }
  }

  /** Deletes records. One that changed, so that it may no longer be deleted, is kept. */
  async delete(records: ServiceRecord[]): Promise<void> {
    const results = await deleteChecked(this.client, {
      tableId: this.plan.table.id,
      records,
      recheck: createRecheck(this.client, this.plan),
      continuesOnFail: this.continuesOnFail,
    });
    this.counts.deleted += results.filter(({ action }) => action === 'deleted').length;
    this.results = this.results.concat(
      results.map((result) => (result.action === 'failed' ? createFailure(result) : result)),
    );
  }

  /**
   * Reports the changes that are not made because others failed. Writes get an error in any case. Deletions are named in a hint.
   */
  reportSkipped(deletes: ServiceRecord[], writes: SyncWrite[]): void {
    this.reportFailed(
      writes,
      new InputError(
        'Not written: a value of a unique field belongs to a record that was not deleted, because other changes failed',
        'Correct the changes that failed, and run Sync again.',
      ),
    );
    if (deletes.length === 0) return;
    this.client.notices.addHint(
      `${deletes.length} records were not deleted, because other changes failed. A repeated run deletes them.`,
    );
  }
}

/**
 * Creates the check of a deletion: the record must still match the filter, and no input may have its key. The records are
 * read by their keys.
 */
function createRecheck(client: Client, { table, inputs, filters, columns }: OrderedSyncPlan): Recheck {
  const inputKeys = new Set<string | undefined>(inputs.map(({ key }) => key));
  const matches = filters ? createMatcher(client, filters, table) : () => true;
  return {
    async read(records) {
      const keys = records.flatMap((record) => createRecordKey(record, columns) ?? []);
      // The limit is one page. `deleteRecords` reads those that are missing by ID, and all of them if
      // the service refuses a key.
      const answers = await findByKeys(client, table, keys, MAX_PAGE_SIZE).catch((error: unknown) => {
        if (isRefusedValue(error)) return undefined;
        throw asThrown(error);
      });
      return [...(answers?.values() ?? [])].flatMap((answer) => answer.records);
    },
    mayDelete: (record) => matches(record) && !inputKeys.has(formatRecordKey(record, columns)),
    reason: filters ? 'no longer match the filter, or match an item now' : 'match an item now',
  };
}
