/** Makes the changes of a sync. */
import { chunk, omit, sortBy, uniqueId } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  MAX_PAGE_SIZE,
  rewordError,
  mapSteps,
  runSteps,
  type ServiceRecord,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import { areEqual, getFieldOrPartValue, type RecordValues } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { createRecordMatcher } from '../reading/compareRecords';
import { findConnectedText } from '../reading/connectedTexts';
import { MAX_KEYS_PER_REQUEST } from '../reading/keyFilter';
import { getReader, type KeyBatch, ALWAYS_OUTDATED } from '../reading/recordReader';
import { buildWrittenRecord } from '../reading/writtenRecord';
import {
  type CreateResult,
  createRecord,
  isDuplicateError,
  type RecordCreation,
} from '../writing/createRecord';
import { describeChange, listChangedEntries } from '../writing/currentValues';
import { type DeletionResult, type DeletionRecheck, recheckAndDelete } from '../writing/deleteRecords';
import { type RecordUpdate, type UpdateResult, updateRecord } from '../writing/updateRecord';
import { upsertRecord } from '../writing/upsert';
import type { SyncInput, SyncUpdate } from './planSync';
import { readRecordKey, type TableSyncPlan } from './syncTable';

/**
 * Makes the writes of a plan, and then the deletions. If another record has the value of a unique field, the service
 * refuses a write. Such a write is sent again after the other writes, and once more after the deletions if one of them
 * frees the value. If any other write failed, no record is deleted: the record that replaces it may be missing.
 * @returns a result for each change of the plan. A change that was not started because of a failure has no result
 * @example
 * const plan = await planTableSync(client, { table, columns: [table.requireWritableRef('sku', 'Key')], inputs });
 * const results = await applySync(client, { plan, timeZone: 'UTC' });
 * results.filter(({ action }) => action === 'failed'); // [{ action: 'failed', index: 4, error: ApiError, … }]
 * @throws nothing: a failure is in the result of its input or record
 */
export async function applySync(client: Client, options: SyncOptions): Promise<SyncResult[]> {
  const { plan } = options;
  const run = new SyncRun(client, options);
  await run.sendWrites(sortBy([...plan.creates, ...plan.updates], 'index'));
  await run.sendWrites(run.listRefusedWrites());
  const isFreed = createFreedValueCheck(plan);
  if (!run.hasFailed && run.listRefusedWrites().every(isFreed)) {
    await run.deleteRecords();
    if (!run.hasFailed) await run.sendWrites(run.listRefusedWrites());
  } else run.reportKeptRecords();
  return run.listResults();
}

/** Checks whether a deletion of the plan frees a unique value that a write needs. */
function createFreedValueCheck({ table, deletes }: TableSyncPlan): (write: SyncWrite) => boolean {
  return ({ entries }) =>
    entries.some(([key, value]) => {
      const ref = table.requireWritableRef(key, 'Fields');
      const isSame = (record: ServiceRecord) => areEqual(getFieldOrPartValue(record, ref), value, ref.field);
      return ref.field.unique && deletes.some(isSame);
    });
}

interface PreviewResult extends Pick<WriteResult, 'index' | 'before' | 'changed'> {
  action: 'create' | 'update';
  /** The record as it would be written. A connected record that does not exist yet is `{ val: 'its name' }`. */
  record: RecordValues;
}

/** Returns the writes of a plan without sending them. `completeNew` adds values of new records, such as defaults. */
export async function previewSync(
  client: Client,
  { table, creates, updates }: TableSyncPlan,
  completeNew: (input: SyncInput) => Promise<PayloadEntries>,
): Promise<PreviewResult[]> {
  const created = await mapSteps(creates, client.concurrency, async (input): Promise<PreviewResult> => {
    const record = omit(buildWrittenRecord({ table, id: '', entries: await completeNew(input) }), 'id');
    return { action: 'create', index: input.index, record: nameMissingRecords(client, table, record, input) };
  });
  return [
    ...created,
    ...updates.map((update): PreviewResult => {
      const change = describeChange(table, update.record, update.entries);
      const record = nameMissingRecords(client, table, change.record, update);
      return { ...change, action: 'update', index: update.index, record };
    }),
  ];
}

/** A record to create becomes `{ val: name }`. The names come from `entries`: in `record`, they are split at commas. */
function nameMissingRecords(
  client: Client,
  table: Table,
  record: RecordValues,
  { entries, missing }: Pick<SyncInput, 'entries' | 'missing'>,
): RecordValues {
  if (!missing) return record;
  const values = new Map(entries.map(([key, value]) => [key, value]));
  const named = table.connections.flatMap(({ field: { slug }, connection }) => {
    const ids = [values.get(slug) ?? []].flat().map(String);
    if (!ids.some((id) => missing.includes(id))) return [];
    const shown = ids.map((id) =>
      missing.includes(id) ? { val: id } : { id, val: findConnectedText(client, connection, id) },
    );
    return [[slug, shown]];
  });
  return { ...record, ...Object.fromEntries(named) };
}

interface WriteResult extends Pick<UpdateResult, 'before' | 'changed'> {
  action: UpdateResult['action'] | 'created';
  index: number;
  record: ServiceRecord;
}

/** An input has no result if its record already has the values of the input. */
type SyncResult = WriteResult | DeletionResult | WriteFailure;

interface WriteFailure {
  action: 'failed';
  index: number;
  error: unknown;
  /** Whether the write failed because another record has the same value in a unique field. */
  isRefused?: boolean;
}

interface SyncOptions {
  plan: TableSyncPlan;
  timeZone: string;
  /** Whether other writes are made after a failed one. */
  continuesOnFail?: boolean;
  /** Completes the values just before the write, and creates missing connected records. By default, adds nothing. */
  complete?(write: SyncWrite): Promise<PayloadEntries>;
  /** Creates the record of the input with this index. It may add a link to a parent, for example. */
  create?(creation: RecordCreation, index: number): Promise<CreateResult>;
  /** Sends the update of the input with this index. It may add headers, for example. */
  update?(update: RecordUpdate, index: number): Promise<UpdateResult>;
}

const createDuplicateKeyError = ({ key }: SyncInput, ids: string[]) =>
  new ApiError({
    message: `Several records match ${key.text}: ${ids.join(', ')}`,
    description:
      'Other clients created them after Sync had read the table. Delete all of these records but one. A field to match on that is unique in the service prevents this.',
    sentCount: 0,
  });

type SyncWrite = SyncInput | SyncUpdate;

const EXCHANGED_VALUES_REMEDY =
  'If records exchange values of a unique field, run Sync with other values in this field first, and then with these.';

class SyncRun {
  private readonly writeResults = new Map<SyncWrite, WriteResult | WriteFailure>();
  private deletions: DeletionResult[] = [];
  /** Whether a write or a deletion has failed. Refused writes do not count, because they may succeed later. */
  hasFailed = false;

  constructor(
    private readonly client: Client,
    private readonly options: SyncOptions,
  ) {}

  /** Lists refused writes last, because another failure may be their cause. */
  listResults(): SyncResult[] {
    return sortBy([...this.writeResults.values(), ...this.deletions], (result) => 'isRefused' in result);
  }

  listRefusedWrites(): SyncWrite[] {
    return [...this.writeResults].flatMap(([write, result]) => ('isRefused' in result ? write : []));
  }

  /** Without `continuesOnFail`, no write starts after a failure. */
  async sendWrites(writes: SyncWrite[]): Promise<void> {
    const { concurrency, notices } = this.client;
    const { continuesOnFail } = this.options;
    if (this.hasFailed && !continuesOnFail) return;
    const ids = writes.flatMap((write) => ('record' in write ? write.record.id : []));
    const steps = chunk(writes, MAX_KEYS_PER_REQUEST).flatMap((part) => {
      const batch = this.createKeyBatch(part);
      return part.map((write) => ({ write, batch }));
    });
    const onEnd = (count: number) =>
      notices.reportProgress(() => `${count} of ${writes.length} records done`);
    const results = await runSteps(steps, { concurrency, continuesOnFail, onEnd }, ({ write, batch }) =>
      this.sendWrite(write, batch, ids).catch((error: unknown) => this.createRefusedResult(write, error)),
    );
    for (const { step, value, error } of results) {
      const { write } = step;
      // A write that is sent again moves to the end, because Undo starts with the last write.
      this.writeResults.delete(write);
      if (error !== undefined) this.writeResults.set(write, { action: 'failed', index: write.index, error });
      else if (value) this.writeResults.set(write, value);
      this.hasFailed ||= error !== undefined;
    }
  }

  /** The keys are looked up just before the first create: another client may have created records since the plan. */
  private createKeyBatch(writes: SyncWrite[]): KeyBatch {
    return {
      name: uniqueId('sync'),
      listKeys: async () => {
        const keys = writes.flatMap((write) => ('record' in write ? [] : [write.key]));
        // An error is ignored here, because the create of each record reports it.
        getReader(this.client, this.options.plan.table)
          .findByKeys(keys, { isFresh: true })
          .catch(() => undefined);
        return keys;
      },
    };
  }

  private createRefusedResult({ index }: SyncWrite, error: unknown): WriteFailure {
    const slugs = this.options.plan.table.fields.flatMap(({ unique, slug }) => (unique ? slug : []));
    if (!isDuplicateError(error, slugs)) throw asThrown(error);
    const explained = rewordError(error, ({ description }) => ({
      description: `${description} ${EXCHANGED_VALUES_REMEDY}`,
    }));
    return { action: 'failed', index, error: explained, isRefused: true };
  }

  private sendWrite(write: SyncWrite, batch: KeyBatch, ids: string[]): Promise<WriteResult | undefined> {
    if ('record' in write) return this.update(write, this.options.plan.readAt, ids);
    return this.createUnlessFound(write, batch);
  }

  /** Creates a record, or updates the record that another client has created since the plan was made. */
  private async createUnlessFound(input: SyncInput, batch: KeyBatch): Promise<WriteResult | undefined> {
    const { index, key, entries, missing } = input;
    const { table } = this.options.plan;
    const seesAll = !this.client.credential.hasUserLogin;
    const [written] = await upsertRecord<WriteResult | undefined>(this.client, async () => ({
      table,
      key,
      batch,
      prepare: async () => entries,
      select: (matches) => {
        if (matches.length === 1) return matches;
        throw createDuplicateKeyError(
          input,
          matches.map(({ id }) => id),
        );
      },
      update: async (id, { before: { record } = { record: { id } }, ...change }) => {
        const changed = listChangedEntries(table, record, change.entries, seesAll);
        // The other client may still be changing the record, so it is read again.
        return changed.length > 0
          ? this.update({ index, record, entries: changed, missing }, ALWAYS_OUTDATED)
          : undefined;
      },
      prepareNew: () => this.completeEntries(input),
      create: (creation) => this.sendCreate(creation, index),
    }));
    return written;
  }

  private async completeEntries(write: SyncWrite): Promise<PayloadEntries> {
    return (await this.options.complete?.(write)) ?? write.entries;
  }

  private async sendCreate(creation: RecordCreation, index: number): Promise<WriteResult> {
    const { client, options } = this;
    return { ...(await (options.create?.(creation, index) ?? createRecord(client, creation))), index };
  }

  /** @param ids all records that are updated: one request may read several of them */
  private async update(update: SyncUpdate, readAt: number, ids?: string[]): Promise<WriteResult> {
    const { client, options } = this;
    const { table } = this.options.plan;
    const { index, record } = update;
    const entries = await this.completeEntries(update);
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
    return { ...result, index };
  }

  async deleteRecords(): Promise<void> {
    const { plan, continuesOnFail } = this.options;
    this.deletions = await recheckAndDelete(this.client, {
      tableId: plan.table.id,
      records: plan.deletes,
      recheck: createRecheck(this.client, plan),
      continuesOnFail,
    });
    this.hasFailed = this.deletions.some(({ action }) => action === 'failed');
  }

  reportKeptRecords(): void {
    const { length } = this.options.plan.deletes;
    if (length === 0) return;
    this.client.notices.addHint(
      `${length} records were not deleted, because other changes failed. A repeated run deletes them.`,
    );
  }
}

/** Creates a check that keeps a record if it no longer matches the filter, or if an input has the record's key. */
function createRecheck(client: Client, { table, inputs, filters, columns }: TableSyncPlan): DeletionRecheck {
  const inputKeys = new Set(inputs.map(({ key }) => key.lookupKey));
  const matches = filters ? createRecordMatcher(client, filters, table) : () => true;
  const hasInput = (record: ServiceRecord) => inputKeys.has(readRecordKey(record, columns)?.lookupKey ?? '');
  return {
    async read(records) {
      const keys = records.flatMap((record) => readRecordKey(record, columns) ?? []);
      // This search may miss records, such as those beyond `limit`. `recheckAndDelete` reads them one by one.
      const answers = await getReader(client, table).searchByKeys(keys, {
        limit: MAX_PAGE_SIZE,
        isFresh: true,
      });
      return [...answers.values()].flatMap((answer) => answer.records);
    },
    mayDelete: (record) => matches(record) && !hasInput(record),
    reason: filters ? 'no longer match the filter, or match an item now' : 'match an item now',
  };
}
