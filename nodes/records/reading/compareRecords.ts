/** Compares records with the filter that was sent: the service ignores conditions on unknown fields (spec: Filters). */
import { ApiError, type Client, InputError, joinFirst, type ServiceRecord } from '../../service';
import { getKind } from '../fields/kinds';
import { getRefValue, getFieldValue } from '../fields/recordValues';
import { type Table, formatFilterId } from '../fields/table';
import { buildMatcher, type RecordMatcher } from '../filter/buildFilter';
import { type FilterGroup, type FilterItem, listRequiredItems, listItems } from '../filter/tree';

/** Uses the time zone of the service. @throws InputError for an operator that only the service can evaluate */
export const createMatcher = (
  { serviceTimeZone: timeZone }: Client,
  filters: FilterGroup,
  table: Table,
  options?: Parameters<typeof buildMatcher>[3],
): RecordMatcher => buildMatcher(filters, table, { timeZone, now: new Date() }, options);

export function formatRecordIds(records: ServiceRecord[]): string {
  const ids = records.map(({ id }) => id);
  return joinFirst(ids, ', ', 5);
}

/** @throws InputError for a record that does not match or that lacks a compared field, and as `createMatcher` does */
export function ensureRecordsMatch(
  client: Client,
  table: Table,
  filters: FilterGroup,
  records: ServiceRecord[],
  remedy: string,
): void {
  const matches = createMatcher(client, filters, table);
  const compared = listItems(filters).map(({ field_id }) => table.requireFilterRef(field_id, 'Filter'));
  // A record that lacks a compared field is a mismatch: the missing value would be compared as a blank value.
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
 * Whether the service may not support the date in filters: no list of fields has `created_at`, and an end of a range is
 * not documented. A condition without a value does not count, because it depends on the clock of the service.
 */
function comparesUnlistedDate({ field_id, val }: FilterItem, table: Table): boolean {
  const { field, part } = table.findRef(field_id) ?? {};
  const isEnd = field && part && getKind(field).rangeOperators !== undefined;
  return val !== undefined && (field_id === 'created_at' || isEnd === true);
}

/**
 * Adds a hint for any other mismatch. What only the service can evaluate is not compared. Open point: `systemColumns`.
 * @throws ApiError for a record that does not match a condition on `created_at` or on an end of a range
 */
export function compareListWithFilter(
  client: Client,
  table: Table,
  filters: FilterGroup,
  records: ServiceRecord[],
): void {
  const findMismatches = (group: FilterGroup) => {
    const matches = createMatcher(client, group, table, { isLenient: true });
    return records.filter((record) => !matches(record));
  };
  const mismatches = findMismatches(filters);
  if (mismatches.length === 0) return;
  for (const item of listRequiredItems(filters) ?? []) {
    const [mismatch] = comparesUnlistedDate(item, table)
      ? findMismatches({ condition: 'AND', items: [item], child: [] })
      : [];
    if (!mismatch) continue;
    const ref = table.requireFilterRef(item.field_id, 'Filter');
    const whole = ref.part
      ? ` Filter by the whole field "${ref.field.slug}", which is compared by its start. Or:`
      : '';
    throw new ApiError({
      message: `Filter: the service did not apply "${`${formatFilterId(ref)} ${item.operator} ${item.val ?? ''}`.trim()}"`,
      description: `It returned record ${mismatch.id}, where it is ${String(getRefValue(mismatch, ref))}.${whole} Remove the condition, and choose the records by "${ref.field.slug}" in the next step of the workflow.`,
    });
  }
  client.notices.addHint(
    `Filter: ${mismatches.length} of ${records.length} records do not match the filter, so the service may not have read a condition: ${formatRecordIds(mismatches)}`,
  );
}
