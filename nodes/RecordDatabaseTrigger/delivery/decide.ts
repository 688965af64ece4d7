import { hashFieldValues } from '../../shared/kit/hashing/hashFieldValues';
import { shapeRecord } from '../../shared/model/records/displayNames';
import type { RecordValues } from '../../shared/model/records/recordValues';
import type { Table } from '../../shared/model/records/table';
import type { TriggerParameters } from '../form/parameters';
import type { TriggerMemory } from '../staticData';
import type { Verdict } from './authenticate';
import { type CompiledForm, findRecordNeeds, type RecordNeeds, tryCompileForm } from './compileForm';
import { isChanged } from './lastValues';
import type { Delivery } from './parseDelivery';
import {
  addMissingFields,
  buildOutputItem,
  isSameRecord,
  listNotChecked,
  type RecordResult,
} from './recordFields';

/** All inputs of a decision. */
export interface Facts {
  delivery: Delivery;
  parameters: TriggerParameters;
  verdict: Verdict;
  /** Hash of the delivery's content; undefined if the delivery has no timestamp. */
  hash?: string;
  memory: TriggerMemory;
  now: Date;
  /** Fields of the delivery's table. Stored fields may be out of date and include only those that the form names. */
  table?: Table;
  isTableFresh?: boolean;
  record?: RecordResult;
}

/**
 * Data that the decision needs from the service. With either fact, the current fields and the IDs of records that the
 * filter names are read too.
 */
export interface MissingFact {
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

/** Returns the record to filter and output: the one that was read, or the delivered one with missing fields added. */
function resolveRecord({ delivery, parameters, record, table }: Facts): RecordValues {
  if (record?.status !== 'found') return delivery.record;
  if (parameters.verify || parameters.fullRecord || !table) return record.values;
  return addMissingFields(delivery.record, record.values, table);
}

/**
 * Returns the decision for a delivery that is refused or ignored without checking its record. Undefined for any other
 * delivery.
 */
function rejectUnwanted(facts: Facts): Decision | undefined {
  const { parameters, memory, hash } = facts;
  if (facts.verdict === 'invalid') return refuse(401, 'its token is missing or wrong');
  if (!isExpected(facts)) return refuse(410, 'the trigger does not listen to this event');
  if (parameters.ignoreDuplicates && hash !== undefined && memory.seen.has(hash)) {
    return { action: 'ignore', reason: 'Received before' };
  }
  return undefined;
}

/**
 * Returns a request for the record if it is needed, or the decision if the record could not be read or verified.
 * Undefined otherwise.
 */
function checkRecord(
  { delivery, parameters, record }: Facts,
  { canRead, lacksFilterFields, wantsWholeRecord }: RecordNeeds,
): Decision | MissingFact | undefined {
  const needsRead = parameters.verify || lacksFilterFields;
  if (canRead && !record && (needsRead || wantsWholeRecord)) return { action: 'fetch', fact: 'record' };
  if (record?.status === 'failed' && needsRead) return { action: 'fail', error: record.error };
  if (!canRead || !parameters.verify) return undefined;

  const isVerified = record?.status === 'found' && isSameRecord(delivery.record, record.values);
  return isVerified ? undefined : refuse(410, 'the service has no such record');
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
    token: facts.verdict === 'unverified',
    duplicates: parameters.ignoreDuplicates && facts.hash === undefined,
    filter: needs.lacksFilterFields && !isFound,
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
  const record = shapeRecord(current, { slugs: columns, displayNames }, table);
  const item = buildOutputItem(delivery, record, output, { notChecked, changedFields });
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
