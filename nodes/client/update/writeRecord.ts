import { recordEndpoints } from '../endpoints/catalogue';
import type { Endpoint } from '../endpoints/endpoint';
import { ApiError, REPEAT_IS_SAFE, explainUncertainWrite, mayHaveChanged } from '../errors/apiError';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getShownValue, listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';
import type { HttpClient, LiveBody } from '../http/client';
import { InputError, asThrown } from '../input/inputError';
import { asObject, isObject } from '../input/values';
import { memory } from '../memory/memory';
import { createRecordBody } from '../records/payload';
import { type DatedRecord, readRecord } from '../records/readRecords';
import { getFreshTable } from '../records/tables';
import { describeWritten } from '../records/writtenRecord';
import type { CreatedRecord, ServiceRecord } from '../responses/schemas';
import {
  type ConnectionChange,
  computeLists,
  ensureListsChanged,
  hasLists,
  omitLists,
  refuseForUserLogin,
} from './changeConnections';
import {
  KEPT_REMEDY,
  encodeUnsentValues,
  isFieldEmpty,
  isUnchanged,
  listUnsentFields,
} from './currentValues';
import { findGoneColumn, verifyAnswer } from './verifyWrite';

/** Keys of every record that are no fields (spec: Record). */
const RECORD_KEYS = new Set(['id', 'created_at']);

/** Whether a record lacks a writable field of the table, or has a key that belongs to none of its fields. */
function hasOtherFields(table: Table, record: ServiceRecord): boolean {
  const known = new Set(table.fields.flatMap((field) => listFieldKeys(record, { table, field })));
  return (
    table.writableFields.some((field) => listFieldKeys(record, { table, field }).length === 0) ||
    Object.keys(record).some((key) => !known.has(key) && !RECORD_KEYS.has(key))
  );
}

/**
 * Milliseconds for which the values of a record that was read may be sent back. What another client changes between the
 * read and the write is overwritten, so the time is short.
 */
const MAX_READ_AGE_MS = 2_000;

export interface RecordUpdate {
  /** IANA name of the zone of dates in the values. */
  timeZone: string;
  table: Table;
  recordId: string;
  /** The values of the item. */
  entries: PayloadEntries;
  /** What becomes of the connections to several records that `entries` has: they are replaced by default. */
  connectionChange?: ConnectionChange;
  /** The record, if it was read already. */
  before?: DatedRecord;
  /** Writes values that the record already has, so that formulas and rules run. */
  writesUnchanged?: boolean;
  headers?: Record<string, string>;
  /** How the update is sent, if not to the record itself. */
  target?: {
    endpoint: Endpoint<Record<string, unknown>>;
    path: Record<string, unknown>;
    /** @param state the fields as they are now, and the record before the update, if it was read */
    createBody: (entries: PayloadEntries, state: { table: Table; record?: ServiceRecord }) => object;
  };
}

/** An update with the client that sends it. */
interface RunningUpdate extends RecordUpdate {
  client: HttpClient;
  /** Computes the values of the item from the record, for connections that are added or removed. */
  adapt?: (record: ServiceRecord) => PayloadEntries;
  target: NonNullable<RecordUpdate['target']>;
}

export interface UpdateResult {
  /** `unchanged` if the record already had the values and nothing was sent. */
  action: 'updated' | 'unchanged';
  /** The record after the update, as far as it is known: see `describeWritten`. */
  record: ServiceRecord;
  /** The body of the response, or the record under `item` if it was read instead. */
  body: Record<string, unknown>;
  /** The record before the update, if it was read. */
  before?: ServiceRecord;
  /** The IDs that were added or removed, by the slug of their connection. Only with `connectionChange`. */
  changedConnections?: Record<string, string[]>;
}

const recordTurns = memory.queue('recordTurns', {
  per: 'app',
  holds: 'writes to one record: each repeats values that it has read',
});

const keepsUnsent = ({ client }: RunningUpdate): boolean => client.credential.columnsNotSent === 'kept';

/** Whether the user sees all connections. Rules of the service may hide some from a logged-in user. */
const seesAll = ({ client }: RunningUpdate): boolean => !client.credential.hasUserLogin;

const hasValues = (update: RunningUpdate, record: ServiceRecord, entries: PayloadEntries): boolean =>
  isUnchanged(update.table, record, entries, seesAll(update));

/** @throws InputError if the user may not see all values of a field, which can then neither be sent nor left out */
function ensureVisible({ client, table, entries }: RunningUpdate, before: ServiceRecord): void {
  if (!client.credential.hasUserLogin) return;
  const isHidden = (field: Field) =>
    field.connection?.many === true || getShownValue(before, { table, field }) === undefined;
  const hidden = listUnsentFields(table, entries).find(isHidden);
  if (!hidden) return;
  throw new InputError(
    `"${hidden.name}" may hold values that this user cannot see`,
    `Nothing was sent, because an update sends all values of the record, and these would be lost. ${KEPT_REMEDY} Or add the column with its whole value.`,
  );
}

/** Reads the record. The error of a key without `allow_get` names the setting with which no update reads. */
async function readBefore({ client, table, recordId }: RunningUpdate): Promise<DatedRecord> {
  try {
    const record = await readRecord(client, table.id, recordId);
    return { record, readAt: client.clock.now() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw asThrown(error);
    throw error.explain({
      description: `An update reads the record first, because the service might empty the columns that it does not name. ${KEPT_REMEDY} ${error.description}`,
    });
  }
}

/** Ends a call whose record already has the values. */
class NothingToSend extends Error {
  /** @param wasSent whether an earlier request of the call may have changed the record */
  constructor(
    readonly record: ServiceRecord,
    readonly wasSent: boolean,
  ) {
    super();
  }
}

/** The body of an update that is computed from the record. Each body uses a read that is at most 2 s old. */
class UpdateBody implements LiveBody {
  /** A new read is too old after 2 s, so an update whose read was outdated does not wait behind other executions again. */
  readonly lane = 'urgent';
  private read?: DatedRecord;
  /** The record before anything was sent. */
  before?: ServiceRecord;
  /** The values of the item for the last body. */
  entries: PayloadEntries;

  constructor(private update: RunningUpdate) {
    this.read = update.before;
    this.entries = update.entries;
  }

  isCurrent(): boolean {
    const { clock } = this.update.client;
    return this.read !== undefined && clock.now() - this.read.readAt <= MAX_READ_AGE_MS;
  }

  async create(isRepeated: boolean): Promise<object> {
    if (isRepeated || !this.isCurrent()) this.read = await readBefore(this.update);
    const { record } = this.read as DatedRecord;
    await this.refreshFields(record);
    const { update } = this;
    this.before ??= record;
    this.entries = update.adapt?.(record) ?? update.entries;
    const isDone = update.writesUnchanged !== true && hasValues(update, record, this.entries);
    if (isDone || (this.entries.length === 0 && keepsUnsent(update)))
      throw new NothingToSend(record, isRepeated);
    return update.target.createBody(this.addUnsent(record), { table: update.table, record });
  }

  /**
   * Reads the fields of the table again if the record has others: the value of a column that was renamed or added since
   * then would not be sent back.
   * @throws InputError if a column of the item no longer exists
   */
  private async refreshFields(record: ServiceRecord): Promise<void> {
    const { client, table: known, entries } = this.update;
    if (!hasOtherFields(known, record)) return;
    const table = await getFreshTable(client, known.id);
    const gone = findGoneColumn(known, table, entries);
    if (gone !== undefined) {
      throw new InputError(
        `Columns: the table no longer has the column "${gone}"`,
        'Nothing was sent. It was renamed or deleted in the last seconds: choose the column again.',
      );
    }
    this.update = { ...this.update, table };
  }

  private addUnsent(record: ServiceRecord): PayloadEntries {
    const { update, entries } = this;
    if (keepsUnsent(update)) return entries;
    ensureVisible(update, record);
    const unsent = encodeUnsentValues(update.table, record, entries, { timeZone: update.timeZone });
    return [...unsent, ...entries];
  }
}

/**
 * Explains a refusal that does not come from the item: its update sends the record's other values too. A 403 may concern
 * one of them.
 */
function explainRefusal(error: unknown, { table, entries }: RunningUpdate): unknown {
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 403)) return error;
  const given = new Set(entries.map(([key]) => table.resolvePayloadField(key, 'Columns').field.slug));
  const refused = Object.keys(error.fieldErrors).filter((slug) => !given.has(slug));
  if (error.status === 422 && refused.length === 0) return error;
  const what =
    refused.length > 0
      ? `The item does not change ${refused.map((slug) => table.findField(slug)?.name ?? slug).join(', ')}, but an update sends all values of the record. Correct them in the record.`
      : 'An update sends all values of the record, also those that the item does not change.';
  return error.explain({ description: `${what} ${KEPT_REMEDY} ${error.description}` });
}

/**
 * Lists the File columns that had a file, which the update could not send back.
 * @param before the record before the update, if it was read
 */
function listUnsentFiles(update: RunningUpdate, before: ServiceRecord | undefined): Field[] {
  if (!before || keepsUnsent(update)) return [];
  const { table, entries } = update;
  return listUnsentFields(table, entries).filter(
    (field) => getKind(field).holdsFiles && !isFieldEmpty(before, { table, field }),
  );
}

/** Describes the files that are gone. A file cannot be sent back, and the service may empty its column. */
function describeLostFiles(
  update: RunningUpdate,
  before: ServiceRecord | undefined,
  after: object | undefined,
): string[] {
  const { table, recordId } = update;
  const files = listUnsentFiles(update, before);
  if (!before || files.length === 0) return [];
  if (!after) {
    const names = files.map(({ name }) => `"${name}"`).join(', ');
    return [
      `Record ${recordId}: whether ${names} still has its file was not checked, because the record could not be read.`,
    ];
  }
  return files
    .filter((field) => isFieldEmpty({ ...after, id: recordId }, { table, field }))
    .map(
      (field) =>
        `Record ${recordId}: the service emptied "${field.name}", which held ${JSON.stringify(getShownValue(before, { table, field }))}: it empties columns that an update does not name, and a file cannot be sent back. Add the column with its file to every update.`,
    );
}

/** Adds a hint for each file that the update emptied. */
async function reportLostFiles(
  update: RunningUpdate,
  before: ServiceRecord | undefined,
  body: object,
): Promise<void> {
  const files = listUnsentFiles(update, before);
  if (files.length === 0) return;
  const { item: shown } = asObject(body);
  const isWhole = isObject(shown) && files.every(({ slug }) => Object.hasOwn(shown, slug));
  const after = isWhole ? shown : await readAfter(update);
  for (const text of describeLostFiles(update, before, after)) update.client.notices.addHint(text);
}

/** Reads the record after a write. Undefined if it cannot be read. */
const readAfter = ({ client, table, recordId }: RunningUpdate): Promise<ServiceRecord | undefined> =>
  readRecord(client, table.id, recordId).catch(() => undefined);

/**
 * Finds the outcome of a write whose answer did not show it: the record has the values, or not.
 * @param before the record before the write, if it was read
 * @throws the failure, with what the record shows
 */
async function findOutcome(
  update: RunningUpdate,
  failure: unknown,
  entries: PayloadEntries,
  before?: ServiceRecord,
): Promise<UpdateResult> {
  const error = before && !keepsUnsent(update) ? explainRefusal(failure, update) : failure;
  // The failure of the read before, and a refusal, changed nothing.
  const isWrite = error instanceof ApiError && error.endpoint === update.target.endpoint;
  if (!isWrite || !mayHaveChanged(error)) throw asThrown(error);
  const after = await readAfter(update);
  if (after && !update.writesUnchanged && hasValues(update, after, entries)) {
    await reportLostFiles(update, before, { item: after });
    return { action: 'updated', record: after, body: { item: after }, before };
  }
  const lost = describeLostFiles(update, before, after);
  const seen =
    after && !hasValues(update, after, entries) ? ['The record does not have the values of the item.'] : [];
  const { message, description } = error;
  const named = error.explain({
    message: `Record ${update.recordId}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    description: [...seen, ...lost, description].join(' '),
  });
  throw asThrown(explainUncertainWrite(named, REPEAT_IS_SAFE));
}

/** Sends the values of the item alone, with one request. */
async function sendGivenValues(update: RunningUpdate): Promise<UpdateResult> {
  const { client, table, recordId, entries, headers, target } = update;
  const response = await client
    .call(target.endpoint, {
      path: target.path,
      headers,
      body: target.createBody(entries, { table, record: update.before?.record }),
    })
    .catch((error: unknown) => error);
  if (response instanceof Error) return findOutcome(update, response, entries);
  const { body } = response as { body: Record<string, unknown> };
  await verifyAnswer({ client, table, recordId, entries, body });
  const before = update.before?.record;
  const record = describeWritten({ table, id: recordId, entries, before, shown: body.item });
  return { action: 'updated', record, body };
}

/** Reads the record and sends its values with those of the item. */
async function sendWholeRecord(update: RunningUpdate): Promise<UpdateResult> {
  const { client, table, recordId, headers, target } = update;
  const liveBody = new UpdateBody(update);
  const response = await client
    .call(target.endpoint, { path: target.path, headers, liveBody })
    .catch((error: unknown) => error);
  const { before, entries } = liveBody;
  if (response instanceof NothingToSend) {
    const body = { item: response.record };
    await reportLostFiles(update, before, body);
    return { action: response.wasSent ? 'updated' : 'unchanged', record: response.record, body, before };
  }
  if (response instanceof Error) return findOutcome(update, response, entries, before);
  const { body } = response as { body: Record<string, unknown> };
  // The lists that the item adds to or removes from are checked by `ensureListsChanged`.
  const checked = update.adapt ? omitLists(table, entries) : entries;
  await verifyAnswer({ client, table, recordId, entries: checked, before, body });
  await reportLostFiles(update, before, body);
  const record = describeWritten({ table, id: recordId, entries, before, shown: body.item });
  return { action: 'updated', record, body, before };
}

/** Adds connections, or removes them. Each request has lists that are computed from a new read of the record. */
async function sendChangedLists(update: RunningUpdate, change: ConnectionChange): Promise<UpdateResult> {
  const { client, table, recordId, entries } = update;
  refuseForUserLogin(client, table, entries);
  let first: ReturnType<typeof computeLists> | undefined;
  const adapt = (record: ServiceRecord) => {
    const lists = computeLists(record, table, entries, change);
    // An attempt whose answer was lost may have changed the lists, so the first read shows what the item changes.
    first ??= lists;
    return lists.entries;
  };
  const result = await sendWholeRecord({ ...update, adapt });
  const lists = first ?? { entries: [], changed: [] };
  await ensureListsChanged({ client, table, recordId, change, body: result.body, ...lists });
  const changed = lists.changed.map(({ field, ids }) => [field.slug, ids]);
  return { ...result, changedConnections: Object.fromEntries(changed) };
}

/**
 * Updates a record so that columns that the item does not name keep their values (spec: Record, "Value when a field is
 * omitted from a create or update payload"; Records: the body "holds the changed field values"). The credential says
 * what the service does with them: `send` reads the record and sends all its values, `kept` sends those of the item.
 * Updates of one record in this process run one after the other, because each may send values that it has read.
 * @example
 * const entries = encodeRecordValues({ credit_limit: 5000 }, table, { timeZone });
 * await client.records.update({ table, recordId: 'K7pQ2xW9Lm', entries, timeZone });
 * // { action: 'updated', record: { … }, body: { … } }; 'unchanged' if the record has the values, and nothing was sent
 * @throws InputError if a value can neither be sent nor left out; ApiError if the update failed, or if the answer or the
 *   record shows that it did
 */
export function updateRecord(client: HttpClient, update: RecordUpdate): Promise<UpdateResult> {
  const { table, recordId, entries, connectionChange = 'replace' } = update;
  const target = update.target ?? {
    endpoint: recordEndpoints.update,
    path: { dataTableId: table.id, recordId },
    createBody: (all: PayloadEntries, state: { table: Table; record?: ServiceRecord }) =>
      createRecordBody(all, { ...state, purpose: 'update' }),
  };
  const running = { ...update, client, target };
  return recordTurns.run(client, [table.id, recordId], () => {
    if (connectionChange !== 'replace' && hasLists(table, entries))
      return sendChangedLists(running, connectionChange);
    return keepsUnsent(running) ? sendGivenValues(running) : sendWholeRecord(running);
  });
}

interface RecordCreation {
  table: Table;
  entries: PayloadEntries;
  /** `connected_to`: the parent that the record is linked to (spec: Linked record creation). */
  link?: Record<string, unknown>;
  /** Whether the response shows how each formula was calculated. */
  showsEquations?: boolean;
  headers?: Record<string, string>;
}

/**
 * Creates one record, and returns the body of the response. A create is never repeated after an unclear failure.
 * @example
 * const entries = encodeRecordValues({ company: 'Example Ltd' }, table, { timeZone });
 * const { id } = await client.records.create({ table, entries }); // 'K7pQ2xW9Lm'
 * @throws ApiError with `isOutcomeUnknown` if the record may have been created
 */
export async function createRecord(client: HttpClient, creation: RecordCreation): Promise<CreatedRecord> {
  const { table, entries, link, headers, showsEquations } = creation;
  const { body } = await client.call(recordEndpoints.create, {
    path: { dataTableId: table.id },
    query: showsEquations ? { showequationlog: true } : undefined,
    headers,
    body: createRecordBody(entries, { table, purpose: 'create', link }),
  });
  return body;
}
