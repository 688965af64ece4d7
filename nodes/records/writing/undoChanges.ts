/**
 * Undoes the changes of a run: `planUndo` compares each record with what the run wrote, `applyUndo` writes the old
 * values back, deletes what the run created, and creates anew what it deleted. A record that somebody has changed since
 * is left.
 */
import { isEqual, lowerFirst, partition, uniq } from 'lodash';
import {
  asThrown,
  type Client,
  formatForError,
  InputError,
  isBlank,
  isNotFoundByService,
  joinFirst,
  mapMany,
  runMany,
  type ServiceRecord,
  tryOr,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isEmptyValue } from '../fields/operators';
import { type RecordValues, encodeValue, equals, getRawValue, getShownValue } from '../fields/recordValues';
import { type FieldRef, type Table, formatPayloadKey, getValueField } from '../fields/table';
import { divideValues, joinTextsAndIds } from '../reading/givenValues';
import { RecordsById, readAllRecords, readRecord } from '../reading/readRecords';
import { toShownValues } from '../reading/writtenRecord';
import { createRecord } from './createOnce';
import { isFilled, listChangedEntries } from './currentValues';
import { deleteChecked } from './deleteRecords';
import { updateRecord } from './updateRecord';
import { verifyCreated } from './verifyWrite';

/** A change of a run, as its output item describes it. */
interface RunChange {
  /** Index of the item. */
  index: number;
  action: 'created' | 'updated' | 'deleted';
  id: string;
  /** The record after the change; of a deleted one, before it. In any form in which records are read. */
  values: RecordValues;
  /** The earlier values of the fields that changed. */
  before?: RecordValues;
}

/** What becomes of one record. */
interface UndoStep {
  id: string;
  /** The items that describe its changes. */
  indexes: number[];
  action: 'update' | 'delete' | 'create' | 'leave';
  /** The values that are written back, or those of the new record. */
  entries: PayloadEntries;
  /** The entries, as the service shows them. */
  values: RecordValues;
  /** The record as it was read. Undefined if it no longer exists. */
  record?: ServiceRecord;
  readAt: number;
  change: RecordChange;
  /** Why the record is left, or which of its values are lost. */
  reason?: string;
}

interface UndoResult {
  step: UndoStep;
  action?: 'updated' | 'deleted' | 'created' | 'left';
  /** The record after the undo, as far as it is known. */
  record?: ServiceRecord;
  error?: unknown;
}

interface UndoContext {
  client: Client;
  table: Table;
  /** IANA name of the zone of dates in the values. */
  timeZone: string;
}

/** The values of an item. */
interface GivenValues {
  /** Each field with all of its parts. */
  byField: Map<Field, PayloadEntries>;
  /** Values that cannot be written: files, masks, and values that the field does not take. */
  unwritable: Map<Field, unknown>;
  /** Values by keys that name no field of the table. */
  unknown: Map<string, unknown>;
}

const createGiven = (): GivenValues => ({ byField: new Map(), unwritable: new Map(), unknown: new Map() });

/** The changes of one record in a row, as one. */
interface RecordChange {
  id: string;
  indexes: number[];
  first: RunChange['action'];
  last: RunChange['action'];
  /** What the run wrote last. */
  written: GivenValues;
  /** What the fields held before the run. */
  before: GivenValues;
  hasBefore: boolean;
  /** Why its items cannot be read. */
  problem?: string;
}

/** What an earlier try of the same undo has done. */
interface EarlierUndo {
  /** The items that it has settled. */
  indexes: Set<number>;
  /** The IDs of the records that it has created. */
  createdIds: Set<string>;
}

/**
 * Compares the records of a run with what it wrote.
 * @param changes in the order in which they were made
 * @returns what is to be done, in the reverse order
 * @throws ApiError for a failed reading
 */
export async function planUndo(
  context: UndoContext,
  changes: RunChange[],
  earlier?: EarlierUndo,
): Promise<UndoStep[]> {
  const { client, table } = context;
  const groups = new Map<string, RunChange[]>();
  for (const change of changes) {
    const group = groups.get(change.id) ?? [];
    groups.set(change.id, group);
    group.push(change);
  }
  const left = [...groups.values()].filter(
    (group) => !group.some(({ index }) => earlier?.indexes.has(index)),
  );
  const records = left.map((group) => joinChanges(context, group));
  const ids = records.map(({ id }) => id);
  const reader = new RecordsById(client, table);
  const steps = await mapMany(records, client.concurrency, async (change) => {
    const read = await reader
      .read(change.id, () => ids)
      .catch((error: unknown) => {
        if (isNotFoundByService(error)) return undefined;
        throw asThrown(error);
      });
    return judge(table, change, read?.record, read?.readAt ?? client.clock.now());
  });
  return leaveRestored(context, steps.reverse(), new Set([...groups.keys(), ...(earlier?.createdIds ?? [])]));
}

/** Whether a key that names no field may be that of a field which the table had. Nodes add keys that begin with `_`. */
function mayNameField(key: string, values: RecordValues): boolean {
  const [, base = ''] = /^(.+)_(?:id|val|record)$/.exec(key) ?? [];
  return !key.startsWith('_') && !Object.hasOwn(values, base);
}

/** Reads the values of an item in the form of the service, whichever form the item has. */
function readGiven({ table, timeZone }: UndoContext, values: RecordValues): GivenValues {
  const { writable, leftOut } = divideValues(values, table);
  const { byField, unwritable, unknown } = createGiven();
  for (const [key, value] of Object.entries(joinTextsAndIds(writable, table, 'ids'))) {
    const ref = table.find(key);
    if (!ref && mayNameField(key, values)) unknown.set(key, value);
    if (!ref || ref.field.computed) continue;
    const { holdsFiles, isMasked } = getKind(ref.field);
    const encode = () => encodeValue(value, getValueField(ref), { timeZone });
    const entries = holdsFiles || isMasked ? undefined : tryOr(encode, undefined);
    if (entries) byField.set(ref.field, [...(byField.get(ref.field) ?? []), ...entries]);
    else unwritable.set(ref.field, value);
  }
  for (const { field, value } of leftOut)
    if (field && (!field.computed || getKind(field).holdsFiles)) unwritable.set(field, value);
  for (const field of unwritable.keys()) byField.delete(field);
  for (const [field, entries] of byField) byField.set(field, addBlankParts(table, field, entries));
  return { byField, unwritable, unknown };
}

/** Items leave out the blank parts of a Name, an Address or a Calendar. A range without `all_day` says nothing about it. */
function addBlankParts(table: Table, field: Field, entries: PayloadEntries): PayloadEntries {
  const given = new Set(entries.map(([key]) => key));
  const parts = (getKind(field).parts ?? []).filter(({ options }) => !options);
  const keys = parts.map((part) => formatPayloadKey({ table, field, part }));
  return [...entries, ...keys.flatMap((key): PayloadEntries => (given.has(key) ? [] : [[key, '']]))];
}

function joinChanges(context: UndoContext, group: RunChange[]): RecordChange {
  const [first, last] = [group[0] as RunChange, group.at(-1) as RunChange];
  const change: RecordChange = {
    id: first.id,
    indexes: group.map(({ index }) => index),
    first: first.action,
    last: last.action,
    written: createGiven(),
    before: createGiven(),
    hasBefore: group.every(({ before }) => before !== undefined),
  };
  try {
    for (const one of group) addChange(context, change, one);
  } catch (error) {
    if (!(error instanceof InputError)) throw asThrown(error);
    change.problem = lowerFirst(error.message);
  }
  return change;
}

/** @throws InputError for a key that several fields have as their name */
function addChange(context: UndoContext, { written, before }: RecordChange, change: RunChange): void {
  const values = readGiven(context, change.values);
  const earlier = readGiven(context, change.before ?? {});
  const add = <K, V>(select: (given: GivenValues) => Map<K, V>): void => {
    // The other values of an updated record are not those that the run wrote.
    for (const [key, value] of select(values))
      if (change.action !== 'updated' || select(earlier).has(key)) select(written).set(key, value);
    for (const [key, value] of select(earlier)) if (!select(before).has(key)) select(before).set(key, value);
  };
  add(({ byField }) => byField);
  add(({ unwritable }) => unwritable);
  add(({ unknown }) => unknown);
}

const nameAll = (names: string[]): string => joinFirst(uniq(names).map((name) => `"${name}"`));
const nameFields = (fields: Field[]): string => nameAll(fields.map(({ name }) => name));

/** Names the fields and keys whose filled values cannot be written. */
function nameLost(...given: GivenValues[]): string {
  const isEmpty = (value: unknown, field: Field) =>
    isBlank(value) || isEmptyValue(getKind(field).read(value, field) ?? 'unreadable');
  const fields = given.flatMap(({ unwritable }) => [...unwritable]);
  const keys = given.flatMap(({ unknown }) => [...unknown]);
  return nameAll([
    ...fields.flatMap(([field, value]) => (isEmpty(value, field) ? [] : field.name)),
    ...keys.flatMap(([key, value]) => (isEmptyValue(value) ? [] : key)),
  ]);
}

/** A field or a part whose value is not the given one. */
interface Difference {
  ref: FieldRef;
  given: unknown;
}

/** Whether a text is the form in which a service may store the given one. */
const isStoredForm = (value: unknown, given: unknown, ref: FieldRef): boolean =>
  typeof given === 'string' &&
  value !== undefined &&
  value === getKind(getValueField(ref)).toStoredText?.(given);

/** Lists what a record does not have. Of a Name, an Address or a Calendar, the parts that differ, or else the whole. */
function listDifferences(table: Table, record: ServiceRecord, entries: PayloadEntries): Difference[] {
  const byField = new Map<Field, PayloadEntries>();
  for (const entry of entries) {
    const { field } = table.resolvePayloadField(entry[0], 'Fields');
    byField.set(field, [...(byField.get(field) ?? []), entry]);
  }
  return [...byField].flatMap(([field, given]): Difference[] => {
    const different = listChangedEntries(table, record, given, true)
      .map(([key, value]) => ({ ref: table.resolvePayloadField(key, 'Fields'), given: value }))
      .filter((one) => !isStoredForm(getRawValue(record, one.ref), one.given, one.ref));
    if (!getKind(field).parts) return different;
    const ref = { table, field };
    const [shown, whole] = [getShownValue(record, ref), toShownValues(table, given)[field.slug]];
    if (shown !== undefined && equals(shown, whole, field)) return [];
    return different.length > 0 ? different : [{ ref, given: whole }];
  });
}

/** Whether the record shows what the item shows. Equal masks say nothing about the values. */
function showsSame(record: ServiceRecord, ref: FieldRef, given: unknown): boolean {
  const shown = getShownValue(record, ref);
  const { isMasked, read } = getKind(ref.field);
  if (isMasked) return isBlank(shown) && isBlank(given);
  const value = read(shown, ref.field);
  return isEqual(shown, given) || (value !== undefined && isEqual(value, read(given, ref.field)));
}

/** What becomes of a record: the part of a step that is decided. */
type Verdict = Pick<UndoStep, 'action' | 'reason'> & { entries?: PayloadEntries };

const leave = (reason: string): Verdict => ({ action: 'leave', reason });

/** Decides what becomes of a record. @param record as it is now; undefined if it does not exist */
function judge(
  table: Table,
  change: RecordChange,
  record: ServiceRecord | undefined,
  readAt: number,
): UndoStep {
  const { id, indexes } = change;
  const { entries = [], ...verdict } = decide(table, change, record);
  return { id, indexes, record, readAt, change, entries, values: toShownValues(table, entries), ...verdict };
}

function decide(table: Table, change: RecordChange, record: ServiceRecord | undefined): Verdict {
  const { first, last, problem } = change;
  if (problem !== undefined) return leave(problem);
  if (first === 'created' && last === 'deleted') return leave('the run created and deleted it');
  if (last === 'deleted') return record ? leave('a record with this ID exists') : decideDeleted(change);
  if (!record) return leave('it no longer exists');
  return first === 'created' ? decideCreated(table, change, record) : decideUpdated(table, change, record);
}

/** A record that the run deleted is created anew. */
function decideDeleted({ written, before }: RecordChange): Verdict {
  const values = new Map([...written.byField, ...before.byField]);
  if (values.size === 0) return leave('the item does not hold its values');
  const lost = nameLost(written, before);
  const reason = lost !== '' ? `the values of ${lost} are lost` : undefined;
  return { action: 'create', entries: [...values.values()].flat(), reason };
}

/** A record that the run created is deleted if it holds what the run wrote, and nothing else. */
function decideCreated(table: Table, { written }: RecordChange, record: ServiceRecord): Verdict {
  const different = listDifferences(table, record, [...written.byField.values()].flat());
  if (different.length > 0) return leave(describeDifferences(record, different));
  const filled = table.fields.filter(
    (field) =>
      (!field.computed || getKind(field).holdsFiles) &&
      !written.byField.has(field) &&
      (written.unwritable.has(field) || isFilled(record, { table, field })) &&
      !showsSame(record, { table, field }, written.unwritable.get(field)),
  );
  // The item of a file that the run has written does not show its address.
  const [incomparable, added] = partition(filled, (field) => {
    const { holdsFiles, isMasked } = getKind(field);
    return written.unwritable.has(field) || holdsFiles !== undefined || isMasked === true;
  });
  if (added.length > 0)
    return leave(`it was changed after the run: ${nameFields(added)} was empty, or is not in the item`);
  if (incomparable.length > 0)
    return leave(`what ${nameFields(incomparable)} holds cannot be compared with what the run wrote`);
  return { action: 'delete' };
}

/** A record that the run updated gets its old values if it holds what the run wrote. */
function decideUpdated(table: Table, change: RecordChange, record: ServiceRecord): Verdict {
  const { written, before, hasBefore } = change;
  if (!hasBefore) return leave('the item has no "_before"');
  if (before.unknown.size > 0)
    return leave(
      `the table has no field ${nameAll([...before.unknown.keys()])}, of which the item has the old value`,
    );
  if (before.unwritable.size > 0)
    return leave(`the old value of ${nameFields([...before.unwritable.keys()])} cannot be written`);
  const entries = [...before.byField.values()].flat();
  if (listDifferences(table, record, entries).length === 0) return leave('it is as before');
  const missing = [...before.byField.keys()].filter((field) => !written.byField.has(field));
  if (missing.length > 0) return leave(`the item lacks what the run wrote to ${nameFields(missing)}`);
  const different = listDifferences(table, record, [...written.byField.values()].flat());
  return different.length > 0 ? leave(describeDifferences(record, different)) : { action: 'update', entries };
}

function describeDifferences(record: ServiceRecord, differences: Difference[]): string {
  const texts = differences.map(
    ({ ref, given }) =>
      `"${ref.field.name}" is ${formatForError(getRawValue(record, ref))}, and the run wrote ${formatForError(given)}`,
  );
  return `it was changed after the run: ${joinFirst(texts, '; ')}`;
}

/**
 * Leaves what an undo before has created anew: a second one of the same items would double it. Each record stands for one
 * that was deleted.
 * @param known the IDs of records that stand for none: the run had them beside the deleted one
 */
async function leaveRestored(
  { client, table }: UndoContext,
  steps: UndoStep[],
  known: Set<string>,
): Promise<UndoStep[]> {
  if (!steps.some(({ action }) => action === 'create')) return steps;
  const all = await readAllRecords(client, { tableId: table.id, table });
  const records = all.filter(({ id }) => !known.has(id));
  const indexes = new Map<string, Map<string, ServiceRecord[]>>();
  const taken = new Set<ServiceRecord>();
  const takeSame = (entries: PayloadEntries): ServiceRecord | undefined => {
    const plain = entries.filter(([key]) => hasPlainForm(table.resolvePayloadField(key, 'Fields')));
    const refs = plain.map(([key]) => table.resolvePayloadField(key, 'Fields'));
    const name = JSON.stringify(plain.map(([key]) => key));
    const index = indexes.get(name) ?? groupByValues(records, refs);
    indexes.set(name, index);
    const values = plain.map(([, value], n) => toPlainForm(value, refs[n] as FieldRef));
    const group = index.get(JSON.stringify(values)) ?? [];
    const found = group.findIndex(
      (record) => !taken.has(record) && listDifferences(table, record, entries).length === 0,
    );
    const [same] = found < 0 ? [] : group.splice(found, 1);
    if (same) taken.add(same);
    return same;
  };
  return steps.map((step) => {
    const same = step.action === 'create' ? takeSame(step.entries) : undefined;
    return same ? { ...step, action: 'leave', reason: `record ${same.id} has its values` } : step;
  });
}

/** Whether equal values of a field have one plain form, by which records can be grouped. */
const hasPlainForm = ({ field, part }: FieldRef): boolean =>
  !part && !getKind(field).parts && !getKind(field).isEqual && !getKind(field).hasDisplayValues;

function toPlainForm(value: unknown, { field }: FieldRef): unknown {
  const read = getKind(field).read(value, field);
  if (isEmptyValue(read)) return '';
  return typeof read === 'object' ? 'filled' : read;
}

function groupByValues(records: ServiceRecord[], refs: FieldRef[]): Map<string, ServiceRecord[]> {
  const groups = new Map<string, ServiceRecord[]>();
  for (const record of records) {
    const key = JSON.stringify(refs.map((ref) => toPlainForm(getRawValue(record, ref), ref)));
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(record);
  }
  return groups;
}

/** Milliseconds for which the reading of a plan may be used. */
const MAX_AGE_MS = 30_000;

/**
 * Makes the changes of a plan: deletes first, then writes back and creates in the order of the steps. A record that changed
 * since the plan was made is left.
 * @returns what became of each step. Steps that were not reached after a failure are missing
 * @throws nothing: a failure is in the result of its step
 */
export async function applyUndo(
  context: UndoContext,
  steps: UndoStep[],
  { continuesOnFail }: { continuesOnFail: boolean },
): Promise<UndoResult[]> {
  const { client, table } = context;
  const judgeAgain = ({ change }: UndoStep, record: ServiceRecord | undefined) =>
    judge(table, change, record, client.clock.now());
  const results = await deleteCreated(context, steps, judgeAgain, continuesOnFail);
  const others = steps.filter(({ action }) => action !== 'delete');
  const hasFailed = results.some(({ error }) => error !== undefined);
  if (hasFailed && !continuesOnFail) return results;
  const writesUnique = others.some(({ entries }) =>
    entries.some(([key]) => table.resolvePayloadField(key, 'Fields').field.unique),
  );
  const done = await runMany(
    others,
    // A value of a unique field is free when the record that has it was written back.
    { concurrency: writesUnique ? 1 : client.concurrency, continuesOnFail },
    async (step): Promise<UndoResult> => {
      if (step.action === 'create') return recreate(context, step);
      const isOld = step.action === 'update' && client.clock.now() - step.readAt > MAX_AGE_MS;
      const current = isOld ? judgeAgain(step, await readRecord(client, table.id, step.id, { table })) : step;
      return current.action === 'update' ? writeBack(context, current) : { step: current, action: 'left' };
    },
  );
  const written = done.flatMap(({ step, value, error }): UndoResult[] =>
    error !== undefined ? [{ step, error }] : value ? [value] : [],
  );
  return [...results, ...written];
}

async function writeBack({ client, table, timeZone }: UndoContext, step: UndoStep): Promise<UndoResult> {
  const { id, entries, record, readAt } = step;
  const before = record && { record, readAt };
  const result = await updateRecord(client, { table, recordId: id, entries, before, timeZone });
  return { step, action: 'updated', record: result.record };
}

/** Creates a deleted record anew. A blank value need not be sent. */
async function recreate({ client, table }: UndoContext, step: UndoStep): Promise<UndoResult> {
  const entries = step.entries.filter(([, value]) => !isEmptyValue(value));
  const body = await createRecord(client, { table, entries });
  return { step, action: 'created', record: await verifyCreated(client, table, entries, body) };
}

/** Deletes what the run created. Each record is read once more just before. */
async function deleteCreated(
  { client, table }: UndoContext,
  steps: UndoStep[],
  judgeAgain: (step: UndoStep, record: ServiceRecord) => UndoStep,
  continuesOnFail: boolean,
): Promise<UndoResult[]> {
  const byId = new Map(steps.flatMap((step) => (step.action === 'delete' ? [[step.id, step] as const] : [])));
  const records = [...byId.values()].flatMap(({ record }) => record ?? []);
  const results = await deleteChecked(client, {
    tableId: table.id,
    records,
    recheck: {
      read: async () => [],
      mayDelete: (record) => judgeAgain(byId.get(record.id) as UndoStep, record).action === 'delete',
      reason: 'are no longer as the run wrote them',
    },
    continuesOnFail,
  });
  return results.map((result): UndoResult => {
    const step = byId.get(result.record.id) as UndoStep;
    if (result.action === 'failed') return { step, error: result.error };
    if (result.action === 'kept') {
      const { reason } = judgeAgain(step, result.record);
      return { step: { ...step, reason }, action: 'left' };
    }
    return { step, action: 'deleted', record: result.record };
  });
}
