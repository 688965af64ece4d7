import { lowerFirst } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  componentEndpoints,
  type Endpoint,
  formatForError,
  isObject,
  joinFirst,
  mayHaveWritten,
  recordEndpoints,
  type ServiceRecord,
  sleepUnlessAborted,
} from '../../service';
import { type PayloadEntries, RefusedValue } from '../fields/field';
import { equals, getFieldValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import type { ComponentPath } from '../reading/readRecords';
import { type DatedRecord, getReader, getReadings, type RecordReader } from '../reading/recordReader';
import { readFieldsIfMissing } from '../reading/tables';
import { describeWritten } from '../reading/writtenRecord';
import { type ConnectionChange, computeWholeLists, hasLists, ensureNoUserLogin } from './changeConnections';
import { completeComposites, listChangedEntries } from './currentValues';
import { createRecordBody, ensureWritable, listFields, listSlugs } from './payload';
import { noteWrite, runInTurn, wasWrittenSince } from './turns';
import { ensureFieldsExist, ensureFieldsKept, verifyUpdated } from './verifyWrite';

export interface RecordUpdate {
  /** IANA name of the zone of dates in the values. */
  timeZone: string;
  table: Table;
  recordId: string;
  entries: PayloadEntries;
  /** What happens with connections to several records. By default, the given IDs replace the current ones. */
  connectionChange?: ConnectionChange;
  before?: DatedRecord;
  /** Lists the IDs of the records that are updated next, with this one. They may be read together. */
  listNextIds?: () => string[];
  /** Whether unchanged values are sent too, so that formulas and rules run. */
  writesUnchanged?: boolean;
  headers?: Record<string, string>;
  /** The component through which the record is updated. */
  component?: ComponentPath;
  /** Called before an error is thrown, if the record may have the new values. The result shows these values. */
  onUnclear?(result: UpdateResult): void;
}

export interface UpdateResult {
  /** `unchanged`: the record already had the values, and nothing was sent. */
  action: 'updated' | 'unchanged';
  /** The record after the update as far as it is known (`describeWritten`). */
  record: ServiceRecord;
  /** Undefined if the API key may not read the record. */
  before?: ServiceRecord;
  /** Slugs of the fields whose values changed. Undefined without `before`. */
  changed?: string[];
  /** The IDs that were added or removed, by the slug of the connection. Only with `connectionChange`. */
  changedConnections?: Record<string, string[]>;
}

/** Milliseconds for which a record that was read is used. */
const MAX_READ_AGE_MS = 60_000;

/** Milliseconds before the record is read after a lost response. The service may still be carrying out the update. */
const REPEAT_PAUSE_MS = 1_000;

/**
 * Updates a record. Sends only fields whose values differ: the service keeps the others (evidence 13). Updates of one
 * record in this process run one after the other. After a lost response, the record is read before anything is sent again.
 * @example
 * const entries = encodeRecordValues({ credit_limit: 5000 }, table, { timeZone });
 * await updateRecord(client, { table, recordId: 'K7pQ2xW9Lm', entries, timeZone });
 * // { action: 'updated', record: { … } }; 'unchanged' if the record has the values, and nothing was sent
 * @throws InputError before anything is sent, for a value that its field does not accept or that would remove other values
 * @throws ApiError if the update failed, or if the response or the record shows that it failed
 */
export const updateRecord = (client: Client, update: RecordUpdate): Promise<UpdateResult> =>
  runInTurn(client, ['record', update.table.id, update.recordId], () => new Updater(client, update).run());

/**
 * Reads a record that will be updated. `updateRecord` uses it for a minute.
 * @throws ApiError as `readRecord` does
 */
export const readForUpdate = async (
  client: Client,
  { table, recordId, listNextIds }: Pick<RecordUpdate, 'table' | 'recordId' | 'listNextIds'>,
): Promise<ServiceRecord> => {
  const options = { listIds: listNextIds, maxAgeMs: MAX_READ_AGE_MS };
  return (await getReader(client, table).readOne(recordId, options)).record;
};

/** What one request of an update sends. */
interface PlannedUpdate {
  /** The record before the request. Undefined if the API key may not read it. */
  before?: ServiceRecord;
  /** The fields of the table as they were read last. */
  table: Table;
  /** The values of the item, with whole lists of connections. */
  given: PayloadEntries;
  /** Slugs of the fields whose values differ. Undefined without `before`. */
  changed?: string[];
  sent: PayloadEntries;
  lists?: ReturnType<typeof computeWholeLists>;
}

class Updater {
  /** Whether connections are added or removed. The record is then read just before each request. */
  private readonly changesLists: boolean;

  constructor(
    private readonly client: Client,
    private readonly update: RecordUpdate,
  ) {
    const { table, entries, connectionChange = 'replace' } = update;
    this.changesLists = connectionChange !== 'replace' && hasLists(table, entries);
  }

  async run(): Promise<UpdateResult> {
    const { client, update, changesLists } = this;
    if (changesLists) ensureNoUserLogin(client, update.table, update.entries);
    await ensureFieldsExist(client, update.table, update.entries);
    const first = await this.plan(await this.readBefore());
    if (first.given.length === 0 || (!update.writesUnchanged && changesNothing(first)))
      return this.createResult(first, 'unchanged', first.before);
    return this.sendUntilClear(first).catch((error: unknown) => {
      if (mayHaveWritten(error)) update.onUnclear?.(this.createResult(first, 'updated'));
      throw asThrown(error);
    });
  }

  /**
   * Sends the update. After a lost response, reads the record. If it has the new values, the update has succeeded. If it
   * has its earlier values, or connections are added or removed, the update is sent once more. An update that may have run
   * rules (`writesUnchanged`) is not repeated.
   * @throws ApiError for a failed request, and if the outcome stays unknown
   */
  private async sendUntilClear(first: PlannedUpdate): Promise<UpdateResult> {
    const { changesLists } = this;
    const { writesUnchanged = false } = this.update;
    let change = first;
    for (let isRepeated = false; ; isRepeated = true) {
      let error: unknown;
      const body = await this.send(change).catch((failure: unknown) => {
        error = failure;
        return undefined;
      });
      if (body) return this.checkResponse(first, change, body);
      if (!mayHaveWritten(error)) throw asThrown(error);
      // If the reading fails, the error of the update is thrown.
      const after = await this.planAgain().catch(() => undefined);
      // Without a changed value, the record does not show whether rules and formulas have run.
      const isVisible = !writesUnchanged || (first.changed ?? []).length > 0;
      if (after && isVisible && changesNothing(after))
        return this.createResult(first, 'updated', after.before);
      const isOld = after !== undefined && (changesLists || showsSameValues(first, after));
      if (!isOld || isRepeated || writesUnchanged)
        throw asThrown(this.explainUnclearUpdate(error as ApiError, first, after));
      change = after;
    }
  }

  /** Reads the record after a pause, and plans the update again. */
  private async planAgain(): Promise<PlannedUpdate> {
    await sleepUnlessAborted(REPEAT_PAUSE_MS, this.client);
    return this.plan(await this.readAlone());
  }

  private get reader(): RecordReader {
    return getReader(this.client, this.update.table);
  }

  private readAlone(): Promise<DatedRecord> {
    return this.reader.readAlone(this.update.recordId);
  }

  /**
   * Returns the record as this run has read it, or reads it.
   * @returns undefined if the API key may not read the record, and the update does not need it
   */
  private async readBefore(): Promise<DatedRecord | undefined> {
    const { client, update } = this;
    const { recordId, before, listNextIds } = update;
    const isRecent = before && client.clock.now() - before.readAt <= MAX_READ_AGE_MS;
    try {
      if (this.changesLists) return await this.readAlone();
      const isOutdated = (time: number) =>
        wasWrittenSince(client, ['record', update.table.id, recordId], time);
      if (isRecent && !isOutdated(before.readAt)) return before;
      const read = await this.reader.readOne(recordId, { listIds: listNextIds, maxAgeMs: MAX_READ_AGE_MS });
      return isOutdated(read.readAt) ? await this.readAlone() : read;
    } catch (error) {
      const isHidden = error instanceof ApiError && error.status === 403;
      if (!isHidden || this.changesLists) throw asThrown(error);
      return undefined;
    }
  }

  /** Compares the record with the values of the item. @throws InputError for a field that the table no longer has */
  private async plan(read: DatedRecord | undefined): Promise<PlannedUpdate> {
    const { client, update } = this;
    const { entries, timeZone, connectionChange = 'replace' } = update;
    if (!read) return { table: update.table, given: entries, sent: entries };
    const { record: before } = read;
    const table = await readFieldsIfMissing(client, update.table, listFields(update.table, entries), [
      before,
    ]);
    if (table !== update.table) {
      // The cached records and pages still have the old fields.
      this.reader.clear();
      ensureFieldsKept(update.table, table, entries);
    }
    const lists = this.changesLists ? computeWholeLists(before, table, entries, connectionChange) : undefined;
    const given = lists?.entries ?? entries;
    // The service may hide connections from a logged-in user, so connections that look equal may differ.
    const changed = listChangedEntries(table, before, given, !client.credential.hasUserLogin);
    ensureWritable(changed);
    const named =
      changed.length > 0 ? changed : given.filter(([, value]) => !(value instanceof RefusedValue));
    const sent = completeComposites(table, before, named, { timeZone });
    return { before, table, given, lists, changed: listSlugs(table, changed), sent };
  }

  private async send({ table, before, sent }: PlannedUpdate): Promise<Record<string, unknown>> {
    const { client, update } = this;
    const { recordId, component, headers } = update;
    const [endpoint, path, target] = component
      ? [componentEndpoints.updateRecord, component, { purpose: 'save', id: recordId } as const]
      : [recordEndpoints.update, { dataTableId: table.id, recordId }, { purpose: 'update' } as const];
    const body = createRecordBody(sent, { ...target, table, record: before });
    try {
      return (await client.call(endpoint as Endpoint<Record<string, unknown>>, { path, headers, body })).body;
    } finally {
      noteWrite(client, ['record', table.id, recordId]);
      this.reader.noteWrite(recordId);
    }
  }

  private async checkResponse(
    first: PlannedUpdate,
    { table, before, sent }: PlannedUpdate,
    body: Record<string, unknown>,
  ): Promise<UpdateResult> {
    const { client, changesLists } = this;
    const { recordId } = this.update;
    getReadings(client).showsWritten = isObject(body.item);
    await verifyUpdated({ client, table, recordId, entries: sent, changesLists, before, body });
    const record = describeWritten({ table, id: recordId, entries: sent, before, shown: body.item });
    return this.createResult(first, 'updated', record);
  }

  /** @param after the record after the update, if it is known */
  private createResult(
    { before, table, changed, sent, lists }: PlannedUpdate,
    action: UpdateResult['action'],
    after?: ServiceRecord,
  ): UpdateResult {
    return {
      action,
      record: after ?? describeWritten({ table, id: this.update.recordId, entries: sent, before }),
      before,
      ...(action === 'updated' && { changed }),
      ...(lists && { changedConnections: lists.changed }),
    };
  }

  /**
   * Adds the values of the record to the error of an update whose outcome is unknown. The update may be repeated, because
   * each run compares the values first. It may not be repeated if it may have run rules (`writesUnchanged`), or if somebody
   * else has changed the record.
   */
  private explainUnclearUpdate(error: ApiError, first: PlannedUpdate, after?: PlannedUpdate): ApiError {
    const { recordId, writesUnchanged = false } = this.update;
    const shown = listFields(first.table, first.sent).map((field) => {
      const value = getFieldValue(after?.before ?? {}, { table: first.table, field });
      return `"${field.name}": ${formatForError(value)}`;
    });
    const seen = after ? `The record shows ${joinFirst(shown)}.` : 'The record could not be read.';
    return error.copyWith({
      message: `Record ${recordId}: ${lowerFirst(error.message)}`,
      description: `${seen} ${error.description}`,
      isRepeatable: !writesUnchanged && (!after || showsSameValues(first, after)),
    });
  }
}

const changesNothing = ({ changed }: PlannedUpdate): boolean => changed?.length === 0;

/**
 * Whether the record still has its earlier values in all fields that were sent. False if the earlier values are not known.
 */
const showsSameValues = ({ table, before, sent }: PlannedUpdate, after: PlannedUpdate): boolean =>
  sent.every(([key]) => {
    const ref = table.requireWritableRef(key, 'Fields');
    const [one, other] = [before, after.before].map((record) => record && getFieldValue(record, ref));
    return one !== undefined && equals(one, other, ref.field);
  });
