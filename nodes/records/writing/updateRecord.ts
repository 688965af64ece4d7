/** Updates one record. */
import { lowerFirst } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  componentEndpoints,
  type Endpoint,
  formatForError,
  isObject,
  joinFirstTexts,
  mayHaveWritten,
  recordEndpoints,
  type ServiceRecord,
  sleepUnlessAborted,
} from '../../service';
import { type PayloadEntries, RefusedValue } from '../fields/field';
import { areEqual, getFieldValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import type { ComponentPath } from '../reading/readRecords';
import {
  type DatedRecord,
  getReader,
  getRunCache,
  MAX_READ_AGE_MS,
  type RecordReader,
} from '../reading/recordReader';
import { rereadTableIfFieldMissing } from '../reading/tables';
import { buildWrittenRecord } from '../reading/writtenRecord';
import {
  type ConnectionChange,
  computeNewIdLists,
  hasConnectionLists,
  ensureIdListsVisible,
} from './changeConnections';
import { completeComposites, listChangedEntries } from './currentValues';
import { createRecordBody, ensureFieldsAcceptValues, listEntryFields, listEntrySlugs } from './payload';
import { storeWriteTime, runInTurn, wasWrittenSince } from './turns';
import { ensureFieldsToSendExist, ensureTableHasFields, verifyUpdatedRecord } from './verifyWrite';

export interface RecordUpdate {
  timeZone: string;
  table: Table;
  recordId: string;
  entries: PayloadEntries;
  /** By default, the given IDs replace the current ones. */
  connectionChange?: ConnectionChange;
  before?: DatedRecord;
  /** Lists the IDs of the records that are updated next, including this one. One request may read several of them. */
  listNextIds?: () => string[];
  /** Whether unchanged values are sent too, so that formulas and rules run. */
  writesUnchanged?: boolean;
  headers?: Record<string, string>;
  /** The component through which the record is updated. */
  component?: ComponentPath;
  /** Called if the record may have the new values although an error will be thrown. The result shows the new values. */
  onUnclear?(result: UpdateResult): void;
}

export interface UpdateResult {
  /** `unchanged`: the record already had the values, and nothing was sent. */
  action: 'updated' | 'unchanged';
  /** The record after the update as far as it is known (`buildWrittenRecord`). */
  record: ServiceRecord;
  /** The record before the update. Undefined if the API key may not read the record. */
  before?: ServiceRecord;
  /** Slugs of the fields whose values changed. Undefined without `before`. */
  changed?: string[];
  /** The IDs that were added or removed, by slug. Undefined if the given IDs replace the current ones. */
  changedConnections?: Record<string, string[]>;
}

/** Milliseconds after a lost response. The service may need this time to finish the update. */
const LOST_RESPONSE_PAUSE_MS = 1_000;

/**
 * Sends only fields whose values differ: the service keeps the others (evidence 13). Updates of one record in this
 * process run one after the other. After a lost response, the record is read before anything is sent again.
 * @example
 * const entries = encodeRecordValues({ credit_limit: 5000 }, table, { timeZone });
 * await updateRecord(client, { table, recordId: 'K7pQ2xW9Lm', entries, timeZone });
 * // { action: 'updated', record: { … } }; 'unchanged' if the record has the values, and nothing was sent
 * @throws InputError for a value that its field does not accept. Nothing was sent
 * @throws InputError for connections to add or remove, if the service may hide some. Nothing was sent
 * @throws ApiError for a failed request, and if the response or the record shows that the new values were not stored
 */
export const updateRecord = (client: Client, update: RecordUpdate): Promise<UpdateResult> =>
  runInTurn(client, ['record', update.table.id, update.recordId], () => new UpdateRun(client, update).run());

/** Reads a record, which `updateRecord` uses for a minute. @throws ApiError as `readRecord` does */
export const readRecordForUpdate = async (
  client: Client,
  { table, recordId, listNextIds }: Pick<RecordUpdate, 'table' | 'recordId' | 'listNextIds'>,
): Promise<ServiceRecord> => {
  const options = { listIds: listNextIds, maxAgeMs: MAX_READ_AGE_MS };
  return (await getReader(client, table).getRecord(recordId, options)).record;
};

/** What an update will send in its next request. */
interface PlannedUpdate {
  /** The record before the request. Undefined if the API key may not read it. */
  before?: ServiceRecord;
  /** The fields of the table as they were read last. */
  table: Table;
  /** The values of the item. Connections to several records have whole lists of IDs. */
  given: PayloadEntries;
  /** Slugs of the fields whose values differ from the record. Undefined without `before`. */
  changed?: string[];
  sent: PayloadEntries;
  lists?: ReturnType<typeof computeNewIdLists>;
}

class UpdateRun {
  /** Whether the update adds or removes connections. The record is then read just before each request. */
  private readonly changesLists: boolean;

  constructor(
    private readonly client: Client,
    private readonly update: RecordUpdate,
  ) {
    const { table, entries, connectionChange = 'replace' } = update;
    this.changesLists = connectionChange !== 'replace' && hasConnectionLists(table, entries);
  }

  async run(): Promise<UpdateResult> {
    const { client, update, changesLists } = this;
    if (changesLists) ensureIdListsVisible(client, update.table, update.entries);
    await ensureFieldsToSendExist(client, update.table, update.entries);
    const first = await this.planUpdate(await this.readCurrentRecord());
    if (first.given.length === 0 || (!update.writesUnchanged && hasNoChanges(first)))
      return this.createResult(first, 'unchanged', first.before);
    return this.sendUntilOutcomeKnown(first).catch((error: unknown) => {
      if (mayHaveWritten(error)) update.onUnclear?.(this.createResult(first, 'updated'));
      throw asThrown(error);
    });
  }

  /**
   * After a lost response, reads the record. If it has the new values, the update has succeeded. If it has its earlier
   * values, or if the update adds or removes connections, the update is planned again and sent once more. An update
   * that may have started rules of the table (`writesUnchanged`) is never repeated.
   */
  private async sendUntilOutcomeKnown(first: PlannedUpdate): Promise<UpdateResult> {
    const { changesLists } = this;
    const { writesUnchanged = false } = this.update;
    let change = first;
    for (let isRepeated = false; ; isRepeated = true) {
      let error: unknown;
      const body = await this.sendUpdate(change).catch((failure: unknown) => {
        error = failure;
        return undefined;
      });
      if (body) return this.checkResponse(first, change, body);
      if (!mayHaveWritten(error)) throw asThrown(error);
      // If the record cannot be read, the error of the update is thrown.
      const after = await this.readAndPlanAgain().catch(() => undefined);
      // Without a changed value, the record does not show whether rules and formulas have run.
      const isVisible = !writesUnchanged || (first.changed ?? []).length > 0;
      if (after && isVisible && hasNoChanges(after)) return this.createResult(first, 'updated', after.before);
      const isOld = after !== undefined && (changesLists || stillHasEarlierValues(first, after));
      if (!isOld || isRepeated || writesUnchanged)
        throw asThrown(this.explainUnclearUpdate(error as ApiError, first, after));
      change = after;
    }
  }

  private async readAndPlanAgain(): Promise<PlannedUpdate> {
    await sleepUnlessAborted(LOST_RESPONSE_PAUSE_MS, this.client);
    return this.planUpdate(await this.requestRecord());
  }

  private get reader(): RecordReader {
    return getReader(this.client, this.update.table);
  }

  private requestRecord(): Promise<DatedRecord> {
    return this.reader.requestRecord(this.update.recordId);
  }

  /** @returns undefined if the API key may not read the record, and the update adds or removes no connections */
  private async readCurrentRecord(): Promise<DatedRecord | undefined> {
    const { client, update } = this;
    const { recordId, before, listNextIds } = update;
    const isRecent = before && client.clock.now() - before.readAt <= MAX_READ_AGE_MS;
    try {
      if (this.changesLists) return await this.requestRecord();
      const isOutdated = (time: number) =>
        wasWrittenSince(client, ['record', update.table.id, recordId], time);
      if (isRecent && !isOutdated(before.readAt)) return before;
      const read = await this.reader.getRecord(recordId, { listIds: listNextIds, maxAgeMs: MAX_READ_AGE_MS });
      return isOutdated(read.readAt) ? await this.requestRecord() : read;
    } catch (error) {
      const isHidden = error instanceof ApiError && error.status === 403;
      if (!isHidden || this.changesLists) throw asThrown(error);
      return undefined;
    }
  }

  /** @throws InputError for a field that the table no longer has */
  private async planUpdate(read: DatedRecord | undefined): Promise<PlannedUpdate> {
    const { client, update } = this;
    const { entries, timeZone, connectionChange = 'replace' } = update;
    if (!read) return { table: update.table, given: entries, sent: entries };
    const { record: before } = read;
    const fields = listEntryFields(update.table, entries);
    const table = await rereadTableIfFieldMissing(client, update.table, fields, [before]);
    if (table !== update.table) {
      // The cached records and pages still have the old fields.
      this.reader.clearCache();
      ensureTableHasFields(update.table, table, entries);
    }
    const lists = this.changesLists ? computeNewIdLists(before, table, entries, connectionChange) : undefined;
    const given = lists?.entries ?? entries;
    // The service may hide connections from a logged-in user, so connections that look equal may differ: they are sent.
    const changed = listChangedEntries(table, before, given, !client.credential.hasUserLogin);
    ensureFieldsAcceptValues(changed);
    const named =
      changed.length > 0 ? changed : given.filter(([, value]) => !(value instanceof RefusedValue));
    const sent = completeComposites(table, before, named, { timeZone });
    return { before, table, given, lists, changed: listEntrySlugs(table, changed), sent };
  }

  private async sendUpdate({ table, before, sent }: PlannedUpdate): Promise<Record<string, unknown>> {
    const { client, update } = this;
    const { recordId, component, headers } = update;
    const [endpoint, path] = component
      ? [componentEndpoints.updateRecord, component]
      : [recordEndpoints.update, { dataTableId: table.id, recordId }];
    const body = createRecordBody(sent, { table, record: before, id: component && recordId });
    try {
      return (await client.call(endpoint as Endpoint<Record<string, unknown>>, { path, headers, body })).body;
    } finally {
      storeWriteTime(client, ['record', table.id, recordId]);
      this.reader.uncacheRecord(recordId);
    }
  }

  private async checkResponse(
    first: PlannedUpdate,
    { table, before, sent }: PlannedUpdate,
    body: Record<string, unknown>,
  ): Promise<UpdateResult> {
    const { client, changesLists } = this;
    const { recordId } = this.update;
    getRunCache(client).lastWriteReturnedRecord = isObject(body.item);
    await verifyUpdatedRecord({ client, table, recordId, entries: sent, changesLists, before, body });
    const record = buildWrittenRecord({ table, id: recordId, entries: sent, before, shown: body.item });
    return this.createResult(first, 'updated', record);
  }

  /** @param after the record after the update. By default, it is built from the sent values */
  private createResult(
    { before, table, changed, sent, lists }: PlannedUpdate,
    action: UpdateResult['action'],
    after?: ServiceRecord,
  ): UpdateResult {
    return {
      action,
      record: after ?? buildWrittenRecord({ table, id: this.update.recordId, entries: sent, before }),
      before,
      ...(action === 'updated' && { changed }),
      ...(lists && { changedConnections: lists.changed }),
    };
  }

  /**
   * Each run compares the values first, so the update can be repeated (`isRepeatable`), unless it may have started
   * rules of the table (`writesUnchanged`), or somebody else has changed the record.
   */
  private explainUnclearUpdate(error: ApiError, first: PlannedUpdate, after?: PlannedUpdate): ApiError {
    const { recordId, writesUnchanged = false } = this.update;
    const shown = listEntryFields(first.table, first.sent).map((field) => {
      const value = getFieldValue(after?.before ?? {}, { table: first.table, field });
      return `"${field.name}": ${formatForError(value)}`;
    });
    const seen = after ? `The record shows ${joinFirstTexts(shown)}.` : 'The record could not be read.';
    return error.copyWith({
      message: `Record ${recordId}: ${lowerFirst(error.message)}`,
      description: `${seen} ${error.description}`,
      isRepeatable: !writesUnchanged && (!after || stillHasEarlierValues(first, after)),
    });
  }
}

const hasNoChanges = ({ changed }: PlannedUpdate): boolean => changed?.length === 0;

/** @returns false if the record was not read before the update, or does not show a sent field */
const stillHasEarlierValues = ({ table, before, sent }: PlannedUpdate, after: PlannedUpdate): boolean =>
  sent.every(([key]) => {
    const ref = table.requireWritableRef(key, 'Fields');
    const [one, other] = [before, after.before].map((record) => record && getFieldValue(record, ref));
    return one !== undefined && areEqual(one, other, ref.field);
  });
