/** Compares records with the filter that was sent: the service ignores conditions on unknown fields (spec: Filters). */
import { type Client, InputError, joinFirstTexts, type ServiceRecord } from '../../service';
import { getKind } from '../fields/kinds';
import { getFieldValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { buildMatcher, type RecordMatcher } from '../filter/buildFilter';
import { type FilterGroup, type FilterItem, listAllItems } from '../filter/tree';

/** @throws InputError for an operator that only the service can evaluate */
export const createRecordMatcher = (
  { serviceTimeZone: timeZone }: Client,
  filters: FilterGroup,
  table: Table,
  options?: Parameters<typeof buildMatcher>[3],
): RecordMatcher => buildMatcher(filters, table, { timeZone, now: new Date() }, options);

export function formatRecordIds(records: ServiceRecord[]): string {
  const ids = records.map(({ id }) => id);
  return joinFirstTexts(ids, ', ', 5);
}

/** @throws InputError for a record that does not match the filter, and as `createRecordMatcher` does */
export function ensureRecordsMatch(
  client: Client,
  table: Table,
  filters: FilterGroup,
  records: ServiceRecord[],
  remedy: string,
): void {
  const matches = createRecordMatcher(client, filters, table);
  const compared = listAllItems(filters).map(({ field_id }) => table.requireFilterRef(field_id, 'Filter'));
  // `matches` takes a missing value for a blank one. Only this check detects a record without a compared field.
  const showsFields = (record: ServiceRecord) =>
    compared.every((ref) => getFieldValue(record, ref) !== undefined);
  const mismatches = records.filter((record) => !showsFields(record) || !matches(record));
  if (mismatches.length === 0) return;
  throw new InputError(
    `The service returned ${mismatches.length} records that do not match the filter: ${formatRecordIds(mismatches)}`,
    `Nothing was changed. The service did not read a condition, evaluates it in another way, or does not show its field. ${remedy}`,
  );
}

/**
 * Whether a condition is on `created_at` or on one end of a range. The service may ignore such a condition,
 * because it does not list `created_at` as a field, and an end of a range is not documented.
 */
export function mayIgnoreDateCondition({ field_id }: FilterItem, table: Table): boolean {
  const ref = table.findRef(field_id);
  return field_id === 'created_at' || (ref?.part && getKind(ref.field).rangeOperators) !== undefined;
}

/** Adds a hint and returns false if a record does not match. Ignores conditions that only the service can evaluate. */
export function checkRecordsMatch(
  client: Client,
  table: Table,
  filters: FilterGroup,
  records: ServiceRecord[],
): boolean {
  const matches = createRecordMatcher(client, filters, table, { isLenient: true });
  const mismatches = records.filter((record) => !matches(record));
  if (mismatches.length === 0) return true;
  client.notices.addHint(
    `Filter: ${mismatches.length} of ${records.length} records do not match the filter, so the service may not have read a condition: ${formatRecordIds(mismatches)}`,
  );
  return false;
}
