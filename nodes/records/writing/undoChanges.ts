/**
 * Undoes the changes of a run: `planUndo` compares each record with what the run wrote, `applyUndo` writes the old
 * values back, deletes what the run created, and creates anew what it deleted. A record that somebody has changed since
 * is left.
 */
import { uniq } from 'lodash';
import {
  asThrown,
  type Client,
  formatForError,
  isNotFoundByService,
  joinFirst,
  mapMany,
  runMany,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, encodeValue, getRawValue } from '../fields/recordValues';
import { type Table, formatPayloadKey, getValueField } from '../fields/table';
import { isSameText } from '../reading/findByValues';
import { RecordsById, readAllRecords, readRecord } from '../reading/readRecords';
import { divideValues, joinTextsAndIds } from '../reading/simplifiedRecord';
import { createRecord } from './createOnce';
import { isFilled, listChangedEntries } from './currentValues';
import { deleteRecords } from './deleteRecords';
import { updateRecord } from './updateRecord';

/** A change of a run, as its output item describes it. */
export interface RunChange {
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
export interface UndoStep {
  id: string;
  /** The items that describe its changes. */
  indexes: number[];
  action: 'update' | 'delete' | 'create' | 'leave';
  /** The values that are written back, or those of the new record. */
  entries: PayloadEntries;
  /** The record as it was read. Undefined if it no longer exists. */
  record?: ServiceRecord;
  readAt: number;
  /** Why the record is left, or which of its values are lost. */
  reason?: string;
}

export interface UndoResult {
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

/** The values of an item by field, each with all of its parts, and the fields whose values cannot be written. */
interface GivenValues {
  byField: Map<Field, PayloadEntries>;
  lost: Field[];
}

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
}

/**
 * Compares the records of a run with what it wrote.
 * @param changes in the order in which they were made
 * @returns what is to be done, in the reverse order
 * @throws ApiError for a failed reading; InputError for values that no longer fit the table
 */
export async function planUndo(context: UndoContext, changes: RunChange[]): Promise<UndoStep[]> {
  const { client, table } = context;
  const groups = new Map<string, RunChange[]>();
  for (const change of changes) groups.set(change.id, [...(groups.get(change.id) ?? []), change]);
  const records = [...groups.values()].map((group) => joinChanges(context, group));
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
  return leaveRestored(context, steps.reverse());
}

/** Reads the values of an item in the form of the service, whichever form the item has. */
function readGiven({ table, timeZone }: UndoContext, values: RecordValues): GivenValues {
  const { writable, leftOut } = divideValues(values, table);
  const byField = new Map<Field, PayloadEntries>();
  for (const [key, value] of Object.entries(joinTextsAndIds(writable, table, 'ids'))) {
    const ref = table.find(key);
    if (!ref || ref.field.computed || getKind(ref.field).holdsFiles) continue;
    const entries = encodeValue(value, getValueField(ref), { timeZone });
    byField.set(ref.field, [...(byField.get(ref.field) ?? []), ...entries]);
  }
  for (const [field, entries] of byField) byField.set(field, addBlankParts(table, field, entries));
  const lost = leftOut.flatMap(({ field, value }) => (field && !field.computed && value ? [field] : []));
  return { byField, lost };
}

/** Items leave out the blank parts of a Name, an Address or a Calendar. */
function addBlankParts(table: Table, field: Field, entries: PayloadEntries): PayloadEntries {
  const given = new Set(entries.map(([key]) => key));
  const keys = (getKind(field).parts ?? []).map((part) => formatPayloadKey({ table, field, part }));
  return [...entries, ...keys.flatMap((key): PayloadEntries => (given.has(key) ? [] : [[key, '']]))];
}

function joinChanges(context: UndoContext, group: RunChange[]): RecordChange {
  const [first, last] = [group[0] as RunChange, group.at(-1) as RunChange];
  const written: GivenValues = { byField: new Map(), lost: [] };
  const before: GivenValues = { byField: new Map(), lost: [] };
  for (const change of group) {
    const values = readGiven(context, change.values);
    const earlier = readGiven(context, change.before ?? {});
    const isUpdate = change.action === 'updated';
    for (const [field, entries] of values.byField)
      if (!isUpdate || earlier.byField.has(field)) written.byField.set(field, entries);
    if (!isUpdate) written.lost.push(...values.lost);
    for (const [field, entries] of earlier.byField)
      if (!before.byField.has(field)) before.byField.set(field, entries);
    before.lost.push(...earlier.lost);
  }
  return {
    id: first.id,
    indexes: group.map(({ index }) => index),
    first: first.action,
    last: last.action,
    written,
    before,
    hasBefore: group.every(({ action, before: earlier }) => action !== 'updated' || earlier !== undefined),
  };
}

const nameFields = (fields: Field[]): string => joinFirst(uniq(fields).map(({ name }) => `"${name}"`));

/** Lists the entries that a record does not have. Texts that differ in case and blanks alone are equal. */
const listDifferent = (table: Table, record: ServiceRecord, entries: PayloadEntries): PayloadEntries =>
  listChangedEntries(table, record, entries, true).filter(
    ([key, value]) => !isSameText(getRawValue(record, table.resolvePayloadField(key, 'Fields')), value),
  );

/** Decides what becomes of a record. @param record as it is now; undefined if it does not exist */
function judge(
  table: Table,
  change: RecordChange,
  record: ServiceRecord | undefined,
  readAt: number,
): UndoStep {
  const { id, indexes, first, last, written, before, hasBefore } = change;
  const step = { id, indexes, record, readAt, entries: [] as PayloadEntries };
  const leave = (reason: string): UndoStep => ({ ...step, action: 'leave', reason });
  if (first === 'created' && last === 'deleted') return leave('the run created and deleted it');
  const writtenEntries = [...written.byField.values()].flat();
  const oldEntries = [...before.byField.values()].flat();
  if (last === 'deleted') {
    if (record) return leave('a record with this ID exists');
    const values = new Map([...written.byField, ...before.byField]);
    if (values.size === 0) return leave('the item does not hold its values');
    const lost = [...written.lost, ...before.lost];
    const reason = lost.length > 0 ? `the values of ${nameFields(lost)} are lost` : undefined;
    return { ...step, action: 'create', entries: [...values.values()].flat(), reason };
  }
  if (!record) return leave('it no longer exists');
  const namesChange = (entries: PayloadEntries): string => {
    const texts = entries.map(([key, value]) => {
      const ref = table.resolvePayloadField(key, 'Fields');
      return `"${ref.field.name}" is ${formatForError(getRawValue(record, ref))}, and the run wrote ${formatForError(value)}`;
    });
    return `it was changed after the run: ${joinFirst(texts, '; ')}`;
  };
  if (first === 'created') {
    const different = listDifferent(table, record, writtenEntries);
    const filled = table.writableFields.filter(
      (field) =>
        !written.byField.has(field) && !written.lost.includes(field) && isFilled(record, { table, field }),
    );
    if (different.length > 0) return leave(namesChange(different));
    if (filled.length > 0)
      return leave(`it was changed after the run: ${nameFields(filled)} was empty, or is not in the item`);
    return { ...step, action: 'delete' };
  }
  if (!hasBefore) return leave('the item has no "_before"');
  if (before.lost.length > 0) return leave(`the old value of ${nameFields(before.lost)} cannot be written`);
  if (listChangedEntries(table, record, oldEntries, true).length === 0) return leave('it is as before');
  const missing = [...before.byField.keys()].filter((field) => !written.byField.has(field));
  if (missing.length > 0) return leave(`the item lacks what the run wrote to ${nameFields(missing)}`);
  const different = listDifferent(table, record, writtenEntries);
  return different.length > 0
    ? leave(namesChange(different))
    : { ...step, action: 'update', entries: oldEntries };
}

/** Leaves what was created anew before: a second undo of the same items would double it. */
async function leaveRestored({ client, table }: UndoContext, steps: UndoStep[]): Promise<UndoStep[]> {
  if (!steps.some(({ action }) => action === 'create')) return steps;
  const records = await readAllRecords(client, { tableId: table.id, table });
  return steps.map((step) => {
    const same =
      step.action === 'create' &&
      records.find((record) => listChangedEntries(table, record, step.entries, true).length === 0);
    return same ? { ...step, action: 'leave', reason: `record ${same.id} has its values` } : step;
  });
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
  changes: RunChange[],
  steps: UndoStep[],
  { continuesOnFail }: { continuesOnFail: boolean },
): Promise<UndoResult[]> {
  const { client, table } = context;
  const judgeAgain = ({ indexes }: UndoStep, record: ServiceRecord | undefined) => {
    const group = changes.filter(({ index }) => indexes.includes(index));
    return judge(table, joinChanges(context, group), record, client.clock.now());
  };
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
  const isBlank = (value: unknown) =>
    value === '' || value === null || (Array.isArray(value) && value.length === 0);
  const entries = step.entries.filter(([, value]) => !isBlank(value));
  const { id } = await createRecord(client, { table, entries });
  return { step, action: 'created', record: { id } };
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
  const results = await deleteRecords(client, {
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
