import type { Field } from '../client/fields/field';
import { getKind } from '../client/fields/kinds';
import { type RecordValues, findFieldByKey, getRawValue } from '../client/fields/recordValues';
import { type FieldRef, type Table, UnknownFieldError } from '../client/fields/table';
import { type Matcher, buildFilter, buildMatcher } from '../client/filter/buildFilter';
import type { FilterGroup, FilterItem } from '../client/filter/tree';
import { createRecordShaper, hasConnectionNames } from '../client/records/displayNames';
import { hashFieldValues } from '../client/records/hashing';
import { listSimplifierFields } from '../client/records/simplifiedRecord';
import type { TriggerParameters } from './form';
import { type Delivery, type Fingerprint, type TriggerMemory, isChanged } from './staticData';

/** The result of reading the delivery's record from the service. */
export type RecordResult =
  | { status: 'found'; values: RecordValues }
  | { status: 'notFound' }
  | { status: 'failed'; error: Error };

/** The checks and reads that failed or were not possible for an item that starts the workflow. */
type NotChecked = 'filter' | 'fields' | 'fullRecord';

/** @param isNotChecked whether each check failed or was not possible */
const listNotChecked = (isNotChecked: Record<NotChecked, boolean>): NotChecked[] =>
  (Object.keys(isNotChecked) as NotChecked[]).filter((check) => isNotChecked[check]);

/** Whether a record holds a field, or a part of it, in either form of the spec: one object or one key per part. */
export function hasField(record: RecordValues, ref: FieldRef): boolean {
  if (ref.part) return getRawValue(record, ref) !== undefined;
  if (Object.hasOwn(record, ref.field.slug)) return true;
  const parts = getKind(ref.field).parts;
  return parts !== undefined && parts.every((part) => getRawValue(record, { ...ref, part }) !== undefined);
}

/** Adds the fields that a delivery lacks. The delivered ones stay: they are the values at the time of the event. */
export function addMissingFields(delivered: RecordValues, read: RecordValues, table: Table): RecordValues {
  const isDelivered = (key: string, field = findFieldByKey(table.fields, key)) =>
    field ? hasField(delivered, { table, field }) : Object.hasOwn(delivered, key);
  const deliveredEntries = Object.entries(delivered).filter(([key]) => isDelivered(key));
  const missingEntries = Object.entries(read).filter(([key]) => !isDelivered(key));
  return Object.fromEntries([...deliveredEntries, ...missingEntries]);
}

/** Additional properties of an output item: `_notChecked` and `_changedFields`. */
interface ItemNotes {
  notChecked: NotChecked[];
  /** Slugs, or null if no earlier values are stored; undefined if the form watches no fields. */
  changedFields?: string[] | null;
}

/** The item that starts the workflow: the whole event, or its record alone. */
export function buildOutputItem(
  { event, tableId, tableName, timestamp }: Delivery,
  record: RecordValues,
  output: 'event' | 'record',
  { notChecked, changedFields }: ItemNotes,
): RecordValues {
  const notes = {
    ...(changedFields !== undefined && { _changedFields: changedFields }),
    ...(notChecked.length > 0 && { _notChecked: notChecked }),
  };
  if (output === 'record') return { _event: event, _table: tableName || tableId, ...record, ...notes };
  return { event, tableId, tableName, record, timestamp, ...notes };
}

/** The form's settings, resolved to the fields of one table. */
interface CompiledForm {
  /** Undefined without a filter. */
  matches?: Matcher;
  /** Fields, or parts of fields, that the filter compares. */
  filterFields: FieldRef[];
  /** Fields that the output item must contain. */
  outputFields: FieldRef[];
  /** Slugs of Fields to Keep; empty for all fields. */
  columns: string[];
  /** Slugs of the fields of which at least one must change; empty if any change starts the workflow. */
  watchedSlugs: string[];
}

/** Whether the form names fields, so that a decision needs the fields of the table. */
export const namesFields = ({ filter, columns, changedFields, displayNames }: TriggerParameters): boolean =>
  filter !== undefined || displayNames || columns.length > 0 || changedFields.length > 0;

/** Whether the fields of the table are needed for a decision, or to simplify the record. */
export const usesFields = (parameters: TriggerParameters): boolean =>
  parameters.output === 'record' || namesFields(parameters);

const collectItems = ({ items, child }: FilterGroup): FilterItem[] => [
  ...items,
  ...child.flatMap(collectItems),
];

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
  const group = filter && buildFilter(filter, table, { timeZone, serviceTimeZone, now, hasUserLogin: true });
  // A name that this table does not have may be a field of another chosen table.
  const toSlug = (name: string): string => table.findField(name)?.slug ?? name;
  const slugs = columns.map(toSlug);
  // Every record has `created_at`, so it needs no reading. `Table` adds it to the fields.
  const isNamed = ({ slug }: Field) =>
    slugs.includes(slug) || (displayNames && slugs.length === 0 && slug !== 'created_at');
  return {
    matches: group && buildMatcher(group, table, { timeZone: serviceTimeZone, now }),
    filterFields: group
      ? collectItems(group).map(({ field_id }) => table.resolveFilterField(field_id, 'Filter'))
      : [],
    outputFields: table.fields.filter(isNamed).map((field) => ({ table, field })),
    columns: slugs,
    watchedSlugs: changedFields.map(toSlug),
  };
}

const NO_FIELDS: CompiledForm = { filterFields: [], outputFields: [], columns: [], watchedSlugs: [] };

/** The parameters, and the fields of the table if they are known. */
interface FormFacts {
  parameters: TriggerParameters;
  table?: Table;
  /** Whether the fields were read for this delivery. */
  isTableFresh?: boolean;
  now: Date;
}

/**
 * Compiles the form. The result is an error if the form does not fit the table, and undefined if current fields or the
 * IDs of named records must be read first.
 */
export function tryCompileForm({
  parameters,
  table,
  isTableFresh,
  now,
}: FormFacts): CompiledForm | Error | undefined {
  // Without the fields, a record that only has to be simplified stays as it was delivered.
  const needsNoFields = !usesFields(parameters) || (!table && isTableFresh && !namesFields(parameters));
  if (needsNoFields) return NO_FIELDS;
  try {
    const { filter } = parameters;
    if (!table || (filter && hasConnectionNames(filter, table))) return undefined;
    return compileForm(parameters, table, now);
  } catch (error) {
    return error instanceof UnknownFieldError && !isTableFresh ? undefined : (error as Error);
  }
}

/** Selects the fields to store. Choices are needed only for fields that the filter compares, and are the most of it. */
export function selectNeededFields(parameters: TriggerParameters, table: Table, now: Date): Field[] {
  const { filterFields, columns, watchedSlugs } = compileForm(parameters, table, now);
  const compared = new Set(filterFields.map(({ field }) => field.slug));
  const simplified = parameters.output === 'record' ? listSimplifierFields(table) : [];
  const named = new Set([...compared, ...columns, ...watchedSlugs, ...simplified.map(({ slug }) => slug)]);
  return table.fields
    .filter(({ slug }) => parameters.displayNames || named.has(slug))
    .map((field) => (compared.has(field.slug) ? field : { ...field, options: [] }));
}

/** What the form needs of the record, beside the delivered fields. */
interface RecordNeeds {
  /** A deleted record cannot be read. */
  canRead: boolean;
  lacksFilterFields: boolean;
  wantsWholeRecord: boolean;
}

function findRecordNeeds(
  delivery: Delivery,
  { fullRecord }: TriggerParameters,
  form: CompiledForm,
): RecordNeeds {
  const isMissing = (ref: FieldRef) => !hasField(delivery.record, ref);
  return {
    canRead: delivery.event !== 'DELETE',
    lacksFilterFields: form.filterFields.some(isMissing),
    wantsWholeRecord: fullRecord || form.outputFields.some(isMissing),
  };
}

/** All inputs of a decision. */
export interface Facts {
  delivery: Delivery;
  parameters: TriggerParameters;
  fingerprint: Fingerprint;
  memory: TriggerMemory;
  now: Date;
  /** Fields of the delivery's table. Stored fields may be out of date and include only those that the form names. */
  table?: Table;
  isTableFresh?: boolean;
  record?: RecordResult;
}

/**
 * Data that the decision needs from the service. If the form names fields, the caller reads the current fields and the IDs
 * of records that the filter names, too.
 */
interface MissingFact {
  action: 'fetch';
  fact: 'table' | 'record';
}

export type Decision =
  | { action: 'refuse'; status: number; reason: string }
  | { action: 'fail'; error: Error }
  /** `values` are the hashes of the watched fields, to be stored. */
  | { action: 'ignore'; reason: string; values?: Map<string, string> }
  | { action: 'start'; item: RecordValues; values?: Map<string, string> };

const refuse = (status: number, reason: string): Decision => ({ action: 'refuse', status, reason });

const isExpected = ({ delivery, parameters }: Facts): boolean =>
  parameters.tableIds.includes(delivery.tableId) && parameters.events.includes(delivery.event);

/** Whether the delivery has no token, so that the workflow starts only with a record that the service has. */
const mustVerify = ({ parameters, delivery }: Facts): boolean =>
  parameters.startBy === 'address' && delivery.event !== 'DELETE';

/** The record to filter and output: the one that was read, or the delivered one with missing fields added. */
function resolveRecord(facts: Facts): RecordValues {
  const { delivery, parameters, record, table } = facts;
  if (record?.status !== 'found') return delivery.record;
  if (mustVerify(facts) || parameters.fullRecord || !table) return record.values;
  return addMissingFields(delivery.record, record.values, table);
}

/** Refuses or ignores a delivery by its event and its fingerprint. Undefined for any other delivery. */
function rejectUnwanted(facts: Facts): Decision | undefined {
  const { parameters, memory, fingerprint } = facts;
  if (!isExpected(facts)) return refuse(410, 'the trigger does not listen to this event');
  if (parameters.ignoreDuplicates && memory.seen.has(fingerprint)) {
    return { action: 'ignore', reason: 'Received before' };
  }
  return undefined;
}

/**
 * Requests the record if it is needed, or ends the delivery if the record could not be read or does not exist. Undefined
 * otherwise.
 */
function checkRecord(
  facts: Facts,
  { canRead, lacksFilterFields, wantsWholeRecord }: RecordNeeds,
): Decision | MissingFact | undefined {
  const { record } = facts;
  const needsRead = mustVerify(facts) || lacksFilterFields;
  if (canRead && !record && (needsRead || wantsWholeRecord)) return { action: 'fetch', fact: 'record' };
  if (record?.status === 'failed' && needsRead) return { action: 'fail', error: record.error };
  const isMissing = mustVerify(facts) && record?.status === 'notFound';
  return isMissing ? refuse(410, 'the service has no such record') : undefined;
}

/** Applies the filter and the watched fields. Starts the workflow if they match. */
function applyForm(facts: Facts, form: CompiledForm, needs: RecordNeeds): Decision {
  const { delivery, parameters, memory, table } = facts;
  const { watchedSlugs, matches, columns } = form;
  const values = watchedSlugs.length
    ? hashFieldValues(delivery.record, watchedSlugs, table?.fields ?? [])
    : undefined;
  const isFound = facts.record?.status === 'found';
  const notChecked = listNotChecked({
    filter: needs.lacksFilterFields && !isFound,
    fields: usesFields(parameters) && !table,
    fullRecord: needs.canRead && needs.wantsWholeRecord && !isFound,
  });
  const current = resolveRecord(facts);
  if (!notChecked.includes('filter') && matches && !matches(current)) {
    return { action: 'ignore', reason: 'Received; the record does not match the filter', values };
  }
  const changedFields = values && memory.lastValues.findChanges(delivery, watchedSlugs, values);
  const mayStart = isChanged(changedFields, parameters.startWithoutEarlierValues);
  if (delivery.event === 'UPDATE' && !mayStart) {
    return { action: 'ignore', reason: 'Received; none of the watched fields has changed', values };
  }

  const { displayNames, output } = parameters;
  const shape = createRecordShaper({ slugs: columns, displayNames, simplified: output === 'record' }, table);
  const item = buildOutputItem(delivery, shape(current), output, { notChecked, changedFields });
  return { action: 'start', item, values };
}

/**
 * Decides how to process a delivery. This function is pure: it returns the fact that it needs, and the caller calls
 * it again with that fact. A field that the form names and the delivery lacks is read from the service and never
 * treated as empty. If it cannot be read for a deleted record, the workflow starts and `_notChecked` lists the check.
 */
export function decide(facts: Facts): Decision | MissingFact {
  const rejection = rejectUnwanted(facts);
  if (rejection) return rejection;

  const form = tryCompileForm(facts);
  if (!form) return { action: 'fetch', fact: 'table' };
  if (form instanceof Error) return { action: 'fail', error: form };

  const needs = findRecordNeeds(facts.delivery, facts.parameters, form);
  return checkRecord(facts, needs) ?? applyForm(facts, form, needs);
}
