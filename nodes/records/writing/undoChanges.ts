/**
 * Undoes the changes of a run: deletes created records, writes old values back, and creates deleted records again. A
 * record that was changed after the run is left as it is.
 */
import { countBy, groupBy, orderBy, partition, union, uniq } from 'lodash';
import {
  type Client,
  formatForError,
  InputError,
  isBlank,
  joinFirstTexts,
  runSteps,
  type ServiceRecord,
  tryOr,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import {
  type RecordValues,
  encodeValue,
  areEqual,
  getFieldValue,
  isEmptyFor,
  isFieldFilled,
  toComparableValue,
} from '../fields/recordValues';
import { type Table, toRefField } from '../fields/table';
import { partitionItemValues, joinTextsAndIds } from '../reading/givenValues';
import { readAllRecords } from '../reading/readRecords';
import { type DatedRecord, MAX_READ_AGE_MS, RecordReader } from '../reading/recordReader';
import { getTable } from '../reading/tables';
import { toRecordValues } from '../reading/writtenRecord';
import { createRecord } from './createRecord';
import { completeComposites } from './currentValues';
import { deleteRecordIfPresent } from './deleteRecords';
import { type UpdateResult, updateRecord } from './updateRecord';

/** A change that a run has made, as its output item shows it. */
interface RunChange {
  index: number;
  action: 'created' | 'updated' | 'deleted';
  table: Table;
  id: string;
  /** The record after the change, or before its deletion. It may have any form in which nodes return records. */
  values: RecordValues;
  /** The values of the changed fields before the change. */
  before?: RecordValues;
}

/** The values to send, by field. The entries of a composite contain all of its parts. */
type EntriesByField = Map<Field, PayloadEntries>;

interface UndoStep {
  change: JoinedChange;
  action: 'update' | 'delete' | 'create' | 'leave';
  /** The values that the step writes. Values of connections contain IDs from before the run (`replaceOldIds`). */
  values: EntriesByField;
  /** The connections of a new record to records that are created after it. They are written last. */
  later: EntriesByField;
  /** The record as it is now. Undefined if it no longer exists. */
  record?: ServiceRecord;
  readAt: number;
  /** Why the record is left as it is. For a record that is created again: which values it lacks. */
  reasons: string[];
  /** `values` with new IDs, as the service shows them. */
  shown: RecordValues;
}

interface UndoPlan {
  /** The steps, in the reverse order of the changes. */
  steps: UndoStep[];
  /** The steps that create records. A record is created in a later round than the records that it connects to. */
  rounds: UndoStep[][];
  idReplacer: IdReplacer;
}

/** What the undo did with a record. After a failure, `error` is set and `action` is not. */
interface UndoResult extends Partial<Pick<UpdateResult, 'before' | 'changed'>> {
  step: UndoStep;
  action?: 'updated' | 'deleted' | 'created' | 'left';
  /** The record after the undo as far as it is known (`buildWrittenRecord`). */
  record?: ServiceRecord;
  error?: unknown;
}

interface UndoContext {
  client: Client;
  timeZone: string;
}

/** A file, a masked value, a value that its field refuses, or a value whose key is no field. */
interface UnwritableValue {
  unwritable: unknown;
}

/** The values by field, or by key if the key is no field. */
type UndoValues = Map<Field | string, PayloadEntries | UnwritableValue>;

const listWritableValues = (given: UndoValues): EntriesByField =>
  new Map([...given].filter((one): one is [Field, PayloadEntries] => Array.isArray(one[1])));

/** All changes that the run has made to one record. */
interface JoinedChange {
  key: string;
  table: Table;
  id: string;
  indexes: number[];
  first: RunChange['action'];
  last: RunChange['action'];
  /** For each field, the value that the run wrote last. */
  written: UndoValues;
  /** For each written field, its value before the run. */
  before: UndoValues;
  /** Fields whose old values the items lack. If the record shows such a field, the run did not change it. */
  withoutOldValue: Field[];
  hasBefore: boolean;
}

/** Records of several tables may have the same ID (evidence 7). */
const toRecordKey = (tableId: string, id: string): string => JSON.stringify([tableId, id]);

/** A record that is created again has a new ID, but items still contain its old one. */
class IdReplacer {
  /** Deleted records by `toRecordKey`. `pending`: will be created again. `failed`: a create returned no `newId`. */
  readonly deleted = new Map<string, { pending?: true; failed?: true; newId?: string }>();

  /** Replaces each ID by the result of `toId`, or removes it if the result is undefined. */
  private replaceIds(value: unknown, field: Field, toId: (key: string, id: string) => string | undefined) {
    const { tableId } = field.connection ?? {};
    const ids = tableId === undefined ? undefined : getKind(field).normalize(value, field);
    if (tableId === undefined || !Array.isArray(ids)) return value;
    return (ids as string[]).flatMap((id) => toId(toRecordKey(tableId, id), id) ?? []);
  }

  /** Replaces an old ID by `newId`. Removes the ID of a deleted record without `newId`: only some services show it. */
  toPresentValue = (value: unknown, field: Field): unknown =>
    this.replaceIds(value, field, (key, id) => (this.deleted.get(key) ?? { newId: id }).newId);

  /** Replaces an old ID by `newId`. Keeps the ID of a deleted record without `newId`. */
  toRestoredValue = (value: unknown, field: Field): unknown =>
    this.replaceIds(value, field, (key, id) => this.deleted.get(key)?.newId ?? id);

  /** Lists the keys (`toRecordKey`) of the records in the value of a connection. */
  listConnectedKeys(value: unknown, field: Field): string[] {
    const keys: string[] = [];
    this.replaceIds(value, field, (key) => void keys.push(key));
    return keys;
  }

  listAllConnectedKeys = (values: EntriesByField): string[] =>
    [...values].flatMap(([field, entries]) => this.listConnectedKeys(entries[0]?.[1], field));

  /** Returns values that can be sent, with new IDs. `lost` describes the connected records that no longer exist. */
  replaceOldIds(values: EntriesByField): { values: EntriesByField; lost: string[] } {
    const lost: string[] = [];
    const resolved = new Map(values);
    for (const [field, [entry]] of values) {
      const ids = this.replaceIds(entry?.[1], field, (key, id) => {
        const { pending, newId } = this.deleted.get(key) ?? { newId: id };
        if (pending || newId !== undefined) return newId ?? id;
        lost.push(`"${field.name}" held ${formatForError(id)}, which no record has any more`);
        return undefined;
      });
      if (field.connection && Array.isArray(ids))
        resolved.set(field, [[field.slug, field.connection.many ? ids : (ids[0] ?? '')]]);
    }
    return { values: resolved, lost };
  }

  /**
   * Call this function before a create: a second undo would not recognize a record that lacks a connection,
   * and would create the record again.
   * @throws InputError for a connected record whose creation failed
   */
  ensureTargetsCreated(values: EntriesByField): void {
    for (const [field, [entry]] of values) {
      const failed = this.listConnectedKeys(entry?.[1], field).find((key) => this.deleted.get(key)?.failed);
      if (failed === undefined) continue;
      const [, id] = JSON.parse(failed) as [tableId: string, id: string];
      throw new InputError(
        `"${field.name}" held ${formatForError(id)}, which could not be created again`,
        'Nothing was sent. Undo the same items again. To go on without the connection, leave out the item of the other record.',
      );
    }
  }
}

const listEntries = (values: EntriesByField): PayloadEntries => [...values.values()].flat();

/**
 * Compares the records with what the run wrote, and decides what the undo does with each record.
 * @param changes the changes in the order of the run. They may be in several tables
 * @param earlier the records that earlier attempts handled. `newId` differs from `id` if a record was created again
 * @throws ApiError for a failed reading
 */
export async function planUndo(
  context: UndoContext,
  changes: RunChange[],
  earlier: Array<Record<'tableId' | 'id' | 'newId', string>> = [],
): Promise<UndoPlan> {
  const { client } = context;
  const idReplacer = new IdReplacer();
  const groups = Object.entries(groupBy(changes, ({ table, id }) => toRecordKey(table.id, id)));
  const settled = new Set(earlier.map(({ tableId, id }) => toRecordKey(tableId, id)));
  for (const [key, group] of groups)
    if (group.at(-1)?.action === 'deleted' || (settled.has(key) && group[0]?.action === 'created'))
      idReplacer.deleted.set(key, {});
  for (const { tableId, id, newId } of earlier)
    if (newId !== id) idReplacer.deleted.set(toRecordKey(tableId, id), { newId });
  const left = groups.filter(([key]) => !settled.has(key));
  const keys = left.map(([key]) => key);
  const found = await findExistingRecords(client, keys);
  const steps = left.map((group) =>
    toStep(client, idReplacer, joinChanges(context, idReplacer, group), found.get(group[0])),
  );
  for (const step of steps)
    if (step.action === 'create') idReplacer.deleted.set(step.change.key, { pending: true });
  await markDeletedTargets(client, idReplacer, steps);
  for (const step of steps) {
    const { values, lost } = idReplacer.replaceOldIds(step.values);
    if (lost.length > 0 && step.action === 'update') step.action = 'leave';
    step.reasons.push(...lost);
    step.shown = toRecordValues(step.change.table, listEntries(values));
  }
  const rounds = orderRecreations(idReplacer, steps);
  const known = new Set(groups.map(([key]) => key));
  for (const { tableId, newId } of earlier) known.add(toRecordKey(tableId, newId));
  await skipRecreatedRecords(client, idReplacer, rounds.flat(), known);
  return { steps: steps.reverse(), rounds, idReplacer };
}

/** Returns the records that still exist, by `toRecordKey`. */
async function findExistingRecords(client: Client, keys: string[]): Promise<Map<string, DatedRecord>> {
  const found = new Map<string, DatedRecord>();
  const all = keys.map((key) => JSON.parse(key) as [tableId: string, id: string]);
  for (const [tableId, ofTable] of Object.entries(groupBy(all, ([id]) => id))) {
    const reader = new RecordReader(client, await getTable(client, tableId));
    for (const reading of await reader.findRecords(ofTable.map(([, id]) => id)))
      found.set(toRecordKey(tableId, reading.record.id), reading);
  }
  return found;
}

/** Marks connected records that no longer exist. Only connections that the undo restores can contain their IDs. */
async function markDeletedTargets(client: Client, idReplacer: IdReplacer, steps: UndoStep[]): Promise<void> {
  const keys = new Set<string>();
  for (const { change, values, record = {} } of steps)
    for (const [field, [entry]] of values) {
      const shown = idReplacer.listConnectedKeys(
        getFieldValue(record, { table: change.table, field }),
        field,
      );
      for (const key of idReplacer.listConnectedKeys(entry?.[1], field))
        if (!shown.includes(key)) keys.add(key);
    }
  const unread = [...keys].filter((key) => !idReplacer.deleted.has(key));
  const found = await findExistingRecords(client, unread);
  for (const key of unread) if (!found.has(key)) idReplacer.deleted.set(key, {});
}

/**
 * Each record is created after the records that it connects to. If records connect to each other, the one to which most
 * others connect is created first, and its connections to later records are written last.
 */
function orderRecreations(idReplacer: IdReplacer, steps: UndoStep[]): UndoStep[][] {
  const creates = steps.filter(({ action }) => action === 'create');
  const waiting = new Set(creates.map(({ change }) => change.key));
  const mustWait = (one: EntriesByField) =>
    idReplacer.listAllConnectedKeys(one).some((key) => waiting.has(key));
  const counts = countBy(creates.flatMap(({ values }) => idReplacer.listAllConnectedKeys(values)));
  const rounds: UndoStep[][] = [];
  let left = orderBy(creates, (step) => counts[step.change.key] ?? 0, 'desc');
  while (left.length > 0) {
    const ready = left.filter(({ values }) => !mustWait(values));
    const round = ready.length > 0 ? ready : left.slice(0, 1);
    for (const step of round) {
      const [later, values] = partition([...step.values], (one) => mustWait(new Map([one])));
      Object.assign(step, { later: new Map(later), values: new Map(values) });
    }
    for (const step of round) waiting.delete(step.change.key);
    left = left.filter((step) => waiting.has(step.change.key));
    rounds.push(round);
  }
  return rounds;
}

/** Whether a key may be of a deleted field. Nodes add other keys: `_action`, and `customer_id` beside `customer`. */
function mayBeDeletedField(key: string, values: RecordValues): boolean {
  const [, base = ''] = /^(.+)_(?:id|val|record)$/.exec(key) ?? [];
  return !key.startsWith('_') && !Object.hasOwn(values, base);
}

function readItemValues(table: Table, timeZone: string, values: RecordValues): UndoValues {
  const { writable, leftOut } = partitionItemValues(values, table);
  const given: UndoValues = new Map();
  for (const [key, value] of Object.entries(joinTextsAndIds(writable, table, 'ids'))) {
    const ref = table.findRef(key);
    if (!ref && mayBeDeletedField(key, values)) given.set(key, { unwritable: value });
    if (!ref || ref.field.isReadOnly) continue;
    const { holdsFiles, isMasked } = getKind(ref.field);
    const encode = () => encodeValue(value, toRefField(ref), { timeZone });
    const entries = holdsFiles || isMasked ? undefined : tryOr(encode, undefined);
    const others = given.get(ref.field) ?? [];
    if (Array.isArray(others))
      given.set(ref.field, entries ? [...others, ...entries] : { unwritable: value });
  }
  for (const { field, value } of leftOut)
    if (field && (!field.isReadOnly || getKind(field).holdsFiles)) given.set(field, { unwritable: value });
  // Items leave out the blank parts of a Name, Address or Calendar, so these parts are added.
  const blank = { id: '', ...Object.fromEntries(table.fields.map(({ slug }) => [slug, ''])) };
  for (const [field, entries] of listWritableValues(given))
    given.set(field, completeComposites(table, blank, entries, { timeZone }));
  return given;
}

/** Returns the values before the first change, and the values that the run wrote last. */
function joinChanges(
  { timeZone }: UndoContext,
  idReplacer: IdReplacer,
  [key, group]: [string, RunChange[]],
): JoinedChange {
  const [first, last] = [group[0] as RunChange, group.at(-1) as RunChange];
  const { table, id } = first;
  const written: UndoValues = new Map();
  const before: UndoValues = new Map();
  const withoutOldValue: Field[] = [];
  // When the run deleted a connected record, the service also removed the connection to it. The undo restores both.
  const hasDeletedTarget = ([field, [entry]]: [Field, PayloadEntries]) =>
    idReplacer.listConnectedKeys(entry?.[1], field).some((one) => idReplacer.deleted.has(one));
  for (const { action, ...change } of group) {
    const values = readItemValues(table, timeZone, change.values);
    const lost = action === 'updated' ? [...listWritableValues(values)].filter(hasDeletedTarget) : [];
    const earlier = new Map([...lost, ...readItemValues(table, timeZone, change.before ?? {})]);
    // In an updated record, the run wrote only the fields with an earlier value.
    for (const [field, value] of values)
      if (action !== 'updated' || earlier.has(field)) written.set(field, value);
      else if (typeof field !== 'string') withoutOldValue.push(field);
    for (const [field, value] of earlier) if (!before.has(field)) before.set(field, value);
  }
  const indexes = group.map(({ index }) => index);
  const hasBefore = group.every((change) => change.before !== undefined);
  const actions = { first: first.action, last: last.action };
  return { key, table, id, indexes, ...actions, written, before, withoutOldValue, hasBefore };
}

const formatNames = (fields: Array<Field | string>): string =>
  joinFirstTexts(uniq(fields.map((field) => `"${typeof field === 'string' ? field : field.name}"`)));

const cannotBeRestored = ([field, value]: [Field | string, PayloadEntries | UnwritableValue]): boolean => {
  if (Array.isArray(value)) return false;
  const { unwritable } = value;
  return typeof field === 'string' ? !isEmptyValue(unwritable) : !isEmptyFor(unwritable, field);
};

/** @param convert replaces the IDs of deleted records in `values` */
function listDifferences(
  { table }: JoinedChange,
  idReplacer: IdReplacer,
  record: ServiceRecord,
  values: EntriesByField,
  convert = idReplacer.toPresentValue,
): string[] {
  return [...values].flatMap(([field, entries]) => {
    const shown = getFieldValue(record, { table, field });
    const given = toRecordValues(table, entries)[field.slug];
    // A value that the record does not show is unknown, so it counts as different.
    const isSame =
      shown !== undefined && areEqual(idReplacer.toPresentValue(shown, field), convert(given, field), field);
    if (isSame) return [];
    const now = shown === undefined ? 'not shown' : formatForError(shown);
    return `"${field.name}" is ${now}, and the run wrote ${formatForError(given)}`;
  });
}

type StepPlan = Pick<UndoStep, 'action'> & Partial<Pick<UndoStep, 'values' | 'reasons'>>;

const leave = (...reasons: string[]): StepPlan => ({ action: 'leave', reasons });

const leaveChangedRecord = (differences: string[]): StepPlan =>
  leave(`it was changed after the run: ${joinFirstTexts(differences, '; ')}`);

/** @param read the record as it is now. Undefined if it does not exist */
function toStep(client: Client, idReplacer: IdReplacer, change: JoinedChange, read?: DatedRecord): UndoStep {
  const { record, readAt = client.clock.now() } = read ?? {};
  const step = { change, record, readAt, values: new Map(), later: new Map(), reasons: [], shown: {} };
  return { ...step, ...planStep(idReplacer, change, record) };
}

function planStep(idReplacer: IdReplacer, change: JoinedChange, record: ServiceRecord | undefined): StepPlan {
  const { first, last } = change;
  if (first === 'created' && last === 'deleted') return leave('the run created and deleted it');
  if (last === 'deleted') return record ? leave('a record with this ID exists') : planUndoOfDelete(change);
  if (!record) return leave('it no longer exists');
  const decideExisting = first === 'created' ? planUndoOfCreate : planUndoOfUpdate;
  return decideExisting(idReplacer, change, record);
}

function planUndoOfDelete({ table, written, before }: JoinedChange): StepPlan {
  const given: UndoValues = new Map([...written, ...before]);
  const values = listWritableValues(given);
  if (values.size === 0) return leave('the item does not hold its values');
  const lost = [...given].filter(cannotBeRestored).map(([field]) => field);
  const missing = table.writableFields.filter((field) => !given.has(field));
  const reasons = [
    ...(lost.length > 0 ? [`the values of ${formatNames(lost)} are lost`] : []),
    ...(missing.length > 0 ? [`the item lacks ${formatNames(missing)}`] : []),
  ];
  return { action: 'create', values, reasons };
}

/** Plans to delete a created record, if it has only the values that the run wrote. */
function planUndoOfCreate(idReplacer: IdReplacer, change: JoinedChange, record: ServiceRecord): StepPlan {
  const { table, written } = change;
  const values = listWritableValues(written);
  const different = listDifferences(change, idReplacer, record, values);
  if (different.length > 0) return leaveChangedRecord(different);
  const unequal = table.fields.filter((field) => {
    const { holdsFiles, isMasked } = getKind(field);
    if ((field.isReadOnly && !holdsFiles) || values.has(field)) return false;
    if (!written.has(field) && !isFieldFilled(record, { table, field })) return false;
    const { unwritable } = (written.get(field) ?? {}) as Partial<UnwritableValue>;
    const shown = getFieldValue(record, { table, field });
    // Different values may have equal masks, so a masked value counts as different.
    return (isMasked && !isBlank(shown)) || !areEqual(shown, unwritable, field);
  });
  return unequal.length > 0
    ? leave(`what ${formatNames(unequal)} holds is not in the item, or cannot be compared with it`)
    : { action: 'delete' };
}

/** Plans to write the old values back, if the record still has the values that the run wrote. */
function planUndoOfUpdate(idReplacer: IdReplacer, change: JoinedChange, record: ServiceRecord): StepPlan {
  const { table, written, before, withoutOldValue, hasBefore } = change;
  if (!hasBefore) return leave('the item has no "_before"');
  const [values, old] = [listWritableValues(written), listWritableValues(before)];
  const unwritable = [...before.keys()].filter((field) => !old.has(field as Field));
  if (unwritable.length > 0) return leave(`the old value of ${formatNames(unwritable)} cannot be written`);
  // The run may have changed a field that the service does not show. The item then has no old value to write back.
  const hidden = withoutOldValue.filter((field) => getFieldValue(record, { table, field }) === undefined);
  const reasons = hidden.length > 0 ? [`the item lacks the old value of ${formatNames(hidden)}`] : [];
  if (listDifferences(change, idReplacer, record, old, idReplacer.toRestoredValue).length === 0)
    return leave(...(hidden.length > 0 ? reasons : ['it is as before']));
  const missing = [...old.keys()].filter((field) => !values.has(field));
  if (missing.length > 0) return leave(`the item lacks what the run wrote to ${formatNames(missing)}`);
  const different = listDifferences(change, idReplacer, record, values);
  return different.length > 0 ? leaveChangedRecord(different) : { action: 'update', values: old, reasons };
}

/**
 * Leaves out the steps of records that an earlier undo of the same items has created again.
 * @param known the keys of the records of the run and of this undo, which the earlier undo cannot have created
 */
async function skipRecreatedRecords(
  client: Client,
  idReplacer: IdReplacer,
  steps: UndoStep[],
  known: ReadonlySet<string>,
): Promise<void> {
  const findGroup = new Map<Table, (values: RecordValues) => ServiceRecord[]>();
  for (const ofTable of Object.values(groupBy(steps, ({ change }) => change.table.id))) {
    const { table } = (ofTable[0] as UndoStep).change;
    const fields = table.fields.filter(
      (field) => isComparableByText(field) && ofTable.every(({ values }) => values.has(field)),
    );
    const records = await readAllRecords(client, { tableId: table.id, table });
    const candidates = records.filter(({ id }) => !known.has(toRecordKey(table.id, id)));
    const groups = groupBy(candidates, (record) => formatComparableText(table, record, fields));
    findGroup.set(table, (values) => groups[formatComparableText(table, values, fields)] ?? []);
  }
  for (const step of steps) {
    const { change, later } = step;
    const { values } = idReplacer.replaceOldIds(step.values);
    const group = findGroup.get(change.table)?.(step.shown) ?? [];
    const index = group.findIndex(
      (record) =>
        listDifferences(change, idReplacer, record, values, idReplacer.toRestoredValue).length === 0,
    );
    const [same] = index < 0 ? [] : group.splice(index, 1);
    if (!same) continue;
    idReplacer.deleted.set(step.change.key, { newId: same.id });
    // The connections in `later` are written last. The earlier undo may have ended before it wrote them.
    const lacking = [...later.keys()].filter((field) =>
      isEmptyFor(getFieldValue(same, { table: change.table, field }), field),
    );
    const lacks = lacking.length > 0 ? `, but not those of ${formatNames(lacking)}` : '';
    Object.assign(step, { action: 'leave', reasons: [`record ${same.id} has its values${lacks}`] });
  }
}

/** Whether `formatComparableText` returns the same text for all equal values of a field. */
const isComparableByText = (field: Field): boolean => {
  const { parts, isEqual: hasOtherForms, hasDisplayValues } = getKind(field);
  return !parts && !hasOtherForms && !hasDisplayValues;
};

/** Records with equal values have the same text. */
const formatComparableText = (table: Table, record: RecordValues, fields: Field[]): string =>
  JSON.stringify(fields.map((field) => toComparableValue(getFieldValue(record, { table, field }), field)));

/**
 * Leaves a record as it is if it was changed after the plan was made. Writes connections to created records last.
 * @returns a result for each step that was handled. After a failure, the other steps have none
 * @throws nothing: a failure is in the result of its step
 */
export async function applyUndo(
  context: UndoContext,
  { steps, rounds, idReplacer }: UndoPlan,
  { continuesOnFail }: { continuesOnFail: boolean },
): Promise<UndoResult[]> {
  const run = new UndoRun(context, idReplacer, continuesOnFail);
  const listSteps = (action: UndoStep['action']) => steps.filter((step) => step.action === action);
  const mustWait = ({ values }: UndoStep) =>
    idReplacer.listAllConnectedKeys(values).some((key) => idReplacer.deleted.get(key)?.pending);
  const [waiting, free] = partition(listSteps('update'), mustWait);
  for (const step of listSteps('leave')) run.results.set(step, { step, action: 'left' });
  const deletes = listSteps('delete');
  // All records to delete are marked first: a record that loses its connection to another of them must not seem to have
  // been changed since the run.
  for (const { change } of deletes) idReplacer.deleted.set(change.key, {});
  await run.executeSteps(deletes, run.delete);
  for (const { change } of deletes.filter(run.stillExists)) idReplacer.deleted.delete(change.key);
  await run.executeSteps(free, run.update);
  const creates = rounds.map((round) => round.filter(({ action }) => action === 'create'));
  for (const round of creates) await run.executeSteps(round, run.recreate);
  await run.executeSteps(waiting, run.update);
  const isCreated = (step: UndoStep) => run.results.get(step)?.action === 'created';
  const unconnected = creates.flat().filter((step) => step.later.size > 0 && isCreated(step));
  await run.executeSteps(unconnected, run.connect);
  return union(deletes, steps).flatMap((step) => run.results.get(step) ?? []);
}

class UndoRun {
  readonly results = new Map<UndoStep, UndoResult>();

  constructor(
    private readonly context: UndoContext,
    private readonly idReplacer: IdReplacer,
    private readonly continuesOnFail: boolean,
  ) {}

  private get hasEnded(): boolean {
    return !this.continuesOnFail && [...this.results.values()].some(({ error }) => error !== undefined);
  }

  async executeSteps(steps: UndoStep[], writeOne: (step: UndoStep) => Promise<UndoResult>): Promise<void> {
    if (this.hasEnded) return;
    const { continuesOnFail } = this;
    // A unique value can be written only after the record that had it was changed, so steps run one after the other.
    const isUnique = steps.some(({ values }) => [...values.keys()].some(({ unique }) => unique));
    const concurrency = isUnique ? 1 : this.context.client.concurrency;
    const done = await runSteps(steps, { concurrency, continuesOnFail }, writeOne);
    for (const { step, value, error } of done) {
      if (value || error !== undefined) this.results.set(step, value ?? { step, error });
    }
  }

  update = async (step: UndoStep): Promise<UndoResult> => {
    const { client, timeZone } = this.context;
    const { table, id } = step.change;
    const isOld = client.clock.now() - step.readAt > MAX_READ_AGE_MS;
    const current = isOld ? await this.readAndPlanAgain(step) : step;
    const { values, lost } = this.idReplacer.replaceOldIds(current.values);
    current.reasons.push(...lost);
    this.idReplacer.ensureTargetsCreated(current.values);
    if (current.action !== 'update' || lost.length > 0) return { step: current, action: 'left' };
    const { record, readAt } = current;
    const before = record && { record, readAt };
    const update = { table, recordId: id, entries: listEntries(values), before, timeZone };
    return { ...(await updateRecord(client, update)), step, action: 'updated' };
  };

  /** Creates a deleted record again, without its blank values. */
  recreate = async (step: UndoStep): Promise<UndoResult> => {
    const { client } = this.context;
    const { deleted } = this.idReplacer;
    const { table, key } = step.change;
    deleted.set(key, { failed: true });
    this.idReplacer.ensureTargetsCreated(step.values);
    const { values, lost } = this.idReplacer.replaceOldIds(step.values);
    step.reasons.push(...lost);
    const entries = listEntries(values).filter(([, value]) => !isEmptyValue(value));
    const onCreated = (newId: string) => void deleted.set(key, { newId });
    return { ...(await createRecord(client, { table, entries, onCreated })), step };
  };

  /** Updates a new record with its connections to records that were created after it. */
  connect = async (step: UndoStep): Promise<UndoResult> => {
    const { client, timeZone } = this.context;
    const { newId: recordId = '' } = this.idReplacer.deleted.get(step.change.key) ?? {};
    const { values, lost } = this.idReplacer.replaceOldIds(step.later);
    step.reasons.push(...lost);
    const update = { table: step.change.table, recordId, entries: listEntries(values), timeZone };
    const { record } = await updateRecord(client, update);
    return { step, action: 'created', record };
  };

  delete = async (step: UndoStep): Promise<UndoResult> => {
    const current = await this.readAndPlanAgain(step);
    if (current.action !== 'delete') return { step: current, action: 'left' };
    await deleteRecordIfPresent(this.context.client, step.change.table.id, step.change.id);
    return { step, action: 'deleted', record: current.record };
  };

  /** Whether a record to delete still exists, because it was left as it is or its deletion failed. */
  stillExists = (step: UndoStep): boolean => {
    const { action, step: current } = this.results.get(step) ?? {};
    return action !== 'deleted' && current?.record !== undefined;
  };

  private async readAndPlanAgain({ change }: UndoStep): Promise<UndoStep> {
    const { client } = this.context;
    const found = await findExistingRecords(client, [change.key]);
    return toStep(client, this.idReplacer, change, found.get(change.key));
  }
}
