/** The decision about a delivery: whether it starts the workflow, and with which item. */
import { omit, pickBy } from 'lodash';
import { createItemBuilder, findEarlierValues, pickShortValues } from '../n8n/trigger/triggerItem';
import {
  compileFilter,
  completeRecord,
  type Field,
  type FieldRef,
  getRawValue,
  hasConnectionNames,
  hashFieldValues,
  type RecordValues,
  type Table,
  UnknownFieldError,
} from '../records';
import { asThrown } from '../service';
import type { TriggerParameters } from './form';
import { type Delivery, FIELD_HASH_LENGTH, type TriggerMemory } from './staticData';

/**
 * Decides how to process a delivery. This function is pure: if it needs data of the service, it returns what it needs,
 * and the caller calls it again with this data. A field that the form names and the delivery lacks is read from the
 * service and never treated as empty. If it cannot be read for a deleted record, the workflow starts and `_notChecked`
 * lists the check.
 * @throws the error of a form that does not fit the table, or of a needed record that could not be read
 */
export function decide(facts: Facts): Decision | MissingFact {
  const rejection = rejectUnwanted(facts);
  if (rejection) return rejection;

  const form = tryCompileForm(facts);
  if (!form) return { fact: 'table' };

  const watched = compareWatchedFields(facts, form);
  const needs = findRecordNeeds(facts, form);
  const ignored = ignoreUnchanged(facts, watched) ?? ignoreUnmatched(facts, form, needs, watched);
  // A delivery without a token is verified before its values are stored, also if it does not start the workflow.
  if (ignored && !mustVerify(facts)) return ignored;
  return (
    checkTable(facts) ?? checkRecord(facts, needs) ?? ignored ?? startWorkflow(facts, form, needs, watched)
  );
}

/** The result of reading the delivery's record from the service. */
export type RecordResult =
  | { status: 'found'; values: RecordValues }
  | { status: 'notFound' }
  | { status: 'failed'; error: Error };

/** The form's settings, resolved to the fields of one table. */
interface CompiledForm {
  /** Undefined without a filter. */
  matches?: (record: RecordValues) => boolean;
  /** Fields, or parts of fields, that the filter compares. */
  filterFields: FieldRef[];
  /** Fields that the output item must contain. */
  outputFields: FieldRef[];
  /** Slugs of Fields to Return; empty for all fields. */
  columns: string[];
  /** Slugs of the fields of which at least one must change; empty if any change starts the workflow. */
  watchedSlugs: string[];
}

/** Whether the form names fields, so that a decision needs the fields of the table. */
export const namesFields = ({ filter, columns, changedFields, displayNames }: TriggerParameters): boolean =>
  filter !== undefined || displayNames || columns.length > 0 || changedFields.length > 0;

/** @throws InputError for a filter that does not fit the table, or that only the service can evaluate */
export function compileForm(parameters: TriggerParameters, table: Table, now: Date): CompiledForm {
  const {
    filter,
    columns,
    changedFields,
    displayNames,
    timeZone,
    serviceTimeZone = parameters.timeZone,
  } = parameters;
  // The matcher refuses operators for the logged-in user itself, so `hasUserLogin` does not depend on the credential.
  const context = { timeZone, serviceTimeZone, now, hasUserLogin: true };
  const compiled = filter && compileFilter(filter, table, context);
  // An unknown name may be a field of another chosen table.
  const toSlug = (name: string): string => table.findField(name)?.slug ?? name;
  const slugs = columns.map(toSlug);
  // Every record has `created_at`, so it needs no reading. `Table` adds it to the fields.
  const isNamed = ({ slug }: Field) =>
    slugs.includes(slug) || (displayNames && slugs.length === 0 && slug !== 'created_at');
  return {
    matches: compiled?.matches,
    filterFields: compiled?.fields ?? [],
    outputFields: table.fields.filter(isNamed).map((field) => ({ table, field })),
    columns: slugs,
    watchedSlugs: changedFields.map(toSlug),
  };
}

const NO_FIELDS: CompiledForm = { filterFields: [], outputFields: [], columns: [], watchedSlugs: [] };

/**
 * Compiles the form. Undefined if current fields or the IDs of named records must be read first.
 * @throws InputError if the form does not fit the table
 */
export function tryCompileForm({
  parameters,
  table,
  isTableFresh,
  delivery: { receivedAt },
}: Pick<Facts, 'parameters' | 'table' | 'isTableFresh' | 'delivery'>): CompiledForm | undefined {
  // Without the fields, a record that only has to be simplified stays as it was delivered.
  if (!table && !namesFields(parameters)) return NO_FIELDS;
  try {
    const { filter } = parameters;
    if (!table || (filter && hasConnectionNames(filter, table))) return undefined;
    return compileForm(parameters, table, new Date(receivedAt));
  } catch (error) {
    if (isTableFresh || !(error instanceof UnknownFieldError)) throw asThrown(error);
    return undefined;
  }
}

/** What the form needs of the record, beside the delivered fields. */
interface RecordNeeds {
  /** A deleted record cannot be read. */
  canRead: boolean;
  lacksFilterFields: boolean;
  wantsWholeRecord: boolean;
}

function findRecordNeeds({ delivery, parameters, table }: Facts, form: CompiledForm): RecordNeeds {
  const { record } = delivery;
  /** Whether the record does not hold a field, or a part of it. */
  const isMissing = (ref: FieldRef) =>
    !Object.hasOwn(record, ref.field.slug) || getRawValue(record, ref) === undefined;
  const isPartial = () => !table || table.writableFields.some((field) => isMissing({ table, field }));
  return {
    canRead: delivery.event !== 'DELETE',
    lacksFilterFields: form.filterFields.some(isMissing),
    wantsWholeRecord: (parameters.fullRecord && isPartial()) || form.outputFields.some(isMissing),
  };
}

/** All inputs of a decision. */
export interface Facts {
  delivery: Delivery;
  parameters: TriggerParameters;
  memory: TriggerMemory;
  /** Fields of the delivery's table, at most an hour old; undefined if they could not be read. */
  table?: Table;
  isTableFresh?: boolean;
  record?: RecordResult;
  /** The chosen fields of connected records, to be added to the record; null if they could not be read. */
  connected?: RecordValues | null;
  /** The texts of connected records that the record and its earlier values lack, as far as they could be read. */
  texts?: RecordValues[];
}

/**
 * Data that the decision needs from the service. If the form names fields, the caller reads the current fields and the IDs
 * of records that the filter names, too.
 */
export type MissingFact =
  | { fact: 'table' | 'record' }
  | { fact: 'texts' | 'connected'; table: Table; records: RecordValues[] };

/** The HTTP response to the service, and what follows from an accepted delivery. */
export interface Decision {
  /** 200 for an accepted delivery, also for an ignored one. */
  status: number;
  reason: string;
  /** The item that starts the workflow. */
  item?: RecordValues;
  /** The values of the watched fields, which the caller stores. */
  values?: Map<string, string>;
}

/** Keys that a record of any table may have (spec: Record; evidence 3). */
const SYSTEM_KEYS = ['id', 'created_at', 'auto_increment'];

const refuse = (status: number, reason: string): Decision => ({ status, reason });

/** Whether the delivery has no token. The record is then read, to check that it exists or was deleted. */
const mustVerify = ({ parameters }: Facts): boolean => parameters.startBy === 'address';

/** The record to filter and output: the one that was read, or the delivered one with missing fields added. */
function resolveRecord(facts: Facts): RecordValues {
  const { delivery, parameters, record, table } = facts;
  const read = record?.status === 'found' ? record.values : undefined;
  if (read && (mustVerify(facts) || !table)) return read;
  if (!table) return delivery.record;
  return completeRecord(delivery.record, table, { read, keepsForm: parameters.output === 'event' });
}

/** Refuses an event that the form does not have, and ignores a repeated delivery. Undefined for any other delivery. */
function rejectUnwanted({ delivery, parameters, memory }: Facts): Decision | undefined {
  if (!parameters.tableIds.includes(delivery.tableId) || !parameters.events.includes(delivery.event))
    return refuse(410, 'the trigger does not listen to this event');
  if (parameters.ignoreDuplicates && memory.lastDeliveries.isRepeated(delivery)) {
    return { status: 200, reason: 'Received before' };
  }
  return undefined;
}

/**
 * Refuses a delivery to a pasted address if its record has fields, and none of them belongs to the table. In some services
 * the records of all tables have the same IDs (evidence 7), so a record of the other table would be read.
 */
function checkTable({
  delivery,
  parameters,
  table,
  isTableFresh,
}: Facts): Decision | MissingFact | undefined {
  const keys = Object.keys(omit(delivery.record, SYSTEM_KEYS));
  const isField = (key: string) => table?.hasSlug(key) || table?.hasSlug(key.replace(/_val$/, ''));
  const isForeign = table && keys.length > 0 && !keys.some(isField);
  if (parameters.startBy !== 'address' || !isForeign) return undefined;
  if (!isTableFresh) return { fact: 'table' };
  return refuse(410, 'its record has none of the fields of the table');
}

/**
 * Requests the record if it is needed, or ignores the delivery if the state of the record in the service contradicts it.
 * Undefined otherwise.
 */
function checkRecord(
  facts: Facts,
  { canRead, lacksFilterFields, wantsWholeRecord }: RecordNeeds,
): Decision | MissingFact | undefined {
  const { record } = facts;
  const mustRead = mustVerify(facts) || (canRead && lacksFilterFields);
  if (!record && (mustRead || (canRead && wantsWholeRecord))) return { fact: 'record' };
  if (record?.status === 'failed' && mustRead) throw record.error;
  if (!mustVerify(facts) || (record?.status === 'found') === canRead) return undefined;
  return canRead
    ? refuse(410, 'the service has no such record')
    : refuse(409, 'the service still has the record');
}

/** The watched fields of a delivery. Both are undefined if the form watches none. */
interface WatchedFields {
  /** The delivered values with their hashes, to be stored. */
  values?: Map<string, string>;
  /** Slugs, or null if no earlier values are stored. */
  changedFields?: string[] | null;
  /** Earlier values, null where they are not known. */
  before?: RecordValues;
}

function compareWatchedFields(
  { delivery, memory, table }: Facts,
  { watchedSlugs }: CompiledForm,
): WatchedFields {
  if (watchedSlugs.length === 0) return {};
  const { record } = delivery;
  const { lastValues } = memory;
  const fields = table?.fields ?? [];
  const hashes = hashFieldValues(record, watchedSlugs, fields, { length: FIELD_HASH_LENGTH });
  const values = new Map(
    [...hashes].map(([slug, hash]) => [slug, hash + JSON.stringify(pickShortValues(record, [slug], fields))]),
  );
  const changedFields = lastValues.findChanges(delivery, watchedSlugs, values);
  const slugs = changedFields ?? watchedSlugs;
  const earlier: RecordValues[] = slugs.map((slug) => lastValues.findValue(delivery, slug));
  const before = findEarlierValues(Object.assign({}, ...earlier) as RecordValues, slugs, fields);
  return { values, changedFields, before };
}

/**
 * Ignores an update that changes none of the watched fields. Undefined for any other delivery. Without earlier values, the
 * form decides. By default the workflow starts: the user notices a superfluous start, and not a missing one.
 */
function ignoreUnchanged(
  { delivery, parameters }: Facts,
  { changedFields, values }: WatchedFields,
): Decision | undefined {
  const mayStart =
    changedFields === null ? parameters.startWithoutEarlierValues : changedFields?.length !== 0;
  if (delivery.event !== 'UPDATE' || mayStart) return undefined;
  return { status: 200, reason: 'Received; none of the watched fields has changed', values };
}

/** Ignores a record that does not match the filter. Undefined if it matches, or lacks a field that the filter compares. */
function ignoreUnmatched(
  facts: Facts,
  { matches }: CompiledForm,
  { lacksFilterFields }: RecordNeeds,
  { values }: WatchedFields,
): Decision | undefined {
  const isKnown = !lacksFilterFields || facts.record?.status === 'found';
  if (!matches || !isKnown || matches(resolveRecord(facts))) return undefined;
  return { status: 200, reason: 'Received; the record does not match the filter', values };
}

function startWorkflow(
  facts: Facts,
  { columns }: CompiledForm,
  needs: RecordNeeds,
  { values, changedFields, before }: WatchedFields,
): Decision | MissingFact {
  const { delivery, parameters, table } = facts;
  const isRecord = parameters.output === 'record';
  const earlier = before && table && isRecord ? completeRecord(before, table) : before;
  const records = [resolveRecord(facts), earlier ?? {}];
  if (isRecord && table && !facts.texts) return { fact: 'texts', table, records };
  if (parameters.connectedFields.length > 0 && table && facts.connected === undefined)
    return { fact: 'connected', table, records };
  const isFound = facts.record?.status === 'found';
  const isNotChecked = {
    filter: needs.lacksFilterFields && !isFound,
    fields: !table,
    connectedFields: facts.connected === null,
    fullRecord: needs.canRead && needs.wantsWholeRecord && !isFound,
  };
  const notChecked = Object.keys(pickBy(isNotChecked));
  const createItem = createItemBuilder(parameters, { slugs: columns, table });
  const item = createItem(
    delivery,
    { ...records[0], ...facts.texts?.[0] },
    {
      _changedFields: changedFields,
      _before: earlier && { ...earlier, ...facts.texts?.[1] },
      _notChecked: notChecked.length > 0 ? notChecked : undefined,
    },
    facts.connected ?? undefined,
  );
  return { status: 200, reason: 'Received', item, values };
}
