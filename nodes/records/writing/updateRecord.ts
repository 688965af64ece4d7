/**
 * The one way of updates: of Update, Create or Update, Sync and the saving through a component. `updateRecord` reads the
 * record, compares it, sends what differs, and checks what the answer shows.
 */
import { lowerFirst, uniq } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  type Endpoint,
  explainUncertainWrite,
  InputError,
  mayHaveChanged,
  memory,
  recordEndpoints,
  type ServiceRecord,
  sleepUnlessAborted,
} from '../../service';
import type { PayloadEntries } from '../fields/field';
import { listFieldKeys } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { type DatedRecord, RecordsById } from '../reading/readRecords';
import { readTableAgain } from '../reading/tables';
import { describeWritten } from '../reading/writtenRecord';
import {
  type ChangedLists,
  type ConnectionChange,
  computeLists,
  ensureListsChanged,
  hasLists,
  omitLists,
  refuseForUserLogin,
} from './changeConnections';
import { completeComposites, isUnchanged, listChangedEntries } from './currentValues';
import { createRecordBody } from './payload';
import { findGoneColumn, verifyUpdated } from './verifyWrite';

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
  /** Lists the IDs of records that are updated next, this one among them: they may be read together. */
  listNextIds?: () => string[];
  /** Writes values that the record already has, so that formulas and rules run. */
  writesUnchanged?: boolean;
  headers?: Record<string, string>;
  /** How the update is sent, if not to the record itself. */
  target?: UpdateTarget;
}

interface UpdateTarget {
  endpoint: Endpoint<Record<string, unknown>>;
  path: Record<string, unknown>;
  /** @param state the fields as they are now, and the record before the update, if it was read */
  createBody: (entries: PayloadEntries, state: { table: Table; record?: ServiceRecord }) => object;
}

export interface UpdateResult {
  /** `unchanged` if the record already had the values and nothing was sent. */
  action: 'updated' | 'unchanged';
  /** The record after the update, as far as it is known: see `describeWritten`. */
  record: ServiceRecord;
  /** The record before the update. Undefined if the key may not read it. */
  before?: ServiceRecord;
  /** Slugs of the fields that the update changed. Undefined without `before`. */
  changed?: string[];
  /** The IDs that were added or removed, by the slug of their connection. Only with `connectionChange`. */
  changedConnections?: Record<string, string[]>;
}

/** Milliseconds for which a read of the same run may be compared with the values of an item. */
const MAX_READ_AGE_MS = 60_000;

/** How often lists of connections are sent, each time computed anew, if it is not known whether they were stored. */
const MAX_ATTEMPTS = 4;

/** Times are milliseconds of the client's clock. */
const lastWrites = memory.store<number, 'app'>('lastWrites', {
  per: 'app',
  holds: 'when this process last updated a record: an older reading of it is not compared with values',
  max: 10_000,
});

const recordTurns = memory.queue('recordTurns', {
  per: 'app',
  holds: 'updates of one record: each is compared with what the one before has written',
});

/**
 * Updates a record. It sends the fields that differ: the service keeps the others (evidence 13). Updates of one record in
 * this process run one after the other.
 * @example
 * const entries = encodeRecordValues({ credit_limit: 5000 }, table, { timeZone });
 * await updateRecord(client, { table, recordId: 'K7pQ2xW9Lm', entries, timeZone });
 * // { action: 'updated', record: { … } }; 'unchanged' if the record has the values, and nothing was sent
 * @throws InputError if nothing is sent, because values would be lost; ApiError if the update failed, or if the answer or
 *   the record shows that it did
 */
export const updateRecord = (client: Client, update: RecordUpdate): Promise<UpdateResult> =>
  recordTurns.run(client, [update.table.id, update.recordId], () => new Updater(client, update).run());

/** What one request of an update sends. */
interface PlannedUpdate {
  /** Undefined if the key may not read records. */
  before?: ServiceRecord;
  readAt: number;
  /** The fields of the table, read again if the record shows others. */
  table: Table;
  /** The values of the item, with whole lists. */
  given: PayloadEntries;
  /** Slugs of the fields that differ. Undefined without `before`. */
  changed?: string[];
  sent: PayloadEntries;
  lists?: ChangedLists;
}

/** What became of a request: a result, or an error after which it is not known whether the change was made. */
type SendOutcome = UpdateResult | { unclear: ApiError; after?: ServiceRecord };

class Updater {
  private readonly target: UpdateTarget;
  /** Whether connections are added or removed. The lists are then read just before each sending. */
  private readonly changesLists: boolean;
  /** The lists as the first read showed them: an attempt whose answer was lost may have changed them. */
  private firstLists?: ChangedLists;
  /** What the first request sends, for the same reason. */
  private firstSent?: PlannedUpdate;

  constructor(
    private readonly client: Client,
    private readonly update: RecordUpdate,
  ) {
    const { table, recordId, entries, connectionChange = 'replace', target } = update;
    this.changesLists = connectionChange !== 'replace' && hasLists(table, entries);
    this.target = target ?? {
      endpoint: recordEndpoints.update,
      path: { dataTableId: table.id, recordId },
      createBody: (all, state) => createRecordBody(all, { ...state, purpose: 'update' }),
    };
  }

  async run(): Promise<UpdateResult> {
    const { client, update } = this;
    if (this.changesLists) refuseForUserLogin(client, update.table, update.entries);
    let change = await this.plan(await this.readBefore());
    if (this.needsNothing(change)) return this.createResult(change, 'unchanged', change.before);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.send(change);
      if (!('unclear' in outcome)) return outcome;
      if (!this.changesLists || !outcome.after || attempt === MAX_ATTEMPTS)
        throw asThrown(this.explainUnclear(outcome));
      await sleepUnlessAborted(500 * 2 ** (attempt - 1), client);
      const next = await settle(this.readBefore().then((read) => this.plan(read)));
      // The attempt that was sent decides about the error.
      if (!next.value) throw asThrown(this.explainUnclear(outcome));
      change = next.value;
      if (this.needsNothing(change)) return this.createResult(change, 'updated', change.before);
    }
  }

  /** Reads the record, or takes a read of this run. @returns undefined if the key may not read it and need not */
  private async readBefore(): Promise<DatedRecord | undefined> {
    const { client, update } = this;
    const { table, recordId, before, listNextIds } = update;
    const reader = getReader(client, table);
    if (
      before &&
      !this.changesLists &&
      this.isRecent(before.readAt) &&
      !this.wasWrittenSince(before.readAt)
    ) {
      reader.noteRead(recordId);
      return before;
    }
    try {
      if (this.changesLists) return await reader.readAlone(recordId);
      const read = await reader.read(recordId, listNextIds);
      return this.wasWrittenSince(read.readAt) ? await reader.readAlone(recordId) : read;
    } catch (error) {
      const isHidden = error instanceof ApiError && error.status === 403;
      if (!isHidden || this.changesLists) throw asThrown(error);
      return undefined;
    }
  }

  private isRecent(readAt: number): boolean {
    return this.client.clock.now() - readAt <= MAX_READ_AGE_MS;
  }

  /** Whether an update of this process has followed a reading, for whichever user. */
  private wasWrittenSince(readAt: number): boolean {
    const { client, update } = this;
    return (lastWrites.get(client, [update.table.id, update.recordId]) ?? -Infinity) >= readAt;
  }

  /** Whether the record shows all connections. Rules of the service may hide some from a logged-in user. */
  private get seesAll(): boolean {
    return !this.client.credential.hasUserLogin;
  }

  /** Compares the record with the values of the item. @throws InputError for a value that can neither be sent nor left out */
  private async plan(read: DatedRecord | undefined): Promise<PlannedUpdate> {
    const { client, update, seesAll } = this;
    const { entries, timeZone, connectionChange = 'replace' } = update;
    const { record: before, readAt = client.clock.now() } = read ?? {};
    if (!before) return { readAt, table: update.table, given: entries, sent: entries };
    const table = await this.refreshFields(before);
    const lists =
      connectionChange !== 'replace' && this.changesLists
        ? computeLists(before, table, entries, connectionChange)
        : undefined;
    this.firstLists ??= lists;
    const given = lists?.entries ?? entries;
    const changed = listChangedEntries(table, before, given, seesAll);
    const named = changed.length > 0 ? changed : given;
    const sent = completeComposites(table, before, named, { timeZone });
    return { before, readAt, table, given, changed: listSlugs(table, changed), sent };
  }

  private needsNothing({ table, before, given }: PlannedUpdate): boolean {
    const { writesUnchanged = false } = this.update;
    if (given.length === 0) return true;
    return !writesUnchanged && before !== undefined && isUnchanged(table, before, given, this.seesAll);
  }

  /**
   * Reads the fields of the table again if the record lacks one of the item: it may have been renamed or deleted in the middle
   * of the run.
   * @throws InputError if a column of the item no longer exists
   */
  private async refreshFields(record: ServiceRecord): Promise<Table> {
    const { client, update } = this;
    const { table: known, entries } = update;
    const missing = uniq(entries.map(([key]) => known.resolvePayloadField(key, 'Fields').field)).filter(
      (field) => listFieldKeys(record, { table: known, field }).length === 0,
    );
    if (missing.length === 0) return known;
    const keys = missing.map(({ slug }) => slug);
    const table = await readFieldsOnce(client, known.id, JSON.stringify(keys));
    const gone = findGoneColumn(known, table, entries);
    if (gone === undefined) return table;
    throw new InputError(
      `Fields: the table no longer has the field "${gone}"`,
      'Nothing was sent. It was renamed or deleted in the last seconds: choose the field again.',
    );
  }

  private async send(change: PlannedUpdate): Promise<SendOutcome> {
    const { client, update } = this;
    const { value: body, error: failure } = await settle(this.call(change));
    if (body) return this.checkAnswer(change, body);
    if (!mayHaveChanged(failure)) throw asThrown(failure);
    const { table, given } = change;
    const { value: read } = await settle(new RecordsById(client, table).readAlone(update.recordId));
    const after = read?.record;
    const isDone = after && !update.writesUnchanged && isUnchanged(table, after, given, this.seesAll);
    return isDone ? this.createResult(change, 'updated', after) : { unclear: failure as ApiError, after };
  }

  /** Lists of connections are sent once: another attempt computes them anew. */
  private async call(change: PlannedUpdate): Promise<Record<string, unknown>> {
    const { client, target, update, changesLists } = this;
    const { table, before, sent } = change;
    this.firstSent ??= change;
    const endpoint = changesLists
      ? { ...target.endpoint, effect: 'nonIdempotent' as const }
      : target.endpoint;
    const { path, createBody } = target;
    const body = createBody(sent, { table, record: before });
    try {
      return (await client.call(endpoint, { path, headers: update.headers, body })).body;
    } finally {
      lastWrites.set(client, [update.table.id, update.recordId], client.clock.now());
    }
  }

  private async checkAnswer(change: PlannedUpdate, body: Record<string, unknown>): Promise<UpdateResult> {
    const { client, update } = this;
    const { recordId, connectionChange = 'replace' } = update;
    const { table, before, sent } = change;
    // The lists that the item adds to or removes from are checked by `ensureListsChanged`.
    const entries = this.changesLists ? omitLists(table, sent) : sent;
    await verifyUpdated({ client, table, recordId, entries, before, body });
    const lists = this.firstLists;
    if (lists && connectionChange !== 'replace')
      await ensureListsChanged({ client, table, recordId, change: connectionChange, body, ...lists });
    const record = describeWritten({ table, id: recordId, entries: sent, before, shown: body.item });
    return this.createResult(change, 'updated', record);
  }

  private createResult(
    { before, table, sent }: PlannedUpdate,
    action: UpdateResult['action'],
    record: ServiceRecord | undefined,
  ): UpdateResult {
    const { recordId } = this.update;
    const changed = this.firstLists?.changed.map(({ field, ids }) => [field.slug, ids]);
    return {
      action,
      record: record ?? describeWritten({ table, id: recordId, entries: sent, before }),
      before: this.firstSent?.before ?? before,
      changed: this.firstSent?.changed,
      ...(changed && { changedConnections: Object.fromEntries(changed) }),
    };
  }

  /** The error of an update of which it is not known whether it was carried out, with what the record shows. */
  private explainUnclear({ unclear, after }: Extract<SendOutcome, { unclear: ApiError }>): unknown {
    const { recordId, writesUnchanged } = this.update;
    const seen = after && !writesUnchanged ? ['The record does not have the values of the item.'] : [];
    const named = unclear.explain({
      message: `Record ${recordId}: ${lowerFirst(unclear.message)}`,
      description: [...seen, unclear.description].join(' '),
      endpoint: this.target.endpoint,
    });
    return explainUncertainWrite(named);
  }
}

const listSlugs = (table: Table, entries: PayloadEntries): string[] =>
  uniq(entries.map(([key]) => table.resolvePayloadField(key, 'Fields').field.slug));

/** Waits for a result or an error. */
const settle = <T>(promise: Promise<T>): Promise<{ value?: T; error?: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const getReaders = memory.attached<Client, Map<string, RecordsById>>(
  'updatedRecords',
  { to: 'client', holds: 'the records of a table that are going to be updated' },
  () => new Map(),
);

function getReader(client: Client, table: Table): RecordsById {
  const readers = getReaders(client);
  const reader = readers.get(table.id) ?? new RecordsById(client, table, { maxAgeMs: MAX_READ_AGE_MS });
  readers.set(table.id, reader);
  return reader;
}

const getReadAgain = memory.attached<Client, Map<string, Promise<Table>>>(
  'tablesReadAgain',
  { to: 'client', holds: 'tables that were read again because a record had other fields' },
  () => new Map(),
);

/** Reads the fields of a table again, once for the same difference between them and a record. */
function readFieldsOnce(client: Client, tableId: string, difference: string): Promise<Table> {
  const tables = getReadAgain(client);
  const key = `${tableId} ${difference}`;
  const table = tables.get(key) ?? readTableAgain(client, tableId);
  tables.set(key, table);
  return table;
}
