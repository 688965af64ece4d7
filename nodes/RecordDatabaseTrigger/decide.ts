/** Decides whether a delivery starts the workflow, and with which item. */
import { omit, pickBy } from 'lodash';
import { createTriggerItemBuilder, findEarlierValues, pickShortValues } from '../n8n/trigger/triggerItem';
import {
  compileFilter,
  decodeDelivery,
  type Field,
  type FieldRef,
  getFieldOrPartValue,
  hashFieldValues,
  type RecordValues,
  type Table,
} from '../records';
import type { TriggerParameters } from './form';
import { type Delivery, FIELD_HASH_LENGTH, type TriggerMemory } from './staticData';

/**
 * If the delivery lacks a field of the filter, the field does not count as empty: the caller reads the record. But a
 * deleted record cannot be read, so the workflow starts without a check of the filter, and `_notChecked` has "filter".
 */
export function decideOnDelivery(facts: DeliveryFacts): Decision {
  const watched = compareWatchedFields(facts);
  return (
    refuseUnwantedDelivery(facts) ??
    refuseContradictedDelivery(facts) ??
    ignoreUnchangedRecord(facts, watched) ??
    ignoreUnmatchedRecord(facts, watched) ??
    toStartDecision(facts, watched)
  );
}

export interface DeliveryFacts {
  delivery: Delivery;
  parameters: TriggerParameters;
  memory: TriggerMemory;
  /** Fields of the delivery's table; undefined if they could not be read. */
  table?: Table;
  form: CompiledForm;
  /** The record in the service, if it was read and found. */
  record?: RecordValues;
  /** Texts of connected records: `texts[0]` for the record, `texts[1]` for its earlier values; `[]` after a failure. */
  texts?: RecordValues[];
  /** The chosen fields of connected records; null if they could not be read. */
  connected?: RecordValues | null;
}

export interface Decision {
  /** HTTP status. For 200 without an `item`, the delivery is accepted but starts no workflow. */
  status: number;
  reason: string;
  item?: RecordValues;
  /** `records[0]`: the record in the item. `records[1]`: its earlier values. */
  records?: RecordValues[];
  /** By slug of the watched field: text with the hash of its value, and the value, as `LastValues` stores it. */
  values?: Map<string, string>;
}

/** The settings of the form, resolved to the fields of one table. */
interface CompiledForm {
  /** Undefined if the form has no filter. */
  matches?: (record: RecordValues) => boolean;
  /** Fields, or parts of fields, that the filter compares. */
  filterFields: FieldRef[];
  outputFields: FieldRef[];
  /** Slugs of Fields to Return; empty for all fields. */
  columns: string[];
  /** Slugs of Watched Fields, of which one must change; empty if any change starts the workflow. */
  watchedSlugs: string[];
}

/** Used before the fields of the table are read, and if the reading fails but the form uses no field. */
export const EMPTY_FORM: CompiledForm = { filterFields: [], outputFields: [], columns: [], watchedSlugs: [] };

/** Whether a decision needs the fields of the table. */
export const formUsesField = ({ filter, columns, changedFields, displayNames }: TriggerParameters): boolean =>
  filter !== undefined || displayNames || columns.length > 0 || changedFields.length > 0;

/**
 * @param settings the present time, the service's time zone, and whether the delivery reports an update
 * @throws InputError for a filter that does not fit the table, or that only the service can evaluate
 */
export function compileForm(
  parameters: TriggerParameters,
  table: Table,
  { isUpdate = false, ...clock }: { now: Date; serviceTimeZone: string; isUpdate?: boolean },
): CompiledForm {
  const { tableIds, filter, columns, changedFields, displayNames, timeZone } = parameters;
  // `compileFilter` refuses operators for the logged-in user anyway. With `false`, its error would advise a user login.
  const context = { timeZone, ...clock, hasUserLogin: true };
  const compiled = filter && compileFilter(filter, table, context);
  // With several chosen tables, an unknown name may be a field of another table, so `toSlug` returns the name.
  const toSlug = (name: string): string => table.findField(name)?.slug ?? name;
  const slugs = columns.map(toSlug);
  // A delivery may lack `created_at`, which `Table` adds: the record is read for it only if the form names this field.
  const isNamed = ({ slug }: Field) =>
    slugs.includes(slug) || (displayNames && slugs.length === 0 && slug !== 'created_at');
  return {
    matches: compiled?.matches,
    filterFields: compiled?.fields ?? [],
    outputFields: table.fields.filter(isNamed).map((field) => ({ table, field })),
    columns: slugs,
    // Without `requireField`, the trigger would ignore all updates after a watched field was renamed or deleted.
    watchedSlugs: changedFields.map((name) =>
      isUpdate && tableIds.length === 1 ? table.requireField(name, 'Watched Fields').slug : toSlug(name),
    ),
  };
}

function findMissingData({ delivery: { event, record }, parameters, table, form }: DeliveryFacts) {
  const isMissing = (ref: FieldRef) =>
    !Object.hasOwn(record, ref.field.slug) || getFieldOrPartValue(record, ref) === undefined;
  const isPartial = () => !table || table.writableFields.some((field) => isMissing({ table, field }));
  return {
    filterFields: form.filterFields.some(isMissing),
    // A deleted record cannot be read.
    fullRecord:
      event !== 'DELETE' && ((parameters.fullRecord && isPartial()) || form.outputFields.some(isMissing)),
  };
}

/** A webhook that the user made in the service has no token, so the record is read to check the delivery. */
const isPastedAddress = ({ parameters }: DeliveryFacts): boolean => parameters.startBy === 'address';

/**
 * Decides whether the record is read. `required`: without the record, the delivery cannot be processed. `wanted`:
 * without the record, the workflow starts with the delivered fields.
 */
export function decideRecordReading(facts: DeliveryFacts): 'required' | 'wanted' | undefined {
  if (isPastedAddress(facts)) return refuseUnwantedDelivery(facts) ? undefined : 'required';
  const { filterFields, fullRecord } = findMissingData(facts);
  if (facts.delivery.event === 'DELETE' || !decideOnDelivery(facts).item) return undefined;
  if (filterFields) return 'required';
  return fullRecord ? 'wanted' : undefined;
}

const toRefusal = (status: number, reason: string): Decision => ({ status, reason });

/** A record of any table may have these keys (spec: Record; evidence 3). */
const SYSTEM_KEYS = ['id', 'created_at', 'auto_increment'];

/**
 * The user may have pasted the address of the trigger for another table. A reading by ID would then return an unrelated
 * record with the same ID (evidence 7).
 */
export function isFromOtherTable(facts: DeliveryFacts): boolean {
  const { delivery, table } = facts;
  if (!isPastedAddress(facts) || !table) return false;
  const keys = Object.keys(omit(delivery.record, SYSTEM_KEYS));
  const isField = (key: string) => table.hasSlug(key) || table.hasSlug(key.replace(/_val$/, ''));
  return keys.length > 0 && !keys.some(isField);
}

/** Refuses a delivery of another table or event. Answers a repeated delivery with 200, but starts no workflow. */
export function refuseUnwantedDelivery(facts: DeliveryFacts): Decision | undefined {
  const { delivery, parameters, memory } = facts;
  if (!parameters.tableIds.includes(delivery.tableId) || !parameters.events.includes(delivery.event))
    return toRefusal(410, 'the trigger does not listen to this event');
  if (parameters.ignoreDuplicates && memory.lastDeliveries.isRepeated(delivery))
    return { status: 200, reason: 'Received before' };
  if (!isFromOtherTable(facts)) return undefined;
  return toRefusal(410, 'its record has none of the fields of the table');
}

/** Refuses a delivery without a token if the record exists after a deletion, or is missing after another event. */
function refuseContradictedDelivery(facts: DeliveryFacts): Decision | undefined {
  const isDeleted = facts.delivery.event === 'DELETE';
  if (!isPastedAddress(facts) || (facts.record === undefined) === isDeleted) return undefined;
  if (isDeleted) return toRefusal(409, 'the service still has the record');
  return toRefusal(410, 'the service has no such record');
}

/** All properties are undefined without Watched Fields. */
interface WatchedChange {
  /** The delivered values with their hashes, by slug. */
  values?: Map<string, string>;
  /** Slugs of the changed fields; null if no earlier values are stored. */
  changedFields?: string[] | null;
  /** Earlier values by slug; null for each value that is not known. */
  before?: RecordValues;
}

function compareWatchedFields({ delivery, memory, table, form }: DeliveryFacts): WatchedChange {
  const { watchedSlugs } = form;
  if (watchedSlugs.length === 0) return {};
  const { record } = delivery;
  const fields = table?.fields ?? [];
  const hashes = hashFieldValues(record, watchedSlugs, fields, { length: FIELD_HASH_LENGTH });
  const values = new Map(
    [...hashes].map(([slug, hash]) => [slug, hash + JSON.stringify(pickShortValues(record, [slug], fields))]),
  );
  const changedFields = memory.lastValues.findChangedSlugs(delivery, watchedSlugs, values);
  const slugs = changedFields ?? watchedSlugs;
  const earlier: RecordValues[] = slugs.map((slug) => memory.lastValues.findValuesBefore(delivery, slug));
  const before = findEarlierValues(Object.assign({}, ...earlier) as RecordValues, slugs, fields);
  return { values, changedFields, before };
}

/**
 * Without earlier values, the form decides whether an update starts the workflow. By default, the update starts it: a
 * user notices a superfluous start, but not a missing one.
 */
function ignoreUnchangedRecord(
  { delivery, parameters }: DeliveryFacts,
  { changedFields, values }: WatchedChange,
): Decision | undefined {
  const mayStart =
    changedFields === null ? parameters.startWithoutEarlierValues : changedFields?.length !== 0;
  if (delivery.event !== 'UPDATE' || mayStart) return undefined;
  return { status: 200, reason: 'Received; none of the watched fields has changed', values };
}

/** A record that lacks a compared field is not ignored. */
function ignoreUnmatchedRecord(facts: DeliveryFacts, { values }: WatchedChange): Decision | undefined {
  const { matches } = facts.form;
  const isKnown = facts.record !== undefined || !findMissingData(facts).filterFields;
  if (!matches || !isKnown || matches(mergeReadAndDelivered(facts))) return undefined;
  return { status: 200, reason: 'Received; the record does not match the filter', values };
}

/** Returns the record that was read, or the delivered record with its missing fields added. */
function mergeReadAndDelivered(facts: DeliveryFacts): RecordValues {
  const { delivery, parameters, record, table } = facts;
  if (record && (isPastedAddress(facts) || !table)) return record;
  if (!table) return delivery.record;
  return decodeDelivery(delivery.record, table, { read: record, keepsForm: parameters.output === 'event' });
}

function toStartDecision(facts: DeliveryFacts, { values, changedFields, before }: WatchedChange): Decision {
  const { delivery, parameters, table, form, record, texts = [], connected } = facts;
  const earlier = before && table && parameters.output === 'record' ? decodeDelivery(before, table) : before;
  const records = [mergeReadAndDelivered(facts), earlier ?? {}];
  const lacks = findMissingData(facts);
  const isNotChecked = {
    filter: lacks.filterFields && !record,
    fields: !table,
    connectedFields: connected === null,
    fullRecord: lacks.fullRecord && !record,
  };
  const notChecked = Object.keys(pickBy(isNotChecked));
  const createItem = createTriggerItemBuilder(parameters, { slugs: form.columns, table });
  const item = createItem(
    delivery,
    { ...records[0], ...texts[0] },
    {
      _changedFields: changedFields,
      _before: earlier && { ...earlier, ...texts[1] },
      _notChecked: notChecked.length > 0 ? notChecked : undefined,
    },
    connected ?? undefined,
  );
  return { status: 200, reason: 'Received', item, records, values };
}
